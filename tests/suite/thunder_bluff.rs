//! Thunder Bluff: hand-made games with given dice, a referee who follows random games, and inputs.

mod choices;
mod input;
mod referee;
mod rulings;

use std::sync::atomic::AtomicBool;

use simdrop::domain::{Outcome, RuleSet};
use simdrop::sim::thunder_bluff::{
    Action, Battle, Dice, Die, Event, NAMES, Seat, Spot, ThunderBluff, Unit,
};
use simdrop::sim::{Simulator, Stop, Tracing};

const ALICE: usize = 0;
const BOB: usize = 1;
const CAROL: usize = 2;
const DAVID: usize = 3;

/// A game as far as it was played.
struct Played {
    outcome: Result<Outcome, Stop>,
    events: Vec<Event>,
    out: String,
}

impl Played {
    fn seat(&self, player: usize) -> &Seat {
        &self.events.last().expect("a roll").seats[player]
    }

    fn last(&self) -> &Action {
        &self.events.last().expect("a roll").action
    }

    fn battles(&self) -> Vec<Battle> {
        let battle = |event: &Event| match event.action {
            Action::Battle(battle) => Some(battle),
            _ => None,
        };
        self.events.iter().filter_map(battle).collect()
    }
}

fn play(dice: impl IntoIterator<Item = Die>, rules: RuleSet) -> Played {
    let (mut events, mut out) = (Vec::new(), Vec::new());
    let mut observer = Tracing(|_, event| events.push(event));
    let never = AtomicBool::new(false);
    let outcome = ThunderBluff::play_dice(dice, rules, &mut observer, &never, &mut out);
    let out = String::from_utf8(out).expect("ASCII");
    Played { outcome, events, out }
}

fn play_seeds(seeds: [u32; 4], rules: RuleSet) -> Played {
    play(Dice::new(seeds), rules)
}

fn die(value: u32) -> Die {
    Die::of(value - 1)
}

/// Plays the dice of a script by the judge's rules: `A63 D5` lets Alice roll 6 and 3, then David 5.
/// Players who are passed over roll 1 and 2 in turns, which are skips while they have no piece.
fn script(text: &str) -> Played {
    script_by(RuleSet::Judge, text)
}

fn script_by(rules: RuleSet, text: &str) -> Played {
    let (mut dice, mut players) = (Vec::new(), Vec::new());
    let (mut turn, mut idle) = (0, [1, 1, 1, 1]);
    for word in text.split_whitespace() {
        let player = "ABCD".find(&word[..1]).expect("a player's letter");
        while turn % 4 != player {
            dice.push(idle[turn % 4]);
            players.push(turn % 4);
            idle[turn % 4] = 3 - idle[turn % 4];
            turn += 1;
        }
        for digit in word[1..].chars() {
            dice.push(digit.to_digit(10).expect("a die"));
            players.push(player);
        }
        turn += 1;
    }
    let played = play(dice.into_iter().map(die), rules);
    assert_eq!(played.outcome, Err(Stop::Undecided), "the dice run out");
    let rolls = played.events.iter().filter_map(|event| match event.action {
        Action::Roll { .. } => Some(event.player as usize - 1),
        _ => None,
    });
    assert_eq!(rolls.collect::<Vec<_>>(), players, "who rolls");
    played
}

fn on(spot: Spot, pieces: u8) -> Unit {
    Unit { spot, pieces }
}

#[test]
fn the_players_have_names() {
    assert_eq!(NAMES, ["Alice", "Bob", "Carol", "David"]);
    assert_eq!([1, 4].map(ThunderBluff::player), ["Alice", "David"]);
    assert_eq!([0, 5].map(ThunderBluff::player), ["player 0", "player 5"]);
}
