//! `simdrop show`: one run, case or game.

use std::ffi::OsString;
use std::io::{BufRead, Write};

use clap::Args;

use super::reference::Reference;
use super::render::{self, Format, FormatArgs};
use super::{CliError, Global, Out, diff, json};
use crate::domain::CaseId;
use crate::exit::Exit;
use crate::store::{CaseRecord, GameRecord, Reader, RunRecord};

/// Show a run, a case or a game
#[derive(Debug, Args)]
#[command(
    after_help = "REF: RUN, RUN/CASE or RUN/CASE#GAME. A run is its number, `latest`, `-N` for \
the Nth newest, or `label:TEXT`; a case is its rank or its name; games count from 1."
)]
pub(super) struct ShowArgs {
    /// Which run, case or game
    #[arg(value_name = "REF", allow_hyphen_values = true)]
    reference: OsString,
    /// Print the case's input
    #[arg(long, group = "bytes")]
    input: bool,
    /// Print the case's output: what was expected
    #[arg(long, group = "bytes")]
    output: bool,
    /// Print the file the case was compared with
    #[arg(long, group = "bytes")]
    got: bool,
    /// Print the lines in which the output and the compared file differ
    #[arg(long, group = "bytes")]
    diff: bool,
    /// Print the log of the run or case
    #[arg(long, group = "bytes")]
    log: bool,
    #[command(flatten)]
    format: FormatArgs,
}

pub(super) fn run(args: &ShowArgs, global: &Global, out: &mut Out) -> Result<Exit, CliError> {
    let reference = Reference::parse(&args.reference).map_err(CliError::Usage)?;
    let reader = global.reader()?.ok_or_else(|| reference.missing("run"))?;
    let run = reference.find_run(&reader)?;
    let case = reference.find_case(&reader, run.id)?;
    match (args.log, case) {
        (true, case) => show_log(args, &reader, case.map_or(run.id.head(), |case| case.id), out),
        (false, Some(case)) if args.diff => {
            diff::show(&reader, &case, run.compare, args.format.format(), out)
        }
        (false, Some(case)) => show_case(args, &reference, &reader, &case, out),
        (false, None) => show_run(args, &reader, &run, out),
    }?;
    Ok(Exit::Fine)
}

/// Each line with its time and level.
fn show_log(args: &ShowArgs, reader: &Reader, of: CaseId, out: &mut Out) -> Result<(), CliError> {
    let log = reader.log(of)?;
    let mut lines = log.iter().map(json::LogLine::from);
    match args.format.format() {
        Format::Json => render::json_line(out, &lines.collect::<Vec<_>>())?,
        Format::Jsonl => lines.try_for_each(|line| render::json_line(out, &line))?,
        Format::Table => log.iter().try_for_each(|line| {
            let (at, message) = (render::time(line.at), render::printable(line.message.as_bytes()));
            writeln!(out, "{at}  {:7}  {message}", line.level)
        })?,
    }
    Ok(())
}

fn show_run(
    args: &ShowArgs,
    reader: &Reader,
    run: &RunRecord,
    out: &mut Out,
) -> Result<(), CliError> {
    if args.input || args.output || args.got || args.diff {
        let message = "--input, --output, --got and --diff are of a case: RUN/CASE";
        return Err(CliError::Usage(message.to_owned()));
    }
    if args.format.format() != Format::Table {
        return Ok(render::run_json(out, run)?);
    }
    super::report::summary(out, reader, run)?;
    Ok(render::pace(out, run)?)
}

fn show_case(
    args: &ShowArgs,
    reference: &Reference,
    reader: &Reader,
    case: &CaseRecord,
    out: &mut Out,
) -> Result<(), CliError> {
    if args.input || args.output || args.got {
        return show_bytes(args, reference, reader, case, out);
    }
    if let Some(number) = reference.game {
        let game = reader.game(case.id, number)?.ok_or_else(|| reference.missing("game"))?;
        return show_game(args, &game, out);
    }
    match args.format.format() {
        Format::Table => case_facts(case, out),
        Format::Json | Format::Jsonl => Ok(render::json_line(out, &json::Case::from(case))?),
    }
}

