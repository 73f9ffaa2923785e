//! An inbox: what lies in a watched directory, and when it can be taken.
//!
//! Nothing here has a thread or a clock: whoever calls says what time it is. What the watcher says of a
//! name only shortens its wait, and each name is looked at again before it is handed on. The times of
//! files are compared with themselves only, never with a clock.

mod company;
mod found;
mod item;
mod judge;

pub use company::kin;
pub use found::{Counts, Dropped, Found, READY_MOST, Refused, Shown, Tally};
pub use item::{ASIDE, HANDED_OVER, MAKING};

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, Stat, fstat, statat};
use rustix::io::Errno;

use super::subtree::each;
use super::watch::Hints;
use super::{IngestError, Root};
use crate::config::Limits;
use item::{Item, Role, State};

/// How long things must hold still, and how large they may be.
#[derive(Debug, Clone, Copy)]
pub struct InboxSettings {
    /// A file.
    pub quiet_file: Duration,
    /// A folder with all that is in it.
    pub quiet_folder: Duration,
    /// An empty file or folder, which is often filled a little later.
    pub empty_file: Duration,
    /// How much is taken in.
    pub limits: Limits,
}

/// A watched directory, with what is settling in it.
#[derive(Debug)]
pub struct Inbox {
    root: PathBuf,
    /// Its device and inode when it was attached.
    place: (u64, u64),
    settings: InboxSettings,
    items: HashMap<Arc<OsStr>, Item>,
    /// When which names may be ready. A name whose time has changed since stands here in vain.
    due: BTreeMap<Instant, Vec<Arc<OsStr>>>,
    /// Names that are ready, to be looked at once more.
    ripe: VecDeque<Arc<OsStr>>,
    /// Why names are blocked.
    blocked: BTreeMap<Arc<OsStr>, String>,
    aside: Tally,
    /// Counts scans.
    pass: u32,
    /// The time of the last look.
    now: Option<Instant>,
}

/// One look at an inbox.
struct Look<'a> {
    folder: &'a Root,
    now: Instant,
    /// Whether everything is looked at.
    all: bool,
    hints: &'a mut Hints,
    found: Found,
}

impl Inbox {
    /// Remembers which directory is meant; creates nothing. The directory may be named by a link; below
    /// it no link is followed.
    ///
    /// # Errors
    /// [`IngestError`]: there is no such directory, or it cannot be opened.
    pub fn attach(root: PathBuf, settings: InboxSettings) -> Result<Self, IngestError> {
        let place = open_root(&root).map_err(|errno| match errno {
            Errno::NOENT => IngestError::Missing(root.clone()),
            Errno::NOTDIR => IngestError::NotAFolder(root.clone()),
            errno => IngestError::Unreadable { path: root.clone(), source: errno.into() },
        });
        let (_, place) = place?;
        Ok(Self {
            root,
            place,
            settings,
            items: HashMap::new(),
            due: BTreeMap::new(),
            ripe: VecDeque::new(),
            blocked: BTreeMap::new(),
            aside: Tally::default(),
            pass: 0,
            now: None,
        })
    }

    /// The directory, as it was named.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Looks at everything in it.
    ///
    /// # Errors
    /// [`InboxError`]; what was known stays known.
    pub fn scan(&mut self, now: Instant, hints: &mut Hints) -> Result<Found, InboxError> {
        let folder = self.open()?;
        let mut look = Look { folder: &folder, now, all: true, hints, found: Found::default() };
        self.now = Some(now);
        self.pass = self.pass.wrapping_add(1);
        self.aside = Tally::default();
        // What is ripe is found again.
        self.ripe.clear();
        each(&folder, |name, status| self.notice(&mut look, name, status))
            .map_err(|errno| self.unreadable(errno))?;
        self.drop_unseen(&mut look.found);
        self.judge_ripe(&mut look)?;
        Ok(look.found)
    }

    /// Looks at these names, at what belongs to them, and at all whose time has come. Far cheaper than
    /// a scan; what nobody tells of is found by scans.
    ///
    /// # Errors
    /// [`InboxError`]; what was known stays known.
    pub fn look(
        &mut self,
        names: &[OsString],
        now: Instant,
        hints: &mut Hints,
    ) -> Result<Found, InboxError> {
        let folder = self.open()?;
        let mut look = Look { folder: &folder, now, all: false, hints, found: Found::default() };
        self.now = Some(now);
        for name in names {
            self.look_at(&mut look, name)?;
            for other in kin(name.as_bytes()) {
                // An answer may be there that nobody told of yet.
                if !self.items.contains_key(OsStr::from_bytes(&other)) {
                    self.look_at(&mut look, OsStr::from_bytes(&other))?;
                }
            }
        }
        self.judge_ripe(&mut look)?;
        Ok(look.found)
    }

