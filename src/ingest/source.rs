//! A file that was handed over, wherever it is.

use std::ffi::OsStr;
use std::fs::File;
use std::ops::{ControlFlow, Range};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Root;
use super::archive::Member;
use super::read::{self, Cap, See, Seen};
use super::seeds;
use super::window::Window;
use crate::domain::CaseError;
#[cfg(doc)]
use crate::domain::ErrorCode;

/// A file that was handed over; cheap to clone.
#[derive(Debug, Clone)]
pub struct FileRef {
    path: Arc<[u8]>,
    source: Arc<Source>,
}

/// Where the bytes are. One folder's files share one, as there may be a million of them.
#[derive(Debug)]
pub(super) enum Source {
    /// Below a folder.
    Disk(Arc<Root>),
    /// On disk, named by somebody of its own; the folder is only where names begin.
    Named(PathBuf),
    /// In a zip.
    Zip(Member),
    /// In a temporary file.
    Spool(Arc<File>),
    /// Nowhere: made while they are read.
    Seeds(Range<u64>),
}

impl FileRef {
    pub(super) fn new(path: &[u8], source: &Arc<Source>) -> Self {
        Self { path: path.into(), source: Arc::clone(source) }
    }

    /// Hands the whole file to `see`, in parts of at most 1 MiB. What was seen is void if it changed
    /// meanwhile, or after an error. Never blocks for a pipe and never follows a link.
    ///
    /// # Errors
    /// [`ErrorCode::NotAFile`], [`ErrorCode::TooLarge`] or [`ErrorCode::Unreadable`], the last also for
    /// an entry of a zip whose data is damaged.
    pub fn read(&self, cap: Cap, see: &mut dyn FnMut(&[u8])) -> Result<Seen, CaseError> {
        self.read_some(cap, &mut |part| {
            see(part);
            ControlFlow::Continue(())
        })
    }

    /// Like [`FileRef::read`], until somebody has seen enough.
    pub(super) fn read_some(&self, cap: Cap, see: &mut See<'_>) -> Result<Seen, CaseError> {
        match &*self.source {
            Source::Disk(root) => read::disk(read::open_below(root, &self.path)?, cap, see),
            Source::Named(root) => {
                read::disk(read::open_named(&below(root, &self.path))?, cap, see)
            }
            Source::Zip(member) => member.read(cap, see),
            Source::Spool(file) => {
                let claimed = file.metadata().map_err(|error| read::unreadable(&error))?.len();
                read::pump(&mut Window::new(Arc::clone(file)), claimed, cap, see)?;
                Ok(Seen::Whole)
            }
            Source::Seeds(range) => {
                let claimed = seeds::Text::bytes_least(range);
                read::pump(&mut seeds::Text::new(range.clone()), claimed, cap, see)?;
                Ok(Seen::Whole)
            }
        }
    }

    /// All bytes of a small file; one that changes while it is read is read again.
    ///
    /// # Errors
    /// As [`FileRef::read`].
    pub fn bytes(&self, cap: Cap) -> Result<Vec<u8>, CaseError> {
        read::unchanged(|| {
            let mut bytes = Vec::new();
            let read = self.read(cap, &mut |part| bytes.extend_from_slice(part));
            read.map(|seen| (seen == Seen::Whole).then_some(bytes)).transpose()
        })?
    }

    /// The path below the folder or the root of the zip, as typed for a plain file.
    #[must_use]
    pub fn path(&self) -> &[u8] {
        &self.path
    }

    /// The folder on disk that its path is below, if it lies on disk.
    pub(super) fn root(&self) -> Option<&Path> {
        match &*self.source {
            Source::Disk(root) => Some(root.path()),
            Source::Named(root) => Some(root),
            Source::Zip(_) | Source::Spool(_) | Source::Seeds(_) => None,
        }
    }

    /// Where it lies on disk, if it does.
    #[must_use]
    pub fn on_disk(&self) -> Option<PathBuf> {
        self.root().map(|root| below(root, &self.path))
    }
}

fn below(root: &Path, path: &[u8]) -> PathBuf {
    root.join(OsStr::from_bytes(path))
}
