//! The engine: a pool of threads that plays cases.
//!
//! The unit on the pool is a slice: one case, or up to [`SLICE_GAMES`] games of one case. A case of many
//! games hands its slices on, in order, while it is played, so that it never is in memory as a whole; a
//! slice that was handed on and done with makes room for the next one, behind what waits by then. What is
//! more urgent goes before everything that no thread has begun. Workers own what they are handed, hold no
//! lock while they play, and know neither files nor the store. A panic is caught around each slice and
//! becomes the verdict of its case. What takes longer than it should is taken back ([`Engine::watch`]).

mod case;
mod flights;
mod judge;
mod many;
mod pool;

pub(crate) use case::too_many_games;
pub use case::{Evaluation, Job, Played, Slice};
pub use judge::KnownOutput;
pub use many::{Many, Permit, PlayedMany, Sink};

use std::io;
use std::sync::Arc;
use std::time::Duration;

use case::Playing;
use flights::Flights;
use pool::Pool;

use crate::domain::{Body, CaseId, Class, CompareMode, RunId};

/// How many games of one case are played in a row on one thread.
pub const SLICE_GAMES: u64 = 4096;

/// A pool of threads that plays cases.
#[derive(Debug, Clone)]
pub struct Engine {
    pool: Pool,
    flights: Arc<Flights>,
}

/// What a job came to.
pub enum Begun {
    /// It is evaluated.
    Done(Evaluation),
    /// It has many games, and waits for somebody who takes their slices.
    Many(Many),
}

impl Engine {
    /// Starts `threads` threads.
    ///
    /// # Errors
    /// The system does not give that many threads.
    pub fn new(threads: usize) -> Result<Self, EngineError> {
        Ok(Self { pool: Pool::new(threads)?, flights: Arc::new(Flights::new(threads)) })
    }

    /// Takes back what is played: cases end soon, as cancelled.
    pub fn cancel(&self) {
        self.flights.cancel();
    }

    /// Takes back what is played of a run just now.
    pub fn recall(&self, run: RunId) {
        self.flights.recall(Some(run));
    }

    /// Takes back what is played just now.
    pub fn recall_all(&self) {
        self.flights.recall(None);
    }

    /// Whether everything was taken back.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.flights.is_cancelled()
    }

    /// Takes back what has been played for longer than `backstop`: it ends soon, as overdue. Names each
    /// case, once for each thread, whose thread has not come back `grace` after that: both are lost.
    #[must_use]
    pub fn watch(&self, backstop: Duration, grace: Duration) -> Vec<CaseId> {
        self.flights.watch(backstop, grace)
    }

    /// Whether no thread has come back for longer than `backstop`.
    #[must_use]
    pub fn is_stuck(&self, backstop: Duration) -> bool {
        self.flights.is_stuck(backstop)
    }

    /// Plays a case, behind those of its class that were submitted before, and calls `then` from a thread
    /// of the pool; with an error if what keeps its bytes cannot be read.
    pub fn submit(&self, job: Job, then: impl FnOnce(io::Result<Begun>) + Send + 'static) {
        let engine = self.clone();
        self.pool.spawn(job.class, move || then(engine.begin(job)));
    }

    fn begin(self, job: Job) -> io::Result<Begun> {
        let class = job.class;
        match Playing::begin(job, self.flights)? {
            Err(evaluation) => Ok(Begun::Done(*evaluation)),
            Ok(playing) if playing.games() <= SLICE_GAMES => playing.play_all().map(Begun::Done),
            Ok(playing) => Ok(Begun::Many(Many::new(playing, class, self.pool))),
        }
    }

    /// Judges a result that is known, as [`Engine::submit`] does.
    pub fn judge(
        &self,
        class: Class,
        known: KnownOutput,
        compared: Option<Body>,
        mode: CompareMode,
        then: impl FnOnce(io::Result<Evaluation>) + Send + 'static,
    ) {
        self.pool.spawn(class, move || then(case::answer(&known, compared.as_ref(), mode)));
    }

    /// Does something else on a thread of the pool, behind what was submitted of that class before.
    pub fn spawn(&self, class: Class, work: impl FnOnce() + Send + 'static) {
        self.pool.spawn(class, work);
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