fn show_bytes(
    args: &ShowArgs,
    reference: &Reference,
    reader: &Reader,
    case: &CaseRecord,
    out: &mut Out,
) -> Result<(), CliError> {
    let (what, bytes) = if args.input {
        ("input", reader.input(case)?)
    } else if args.output {
        ("output", reader.output(case)?)
    } else {
        ("compared file", reader.compared(case)?)
    };
    let bytes = bytes.ok_or_else(|| reference.missing(what))?;
    let mut bytes = bytes.open().map_err(CliError::Stored)?;
    loop {
        let part = bytes.fill_buf().map_err(CliError::Stored)?;
        if part.is_empty() {
            return Ok(());
        }
        out.write_all(part)?;
        let read = part.len();
        bytes.consume(read);
    }
}

fn show_game(args: &ShowArgs, game: &GameRecord, out: &mut Out) -> Result<(), CliError> {
    if args.format.format() != Format::Table {
        return Ok(render::json_line(out, &json::Game::from(game))?);
    }
    let simulator = game.simulator;
    let mut facts = Facts::new(out);
    facts.line(
        "game",
        &format!("{}#{} {}", game.case, game.number, render::printable(&game.name)),
    )?;
    facts.line("simulator", simulator.name())?;
    facts.line("ending", game.ending.name())?;
    facts.maybe("winner", game.winner.map(|number| simulator.player(number)))?;
    facts.maybe(simulator.length_name(), game.length.map(render::count))?;
    for (name, value) in simulator.metrics().iter().zip(game.metrics) {
        facts.line(name, &value.to_string())?;
    }
    let lists = game.lists.as_ref().and_then(|lists| lists.as_object());
    for (name, values) in lists.into_iter().flatten() {
        facts.line(name, &values.to_string())?;
    }
    Ok(())
}

fn case_facts(case: &CaseRecord, out: &mut Out) -> Result<(), CliError> {
    let mut facts = Facts::new(out);
    facts.line("case", &format!("{} {}", case.id, render::printable(&case.name)))?;
    facts.maybe("simulator", case.simulator.map(|id| id.to_string()))?;
    facts.maybe("rules", case.rules.map(|rules| rules.to_string()))?;
    facts.maybe("version", case.version.map(|version| version.to_string()))?;
    let cached = if case.cached { ", cached" } else { "" };
    let verdict = case.verdict.map(render::verdict);
    facts.line(
        "verdict",
        &format!("{}{cached}", verdict.unwrap_or_else(|| case.state.to_string())),
    )?;
    facts.maybe("games", case.games.map(render::count))?;
    for (name, bytes) in [("input", case.input), ("output", case.output)] {
        let text = bytes.map(|it| format!("{} bytes, {}", render::count(it.bytes), it.hash));
        facts.maybe(name, text)?;
    }
    if let Some(times) = case.timings {
        let spell = |(name, micros)| format!("{name} {}", render::duration(micros));
        let steps = [
            ("wait", times.wait_us),
            ("parse", times.parse_us),
            ("play", times.play_us),
            ("compare", times.compare_us),
            ("store", times.store_us),
        ];
        facts.line("timings", &steps.map(spell).join(", "))?;
    }
    facts.maybe("error", case.error.as_ref().map(ToString::to_string))?;
    for warning in &case.warnings {
        facts.line("warning", &warning.to_string())?;
    }
    if let Some(found) = &case.difference {
        write!(out, "{:19}", "difference")?;
        render::difference(out, found)?;
    }
    Ok(())
}

/// Facts, a line each, with their names in a column.
struct Facts<'a>(&'a mut Out);

impl<'a> Facts<'a> {
    const fn new(out: &'a mut Out) -> Self {
        Self(out)
    }

    fn line(&mut self, name: &str, value: &str) -> Result<(), CliError> {
        Ok(writeln!(self.0, "{name:19}  {value}")?)
    }

    fn maybe(&mut self, name: &str, value: Option<String>) -> Result<(), CliError> {
        value.map_or(Ok(()), |value| self.line(name, &value))
    }
}
