//! A start that takes long: whoever waits for it is asked for more time as long as it gets on.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use super::supervisor::Supervisor;

/// How often it is looked whether the start gets on.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// What is asked for then. Starting may stand still for so long, as while a disk writes.
const MORE: Duration = Duration::from_secs(60);

/// A start; dropped when it is over.
#[derive(Debug)]
pub(super) struct Startup {
    _over: Sender<()>,
}

impl Startup {
    /// Looks at it on a thread of its own, because whoever starts is busy with that.
    pub(super) fn begin(supervisor: Arc<Supervisor>, steps: Arc<AtomicU64>) -> io::Result<Self> {
        let (over, is_over) = mpsc::channel();
        let look = move || ask_for_time(&supervisor, &steps, &is_over, LOOK_EVERY);
        thread::Builder::new().name("startup".to_owned()).spawn(look)?;
        Ok(Self { _over: over })
    }
}

fn ask_for_time(
    supervisor: &Supervisor,
    steps: &AtomicU64,
    is_over: &Receiver<()>,
    every: Duration,
) {
    let mut seen = None;
    loop {
        let now = Some(steps.load(Ordering::Relaxed));
        if now != seen {
            supervisor.extend(MORE);
        }
        seen = now;
        if is_over.recv_timeout(every) != Err(RecvTimeoutError::Timeout) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixDatagram;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use tempfile::TempDir;

    use super::{Supervisor, ask_for_time};
    use crate::config::Supervision;

    #[test]
    fn time_is_asked_for_only_while_something_gets_on() {
        let place = TempDir::new().expect("a temporary directory");
        let path = place.path().join("notify");
        let socket = UnixDatagram::bind(&path).expect("a socket");
        socket.set_read_timeout(Some(Duration::from_millis(100))).expect("a timeout");
        let supervision = Supervision { socket: Some(path.into()), patience: None };
        let (supervisor, steps) = (Supervisor::new(&supervision), AtomicU64::new(0));
        let hear = || socket.recv(&mut [0; 64]).is_ok();
        thread::scope(|scope| {
            let (_over, is_over) = mpsc::channel();
            let every = Duration::from_millis(1);
            let (supervisor, steps) = (&supervisor, &steps);
            scope.spawn(move || ask_for_time(supervisor, steps, &is_over, every));
            assert!(hear() && !hear(), "it stands still");
            steps.fetch_add(1, Ordering::Relaxed);
            assert!(hear() && !hear(), "it got on once");
        });
    }
}
