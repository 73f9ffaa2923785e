//! `simdrop run`: evaluates a folder.

use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use clap::Args;

use super::progress::Meter;
use super::{CliError, Global, Out, render};
use crate::domain::{RuleSet, RunState, SimulatorId, Verdict};
use crate::exit::Exit;
use crate::ingest::Listing;
use crate::service::{self, RunRequest};
use crate::store::{Reader, RunRecord, StoreError};

/// How many failing cases are read at a time.
const PAGE: u32 = 256;

/// Evaluate a folder: play every NAME.in, compare with NAME.ans (or NAME.out), keep everything
#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// The folder; it is only read
    folder: PathBuf,
    /// The simulator of all inputs, instead of recognising each
    #[arg(long, value_name = "NAME")]
    sim: Option<SimulatorId>,
    /// The rule set, for the simulators that have it
    #[arg(long, value_name = "RULES")]
    rules: Option<RuleSet>,
    /// What to call the run
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
    /// How many threads play; 0 means as many as the machine has
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Do not wait while another process holds the store: end with 5
    #[arg(long)]
    no_wait: bool,
    /// Print the run as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: RunArgs, global: &Global, out: &mut Out) -> Result<Exit, CliError> {
    super::sim::check_rules(args.sim, args.rules)?;
    let config = global.config(args.jobs)?;
    let request = RunRequest {
        state: config.state()?.to_owned(),
        folder: args.folder,
        simulator: args.sim,
        rules: args.rules,
        label: args.label,
        jobs: config.jobs,
        wait: !args.no_wait,
        limits: config.limits,
    };
    let mut meter = Meter::new();
    let report = service::run(&request, &mut |progress| meter.see(progress));
    meter.finish();
    let report = report?;
    let reader = Reader::open(config.state()?)?.ok_or(StoreError::Stopped)?;
    let choice = crate::store::RunChoice::Id(report.run);
    let record = reader.run(&choice)?.ok_or(StoreError::Stopped)?;
    let report = if args.json {
        render::run_json(out, &record).map_err(CliError::from)
    } else {
        print(out, &reader, &record, &report.listing)
    };
    super::printed(report, exit(&record))
}

fn print(
    out: &mut Out,
    reader: &Reader,
    run: &RunRecord,
    listing: &Listing,
) -> Result<(), CliError> {
    summary(out, reader, run)?;
    about_files(out, listing)?;
    Ok(render::pace(out, run)?)
}

/// The run, its verdicts and each failing case.
pub(super) fn summary(out: &mut Out, reader: &Reader, run: &RunRecord) -> Result<(), CliError> {
    render::run(out, run)?;
    let mut after = 0;
    loop {
        let page = reader.failing(run.id, after, PAGE)?;
        let Some(last) = page.last() else { break };
        after = last.id.rank;
        for case in &page {
            render::failing(out, case)?;
        }
    }
    if after > 0 {
        writeln!(out)?;
    }
    Ok(())
}

/// What the folder holds besides cases.
fn about_files(out: &mut Out, listing: &Listing) -> Result<(), CliError> {
    if listing.entries.is_empty() {
        writeln!(out, "rejected: no NAME.in in the folder")?;
    }
    for orphan in &listing.orphans {
        writeln!(
            out,
            "{}: an answer without an input",
            render::path(Path::new(OsStr::from_bytes(orphan)))
        )?;
    }
    let skipped = listing.skipped.len() as u64;
    if skipped > 0 {
        let files = render::plural(skipped, "other file", "other files");
        writeln!(out, "{files} skipped")?;
    }
    Ok(())
}

/// 0 if every case is AC or NOREF, else 1.
fn exit(run: &RunRecord) -> Exit {
    let fine = |(verdict, count): (&Verdict, u64)| count == 0 || verdict.is_fine();
    let done = run.state == RunState::Done;
    if done && Verdict::ALL.iter().zip(run.verdicts).all(fine) { Exit::Fine } else { Exit::No }
}
