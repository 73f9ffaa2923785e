//! Putting away: what was taken leaves the inbox. A second call after a crash finishes what the first
//! began.

mod back;
mod copy;

pub use back::give_back;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, RenameFlags, renameat, renameat_with, statat};
use rustix::io::Errno;

use super::inbox::ASIDE;
use crate::domain::{RunId, crash_point};

/// The file that is renamed to see whether that can be done.
const PROBE: &str = ".simdrop-probe";

/// Where something is after it was put away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    /// Away, all of it.
    Away,
    /// Away, but under the old name lies something that is not the same: it came late, and is to be
    /// taken like any other.
    WithRest,
}

/// Moves a file, a folder or a link out of an inbox to `to`, whose parents exist. Nothing is ever
/// overwritten and no link is followed. Across file systems it is copied, and what is at the old place
/// is removed only where the copy is the same. Called again after a crash it goes on; `to` is then what
/// the first call made. That must be before the next scan: half a folder, or an input whose answer is away
/// already, is known by another identity.
///
/// # Errors
/// [`AsideError`]; what was handed over is then complete in one of the two places.
pub fn put_away(from: &Path, to: &Path) -> Result<Put, AsideError> {
    let failed =
        |source: io::Error| AsideError::Move { from: from.to_owned(), to: to.to_owned(), source };
    match rename(from, to) {
        Ok(()) => Ok(Put::Away),
        Err(Errno::NOENT) if exists(to) => Ok(Put::Away),
        Err(Errno::NOENT) if !exists(from) => Err(AsideError::Missing(from.to_owned())),
        Err(Errno::XDEV) => copy_away(from, to).map_err(failed),
        Err(Errno::EXIST | Errno::NOTEMPTY) => copy::remove_same(from, to).map_err(failed),
        Err(errno) => Err(failed(errno.into())),
    }
}

/// Renames a name inside its inbox to one that is never looked at, where the system does not let us move
/// it out of there: a folder of another user that we may not write in. Says which name.
///
/// # Errors
/// [`AsideError`].
pub fn mark_done(root: &Path, name: &OsStr, run: RunId) -> Result<OsString, AsideError> {
    let from = root.join(name);
    let mut number = 1_u64;
    loop {
        let done = match number {
            1 => format!("{ASIDE}{run}"),
            number => format!("{ASIDE}{run}-{number}"),
        };
        let to = root.join(&done);
        match rename(&from, &to) {
            Ok(()) => return Ok(done.into()),
            Err(Errno::NOENT) if exists(&to) => return Ok(done.into()),
            Err(Errno::NOENT) if !exists(&from) => return Err(AsideError::Missing(from)),
            // Of a run of several files the others have the names before.
            Err(Errno::EXIST | Errno::NOTEMPTY) => number += 1,
            Err(errno) => return Err(AsideError::Move { from, to, source: errno.into() }),
        }
    }
}

impl AsideError {
    /// Whether the system does not let us move it, so that [`mark_done`] is left.
    #[must_use]
    pub fn is_forbidden(&self) -> bool {
        match self {
            Self::Move { source, .. } => source.kind() == io::ErrorKind::PermissionDenied,
            Self::Missing(_) => false,
        }
    }
}

/// The name cut to so many bytes, between two characters if it is UTF-8.
#[must_use]
pub fn cut_name(name: &OsStr, most: usize) -> OsString {
    let bytes = name.as_bytes();
    let most = most.min(bytes.len());
    let is_end = |&end: &usize| name.to_str().is_none_or(|text| text.is_char_boundary(end));
    let end = (0..=most).rev().find(is_end).unwrap_or(0);
    OsString::from_vec(bytes[..end].to_vec())
}

/// Whether files can be renamed from one directory into the other. Leaves nothing behind.
///
/// # Errors
/// No file can be made in `from`, or the system does not let us into `to`.
pub fn probe(from: &Path, to: &Path) -> io::Result<bool> {
    // Others may write there, too, and be in the way of a name that they know.
    let unknown = format!("{PROBE}-{:x}", RandomState::new().build_hasher().finish());
    probe_as(PROBE, from, to).or_else(|_| probe_as(&unknown, from, to))
}

