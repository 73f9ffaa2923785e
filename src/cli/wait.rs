//! `simdrop wait`: until a run is over.

use std::ffi::OsString;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;

use super::reference::Reference;
use super::{CliError, Global, Out, note, report};
use crate::domain::RunId;
use crate::exit::Exit;
use crate::service::RunReport;
use crate::store::{Reader, RunChoice, StoreError};

/// How often the run is looked at: at first, and at most.
const FIRST_LOOK: Duration = Duration::from_millis(5);
const LAST_LOOK: Duration = Duration::from_millis(250);

/// Wait until a run is over, and end as `run` would
#[derive(Debug, Args)]
pub(super) struct WaitArgs {
    /// Which run: its number, latest, -N or label:TEXT
    #[arg(value_name = "RUN", allow_hyphen_values = true)]
    run: OsString,
    /// How long to wait, such as 30s or 5min; then it ends with 8
    #[arg(long, value_name = "TIME", value_parser = crate::config::duration)]
    timeout: Option<Duration>,
    /// Print the run as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &WaitArgs, global: &Global, out: &mut Out) -> Result<Exit, CliError> {
    let reference = Reference::parse(&args.run).map_err(CliError::Usage)?;
    let reader = global.reader()?.ok_or_else(|| reference.missing("run"))?;
    let run = reference.find_only_run(&reader)?.id;
    let config = global.config(None)?;
    let begun = Instant::now();
    let in_time = || args.timeout.is_none_or(|timeout| begun.elapsed() < timeout);
    if !until_over(&reader, run, in_time)? {
        note(&format!("run {run} is not over yet"));
        return Ok(Exit::TimedOut);
    }
    report::print(out, config.state()?, &RunReport::of(run), args.json)
}

/// Waits until a run is over; `false` if `go_on` said that it takes too long.
pub(super) fn until_over(
    reader: &Reader,
    run: RunId,
    go_on: impl Fn() -> bool,
) -> Result<bool, CliError> {
    let mut pause = FIRST_LOOK;
    loop {
        let record = reader.run(&RunChoice::Id(run))?.ok_or(StoreError::Stopped)?;
        if !record.state.is_unfinished() {
            return Ok(true);
        }
        if !go_on() {
            return Ok(false);
        }
        thread::park_timeout(pause);
        pause = (pause * 2).min(LAST_LOOK);
    }
}
