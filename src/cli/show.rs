//! `simdrop show`: one run, case or game.

mod case;
mod log;
mod run;

use std::ffi::OsString;
use std::io::{BufRead, Write};

use clap::Args;

use super::reference::Reference;
use super::render::FormatArgs;
use super::{CliError, Global, Out, diff, printed};
use crate::domain::{LogLevel, Verdict};
use crate::exit::Exit;
use crate::service::output_of;
use crate::store::{CaseRecord, Reader, RunRecord};

pub(super) use run::Outstanding;

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
    #[arg(long, group = "what")]
    input: bool,
    /// Print the case's output: what was expected
    #[arg(long, group = "what")]
    output: bool,
    /// Print the file the case was compared with
    #[arg(long, group = "what")]
    got: bool,
    /// Print the lines in which the output and the compared file differ
    #[arg(long, group = "what")]
    diff: bool,
    /// Print every case of the run that is not AC or NOREF, with its first difference
    #[arg(long, group = "what")]
    failed: bool,
    /// Print the log of the run with its cases, or of the case
    #[arg(long, group = "what")]
    log: bool,
    /// Go on with what is added to the log, until the run or case is over
    #[arg(short, long, requires = "log")]
    follow: bool,
    /// Only lines that matter so much: info, warning or error
    #[arg(long, value_name = "LEVEL", default_value = "info", requires = "log")]
    level: LogLevel,
    /// End with 1 if the run or case is not over, or anything in it is not AC or NOREF
    #[arg(long)]
    exit_status: bool,
    #[command(flatten)]
    format: FormatArgs,
}

pub(super) fn run(args: &ShowArgs, global: &Global, out: &mut Out) -> Result<Exit, CliError> {
    let reference = Reference::parse(&args.reference).map_err(CliError::Usage)?;
    let reader = global.reader()?.ok_or_else(|| reference.missing("run"))?;
    let run = reference.find_run(&reader)?;
    let case = reference.find_case(&reader, run.id)?;
    let shown = show(args, &reference, &reader, &run, case.as_ref(), out);
    let is_fine = !args.exit_status
        || match &case {
            Some(case) => case.verdict.is_some_and(Verdict::is_fine),
            None => run.is_fine(),
        };
    printed(shown, if is_fine { Exit::Fine } else { Exit::No })
}

fn show(
    args: &ShowArgs,
    reference: &Reference,
    reader: &Reader,
    run: &RunRecord,
    case: Option<&CaseRecord>,
    out: &mut Out,
) -> Result<(), CliError> {
    let format = args.format.format();
    match case {
        _ if args.log => log::show(args, reader, run, case, out),
        Some(_) if args.failed => wrong("--failed is of a run"),
        Some(case) if args.diff => diff::show(reader, case, run.compare, format, out),
        Some(case) if args.input || args.output || args.got => {
            show_bytes(args, reference, reader, case, out)
        }
        Some(case) => match reference.game {
            Some(number) => {
                let game = reader.game(case.id, number)?;
                case::show_game(&game.ok_or_else(|| reference.missing("game"))?, format, out)
            }
            None => case::show(case, format, out),
        },
        None if args.input || args.output || args.got || args.diff => {
            wrong("--input, --output, --got and --diff are of a case: RUN/CASE")
        }
        None if args.failed => run::show_failed(reader, run, format, out),
        None => run::show(reader, run, format, out),
    }
}

fn wrong(usage: &str) -> Result<(), CliError> {
    Err(CliError::Usage(usage.to_owned()))
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
        ("output", output_of(reader, case)?)
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
