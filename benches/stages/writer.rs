//! The verbs of the writer, each with its commit: what is measured ends with the answer, which waits for the disk where
//! somebody is told that something has begun or ended.

use divan::Bencher;
use divan::counter::ItemsCount;
use simdrop::store::{Finished, NewCase};

use crate::case::{ended, new_cases, new_run};
use crate::inputs::{seeds, small};
use crate::run::{Run, admit, with_store};

/// How many cases one request holds.
const CASES: u64 = 256;

/// How many requests one transaction may hold.
const GROUP: u64 = 64;

/// How many games of one case are stored at a time.
const GAMES: u64 = 4096;

/// Cases of inputs that no store has yet: the numbers go on from call to call.
#[derive(Default)]
struct Fresh(u64);

impl Fresh {
    fn cases(&mut self, most: u64) -> Vec<NewCase> {
        let first = self.0;
        self.0 += most;
        new_cases((first..self.0).map(small))
    }

    /// A run that has such cases.
    fn added(&mut self, run: Run) -> Run {
        run.add(self.cases(CASES));
        run
    }
}

/// One small request alone: what a commit costs.
#[divan::bench(sample_count = 50, sample_size = 1)]
fn start_run(bencher: Bencher<'_, '_>) {
    with_store(|store| {
        let writer = store.writer();
        bencher.with_inputs(new_run).bench_values(|run| writer.start_run(run));
    });
}

/// Items are cases.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn add(bencher: Bencher<'_, '_>) {
    with_store(|store| {
        let mut fresh = Fresh::default();
        bencher
            .counter(ItemsCount::new(CASES))
            .with_inputs(|| (Run::new(store), fresh.cases(CASES)))
            .bench_local_values(|(run, cases)| run.add(cases));
    });
}

/// Cases whose inputs and answers the store has; items are cases.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn add_known(bencher: Bencher<'_, '_>) {
    with_store(|store| {
        Fresh::default().added(Run::new(store));
        bencher
            .counter(ItemsCount::new(CASES))
            .with_inputs(|| (Run::new(store), Fresh::default().cases(CASES)))
            .bench_local_values(|(run, cases)| run.add(cases));
    });
}

/// Items are cases.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn claim(bencher: Bencher<'_, '_>) {
    with_store(|store| {
        let mut fresh = Fresh::default();
        bencher
            .counter(ItemsCount::new(CASES))
            .with_inputs(|| fresh.added(Run::new(store)))
            .bench_local_values(|run| run.claim());
    });
}

/// With new results of one game each; items are cases.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn finish(bencher: Bencher<'_, '_>) {
    with_store(|store| {
        let mut fresh = Fresh::default();
        bencher
            .counter(ItemsCount::new(CASES))
            .with_inputs(|| played(fresh.added(Run::new(store))))
            .bench_local_values(|(run, ended)| run.finish(ended));
    });
}

/// Cases that the store answers; items are cases.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn finish_known(bencher: Bencher<'_, '_>) {
    with_store(|store| {
        let (run, ended) = played(Fresh::default().added(Run::new(store)));
        run.finish(ended);
        bencher
            .counter(ItemsCount::new(CASES))
            .with_inputs(|| played(Fresh::default().added(Run::new(store))))
            .bench_local_values(|(run, ended)| run.finish(ended));
    });
}

/// One case with many games; items are games.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn finish_many_games(bencher: Bencher<'_, '_>) {
    with_store(|store| {
        let mut inputs = (0..).step_by(1 << 12).map(|first| seeds(first, GAMES));
        let added = || {
            let run = Run::new(store);
            run.add(new_cases(inputs.by_ref().take(1)));
            played(run)
        };
        bencher
            .counter(ItemsCount::new(GAMES))
            .with_inputs(added)
            .bench_local_values(|(run, ended)| run.finish(ended));
    });
}

/// Small runs that come together, as those of an inbox do; items are runs.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn admit_small_runs(bencher: Bencher<'_, '_>) {
    with_store(|store| {
        let mut fresh = Fresh::default();
        bencher
            .counter(ItemsCount::new(GROUP))
            .with_inputs(|| (0..GROUP).map(|_| fresh.cases(1)).collect())
            .bench_local_values(|runs| admit(store, runs));
    });
}

/// Claims all cases of a run, and plays those that are not known.
fn played(run: Run) -> (Run, Vec<Finished>) {
    let claimed = run.claim();
    let ended = claimed.into_iter().map(ended).collect();
    (run, ended)
}
