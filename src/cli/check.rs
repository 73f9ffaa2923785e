//! `simdrop check`: the outputs of several people against the simulator.

use std::path::{Path, PathBuf};

use clap::Args;

use super::matrix::Matrix;
use super::progress::Meter;
use super::render::{FormatArgs, RowFormat};
use super::report::{self, complain_about};
use super::run::{ChoiceArgs, PoolArgs, origin, tag};
use super::{CliError, Global, Out, note, refuse, render};
use crate::config::Config;
use crate::domain::RunState;
use crate::exit::Exit;
use crate::ingest::{IngestError, Origin, Person};
use crate::service::{Check, Checked, Request, RunReport, Session};
use crate::store::{Reader, RunChoice, StoreError};

/// How many unused files are named.
const NAMED: usize = 10;

/// Check many people's outputs against the simulator: a matrix of people and cases
#[derive(Debug, Args)]
#[command(
    after_help = "Outputs are paired with inputs as if they lay beside them (see `simdrop run \
--help`); an output may also be called NAME or NAME.txt for the case NAME. Files that pair directly are \
one person's, called after the folder or zip; else each folder in it is a person. Each person becomes a \
run, called after the person (`LABEL: PERSON` with a label) and tagged person=PERSON, for `simdrop show`.\n\n\
The table has a row for each person and a column for each case; - is a missing file. With more than 40 \
cases, or if the table is wider than the terminal, each row says how many cases have which verdict, and \
names the first 10 that are not AC. The exit code is 0 if every cell is AC."
)]
pub(super) struct CheckArgs {
    /// A folder or a zip of outputs, which is only read
    #[arg(value_name = "OUTPUTS")]
    outputs: PathBuf,
    /// A folder or a zip with the inputs; answers in it do not count
    #[arg(long, value_name = "DIR")]
    against: PathBuf,
    #[command(flatten)]
    choices: ChoiceArgs,
    /// What to call the runs, before the person
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
    /// What else to find the runs by; may be given more than once
    #[arg(long = "tag", value_name = "KEY=VALUE", value_parser = tag)]
    tags: Vec<(String, String)>,
    #[command(flatten)]
    pool: PoolArgs,
    #[command(flatten)]
    format: FormatArgs<RowFormat>,
}

pub(super) fn run(args: &CheckArgs, global: &Global, out: &mut Out) -> Result<Exit, CliError> {
    args.choices.inputs.check()?;
    let place = args.pool.apart(global, false)?;
    if place.here.is_some() {
        note("a daemon has the store: what is played here is not kept");
    }
    let config = place.config.clone();
    let inputs = folder_or_zip(&args.against, "--against", &config)?;
    let outputs = folder_or_zip(&args.outputs, "OUTPUTS", &config)?;
    let (inputs, outputs) = match (inputs, outputs) {
        (Ok(inputs), Ok(outputs)) => (inputs, outputs),
        (Err(error), _) | (_, Err(error)) => return Ok(complain_about(&error)),
    };
    let request = Request {
        label: args.label.clone(),
        tags: args.tags.clone(),
        ..args.choices.request(inputs)
    };
    let (check, people) = match Check::new(&request, &outputs, &config.limits) {
        Ok(check) => check,
        Err(error) => return Ok(complain_about(&error)),
    };
    if check.cases.is_empty() {
        return Ok(refuse(&format!("{}: no input in it", args.against.display())));
    }
    let mut checker = Checker { check, config: &config, checked: Vec::new() };
    match checker.check_all(&args.pool, &people)? {
        Some(exit) => Ok(exit),
        None => print(args, &Matrix::new(&checker.check.cases, &checker.checked), out),
    }
}

/// What a path is, if it can hold a person's files.
fn folder_or_zip(
    path: &Path,
    flag: &str,
    config: &Config,
) -> Result<Result<Origin, IngestError>, CliError> {
    let usage = || {
        let message = format!("{flag} {}: expected a folder or a zip", path.display());
        Err(CliError::Usage(message))
    };
    if path.as_os_str() == "-" {
        return usage();
    }
    match origin(path, &config.limits) {
        Ok(Origin::Files(_) | Origin::Input(_) | Origin::Seeds(_)) => usage(),
        origin => Ok(origin),
    }
}

/// Checks one person after another.
struct Checker<'a> {
    check: Check,
    config: &'a Config,
    checked: Vec<Checked>,
}

impl Checker<'_> {
    /// The exit code if a signal stopped it.
    fn check_all(&mut self, pool: &PoolArgs, people: &[Person]) -> Result<Option<Exit>, CliError> {
        let mut meter = Meter::new();
        let session = pool.session(self.config, &mut meter);
        meter.finish();
        let session = session?;
        let ended = self.check_each(&session, people);
        session.close();
        ended
    }

    fn check_each(
        &mut self,
        session: &Session,
        people: &[Person],
    ) -> Result<Option<Exit>, CliError> {
        for (at, person) in people.iter().enumerate() {
            say_unused(person);
            let mut meter = Meter::new();
            let ran = self.check.run(person, session, &mut |progress| meter.see(progress));
            meter.finish();
            let ran = ran?;
            let reader = Reader::open(self.config.state()?)?.ok_or(StoreError::Stopped)?;
            let left = people.len() - at - 1;
            if let Some(exit) = stopped(ran.as_ref(), left, &reader)? {
                return Ok(Some(exit));
            }
            let run = ran.map(|ran| ran.run);
            self.checked.push(self.check.checked(person, run, &reader)?);
        }
        Ok(None)
    }
}

/// Says which of a person's files belong to no input.
fn say_unused(person: &Person) {
    if person.unused.is_empty() {
        return;
    }
    let names = person.unused.iter().take(NAMED).map(|name| String::from_utf8_lossy(name));
    let names = names.collect::<Vec<_>>().join(", ");
    let count = render::plural(person.unused.len() as u64, "file", "files");
    let dots = if person.unused.len() > NAMED { ", ..." } else { "" };
    let person = String::from_utf8_lossy(&person.name);
    note(&format!("{person}: {count} of no case: {names}{dots}"));
}

/// The exit code if a signal left something to do, which is said.
fn stopped(
    ran: Option<&RunReport>,
    left: usize,
    reader: &Reader,
) -> Result<Option<Exit>, CliError> {
    let Some((ran, signal)) = ran.and_then(|ran| Some((ran, ran.stopped?))) else {
        return Ok(None);
    };
    let run = reader.run(&RunChoice::Id(ran.run))?.ok_or(StoreError::Stopped)?;
    // What was not taken in cannot be found again by the store alone.
    if run.state == RunState::Open {
        note(&report::left(&run));
    } else if left == 0 && !run.state.is_unfinished() {
        return Ok(None);
    }
    let left = left + usize::from(run.state == RunState::TakingIn);
    let people = render::plural(left as u64, "person", "people");
    note(&format!("{people} not checked; the next check plays only what was not played"));
    Ok(Some(report::signalled(signal)))
}

fn print(args: &CheckArgs, matrix: &Matrix<'_>, out: &mut Out) -> Result<Exit, CliError> {
    match args.format.format() {
        RowFormat::Table => matrix.table(out, render::columns()),
        RowFormat::Json => render::json_line(out, &matrix.rows().collect::<Vec<_>>()),
        RowFormat::Jsonl => matrix.rows().try_for_each(|row| render::json_line(out, &row)),
        RowFormat::Csv => matrix.csv(out),
    }?;
    Ok(if matrix.is_all_right() { Exit::Fine } else { Exit::No })
}
