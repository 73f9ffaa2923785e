//! What the daemon says of itself: counts, and the first names of what is not taken.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::time::Instant;

use serde::Serialize;

use crate::ingest::{Counts, Tally};
use crate::service::dispatch::{Event, Load};
use crate::service::{Session, now};
use crate::store::Beat;

/// The rate is that of so many seconds.
const RATE_SECONDS: usize = 10;

/// Names beyond these are only counted.
const NAMES_MOST: usize = 20;

/// Shared by the threads of a daemon.
#[derive(Debug, Default)]
pub(super) struct Board(Mutex<Facts>);

#[derive(Debug, Default)]
struct Facts {
    paused: bool,
    stopping: bool,
    trouble: Option<String>,
    /// Why the settings were not read anew.
    config_error: Option<String>,
    /// Why `out/` is not complete.
    out_error: Option<String>,
    inboxes: Vec<InboxFacts>,
    /// Whether the intake has something on its way.
    busy: bool,
    /// Whether every inbox was looked at since something was last heard of.
    looked: bool,
    /// Whether something was rejected, or a run came out otherwise than it should.
    not_fine: bool,
    done: u64,
    load: Load,
    /// How many cases were done by then, second by second.
    seconds: VecDeque<u64>,
}

/// One inbox, for people.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(super) struct InboxFacts {
    /// The directory.
    pub(super) path: String,
    /// How it is watched: `inotify`, or `polling` with the reason.
    pub(super) watch: String,
    /// Why it cannot be looked at.
    pub(super) trouble: Option<String>,
    /// What holds not still yet.
    pub(super) settling: Names,
    /// Answers without their input.
    pub(super) waiting: Names,
    /// What cannot be read.
    pub(super) blocked: Names,
    /// What cannot be taken and not be put away either.
    pub(super) refused: Names,
    /// What was done and could not be moved out.
    pub(super) aside: Names,
}

/// So many names, and the first of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(super) struct Names {
    /// How many.
    pub(super) count: u64,
    /// The first ones, with the reason if there is one.
    pub(super) first: Vec<String>,
}

/// How far the daemon is, for its log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Progress {
    /// Cases that are done since it was started.
    pub(super) done: u64,
    /// Cases that wait.
    pub(super) queued: u64,
    /// Names in the inboxes that hold not still yet.
    pub(super) settling: u64,
}

/// What the row of the daemon holds.
#[derive(Debug, Serialize)]
struct Status<'a> {
    schema: u32,
    version: &'static str,
    paused: bool,
    stopping: bool,
    trouble: &'a Option<String>,
    config_error: &'a Option<String>,
    out_error: &'a Option<String>,
    workers: usize,
    workers_reason: &'static str,
    runs: usize,
    queued_high: u64,
    queued_normal: u64,
    playing: usize,
    done: u64,
    per_second: f64,
    inboxes: &'a [InboxFacts],
}

impl Board {
    pub(super) fn set_paused(&self, paused: bool) {
        self.facts().paused = paused;
    }

    pub(super) fn is_paused(&self) -> bool {
        self.facts().paused
    }

    pub(super) fn set_stopping(&self) {
        self.facts().stopping = true;
    }

    pub(super) fn set_trouble(&self, trouble: Option<String>) {
        self.facts().trouble = trouble;
    }

    pub(super) fn set_config_error(&self, error: Option<String>) {
        self.facts().config_error = error;
    }

    pub(super) fn set_out_error(&self, error: Option<String>) {
        self.facts().out_error = error;
    }

    pub(super) fn set_inboxes(&self, inboxes: Vec<InboxFacts>, busy: bool) {
        let mut facts = self.facts();
        facts.inboxes = inboxes;
        facts.busy = busy;
        facts.looked = true;
    }

    /// Whether nothing is left in the inboxes that will become a run.
    pub(super) fn is_drained(&self) -> bool {
        let facts = self.facts();
        let settled = |inbox: &InboxFacts| inbox.settling.count == 0;
        facts.looked && !facts.busy && facts.inboxes.iter().all(settled)
    }

    pub(super) fn set_not_fine(&self) {
        self.facts().not_fine = true;
    }

    pub(super) fn is_fine(&self) -> bool {
        !self.facts().not_fine
    }

    /// Counts.
    pub(super) fn see(&self, event: &Event) {
        match event {
            Event::Evaluated(..) => self.facts().done += 1,
            Event::Added { refused, .. } => {
                let mut facts = self.facts();
                facts.done += refused;
                facts.trouble = None;
            }
            // Whatever was wrong, it can be written again.
            Event::Committed(_) => self.facts().trouble = None,
            _ => {}
        }
    }

    pub(super) fn set_load(&self, load: Load) {
        self.facts().load = load;
    }

