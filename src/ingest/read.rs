//! Bytes in parts, and files as they were at one moment.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags, Stat, fstat, open};
use rustix::io::Errno;

use super::Root;
use crate::domain::{CaseError, ErrorCode};

/// How much is handed on at once, in bytes: at least for small files of unknown size, at most for all.
const PART_LEAST: usize = 512;
const PART_MOST: usize = 1 << 20;

/// How large a file may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cap {
    /// The most bytes.
    pub bytes: u64,
    /// The setting that says so, for messages.
    pub key: &'static str,
}

/// How reading went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// All bytes were seen, as they were at one moment.
    Whole,
    /// The file changed while it was read; what was seen is void.
    Changed,
}

/// How often a file is read again that changes while it is read.
const TRIES: usize = 3;

/// Reads a file until it does not change meanwhile: `attempt` says nothing if it did.
///
/// # Errors
/// [`ErrorCode::Unreadable`]: it always does.
pub fn unchanged<T>(mut attempt: impl FnMut() -> Option<T>) -> Result<T, CaseError> {
    let read = (0..TRIES).find_map(|_| attempt());
    read.ok_or_else(|| CaseError::new(ErrorCode::Unreadable, "changes while it is read"))
}

/// Who sees the parts, and may have seen enough.
pub(super) type See<'a> = dyn FnMut(&[u8]) -> ControlFlow<()> + 'a;

impl Cap {
    /// The error of a file that is larger.
    pub(super) fn passed(self) -> CaseError {
        let message = format!("larger than {} bytes ({})", self.bytes, self.key);
        CaseError::new(ErrorCode::TooLarge, message)
    }
}

/// What of a file's status changes when the file does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    /// The size in bytes.
    pub(super) bytes: u64,
    modified: (i64, u64),
    changed: (i64, u64),
}

impl Moment {
    /// Looks at an open file.
    pub(super) fn of(file: &File) -> io::Result<Self> {
        Ok(Self::from(&fstat(file)?))
    }
}

impl From<&Stat> for Moment {
    fn from(status: &Stat) -> Self {
        Self {
            bytes: u64::try_from(status.st_size).unwrap_or(0),
            modified: (status.st_mtime, status.st_mtime_nsec),
            changed: (status.st_ctime, status.st_ctime_nsec),
        }
    }
}

/// Hands on an open file, if it is a regular one.
pub(super) fn disk(mut file: File, cap: Cap, see: &mut See<'_>) -> Result<Seen, CaseError> {
    let status = fstat(&file).map_err(|errno| unreadable(&errno.into()))?;
    if FileType::from_raw_mode(status.st_mode) != FileType::RegularFile {
        return Err(CaseError::new(ErrorCode::NotAFile, "not a regular file"));
    }
    let before = Moment::from(&status);
    let Some(_) = pump(&mut file, before.bytes, cap, see)? else { return Ok(Seen::Whole) };
    let after = Moment::of(&file).map_err(|error| unreadable(&error))?;
    Ok(if before == after { Seen::Whole } else { Seen::Changed })
}

/// Opens a file that somebody named for reading, if it is no link, without waiting for anybody.
pub(super) fn open_named(path: &Path) -> Result<File, CaseError> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    opened(open(path, flags, Mode::empty()).map(File::from))
}

/// Opens a file below a folder for reading, without following a link or waiting for anybody.
pub(super) fn open_below(root: &Root, below: &[u8]) -> Result<File, CaseError> {
    opened(root.file(Path::new(OsStr::from_bytes(below))))
}

fn opened(file: Result<File, Errno>) -> Result<File, CaseError> {
    match file {
        Ok(file) => Ok(file),
        // What the system says of a link (ELOOP), and of a socket or a device without a driver.
        Err(Errno::LOOP) => Err(CaseError::new(ErrorCode::NotAFile, "a link")),
        Err(Errno::NXIO | Errno::NODEV) => {
            Err(CaseError::new(ErrorCode::NotAFile, "not a regular file"))
        }
        Err(errno) => Err(unreadable(&errno.into())),
    }
}

pub(super) fn unreadable(error: &io::Error) -> CaseError {
    CaseError::new(ErrorCode::Unreadable, error.to_string())
}

/// Hands on all that comes, but never more than the cap, whatever the source claims to hold. Says how
/// many bytes there were, `None` if somebody had seen enough.
pub(super) fn pump(
    source: &mut dyn Read,
    claimed: u64,
    cap: Cap,
    see: &mut See<'_>,
) -> Result<Option<u64>, CaseError> {
    if claimed > cap.bytes {
        return Err(cap.passed());
    }
    // One byte more than claimed, so that one read shows the whole file and the next its end.
    let room = usize::try_from(claimed).unwrap_or(PART_MOST).saturating_add(1);
    let mut part = vec![0; room.clamp(PART_LEAST, PART_MOST)];
    let mut total = 0;
    loop {
        let read = match source.read(&mut part) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            read => read.map_err(|error| unreadable(&error))?,
        };
        if read == 0 {
            return Ok(Some(total));
        }
        total += read as u64;
        if total > cap.bytes {
            return Err(cap.passed());
        }
        if see(&part[..read]).is_break() {
            return Ok(None);
        }
    }
}
