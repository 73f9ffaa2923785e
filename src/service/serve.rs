//! The daemon: what lands in an inbox is taken in, played, put away and written out, and people steer it.
//!
//! Four threads around the pool and the writer: the intake looks at the inboxes and takes in, the
//! projector writes `out/`, the caretaker removes what is no longer wanted, and this one handles what
//! happens. When the world breaks (a full disk, a directory that is gone) all that is under way is dropped,
//! and after a while it starts again from what the store has: the row is the job.

mod board;
mod caretaker;
mod intake;
mod places;
mod projector;
mod pulse;
mod requests;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};

use board::Board;
use caretaker::Caretaker;
use intake::Intake;
use places::Places;
use projector::Projector;
use pulse::Pulse;
use requests::Requests;

use super::dispatch::{Event, UnderWay};
use super::floor::Floor;
use super::{Message, ServiceError, Session, StopSignal, catching_panics};
use crate::domain::{RunId, RunState, chain};
use crate::store::{Reader, RunChoice, StoreError};

/// How often what the daemon says of itself is written.
const BEAT_EVERY: Duration = Duration::from_secs(1);

/// How often requests are looked for.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// What is to be served.
#[derive(Debug, Clone)]
pub struct Serving {
    /// The directories that are watched; none means the one of the settings.
    pub inboxes: Vec<std::path::PathBuf>,
    /// Whether to end when nothing is left in them.
    pub once: bool,
}

/// How serving ended.
#[derive(Debug)]
pub struct Served {
    /// Who stopped it, if anybody did.
    pub stopped: Option<StopSignal>,
    /// Whether everything that was evaluated is fine.
    pub fine: bool,
}

impl Session {
    /// Serves inboxes until somebody asks to stop, or, once, until they are empty. `ready` is called when
    /// everything is watched.
    ///
    /// # Errors
    /// [`ServiceError`]: a directory that cannot be used, a lost thread, a bug of ours, a damaged store. A
    /// full disk is none: it is waited for.
    pub fn serve(
        &self,
        serving: &Serving,
        ready: &mut dyn FnMut(),
    ) -> Result<Served, ServiceError> {
        let places = Places::make(&self.config, &serving.inboxes)?;
        let board = Board::default();
        board.set_paused(self.reader()?.beat()?.is_some_and(|beat| beat.paused));
        if board.is_paused() {
            tracing::warn!("paused: nothing is played before `simdrop resume`");
        }
        let mut server = Server {
            session: self,
            places: &places,
            board: &board,
            once: serving.once,
            fine: true,
            pulse: Pulse::new(Instant::now()),
            beaten: None,
        };
        let mut told = false;
        let mut ready = || {
            if !std::mem::replace(&mut told, true) {
                ready();
            }
        };
        loop {
            match server.stretch(&mut ready) {
                Ok(()) => break,
                Err(error) if error.may_pass() => {
                    tracing::warn!("{}", chain(&error));
                    board.set_trouble(Some(chain(&error)));
                    if !server.wait_for_better() {
                        break;
                    }
                }
                Err(error) => return Err(error),
            }
        }
        server.pulse.tell(board.progress());
        let fine = server.fine && !board.has_rejected();
        Ok(Served { stopped: self.stopped(), fine })
    }
}

struct Server<'a> {
    session: &'a Session,
    places: &'a Places,
    board: &'a Board,
    once: bool,
    fine: bool,
    pulse: Pulse,
    beaten: Option<Instant>,
}

impl Server<'_> {
    /// Serves until the end, or until something breaks.
    fn stretch(&mut self, ready: &mut dyn FnMut()) -> Result<(), ServiceError> {
        let (sender, events) = mpsc::channel();
        let (bell, rung) = mpsc::sync_channel(1);
        let (to_project, projecting) = mpsc::channel();
        let (to_prune, pruning) = mpsc::channel();
        let over = AtomicBool::new(false);
        let session = self.session;
        let (places, board) = (self.places, self.board);
        let mut floor = Floor::new(session, sender.clone());
        floor.hold(board.is_paused());
        let reader = session.reader()?;
        for run in reader.runs_to_write_out()? {
            let _ = to_project.send(run);
        }
        let mut requests = Requests::new(session, places, board, to_prune)?;
        let intake = Intake::new(session, places, board, sender.clone(), bell.clone())?;
        go_on(&mut floor, &reader)?;
        session.host.tell(sender.clone());
        board.set_load(floor.load());
        board.begin(session, &places.inboxes);
        ready();
        let ended = thread::scope(|scope| {
            let (over_ref, taken) = (&over, rung);
            spawn(scope, &sender, move || intake.run(&taken, over_ref));
            spawn(scope, &sender, move || Projector::new(session, places).run(&projecting));
            spawn(scope, &sender, move || Caretaker::new(session, over_ref).run(&pruning));
            let ended = self.handle_all(&mut floor, &events, &to_project, &mut requests);
            over.store(true, Ordering::Relaxed);
            let _ = bell.try_send(());
            drop(to_project);
            ended
        });
        self.board.set_load(floor.load());
        session.host.hush();
        drop(sender);
        match ended {
            Err(error) if error.may_pass() => floor.abandon(&events).and(Err(error)),
            ended => ended,
        }
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
        let mut deadline = None;
        loop {
            let wait = floor.guard.every.min(LOOK_EVERY);
            // What was said before the inboxes were drained must be heard before that counts.
            let (drained, mut quiet) = (self.board.is_drained(), false);
            match events.recv_timeout(wait) {
                Err(RecvTimeoutError::Disconnected) => return Err(StoreError::Stopped.into()),
                Err(RecvTimeoutError::Timeout) => quiet = true,
                Ok(Ok(Event::Stop)) => {
                    deadline = Some(Instant::now() + self.session.config.serve.drain);
                    floor.handle(Event::Drain);
                    self.board.set_stopping();
                }
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
            if self.is_beat_due() {
                if begun.elapsed() >= self.session.config.serve.probe {
                    self.board.set_trouble(None);
                }
                self.board.set_load(floor.load());
                self.board.beat(self.session);
                self.pulse.look(Instant::now(), self.board.progress());
            }
            match deadline {
                _ if floor.guard.has_lost() && floor.is_done() => {
                    floor.guard.verdict()?;
                }
                Some(_) if floor.is_done() => return self.stop(),
                Some(at) if Instant::now() >= at => self.session.engine.cancel(),
                None if self.once && quiet && drained && floor.is_idle() => {
                    return Ok(());
                }
                _ => {}
            }
        }
    }

    /// Takes note of a run that is over.
    fn over(&mut self, run: RunId, reader: &Reader) -> Result<(), ServiceError> {
        let record = reader.run(&RunChoice::Id(run))?;
        self.fine &= record.is_some_and(|run| run.is_fine());
        Ok(())
    }

    /// What runs within the time that stopping has is done by now; the rest goes back.
    fn stop(&self) -> Result<(), ServiceError> {
        self.release_all()?;
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
            if self.session.stopped().is_some() {
                return false;
            }
            if self.is_beat_due() {
                self.board.beat(self.session);
            }
            thread::park_timeout(Duration::from_millis(50));
        }
        true
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
