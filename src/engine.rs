//! The engine: a pool of threads that plays cases.
//!
//! The unit on the pool is a slice: one case, or up to [`SLICE_GAMES`] games of one case, merged in
//! order. A slice that is done puts the next one of its case behind what waits by then, so a large case
//! keeps every thread busy and shuts nobody out. Workers own what they are handed, hold no lock while
//! they play, and know neither files nor the store. A panic is caught around each slice and becomes the
//! verdict of its case.

mod case;
mod split;

pub use case::{Evaluation, Job, KnownOutput, Played};
pub use split::SLICE_GAMES;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use case::Playing;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Simulators do not recurse, so this is far more than they need.
const STACK_BYTES: usize = 4 << 20;

/// A pool of threads that plays cases.
#[derive(Debug)]
pub struct Engine {
    pool: ThreadPool,
    cancel: Arc<AtomicBool>,
}

impl Engine {
    /// Starts `threads` threads.
    ///
    /// # Errors
    /// The system does not give that many threads.
    pub fn new(threads: usize) -> Result<Self, EngineError> {
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .stack_size(STACK_BYTES)
            .thread_name(|number| format!("player-{number}"))
            .build()
            .map_err(|error| EngineError { threads, reason: error.to_string() })?;
        Ok(Self { pool, cancel: Arc::new(AtomicBool::new(false)) })
    }

    /// Takes back what is played: cases end soon, as cancelled.
    pub fn cancel(&self) {
        self.cancel.store(true, Ordering::Relaxed);
    }

    /// Whether everything was taken back.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// Plays a case, behind those that were submitted before, and calls `done` from a thread of the
    /// pool.
    pub fn submit(&self, job: Job, done: impl FnOnce(Evaluation) + Send + 'static) {
        let cancel = Arc::clone(&self.cancel);
        self.pool.spawn_fifo(move || match Playing::begin(job, cancel) {
            Err(evaluation) => done(*evaluation),
            Ok(playing) if playing.input.games() <= SLICE_GAMES => {
                let slice = playing.play(0, playing.input.games());
                done(playing.conclude([slice]));
            }
            Ok(playing) => split::play(playing, Box::new(done)),
        });
    }
}

/// The system does not give that many threads.
#[derive(Debug, thiserror::Error)]
#[error("{threads} threads to play on could not be started: {reason}")]
pub struct EngineError {
    /// How many were asked for.
    pub threads: usize,
    /// What the system said.
    pub reason: String,
}
