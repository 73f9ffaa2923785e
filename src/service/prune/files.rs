//! The files of runs: what was put away for them and what was written out.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::domain::RunId;

/// The directories in which each run has a name of its own, `RUN-NAME`.
const PLACES: [&str; 3] = ["done", "rejected", "out"];

/// Removes the files of runs. A link among them is removed itself, never what it leads to. What cannot be
/// removed is told and stays.
pub(super) fn remove(state: &Path, runs: &HashSet<RunId>) {
    for place in PLACES {
        let Ok(entries) = fs::read_dir(state.join(place)) else { continue };
        for entry in entries.flatten() {
            if !run_of(entry.file_name().as_bytes()).is_some_and(|run| runs.contains(&run)) {
                continue;
            }
            let path = entry.path();
            if let Err(error) = remove_one(&path) {
                tracing::warn!("{}: not removed: {error}", path.display());
            }
        }
    }
}

fn run_of(name: &[u8]) -> Option<RunId> {
    let dash = name.iter().position(|&byte| byte == b'-')?;
    let number = std::str::from_utf8(&name[..dash]).ok()?;
    // Not `+7` or `007`.
    let run = number.parse().ok()?;
    (format!("{run}") == number).then_some(RunId(run))
}

fn remove_one(path: &Path) -> io::Result<()> {
    if path.symlink_metadata()?.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}

#[cfg(test)]
mod tests {
    use super::{RunId, run_of};

    #[test]
    fn only_a_plain_number_before_a_dash_names_a_run() {
        assert_eq!(run_of(b"12-data"), Some(RunId(12)));
        assert_eq!(run_of(b"12-\xff"), Some(RunId(12)));
        for other in [&b"12"[..], b"x-12", b"+1-a", b"01-a", b"-1-a", b".1-a", b"1 -a"] {
            assert_eq!(run_of(other), None);
        }
    }
}
