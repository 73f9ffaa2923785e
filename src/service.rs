//! The service: where taking in, playing and storing meet.
//!
//! A run goes through three parties that never wait for one another's work: a thread that reads files
//! and adds cases, the pool that plays them, and the writer that commits. The calling thread stands in
//! the middle: it receives every event, asks `dispatch` what follows, and does it.

mod dispatch;
mod finish;
mod take_in;

use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use dispatch::{Dispatch, Effect, Event};

use crate::config::Limits;
use crate::domain::{LogLevel, RuleSet, RunId, SimulatorId, TimestampUs, Verdict, catching};
use crate::engine::{Engine, EngineError};
use crate::ingest::{self, Choices, IngestError, Listing, Origin};
use crate::store::{IfHeld, LogLine, NewRun, Store, StoreError};

/// What is to be run.
#[derive(Debug, Clone)]
pub struct RunRequest {
    /// The state directory.
    pub state: PathBuf,
    /// The folder with the inputs.
    pub folder: PathBuf,
    /// The simulator of all inputs, if somebody says so.
    pub simulator: Option<SimulatorId>,
    /// The rule set, for the simulators that have it.
    pub rules: Option<RuleSet>,
    /// What the run is called.
    pub label: Option<String>,
    /// How many threads play.
    pub jobs: usize,
    /// How much is taken in at most.
    pub limits: Limits,
    /// Whether to wait while another process holds the store.
    pub wait: bool,
}

/// What a run is up to, for whoever watches.
#[derive(Debug, Clone, Copy)]
pub enum Progress<'a> {
    /// Another process, this one, holds the store.
    Waiting(&'a str),
    /// The list is frozen: so many cases.
    Listed(u64),
    /// A case is done.
    Done(Verdict),
}

/// How taking in went.
#[derive(Debug)]
pub struct RunReport {
    /// The run.
    pub run: RunId,
    /// Its list.
    pub listing: Listing,
}

/// Evaluates a folder and returns when everything is committed.
///
/// # Errors
/// [`ServiceError`]: the folder cannot be listed, the store cannot be written, no threads.
pub fn run(
    request: &RunRequest,
    watch: &mut dyn FnMut(Progress<'_>),
) -> Result<RunReport, ServiceError> {
    let origin = Origin::Folder(request.folder.clone());
    let choices = Choices { simulator: request.simulator, ..Choices::default() };
    let limits = request.limits;
    let listing = ingest::list(&origin, &choices, &limits)?;
    let engine = Engine::new(request.jobs)?;
    let mut waiting = |holder: &str| watch(Progress::Waiting(holder));
    let if_held = if request.wait { IfHeld::Wait(&mut waiting) } else { IfHeld::Refuse };
    let store = Store::open(&request.state, if_held, now())?;
    let label = request.label.clone();
    let run = store.start_run(NewRun { label, source: take_in::source(request), at: now() })?;
    watch(Progress::Listed(listing.entries.len() as u64));
    let played = Parties { store: &store, engine: &engine, run }.play(request, &listing, watch);
    let closed = store.close();
    played?;
    if let Err(error) = closed {
        // Everything is committed; the next writer writes the WAL back.
        tracing::warn!("the store was not closed cleanly: {error}");
    }
    Ok(RunReport { run, listing })
}

/// Those who work on a run.
#[derive(Clone, Copy)]
struct Parties<'a> {
    store: &'a Store,
    engine: &'a Engine,
    run: RunId,
}

/// What a party says: something happened, or it failed.
type Message = Result<Event, ServiceError>;

