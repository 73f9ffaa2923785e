//! What the program says of itself while it runs: tracing events, on standard error or to the journal.
//!
//! A command writes each line as it comes. The daemon must never wait for whoever reads its standard error:
//! its lines go through a bounded queue to a thread of their own, which counts what does not fit and says so
//! when it can. There, many lines of one class become one line with a count, so that a storm is short; what is
//! to be kept of each case is in the table of logs, which drops nothing.

mod layer;
mod line;
mod queue;
mod repeats;

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::panic::{self, PanicHookInfo};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Layer as _, SubscriberExt};
use tracing_subscriber::registry;
use tracing_subscriber::util::SubscriberInitExt;

use layer::{Layer, Sink};
use queue::Queue;

/// The target of what is said to whoever started the program, however little they want to hear.
pub const TOLD: &str = "told";

static PANICS: AtomicU64 = AtomicU64::new(0);

/// What a line looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// For people, with or without colour.
    Text {
        /// Whether there is colour.
        color: bool,
    },
    /// One JSON object.
    Json,
    /// The fields of the system's journal, which is sent them instead of a line.
    Journal,
}

/// How the program speaks of itself.
#[derive(Debug, Clone, Copy)]
pub struct Voice {
    /// Warnings, with 1 what happens, with 2 every case.
    pub verbose: u8,
    /// What a line looks like.
    pub form: Form,
    /// Whether nobody may ever wait for whoever reads it.
    pub queued: bool,
}

/// The log, once it is started.
#[derive(Debug)]
pub struct Log(Option<Arc<Queue>>);

/// Starts logging. Does nothing if somebody started it before.
pub fn start(voice: Voice) -> Log {
    let queue = voice.queued.then(|| Queue::start(voice.form)).and_then(Result::ok);
    let sink = match &queue {
        Some(queue) => Sink::Queue(Arc::clone(queue)),
        None => Sink::Direct(voice.form),
    };
    let level = match voice.verbose {
        0 => LevelFilter::WARN,
        1 => LevelFilter::INFO,
        _ => LevelFilter::DEBUG,
    };
    let wanted = Targets::new().with_default(level).with_target(TOLD, LevelFilter::INFO);
    let _ = registry().with(Layer::new(sink).with_filter(wanted)).try_init();
    panic::set_hook(Box::new(tell_panic));
    Log(queue)
}

impl Log {
    /// Writes what is still to be written, as far as somebody reads it.
    pub fn close(self) {
        if let Some(queue) = self.0 {
            queue.close();
        }
    }
}

/// How many lines were lost since the program was started, because nobody read them.
#[must_use]
pub fn lost_lines() -> u64 {
    queue::LOST.load(Ordering::Relaxed)
}

/// How many panics there were since the program was started.
#[must_use]
pub fn panics() -> u64 {
    PANICS.load(Ordering::Relaxed)
}

/// Whether standard error is what `stream` names: the device and the file that the system's journal has given
/// to a service.
#[must_use]
pub fn is_journal(stream: &str) -> bool {
    let Ok(fd) = io::stderr().as_fd().try_clone_to_owned() else { return false };
    let metadata = std::fs::File::from(fd).metadata();
    metadata.is_ok_and(|ours| stream == format!("{}:{}", ours.dev(), ours.ino()))
}

/// The usual hook writes to standard error, and waits for it.
fn tell_panic(panic: &PanicHookInfo<'_>) {
    PANICS.fetch_add(1, Ordering::Relaxed);
    let class = panic.location().map(ToString::to_string).unwrap_or_default();
    let said = panic.to_string().replacen(":\n", ": ", 1);
    let trace = Backtrace::capture();
    match trace.status() {
        BacktraceStatus::Captured => tracing::error!(class, "{said}\n{trace}"),
        _ => tracing::error!(class, "{said}"),
    }
}

/// Writes a line to standard error; it may be closed, and then nothing is lost that matters.
fn write_directly(line: &[u8]) {
    let _ = io::stderr().write_all(line);
}
