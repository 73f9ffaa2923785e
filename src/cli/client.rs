//! Handing over to a daemon instead of evaluating here.

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::{CliError, daemon, note, wait};
use crate::domain::RunId;
use crate::service::{Request, hand_over};
use crate::store::Reader;

/// How often the run is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// Whoever hands over to the daemon of a store.
pub(super) struct Client {
    reader: Reader,
    inbox: PathBuf,
}

impl Client {
    /// `None` if no daemon serves the store.
    pub(super) fn new(reader: Option<Reader>) -> Result<Option<Self>, CliError> {
        let Some(reader) = reader else { return Ok(None) };
        let Some(beat) = daemon::alive(&reader)? else { return Ok(None) };
        let body: Value = serde_json::from_str(&beat.body).unwrap_or_default();
        let inbox = body["inboxes"][0]["path"].as_str().map(PathBuf::from);
        Ok(inbox.map(|inbox| Self { reader, inbox }))
    }

    /// Hands over what a request is about and waits until its run is there; with `until_over`, until it is
    /// over.
    pub(super) fn evaluate(&self, request: &Request, until_over: bool) -> Result<RunId, CliError> {
        if daemon::alive(&self.reader)?.is_some_and(|beat| beat.paused) {
            note("the daemon is paused: nothing is played before `simdrop resume`");
        }
        let token = daemon::token();
        hand_over(request, &self.inbox, &token)?;
        let run = loop {
            if let Some(run) = self.reader.run_by_token(&token)? {
                break run.id;
            }
            self.check_daemon()?;
            thread::park_timeout(LOOK_EVERY);
        };
        if until_over {
            self.wait_for(run)?;
        }
        Ok(run)
    }

    /// Waits until a run is over.
    pub(super) fn wait_for(&self, run: RunId) -> Result<(), CliError> {
        let is_there = || daemon::alive(&self.reader).is_ok_and(|beat| beat.is_some());
        if wait::until_over(&self.reader, run, is_there)? {
            Ok(())
        } else {
            Err(CliError::DaemonEnded(run))
        }
    }

    fn check_daemon(&self) -> Result<(), CliError> {
        daemon::alive(&self.reader)?.map(|_| ()).ok_or(CliError::NoDaemon)
    }

    /// The store of the daemon.
    pub(super) const fn reader(&self) -> &Reader {
        &self.reader
    }
}
