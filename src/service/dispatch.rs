//! The one who decides what happens next: events in, effects out, nothing else touched.
//!
//! The row is the job: what waits is a number for each run here and rows in the store. The pool is handed at
//! most a window of cases of each class, and plays the high one first; among the runs of a class the one
//! that was served least recently is next. Results of a run go to the writer whenever it is idle with that
//! run, so that a busy writer makes large batches by itself.

mod lane;
mod window;

use std::collections::HashMap;

use lane::Lane;
use window::{Window, Windows};

use crate::domain::{CaseId, Class, CompareMode, RunId};
use crate::store::{Claimed, Finished};

/// The most results in one request to the writer.
const BATCH: usize = 512;

/// A run that is to be played.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnderWay {
    pub(super) run: RunId,
    pub(super) mode: CompareMode,
    pub(super) fresh: bool,
    pub(super) class: Class,
    /// How many of its cases wait in the store.
    pub(super) queued: u64,
}

/// What happened.
#[derive(Debug)]
pub(super) enum Event {
    /// A run was begun, or somebody goes on with it.
    Opened(UnderWay),
    /// Cases were added to a run.
    Added {
        /// Which run.
        run: RunId,
        /// So many wait to be played.
        queued: u64,
        /// So many were refused, and are done.
        refused: u64,
    },
    /// No more cases will be added to a run.
    ListEnded(RunId),
    /// The writer handed out cases of a run; it was asked for so many.
    Claimed(RunId, u32, Vec<Claimed>),
    /// A case was evaluated; it held so many bytes.
    Evaluated(Box<Finished>, usize),
    /// A case came back without a verdict; it held so many bytes. It stays as it is.
    TakenBack(CaseId, usize),
    /// A case came back and is queued again; it held so many bytes.
    QueuedAgain(CaseId, usize),
    /// A thread did not come back with its case, and never will.
    Lost(CaseId),
    /// The writer committed what it was given of a run.
    Committed(RunId),
    /// Somebody took a run back.
    Cancelled(RunId),
    /// Nothing more is to be claimed; what was begun comes to its end.
    Drain,
    /// Somebody asked to stop.
    Stop,
}

impl Event {
    /// The case that came back.
    pub(super) fn case(&self) -> Option<CaseId> {
        match self {
            Self::Evaluated(case, _) => Some(case.id),
            Self::TakenBack(case, _) | Self::QueuedAgain(case, _) => Some(*case),
            _ => None,
        }
    }
}

/// What is to be done.
#[derive(Debug)]
pub(super) enum Effect {
    /// Ask the writer for up to so many cases of a run, and no more once they hold so many bytes.
    Claim(RunId, u32, usize),
    /// Hand a case to the pool.
    Play(Claimed),
    /// Give results of a run to the writer.
    Finish(RunId, Vec<Finished>),
    /// Everything of a run is played and committed.
    Over(RunId),
    /// Take back what is played.
    Cancel,
}

/// Where all runs stand.
#[derive(Debug, Default)]
pub(super) struct Dispatch {
    lanes: HashMap<RunId, Lane>,
    windows: Windows,
    /// Nothing more is claimed.
    stopping: bool,
    /// Nothing is claimed for now.
    held: bool,
}

/// How much there is to do.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Load {
    /// Runs that are not over.
    pub(super) runs: usize,
    /// Cases that wait, by class.
    pub(super) queued_high: u64,
    pub(super) queued_normal: u64,
    /// Cases on their way from being claimed to being committed.
    pub(super) playing: usize,
}

impl Dispatch {
    /// Takes note of an event and says what is to be done.
    pub(super) fn handle(&mut self, event: Event) -> Vec<Effect> {
        let mut effects = Vec::new();
        match event {
            Event::Opened(UnderWay { run, class, queued, .. }) => {
                self.lanes.insert(run, Lane::new(class));
                self.add(run, queued);
                self.settle(run, &mut effects);
            }
            Event::Added { run, queued, .. } => self.add(run, queued),
            Event::ListEnded(run) => {
                self.with(run, |lane, _| lane.list_ended = true);
                self.settle(run, &mut effects);
            }
            Event::Claimed(run, asked, cases) => self.claimed(run, asked, cases, &mut effects),
            Event::Evaluated(case, bytes) => {
                let run = case.id.run;
                self.came_back(run, bytes);
                self.with(run, |lane, window| {
                    window.finishing += 1;
                    lane.finished.push(*case);
                });
                self.settle(run, &mut effects);
            }
            Event::TakenBack(case, bytes) => {
                self.came_back(case.run, bytes);
                self.settle(case.run, &mut effects);
            }
            Event::QueuedAgain(case, bytes) => {
                self.came_back(case.run, bytes);
                self.add(case.run, 1);
            }
            Event::Lost(case) => {
                self.came_back(case.run, 0);
                self.stopping = true;
            }
            Event::Committed(run) => {
                self.with(run, |lane, window| window.finishing -= lane.committed());
                self.settle(run, &mut effects);
            }
            Event::Cancelled(run) => {
                self.with(run, |lane, _| lane.cancel());
                self.settle(run, &mut effects);
            }
            Event::Drain => self.stopping = true,
            Event::Stop => {
                self.stopping = true;
                effects.push(Effect::Cancel);
            }
        }
        self.claim(&mut effects);
        effects
    }

