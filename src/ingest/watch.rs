//! The doorbell: what the system tells of changes in watched directories.
//!
//! Nothing is believed that it says; a scan decides. So a directory is watched and the folders in it are
//! not, a lost event costs time only, and where watching fails, looking every few seconds is enough.

mod hints;
mod place;

pub use hints::{HINTS_MOST, Hint, Hints};
pub use place::{Telling, telling};

use std::io;
use std::mem;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode, EventKind, ModifyKind, RenameMode};
use notify::{Config, ErrorKind, Event, RecommendedWatcher, RecursiveMode, Watcher};
use rustix::io::Errno;

use crate::config::WatchMode;

/// How long after a failure watching is tried again: at first, and at most.
const BACK_OFF: (Duration, Duration) = (Duration::from_secs(60), Duration::from_secs(3600));

/// Watches directories as well as the system lets us. Failing is no error, but a reason for polling.
pub struct Watch {
    roots: Vec<PathBuf>,
    mode: WatchMode,
    bell: Arc<Bell>,
    watcher: Option<RecommendedWatcher>,
    /// Why some root is not watched.
    polling: Option<String>,
    back_off: Duration,
    retry_at: Option<Instant>,
}

/// What the callback knows.
struct Bell {
    roots: Vec<PathBuf>,
    pending: Mutex<Vec<Hints>>,
    ring: Box<dyn Fn() + Send + Sync>,
}

impl Watch {
    /// Starts to watch the directories, but not the folders in them. `ring` is called from another thread
    /// when there is something to [`Watch::take`]; it must not block.
    #[must_use]
    pub fn start(
        roots: &[PathBuf],
        mode: WatchMode,
        now: Instant,
        ring: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        let pending = Mutex::new(roots.iter().map(|_| Hints::default()).collect());
        let bell = Arc::new(Bell { roots: roots.to_vec(), pending, ring: Box::new(ring) });
        let roots = roots.to_vec();
        let (back_off, _) = BACK_OFF;
        let mut watch =
            Self { roots, mode, bell, watcher: None, polling: None, back_off, retry_at: None };
        watch.watch(now);
        watch
    }

    /// What was said since the last time, for each directory in the order in which they were named.
    #[must_use]
    pub fn take(&self) -> Vec<Hints> {
        self.bell.lock().iter_mut().map(mem::take).collect()
    }

    /// Why a directory must be looked at every few seconds, if one must.
    #[must_use]
    pub fn polling(&self) -> Option<&str> {
        self.polling.as_deref()
    }

    /// When watching is tried again after it failed.
    #[must_use]
    pub const fn next_retry(&self) -> Option<Instant> {
        self.retry_at
    }

    /// Tries again if it is time; whether it was. Then all must be looked at.
    pub fn retry(&mut self, now: Instant) -> bool {
        let is_due = self.retry_at.is_some_and(|at| at <= now);
        if is_due {
            self.watch(now);
        }
        is_due
    }

    /// Watches anew, because another directory stands where one was. Then all must be looked at.
    pub fn again(&mut self, now: Instant) {
        let (least, _) = BACK_OFF;
        self.back_off = least;
        self.watch(now);
    }

    fn watch(&mut self, now: Instant) {
        self.watcher = None;
        self.retry_at = None;
        self.polling = None;
        if self.mode == WatchMode::Poll {
            self.polling = Some("the settings say so (inbox.watch)".to_owned());
            return;
        }
        match self.watch_all() {
            Ok(()) => {
                let (least, _) = BACK_OFF;
                self.back_off = least;
            }
            Err(reason) => {
                self.polling = Some(reason);
                let (_, most) = BACK_OFF;
                self.retry_at = Some(now + self.back_off);
                self.back_off = (self.back_off * 2).min(most);
            }
        }
    }

    /// Watches what can be watched. Fails with the reason why something may work later.
    fn watch_all(&mut self) -> Result<(), String> {
        let bell = Arc::clone(&self.bell);
        let handler = move |event| bell.hear(event);
        let config = Config::default().with_follow_symlinks(false);
        let mut watcher = RecommendedWatcher::new(handler, config).map_err(|error| why(&error))?;
        let mut failed = Ok(());
        for root in &self.roots {
            match telling(root) {
                Telling::Not(system) if self.mode == WatchMode::Auto => {
                    let root = root.display();
                    self.polling =
                        Some(format!("{root} is on {system}, which does not tell of all changes"));
                }
                Telling::Not(_) | Telling::All => {
                    let watched = watcher.watch(root, RecursiveMode::NonRecursive);
                    failed = watched.map_err(|error| why(&error)).and(failed);
                }
            }
        }
        self.watcher = Some(watcher);
        failed
    }
}

impl Bell {
    fn lock(&self) -> MutexGuard<'_, Vec<Hints>> {
        // What a panic left is as good as any hint.
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Called for each event, by the thread that watches.
    fn hear(&self, event: notify::Result<Event>) {
        let mut pending = self.lock();
        let was_quiet = pending.iter().all(Hints::is_empty);
        match event {
            Ok(event) if !event.need_rescan() => self.note(&event, &mut pending),
            Ok(_) | Err(_) => pending.iter_mut().for_each(Hints::overflow),
        }
        let rings = was_quiet && !pending.iter().all(Hints::is_empty);
        drop(pending);
        if rings {
            (self.ring)();
        }
    }

    fn note(&self, event: &Event, pending: &mut [Hints]) {
        let Some(heard) = heard(event.kind) else { return };
        for path in &event.paths {
            for (root, hints) in self.roots.iter().zip(&mut *pending) {
                if path == root {
                    // The directory itself was removed, moved or given other permissions.
                    hints.overflow();
                } else if let Some(name) = path.file_name()
                    && path.parent() == Some(root)
                {
                    match heard {
                        Heard::Hint(hint) => hints.add(name, hint),
                        Heard::Change => hints.weaken(name),
                    }
                }
            }
        }
    }
}

/// What an event says of a name.
#[derive(Debug, Clone, Copy)]
enum Heard {
    Hint(Hint),
    /// Whatever was said before does not hold any more.
    Change,
}

/// Our own looking makes events, too: those say nothing.
const fn heard(kind: EventKind) -> Option<Heard> {
    match kind {
        EventKind::Modify(ModifyKind::Name(RenameMode::To)) => Some(Heard::Hint(Hint::RenamedIn)),
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => Some(Heard::Hint(Hint::Closed)),
        EventKind::Create(_) | EventKind::Modify(ModifyKind::Metadata(_)) => {
            Some(Heard::Hint(Hint::Touched))
        }
        EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Name(RenameMode::From))
        | EventKind::Remove(_) => Some(Heard::Change),
        EventKind::Any | EventKind::Access(_) | EventKind::Modify(_) | EventKind::Other => None,
    }
}

/// Why watching failed, with what helps.
fn why(error: &notify::Error) -> String {
    match &error.kind {
        ErrorKind::MaxFilesWatch => {
            "the system's limit of watches is reached: raise fs.inotify.max_user_watches".to_owned()
        }
        ErrorKind::Io(source) if is_too_many(source) => {
            "the system's limit of watchers or of open files is reached: raise \
            fs.inotify.max_user_instances"
                .to_owned()
        }
        _ => format!("watching failed: {error}"),
    }
}

fn is_too_many(error: &io::Error) -> bool {
    let code = error.raw_os_error();
    [Errno::MFILE, Errno::NFILE].iter().any(|errno| code == Some(errno.raw_os_error()))
}
