//! What the directories lie on, and how much room there is.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::statvfs;

use super::mounts::Mounts;
use super::{Finding, Ground, Inbox};
use crate::cli::{CliError, render, shell};
use crate::config::WatchMode;
use crate::ingest::{Telling, telling};

/// Below this a store has no room to grow.
const BYTES_LEAST: u64 = 1 << 30;
const FILES_LEAST: u64 = 10_000;

/// Whether the file systems are such that the store can be relied on and the inboxes be watched.
pub(super) fn kinds(ground: &Ground) -> Result<Vec<Finding>, CliError> {
    let mounts = Mounts::read();
    let mut findings = Vec::new();
    if ground.state.exists() {
        findings.push(store(&ground.state, &mounts));
    }
    findings.extend(ground.inboxes.iter().map(|inbox| of_inbox(ground, inbox, &mounts)));
    Ok(findings)
}

fn store(state: &Path, mounts: &Mounts) -> Finding {
    let kind = mounts.kind(state);
    match telling(state) {
        Telling::Not(system) if system != "overlayfs" => {
            Finding::warning(format!("the store in {} is on {system}", state.display()))
                .because("locks may not hold there, and a store that two write to is damaged; keep it on a disk of this machine")
                .typing(format!("findmnt -T {}", shell::word(state)))
        }
        _ => Finding::ok(format!("the store is on {kind}")),
    }
    .at(state)
}

fn of_inbox(ground: &Ground, inbox: &Inbox, mounts: &Mounts) -> Finding {
    let (path, kind) = (&inbox.path, mounts.kind(&inbox.path));
    let what = format!("the inbox {} is on {kind}", path.display());
    let finding = match telling(path) {
        Telling::Not(_) if ground.config.inbox.watch == WatchMode::Inotify => Finding::warning(
            what,
        )
        .because(
            "it does not tell of all changes, and inbox.watch is \"inotify\": set it to \"auto\"",
        )
        .typing("simdrop doctor --config"),
        Telling::Not(_) => {
            let every = ground.config.inbox.poll.as_secs_f64();
            Finding::ok(what).because(format!(
                "it does not tell of all changes, so it is looked at every {every} s"
            ))
        }
        Telling::All if is_elsewhere(path, &ground.state) => Finding::ok(what)
            .because("that is another one than the store's: what is done is copied out of it"),
        Telling::All => Finding::ok(what),
    };
    finding.at(path)
}

fn is_elsewhere(path: &Path, state: &Path) -> bool {
    let device = |path: &Path| path.metadata().map(|there| there.dev()).ok();
    device(path).zip(device(state)).is_some_and(|(one, other)| one != other)
}

/// Whether there is room for more, where the store and each inbox are.
pub(super) fn room(ground: &Ground) -> Result<Vec<Finding>, CliError> {
    let mut seen = Vec::new();
    let places = [&ground.state].into_iter().chain(ground.inboxes.iter().map(|inbox| &inbox.path));
    let is_new = |path: &&PathBuf| {
        let Ok(there) = path.metadata() else { return false };
        let is_new = !seen.contains(&there.dev());
        seen.push(there.dev());
        is_new
    };
    Ok(places.filter(is_new).filter_map(|path| free(path)).collect())
}

fn free(path: &Path) -> Option<Finding> {
    let disk = statvfs(path).ok()?;
    let bytes = disk.f_bavail.saturating_mul(disk.f_frsize);
    let word = shell::word(path);
    let what = format!("{} free where {} is", render::bytes(bytes), path.display());
    let finding = if bytes < BYTES_LEAST {
        let why = "when nothing is left, nothing is played until there is room again";
        let finding = Finding::warning(what).because(why);
        finding.typing(format!("df -h -- {word}")).typing("simdrop store prune until:90d --dry-run")
    } else if disk.f_files > 0 && disk.f_favail < FILES_LEAST {
        let files = format!("but only {} more files", render::count(disk.f_favail));
        Finding::warning(what).because(files).typing(format!("df -i -- {word}"))
    } else {
        Finding::ok(what)
    };
    Some(finding.at(path))
}
