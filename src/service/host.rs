//! The host: the signals that it sends, and whoever started this process and waits to hear from it.

mod startup;
mod supervisor;
mod watchdog;

use std::future::poll_fn;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::thread;

use rustix::fs::Mode;
use rustix::process::umask;
use tokio::runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};

use startup::Startup;
use supervisor::Supervisor;

use super::{Event, Message};
use crate::config::Supervision;

pub(super) use watchdog::watch;

/// Who asked the program to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopSignal {
    /// Ctrl-C (SIGINT).
    Interrupt,
    /// SIGTERM.
    Terminate,
}

impl StopSignal {
    /// What a shell reports for a program that ended by it.
    const fn exit_code(self) -> i32 {
        match self {
            Self::Interrupt => 130,
            Self::Terminate => 143,
        }
    }
}

/// What a signal asks for.
#[derive(Debug, Clone, Copy)]
enum Wish {
    /// SIGINT or SIGTERM: to stop.
    Stop(StopSignal),
    /// SIGHUP: to read the settings anew.
    Reload,
    /// SIGUSR1: to say how it is.
    Status,
}

/// Hears the signals. The first one that asks to stop is passed on, a second one ends the program at once.
#[derive(Debug, Clone, Default)]
pub(super) struct Host {
    state: Arc<Mutex<State>>,
    supervisor: Arc<Supervisor>,
    steps: Arc<AtomicU64>,
}

#[derive(Debug, Default)]
struct State {
    stopped: Option<StopSignal>,
    listener: Option<Sender<Message>>,
    reload: bool,
    status: bool,
    startup: Option<Startup>,
}

impl Host {
    /// Hears signals that ask to stop.
    pub(super) fn start() -> io::Result<Self> {
        let host = Self::default();
        host.hear_stops()?;
        Ok(host)
    }

    /// That of a daemon, which is told to read its settings anew and to say how it is, and tells its
    /// supervisor how far it is with starting.
    pub(super) fn of_a_daemon() -> io::Result<Self> {
        // Whatever a daemon makes is for its group at most, from the moment at which it is there.
        let mask = umask(Mode::RWXG | Mode::RWXO);
        umask(mask | Mode::WGRP | Mode::RWXO);
        let supervisor = Supervisor::new(&Supervision::of_this_process());
        let host = Self { supervisor: Arc::new(supervisor), ..Self::default() };
        host.hear(&[
            (SignalKind::hangup(), Wish::Reload),
            (SignalKind::user_defined1(), Wish::Status),
        ])?;
        let startup = Startup::begin(Arc::clone(&host.supervisor), Arc::clone(&host.steps))?;
        host.with(|state| state.startup = Some(startup));
        Ok(host)
    }

    /// Hears signals that ask to stop from now on; until then they end the program.
    pub(super) fn hear_stops(&self) -> io::Result<()> {
        let stop = |stop, kind| (kind, Wish::Stop(stop));
        self.hear(&[
            stop(StopSignal::Interrupt, SignalKind::interrupt()),
            stop(StopSignal::Terminate, SignalKind::terminate()),
        ])
    }

    /// Whether somebody asked the program to stop.
    pub(super) fn stopped(&self) -> Option<StopSignal> {
        self.with(|state| state.stopped)
    }

    /// Whether somebody asked for the settings to be read anew since the last call.
    pub(super) fn take_reload(&self) -> bool {
        self.with(|state| std::mem::take(&mut state.reload))
    }

    /// Whether somebody asked how it is since the last call.
    pub(super) fn take_status(&self) -> bool {
        self.with(|state| std::mem::take(&mut state.status))
    }

    /// Whoever drives the program got on.
    pub(super) fn step(&self) {
        self.steps.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts how far whoever drives the program got.
    pub(super) const fn steps(&self) -> &Arc<AtomicU64> {
        &self.steps
    }

    /// It serves: the start, or reading the settings anew, is over.
    pub(super) fn ready(&self) {
        self.supervisor.ready();
        self.with(|state| state.startup = None);
    }

    /// Who is told how it is.
    pub(super) fn supervisor(&self) -> &Supervisor {
        &self.supervisor
    }

    /// Tells `listener` of a signal from now on, and of one that came before.
    pub(super) fn tell(&self, listener: Sender<Message>) {
        self.with(|state| {
            if state.stopped.is_some() {
                let _ = listener.send(Ok(Event::Stop));
            }
            state.listener = Some(listener);
        });
    }

    /// Tells nobody any more.
    pub(super) fn hush(&self) {
        self.with(|state| state.listener = None);
    }

    /// Hears signals on a thread of its own.
    fn hear(&self, wishes: &[(SignalKind, Wish)]) -> io::Result<()> {
        let hearing = self.clone();
        let runtime = runtime::Builder::new_current_thread().enable_io().build()?;
        let signals = {
            let _inside = runtime.enter();
            let open = |&(kind, wish)| Ok((signal(kind)?, wish));
            wishes.iter().map(open).collect::<io::Result<Vec<_>>>()?
        };
        thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || runtime.block_on(hearing.obey(signals)))?;
        Ok(())
    }

    async fn obey(self, mut signals: Vec<(Signal, Wish)>) {
        loop {
            let wish = poll_fn(|context| {
                let mut heard = signals.iter_mut().filter_map(|(signal, wish)| {
                    signal.poll_recv(context).is_ready().then_some(*wish)
                });
                heard.next().map_or(Poll::Pending, Poll::Ready)
            });
            match wish.await {
                Wish::Stop(stop) => self.stop(stop),
                Wish::Reload => self.with(|state| state.reload = true),
                Wish::Status => self.with(|state| state.status = true),
            }
        }
    }

    fn stop(&self, stop: StopSignal) {
        self.with(|state| {
            if state.stopped.is_some() {
                leave(stop);
            }
            state.stopped = Some(stop);
            if let Some(listener) = &state.listener {
                let _ = listener.send(Ok(Event::Stop));
            }
        });
    }

    fn with<T>(&self, look: impl FnOnce(&mut State) -> T) -> T {
        look(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Whoever asks twice does not want to wait for anything.
#[expect(clippy::disallowed_methods, clippy::exit, reason = "nothing is to be waited for")]
fn leave(stop: StopSignal) -> ! {
    std::process::exit(stop.exit_code())
}
