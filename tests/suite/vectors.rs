//! The checked cases: each simulator's output equals the answer byte for byte.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use simdrop::compare::{Expected, compare};
use simdrop::domain::{Body, CompareMode, RuleSet, SimulatorId, Verdict};
use simdrop::sim;

/// Plays all games of an input and returns the judge's output.
pub(crate) fn play(input: &[u8], simulator: SimulatorId, rules: RuleSet) -> Vec<u8> {
    let reading = sim::read(input, Some(simulator)).expect("a valid input");
    let never = AtomicBool::new(false);
    let mut out = Vec::new();
    for game in 0..reading.input.games() {
        reading.input.play(game, rules, &never, &mut out).expect("no stop");
    }
    out
}

/// The names in a folder, in any order.
pub(crate) fn tree(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    entries.map(|entry| PathBuf::from(entry.expect("an entry").file_name())).collect()
}

/// The `.in` files of a folder with their answers, in any order.
fn pairs(folder: &Path) -> Vec<(PathBuf, PathBuf)> {
    let paths = tree(folder).into_iter().map(|name| folder.join(name));
    let inputs = paths.filter(|path| path.extension().is_some_and(|ext| ext == "in"));
    inputs.map(|input| (input.clone(), input.with_extension("ans"))).collect()
}

fn check_folder(folder: &Path, simulator: SimulatorId, rules: RuleSet, least: usize) {
    let pairs = pairs(folder);
    assert!(pairs.len() >= least, "{} cases in {}", pairs.len(), folder.display());
    for (input, answer) in pairs {
        let played = play(&fs::read(&input).expect("an input"), simulator, rules);
        let wanted = fs::read(&answer).expect("an answer");
        assert!(played == wanted, "{} differs from its answer", input.display());
    }
}

fn check_vectors(name: &str, simulator: SimulatorId, rules: RuleSet, least: usize) {
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    check_folder(&vectors.join(name), simulator, rules, least);
}

#[test]
fn stellar_connect_equals_every_vector() {
    check_vectors("stellar-connect", SimulatorId::StellarConnect, RuleSet::Judge, 104);
}

#[test]
fn thunder_bluff_equals_every_vector() {
    check_vectors("thunder-bluff", SimulatorId::ThunderBluff, RuleSet::Judge, 101);
}

#[test]
fn thunder_bluff_by_the_statement_equals_every_vector() {
    let rules = RuleSet::Statement;
    check_vectors("thunder-bluff.statement", SimulatorId::ThunderBluff, rules, 20);
}

#[test]
fn mtj_equals_every_vector() {
    check_vectors("mtj", SimulatorId::Mtj, RuleSet::Judge, 102);
}

#[test]
fn stellar_connect_equals_the_official_cases() {
    let Some(official) = std::env::var_os("SIMDROP_OFFICIAL") else {
        eprintln!(
            "SKIPPED: SIMDROP_OFFICIAL is not set, so the contest's own cases were not tried"
        );
        return;
    };
    let pairs = pairs(&Path::new(&official).join("stellar-connect"));
    assert_eq!(pairs.len(), 100);
    for (input, answer) in pairs {
        let played =
            play(&fs::read(&input).expect("an input"), SimulatorId::StellarConnect, RuleSet::Judge);
        // The contest's files end their lines in CR LF, some after blanks.
        let wanted = fs::read(&answer).expect("an answer");
        let [played, wanted] = [played, wanted].map(Body::Bytes);
        let compared = compare(Expected::Text(&played), &wanted, CompareMode::Lines);
        let (verdict, _) = compared.expect("bytes in memory");
        assert_eq!(verdict, Verdict::Ac, "{}", input.display());
    }
}
