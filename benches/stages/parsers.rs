//! From bytes to an input.

use divan::Bencher;
use divan::counter::BytesCount;
use simdrop::domain::SimulatorId;
use simdrop::sim::{self, Census};

use crate::inputs::{SIMULATORS, long, small};

/// What a player does first: all checks, and the numbers as the game has them.
#[divan::bench(args = SIMULATORS)]
fn read(bencher: Bencher<'_, '_>, simulator: SimulatorId) {
    let text = long(simulator);
    let bytes = BytesCount::of_slice(&text);
    bencher.counter(bytes).bench(|| sim::read(&text, Some(simulator)));
}

/// What taking in does with an input that no name tells the simulator of.
#[divan::bench(args = SIMULATORS)]
fn recognise(bencher: Bencher<'_, '_>, simulator: SimulatorId) {
    let text = long(simulator);
    let bytes = BytesCount::of_slice(&text);
    bencher.counter(bytes).bench(|| sim::identify(&text, None));
}

/// The same for one that has some bytes only, as most have.
#[divan::bench]
fn recognise_small(bencher: Bencher<'_, '_>) {
    let text = small(1);
    bencher.counter(BytesCount::of_slice(&text)).bench(|| sim::identify(&text, None));
}

/// What it does with one that is too large for memory, part by part.
#[divan::bench(args = SIMULATORS)]
fn census(bencher: Bencher<'_, '_>, simulator: SimulatorId) {
    let text = long(simulator);
    bencher.counter(BytesCount::of_slice(&text)).bench(|| {
        let mut census = Census::default();
        text.chunks(64 << 10).for_each(|part| census.feed(part));
        census.candidates()
    });
}
