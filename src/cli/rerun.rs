//! `simdrop rerun`: finishes what is left of a run, or plays some of its cases again.

use std::ffi::OsString;

use clap::Args;

use super::client::Client;
use super::progress::Meter;
use super::reference::Reference;
use super::run::{PoolArgs, tag};
use super::{CliError, Global, Out, daemon, report};
use crate::config::Config;
use crate::domain::{CompareMode, RunId, Verdict};
use crate::exit::Exit;
use crate::service::{Again, Ask, Reply, RunReport};
use crate::store::RunRecord;

/// Finish what is left of a run, or play cases with certain verdicts again as a new run
#[derive(Debug, Args)]
pub(super) struct RerunArgs {
    /// Which run: its number, latest, -N or label:TEXT
    #[arg(value_name = "RUN", allow_hyphen_values = true)]
    run: OsString,
    /// Make a new run of the cases with these verdicts, such as WA,CRASH
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    verdict: Vec<Verdict>,
    /// Play what was played before, too
    #[arg(long, requires = "verdict")]
    fresh: bool,
    /// How files are compared, if not as before
    #[arg(long, value_name = "MODE", requires = "verdict")]
    compare: Option<CompareMode>,
    /// What to call the new run
    #[arg(long, value_name = "TEXT", requires = "verdict")]
    label: Option<String>,
    /// What else to find the new run by; may be given more than once
    #[arg(long = "tag", value_name = "KEY=VALUE", value_parser = tag, requires = "verdict")]
    tags: Vec<(String, String)>,
    #[command(flatten)]
    pool: PoolArgs,
    /// Print the run as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &RerunArgs, global: &Global, out: &mut Out) -> Result<Exit, CliError> {
    let reference = Reference::parse(&args.run).map_err(CliError::Usage)?;
    let config = args.pool.config(global)?;
    let reader = global.reader()?.ok_or_else(|| reference.missing("run"))?;
    let record = reference.find_only_run(&reader)?;
    drop(reader);
    if let Some(client) = Client::new(global.reader()?)? {
        return ask(args, &client, &config, &record, out);
    }
    let ran = match (args.verdict.is_empty(), record.state.is_unfinished()) {
        (true, false) => {
            super::note(&format!("run {} has nothing left", record.id));
            Some(RunReport::of(record.id))
        }
        (false, true) => {
            let message = format!("run {id} is not finished: simdrop rerun {id}", id = record.id);
            return Err(CliError::Usage(message));
        }
        _ => carry_out(args, &config, &record)?,
    };
    match ran {
        Some(ran) => report::print(out, config.state()?, &ran, args.json),
        None => {
            super::note(&format!("run {} has no case with such a verdict", record.id));
            Ok(Exit::Fine)
        }
    }
}

/// Has the daemon do it.
fn ask(
    args: &RerunArgs,
    client: &Client,
    config: &Config,
    record: &RunRecord,
    out: &mut Out,
) -> Result<Exit, CliError> {
    let run = if args.verdict.is_empty() {
        // It goes on with every run by itself.
        record.id
    } else {
        let ask = Ask::Rerun { run: record.id.0, again: again(args) };
        match daemon::ask(config.state()?, client.reader(), &ask)? {
            Ok(Reply { run: Some(run), .. }) => RunId(run),
            Ok(_) => {
                super::note(&format!("run {} has no case with such a verdict", record.id));
                return Ok(Exit::Fine);
            }
            Err(reason) => return Ok(super::refuse(&reason)),
        }
    };
    client.wait_for(run)?;
    report::print(out, config.state()?, &RunReport::of(run), args.json)
}

fn again(args: &RerunArgs) -> Again {
    let mut verdicts = args.verdict.clone();
    verdicts.sort();
    verdicts.dedup();
    Again {
        verdicts,
        label: args.label.clone(),
        tags: args.tags.clone(),
        compare: args.compare,
        fresh: args.fresh,
    }
}

fn carry_out(
    args: &RerunArgs,
    config: &Config,
    run: &RunRecord,
) -> Result<Option<RunReport>, CliError> {
    let mut meter = Meter::new();
    let session = args.pool.session(config, &mut meter)?;
    let mut watch = |progress: crate::service::Progress<'_>| meter.see(progress);
    let ran = if args.verdict.is_empty() {
        session.resume(run.id, &mut watch).map(Some)
    } else {
        session.repeat(run, &again(args), &mut watch)
    };
    meter.finish();
    session.close();
    Ok(ran?)
}