    pub(super) fn load(&self) -> Load {
        self.facts().load
    }

    /// How far it is.
    pub(super) fn progress(&self) -> Progress {
        let facts = self.facts();
        Progress {
            done: facts.done,
            queued: facts.load.queued_high + facts.load.queued_normal,
            settling: facts.inboxes.iter().map(|inbox| inbox.settling.count).sum(),
        }
    }

    /// Writes the row and waits for that, so that whoever is told that it serves finds it.
    pub(super) fn begin(&self, session: &Session, inboxes: &[PathBuf]) {
        // Where to hand over is known before anybody has looked there.
        let named = inboxes
            .iter()
            .map(|path| InboxFacts { path: path.display().to_string(), ..InboxFacts::default() });
        self.set_inboxes(named.collect(), true);
        let (written, heard) = mpsc::channel::<()>();
        self.write(session, move || drop(written));
        let _ = heard.recv();
    }

    /// Writes the row. One that says nothing new tells people that somebody is there.
    pub(super) fn beat(&self, session: &Session) {
        self.see_second();
        self.write(session, || ());
    }

    fn see_second(&self) {
        let mut facts = self.facts();
        let done = facts.done;
        facts.seconds.push_back(done);
        if facts.seconds.len() > RATE_SECONDS + 1 {
            facts.seconds.pop_front();
        }
    }

    /// What the row would say now.
    pub(super) fn now(&self, session: &Session) -> Beat {
        let facts = self.facts();
        let body = facts.body(session);
        Beat { pid: std::process::id(), at: now(), paused: facts.paused, body }
    }

    /// How it is, in words for whoever started this process.
    pub(super) fn line(&self) -> String {
        let facts = self.facts();
        let Load { runs, queued_high, queued_normal, playing } = facts.load;
        let state = match (&facts.trouble, facts.stopping, facts.paused) {
            (_, true, _) => "stopping".to_owned(),
            (Some(trouble), ..) => format!("degraded: {trouble}"),
            (None, _, true) => "paused".to_owned(),
            (None, ..) => "serving".to_owned(),
        };
        let queued = queued_high + queued_normal;
        let line =
            format!("{state}; {runs} runs under way, {queued} cases queued, {playing} playing");
        match &facts.config_error {
            Some(error) => format!("{line}; the settings stay as they were: {error}"),
            None => line,
        }
    }

    /// Writes the row as it is now.
    pub(super) fn write(&self, session: &Session, then: impl FnOnce() + Send + 'static) {
        session.store.writer().beat(self.now(session), |written| {
            if let Err(error) = written {
                tracing::debug!("the status was not written: {error}");
            }
            then();
        });
    }

    fn facts(&self) -> MutexGuard<'_, Facts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Facts {
    #[expect(clippy::cast_precision_loss, reason = "a rate is shown with a few digits")]
    fn body(&self, session: &Session) -> String {
        let (first, last) = (self.seconds.front(), self.seconds.back());
        let played = last.zip(first).map_or(0, |(last, first)| last - first);
        let seconds = self.seconds.len().saturating_sub(1).max(1);
        let load = self.load;
        let status = Status {
            schema: 1,
            version: env!("CARGO_PKG_VERSION"),
            paused: self.paused,
            stopping: self.stopping,
            trouble: &self.trouble,
            config_error: &self.config_error,
            out_error: &self.out_error,
            workers: session.config.jobs,
            workers_reason: "the threads the machine has for us, or `jobs`",
            runs: load.runs,
            queued_high: load.queued_high,
            queued_normal: load.queued_normal,
            playing: load.playing,
            done: self.done,
            per_second: played as f64 / seconds as f64,
            inboxes: &self.inboxes,
        };
        serde_json::to_string(&status).unwrap_or_default()
    }
}

impl InboxFacts {
    pub(super) fn new(path: &std::path::Path, counts: &Counts, now: Instant) -> Self {
        let names = |tally: &Tally| Names::of(tally, now);
        Self {
            path: path.display().to_string(),
            settling: names(&counts.settling),
            waiting: names(&counts.waiting),
            blocked: names(&counts.blocked),
            refused: names(&counts.refused),
            aside: names(&counts.aside),
            ..Self::default()
        }
    }
}

impl Names {
    fn of(tally: &Tally, now: Instant) -> Self {
        let shown = tally.first.iter().take(NAMES_MOST).map(|shown| {
            let name = OsStr::to_string_lossy(&shown.name);
            match &shown.reason {
                Some(reason) => format!("{name}: {reason}"),
                None => {
                    let seconds = now.saturating_duration_since(shown.since).as_secs();
                    format!("{name}, for {seconds} s")
                }
            }
        });
        Self { count: tally.count, first: shown.collect() }
    }
}
