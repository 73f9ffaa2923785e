//! MTJ: its rulings one by one, its inputs, its steps, and a plain player to compare with.

mod inputs;
mod plain;
mod rulings;
mod steps;

use std::sync::atomic::AtomicBool;

use simdrop::domain::{Outcome, RuleSet, SimulatorId};
use simdrop::sim::{self, Input, Reading, Step, mtj};

/// Reads an input that can be played.
fn read(input: &str) -> Reading {
    sim::read(input.as_bytes(), Some(SimulatorId::Mtj)).expect("a valid input")
}

/// The output and the outcome of a game.
fn play(input: &str) -> (String, Outcome) {
    let (never, mut out) = (AtomicBool::new(false), Vec::new());
    let outcome = read(input).input.play(0, RuleSet::Judge, &never, &mut out).expect("an end");
    (String::from_utf8(out).expect("text"), outcome)
}

/// The lines of the plays.
fn plays(input: &str) -> Vec<String> {
    let (out, _) = play(input);
    let lines = out.lines().take_while(|line| !line.ends_with(" is winner!"));
    lines.map(|line| line.trim_end().to_owned()).collect()
}

/// The steps of a game.
fn steps(input: &str) -> Vec<mtj::Event> {
    let (never, mut out) = (AtomicBool::new(false), Vec::new());
    let mut events = Vec::new();
    let see = |_, step| {
        if let Step::Mtj(event) = step {
            events.push(event);
        }
    };
    read(input).input.trace(0, RuleSet::Judge, &never, &mut out, see).expect("an end");
    events
}

/// A game from the hands at the start and the cards that are drawn then, in the order of drawing.
fn game(k: u32, lim: i64, likes: &[i64], hands: &[[u32; 5]], drawn: &[u32]) -> String {
    let dealt = (0..5).flat_map(|round| hands.iter().map(move |hand| hand[round]));
    let mut cards: Vec<u32> = dealt.chain(drawn.iter().copied()).collect();
    cards.reverse();
    let mut likes = likes.to_vec();
    likes.resize(k as usize, 0);
    let players = u32::try_from(hands.len()).expect("few players");
    Input::Mtj(mtj::Input { players, lim, likes, cards }).to_string()
}
