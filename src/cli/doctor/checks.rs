//! What is looked at. Nothing is changed.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::process::geteuid;

use super::{Finding, Ground};
use crate::cli::{CliError, daemon, shell, status};
use crate::domain::{RunId, chain};
use crate::ingest::{ASIDE, HANDED_OVER};
use crate::service;
use crate::store::{RunChoice, RunRecord, StoreError};

/// Whether the store can be read.
pub(super) fn store(ground: &Ground) -> Result<Vec<Finding>, CliError> {
    let state = ground.state.display();
    let finding = match &ground.store {
        Ok(Some(_)) => Finding::ok(format!("the store in {state} can be read")),
        Ok(None) => Finding::ok(format!("there is no store in {state} yet"))
            .because("the first `simdrop run` or `simdrop serve` makes it"),
        Err(error) => {
            let cannot = format!("the store in {state} cannot be read");
            let cannot = Finding::problem(cannot).because(chain(error));
            match error {
                StoreError::Io { .. } => {
                    cannot.typing(format!("ls -la -- {}", shell::word(&ground.state)))
                }
                _ => cannot,
            }
        }
    };
    Ok(vec![finding.at(&ground.state)])
}

/// Whether a daemon serves the store, and how it is.
pub(super) fn daemon(ground: &Ground) -> Result<Vec<Finding>, CliError> {
    let Some(reader) = ground.reader() else { return Ok(Vec::new()) };
    let Some(beat) = daemon::alive(reader)? else {
        let without = "`simdrop run` evaluates by itself; `simdrop serve` watches inboxes";
        return Ok(vec![Finding::ok("no daemon serves the store").because(without)]);
    };
    let daemon = format!("the daemon, process {},", beat.pid);
    let degraded = |why| {
        let degraded = Finding::problem(format!("{daemon} is degraded"));
        degraded.because(why).typing("simdrop status")
    };
    let reasons = status::degraded(&beat, &Ground::body(&beat));
    Ok(match reasons.is_empty() {
        false => reasons.into_iter().map(degraded).collect(),
        true if beat.paused => {
            let paused = Finding::ok(format!("{daemon} is paused")).because("nothing is played");
            vec![paused.typing("simdrop resume")]
        }
        true => vec![Finding::ok(format!("{daemon} is well"))],
    })
}

/// Whether each inbox can be looked at.
pub(super) fn inboxes(ground: &Ground) -> Result<Vec<Finding>, CliError> {
    let unlisted = ground.inboxes.iter().filter_map(|inbox| {
        let error = inbox.hidden.as_ref().err()?;
        let cannot = format!("the inbox {} cannot be listed", inbox.path.display());
        let cannot = Finding::problem(cannot).because(error.to_string()).at(&inbox.path);
        Some(cannot.typing(format!("ls -ld -- {}", shell::word(&inbox.path))))
    });
    Ok(unlisted.collect())
}

/// What is done and could not be moved out of an inbox.
pub(super) fn put_away(ground: &Ground) -> Result<Vec<Finding>, CliError> {
    let mut findings = Vec::new();
    for (inbox, hidden) in ground.listed() {
        let before = findings.len();
        for path in hidden.iter().filter(|path| begins(path, ASIDE)) {
            findings.extend(not_moved(ground, path)?);
        }
        if findings.len() == before {
            let all = format!("{}: all that is done was moved out", inbox.display());
            findings.push(Finding::ok(all).at(inbox));
        }
    }
    Ok(findings)
}

/// `None`: it is gone by now.
fn not_moved(ground: &Ground, path: &Path) -> Result<Option<Finding>, CliError> {
    let Some(owner) = owner(path) else { return Ok(None) };
    // `RUN`, or `RUN-N` of a run of several files.
    let number = path.file_name().and_then(|name| name.to_str()?.strip_prefix(ASIDE));
    let number = number.unwrap_or_default();
    let run = number.split('-').next().and_then(|run| run.parse().ok()).map(RunId);
    let what = format!("{}, of {}", path.display(), daemon::user_name(owner));
    let finding = Finding::warning(what).at(path);
    let Some(run) = record(ground, run)? else {
        let why = match ground.store {
            Ok(_) => "it is marked as done, but this store knows no such run: look into it first",
            Err(_) => "it is marked as done, and whether it is safe only the store can say",
        };
        return Ok(Some(finding.because(why).typing(format!("ls -la -- {}", shell::word(path)))));
    };
    let why = format!(
        "run {} is {}, and all of it is in the store; the system did not let it be moved",
        run.id, run.state
    );
    let done = ground.state.join("done").join(number);
    let done = std::path::absolute(&done).unwrap_or(done);
    let put_away = format!("mv -nT -- {} {}", shell::word(path), shell::word(&done));
    Ok(Some(finding.because(why).typing(as_root(put_away)).typing(removal(path, owner))))
}

fn record(ground: &Ground, run: Option<RunId>) -> Result<Option<RunRecord>, CliError> {
    let (Some(reader), Some(run)) = (ground.reader(), run) else { return Ok(None) };
    Ok(reader.run(&RunChoice::Id(run))?)
}

/// What a `run` that is gone left in an inbox.
pub(super) fn leftovers(ground: &Ground) -> Result<Vec<Finding>, CliError> {
    let mut findings = Vec::new();
    for (_, hidden) in ground.listed() {
        for path in hidden.iter().filter(|path| service::is_leftover(path)) {
            findings.extend(left(ground, path)?);
        }
    }
    Ok(findings)
}

/// `None`: it is gone by now.
fn left(ground: &Ground, path: &Path) -> Result<Option<Finding>, CliError> {
    let Some(owner) = owner(path) else { return Ok(None) };
    let what = format!("{}, of {}", path.display(), daemon::user_name(owner));
    let finding = Finding::warning(what).at(path);
    let finding = if begins(path, HANDED_OVER) {
        let is_served = ground.reader().map(daemon::alive).transpose()?.flatten().is_some();
        let next = if is_served { "simdrop status" } else { "simdrop serve" };
        let why = "handed over by a `run` that is gone, and not taken for a day";
        finding.because(why).typing(next)
    } else {
        finding.because("left by a `run` that was killed; the daemon removes it by itself")
    };
    Ok(Some(finding.typing(removal(path, owner))))
}

fn begins(path: &Path, with: &str) -> bool {
    path.file_name().is_some_and(|name| name.as_bytes().starts_with(with.as_bytes()))
}

/// Whose it is; `None` if it is gone.
fn owner(path: &Path) -> Option<u32> {
    Some(fs::symlink_metadata(path).ok()?.uid())
}

/// The command that removes something of somebody.
fn removal(path: &Path, owner: u32) -> String {
    let command = format!("rm -r -- {}", shell::word(path));
    if geteuid().as_raw() == owner { command } else { as_root(command) }
}

/// A command that only root may give.
fn as_root(command: String) -> String {
    if geteuid().is_root() { command } else { format!("sudo {command}") }
}
