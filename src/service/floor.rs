//! The runs that are under way: every event goes to the dispatcher, and what it says is done.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};

use super::dispatch::{Dispatch, Effect, Event};
use super::guard::Guard;
use super::play::Player;
use super::run::Progress;
use super::trial::Bounds;
use super::{Message, ServiceError, Session, now, tell};
use crate::domain::{Class, CompareMode, LogLevel, RunId, SimulatorId, Verdict, crash_point};
use crate::store::{Claim, StoreError};

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

/// All runs that are under way.
pub(super) struct Floor<'a> {
    session: &'a Session,
    events: Sender<Message>,
    players: HashMap<RunId, Player>,
    dispatch: Dispatch,
    pub(super) guard: Guard<'a>,
}

impl<'a> Floor<'a> {
    pub(super) fn new(session: &'a Session, events: Sender<Message>) -> Self {
        let guard = Guard::new(session);
        Self { session, events, players: HashMap::new(), dispatch: Dispatch::default(), guard }
    }

    /// Begins to play a run.
    pub(super) fn open(&mut self, way: UnderWay) {
        let UnderWay { run, class, queued, .. } = way;
        self.players.insert(run, self.player(way));
        self.handle(Event::Opened { run, class, queued });
    }

    /// Handles events until nothing is left to do.
    pub(super) fn handle_all(
        &mut self,
        events: &Receiver<Message>,
        watch: &mut dyn FnMut(Progress<'_>),
    ) -> Result<(), ServiceError> {
        while !self.is_done() {
            match events.recv_timeout(self.guard.every) {
                Err(RecvTimeoutError::Disconnected) => return Err(StoreError::Stopped.into()),
                Err(RecvTimeoutError::Timeout) => {}
                Ok(event) => {
                    let event = event?;
                    show(&event, watch);
                    self.handle(event);
                }
            }
            self.look();
        }
        self.guard.verdict()
    }

    /// Whether nothing is left to do, or nobody to do it.
    pub(super) fn is_done(&self) -> bool {
        self.dispatch.is_done() || self.guard.is_alone()
    }

    /// Does what follows from an event; the runs that are over by it.
    pub(super) fn handle(&mut self, event: Event) -> Vec<RunId> {
        let mut over = Vec::new();
        if self.guard.is_welcome(&event) {
            for effect in self.dispatch.handle(event) {
                self.carry_out(effect, &mut over);
            }
        }
        over
    }

    /// Looks after the pool, now and then.
    pub(super) fn look(&mut self) {
        for case in self.guard.look() {
            let line = tell(LogLevel::Error, "its thread does not come back".to_owned());
            self.session.store.writer().suspect(case, line, |_| ());
            for effect in self.dispatch.handle(Event::Lost(case)) {
                self.carry_out(effect, &mut Vec::new());
            }
        }
    }

    fn carry_out(&mut self, effect: Effect, over: &mut Vec<RunId>) {
        match effect {
            Effect::Claim(run, most, bytes) => self.claim(run, most, bytes),
            Effect::Play(case) => {
                if let Some(player) = self.players.get(&case.id.run) {
                    player.clone().play(case);
                }
            }
            Effect::Finish(run, cases) => {
                let events = self.events.clone();
                self.session.store.writer().finish(run, cases, now, move |committed| {
                    let event = committed.map(|()| Event::Committed(run));
                    let _ = events.send(event.map_err(ServiceError::from));
                });
            }
            Effect::Over(run) => {
                self.players.remove(&run);
                over.push(run);
            }
            Effect::Cancel => self.session.engine.cancel(),
        }
    }

    fn claim(&self, run: RunId, most: u32, bytes: usize) {
        let events = self.events.clone();
        let fresh = self.players.get(&run).is_some_and(|player| player.fresh);
        let claim = Claim { run, most, bytes, version: SimulatorId::version, fresh };
        self.session.store.writer().claim(claim, move |cases| {
            crash_point("after-claim");
            let event = cases.map(|cases| Event::Claimed(run, most, cases));
            let _ = events.send(event.map_err(ServiceError::from));
        });
    }

    fn player(&self, way: UnderWay) -> Player {
        let config = &self.session.config;
        Player {
            writer: self.session.store.writer(),
            engine: self.session.engine.clone(),
            mode: way.mode,
            fresh: way.fresh,
            limits: config.limits,
            bounds: Bounds { bytes: config.engine.suspect_bytes, time: config.engine.backstop },
            events: self.events.clone(),
        }
    }
}

fn show(event: &Event, watch: &mut dyn FnMut(Progress<'_>)) {
    match event {
        Event::Evaluated(case, _) => watch(Progress::Done(case.verdict)),
        Event::Added { refused, .. } => {
            (0..*refused).for_each(|_| watch(Progress::Done(Verdict::BadIn)));
        }
        _ => {}
    }
}
