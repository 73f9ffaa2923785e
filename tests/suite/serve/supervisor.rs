//! Somebody who started the daemon and waits to hear from it, as systemd does.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::harness::wait_until;

/// A message of several lines is heard as a whole.
type Heard = Arc<Mutex<Vec<(Instant, String)>>>;

/// Hears what a daemon says to it, on a thread of its own: the daemon must not wait for a test.
pub(super) struct Supervisor {
    name: String,
    heard: Heard,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Supervisor {
    /// Listens at a path.
    pub(super) fn at(path: &Path) -> Self {
        let socket = UnixDatagram::bind(path).expect("a socket");
        Self::of(socket, path.to_str().expect("text").to_owned())
    }

    /// Listens where there is no file.
    pub(super) fn abstract_of(name: &str) -> Self {
        let address = SocketAddr::from_abstract_name(name).expect("an address");
        Self::of(UnixDatagram::bind_addr(&address).expect("a socket"), format!("@{name}"))
    }

    fn of(socket: UnixDatagram, name: String) -> Self {
        let (heard, over) = (Heard::default(), Arc::new(AtomicBool::new(false)));
        socket.set_read_timeout(Some(Duration::from_millis(20))).expect("a timeout");
        let thread = thread::spawn({
            let (heard, over) = (Arc::clone(&heard), Arc::clone(&over));
            move || {
                let mut bytes = [0; 4096];
                while !over.load(Ordering::Relaxed) {
                    if let Ok(length) = socket.recv(&mut bytes) {
                        let text = String::from_utf8_lossy(&bytes[..length]).into_owned();
                        heard.lock().expect("messages").push((Instant::now(), text));
                    }
                }
            }
        });
        Self { name, heard, over, thread: Some(thread) }
    }

    /// Says to a command where it listens.
    pub(super) fn starts<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.env("NOTIFY_SOCKET", &self.name)
    }

    /// All messages that have come.
    pub(super) fn messages(&self) -> Vec<String> {
        self.heard.lock().expect("messages").iter().map(|(_, text)| text.clone()).collect()
    }

    /// How many messages begin like this.
    pub(super) fn count(&self, begin: &str) -> usize {
        self.messages().iter().filter(|message| message.starts_with(begin)).count()
    }

    /// Waits until so many messages begin like this.
    #[track_caller]
    pub(super) fn wait_for(&self, begin: &str, many: usize) {
        wait_until(&format!("{many} of {begin}"), || self.count(begin) >= many);
    }

    /// Waits until a message has a text in it.
    #[track_caller]
    pub(super) fn wait_to_hear(&self, text: &str) {
        wait_until(text, || self.messages().iter().any(|message| message.contains(text)));
    }

    /// Waits until no message has begun like this for so long.
    #[track_caller]
    pub(super) fn wait_for_silence(&self, begin: &str, long: Duration) {
        let since = Instant::now();
        wait_until(&format!("no more {begin}"), || {
            let heard = self.heard.lock().expect("messages");
            let last = heard.iter().rev().find(|(_, text)| text.starts_with(begin));
            last.map_or(since, |&(at, _)| at.max(since)).elapsed() >= long
        });
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
