//! Copies of trees, and taking away what was copied. No link is followed, whoever changes names meanwhile.

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, FileType, Mode, Stat, mkdirat, mknodat, readlinkat, symlinkat, unlinkat,
};
use rustix::io::Errno;

use super::super::Root;
use super::super::subtree::is_folder;
use super::Put;

/// Copies a file, a folder with all that is in it, or a link. Times of files stay, so that a later look
/// sees whether they are the same.
pub(super) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let ((source, from), (target, to)) = (Root::around(from)?, Root::around(to)?);
    let mut pending = vec![(PathBuf::from(from), PathBuf::from(to))];
    while let Some((from, to)) = pending.pop() {
        let status = source.status(&from)?;
        let place = target.folder(around(&to))?;
        if is_folder(&status) {
            mkdirat(&place, name(&to), Mode::from_raw_mode(0o777))?;
            for name in source.folder(&from)?.names()? {
                pending.push((from.join(&name), to.join(&name)));
            }
        } else {
            copy_one(&source, &from, &status, &place, name(&to))?;
        }
    }
    Ok(())
}

fn around(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

fn name(path: &Path) -> &OsStr {
    path.file_name().unwrap_or_default()
}

fn kind(status: &Stat) -> FileType {
    FileType::from_raw_mode(status.st_mode)
}

fn copy_one(source: &Root, from: &Path, status: &Stat, place: &Root, to: &OsStr) -> io::Result<()> {
    match kind(status) {
        FileType::Symlink => Ok(symlinkat(link(source, from)?, place, to)?),
        FileType::RegularFile => {
            let mut file = source.file(from)?;
            let metadata = file.metadata()?;
            if !metadata.is_file() {
                return Err(io::Error::other("no regular file any more"));
            }
            let mut target = place.create(to, 0o666)?;
            io::copy(&mut file, &mut target)?;
            target
                .set_permissions(Permissions::from_mode(metadata.permissions().mode() & 0o777))?;
            target.set_modified(metadata.modified()?)
        }
        kind => {
            let mode = Mode::from_raw_mode(status.st_mode & 0o777);
            Ok(mknodat(place, to, kind, mode, status.st_rdev)?)
        }
    }
}

/// Where a link leads.
fn link(root: &Root, below: &Path) -> Result<PathBuf, Errno> {
    let leads = readlinkat(root.folder(around(below))?, name(below), Vec::new())?;
    Ok(OsStr::from_bytes(leads.to_bytes()).into())
}

/// Removes a tree, if it is there.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Removes what is the same in the copy. What is not stays where it is.
pub(super) fn remove_same(from: &Path, copy: &Path) -> io::Result<Put> {
    let ((source, from), (target, copy)) = (Root::around(from)?, Root::around(copy)?);
    let mut folders: Vec<PathBuf> = Vec::new();
    let mut pending = vec![(PathBuf::from(from), PathBuf::from(copy))];
    let mut put = Put::Away;
    while let Some((from, copy)) = pending.pop() {
        let (Ok(one), Ok(other)) = (source.status(&from), target.status(&copy)) else {
            put = Put::WithRest;
            continue;
        };
        if is_folder(&one) && is_folder(&other) {
            for name in source.folder(&from)?.names()? {
                pending.push((from.join(&name), copy.join(&name)));
            }
            folders.push(from);
        } else if is_same((&source, &from, &one), (&target, &copy, &other))? {
            remove_one(&source, &from, AtFlags::empty())?;
        } else {
            put = Put::WithRest;
        }
    }
    // The inner ones come after the outer ones.
    for folder in folders.iter().rev() {
        match remove_one(&source, folder, AtFlags::REMOVEDIR) {
            Err(Errno::NOTEMPTY | Errno::EXIST) => put = Put::WithRest,
            removed => removed?,
        }
    }
    Ok(put)
}

/// Removes a name, if it is there.
fn remove_one(root: &Root, below: &Path, flags: AtFlags) -> Result<(), Errno> {
    match root.folder(around(below)).and_then(|folder| unlinkat(&folder, name(below), flags)) {
        Err(Errno::NOENT) => Ok(()),
        removed => removed,
    }
}

fn is_same(
    (source, from, one): (&Root, &Path, &Stat),
    (target, copy, other): (&Root, &Path, &Stat),
) -> io::Result<bool> {
    if kind(one) != kind(other) {
        return Ok(false);
    }
    match kind(one) {
        FileType::Symlink => Ok(link(source, from)? == link(target, copy)?),
        FileType::RegularFile => {
            let times = |status: &Stat| (status.st_size, status.st_mtime, status.st_mtime_nsec);
            Ok(times(one) == times(other) && same_bytes(source.file(from)?, target.file(copy)?)?)
        }
        _ => Ok(one.st_rdev == other.st_rdev),
    }
}

fn same_bytes(one: File, other: File) -> io::Result<bool> {
    let (mut one, mut other) = (BufReader::new(one), BufReader::new(other));
    loop {
        let (left, right) = (one.fill_buf()?, other.fill_buf()?);
        let bytes = left.len().min(right.len());
        if bytes == 0 || left[..bytes] != right[..bytes] {
            return Ok(left.is_empty() && right.is_empty());
        }
        one.consume(bytes);
        other.consume(bytes);
    }
}
