//! What lies in a folder and in the folders in it, as it was at one moment.

use std::ffi::{CString, OsStr};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, SyncSender};
use std::thread;

use rustix::fs::{Access, AtFlags, Dir, DirEntry, FileType, Stat, accessat, statat};
use rustix::io::Errno;

use super::Root;
use super::junk::{is_junk_file, is_junk_folder};
use super::stamp::{Print, Stamp};
use super::tree::DEPTH_MOST;

/// A file of this name in a folder says that the folder is complete.
const READY: &[u8] = b".ready";

/// What lies in a folder.
#[derive(Debug, Default)]
pub(super) struct Subtree {
    /// Stands for all that is in it, junk too: a download that goes on is a change.
    pub(super) print: Print,
    /// Whether somebody says that it is complete.
    pub(super) ready: bool,
    /// Whether there is a file that is no junk.
    pub(super) any: bool,
    /// The files that are no junk, with their paths below the folder, if they are wanted.
    pub(super) files: Vec<(Box<[u8]>, Stamp)>,
    /// The first of the wanted files that we may not read.
    pub(super) denied: Option<PathBuf>,
}

/// Why a folder cannot be listed.
#[derive(Debug)]
pub(super) enum Trouble {
    /// It is not there any more.
    Gone,
    /// The system does not let us.
    Unreadable(PathBuf, Errno),
}

/// A folder that is still to be listed: its path below the root, empty or with a slash at the end.
struct Pending {
    below: Vec<u8>,
    depth: usize,
    junk: bool,
}

impl Subtree {
    /// Lists the folder of that name in another one, with so many of its files.
    pub(super) fn list(around: &Root, name: &OsStr, keep: usize) -> Result<Self, Trouble> {
        let mut tree = Self::default();
        let root = around.folder(Path::new(name)).map_err(|errno| match errno {
            Errno::NOENT | Errno::NOTDIR | Errno::LOOP => Trouble::Gone,
            errno => Trouble::Unreadable(around.path().join(name), errno),
        })?;
        let mut pending = vec![Pending { below: Vec::new(), depth: 0, junk: false }];
        while let Some(at) = pending.pop() {
            let below = Path::new(OsStr::from_bytes(&at.below));
            let listed = root.folder(below).and_then(|folder| {
                each(&folder, |name, status| {
                    let kept = tree.add(&at, name, status, keep, &mut pending);
                    if kept && !is_readable(&folder, name) {
                        tree.denied
                            .get_or_insert_with(|| folder.path().join(OsStr::from_bytes(name)));
                    }
                })
            });
            match listed {
                // What vanished changed the folder around it. What no path can name is nobody's data.
                Ok(()) | Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::NAMETOOLONG) => {}
                // Nobody asks for what is in it.
                Err(_) if at.junk => {}
                Err(errno) => return Err(Trouble::Unreadable(root.path().join(below), errno)),
            }
        }
        Ok(tree)
    }

    /// Whether it is a file that is kept.
    fn add(
        &mut self,
        around: &Pending,
        name: &[u8],
        status: &Stat,
        keep: usize,
        pending: &mut Vec<Pending>,
    ) -> bool {
        let below = [&around.below[..], name].concat();
        let stamp = Stamp::from(status);
        self.print.add(stamp.print(&below));
        let is_folder = is_folder(status);
        let junk = around.junk || if is_folder { is_junk_folder(name) } else { is_junk_file(name) };
        if is_folder {
            if around.depth < DEPTH_MOST {
                let below = [&below[..], b"/"].concat();
                pending.push(Pending { below, depth: around.depth + 1, junk });
            }
            return false;
        }
        self.ready |= around.depth == 0 && name == READY && is_plain(status);
        self.any |= !junk;
        let kept = !junk && self.files.len() < keep;
        if kept {
            self.files.push((below.into(), stamp));
        }
        kept
    }
}

/// Whether we may read a file; what it is does not matter.
fn is_readable(folder: &Root, name: &[u8]) -> bool {
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::EACCESS;
    accessat(folder, OsStr::from_bytes(name), Access::READ_OK, flags) != Err(Errno::ACCESS)
}

pub(super) fn is_folder(status: &Stat) -> bool {
    FileType::from_raw_mode(status.st_mode) == FileType::Directory
}

pub(super) fn is_plain(status: &Stat) -> bool {
    FileType::from_raw_mode(status.st_mode) == FileType::RegularFile
}

