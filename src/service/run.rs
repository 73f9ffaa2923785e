//! One run from its list to its last commit.

use std::collections::HashSet;
use std::os::unix::ffi::OsStrExt;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use super::dispatch::{Dispatch, Effect, Event};
use super::host::StopSignal;
use super::play::Player;
use super::take_in::Taker;
use super::trial::Bounds;
use super::{Message, Plan, ServiceError, Session, now, tell};
use crate::config::EngineSettings;
use crate::domain::{
    CaseId, CompareMode, LogLevel, RunId, SimulatorId, Verdict, catching, crash_point,
};
use crate::ingest::Listing;
use crate::store::{Claim, LogLine, StoreError};

/// How often the pool is looked at; more often if the backstop is short.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// What a run is up to, for whoever watches.
#[derive(Debug, Clone, Copy)]
pub enum Progress<'a> {
    /// Another process, this one, holds the store.
    Waiting(&'a str),
    /// So many cases are to be done.
    Listed(u64),
    /// A case is done.
    Done(Verdict),
}

/// How a run went.
#[derive(Debug)]
pub struct RunReport {
    /// The run.
    pub run: RunId,
    /// Who stopped it, if anybody did.
    pub stopped: Option<StopSignal>,
    /// Why some of its cases were never taken in.
    pub gone: Option<String>,
    /// Whether it was begun before.
    pub is_resumed: bool,
}

impl RunReport {
    /// The report of a run about which there is nothing to say.
    #[must_use]
    pub const fn of(run: RunId) -> Self {
        Self { run, stopped: None, gone: None, is_resumed: false }
    }
}

/// What is to be done for a run.
#[derive(Clone, Copy)]
pub(super) struct Work<'a> {
    pub(super) run: RunId,
    pub(super) mode: CompareMode,
    pub(super) fresh: bool,
    /// How many cases wait in the store.
    pub(super) queued: u64,
    /// Where its cases come from, unless all are taken in.
    pub(super) plan: Option<&'a Plan>,
    /// How many of them are taken in.
    pub(super) skip: usize,
}

