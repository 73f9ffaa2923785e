//! `simdrop pause`, `resume` and `cancel`: what a daemon is asked for.

use std::ffi::OsString;
use std::io::Write;
use std::thread;
use std::time::Duration;

use clap::Args;

use super::reference::Reference;
use super::{CliError, Global, Out, daemon, refuse, render};
use crate::exit::Exit;
use crate::service::Ask;

/// Claim nothing more until `resume`, across restarts, too
#[derive(Debug, Args)]
pub(super) struct PauseArgs {
    /// Let what is being played come to its end, and wait for that
    #[arg(long)]
    drain: bool,
}

/// Go on after a pause
#[derive(Debug, Args)]
pub(super) struct ResumeArgs {}

/// Take back what is not done of a run
#[derive(Debug, Args)]
pub(super) struct CancelArgs {
    /// Which run: its number, latest, -N or label:TEXT
    #[arg(value_name = "RUN", allow_hyphen_values = true)]
    run: OsString,
}

pub(super) fn pause(args: &PauseArgs, global: &Global) -> Result<Exit, CliError> {
    let exit = ask(global, &Ask::Pause { drain: args.drain })?;
    if args.drain {
        let reader = daemon::reader(global)?;
        while daemon::alive(&reader)?.is_some_and(|beat| playing(&beat.body) > 0) {
            thread::park_timeout(Duration::from_millis(100));
        }
    }
    Ok(exit)
}

pub(super) fn resume(_: &ResumeArgs, global: &Global) -> Result<Exit, CliError> {
    ask(global, &Ask::Resume)
}

fn ask(global: &Global, ask: &Ask) -> Result<Exit, CliError> {
    let reader = daemon::reader(global)?;
    let config = global.config(None)?;
    match daemon::ask(config.state()?, &reader, ask)? {
        Ok(_) => Ok(Exit::Fine),
        Err(reason) => Ok(refuse(&reason)),
    }
}

pub(super) fn cancel(args: &CancelArgs, global: &Global, out: &mut Out) -> Result<Exit, CliError> {
    let reference = Reference::parse(&args.run).map_err(CliError::Usage)?;
    let reader = daemon::reader(global)?;
    let run = reference.find_only_run(&reader)?;
    let config = global.config(None)?;
    match daemon::ask(config.state()?, &reader, &Ask::Cancel { run: run.id.0 })? {
        Ok(answer) => {
            let cases = render::plural(answer.cases.unwrap_or(0), "case", "cases");
            writeln!(out, "run {}: {cases} taken back", run.id)?;
            Ok(Exit::Fine)
        }
        Err(reason) => Ok(refuse(&reason)),
    }
}

fn playing(body: &str) -> u64 {
    let body: serde_json::Value = serde_json::from_str(body).unwrap_or_default();
    body["playing"].as_u64().unwrap_or(0)
}
