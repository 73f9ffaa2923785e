//! One run from its list to its last commit.

use std::os::unix::ffi::OsStrExt;
use std::sync::mpsc::{self, Sender};
use std::thread;

use super::dispatch::{Event, UnderWay};
use super::floor::{Floor, Progress};
use super::host::StopSignal;
use super::take_in::Taker;
use super::{Message, Plan, ServiceError, Session, now};
use crate::domain::{LogLevel, RunId, catching, crash_point};
use crate::ingest::Listing;
use crate::store::LogLine;

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
    pub(super) way: UnderWay,
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
        let run = work.way.run;
        let mut floor = Floor::new(self, sender.clone());
        floor.open(work.way);
        let handled = thread::scope(|scope| {
            scope.spawn(move || {
                let ended = catching(|| self.take_in(work, &sender))
                    .unwrap_or_else(|message| Err(ServiceError::Panicked(message)));
                let _ = sender.send(ended.map(|()| Event::ListEnded(run)));
            });
            let handled = floor.handle_all(&events, watch);
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

    fn take_in(&self, work: Work<'_>, events: &Sender<Message>) -> Result<(), ServiceError> {
        let Work { way: UnderWay { run, .. }, plan: Some(plan), skip } = work else {
            return Ok(());
        };
        let events = events.clone();
        let added = move |queued, refused| {
            let _ = events.send(Ok(Event::Added { run, queued, refused }));
        };
        let entries = plan.listing.entries.iter().skip(skip);
        let wanted = entries.take_while(|_| !self.engine.is_cancelled());
        let writer = self.store.writer();
        let taker = Taker { writer: &writer, plan, limits: &self.config.limits };
        taker.take_in(run, wanted, skip as u64, added)?;
        if self.engine.is_cancelled() {
            return Ok(());
        }
        crash_point("before-end-list");
        Ok(writer.end_list(run, about(&plan.listing), now())?)
    }
}

/// What the log of a run says about its list.
pub(super) fn about(listing: &Listing) -> Vec<LogLine> {
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
