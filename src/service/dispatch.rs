//! The one who decides what happens next: events in, effects out, nothing else touched.
//!
//! The row is the job: what waits is a number here and rows in the store. The pool is handed at most a
//! window of cases, and results go to the writer whenever it is idle, so that a busy writer makes large
//! batches by itself.

use crate::domain::CaseId;
use crate::store::{Claimed, Finished};

/// The most cases that are with the pool at a time; enough to keep it busy while the writer commits.
const WINDOW: usize = 512;

/// The most bytes of inputs and compared files that are with the pool at a time; a single case may have
/// more.
const WINDOW_BYTES: usize = 32 << 20;

/// The most results in one request to the writer.
const BATCH: usize = 512;

/// What happened.
#[derive(Debug)]
pub(super) enum Event {
    /// Cases were added.
    Added {
        /// So many wait to be played.
        queued: u64,
        /// So many were refused, and are done.
        refused: u64,
    },
    /// No more cases will be added.
    ListEnded,
    /// The writer handed out cases.
    Claimed(Vec<Claimed>),
    /// A case was evaluated; it held so many bytes.
    Evaluated(Box<Finished>, usize),
    /// A case came back without a verdict; it held so many bytes. It stays as it is.
    TakenBack(CaseId, usize),
    /// A case came back and is queued again, as a suspect; it held so many bytes.
    Suspected(CaseId, usize),
    /// A thread did not come back with its case, and never will.
    Lost,
    /// The writer committed what it was given.
    Committed,
    /// Somebody asked to stop.
    Stop,
}

impl Event {
    /// The case that came back.
    pub(super) fn case(&self) -> Option<CaseId> {
        match self {
            Self::Evaluated(case, _) => Some(case.id),
            Self::TakenBack(case, _) | Self::Suspected(case, _) => Some(*case),
            _ => None,
        }
    }
}

/// What is to be done.
#[derive(Debug)]
pub(super) enum Effect {
    /// Ask the writer for up to so many cases, and no more once they hold so many bytes.
    Claim(u32, usize),
    /// Hand a case to the pool.
    Play(Claimed),
    /// Give results to the writer.
    Finish(Vec<Finished>),
    /// Take back what is played.
    Cancel,
}

/// Where a run stands.
#[derive(Debug, Default)]
pub(super) struct Dispatch {
    queued: u64,
    claiming: bool,
    playing: usize,
    bytes: usize,
    finished: Vec<Finished>,
    committing: bool,
    list_ended: bool,
    /// Nothing more is claimed.
    stopping: bool,
}

impl Dispatch {
    /// Takes note of an event and says what is to be done.
    pub(super) fn handle(&mut self, event: Event) -> Vec<Effect> {
        let mut effects = Vec::new();
        match event {
            Event::Added { queued, .. } => self.queued += queued,
            Event::ListEnded => self.list_ended = true,
            Event::Claimed(cases) => {
                self.claiming = false;
                self.queued = self.queued.saturating_sub(cases.len() as u64);
                self.playing += cases.len();
                self.bytes += cases.iter().map(Claimed::bytes).sum::<usize>();
                effects.extend(cases.into_iter().map(Effect::Play));
            }
            Event::Evaluated(case, bytes) => {
                self.came_back(bytes);
                self.finished.push(*case);
            }
            Event::TakenBack(_, bytes) => self.came_back(bytes),
            Event::Suspected(_, bytes) => {
                self.came_back(bytes);
                self.queued += 1;
            }
            Event::Lost => {
                self.playing -= 1;
                self.stopping = true;
            }
            Event::Committed => self.committing = false,
            Event::Stop => {
                self.stopping = true;
                effects.push(Effect::Cancel);
            }
        }
        self.finish(&mut effects);
        self.claim(&mut effects);
        effects
    }

    /// Whether everything is played and committed, or, after a stop, whatever was begun.
    pub(super) fn is_done(&self) -> bool {
        let idle = !self.claiming && !self.committing && self.playing == 0;
        let all = self.list_ended && self.queued == 0;
        (all || self.stopping) && idle && self.finished.is_empty()
    }

    fn came_back(&mut self, bytes: usize) {
        self.playing -= 1;
        self.bytes -= bytes;
    }

    fn finish(&mut self, effects: &mut Vec<Effect>) {
        if !self.committing && !self.finished.is_empty() {
            self.committing = true;
            let most = self.finished.len().min(BATCH);
            effects.push(Effect::Finish(self.finished.drain(..most).collect()));
        }
    }

    /// Claims when half of the window is free, so that claims are not tiny.
    fn claim(&mut self, effects: &mut Vec<Effect>) {
        let busy = self.playing + self.finished.len();
        let free = busy <= WINDOW / 2 && self.bytes <= WINDOW_BYTES / 2;
        if free && !self.claiming && !self.stopping && self.queued > 0 {
            self.claiming = true;
            let room = u32::try_from(WINDOW - busy).unwrap_or(u32::MAX);
            let cases = u32::try_from(self.queued).unwrap_or(u32::MAX).min(room);
            effects.push(Effect::Claim(cases, WINDOW_BYTES - self.bytes));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Dispatch, Effect, Event};

    fn added(queued: u64) -> Event {
        Event::Added { queued, refused: 0 }
    }

    fn claims(effects: &[Effect]) -> Vec<u32> {
        let claim = |effect: &Effect| match effect {
            Effect::Claim(most, _) => Some(*most),
            _ => None,
        };
        effects.iter().filter_map(claim).collect()
    }

    #[test]
    fn one_claim_is_under_way_at_a_time_and_never_more_than_the_window() {
        let mut dispatch = Dispatch::default();
        assert_eq!(claims(&dispatch.handle(added(1_000_000))), [512]);
        assert_eq!(claims(&dispatch.handle(added(5))), Vec::<u32>::new());
    }

    #[test]
    fn an_empty_list_is_done_at_once() {
        let mut dispatch = Dispatch::default();
        assert!(!dispatch.is_done());
        dispatch.handle(Event::ListEnded);
        assert!(dispatch.is_done());
    }

    #[test]
    fn after_a_stop_nothing_is_claimed_and_what_waits_is_left() {
        let mut dispatch = Dispatch::default();
        dispatch.handle(added(1_000));
        let effects = dispatch.handle(Event::Stop);
        assert!(matches!(effects[..], [Effect::Cancel]));
        assert!(!dispatch.is_done(), "a claim is under way");
        assert_eq!(claims(&dispatch.handle(Event::Claimed(Vec::new()))), Vec::<u32>::new());
        assert!(dispatch.is_done());
    }

    #[test]
    fn nothing_is_done_while_a_case_is_queued() {
        let mut dispatch = Dispatch::default();
        dispatch.handle(added(1));
        dispatch.handle(Event::ListEnded);
        assert!(!dispatch.is_done());
    }
}
