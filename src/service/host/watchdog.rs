//! Telling the supervisor that all is well, only while it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use crate::service::Session;

/// The shortest time between two words.
const LEAST: Duration = Duration::from_millis(1);

/// Says so three times in the time that the supervisor waits for it, until nobody sends to `over` any more. It
/// says nothing when since the last time the one who drives the daemon did not get on or the writer did
/// not answer, or when every thread of the pool is with a case for longer than any case may take.
pub(in crate::service) fn watch(session: &Session, over: &Receiver<()>) {
    let Some(patience) = session.host.supervisor.patience else { return };
    let every = (patience / 3).max(LEAST);
    let steps = || session.host.steps.load(Ordering::Relaxed);
    let has_answered = Arc::new(AtomicBool::new(true));
    let mut seen = steps();
    loop {
        if has_answered.swap(false, Ordering::Relaxed) {
            let answered = Arc::clone(&has_answered);
            session.store.writer().ping(move || answered.store(true, Ordering::Relaxed));
        }
        if over.recv_timeout(every) != Err(RecvTimeoutError::Timeout) {
            return;
        }
        let now = steps();
        let gets_on = std::mem::replace(&mut seen, now) != now;
        let backstop = session.config.engine.backstop;
        if gets_on && has_answered.load(Ordering::Relaxed) && !session.engine.is_stuck(backstop) {
            session.host.supervisor.alive();
        }
    }
}
