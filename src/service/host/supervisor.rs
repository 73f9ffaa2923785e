//! Telling whoever started this process how it is: the protocol of `sd_notify(3)`, one datagram a message.
//!
//! Of our own because the usual crate for it knows no abstract sockets, which is what containers have.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::config::Supervision;

/// A supervisor that does not take a message for so long does not get it.
const PATIENCE: Duration = Duration::from_secs(10);

/// Whoever started this process, such as systemd; by default nobody.
#[derive(Debug, Default)]
pub(in crate::service) struct Supervisor {
    address: Option<SocketAddr>,
    /// How long it waits to hear that all is well.
    pub(in crate::service) patience: Option<Duration>,
    said: Mutex<Said>,
}

/// What it was told.
#[derive(Debug, Default)]
struct Said {
    status: String,
    /// That this process serves, since it was started or began to read its settings anew.
    ready: bool,
    stopping: bool,
}

impl Supervisor {
    pub(in crate::service) fn new(supervision: &Supervision) -> Self {
        let address = supervision.socket.as_ref().and_then(|socket| {
            let address = match socket.as_bytes() {
                [b'@', name @ ..] => SocketAddr::from_abstract_name(name),
                _ => SocketAddr::from_pathname(socket),
            };
            let name = socket.display();
            address.inspect_err(|error| tracing::warn!("NOTIFY_SOCKET, {name}: {error}")).ok()
        });
        Self { address, patience: supervision.patience, said: Mutex::default() }
    }

    /// It serves.
    pub(in crate::service) fn ready(&self) {
        if !std::mem::replace(&mut self.said().ready, true) {
            self.send("READY=1");
        }
    }

    /// It reads its settings anew, until it is ready again.
    pub(in crate::service) fn reloading(&self) {
        self.said().ready = false;
        let now = clock_gettime(ClockId::Monotonic);
        let now_us = i128::from(now.tv_sec) * 1_000_000 + i128::from(now.tv_nsec) / 1_000;
        self.send(&format!("RELOADING=1\nMONOTONIC_USEC={now_us}"));
    }

    /// It comes to its end, for which it needs so long.
    pub(in crate::service) fn stopping(&self, time: Duration) {
        if !std::mem::replace(&mut self.said().stopping, true) {
            self.send("STOPPING=1");
            self.extend(time);
        }
    }

    /// What it has begun takes so much longer.
    pub(in crate::service) fn extend(&self, time: Duration) {
        self.send(&format!("EXTEND_TIMEOUT_USEC={}", time.as_micros()));
    }

    /// All is well.
    pub(in crate::service) fn alive(&self) {
        self.send("WATCHDOG=1");
    }

    /// What it does, in words; said once.
    pub(in crate::service) fn status(&self, status: &str) {
        let mut said = self.said();
        if said.status != status {
            status.clone_into(&mut said.status);
            drop(said);
            // A line of its own would be another assignment.
            self.send(&format!("STATUS={}", status.replace(char::is_control, " ")));
        }
    }

    fn send(&self, message: &str) {
        let Some(address) = &self.address else { return };
        let sent = UnixDatagram::unbound().and_then(|socket| {
            socket.set_write_timeout(Some(PATIENCE))?;
            socket.send_to_addr(message.as_bytes(), address)
        });
        if let Err(error) = sent {
            tracing::debug!("whoever started this process was not told {message:?}: {error}");
        }
    }

    fn said(&self) -> MutexGuard<'_, Said> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
