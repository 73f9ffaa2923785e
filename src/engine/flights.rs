//! What the threads of the pool are playing right now, and how it is taken back.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::domain::{CaseId, RunId};

/// Takes a case back: whoever plays it looks here.
#[derive(Debug)]
pub(super) struct Recall {
    case: CaseId,
    flag: AtomicBool,
    overdue: AtomicBool,
}

impl Recall {
    pub(super) const fn new(case: CaseId) -> Self {
        Self { case, flag: AtomicBool::new(false), overdue: AtomicBool::new(false) }
    }

    /// What a budget looks at.
    pub(super) const fn flag(&self) -> &AtomicBool {
        &self.flag
    }

    pub(super) fn set(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Whether it was taken back because it took too long.
    pub(super) fn is_overdue(&self) -> bool {
        self.overdue.load(Ordering::Relaxed)
    }
}

/// What each thread of the pool has been playing since when.
#[derive(Debug)]
pub(super) struct Flights {
    threads: Vec<Mutex<Option<Flight>>>,
    cancelled: AtomicBool,
}

#[derive(Debug)]
struct Flight {
    begun: Instant,
    recall: Arc<Recall>,
    lost: bool,
}

/// Ends a flight when it is dropped.
pub(super) struct Landing<'a>(Option<&'a Mutex<Option<Flight>>>);

impl Drop for Landing<'_> {
    fn drop(&mut self) {
        if let Some(slot) = self.0 {
            *lock(slot) = None;
        }
    }
}

impl Flights {
    pub(super) fn new(threads: usize) -> Self {
        let threads = (0..threads).map(|_| Mutex::new(None)).collect();
        Self { threads, cancelled: AtomicBool::new(false) }
    }

    /// This thread of the pool begins to play something.
    pub(super) fn begin(&self, recall: &Arc<Recall>) -> Landing<'_> {
        let slot = rayon::current_thread_index().and_then(|at| self.threads.get(at));
        if let Some(slot) = slot {
            *lock(slot) =
                Some(Flight { begun: Instant::now(), recall: Arc::clone(recall), lost: false });
        }
        // Looked at after the flight is seen, so that a cancel in between reaches it one way or the other.
        if self.is_cancelled() {
            recall.set();
        }
        Landing(slot)
    }

    pub(super) fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
        for slot in &self.threads {
            if let Some(flight) = &*lock(slot) {
                flight.recall.set();
            }
        }
    }

    /// Takes back what is played of a run, or everything.
    pub(super) fn recall(&self, run: Option<RunId>) {
        for slot in &self.threads {
            if let Some(flight) = &*lock(slot)
                && run.is_none_or(|run| flight.recall.case.run == run)
            {
                flight.recall.set();
            }
        }
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Whether every thread has been playing something for longer than `backstop`.
    pub(super) fn is_stuck(&self, backstop: Duration) -> bool {
        let is_stuck = |flight: &Flight| flight.begun.elapsed() > backstop;
        self.threads.iter().all(|slot| lock(slot).as_ref().is_some_and(is_stuck))
    }

    /// Takes back what has been played for longer than `backstop`, and names each case, once for each
    /// thread, whose thread did not come back within `grace` after that.
    pub(super) fn watch(&self, backstop: Duration, grace: Duration) -> Vec<CaseId> {
        let mut lost = Vec::new();
        for slot in &self.threads {
            if let Some(flight) = &mut *lock(slot) {
                let elapsed = flight.begun.elapsed();
                if elapsed > backstop {
                    flight.recall.overdue.store(true, Ordering::Relaxed);
                    flight.recall.set();
                }
                if elapsed > backstop.saturating_add(grace) && !flight.lost {
                    flight.lost = true;
                    lost.push(flight.recall.case);
                }
            }
        }
        lost
    }
}

fn lock(slot: &Mutex<Option<Flight>>) -> MutexGuard<'_, Option<Flight>> {
    // Nothing under this lock panics half-way.
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}
