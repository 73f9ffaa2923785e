//! The service: where taking in, playing and storing meet.
//!
//! A run goes through three parties that never wait for one another's work: a thread that reads files
//! and adds cases, the pool that plays them, and the writer that commits. The calling thread stands in
//! the middle: it receives every event, asks `dispatch` what follows, and does it.

mod answers;
mod asked;
mod check;
mod dispatch;
mod floor;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzzing;
mod guard;
mod handover;
mod host;
mod keep;
mod leftover;
mod lint;
mod load;
mod metrics;
mod plan;
mod play;
mod prune;
mod replay;
mod run;
mod serve;
mod slices;
mod take_in;
mod telling;
mod ticket;
mod trial;
mod verify;

pub use answers::{Answer, Answers, Fate};
pub use asked::{Ask, Reply};
pub use check::{Check, Checked};
pub use floor::Progress;
pub use handover::{HandoverError, hand_over};
pub use host::StopSignal;
pub use keep::Keeper;
pub use leftover::{is_alive, is_leftover};
pub use lint::{Finding, Level, Lint, lint};
pub use plan::{About, Names, Plan, Request};
pub use prune::{Pruned, prunable, too_many};
pub use replay::output_of;
pub use run::RunReport;
pub use serve::{Said, Served, Serving};
pub use trial::confine;
pub use verify::{Agreement, Given, Mismatch, Sample, Verified, Verify, Wrong, verify};

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use dispatch::{Event, UnderWay};
use host::Host;
use metrics::Metrics;
use plan::Asked;
use run::Work;
use telling::{span_of, span_of_run, tell};

use crate::config::{Config, ConfigError};
use crate::domain::{
    CaseId, Class, CompareMode, LogLevel, RunId, RunState, TimestampUs, Verdict, catching, chain,
};
use crate::engine::{Engine, EngineError};
use crate::ingest::IngestError;
use crate::store::{IfHeld, LogLine, Reader, Repeat, RunChoice, RunRecord, Store, StoreError};

/// The store, open for writing, with a pool to play on. Signals that ask to stop are heard from here on.
#[derive(Debug)]
pub struct Session {
    config: Config,
    store: Store,
    engine: Engine,
    host: Host,
    metrics: Arc<Metrics>,
}

/// What is to be played again of a run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Again {
    /// The verdicts of the cases that are meant.
    pub verdicts: Vec<Verdict>,
    /// What the new run is called.
    pub label: Option<String>,
    /// What else people find it by.
    pub tags: Vec<(String, String)>,
    /// How files are compared, if not as before.
    pub compare: Option<CompareMode>,
    /// Whether to play what is known, too.
    pub fresh: bool,
}

impl Session {
    /// Opens the store and starts the pool.
    ///
    /// # Errors
    /// [`ServiceError`]: the store is held, cannot be written or read; no threads.
    pub fn open(config: Config, if_held: IfHeld<'_>) -> Result<Self, ServiceError> {
        Self::open_on(Host::default(), config, if_held)
    }

    /// Opens the store to serve inboxes: from here on SIGHUP and SIGUSR1 are heard, too, and whoever started this
    /// process is told how far it is and asked for the time that it needs. A store that is held is refused,
    /// because the one who holds it may be a daemon that never ends.
    ///
    /// # Errors
    /// As [`Session::open`].
    pub fn open_to_serve(config: Config) -> Result<Self, ServiceError> {
        let host = Host::of_a_daemon().map_err(ServiceError::Signals)?;
        host.supervisor().status("opening the store");
        let state = config.state()?.to_owned();
        let is_usable = if state.is_dir() { serve::try_in(&state) } else { Ok(()) };
        let opened = is_usable.and_then(|()| Self::open_on(host.clone(), config, IfHeld::Refuse));
        opened.inspect_err(|error| host.supervisor().status(&chain(error)))
    }

    fn open_on(host: Host, config: Config, if_held: IfHeld<'_>) -> Result<Self, ServiceError> {
        let engine = Engine::new(config.jobs)?;
        let steps = Arc::clone(host.steps());
        let store = Store::open_counting(config.state()?, if_held, now(), steps)?;
        host.hear_stops().map_err(ServiceError::Signals)?;
        let metrics = Arc::new(Metrics::new()?);
        Ok(Self { config, store, engine, host, metrics })
    }

