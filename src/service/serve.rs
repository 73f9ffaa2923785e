//! The daemon: what lands in an inbox is taken in, played, put away and written out, and people steer it.
//!
//! Four threads around the pool and the writer: the intake looks at the inboxes and takes in, the
//! projector writes `out/`, the caretaker removes what is no longer wanted, and this one handles what
//! happens. When the world breaks (a full disk, a directory that is gone) all that is under way is dropped,
//! and after a while it starts again from what the store has: the row is the job. So it does, after what is
//! being played had its time to end, when it is to go by other settings.

mod board;
mod caretaker;
mod clock;
mod intake;
mod monitor;
mod places;
mod projector;
mod pulse;
mod renewal;
mod requests;
mod server;

use std::path::PathBuf;
use std::time::Instant;

use board::Board;
use places::Places;
use pulse::Pulse;
use server::Server;

use super::{ServiceError, Session, StopSignal};
use crate::config::Overrides;
use crate::domain::chain;
use crate::store::Beat;

pub(super) use places::try_in;

/// What is to be served.
#[derive(Debug, Clone)]
pub struct Serving {
    /// The directories that are watched; none means the one of the settings.
    pub inboxes: Vec<PathBuf>,
    /// Whether to end when nothing is left in them.
    pub once: bool,
    /// What flags say of the settings, for reading them anew.
    pub flags: Overrides,
    /// How many panics there were since the program was started.
    pub panics: fn() -> u64,
    /// How many lines of its log were lost since then.
    pub lost_lines: fn() -> u64,
}

/// What is said while it serves.
#[derive(Debug, Clone, Copy)]
pub enum Said<'a> {
    /// Everything is watched.
    Serving,
    /// How it is; somebody asked.
    Status(&'a Beat),
}

/// How serving ended.
#[derive(Debug)]
pub struct Served {
    /// Who stopped it, if anybody did.
    pub stopped: Option<StopSignal>,
    /// Whether everything that was evaluated is fine.
    pub fine: bool,
}

impl Session {
    /// Serves inboxes until somebody asks to stop, or, once, until they are empty; on SIGHUP with the settings
    /// read anew. `say` is told when everything is watched, and how it is on SIGUSR1.
    ///
    /// # Errors
    /// [`ServiceError`]: a directory that cannot be used, a lost thread, a bug of ours, a damaged store. A
    /// full disk is none: it is waited for.
    pub fn serve(
        &mut self,
        serving: &Serving,
        say: &mut dyn FnMut(Said<'_>),
    ) -> Result<Served, ServiceError> {
        let served = self.serve_all(serving, say);
        if let Err(error) = &served {
            self.host.supervisor().status(&chain(error));
        }
        served
    }

    fn serve_all(
        &mut self,
        serving: &Serving,
        say: &mut dyn FnMut(Said<'_>),
    ) -> Result<Served, ServiceError> {
        let mut places = Places::make(&self.config, &serving.inboxes)?;
        let (board, mut pulse) = (Board::default(), Pulse::new(Instant::now()));
        let reader = self.reader()?;
        board.set_paused(reader.beat()?.is_some_and(|beat| beat.paused));
        if board.is_paused() {
            tracing::warn!("paused: nothing is played before `simdrop resume`");
        }
        clock::compare(&reader)?;
        let mut told = false;
        let mut say = |said: Said<'_>| {
            if !matches!(said, Said::Serving) || !std::mem::replace(&mut told, true) {
                say(said);
            }
        };
        loop {
            let server = Server::new(self, serving, &places, &board, &mut pulse, &mut say);
            match server.run()? {
                Some(renewal) if self.stopped().is_none() => places = self.adopt(renewal),
                _ => break,
            }
        }
        self.host.supervisor().stopping(server::REST);
        pulse.tell(board.progress());
        Ok(Served { stopped: self.stopped(), fine: board.is_fine() })
    }
}
