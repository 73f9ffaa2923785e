//! Places where a test may kill the program.

#[cfg(feature = "faults")]
use std::sync::OnceLock;
#[cfg(feature = "faults")]
use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(feature = "faults")]
use rustix::process::{Signal, getpid, kill_process};

/// A place that is called `name`: nothing happens here, except that a test may have the program killed.
#[cfg(not(feature = "faults"))]
#[inline(always)]
pub const fn crash_point(_name: &'static str) {}

/// A place that is called `name`. If it is the one of [`arm_crash_point`], the program kills itself the
/// time that was asked for, as if somebody had sent SIGKILL.
#[cfg(feature = "faults")]
pub fn crash_point(name: &'static str) {
    let Some(armed) = ARMED.get() else { return };
    if armed.name == name && armed.left.fetch_sub(1, Ordering::Relaxed) == 1 {
        let _ = kill_process(getpid(), Signal::KILL);
        loop {
            // The signal comes at once, but nothing may happen in between.
            std::thread::park();
        }
    }
}

/// The place where the program kills itself.
#[cfg(feature = "faults")]
#[derive(Debug)]
struct Armed {
    name: String,
    /// How many more times it is reached, the last of which kills.
    left: AtomicU64,
}

#[cfg(feature = "faults")]
static ARMED: OnceLock<Armed> = OnceLock::new();

/// Has the program killed at a crash point: `NAME`, or `NAME:K` for the `K`th time it is reached. Only
/// the first call counts.
#[cfg(feature = "faults")]
pub fn arm_crash_point(point: &str) {
    let counted =
        point.rsplit_once(':').and_then(|(name, times)| Some((name, times.parse().ok()?)));
    let (name, times) = counted.unwrap_or((point, 1));
    let _ = ARMED.set(Armed { name: name.to_owned(), left: AtomicU64::new(times) });
}