    /// Takes in and plays what a plan says, and returns when everything is committed.
    ///
    /// # Errors
    /// [`ServiceError`]: the store cannot be written, a thread was lost, a bug of ours.
    pub fn run(
        &self,
        plan: &Plan,
        watch: &mut dyn FnMut(Progress<'_>),
    ) -> Result<RunReport, ServiceError> {
        let run = self.store.writer().start_run(plan.new_run(now()))?;
        watch(Progress::Listed(plan.listing.entries.len() as u64));
        let way = plan.under_way(run, Class::High);
        self.work(Work { way, plan: Some(plan), skip: 0 }, watch)
    }

    /// Records something as a run in which nothing can be read as a case.
    ///
    /// # Errors
    /// [`ServiceError`]: the store cannot be written.
    pub fn reject(&self, request: &Request, reason: String) -> Result<RunId, ServiceError> {
        // Whoever asked is told by the answer.
        let reason = LogLine { at: now(), level: LogLevel::Error, message: reason };
        Ok(self.store.writer().reject_run(plan::rejected_run(request, now()), reason, false)?)
    }

    /// Goes on with a run that was interrupted. What it has not taken in yet is listed again; if that
    /// gives another list, the run ends with what it has, and the report says why.
    ///
    /// # Errors
    /// As [`Session::run`].
    pub fn resume(
        &self,
        run: RunId,
        watch: &mut dyn FnMut(Progress<'_>),
    ) -> Result<RunReport, ServiceError> {
        let record = self.record(run)?;
        let (plan, gone) = match self.list_again(&record)? {
            Some(Ok(plan)) => (Some(plan), None),
            Some(Err(reason)) => (None, Some(reason)),
            None => (None, None),
        };
        if let Some(reason) = &gone {
            let (at, level, message) = (now(), LogLevel::Warning, reason.clone());
            let line = LogLine { at, level, message };
            self.store.writer().end_list(run, vec![line], now())?;
        }
        let listed = plan.as_ref().map_or(record.total, |plan| plan.listing.entries.len() as u64);
        watch(Progress::Listed(listed - record.done));
        let skip = usize::try_from(record.total).unwrap_or(usize::MAX);
        let work = Work { way: UnderWay::of(&record), plan: plan.as_ref(), skip };
        Ok(RunReport { gone, is_resumed: true, ..self.work(work, watch)? })
    }

    /// Plays cases of a run again, as a new run that names it. `None`: it has no such cases.
    ///
    /// # Errors
    /// As [`Session::run`].
    pub fn repeat(
        &self,
        of: &RunRecord,
        again: &Again,
        watch: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Option<RunReport>, ServiceError> {
        self.repeat_run(of, again)?.map(|run| self.resume(run, watch)).transpose()
    }

    /// Makes the new run.
    fn repeat_run(&self, of: &RunRecord, again: &Again) -> Result<Option<RunId>, ServiceError> {
        let repeat = Repeat {
            of: of.id,
            verdicts: again.verdicts.clone(),
            label: again.label.clone(),
            tags: again.tags.clone(),
            asked: Asked::again(again.fresh).text(),
            compare: again.compare,
            at: now(),
        };
        Ok(self.store.writer().repeat_run(repeat)?)
    }

    /// What is to be played of a run whose list is complete; `None` if it is over.
    fn under_way(&self, run: RunId) -> Result<Option<UnderWay>, ServiceError> {
        let record = self.record(run)?;
        Ok((record.state == RunState::Open).then(|| UnderWay::of(&record)))
    }

    /// Who asked to stop, if anybody did.
    #[must_use]
    pub fn stopped(&self) -> Option<StopSignal> {
        self.host.stopped()
    }

    /// Writes everything back and ends the writer.
    pub fn close(self) {
        close(self.store);
    }

    fn record(&self, run: RunId) -> Result<RunRecord, ServiceError> {
        Ok(self.reader()?.run(&RunChoice::Id(run))?.ok_or(StoreError::Stopped)?)
    }

    fn reader(&self) -> Result<Reader, ServiceError> {
        Ok(Reader::open(self.config.state()?)?.ok_or(StoreError::Stopped)?)
    }

    /// What is missing of a run's list, as the list that it was; or why there is no such list any more. What
    /// cannot be read just now may be there again later.
    fn list_again(&self, record: &RunRecord) -> Result<Option<Result<Plan, String>>, IngestError> {
        if record.state != RunState::TakingIn {
            return Ok(None);
        }
        let missing = record.listed - record.total;
        let gone = |why: &str| Some(Err(format!("{missing} cases were never taken in: {why}")));
        Ok(match Plan::again(record, &self.config.limits).transpose()? {
            None => gone("what they came from cannot be listed again"),
            Some(plan) if Some(plan.list_hash()) != record.list_hash => {
                gone("what they came from has changed since")
            }
            Some(plan) => Some(Ok(plan)),
        })
    }
}

/// Writes everything back and ends the writer.
fn close(store: Store) {
    if let Err(error) = store.close() {
        // Everything is committed; the next writer writes the WAL back.
        tracing::warn!("the store was not closed cleanly: {error}");
    }
}

/// Runs a thread of ours; a panic in it is an error like any other.
fn catching_panics<T>(work: impl FnOnce() -> Result<T, ServiceError>) -> Result<T, ServiceError> {
    catching(work).unwrap_or_else(|message| Err(ServiceError::Panicked(message)))
}

/// The wall clock, for stored times only.
fn now() -> TimestampUs {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    TimestampUs(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}

/// What a party says: something happened, or it failed.
type Message = Result<Event, ServiceError>;

impl ServiceError {
    /// Whether it may pass by itself: a full disk, a directory that is gone for a while.
    fn may_pass(&self) -> bool {
        match self {
            Self::Store(error) => error.may_pass(),
            Self::Stored(_) | Self::Trial(_) => true,
            Self::Ingest(_)
            | Self::Config(_)
            | Self::Signals(_)
            | Self::ThreadLost(_)
            | Self::OutputLost { .. }
            | Self::Panicked(_)
            | Self::Place { .. }
            | Self::Unwritable { .. }
            | Self::Overlap { .. }
            | Self::StateMoved { .. }
            | Self::Metrics(_)
            | Self::Engine(_) => false,
        }
    }
}

/// Why a run could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// What was handed over.
    #[error(transparent)]
    Ingest(#[from] IngestError),
    /// Nothing says where the store is.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What the store keeps in chunks.
    #[error("the store cannot be read")]
    Stored(#[source] io::Error),
    /// A child process for a suspect.
    #[error("a suspect could not be played by a process of its own, which needs a temporary file")]
    Trial(#[source] io::Error),
    /// Signals cannot be heard.
    #[error("signals cannot be heard")]
    Signals(#[source] io::Error),
    /// A simulator does not come back; a bug of ours.
    #[error(
        "a bug of simdrop, please report it: a thread does not come back from case {0}; \
         `simdrop rerun {run}` plays it in a process of its own", run = .0.run
    )]
    ThreadLost(CaseId),
    /// An output that was dropped cannot be made again.
    #[error(
        "the output of case {case} was dropped to save room and cannot be made again: {reason}"
    )]
    OutputLost {
        /// The case.
        case: CaseId,
        /// Why.
        reason: String,
    },
    /// The program failed while taking in.
    #[error("a bug of simdrop, please report it: a thread failed with: {0}")]
    Panicked(String),
    /// A directory of the daemon cannot be used.
    #[error("{}", path.display())]
    Place {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The daemon cannot work in a directory.
    #[error("{}: files cannot be made, renamed and removed in it{advice}", path.display())]
    Unwritable {
        /// The directory.
        path: PathBuf,
        /// What lets it, under systemd.
        advice: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// What is put away would come in again.
    #[error("{} lies in the inbox {}; choose another inbox", path.display(), inbox.display())]
    Overlap {
        /// The inbox.
        inbox: PathBuf,
        /// The directory in it.
        path: PathBuf,
    },
    /// Other settings name another store.
    #[error(
        "it serves {}; for {} it has to be started again", from.display(), to.display()
    )]
    StateMoved {
        /// The state directory.
        from: PathBuf,
        /// That of the settings.
        to: PathBuf,
    },
    /// Numbers for monitoring that do not fit together.
    #[error("a bug of simdrop, please report it: {0}")]
    Metrics(#[from] prometheus::Error),
    /// The pool.
    #[error(transparent)]
    Engine(#[from] EngineError),
}
