//! What lies in a folder and in the folders in it, as it was at one moment.

use std::ffi::OsStr;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, Dir, FileType, Stat, accessat, statat};
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

/// Hands on each name in a folder with its status; what vanishes meanwhile is left out.
pub(super) fn each(folder: impl AsFd, mut see: impl FnMut(&[u8], &Stat)) -> Result<(), Errno> {
    for entry in Dir::read_from(&folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        match statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(status) => see(name.to_bytes(), &status),
            Err(Errno::NOENT) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}
