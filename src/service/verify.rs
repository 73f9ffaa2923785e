//! Stored inputs played again: whether this build gives what is stored. Nothing is changed.

mod replay;
mod results;

pub use results::Sample;

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use super::host::Host;
use super::{ServiceError, StopSignal};
use crate::config::Config;
use crate::domain::{CaseError, CaseId, ContentHash};
use crate::engine::Engine;
use crate::store::{Query, Reader, ResultKey, StoreError};
use replay::replay;
use results::{Results, Stored};

/// How often the pool is looked at, and a signal.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// What playing an input gives: the hash of its output, or why none is claimed.
pub type Given = Result<ContentHash, CaseError>;

/// What is played again: each result once, however many cases it answers.
#[derive(Debug)]
pub struct Verify {
    /// The cases whose results are meant.
    pub query: Query,
    /// A part of the results; all of them if not given.
    pub sample: Option<Sample>,
}

/// How a stored result and this build's compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// The same version gives the same.
    Same,
    /// Another version of the simulator gives the same.
    Unchanged,
    /// Another version of the simulator gives something else.
    Changed,
    /// The same version gives something else: a bug of ours, or a damaged store.
    Differs,
    /// The store cannot be read there.
    Damaged,
}

impl Agreement {
    /// Every one, the good ones first.
    pub const ALL: [Self; 5] =
        [Self::Same, Self::Unchanged, Self::Changed, Self::Differs, Self::Damaged];

    /// The name people and scripts see.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Unchanged => "unchanged",
            Self::Changed => "changed",
            Self::Differs => "differs",
            Self::Damaged => "damaged",
        }
    }
}

/// How far it is, and at the end how it went.
#[derive(Debug, Clone, Copy, Default)]
pub struct Verified {
    /// How many cases were looked at that the query is about.
    pub cases: u64,
    /// How many results compare so, in the order of [`Agreement::ALL`].
    pub results: [u64; Agreement::ALL.len()],
    /// The oldest case that was looked at; the newest come first.
    pub reached: Option<CaseId>,
    /// Who stopped it, if anybody did.
    pub stopped: Option<StopSignal>,
}

impl Verified {
    /// How many results compare so.
    #[must_use]
    pub const fn count(&self, agreement: Agreement) -> u64 {
        self.results[agreement as usize]
    }

    /// How many results were compared.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.results.iter().sum()
    }
}

/// A result that this build does not give.
#[derive(Debug)]
pub struct Mismatch {
    /// The newest case with this result.
    pub case: CaseId,
    /// What is wrong.
    pub what: Wrong,
}

/// What is wrong with a result.
#[derive(Debug)]
pub enum Wrong {
    /// It is not what this build gives.
    Another {
        /// What identifies the stored one.
        key: ResultKey,
        /// What is stored.
        stored: Given,
        /// What this build gives.
        given: Given,
    },
    /// It cannot be compared.
    Damaged(String),
}

impl Mismatch {
    /// How it compares.
    #[must_use]
    pub const fn agreement(&self) -> Agreement {
        match &self.what {
            Wrong::Another { key, .. } if key.version == key.simulator.version() => {
                Agreement::Differs
            }
            Wrong::Another { .. } => Agreement::Changed,
            Wrong::Damaged(_) => Agreement::Damaged,
        }
    }
}

/// Plays results again, as many at a time as there are threads; `watch` hears how far it is, and of each
/// mismatch.
///
/// # Errors
/// [`ServiceError`]: the store cannot be read at all, no threads, a thread was lost.
pub fn verify(
    config: &Config,
    reader: &Reader,
    verify: &Verify,
    watch: &mut dyn FnMut(&Verified, Option<Mismatch>),
) -> Result<Verified, ServiceError> {
    let (sender, replays) = mpsc::channel();
    Verifying {
        config,
        host: Host::start().map_err(ServiceError::Signals)?,
        engine: Engine::new(config.jobs)?,
        results: Results::new(reader, verify),
        sender,
        replays,
        in_flight: 0,
        so_far: Verified::default(),
        watch,
    }
    .run()
}

/// A result that was played again; what it gave is `None` if it was taken back.
type Replay = (Stored, Result<Option<Given>, String>);

struct Verifying<'a> {
    config: &'a Config,
    host: Host,
    engine: Engine,
    results: Results<'a>,
    sender: Sender<Replay>,
    replays: Receiver<Replay>,
    in_flight: usize,
    so_far: Verified,
    watch: &'a mut dyn FnMut(&Verified, Option<Mismatch>),
}

impl Verifying<'_> {
    fn run(mut self) -> Result<Verified, ServiceError> {
        loop {
            self.look()?;
            let is_fed = self.so_far.stopped.is_some() || self.results.is_over();
            if is_fed && self.in_flight == 0 {
                return Ok(self.so_far);
            }
            // A thread plays one, and another one waits for it.
            if is_fed || self.in_flight >= 2 * self.config.jobs {
                self.wait()?;
            } else {
                self.feed()?;
            }
        }
    }

    /// Takes everything back if somebody asked to stop, and what takes too long.
    fn look(&mut self) -> Result<(), ServiceError> {
        if self.so_far.stopped.is_none() && self.host.stopped().is_some() {
            self.so_far.stopped = self.host.stopped();
            self.engine.cancel();
        }
        let settings = &self.config.engine;
        match self.engine.watch(settings.backstop, settings.grace).first() {
            Some(&lost) => Err(ServiceError::ThreadLost(lost)),
            None => Ok(()),
        }
    }

    /// Hands the next result to the pool, or looks further for one.
    fn feed(&mut self) -> Result<(), ServiceError> {
        match self.results.next()? {
            Some(Ok((stored, input))) => {
                self.in_flight += 1;
                let sender = self.sender.clone();
                replay(&self.engine, &stored.clone(), input, move |given| {
                    let _ = sender.send((stored, given));
                });
            }
            Some(Err((case, reason))) => self.note_damage(case, reason),
            None => {}
        }
        (self.so_far.cases, self.so_far.reached) = (self.results.cases, self.results.reached);
        (self.watch)(&self.so_far, None);
        Ok(())
    }

    fn wait(&mut self) -> Result<(), ServiceError> {
        match self.replays.recv_timeout(LOOK_EVERY) {
            Ok((stored, given)) => {
                self.in_flight -= 1;
                match given {
                    Ok(Some(given)) => self.compare(stored, given),
                    Ok(None) => {}
                    Err(reason) => self.note_damage(stored.case, reason),
                }
                Ok(())
            }
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => Err(StoreError::Stopped.into()),
        }
    }

    fn compare(&mut self, Stored { case, key, given: stored }: Stored, given: Given) {
        if stored != given {
            let what = Wrong::Another { key, stored, given };
            return self.note(Mismatch { case, what });
        }
        let is_same = key.version == key.simulator.version();
        let agreement = if is_same { Agreement::Same } else { Agreement::Unchanged };
        self.so_far.results[agreement as usize] += 1;
        (self.watch)(&self.so_far, None);
    }

    fn note_damage(&mut self, case: CaseId, reason: String) {
        self.note(Mismatch { case, what: Wrong::Damaged(reason) });
    }

    fn note(&mut self, mismatch: Mismatch) {
        self.so_far.results[mismatch.agreement() as usize] += 1;
        (self.watch)(&self.so_far, Some(mismatch));
    }
}
