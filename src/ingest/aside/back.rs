//! Files that came too late for their run go back to the inbox.

use std::ffi::OsStr;
use std::io;
use std::os::fd::AsFd;
use std::path::{Component, Path};

use rustix::fs::{Mode, mkdirat};
use rustix::io::Errno;

use super::super::Root;
use super::rename_at;

/// Moves files of a folder that was put away to a folder in the inbox, which is made if it is not there, with the
/// folders around them. Whoever dropped them may still change names in both: no link is followed, and nothing is
/// replaced. Says how many were moved; the others stay where they are.
///
/// # Errors
/// One of the folders cannot be opened or made.
pub fn give_back<P: AsRef<Path>>(away: &Path, back: &Path, late: &[P]) -> io::Result<usize> {
    let (done, name) = Root::around(away)?;
    let from = done.folder(Path::new(name))?;
    let (inbox, name) = Root::around(back)?;
    let to = made(&inbox, Path::new(name))?;
    let moved = late.iter().filter(|path| give_back_one(&from, &to, path.as_ref()).is_ok());
    Ok(moved.count())
}

fn give_back_one(from: &Root, to: &Root, path: &Path) -> Result<(), Errno> {
    let name = path.file_name().ok_or(Errno::INVAL)?;
    let around = path.parent().unwrap_or(Path::new(""));
    let (from, to) = (from.folder(around)?, made(to, around)?);
    rename_at((from.as_fd(), Path::new(name)), (to.as_fd(), Path::new(name)))
}

/// The folder at a path below another one; what is missing on the way is made.
fn made(root: &Root, below: &Path) -> Result<Root, Errno> {
    let mut here = root.folder(Path::new(""))?;
    for part in below.components() {
        let Component::Normal(name) = part else { return Err(Errno::XDEV) };
        here = made_one(&here, name)?;
    }
    Ok(here)
}

fn made_one(around: &Root, name: &OsStr) -> Result<Root, Errno> {
    match mkdirat(around, name, Mode::from_raw_mode(0o777)) {
        Ok(()) | Err(Errno::EXIST) => around.folder(Path::new(name)),
        Err(errno) => Err(errno),
    }
}
