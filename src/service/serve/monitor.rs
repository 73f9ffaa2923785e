//! Writes the numbers for monitoring, now and then, whatever state the daemon is in.

use std::sync::mpsc::{Receiver, RecvTimeoutError};

use super::Serving;
use super::board::Board;
use crate::domain::chain;
use crate::service::metrics::{Beside, write_page};
use crate::service::{ServiceError, Session};

/// Writes numbers.
pub(super) struct Monitor<'a> {
    session: &'a Session,
    board: &'a Board,
    serving: &'a Serving,
}

impl<'a> Monitor<'a> {
    pub(super) const fn new(session: &'a Session, board: &'a Board, serving: &'a Serving) -> Self {
        Self { session, board, serving }
    }

    /// Writes a page now, one after each interval, and one at the end, when nobody has `over` any more.
    pub(super) fn run(&self, over: &Receiver<()>) {
        loop {
            self.write();
            let every = self.session.config.serve.metrics_every;
            if over.recv_timeout(every) == Err(RecvTimeoutError::Disconnected) {
                return self.write();
            }
        }
    }

    fn write(&self) {
        let Some(path) = &self.session.config.serve.metrics_file else { return };
        match self.page() {
            Ok(page) => {
                if let Err(error) = write_page(path, &page) {
                    tracing::warn!("{}: {error}", path.display());
                }
            }
            Err(error) => tracing::warn!("no numbers for monitoring: {}", chain(&error)),
        }
    }

    fn page(&self) -> Result<String, ServiceError> {
        let metrics = &self.session.metrics;
        // A store that cannot be asked keeps nobody from the other numbers.
        if let Err(error) = self.session.reader().and_then(|reader| metrics.ask(&reader)) {
            tracing::warn!("the store does not say its numbers: {}", chain(&error));
        }
        metrics.page(Beside {
            load: self.board.load(),
            panics: (self.serving.panics)(),
            lost_lines: (self.serving.lost_lines)(),
        })
    }
}
