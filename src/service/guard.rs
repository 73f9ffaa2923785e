//! Looks after the threads of the pool.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use super::dispatch::Event;
use super::{ServiceError, Session};
use crate::config::EngineSettings;
use crate::domain::CaseId;

/// How often the pool is looked at; more often if the backstop is short.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Looks after the threads of the pool: whether one was lost, and to which case.
pub(super) struct Guard<'a> {
    session: &'a Session,
    pub(super) every: Duration,
    looked: Instant,
    lost: HashSet<CaseId>,
    threads: usize,
}

impl<'a> Guard<'a> {
    pub(super) fn new(session: &'a Session) -> Self {
        let every =
            LOOK_EVERY.min(session.config.engine.backstop / 4).max(Duration::from_millis(1));
        Self { session, every, looked: Instant::now(), lost: HashSet::new(), threads: 0 }
    }

    /// The cases that were lost since the last look.
    pub(super) fn look(&mut self) -> Vec<CaseId> {
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
    pub(super) fn is_welcome(&self, event: &Event) -> bool {
        event.case().is_none_or(|case| !self.lost.contains(&case))
    }

    /// Whether no thread is left to play.
    pub(super) fn is_alone(&self) -> bool {
        self.threads >= self.session.config.jobs
    }

    /// Whether a thread was lost.
    pub(super) fn has_lost(&self) -> bool {
        !self.lost.is_empty()
    }

    pub(super) fn verdict(&self) -> Result<(), ServiceError> {
        match self.lost.iter().min_by_key(|case| case.key()) {
            Some(&case) => Err(ServiceError::ThreadLost(case)),
            None => Ok(()),
        }
    }
}
