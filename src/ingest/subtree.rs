//! What lies in a folder and in the folders in it, as it was at one moment.

use std::ffi::OsStr;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, open, statat};
use rustix::io::Errno;

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
    /// Lists a folder without following a link; `keep`: with the files.
    pub(super) fn list(root: &Path, keep: bool) -> Result<Self, Trouble> {
        let mut tree = Self::default();
        let mut pending = vec![Pending { below: Vec::new(), depth: 0, junk: false }];
        while let Some(at) = pending.pop() {
            let path = root.join(OsStr::from_bytes(&at.below));
            let listed = open_folder(&path).and_then(|folder| {
                each(&folder, |name, status| tree.add(&at, name, status, keep, &mut pending))
            });
            match listed {
                Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) if at.depth == 0 => {
                    return Err(Trouble::Gone);
                }
                // What vanished changed the folder around it. What no path can name is nobody's data.
                Ok(()) | Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::NAMETOOLONG) => {}
                // Nobody asks for what is in it.
                Err(_) if at.junk => {}
                Err(errno) => return Err(Trouble::Unreadable(path, errno)),
            }
        }
        Ok(tree)
    }

    fn add(
        &mut self,
        around: &Pending,
        name: &[u8],
        status: &Stat,
        keep: bool,
        pending: &mut Vec<Pending>,
    ) {
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
            return;
        }
        self.ready |= around.depth == 0 && name == READY && is_plain(status);
        self.any |= !junk;
        if keep && !junk {
            self.files.push((below.into(), stamp));
        }
    }
}

pub(super) fn is_folder(status: &Stat) -> bool {
    FileType::from_raw_mode(status.st_mode) == FileType::Directory
}

pub(super) fn is_plain(status: &Stat) -> bool {
    FileType::from_raw_mode(status.st_mode) == FileType::RegularFile
}

/// Opens a folder that is no link.
pub(super) fn open_folder(path: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    open(path, flags, Mode::empty())
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
