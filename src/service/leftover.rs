//! What a `run` that was killed left in an inbox.

use std::fs::{self, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use crate::ingest::{HANDED_OVER, MAKING};

/// What somebody still works on changes within this.
const AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// Whether a folder in an inbox was made by a `run` that is gone, and nothing in it has changed for a day. One
/// that cannot be looked at as a whole is none.
#[must_use]
pub fn is_leftover(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_bytes();
    let token = [MAKING, HANDED_OVER].iter().find_map(|made| name.strip_prefix(made.as_bytes()));
    let Some(token) = token else { return false };
    let Some(since) = SystemTime::now().checked_sub(AFTER) else { return false };
    !is_makers_alive(token) && is_unchanged(path, since)
}

/// Whether there is a process with this number, whosever it is.
#[must_use]
pub fn is_alive(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    // One of somebody else is there, too, though we may not signal it.
    pid.is_some_and(|pid| !matches!(test_kill_process(pid), Err(Errno::SRCH)))
}

/// Whether the process is there whose number ends a token.
fn is_makers_alive(token: &[u8]) -> bool {
    let pid = token.rsplit(|&byte| byte == b'-').next();
    let pid = pid.and_then(|pid| std::str::from_utf8(pid).ok()?.parse().ok());
    pid.is_some_and(is_alive)
}

/// Whether a folder and all that is in it is as it was at that time.
fn is_unchanged(path: &Path, since: SystemTime) -> bool {
    let is_old = |status: &Metadata| status.modified().is_ok_and(|at| at < since);
    let is_old_folder = |status: &Metadata| status.is_dir() && is_old(status);
    if !fs::symlink_metadata(path).is_ok_and(|status| is_old_folder(&status)) {
        return false;
    }
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(folder) else { return false };
        for entry in entries {
            let Ok((path, status)) = entry.and_then(|entry| Ok((entry.path(), entry.metadata()?)))
            else {
                return false;
            };
            if !is_old(&status) {
                return false;
            }
            if status.is_dir() {
                folders.push(path);
            }
        }
    }
    true
}