fn probe_as(name: &str, from: &Path, to: &Path) -> io::Result<bool> {
    let (file, there) = (from.join(name), to.join(name));
    // Somebody may have been killed in the middle of this.
    remove(&file)?;
    remove(&there)?;
    fs::File::create_new(&file)?;
    crash_point("mid-probe");
    let renamed = rename(&file, &there);
    remove(if renamed.is_ok() { &there } else { &file })?;
    match renamed {
        Ok(()) => Ok(true),
        Err(Errno::XDEV) => Ok(false),
        Err(errno) => Err(errno.into()),
    }
}

/// Makes, renames and removes a file in a directory. Two who do so do not disturb one another.
///
/// # Errors
/// [`ProbeError`].
pub fn probe_one(directory: &Path) -> Result<(), ProbeError> {
    let failed = |step| move |source| ProbeError { step, source };
    // Others may write there, too: what they can guess the name of could be a link of theirs.
    let made = tempfile::Builder::new().prefix(PROBE).tempfile_in(directory);
    // Its own words name a file that is of no use to anybody.
    let made = made.map_err(|error| failed("made")(error.kind().into()))?;
    let mut there = made.path().as_os_str().to_owned();
    there.push("-there");
    made.persist(&there).map_err(|error| failed("renamed")(error.error))?;
    fs::remove_file(&there).map_err(failed("removed"))
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Whether a directory is an inbox or lies in it, links and mounts resolved. Of one that is not there yet
/// the nearest one around it counts.
#[must_use]
pub fn overlaps(inbox: &Path, directory: &Path) -> bool {
    let Ok(inbox) = place(inbox) else { return false };
    let Ok(absolute) = std::path::absolute(directory) else { return false };
    let Some(mut at) = absolute.ancestors().find(|path| path.is_dir()).map(Path::to_owned) else {
        return false;
    };
    let mut here = place(&at);
    while let Ok(now) = here {
        if now == inbox {
            return true;
        }
        at.push("..");
        here = place(&at).and_then(|above| {
            if above == now { Err(io::ErrorKind::NotFound.into()) } else { Ok(above) }
        });
    }
    false
}

fn place(directory: &Path) -> io::Result<(u64, u64)> {
    fs::metadata(directory).map(|metadata| (metadata.dev(), metadata.ino()))
}

fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

fn rename(from: &Path, to: &Path) -> Result<(), Errno> {
    rename_at((CWD, from), (CWD, to))
}

/// Renames and never overwrites.
fn rename_at(from: (BorrowedFd<'_>, &Path), to: (BorrowedFd<'_>, &Path)) -> Result<(), Errno> {
    let is_there = || statat(to.0, to.1, AtFlags::SYMLINK_NOFOLLOW).is_ok();
    match renameat_with(from.0, from.1, to.0, to.1, RenameFlags::NOREPLACE) {
        // Some file systems cannot promise it.
        Err(Errno::INVAL | Errno::NOSYS) if is_there() => Err(Errno::EXIST),
        Err(Errno::INVAL | Errno::NOSYS) => renameat(from.0, from.1, to.0, to.1),
        renamed => renamed,
    }
}

/// Copies to a name beside the target, makes that last, and gives it its name.
fn copy_away(from: &Path, to: &Path) -> io::Result<Put> {
    if !exists(to) {
        let parent = to.parent().unwrap_or(Path::new(""));
        let name = to.file_name().unwrap_or_default();
        let mut partial = OsString::from(".simdrop-moving-");
        partial.push(cut_name(name, 200));
        let partial = parent.join(partial);
        copy::remove(&partial)?;
        copy::copy(from, &partial)?;
        let folder =
            fs::File::open(if parent.as_os_str().is_empty() { Path::new(".") } else { parent })?;
        rustix::fs::syncfs(&folder)?;
        crash_point("moved-before-rename");
        rename(&partial, to)?;
        folder.sync_all()?;
        crash_point("moved-before-unlink");
    }
    copy::remove_same(from, to)
}

/// A directory in which the daemon cannot work.
#[derive(Debug, thiserror::Error)]
#[error("no file can be {step}")]
pub struct ProbeError {
    /// What fails: it can be made, renamed or removed.
    pub step: &'static str,
    /// What the system said.
    pub source: io::Error,
}

/// Why something cannot be put away.
#[derive(Debug, thiserror::Error)]
pub enum AsideError {
    /// It is in neither place.
    #[error("{}: it is not there any more", .0.display())]
    Missing(PathBuf),
    /// The system does not move it.
    #[error("{} cannot be moved to {}", from.display(), to.display())]
    Move {
        /// Where it is.
        from: PathBuf,
        /// Where it should be.
        to: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}
