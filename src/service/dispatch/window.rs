//! What of a class is with the pool or the writer, and whose turn it is.

use std::collections::VecDeque;

use super::lane::Lane;
use crate::domain::{Class, RunId};

/// The most cases of a class that are with the pool or the writer at a time: enough to keep the pool busy while the
/// writer commits, and the writer with few commits.
const CASES: usize = 1_024;

/// The most cases of one claim, so that no run has to wait long for its turn.
const CLAIM: usize = 512;

/// The most bytes of inputs and compared files of a class that are with the pool at a time; a single case
/// may have more.
const BYTES: usize = 32 << 20;

/// One class.
#[derive(Debug, Default)]
pub(super) struct Window {
    /// The runs that wait to be served, in their order.
    turns: VecDeque<RunId>,
    /// How many cases the writer was asked for and has not handed out yet.
    pub(super) claiming: usize,
    /// How many cases are with the pool, and how many bytes they hold.
    pub(super) playing: usize,
    pub(super) bytes: usize,
    /// How many results wait for the writer or are with it.
    pub(super) finishing: usize,
}

/// Each class has a window of its own, so that one that is full keeps nothing more urgent out.
#[derive(Debug, Default)]
pub(super) struct Windows {
    high: Window,
    normal: Window,
}

impl Windows {
    pub(super) const fn of(&mut self, class: Class) -> &mut Window {
        match class {
            Class::High => &mut self.high,
            Class::Normal => &mut self.normal,
        }
    }

    /// How many cases are on their way from being claimed to being committed.
    pub(super) const fn busy(&self) -> usize {
        self.high.busy() + self.normal.busy()
    }
}

impl Window {
    const fn busy(&self) -> usize {
        self.claiming + self.playing + self.finishing
    }

    /// For how many more cases there is room, and for how many bytes. There is none before there is some for a whole
    /// claim, so that claims of a large run are not tiny.
    pub(super) const fn room(&self) -> (usize, usize) {
        let busy = self.busy();
        if busy > CASES - CLAIM || self.bytes > BYTES / 2 {
            return (0, 0);
        }
        (CLAIM, BYTES - self.bytes)
    }

    /// Puts a run at the end, if it has something to play and is not there yet.
    pub(super) fn wait(&mut self, run: RunId, lane: &mut Lane) {
        if lane.begins_to_wait() {
            self.turns.push_back(run);
        }
    }

    /// Whose turn it is.
    pub(super) fn next(&mut self) -> Option<RunId> {
        self.turns.pop_front()
    }

    /// A case came back from the pool.
    pub(super) const fn came_back(&mut self, bytes: usize) {
        self.playing -= 1;
        self.bytes = self.bytes.saturating_sub(bytes);
    }
}
