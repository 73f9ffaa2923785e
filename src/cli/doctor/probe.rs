//! Whether the directories are such that the daemon can work in them.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::process::geteuid;

use super::{Finding, Ground};
use crate::cli::{CliError, daemon, render, shell};

/// Permissions that nobody but the owner may have on the state directory.
const WRITE_BY_OTHERS: u32 = 0o022;

/// Whether files can be made, renamed and removed where the daemon does that. Leaves nothing behind.
pub(super) fn directories(ground: &Ground) -> Result<Vec<Finding>, CliError> {
    let Ok(state) = ground.state.metadata() else { return Ok(Vec::new()) };
    let mut findings = owners(ground, &state);
    let us = geteuid();
    if !us.is_root() && us.as_raw() != state.uid() {
        let whose = daemon::user_name(state.uid());
        let untried = Finding::ok("whether the daemon can work in its directories was not tried")
            .because(format!("they are {whose}'s, and you are somebody else"));
        findings.push(untried.typing(format!("sudo -u {whose} simdrop doctor")));
        return Ok(findings);
    }
    let directories = ground.directories();
    let failed =
        directories.iter().filter_map(|directory| Some((directory, try_out(directory).err()?)));
    let failed: Vec<Finding> = failed.map(|(directory, failure)| failure.told(directory)).collect();
    if failed.is_empty() && !directories.is_empty() {
        let tried = render::plural(directories.len() as u64, "directory", "directories");
        let each = "in each of them a file can be made, renamed and removed";
        findings.push(Finding::ok(format!("{tried} of the daemon can be used")).because(each));
    }
    findings.extend(failed);
    Ok(findings)
}

/// Which step of a trial failed.
struct Failure {
    step: &'static str,
    error: io::Error,
}

impl Failure {
    fn told(&self, directory: &Path) -> Finding {
        let what = format!("in {} no file can be {}", directory.display(), self.step);
        let word = shell::word(directory);
        let look = match self.error.kind() {
            ErrorKind::ReadOnlyFilesystem => format!("findmnt -T {word}"),
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => format!("df -h -- {word}"),
            _ => format!("ls -ld -- {word}"),
        };
        Finding::problem(what).because(self.error.to_string()).at(directory).typing(look)
    }
}

/// Makes, renames and removes a file that nobody looks at.
fn try_out(directory: &Path) -> Result<(), Failure> {
    let name = |end| directory.join(format!(".simdrop-doctor-{}{end}", std::process::id()));
    let (made, renamed) = (name(""), name("-renamed"));
    let step = |step| move |error| Failure { step, error };
    File::create_new(&made).map_err(step("made"))?;
    let moved = fs::rename(&made, &renamed).map_err(step("renamed"));
    let removed = fs::remove_file(if moved.is_ok() { &renamed } else { &made });
    moved.and(removed.map_err(step("removed")))
}

/// What belongs to somebody else than the state directory, or can be written by others.
fn owners(ground: &Ground, state: &Metadata) -> Vec<Finding> {
    let whose = daemon::user_name(state.uid());
    let mut findings = Vec::new();
    let store = ["store.db", "store.db-wal", "store.db-shm", "store.lock"];
    let own = ["done", "rejected", "out", "requests"].into_iter().chain(store);
    let own = own.map(|name| ground.state.join(name));
    let foreign = |path: &PathBuf| path.metadata().is_ok_and(|there| there.uid() != state.uid());
    for path in own.filter(foreign) {
        let what = format!("{} does not belong to {whose}", path.display());
        let why = "the state directory does, and so the daemon may not be able to write there";
        let give = format!("sudo chown -- {whose} {}", shell::word(&path));
        findings.push(Finding::problem(what).because(why).at(&path).typing(give));
    }
    if state.mode() & WRITE_BY_OTHERS != 0 {
        let what = format!("others than {whose} can write in {}", ground.state.display());
        let why =
            "whoever reads the store would make side files in their own name and lock others out";
        let close = format!("chmod go-w -- {}", shell::word(&ground.state));
        findings.push(Finding::warning(what).because(why).at(&ground.state).typing(close));
    }
    findings
}
