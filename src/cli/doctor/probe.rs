//! Whether the directories are such that the daemon can work in them.

use std::fs::Metadata;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::process::geteuid;

use super::{Finding, Ground};
use crate::cli::{CliError, daemon, render, shell};
use crate::ingest::{ProbeError, probe_one};

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
    let failed = |directory: &PathBuf| Some(told(&probe_one(directory).err()?, directory));
    let failed: Vec<Finding> = directories.iter().filter_map(failed).collect();
    if failed.is_empty() && !directories.is_empty() {
        let tried = render::plural(directories.len() as u64, "directory", "directories");
        let each = "in each of them a file can be made, renamed and removed";
        findings.push(Finding::ok(format!("{tried} of the daemon can be used")).because(each));
    }
    findings.extend(failed);
    Ok(findings)
}

fn told(ProbeError { step, source }: &ProbeError, directory: &Path) -> Finding {
    let what = format!("in {} no file can be {step}", directory.display());
    let word = shell::word(directory);
    let look = match source.kind() {
        ErrorKind::ReadOnlyFilesystem => format!("findmnt -T {word}"),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => format!("df -h -- {word}"),
        _ => format!("ls -ld -- {word}"),
    };
    Finding::problem(what).because(source.to_string()).at(directory).typing(look)
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
