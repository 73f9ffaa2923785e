//! `simdrop store prune`: removes what is no longer wanted.

use std::io::{self, IsTerminal, Write};

use clap::Args;
use serde::Serialize;

use super::{CliError, Global, Out, keeper, note, reader, render};
use crate::cli::query::QueryArgs;
use crate::cli::render::{Format, FormatArgs};
use crate::cli::{daemon, json, refuse, report};
use crate::config::{Config, Value};
use crate::domain::RunId;
use crate::exit::Exit;
use crate::service::{Ask, Pruned, StopSignal, prunable, too_many};
use crate::store::{Query, Reach, Reader, RunChoice};

/// Remove runs that are over, with their files and all that only they use; without a QUERY what the
/// settings under `[retention]` say
#[derive(Debug, Args)]
pub(super) struct PruneArgs {
    #[command(flatten)]
    query: QueryArgs,
    /// Say what would go, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Do not ask; needed where there is no terminal to ask on
    #[arg(long, conflicts_with = "dry_run")]
    yes: bool,
    #[command(flatten)]
    format: FormatArgs,
}

/// What is to be removed.
struct Plan {
    /// The runs, oldest first.
    runs: Vec<RunId>,
    /// What the settings say besides.
    besides: Vec<String>,
    /// Whether they came from the settings.
    is_retention: bool,
}

pub(super) fn run(args: &PruneArgs, global: &Global, out: &mut Out) -> Result<Exit, CliError> {
    let is_asking = !args.dry_run && !args.yes;
    if is_asking && !io::stdin().is_terminal() {
        let message = "what is pruned is gone: --yes does it, --dry-run says what would go";
        return Err(CliError::Usage(message.to_owned()));
    }
    let query = args.query.query()?;
    let (reader, config) = (reader(global)?, global.config(None)?);
    let plan = Plan::new(&reader, &config, &query)?;
    if args.dry_run || is_asking {
        let would = prunable(&reader, &plan.runs)?;
        if args.dry_run {
            print(out, args, &would, &plan)?;
            return Ok(Exit::Fine);
        }
        if !agrees(&would, &plan)? {
            return Ok(refuse("nothing was removed"));
        }
    }
    let pruned = if daemon::alive(&reader)?.is_some() {
        match ask(&config, &reader, &plan)? {
            Ok(pruned) => pruned,
            Err(reason) => return Ok(refuse(&reason)),
        }
    } else {
        drop(reader);
        match carry_out(&plan, global)? {
            Ok(pruned) => pruned,
            Err(stopped) => return Ok(report::signalled(stopped)),
        }
    };
    print(out, args, &pruned, &plan)?;
    Ok(Exit::Fine)
}

impl Plan {
    fn new(reader: &Reader, config: &Config, query: &Query) -> Result<Self, CliError> {
        let is_retention = query.terms.is_empty();
        if !is_retention {
            let runs = find(reader, query)?;
            return Ok(Self { runs, besides: Vec::new(), is_retention });
        }
        let settings = &config.retention;
        let is_set = settings.max_age.is_some()
            || settings.max_runs.is_some()
            || settings.max_bytes.is_some()
            || settings.outputs_max_age.is_some();
        if !is_set && reader.runs_to_remove()?.is_empty() {
            let message = "name the runs by a QUERY, or set what is kept under [retention]; \
                `simdrop doctor --config` shows the settings";
            return Err(CliError::Usage(message.to_owned()));
        }
        let mut runs = reader.runs_to_remove()?;
        runs.extend(too_many(reader, settings)?);
        let outputs = settings.outputs_max_age.map(|age| {
            format!("outputs that no run uses which is younger than {}", Value::Time(age))
        });
        let used = reader.size()?.used_bytes();
        let bytes = settings.max_bytes.filter(|most| used > *most).map(|most| {
            let [used, most] = [used, most].map(render::bytes);
            format!("outputs and then the oldest runs until {most} are in use, not {used}")
        });
        Ok(Self { runs, besides: outputs.into_iter().chain(bytes).collect(), is_retention })
    }
}

