//! Serving by one set of settings: stretch after stretch, each until something breaks or all is to end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};

use super::board::Board;
use super::caretaker::Caretaker;
use super::intake::Intake;
use super::monitor::Monitor;
use super::places::Places;
use super::projector::Projector;
use super::pulse::Pulse;
use super::renewal::Renewal;
use super::requests::Requests;
use super::{Said, Serving};
use crate::domain::{RunId, RunState, chain};
use crate::service::dispatch::{Event, UnderWay};
use crate::service::floor::Floor;
use crate::service::host::watch;
use crate::service::{Message, ServiceError, Session, catching_panics};
use crate::store::{Reader, RunChoice, StoreError};

/// How often what the daemon says of itself is written.
const BEAT_EVERY: Duration = Duration::from_secs(1);

/// How often requests are looked for.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// How long putting back and writing back may take after `drain`.
pub(super) const REST: Duration = Duration::from_secs(30);

/// Serves by the settings of a session.
pub(super) struct Server<'a> {
    session: &'a Session,
    serving: &'a Serving,
    places: &'a Places,
    board: &'a Board,
    pulse: &'a mut Pulse,
    say: &'a mut dyn FnMut(Said<'_>),
    beaten: Option<Instant>,
    /// When what is still being played is taken back, because all of it is to end.
    deadline: Option<Instant>,
    /// What is to be served next.
    renewal: Option<Renewal>,
}

