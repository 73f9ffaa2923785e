//! One inbox as the intake sees it: when it is looked at, and what is wrong with it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use prometheus::IntCounter;

use super::SCAN_GAP;
use crate::config::Config;
use crate::domain::chain;
use crate::ingest::{Found, Hints, Inbox, InboxError, InboxSettings};
use crate::service::serve::board::InboxFacts;

/// A scan that takes less is repeated while something settles.
const CHEAP: Duration = Duration::from_millis(50);

/// An inbox that may be gone.
pub(super) struct Seat {
    path: PathBuf,
    settings: InboxSettings,
    rescan: Duration,
    poll: Duration,
    inbox: Option<Inbox>,
    trouble: Option<String>,
    /// When everything in it is looked at again.
    pub(super) scan_at: Instant,
    scanned: Option<Instant>,
    /// Another directory stands where one was, and is to be watched.
    pub(super) replaced: bool,
    /// What could not be put away or read, to be looked at anew at the next scan.
    later: Vec<OsString>,
    /// How often everything was looked at.
    rescans: IntCounter,
}

impl Seat {
    pub(super) fn new(path: &Path, config: &Config, rescans: IntCounter) -> Self {
        let inbox = &config.inbox;
        let settings = InboxSettings {
            quiet_file: inbox.quiet_file,
            quiet_folder: inbox.quiet_folder,
            empty_file: inbox.empty_file,
            limits: config.limits,
        };
        Self {
            path: path.to_owned(),
            settings,
            rescan: inbox.rescan,
            poll: inbox.poll,
            inbox: None,
            trouble: None,
            scan_at: Instant::now(),
            scanned: None,
            replaced: false,
            later: Vec::new(),
            rescans,
        }
    }

    pub(super) fn root(&self) -> &Path {
        &self.path
    }

    /// The paths of names in it, with NUL bytes between them.
    pub(super) fn paths(&self, names: &[OsString]) -> Vec<u8> {
        let path = |name: &OsString| {
            let path = self.path.join(name);
            let path = std::path::absolute(&path).unwrap_or(path);
            path.into_os_string().into_encoded_bytes()
        };
        names.iter().map(path).collect::<Vec<_>>().join(&0)
    }

    /// Looks at what may be ready; `None` if nothing has to be looked at, or it cannot be.
    pub(super) fn look(&mut self, now: Instant, hints: &mut Hints, polling: bool) -> Option<Found> {
        if hints.is_overflow() {
            self.scan_at = self.scan_at.min(self.scanned.map_or(now, |at| at + SCAN_GAP));
        }
        self.attach(now);
        let scan = now >= self.scan_at;
        let later = std::mem::take(&mut self.later);
        let inbox = self.inbox.as_mut()?;
        let found = if scan {
            inbox.forget(&later);
            // Spread, so that many daemons on one file server do not all look at once.
            let jitter = self.rescan / 16 * (std::process::id() % 4);
            let every = if polling { self.poll } else { self.rescan + jitter };
            (self.scan_at, self.scanned) = (now + every, Some(now));
            self.rescans.inc();
            let found = inbox.scan(now, hints);
            // Nobody tells of what happens in a folder. Where looking is cheap it is looked at until it holds
            // still.
            if now.elapsed() < CHEAP && inbox.counts().settling.count > 0 {
                self.scan_at = now + every.min(self.poll / 4);
            }
            found
        } else {
            self.later = later;
            let due = inbox.next_look().is_some_and(|at| at <= now);
            if hints.is_empty() && !due {
                return None;
            }
            inbox.look(&hints.names(), now, hints)
        };
        self.seen(now, found)
    }

    fn seen(&mut self, now: Instant, found: Result<Found, InboxError>) -> Option<Found> {
        match found {
            Ok(found) => {
                self.trouble = None;
                Some(found)
            }
            Err(error) => {
                if self.trouble.is_none() {
                    tracing::warn!("{}", chain(&error));
                }
                self.trouble = Some(chain(&error));
                self.inbox = None;
                self.scan_at = now + self.poll;
                None
            }
        }
    }

    /// Finds the directory, again if it was gone.
    fn attach(&mut self, now: Instant) {
        if self.inbox.is_some() || now < self.scan_at {
            return;
        }
        match Inbox::attach(self.path.clone(), self.settings) {
            Ok(inbox) => {
                self.replaced = self.trouble.is_some();
                self.inbox = Some(inbox);
            }
            Err(error) => {
                self.trouble = Some(chain(&error));
                self.scan_at = now + self.poll;
            }
        }
    }

    pub(super) fn next_look(&self) -> Instant {
        let due = self.inbox.as_ref().and_then(Inbox::next_look);
        due.map_or(self.scan_at, |at| at.min(self.scan_at))
    }

    /// These were dealt with, or are to be looked at as if they were new.
    pub(super) fn forget(&mut self, names: &[OsString]) {
        if let Some(inbox) = &mut self.inbox {
            inbox.forget(names);
        }
    }

    /// These are looked at anew at the next scan.
    pub(super) fn later(&mut self, names: &[OsString]) {
        self.later.extend_from_slice(names);
    }

    pub(super) fn facts(&self, now: Instant, polling: Option<&str>) -> InboxFacts {
        let counts = self.inbox.as_ref().map(Inbox::counts).unwrap_or_default();
        InboxFacts {
            watch: polling.map_or_else(|| "inotify".to_owned(), |why| format!("polling: {why}")),
            trouble: self.trouble.clone(),
            ..InboxFacts::new(&self.path, &counts, now)
        }
    }
}
