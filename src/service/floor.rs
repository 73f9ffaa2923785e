//! The runs that are under way: every event goes to the dispatcher, and what it says is done.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use super::dispatch::{Dispatch, Effect, Event, Load, UnderWay};
use super::guard::Guard;
use super::metrics::Played;
use super::play::Player;
use super::trial::Bounds;
use super::{Message, ServiceError, Session, now, span_of, tell};
use crate::domain::{LogLevel, RunId, SimulatorId, Verdict, crash_point};
use crate::store::{Claim, StoreError};

/// How often what comes back is called again.
const SOON: Duration = Duration::from_millis(20);

/// What a run is up to, for whoever watches.
#[derive(Debug, Clone, Copy)]
pub enum Progress<'a> {
    /// Another process, this one, holds the store.
    Waiting(&'a str),
    /// So many cases are to be done.
    Listed(u64),
    /// A case is done.
    Done(Verdict),
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
        self.handle(Event::Opened(way));
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

    /// Takes back all that is under way, and waits until nobody has anything of it any more: what came back
    /// later would change what is claimed anew. Nobody else may send to `events` then.
    ///
    /// # Errors
    /// A thread does not come back.
    pub(super) fn abandon(self, events: &Receiver<Message>) -> Result<(), ServiceError> {
        let Self { session, mut guard, events: ours, players, .. } = self;
        drop((ours, players));
        loop {
            session.host.step();
            session.engine.recall_all();
            if let Err(RecvTimeoutError::Disconnected) = events.recv_timeout(guard.every.min(SOON))
            {
                return Ok(());
            }
            guard.look();
            guard.verdict()?;
        }
    }

    /// Stops claiming, or claims again.
    pub(super) fn hold(&mut self, held: bool) {
        self.dispatch.hold(held);
        for effect in self.dispatch.wake() {
            self.carry_out(effect, &mut Vec::new());
        }
    }

    /// Takes back all that is being played; it waits to be played again.
    pub(super) fn take_back_all(&self) {
        self.session.engine.recall_all();
    }

    /// Whether no run is under way.
    pub(super) fn is_idle(&self) -> bool {
        self.dispatch.is_idle()
    }

    /// How much there is to do.
    pub(super) fn load(&self) -> Load {
        self.dispatch.load()
    }

    /// Whether nothing is left to do, or nobody to do it.
    pub(super) fn is_done(&self) -> bool {
        self.dispatch.is_done() || self.guard.is_alone()
    }

    /// Does what follows from an event; the runs that are over by it.
    pub(super) fn handle(&mut self, event: Event) -> Vec<RunId> {
        let mut over = Vec::new();
        if let Event::Opened(way) = &event {
            self.players.insert(way.run, self.player(*way));
        }
        if self.guard.is_welcome(&event) {
            for effect in self.dispatch.handle(event) {
                self.carry_out(effect, &mut over);
            }
        }
        over
    }

    /// Has an event handled in its turn.
    pub(super) fn say(&self, event: Event) {
        let _ = self.events.send(Ok(event));
    }

    /// Looks after the pool, now and then.
    pub(super) fn look(&mut self) {
        for case in self.guard.look() {
            let _about = span_of(case).entered();
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
                let metrics = Arc::clone(&self.session.metrics);
                let (begun, played) = (Instant::now(), Played::of(&cases));
                self.session.store.writer().finish(run, cases, now, move |committed| {
                    if committed.is_ok() {
                        metrics.see_commit(begun.elapsed(), &played);
                    }
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
            class: way.class,
            limits: config.limits,
            bounds: Bounds { bytes: config.engine.suspect_bytes, time: config.engine.backstop },
            events: self.events.clone(),
            suspects: self.session.metrics.suspects.clone(),
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