impl<'a> Server<'a> {
    pub(super) fn new(
        session: &'a Session,
        serving: &'a Serving,
        places: &'a Places,
        board: &'a Board,
        pulse: &'a mut Pulse,
        say: &'a mut dyn FnMut(Said<'_>),
    ) -> Self {
        let (beaten, deadline, renewal) = (None, None, None);
        Self { session, serving, places, board, pulse, say, beaten, deadline, renewal }
    }

    /// Serves until the end, or until something else is to be served, which is the answer.
    pub(super) fn run(mut self) -> Result<Option<Renewal>, ServiceError> {
        let session = self.session;
        let monitor = Monitor::new(session, self.board, self.serving);
        thread::scope(|scope| {
            let (_serving, over) = mpsc::channel();
            scope.spawn(move || watch(session, &over));
            let (_monitored, over) = mpsc::channel();
            scope.spawn(move || monitor.run(&over));
            while !self.is_over()? {}
            Ok(self.renewal)
        })
    }

    /// Serves for a stretch; `false` if it is to be tried again.
    fn is_over(&mut self) -> Result<bool, ServiceError> {
        match self.stretch() {
            Err(error) if error.may_pass() => {
                tracing::warn!("{}", chain(&error));
                self.board.set_trouble(Some(chain(&error)));
                Ok(!self.wait_for_better() || self.renewal.is_some())
            }
            ended => ended.map(|()| true),
        }
    }

    /// Serves until the end, or until something breaks.
    fn stretch(&mut self) -> Result<(), ServiceError> {
        let (sender, events) = mpsc::channel();
        let (bell, rung) = mpsc::sync_channel(1);
        let (to_project, projecting) = mpsc::channel();
        let (to_prune, pruning) = mpsc::channel();
        let (over, hurry) = (AtomicBool::new(false), AtomicBool::new(false));
        let (over, hurry) = (&over, &hurry);
        let (session, places, board) = (self.session, self.places, self.board);
        let mut floor = Floor::new(session, sender.clone());
        floor.hold(board.is_paused());
        let reader = session.reader()?;
        for run in reader.runs_to_write_out()? {
            let _ = to_project.send(run);
        }
        let mut requests = Requests::new(session, places, board, to_prune)?;
        let intake = Intake::new(session, places, board, sender.clone(), bell.clone(), over)?;
        go_on(&mut floor, &reader)?;
        session.host.tell(sender.clone());
        board.set_load(floor.load());
        board.begin(session, &places.inboxes);
        self.begun();
        let ended = thread::scope(|scope| {
            spawn(scope, &sender, move || intake.run(&rung));
            spawn(scope, &sender, move || {
                Projector::new(session, places, board, hurry).run(&projecting)
            });
            spawn(scope, &sender, move || Caretaker::new(session, over).run(&pruning));
            let ended = self.handle_all(&mut floor, &events, &to_project, &mut requests);
            over.store(true, Ordering::Relaxed);
            hurry.store(self.deadline.is_some() || ended.is_err(), Ordering::Relaxed);
            let _ = bell.try_send(());
            drop(to_project);
            ended
        });
        board.set_load(floor.load());
        session.host.hush();
        drop(sender);
        match ended {
            Err(error) if error.may_pass() => floor.abandon(&events).and(Err(error)),
            ended => ended,
        }
    }

    /// Says that everything is watched.
    fn begun(&mut self) {
        self.session.host.supervisor().status(&self.board.line());
        self.session.host.ready();
        (self.say)(Said::Serving);
    }

    fn handle_all(
        &mut self,
        floor: &mut Floor<'_>,
        events: &Receiver<Message>,
        to_project: &Sender<RunId>,
        requests: &mut Requests<'_>,
    ) -> Result<(), ServiceError> {
        let reader = self.session.reader()?;
        let begun = Instant::now();
        loop {
            self.session.host.step();
            let wait = floor.guard.every.min(LOOK_EVERY);
            // What was said before the inboxes were drained must be heard before that counts.
            let (drained, mut quiet) = (self.board.is_drained(), false);
            match events.recv_timeout(wait) {
                Err(RecvTimeoutError::Disconnected) => return Err(StoreError::Stopped.into()),
                Err(RecvTimeoutError::Timeout) => quiet = true,
                Ok(Ok(Event::Stop)) => self.stop(floor),
                Ok(event) => {
                    let event = event?;
                    self.board.see(&event);
                    for run in floor.handle(event) {
                        self.over(run, &reader)?;
                        let _ = to_project.send(run);
                    }
                }
            }
            floor.look();
            requests.look(floor)?;
            if self.obey() {
                self.drain(floor);
            }
            if self.is_beat_due() {
                if begun.elapsed() >= self.session.config.serve.probe {
                    self.board.set_trouble(None);
                }
                self.board.set_load(floor.load());
                self.beat();
                self.pulse.look(Instant::now(), self.board.progress());
            }
            match self.deadline {
                _ if floor.guard.has_lost() && floor.is_done() => {
                    floor.guard.verdict()?;
                }
                // What ran within the time that it had is done by now; the rest goes back.
                Some(_) if floor.is_done() => return self.release_all(),
                Some(at) if Instant::now() >= at => self.session.engine.cancel(),
                None if self.serving.once && quiet && drained && floor.is_idle() => {
                    return Ok(());
                }
                _ => {}
            }
        }
    }

    /// Begins to stop.
    fn stop(&mut self, floor: &mut Floor<'_>) {
        self.drain(floor);
        self.board.set_stopping();
        self.beaten = None;
        let drain = self.session.config.serve.drain;
        self.session.host.supervisor().stopping(drain.saturating_add(REST));
    }

    /// Claims nothing more, and gives what was begun its time to end.
    fn drain(&mut self, floor: &mut Floor<'_>) {
        let drain = self.session.config.serve.drain;
        self.deadline.get_or_insert(Instant::now() + drain);
        floor.handle(Event::Drain);
    }

    /// Does what signals ask for, apart from stopping; whether other settings are to be served from now on.
    fn obey(&mut self) -> bool {
        let host = &self.session.host;
        if host.take_status() {
            (self.say)(Said::Status(&self.board.now(self.session)));
        }
        host.take_reload() && host.stopped().is_none() && self.renew()
    }

    /// Reads the settings anew. If something is wrong with them, those that there are stay, and it is said.
    fn renew(&mut self) -> bool {
        let host = &self.session.host;
        host.supervisor().reloading();
        self.beaten = None;
        match Renewal::read(self.session, self.serving) {
            Ok(renewal) => {
                tracing::info!("the settings were read anew");
                host.supervisor().status("letting end what is played, to serve by other settings");
                self.board.set_config_error(None);
                self.renewal = Some(renewal);
            }
            Err(error) => {
                let reason = chain(&error);
                tracing::error!("the settings stay as they were: {reason}");
                self.board.set_config_error(Some(reason));
                if self.renewal.is_none() {
                    host.ready();
                }
            }
        }
        self.renewal.is_some()
    }

    /// Takes note of a run that is over.
    fn over(&self, run: RunId, reader: &Reader) -> Result<(), ServiceError> {
        let record = reader.run(&RunChoice::Id(run))?;
        if !record.is_some_and(|run| run.is_fine()) {
            self.board.set_not_fine();
        }
        Ok(())
    }

    /// Waits until the store can be written again; `false` if somebody asked to stop meanwhile.
    fn wait_for_better(&mut self) -> bool {
        while self.wait_for_probe() {
            match self.release_all() {
                Ok(()) if self.places.is_usable() => return true,
                Ok(()) => {}
                Err(error) => tracing::debug!("still in trouble: {}", chain(&error)),
            }
        }
        false
    }

    /// Waits until it is time to try again, and says meanwhile that somebody is there; `false` if somebody
    /// asked to stop.
    fn wait_for_probe(&mut self) -> bool {
        let begun = Instant::now();
        while begun.elapsed() < self.session.config.serve.probe {
            self.session.host.step();
            if self.session.stopped().is_some() {
                return false;
            }
            if self.obey() {
                return true;
            }
            if self.is_beat_due() {
                self.beat();
            }
            thread::park_timeout(Duration::from_millis(50));
        }
        true
    }

    /// Says how it is.
    fn beat(&self) {
        self.board.beat(self.session);
        if self.renewal.is_none() {
            self.session.host.supervisor().status(&self.board.line());
        }
    }

    /// Whether it is time to say how it is; the time until the next one begins then.
    fn is_beat_due(&mut self) -> bool {
        let is_due = self.beaten.is_none_or(|at| at.elapsed() >= BEAT_EVERY);
        if is_due {
            self.beaten = Some(Instant::now());
        }
        is_due
    }

    /// What was being played waits again.
    fn release_all(&self) -> Result<(), ServiceError> {
        let writer = self.session.store.writer();
        let runs = self.session.reader()?.unfinished_runs()?;
        Ok(runs.iter().try_for_each(|run| writer.release(run.id))?)
    }
}

/// Starts a thread; whatever goes wrong in it is said to this one.
fn spawn<'scope>(
    scope: &'scope Scope<'scope, '_>,
    events: &Sender<Message>,
    work: impl FnOnce() -> Result<(), ServiceError> + Send + 'scope,
) {
    let failed = events.clone();
    scope.spawn(move || {
        if let Err(error) = catching_panics(work) {
            let _ = failed.send(Err(error));
        }
    });
}

/// Opens the runs that were not over when the daemon ended. One that was not taken in completely is the
/// intake's.
fn go_on(floor: &mut Floor<'_>, reader: &Reader) -> Result<(), ServiceError> {
    for run in reader.unfinished_runs()? {
        if run.state == RunState::Open {
            floor.open(UnderWay::of(&run));
            floor.handle(Event::ListEnded(run.id));
        }
    }
    Ok(())
}
