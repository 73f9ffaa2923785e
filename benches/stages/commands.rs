//! Whole commands, from the start of the process to its end.

use std::ffi::OsStr;

use divan::Bencher;
use divan::counter::ItemsCount;

use crate::place::{fill, place};
use crate::program::simdrop;

/// How many cases a folder has.
const CASES: u64 = 500;

/// What any command costs: it starts, reads its settings, and ends.
#[divan::bench(sample_count = 30, sample_size = 1)]
fn start_and_end(bencher: Bencher<'_, '_>) {
    let state = place();
    bencher.bench(|| simdrop(state.path(), ["doctor", "--config"]));
}

/// Takes in, plays, compares and stores a folder; items are cases.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn run_into_a_new_store(bencher: Bencher<'_, '_>) {
    let folder = place();
    fill(folder.path(), 1..=CASES);
    let run = [OsStr::new("run"), folder.path().as_os_str()];
    bencher.counter(ItemsCount::new(CASES)).with_inputs(place).bench_values(|state| {
        simdrop(state.path(), run);
        state
    });
}

/// The same when all is known; items are cases.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn run_again(bencher: Bencher<'_, '_>) {
    let (state, folder) = (place(), place());
    fill(folder.path(), 1..=CASES);
    let run = [OsStr::new("run"), folder.path().as_os_str()];
    simdrop(state.path(), run);
    bencher.counter(ItemsCount::new(CASES)).bench(|| simdrop(state.path(), run));
}