impl Parties<'_> {
    /// Takes in on a thread of its own and handles events until all is done.
    fn play(
        self,
        request: &RunRequest,
        listing: &Listing,
        watch: &mut dyn FnMut(Progress<'_>),
    ) -> Result<(), ServiceError> {
        let (sender, events) = mpsc::channel();
        thread::scope(|scope| {
            let taking_in = sender.clone();
            scope.spawn(move || {
                let ended = catching(|| self.take_in(request, listing, &taking_in))
                    .unwrap_or_else(|message| Err(ServiceError::Panicked(message)));
                let _ = taking_in.send(ended.map(|()| Event::ListEnded));
            });
            let handled = self.handle_events(&events, &sender, watch);
            if handled.is_err() {
                // Nobody needs the rest any more: neither the pool's nor the reading thread's.
                self.engine.cancel();
            }
            handled
        })
    }

    fn take_in(
        self,
        request: &RunRequest,
        listing: &Listing,
        events: &Sender<Message>,
    ) -> Result<(), ServiceError> {
        let events = events.clone();
        let added = move |queued, refused| drop(events.send(Ok(Event::Added { queued, refused })));
        let wanted = listing.entries.iter().take_while(|_| !self.engine.is_cancelled());
        take_in::take_in(self.store, self.run, wanted, request, added)?;
        if self.engine.is_cancelled() {
            return Ok(());
        }
        Ok(self.store.end_list(self.run, about(listing), now())?)
    }

    fn handle_events(
        self,
        events: &Receiver<Message>,
        sender: &Sender<Message>,
        watch: &mut dyn FnMut(Progress<'_>),
    ) -> Result<(), ServiceError> {
        let mut dispatch = Dispatch::default();
        while !dispatch.is_done() {
            let event = events.recv().unwrap_or(Err(StoreError::Stopped.into()))?;
            match &event {
                Event::Evaluated(case, _) => watch(Progress::Done(case.verdict)),
                Event::Added { refused, .. } => {
                    (0..*refused).for_each(|_| watch(Progress::Done(Verdict::BadIn)));
                }
                _ => {}
            }
            for effect in dispatch.handle(event) {
                self.carry_out(effect, sender.clone());
            }
        }
        Ok(())
    }

    fn carry_out(self, effect: Effect, events: Sender<Message>) {
        let say = move |message: Result<Event, StoreError>| {
            // Nobody listens any more once the run has failed.
            let _ = events.send(message.map_err(ServiceError::from));
        };
        match effect {
            Effect::Claim(most, bytes) => {
                let answer = move |cases: Result<_, _>| say(cases.map(Event::Claimed));
                self.store.claim(self.run, most, bytes, SimulatorId::version, answer);
            }
            Effect::Play(case) => {
                let bytes = case.bytes();
                let id = case.id;
                let (ticket, job) = finish::job(case, now());
                let done = move |evaluation| {
                    let finished = catching(|| ticket.finish(evaluation))
                        .unwrap_or_else(|message| finish::crashed(id, message));
                    say(Ok(Event::Evaluated(Box::new(finished), bytes)));
                };
                self.engine.submit(job, done);
            }
            Effect::Finish(cases) => {
                let answer =
                    move |committed: Result<(), _>| say(committed.map(|()| Event::Committed));
                self.store.finish(self.run, cases, now, answer);
            }
        }
    }
}

/// What the log of a run says about its list.
fn about(listing: &Listing) -> Vec<LogLine> {
    let line = |level, message| tell(level, message);
    let mut lines = vec![line(LogLevel::Info, format!("{} inputs", listing.entries.len()))];
    let path = |path: &[u8]| String::from_utf8_lossy(path).into_owned();
    lines.extend(listing.orphans.iter().map(|orphan| {
        line(LogLevel::Warning, format!("{}: an answer without an input", path(orphan)))
    }));
    lines.extend(listing.skipped.iter().map(|skipped| {
        line(LogLevel::Info, format!("{}: skipped, no rule names it", path(skipped)))
    }));
    lines
}

/// Emits a line as a tracing event and returns it for the log of the store.
fn tell(level: LogLevel, message: String) -> LogLine {
    match level {
        LogLevel::Info => tracing::info!("{message}"),
        LogLevel::Warning => tracing::warn!("{message}"),
        LogLevel::Error => tracing::error!("{message}"),
    }
    LogLine { at: now(), level, message }
}

/// The wall clock, for stored times only.
fn now() -> TimestampUs {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    TimestampUs(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}

/// Why a run could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// The folder.
    #[error(transparent)]
    Ingest(#[from] IngestError),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The program failed while taking in.
    #[error("a bug of simdrop, please report it: taking in failed with: {0}")]
    Panicked(String),
    /// The pool.
    #[error(transparent)]
    Engine(#[from] EngineError),
}
