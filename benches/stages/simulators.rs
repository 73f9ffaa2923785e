//! Playing: items are the steps of a game, which are rolls, rounds or plays.

use std::sync::atomic::AtomicBool;

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use simdrop::domain::SimulatorId;
use simdrop::sim::Input;

use crate::inputs::{SIMULATORS, long};
use crate::played::{Played, read};

/// As a run plays.
#[divan::bench(args = SIMULATORS)]
fn play(bencher: Bencher<'_, '_>, simulator: SimulatorId) {
    let input = read(&long(simulator), simulator);
    let steps = ItemsCount::new(Played::new(&input).steps());
    bencher.counter(steps).bench(|| Played::new(&input));
}

/// As `trace` plays: somebody looks at each step.
#[divan::bench(args = SIMULATORS, sample_count = 10)]
fn trace(bencher: Bencher<'_, '_>, simulator: SimulatorId) {
    let input = read(&long(simulator), simulator);
    let steps = ItemsCount::new(Played::new(&input).steps());
    bencher.counter(steps).bench(|| traced(&input));
}

/// How many bytes of output there are.
fn traced(input: &Input) -> usize {
    let (rules, never) = (input.simulator().rules_or_default(None), AtomicBool::new(false));
    let mut output = Vec::new();
    for game in 0..input.games() {
        let see = |at, step| drop(black_box((at, step)));
        let ended = input.trace(game, rules, &never, &mut output, see);
        ended.expect("a game that ends");
    }
    output.len()
}
