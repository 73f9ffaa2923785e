//! Inputs of the simulators.

use std::fmt::Write;
use std::sync::atomic::AtomicBool;

use crate::domain::{CaseError, Outcome, RuleSet};
use crate::sim::{Budget, Census, Observer, Silent, Simulator, Stop, Text, Tracing};

/// How many games of an input are played, and how many steps of each.
const GAMES: u64 = 3;
const STEPS: u64 = 2_000;

/// An input that is read prints as one that reads the same, is recognised, and plays the same whether or not
/// somebody looks.
pub(super) fn check<S: Simulator>(bytes: &[u8]) {
    let Ok(input) = read::<S>(bytes) else { return };
    assert!(recognised(&[bytes]).contains(&S::ID), "read and not recognised");
    let (half, rest) = bytes.split_at(bytes.len() / 2);
    assert_eq!(recognised(&[bytes]), recognised(&[half, rest]), "recognised by parts otherwise");
    let printed = input.to_string();
    assert!(read::<S>(printed.as_bytes()).as_ref() == Ok(&input), "printed as {printed:?}");
    for game in 0..S::games(&input).min(GAMES) {
        S::RULE_SETS.iter().for_each(|&rules| check_game::<S>(&input, game, rules));
    }
}

fn read<S: Simulator>(bytes: &[u8]) -> Result<S::Input, CaseError> {
    let text = Text::check(bytes)?;
    let mut numbers = text.numbers(S::expected_tokens(text.head()))?;
    S::parse(&mut numbers)
}

fn recognised(parts: &[&[u8]]) -> Vec<crate::domain::SimulatorId> {
    let mut census = Census::default();
    parts.iter().for_each(|part| census.feed(part));
    census.candidates()
}

fn check_game<S: Simulator>(input: &S::Input, game: u64, rules: RuleSet) {
    let unseen = play::<S, _>(input, game, rules, &mut Silent);
    let mut account = String::new();
    let mut observer = Tracing(|output_bytes, event: S::Event| {
        account.clear();
        let _ = write!(account, "{output_bytes} {event}");
        assert!(serde_json::to_string(&event).is_ok(), "a step without a JSON form");
    });
    let seen = play::<S, _>(input, game, rules, &mut observer);
    assert!(unseen == seen, "game {game} by {rules} goes otherwise when somebody looks");
}

fn play<S: Simulator, O: Observer<S::Event>>(
    input: &S::Input,
    game: u64,
    rules: RuleSet,
    observer: &mut O,
) -> Result<(Outcome, Vec<u8>), Stop> {
    let never = AtomicBool::new(false);
    let mut out = Vec::new();
    let mut budget = Budget::new(STEPS, &never);
    let outcome = S::play(input, game, rules, observer, &mut budget, &mut out)?;
    Ok((outcome, out))
}