    /// Stops claiming, or claims again.
    pub(super) const fn hold(&mut self, held: bool) {
        self.held = held;
    }

    /// Claims, if that is held no more.
    pub(super) fn wake(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        self.claim(&mut effects);
        effects
    }

    /// Whether no run is under way.
    pub(super) fn is_idle(&self) -> bool {
        self.lanes.is_empty()
    }

    /// How much there is to do.
    pub(super) fn load(&self) -> Load {
        let playing = self.windows.busy();
        let mut load = Load { runs: self.lanes.len(), playing, ..Load::default() };
        for lane in self.lanes.values() {
            match lane.class {
                Class::High => load.queued_high += lane.queued,
                Class::Normal => load.queued_normal += lane.queued,
            }
        }
        load
    }

    /// Whether nothing is left to do, or, after a stop, nothing that was begun.
    pub(super) fn is_done(&self) -> bool {
        self.windows.busy() == 0 && (self.stopping || self.lanes.is_empty())
    }

    /// Changes a run that is not over, and the window of its class.
    fn with(&mut self, run: RunId, change: impl FnOnce(&mut Lane, &mut Window)) {
        if let Some(lane) = self.lanes.get_mut(&run) {
            let window = self.windows.of(lane.class);
            change(lane, window);
        }
    }

    fn add(&mut self, run: RunId, queued: u64) {
        self.with(run, |lane, window| {
            lane.queued += queued;
            window.wait(run, lane);
        });
    }

    fn claimed(&mut self, run: RunId, asked: u32, cases: Vec<Claimed>, effects: &mut Vec<Effect>) {
        self.with(run, |lane, window| {
            window.claiming -= asked as usize;
            window.playing += cases.len();
            window.bytes += cases.iter().map(Claimed::bytes).sum::<usize>();
            lane.claimed(asked, cases.len());
            window.wait(run, lane);
        });
        effects.extend(cases.into_iter().map(Effect::Play));
        self.settle(run, effects);
    }

    fn came_back(&mut self, run: RunId, bytes: usize) {
        self.with(run, |lane, window| {
            lane.playing -= 1;
            window.came_back(bytes);
        });
    }

    /// Gives a run's results to the writer if it is idle with that run; takes note when the run is over.
    fn settle(&mut self, run: RunId, effects: &mut Vec<Effect>) {
        let Some(lane) = self.lanes.get_mut(&run) else { return };
        if let Some(results) = lane.next_batch(BATCH) {
            effects.push(Effect::Finish(run, results));
        }
        if lane.is_over() {
            self.lanes.remove(&run);
            effects.push(Effect::Over(run));
        }
    }