/// So many names are looked at together, half of them by another thread: what a look at a million files takes is
/// the time of as many system calls.
const TOGETHER: usize = 8_192;

/// Names with the status of each; none of one that vanished.
type Looked = (Vec<CString>, Vec<Option<Stat>>);

/// Hands on each name in a folder with its status; what vanishes meanwhile is left out. Of very many names the next
/// ones are looked at while these are handed on.
pub(super) fn each(
    folder: impl AsFd + Sync,
    mut see: impl FnMut(&[u8], &Stat),
) -> Result<(), Errno> {
    let mut names = Dir::read_from(&folder)?.filter_map(name_of);
    let first = names.by_ref().take(TOGETHER).collect::<Result<Vec<_>, _>>()?;
    if first.len() < TOGETHER {
        let statuses = statuses(&folder, &first)?;
        hand_on((first, statuses), &mut see);
        return Ok(());
    }
    let folder = &folder;
    thread::scope(|scope| {
        let (sender, looked) = mpsc::sync_channel(1);
        let ahead = move || look_ahead(folder, first, names, &sender);
        let ahead = thread::Builder::new().spawn_scoped(scope, ahead).map_err(|_| Errno::AGAIN)?;
        looked.into_iter().for_each(|looked| hand_on(looked, &mut see));
        ahead.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}
/// The name of an entry that is neither the folder itself nor the one around it.
fn name_of(entry: Result<DirEntry, Errno>) -> Option<Result<CString, Errno>> {
    let is_other = |entry: &DirEntry| !matches!(entry.file_name().to_bytes(), b"." | b"..");
    match entry {
        Ok(entry) => is_other(&entry).then(|| Ok(entry.file_name().to_owned())),
        Err(errno) => Some(Err(errno)),
    }
}

/// Looks at names, many together, as long as somebody takes them.
fn look_ahead(
    folder: impl AsFd + Sync,
    mut next: Vec<CString>,
    mut names: impl Iterator<Item = Result<CString, Errno>>,
    looked: &SyncSender<Looked>,
) -> Result<(), Errno> {
    while !next.is_empty() {
        let statuses = by_two(&folder, next.split_at(next.len() / 2))?;
        if looked.send((next, statuses)).is_err() {
            break;
        }
        next = names.by_ref().take(TOGETHER).collect::<Result<_, _>>()?;
    }
    Ok(())
}

/// The status of each name, half of them found by a thread of their own.
fn by_two(
    folder: impl AsFd + Sync,
    (first, second): (&[CString], &[CString]),
) -> Result<Vec<Option<Stat>>, Errno> {
    thread::scope(|scope| {
        let other = thread::Builder::new().spawn_scoped(scope, || statuses(&folder, second));
        let mut all = statuses(&folder, first)?;
        all.extend(match other {
            Ok(other) => other.join().unwrap_or_else(|panic| resume_unwind(panic))?,
            // The system gives no more threads.
            Err(_) => statuses(&folder, second)?,
        });
        Ok(all)
    })
}

/// The status of each name; none of one that vanished.
fn statuses(folder: impl AsFd, names: &[CString]) -> Result<Vec<Option<Stat>>, Errno> {
    let status = |name: &CString| match statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => Ok(None),
        status => status.map(Some),
    };
    names.iter().map(status).collect()
}

fn hand_on((names, statuses): Looked, see: &mut impl FnMut(&[u8], &Stat)) {
    for (name, status) in names.iter().zip(statuses) {
        if let Some(status) = status {
            see(name.to_bytes(), &status);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;
    use std::path::Path;

    use super::{Root, TOGETHER, each};

    #[test]
    fn of_many_names_each_is_handed_on_once_with_its_own_status() {
        let place = tempfile::tempdir().expect("a folder");
        let mut made = BTreeMap::new();
        for number in 0..2 * TOGETHER + 3 {
            let (name, bytes) = (number.to_string(), number % 7);
            fs::write(place.path().join(&name), &b"1234567"[..bytes]).expect("a file");
            made.insert(name.into_bytes(), i64::try_from(bytes).expect("few"));
        }
        let mut seen = BTreeMap::new();
        let folder = Root::open(Path::new(place.path())).expect("a folder");
        let looked = each(&folder, |name, status| {
            assert_eq!(seen.insert(name.to_vec(), status.st_size), None, "twice");
        });
        assert_eq!((looked, seen), (Ok(()), made));
    }
}
