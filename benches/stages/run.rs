//! A run on its way into the store, one verb of the writer at a time. Each waits for its commit.

use std::sync::mpsc;

use simdrop::domain::{RunId, SimulatorId, TimestampUs};
use simdrop::store::{Claim, Claimed, Finished, IfHeld, NewCase, Store, StoreError, Writer};

use crate::case::new_run;
use crate::place::place;

/// No clock is asked.
pub(crate) const NOW: TimestampUs = TimestampUs(1_700_000_000_000_000);

/// Lends a new store that is open for writing.
pub(crate) fn with_store(work: impl FnOnce(&Store)) {
    let place = place();
    let store = Store::open(place.path(), IfHeld::Refuse, NOW).expect("a store");
    work(&store);
    store.close().expect("a clean end");
}

/// A run whose list has no end yet.
pub(crate) struct Run {
    writer: Writer,
    id: RunId,
}

impl Run {
    /// Starts one.
    pub(crate) fn new(store: &Store) -> Self {
        let writer = store.writer();
        let id = writer.start_run(new_run()).expect("a run");
        Self { writer, id }
    }

    /// Adds its cases.
    pub(crate) fn add(&self, cases: Vec<NewCase>) {
        wait(|answer| self.writer.add_cases(self.id, 0, cases, NOW, answer));
    }

    /// Takes all of them.
    pub(crate) fn claim(&self) -> Vec<Claimed> {
        let claim = Claim {
            run: self.id,
            most: u32::MAX,
            bytes: usize::MAX,
            version: SimulatorId::version,
            fresh: false,
        };
        wait(|answer| self.writer.claim(claim, answer))
    }

    /// Ends them.
    pub(crate) fn finish(&self, cases: Vec<Finished>) {
        wait(|answer| self.writer.finish(self.id, cases, || NOW, answer));
    }
}

/// What the writer calls with the outcome of a commit.
type Answer<T> = Box<dyn FnOnce(Result<T, StoreError>) + Send>;

/// Asks, and waits for the answer.
fn wait<T: Send + 'static>(ask: impl FnOnce(Answer<T>)) -> T {
    let (sender, answer) = mpsc::channel();
    ask(Box::new(move |done| drop(sender.send(done))));
    answer.recv().unwrap_or(Err(StoreError::Stopped)).expect("a commit")
}

/// Has so many small runs taken in as wholes, all asked for before the first is there.
pub(crate) fn admit(store: &Store, runs: Vec<Vec<NewCase>>) {
    let (writer, asked) = (store.writer(), runs.len());
    let (sender, answers) = mpsc::channel();
    for cases in runs {
        let sender = sender.clone();
        let answer = move |done: Result<_, StoreError>| drop(sender.send(done.map(drop)));
        writer.admit_run(new_run(), cases, Vec::new(), answer);
    }
    answers.iter().take(asked).for_each(|done| done.expect("a commit"));
}