/// The runs that a query finds and that are over, oldest first.
fn find(reader: &Reader, query: &Query) -> Result<Vec<RunId>, CliError> {
    let (mut runs, mut before, mut unfinished) = (Vec::new(), None, 0);
    loop {
        let walk = reader.find_runs(query, before, Reach { found: 1_000, looked_at: 100_000 })?;
        for id in walk.found {
            let Some(run) = reader.run(&RunChoice::Id(id))? else { continue };
            if run.state.is_unfinished() || run.is_to_be_written_out {
                unfinished += 1;
            } else {
                runs.push(id);
            }
        }
        before = walk.reached;
        if before.is_none() {
            break;
        }
    }
    if unfinished > 0 {
        note(&format!("{} not over and stay", render::plural(unfinished, "run is", "runs are")));
    }
    runs.reverse();
    Ok(runs)
}

/// Says on the terminal what would go, and asks.
fn agrees(would: &Pruned, plan: &Plan) -> io::Result<bool> {
    note(&format!("to be removed: {}", spell(would, "about ")));
    plan.besides.iter().for_each(|besides| note(&format!("besides: {besides}")));
    let mut stderr = io::stderr();
    write!(stderr, "What is removed is gone. Go on? [y/N] ")?;
    stderr.flush()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn carry_out(plan: &Plan, global: &Global) -> Result<Result<Pruned, StopSignal>, CliError> {
    let keeper = keeper(global)?;
    let pruned = keeper.prune((!plan.is_retention).then(|| plan.runs.clone()));
    let stopped = keeper.stopped();
    keeper.close();
    let pruned = pruned?;
    Ok(stopped.map_or(Ok(pruned), Err))
}

/// Has the daemon do it; the inner error is why it was refused.
fn ask(config: &Config, reader: &Reader, plan: &Plan) -> Result<Result<Pruned, String>, CliError> {
    let asked = |runs, more| daemon::ask(config.state()?, reader, &Ask::Prune { runs, more });
    if plan.is_retention {
        return Ok(asked(None, false)?.map(|reply| reply.pruned.unwrap_or_default()));
    }
    let mut portions = plan.runs.chunks(Ask::RUNS_MOST).peekable();
    while let Some(portion) = portions.next() {
        let (runs, more) = (portion.iter().map(|run| run.0).collect(), portions.peek().is_some());
        match asked(Some(runs), more)? {
            Ok(reply) if !more => return Ok(Ok(reply.pruned.unwrap_or_default())),
            Ok(_) => {}
            Err(reason) => return Ok(Err(reason)),
        }
    }
    Ok(Ok(Pruned::default()))
}

#[derive(Debug, Serialize)]
struct Line {
    schema: u32,
    dry_run: bool,
    #[serde(flatten)]
    pruned: Pruned,
}

fn print(out: &mut Out, args: &PruneArgs, pruned: &Pruned, plan: &Plan) -> io::Result<()> {
    if args.format.format() != Format::Table {
        let line = Line { schema: json::SCHEMA, dry_run: args.dry_run, pruned: *pruned };
        return render::json_line(out, &line);
    }
    if !args.dry_run {
        return writeln!(out, "removed: {}", spell(pruned, ""));
    }
    writeln!(out, "would be removed: {}", spell(pruned, "about "))?;
    plan.besides.iter().try_for_each(|besides| writeln!(out, "besides: {besides}"))
}

/// What goes in words.
fn spell(pruned: &Pruned, about: &str) -> String {
    let Pruned { runs, cases, outputs, bytes } = *pruned;
    let outputs = match outputs {
        0 => String::new(),
        _ => format!("{}, ", render::plural(outputs, "more output", "more outputs")),
    };
    let runs = render::plural(runs, "run", "runs");
    let cases = render::plural(cases, "case", "cases");
    format!("{runs}, {cases}, {outputs}{about}{} of the store", render::bytes(bytes))
}
