//! What the system tells the program: the signals that ask it to stop.

use std::future::poll_fn;
use std::io;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::thread;

use tokio::runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::{Event, Message};

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

/// Hears the signals and passes the first one on; a second one ends the program at once.
#[derive(Debug, Clone, Default)]
pub(super) struct Host {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    stopped: Option<StopSignal>,
    listener: Option<Sender<Message>>,
}

impl Host {
    /// Starts listening, on a thread of its own.
    pub(super) fn start() -> io::Result<Self> {
        let host = Self::default();
        let hearing = host.clone();
        let runtime = runtime::Builder::new_current_thread().enable_io().build()?;
        let (interrupt, terminate) = {
            let _inside = runtime.enter();
            (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?)
        };
        thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || runtime.block_on(hearing.hear(interrupt, terminate)))?;
        Ok(host)
    }

    /// Whether somebody asked the program to stop.
    pub(super) fn stopped(&self) -> Option<StopSignal> {
        self.with(|state| state.stopped)
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

    async fn hear(self, mut interrupt: Signal, mut terminate: Signal) {
        loop {
            let heard = poll_fn(|context| {
                if interrupt.poll_recv(context).is_ready() {
                    return Poll::Ready(StopSignal::Interrupt);
                }
                terminate.poll_recv(context).map(|_| StopSignal::Terminate)
            });
            self.stop(heard.await);
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