impl Session {
    /// Takes in on a thread of its own and handles events until all is done.
    pub(super) fn work(
        &self,
        work: Work<'_>,
        watch: &mut dyn FnMut(Progress<'_>),
    ) -> Result<RunReport, ServiceError> {
        let (sender, events) = mpsc::channel();
        self.host.tell(sender.clone());
        let (run, fresh) = (work.run, work.fresh);
        let player = self.player(&work, sender.clone());
        let _ = sender.send(Ok(Event::Added { queued: work.queued, refused: 0 }));
        let handled = thread::scope(|scope| {
            scope.spawn(move || {
                let ended = catching(|| self.take_in(work, &sender))
                    .unwrap_or_else(|message| Err(ServiceError::Panicked(message)));
                let _ = sender.send(ended.map(|()| Event::ListEnded));
            });
            let handled = self.handle_events(&events, &player, fresh, watch);
            if handled.is_err() {
                // Nobody needs the rest any more: neither the pool's nor the reading thread's.
                self.engine.cancel();
            }
            handled
        });
        let stopped = self.stopped();
        if handled.is_err() || stopped.is_some() {
            // If this fails, too, the next start finds the cases running, and puts them back as suspects.
            let released = self.store.writer().release(run);
            handled.and(released.map_err(ServiceError::from))?;
        }
        Ok(RunReport { run, stopped, gone: None, is_resumed: false })
    }

    fn player(&self, work: &Work<'_>, events: Sender<Message>) -> Player {
        Player {
            writer: self.store.writer(),
            engine: self.engine.clone(),
            run: work.run,
            mode: work.mode,
            limits: self.config.limits,
            bounds: Bounds {
                bytes: self.config.engine.suspect_bytes,
                time: self.config.engine.backstop,
            },
            events,
        }
    }

    fn take_in(&self, work: Work<'_>, events: &Sender<Message>) -> Result<(), ServiceError> {
        let Work { run, plan: Some(plan), skip, .. } = work else { return Ok(()) };
        let events = events.clone();
        let added = move |queued, refused| drop(events.send(Ok(Event::Added { queued, refused })));
        let entries = plan.listing.entries.iter().skip(skip);
        let wanted = entries.take_while(|_| !self.engine.is_cancelled());
        let writer = self.store.writer();
        let taker = Taker { writer: &writer, run, plan, limits: &self.config.limits };
        taker.take_in(wanted, added)?;
        if self.engine.is_cancelled() {
            return Ok(());
        }
        crash_point("before-end-list");
        Ok(writer.end_list(run, about(&plan.listing), now())?)
    }

    fn handle_events(
        &self,
        events: &Receiver<Message>,
        player: &Player,
        fresh: bool,
        watch: &mut dyn FnMut(Progress<'_>),
    ) -> Result<(), ServiceError> {
        let mut dispatch = Dispatch::default();
        let mut guard = Guard::new(self);
        while !dispatch.is_done() && !guard.is_alone() {
            match events.recv_timeout(guard.every) {
                Err(RecvTimeoutError::Disconnected) => return Err(StoreError::Stopped.into()),
                Err(RecvTimeoutError::Timeout) => {}
                Ok(event) => {
                    let event = event?;
                    if guard.is_welcome(&event) {
                        show(&event, watch);
                        dispatch
                            .handle(event)
                            .into_iter()
                            .for_each(|effect| self.carry_out(effect, player, fresh));
                    }
                }
            }
            for case in guard.look() {
                let line = tell(LogLevel::Error, "its thread does not come back".to_owned());
                player.writer.suspect(case, line, |_| ());
                dispatch.handle(Event::Lost);
            }
        }
        guard.verdict()
    }

    fn carry_out(&self, effect: Effect, player: &Player, fresh: bool) {
        let player = player.clone();
        let (writer, run) = (player.writer.clone(), player.run);
        match effect {
            Effect::Claim(most, bytes) => {
                let claim = Claim { run, most, bytes, version: SimulatorId::version, fresh };
                writer.claim(claim, move |cases| {
                    crash_point("after-claim");
                    player.say(cases.map(Event::Claimed).map_err(ServiceError::from));
                });
            }
            Effect::Play(case) => player.play(case),
            Effect::Finish(cases) => writer.finish(run, cases, now, move |committed| {
                player.say(committed.map(|()| Event::Committed).map_err(ServiceError::from));
            }),
            Effect::Cancel => self.engine.cancel(),
        }
    }
}

fn show(event: &Event, watch: &mut dyn FnMut(Progress<'_>)) {
    match event {
        Event::Evaluated(case, _) => watch(Progress::Done(case.verdict)),
        Event::Added { refused, .. } => {
            (0..*refused).for_each(|_| watch(Progress::Done(Verdict::BadIn)));
        }
        _ => {}
    }
}

/// Looks after the threads of the pool: whether one was lost, and to which case.
struct Guard<'a> {
    session: &'a Session,
    every: Duration,
    looked: Instant,
    lost: HashSet<CaseId>,
    threads: usize,
}

impl<'a> Guard<'a> {
    fn new(session: &'a Session) -> Self {
        let every =
            LOOK_EVERY.min(session.config.engine.backstop / 4).max(Duration::from_millis(1));
        Self { session, every, looked: Instant::now(), lost: HashSet::new(), threads: 0 }
    }

    /// The cases that were lost since the last look.
    fn look(&mut self) -> Vec<CaseId> {
        if self.looked.elapsed() < self.every {
            return Vec::new();
        }
        self.looked = Instant::now();
        let EngineSettings { backstop, grace, .. } = self.session.config.engine;
        let mut lost = self.session.engine.watch(backstop, grace);
        self.threads += lost.len();
        lost.retain(|&case| self.lost.insert(case));
        lost
    }

    /// Whether an event is about a case that is not lost; one that comes back late is too late.
    fn is_welcome(&self, event: &Event) -> bool {
        event.case().is_none_or(|case| !self.lost.contains(&case))
    }

    /// Whether no thread is left to play.
    fn is_alone(&self) -> bool {
        self.threads >= self.session.config.jobs
    }

    fn verdict(&self) -> Result<(), ServiceError> {
        match self.lost.iter().min_by_key(|case| case.key()) {
            Some(&case) => Err(ServiceError::ThreadLost(case)),
            None => Ok(()),
        }
    }
}

/// What the log of a run says about its list.
fn about(listing: &Listing) -> Vec<LogLine> {
    // The summary says it to people; here it is for later.
    let line = |level, message| LogLine { at: now(), level, message };
    let name = |path: &Vec<u8>| std::ffi::OsStr::from_bytes(path).display().to_string();
    let mut lines = vec![line(LogLevel::Info, format!("{} cases listed", listing.entries.len()))];
    let each = |level, paths: &[Vec<u8>], what: &str| {
        let lines = paths.iter().map(|path| line(level, format!("{}: {what}", name(path))));
        lines.collect::<Vec<_>>()
    };
    lines.extend(each(LogLevel::Warning, &listing.orphans, "an answer without an input"));
    lines.extend(each(LogLevel::Warning, &listing.too_deep, "lies too deep, left alone"));
    lines.extend(each(
        LogLevel::Info,
        &listing.skipped,
        "skipped, no rule names it and no simulator knows it",
    ));
    lines
}
