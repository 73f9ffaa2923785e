//! The bytes of a file, as they were at one moment.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags, Stat, fstat, open};
use rustix::io::Errno;

use crate::domain::{CaseError, ErrorCode};

/// How often a file is read again that changes while it is read.
const TRIES: usize = 3;

/// Reads a regular file of at most `most` bytes. A link is not followed and nothing else is opened in
/// a way that could block. A file that changes while it is read is read again.
///
/// # Errors
/// [`ErrorCode::NotAFile`], [`ErrorCode::TooLarge`] or [`ErrorCode::Unreadable`].
pub fn read_file(path: &Path, most: u64) -> Result<Vec<u8>, CaseError> {
    for _ in 0..TRIES {
        let mut file = open_file(path)?;
        let before = status(&file)?;
        if FileType::from_raw_mode(before.st_mode) != FileType::RegularFile {
            return Err(CaseError::new(ErrorCode::NotAFile, "not a regular file"));
        }
        let bytes = read_most(&mut file, most, size(&before))?;
        if same(&before, &status(&file)?) {
            return Ok(bytes);
        }
    }
    Err(CaseError::new(ErrorCode::Unreadable, "changes while it is read"))
}

fn open_file(path: &Path) -> Result<File, CaseError> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    match open(path, flags, Mode::empty()) {
        Ok(file) => Ok(file.into()),
        // What the system says of a link (ELOOP), and of a socket or a device without a driver.
        Err(Errno::LOOP) => Err(CaseError::new(ErrorCode::NotAFile, "a link")),
        Err(Errno::NXIO | Errno::NODEV) => {
            Err(CaseError::new(ErrorCode::NotAFile, "not a regular file"))
        }
        Err(errno) => Err(unreadable(&errno.into())),
    }
}

fn status(file: &File) -> Result<Stat, CaseError> {
    fstat(file).map_err(|errno| unreadable(&errno.into()))
}

fn unreadable(error: &io::Error) -> CaseError {
    CaseError::new(ErrorCode::Unreadable, error.to_string())
}

fn size(status: &Stat) -> u64 {
    u64::try_from(status.st_size).unwrap_or(0)
}

/// Reads to the end, but never more than `most` bytes, whatever the file claims to hold.
fn read_most(file: &mut File, most: u64, claimed: u64) -> Result<Vec<u8>, CaseError> {
    let too_large = || {
        CaseError::new(ErrorCode::TooLarge, format!("larger than {most} bytes (max_input_bytes)"))
    };
    if claimed > most {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    let room = usize::try_from(claimed).unwrap_or(0);
    bytes.try_reserve_exact(room + 1).map_err(|error| unreadable(&io::Error::other(error)))?;
    let read = file.take(most.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| unreadable(&error))?;
    if bytes.len() as u64 > most { Err(too_large()) } else { Ok(bytes) }
}

/// Whether a file was left alone between two looks.
fn same(before: &Stat, after: &Stat) -> bool {
    let identity = |status: &Stat| {
        let times = (status.st_mtime, status.st_mtime_nsec, status.st_ctime, status.st_ctime_nsec);
        (status.st_size, times)
    };
    identity(before) == identity(after)
}
