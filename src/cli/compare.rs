//! `simdrop compare`: what became of the cases of one run in another one.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};

use clap::{Args, ValueEnum};

use super::reference::Reference;
use super::render::{self, FormatArgs, RowFormat, printable};
use super::{CliError, Global, Out, csv, json};
use crate::domain::Change;
use crate::exit::Exit;
use crate::store::{CaseRecord, Changed, Comparison, Place, RunRecord};

/// How many cases are read at a time.
const PAGE: u32 = 256;

/// The columns of CSV.
const COLUMNS: [&str; 9] =
    ["change", "run_a", "rank_a", "name_a", "verdict_a", "run_b", "rank_b", "name_b", "verdict_b"];

/// Compare two runs: what fails now, what passes now, what came out otherwise
#[derive(Debug, Args)]
#[command(
    after_help = "A and B are runs: a number, `latest`, `-N` for the Nth newest, or `label:TEXT`.\n\n\
Two cases are the same one if their inputs are equal and are played by the same simulator and rules, \
whatever they are called; among several, those with the same name, then in order. What is left is \
paired by equal inputs alone, then by name. Fine is AC or NOREF.\n\n\
The exit code is 0 if nothing changed, else 1, whatever --only shows."
)]
pub(super) struct CompareArgs {
    /// The run to start from
    #[arg(value_name = "A", allow_hyphen_values = true)]
    a: OsString,
    /// The run that is held against it
    #[arg(value_name = "B", allow_hyphen_values = true)]
    b: OsString,
    /// Which cases to show
    #[arg(long, value_name = "CHANGES", value_delimiter = ',', default_value = "changed")]
    only: Vec<Only>,
    #[command(flatten)]
    format: FormatArgs<RowFormat>,
}

/// Cases that changed in some way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Only {
    /// All that changed
    Changed,
    /// Fine in A, not in B
    Failing,
    /// Not fine in A, fine in B
    Passing,
    /// Another verdict, as fine or as bad
    Verdict,
    /// The same name and verdict, another input
    Input,
    /// The same input and verdict, another output: other rules or another version
    Output,
    /// Only in A
    OnlyA,
    /// Only in B
    OnlyB,
    /// Not played yet in A or B
    Unfinished,
}

impl Only {
    fn takes(self, change: Change) -> bool {
        match self {
            Self::Changed => true,
            Self::Failing => change == Change::Failing,
            Self::Passing => change == Change::Passing,
            Self::Verdict => change == Change::Verdict,
            Self::Input => change == Change::Input,
            Self::Output => change == Change::Output,
            Self::OnlyA => change == Change::OnlyA,
            Self::OnlyB => change == Change::OnlyB,
            Self::Unfinished => change == Change::Unfinished,
        }
    }
}

pub(super) fn run(args: &CompareArgs, global: &Global, out: &mut Out) -> Result<Exit, CliError> {
    let [a, b] = [&args.a, &args.b].map(|text| parse(text));
    let (a, b) = (a?, b?);
    let reader = global.reader()?.ok_or_else(|| a.missing("run"))?;
    let runs = [a.find_only_run(&reader)?, b.find_only_run(&reader)?];
    let comparison = reader.compare(runs[0].id, runs[1].id)?;
    let exit = if Change::ALL.iter().all(|&change| comparison.count(change) == 0) {
        Exit::Fine
    } else {
        Exit::No
    };
    super::printed(print(args, &runs, &comparison, out), exit)
}

fn parse(text: &OsStr) -> Result<Reference, CliError> {
    Reference::parse(text).map_err(CliError::Usage)
}

fn print(
    args: &CompareArgs,
    runs: &[RunRecord; 2],
    comparison: &Comparison,
    out: &mut Out,
) -> Result<(), CliError> {
    let format = args.format.format();
    let mut list = json::List::new();
    match format {
        RowFormat::Table => summary(out, runs, comparison)?,
        RowFormat::Json => list.begin_in(out, &json::Compared::new(runs, comparison), "cases")?,
        RowFormat::Jsonl => {}
        RowFormat::Csv => csv::row(out, &COLUMNS)?,
    }
    let wanted = |change: &Change| args.only.iter().any(|only| only.takes(*change));
    for change in Change::ALL.into_iter().filter(wanted) {
        if format == RowFormat::Table && comparison.count(change) > 0 {
            writeln!(out, "\n{}", title(change, runs))?;
        }
        each(comparison, change, |case| {
            Ok(match format {
                RowFormat::Table => row(out, case),
                RowFormat::Json => list.push(out, &json::Changed::from(case)),
                RowFormat::Jsonl => render::json_line(out, &json::Changed::from(case)),
                RowFormat::Csv => csv(out, case),
            }?)
        })?;
    }
    if format == RowFormat::Json {
        list.end(out)?;
    }
    Ok(())
}

