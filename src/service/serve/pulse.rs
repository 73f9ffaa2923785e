//! How far the daemon is, in its log: a line now and then while something happens, never one for each file.

use std::time::{Duration, Instant};

use super::board::Progress;

/// Lines come no closer than this.
const EVERY: Duration = Duration::from_secs(10);

/// Says how far it is.
#[derive(Debug)]
pub(super) struct Pulse {
    at: Instant,
    said: Progress,
}

impl Pulse {
    pub(super) fn new(now: Instant) -> Self {
        Self { at: now, said: Progress::default() }
    }

    /// Says it, if it is time and something has changed.
    pub(super) fn look(&mut self, now: Instant, progress: Progress) {
        if now.duration_since(self.at) >= EVERY {
            self.at = now;
            self.tell(progress);
        }
    }

    /// Says it, if something has changed.
    pub(super) fn tell(&mut self, progress: Progress) {
        if progress != self.said {
            self.said = progress;
            let Progress { done, queued, settling } = progress;
            tracing::info!("{done} cases done, {queued} queued, {settling} settling");
        }
    }
}
