//! One run as the dispatcher sees it.

use crate::domain::Class;
use crate::store::Finished;

/// A run that is not over.
#[derive(Debug)]
pub(super) struct Lane {
    pub(super) class: Class,
    /// How many cases wait in the store.
    pub(super) queued: u64,
    /// Whether the writer was asked for cases.
    claiming: bool,
    /// Whether it waits for its turn.
    waiting: bool,
    /// How many cases are with the pool.
    pub(super) playing: usize,
    /// Results that the writer does not have yet.
    pub(super) finished: Vec<Finished>,
    /// How many results the writer has and has not committed.
    committing: usize,
    pub(super) list_ended: bool,
}

impl Lane {
    pub(super) const fn new(class: Class) -> Self {
        Self {
            class,
            queued: 0,
            claiming: false,
            waiting: false,
            playing: 0,
            finished: Vec::new(),
            committing: 0,
            list_ended: false,
        }
    }

    /// Whether it begins to wait for its turn: it has something to play, and does not wait yet.
    pub(super) const fn begins_to_wait(&mut self) -> bool {
        let begins = self.queued > 0 && !self.claiming && !self.waiting;
        self.waiting |= begins;
        begins
    }

    /// Asks for as many cases as there are and there is room for.
    pub(super) fn claim(&mut self, room: usize) -> u32 {
        self.claiming = true;
        self.waiting = false;
        let most = u32::try_from(room).unwrap_or(u32::MAX);
        u32::try_from(self.queued).unwrap_or(u32::MAX).min(most)
    }

    /// The writer handed out cases, though no more than it was asked for. If it handed out none, there are
    /// none left: somebody else took them back.
    pub(super) fn claimed(&mut self, asked: u32, cases: usize) {
        self.claiming = false;
        self.queued = match cases {
            0 => self.queued.saturating_sub(u64::from(asked)),
            cases => self.queued.saturating_sub(cases as u64),
        };
        self.playing += cases;
    }

    /// Nothing more of it is to be played.
    pub(super) const fn cancel(&mut self) {
        self.queued = 0;
        self.list_ended = true;
    }

    /// The next results for the writer, unless it is busy with this run.
    pub(super) fn next_batch(&mut self, most: usize) -> Option<Vec<Finished>> {
        if self.committing > 0 || self.finished.is_empty() {
            return None;
        }
        let most = self.finished.len().min(most);
        self.committing = most;
        Some(self.finished.drain(..most).collect())
    }

    /// The writer committed what it was given: so many results.
    pub(super) const fn committed(&mut self) -> usize {
        std::mem::replace(&mut self.committing, 0)
    }

    pub(super) fn is_over(&self) -> bool {
        let idle = !self.claiming && self.playing == 0 && self.committing == 0;
        self.list_ended && self.queued == 0 && idle && self.finished.is_empty()
    }
}
