//! Copies of trees, and taking away what was copied. No link is followed.

use std::fs::{self, File, FileType, Metadata};
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, mknodat, open};

use super::Put;

/// Copies a file, a folder with all that is in it, or a link. Times of files stay, so that a later look
/// sees whether they are the same.
pub(super) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let mut pending = vec![(from.to_owned(), to.to_owned())];
    while let Some((from, to)) = pending.pop() {
        let metadata = fs::symlink_metadata(&from)?;
        if metadata.is_dir() {
            fs::create_dir(&to)?;
            for entry in fs::read_dir(&from)? {
                let name = entry?.file_name();
                pending.push((from.join(&name), to.join(&name)));
            }
        } else {
            copy_one(&from, &to, &metadata)?;
        }
    }
    Ok(())
}

fn copy_one(from: &Path, to: &Path, metadata: &Metadata) -> io::Result<()> {
    if metadata.is_symlink() {
        return symlink(fs::read_link(from)?, to);
    }
    if !metadata.is_file() {
        let kind = rustix::fs::FileType::from_raw_mode(metadata.mode());
        let mode = Mode::from_raw_mode(metadata.mode() & 0o777);
        return Ok(mknodat(CWD, to, kind, mode, metadata.rdev())?);
    }
    let mut source = open_file(from)?;
    let mut target = File::create_new(to)?;
    io::copy(&mut source, &mut target)?;
    target.set_permissions(fs::Permissions::from_mode(metadata.mode() & 0o777))?;
    target.set_modified(metadata.modified()?)
}

fn open_file(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(open(path, flags, Mode::empty())?.into())
}

/// Removes a tree, if it is there.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    or_gone(removed)
}

/// Removes what is the same in the copy. What is not stays where it is.
pub(super) fn remove_same(from: &Path, copy: &Path) -> io::Result<Put> {
    let mut folders: Vec<PathBuf> = Vec::new();
    let mut pending = vec![(from.to_owned(), copy.to_owned())];
    let mut put = Put::Away;
    while let Some((from, copy)) = pending.pop() {
        let (Ok(one), Ok(other)) = (fs::symlink_metadata(&from), fs::symlink_metadata(&copy))
        else {
            put = Put::WithRest;
            continue;
        };
        if one.is_dir() && other.is_dir() {
            for entry in fs::read_dir(&from)? {
                let name = entry?.file_name();
                pending.push((from.join(&name), copy.join(&name)));
            }
            folders.push(from);
        } else if is_same((&from, &one), (&copy, &other))? {
            or_gone(fs::remove_file(&from))?;
        } else {
            put = Put::WithRest;
        }
    }
    // The inner ones come after the outer ones.
    for folder in folders.iter().rev() {
        match fs::remove_dir(folder) {
            Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => put = Put::WithRest,
            removed => or_gone(removed)?,
        }
    }
    Ok(put)
}

fn or_gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

fn is_same(
    (one, first): (&Path, &Metadata),
    (other, second): (&Path, &Metadata),
) -> io::Result<bool> {
    let kind = |metadata: &Metadata| -> FileType { metadata.file_type() };
    if kind(first) != kind(second) {
        return Ok(false);
    }
    if first.is_symlink() {
        return Ok(fs::read_link(one)? == fs::read_link(other)?);
    }
    if !first.is_file() {
        return Ok(first.rdev() == second.rdev());
    }
    let same = first.len() == second.len() && first.modified()? == second.modified()?;
    Ok(same && same_bytes(open_file(one)?, open_file(other)?)?)
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