    /// Claims what there is room for, the urgent first; of small runs many at a time, for one transaction.
    fn claim(&mut self, effects: &mut Vec<Effect>) {
        if self.stopping || self.held {
            return;
        }
        for class in Class::ALL {
            let window = self.windows.of(class);
            let (mut room, bytes) = window.room();
            while room > 0
                && let Some(run) = window.next()
            {
                // A run that was taken back meanwhile has nothing to play.
                let Some(lane) = self.lanes.get_mut(&run).filter(|lane| lane.queued > 0) else {
                    continue;
                };
                let most = lane.claim(room);
                room -= most as usize;
                window.claiming += most as usize;
                effects.push(Effect::Claim(run, most, bytes));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::CompareMode;
    use super::{Class, Dispatch, Effect, Event, RunId, UnderWay};

    const RUN: RunId = RunId(1);

    fn opened(run: RunId, class: Class, queued: u64) -> Event {
        Event::Opened(UnderWay { run, class, queued, mode: CompareMode::Lines, fresh: false })
    }

    fn claims(effects: &[Effect]) -> Vec<(i64, u32)> {
        let claim = |effect: &Effect| match effect {
            Effect::Claim(run, most, _) => Some((run.0, *most)),
            _ => None,
        };
        effects.iter().filter_map(claim).collect()
    }

    #[test]
    fn a_large_run_has_one_claim_at_a_time_and_never_more_than_the_window() {
        let mut dispatch = Dispatch::default();
        let effects = dispatch.handle(opened(RUN, Class::Normal, 1_000_000));
        assert_eq!(claims(&effects), [(1, 512)]);
        let added = Event::Added { run: RUN, queued: 5, refused: 0 };
        assert_eq!(claims(&dispatch.handle(added)), []);
    }

    #[test]
    fn runs_of_a_class_take_turns() {
        let mut dispatch = Dispatch::default();
        dispatch.handle(opened(RunId(1), Class::Normal, 1_000));
        let effects = dispatch.handle(opened(RunId(2), Class::Normal, 1_000));
        assert_eq!(claims(&effects), [(2, 512)]);
        assert_eq!(claims(&dispatch.handle(opened(RunId(3), Class::Normal, 100))), []);
        let effects = dispatch.handle(Event::Claimed(RunId(1), 512, Vec::new()));
        assert_eq!(claims(&effects), [(3, 100), (1, 412)]);
    }

    #[test]
    fn a_run_of_the_high_class_is_claimed_though_the_window_is_full_of_normal_cases() {
        let mut dispatch = Dispatch::default();
        dispatch.handle(opened(RunId(1), Class::Normal, 1_000));
        assert_eq!(claims(&dispatch.handle(opened(RunId(2), Class::High, 7))), [(2, 7)]);
        assert_eq!(dispatch.load().playing, 519);
    }

    #[test]
    fn a_window_of_the_high_class_is_bounded_too_and_is_filled_first() {
        let mut dispatch = Dispatch::default();
        dispatch.hold(true);
        dispatch.handle(opened(RunId(1), Class::Normal, 1_000));
        dispatch.handle(opened(RunId(2), Class::High, 1_000));
        dispatch.hold(false);
        assert_eq!(claims(&dispatch.wake()), [(2, 512), (1, 512)]);
        assert_eq!(claims(&dispatch.handle(opened(RunId(3), Class::High, 1_000))), [(3, 512)]);
        assert_eq!(claims(&dispatch.handle(opened(RunId(4), Class::High, 1))), []);
    }

    #[test]
    fn many_small_runs_are_claimed_together() {
        let mut dispatch = Dispatch::default();
        dispatch.handle(opened(RunId(1), Class::Normal, 512));
        dispatch.handle(opened(RunId(9), Class::Normal, 512));
        for run in 2..5 {
            dispatch.handle(opened(RunId(run), Class::Normal, 1));
        }
        let effects = dispatch.handle(Event::Claimed(RunId(1), 512, Vec::new()));
        assert_eq!(claims(&effects), [(2, 1), (3, 1), (4, 1)]);
    }

    #[test]
    fn an_empty_list_is_over_at_once() {
        let mut dispatch = Dispatch::default();
        dispatch.handle(opened(RUN, Class::Normal, 0));
        assert!(!dispatch.is_done());
        let effects = dispatch.handle(Event::ListEnded(RUN));
        assert!(matches!(effects[..], [Effect::Over(RUN)]));
        assert!(dispatch.is_done());
    }

    #[test]
    fn after_a_stop_nothing_is_claimed_and_what_waits_is_left() {
        let mut dispatch = Dispatch::default();
        dispatch.handle(opened(RUN, Class::Normal, 1_000));
        let effects = dispatch.handle(Event::Stop);
        assert!(matches!(effects[..], [Effect::Cancel]));
        assert!(!dispatch.is_done(), "a claim is under way");
        let effects = dispatch.handle(Event::Claimed(RUN, 512, Vec::new()));
        assert_eq!(claims(&effects), []);
        assert!(dispatch.is_done());
    }

    #[test]
    fn nothing_is_done_while_a_case_is_queued() {
        let mut dispatch = Dispatch::default();
        dispatch.handle(opened(RUN, Class::Normal, 1));
        dispatch.handle(Event::ListEnded(RUN));
        assert!(!dispatch.is_done());
    }
}