    /// The next moment at which something that is settling may be ready. In the past if more is ready
    /// than was handed on.
    #[must_use]
    pub fn next_look(&self) -> Option<Instant> {
        let due = self.due.keys().next().copied();
        if self.ripe.is_empty() { due } else { self.now }
    }

    /// What lies in it and is not taken, as of the last look. Goes through all names.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut counts = Counts { aside: self.aside.clone(), ..Counts::default() };
        for (name, item) in &self.items {
            let (tally, reason) = match item.state {
                State::Settling | State::Ripe => (&mut counts.settling, None),
                State::Waiting => (&mut counts.waiting, None),
                State::Blocked => (&mut counts.blocked, self.blocked.get(name).cloned()),
                State::Refused => (&mut counts.refused, Some(item.kind.refusal().to_owned())),
                State::Handed => continue,
            };
            tally.add(name, item.since, reason);
        }
        counts
    }

    /// These were dealt with: put away, or to be looked at as if they were new.
    pub fn forget(&mut self, names: &[OsString]) {
        for name in names {
            self.items.remove(name.as_os_str());
            self.blocked.remove(name.as_os_str());
        }
    }

    /// Opens the directory, if it is still the one that was attached.
    fn open(&self) -> Result<Root, InboxError> {
        match open_root(&self.root) {
            Ok((folder, place)) if place == self.place => Ok(folder),
            Ok(_) | Err(Errno::NOENT | Errno::NOTDIR | Errno::STALE) => {
                Err(InboxError::Gone { path: self.root.clone() })
            }
            Err(errno) => Err(self.unreadable(errno)),
        }
    }

    fn unreadable(&self, errno: Errno) -> InboxError {
        InboxError::Unreadable { path: self.root.clone(), source: errno.into() }
    }

    fn look_at(&mut self, look: &mut Look<'_>, name: &OsStr) -> Result<(), InboxError> {
        if name.as_bytes().contains(&b'/') {
            return Ok(());
        }
        match statat(look.folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(status) => self.notice(look, name.as_bytes(), &status),
            Err(Errno::NOENT | Errno::NAMETOOLONG) => self.vanish(look, name),
            Err(errno) => return Err(self.unreadable(errno)),
        }
        Ok(())
    }

    /// Takes note of a name that is there.
    fn notice(&mut self, look: &mut Look<'_>, name: &[u8], status: &Stat) {
        let name = OsStr::from_bytes(name);
        match Role::of(name.as_bytes(), status) {
            Role::Aside if look.all => {
                self.aside.add(name, look.now, None);
            }
            Role::Making if look.all => look.found.making.push(name.to_owned()),
            Role::Aside | Role::Making | Role::Junk => {}
            Role::Input(kind) => self.notice_input(look, name, kind, status),
        }
    }

    /// Forgets a name that is not there any more, and looks again at what waits for it.
    fn vanish(&mut self, look: &mut Look<'_>, name: &OsStr) {
        if self.items.remove(name).is_none() {
            return;
        }
        self.blocked.remove(name);
        look.found.gone += 1;
        for other in kin(name.as_bytes()) {
            let other = OsStr::from_bytes(&other);
            if let Some((key, item)) = self.entry(other)
                && item.state == State::Waiting
            {
                item.state = State::Ripe;
                self.ripe.push_back(key);
            }
        }
    }

    fn drop_unseen(&mut self, found: &mut Found) {
        let before = self.items.len();
        let pass = self.pass;
        self.items.retain(|_, item| item.pass == pass);
        self.blocked.retain(|name, _| self.items.contains_key(name));
        found.gone += (before - self.items.len()) as u64;
    }

    /// A known name, shared, with what is known of it.
    fn entry(&mut self, name: &OsStr) -> Option<(Arc<OsStr>, &mut Item)> {
        let (key, _) = self.items.get_key_value(name)?;
        let key = Arc::clone(key);
        self.items.get_mut(name).map(|item| (key, item))
    }
}

/// The directory with its device and inode.
fn open_root(root: &Path) -> Result<(Root, (u64, u64)), Errno> {
    let folder = Root::open(root)?;
    let status = fstat(&folder)?;
    Ok((folder, (status.st_dev, status.st_ino)))
}

/// Why an inbox cannot be looked at. Neither is an end: it may come back.
#[derive(Debug, thiserror::Error)]
pub enum InboxError {
    /// It is missing, or another directory stands in its place: removed, made again, mounted over or
    /// unmounted. It must be attached again.
    #[error("{}: the inbox is gone or another directory has taken its place", path.display())]
    Gone {
        /// The directory.
        path: PathBuf,
    },
    /// The system does not let us look.
    #[error("{}: the inbox cannot be listed", path.display())]
    Unreadable {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}