/// Calls `see` with each case that changed so, page by page; no read is open meanwhile.
fn each(
    comparison: &Comparison,
    change: Change,
    mut see: impl FnMut(&Changed) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let mut last = Place::default();
    loop {
        let page = comparison.page(change, last, PAGE)?;
        let Some(end) = page.last() else { return Ok(()) };
        last = end.place;
        page.iter().try_for_each(&mut see)?;
    }
}

/// How many cases changed in which way.
fn summary(out: &mut Out, runs: &[RunRecord; 2], comparison: &Comparison) -> io::Result<()> {
    let [a, b] = runs.each_ref().map(called);
    writeln!(out, "{a} -> {b}\n")?;
    for change in Change::ALL {
        match comparison.count(change) {
            0 => {}
            number => writeln!(out, "  {:24}  {:>11}", title(change, runs), render::count(number))?,
        }
    }
    writeln!(out, "  {:24}  {:>11}", "unchanged", render::count(comparison.same()))
}

fn called(run: &RunRecord) -> String {
    let label = run.label.as_ref().map(|label| format!(" \"{}\"", printable(label.as_bytes())));
    format!("run {}{}", run.id, label.unwrap_or_default())
}

fn title(change: Change, [a, b]: &[RunRecord; 2]) -> String {
    match change {
        Change::Failing => "newly failing".to_owned(),
        Change::Passing => "newly passing".to_owned(),
        Change::Verdict => "another verdict".to_owned(),
        Change::Input => "another input".to_owned(),
        Change::Output => "another output".to_owned(),
        Change::OnlyA => format!("only in run {}", a.id),
        Change::OnlyB => format!("only in run {}", b.id),
        Change::Unfinished => "not played yet".to_owned(),
    }
}

/// A case that changed, and why it is not fine if it was.
fn row(out: &mut Out, case: &Changed) -> io::Result<()> {
    let (name, verdict) = (|case: &CaseRecord| printable(&case.name), verdict);
    let sides = [case.a.as_ref(), case.b.as_ref()];
    let id = |case: &CaseRecord| case.id.to_string();
    write!(out, "  {}  {}  {}", both(sides, id), both(sides, name), both(sides, verdict))?;
    if let [Some(a), Some(b)] = sides {
        reasons(out, case.change, a, b)?;
    }
    match &case.b {
        Some(b) if case.change == Change::Failing => render::why(out, b),
        _ => writeln!(out),
    }
}

/// A case that changed, for programs.
fn csv(out: &mut Out, case: &Changed) -> io::Result<()> {
    let side = |case: &Option<CaseRecord>| match case {
        Some(case) => [
            case.id.run.to_string(),
            case.id.rank.to_string(),
            json::lossy(&case.name),
            case.verdict.map(|verdict| verdict.to_string()).unwrap_or_default(),
        ],
        None => Default::default(),
    };
    let ([a, b], change) = ([&case.a, &case.b].map(side), [case.change.to_string()]);
    let cells: Vec<&str> = change.iter().chain(&a).chain(&b).map(String::as_str).collect();
    csv::row(out, &cells)
}

/// What is true of both cases, or how it differs.
fn both(sides: [Option<&CaseRecord>; 2], spell: impl Fn(&CaseRecord) -> String) -> String {
    match sides.map(|case| case.map(&spell)) {
        [Some(a), Some(b)] if a != b => format!("{a} -> {b}"),
        [a, b] => a.or(b).unwrap_or_default(),
    }
}

fn verdict(case: &CaseRecord) -> String {
    case.verdict.map_or_else(|| case.state.to_string(), render::verdict)
}

/// What else differs, besides names and verdicts.
fn reasons(out: &mut Out, change: Change, a: &CaseRecord, b: &CaseRecord) -> io::Result<()> {
    let sides = [Some(a), Some(b)];
    let word = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    if a.simulator != b.simulator {
        write!(out, "  {}", both(sides, |case| word(case.simulator.map(|id| id.to_string()))))?;
    } else if a.version != b.version && a.version.is_some() && b.version.is_some() {
        let version = both(sides, |case| word(case.version.map(|version| version.to_string())));
        write!(out, "  version {version}")?;
    }
    if a.rules != b.rules {
        let rules = both(sides, |case| word(case.rules.map(|rules| rules.to_string())));
        write!(out, "  rules {rules}")?;
    }
    let hash = |case: &CaseRecord| case.input.map(|input| input.hash);
    let told = change == Change::Input || hash(a) == hash(b);
    if told { Ok(()) } else { write!(out, "  another input") }
}
