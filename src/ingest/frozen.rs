//! The files of a drop, as they were when it was ready.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, statat};
use rustix::io::Errno;

use super::Root;
use super::stamp::{Identity, Stamp};
use super::subtree::{Subtree, Trouble};
use crate::domain::ContentHasher;

/// The files of a drop, as they were when it was ready. Junk is not among them.
#[derive(Debug, Clone)]
pub struct Frozen {
    /// The inbox.
    inbox: PathBuf,
    /// The name and the status of the folder, if it is one.
    folder: Option<(OsString, Stamp)>,
    /// Their paths below the folder or the inbox, in order of bytes. There may be one more than a folder may have,
    /// which is then refused.
    files: Vec<(Box<[u8]>, Stamp)>,
}

/// More late files are left where they are.
const LATE_MOST: usize = 100_000;

/// What a second look says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    /// All is as it was.
    Same,
    /// Something came, went or changed.
    Differs,
}

impl Frozen {
    pub(super) fn of_folder(inbox: &Path, name: &OsStr, at: Stamp, tree: Subtree) -> Self {
        let Subtree { mut files, .. } = tree;
        files.sort_by(|(left, _), (right, _)| left.cmp(right));
        Self { inbox: inbox.to_owned(), folder: Some((name.to_owned(), at)), files }
    }

    pub(super) fn of_files(inbox: &Path, mut files: Vec<(Box<[u8]>, Stamp)>) -> Self {
        files.sort_by(|(left, _), (right, _)| left.cmp(right));
        Self { inbox: inbox.to_owned(), folder: None, files }
    }

    /// How many files there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.files.len()
    }

    /// How many bytes they have together.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.files.iter().fold(0, |sum: u64, (_, stamp)| sum.saturating_add(stamp.bytes))
    }

    /// Lists them again.
    #[must_use]
    pub fn again(&self) -> Again {
        let same = Root::open(&self.inbox).is_ok_and(|inbox| match &self.folder {
            Some((name, _)) => self.same_folder(&inbox, name),
            None => self.same_files(&inbox),
        });
        if same { Again::Same } else { Again::Differs }
    }

    /// The files in the folder that was moved to `moved_to` that were not there when it was ready, or
    /// that were written to since, with their paths below it. Nothing of loose files can be late.
    ///
    /// # Errors
    /// It cannot be listed.
    pub fn late(&self, moved_to: &Path) -> io::Result<Vec<PathBuf>> {
        if self.folder.is_none() {
            return Ok(Vec::new());
        }
        let (done, moved) = Root::around(moved_to)?;
        let tree =
            Subtree::list(&done, moved, self.files.len() + LATE_MOST).map_err(|trouble| {
                match trouble {
                    Trouble::Gone => Errno::NOENT,
                    Trouble::Unreadable(_, errno) => errno,
                }
            })?;
        let known: HashMap<&[u8], &Stamp> =
            self.files.iter().map(|(path, stamp)| (&path[..], stamp)).collect();
        let is_late = |(path, stamp): &(Box<[u8]>, Stamp)| {
            known.get(&path[..]).is_none_or(|known| !known.same_bytes(stamp))
        };
        let late = tree.files.into_iter().filter(is_late);
        let mut late: Vec<PathBuf> =
            late.map(|(path, _)| OsStr::from_bytes(&path).into()).collect();
        late.sort();
        Ok(late)
    }

    /// What the drop is known by.
    pub(super) fn identity(&self) -> Identity {
        let mut hasher = ContentHasher::new();
        // A folder's own time changes with each name in it, even a junk one.
        if let Some((name, at)) = &self.folder {
            at.timeless().feed(name.as_bytes(), &mut hasher);
        }
        self.files.iter().for_each(|(path, stamp)| stamp.feed(path, &mut hasher));
        Identity(hasher.finish())
    }

    fn same_folder(&self, inbox: &Root, name: &OsStr) -> bool {
        let Ok(tree) = Subtree::list(inbox, name, self.files.len() + 1) else { return false };
        let mut files = tree.files;
        files.sort_by(|(left, _), (right, _)| left.cmp(right));
        files == self.files
    }

    fn same_files(&self, inbox: &Root) -> bool {
        self.files.iter().all(|(name, stamp)| {
            let status = statat(inbox, OsStr::from_bytes(name), AtFlags::SYMLINK_NOFOLLOW);
            status.is_ok_and(|status| Stamp::from(&status) == *stamp)
        })
    }
}
