//! `simdrop stats`: what many cases and games come to.

mod columns;
mod grouped;
mod histogram;
mod overview;
mod summary;

use std::collections::btree_map::Entry;

use clap::{Args, ValueEnum};
use jiff::Timestamp;

use super::query::{self, QueryArgs};
use super::render::{FormatArgs, RowFormat};
use super::{CliError, Global, Out, when};
use crate::config::suggestion;
use crate::domain::{SimulatorId, TimestampUs};
use crate::exit::Exit;
use crate::store::{CellKey, Column, Facet, Gather, Part, Query, Reader, RunNames, Tally};

/// Count cases and games: verdicts, winners, times, lengths and metrics
///
/// Cases count when they are done. A game counts once, however many cases have the same input. Percentiles are
/// nearest ranks; `~` stands before what comes from values that are rounded to three digits. The intervals of
/// shares are 95 % ones by Wilson.
#[derive(Debug, Args)]
#[command(after_help = query::HELP)]
pub(super) struct StatsArgs {
    #[command(flatten)]
    query: QueryArgs,
    /// One row for each of these
    #[arg(long, value_name = "WHAT")]
    by: Option<By>,
    /// Look at this value: time, length, the name of a length (rounds) or of a metric
    #[arg(long, value_name = "NAME")]
    metric: Option<String>,
    /// Draw how often each value of the metric occurs
    #[arg(long, requires = "metric")]
    hist: bool,
    #[command(flatten)]
    format: FormatArgs<RowFormat>,
}

/// What cases and games are told apart by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum By {
    /// The simulator
    Sim,
    /// The simulator and its rules
    Rules,
    /// The label of the run
    Label,
    /// The day on which the run was taken in
    Day,
    /// Who won the game
    Winner,
    /// The verdict of the case
    Verdict,
    /// Each tag of the run
    Tag,
}

/// What is looked at.
#[derive(Debug, Clone)]
enum Metric {
    /// How long cases were played.
    Time,
    /// A number of games; its name, and where each simulator has it.
    Game(String, Vec<(SimulatorId, Column)>),
}

pub(super) fn run(args: &StatsArgs, global: &Global, out: &mut Out) -> Result<Exit, CliError> {
    let metric = args.metric.as_deref().map(Metric::find).transpose()?;
    let asked = Asked { query: args.query.query()?, by: args.by, metric };
    asked.check(args)?;
    let tally = match global.reader()? {
        Some(reader) => asked.tally(&reader)?,
        None => Tally::new(),
    };
    let format = args.format.format();
    match (&asked.metric, asked.by) {
        (Some(metric), by) => summary::print(tally, metric, by, args.hist, format, out),
        (None, Some(By::Winner)) => grouped::winners(tally, format, out),
        (None, Some(by)) => grouped::cases(tally, by, format, out),
        (None, None) => overview::print(tally, format, out),
    }?;
    Ok(Exit::Fine)
}

/// What was asked for.
struct Asked {
    query: Query,
    by: Option<By>,
    metric: Option<Metric>,
}

impl Asked {
    fn check(&self, args: &StatsArgs) -> Result<(), CliError> {
        let message = match (&self.metric, self.by) {
            (Some(Metric::Time), Some(By::Winner)) => {
                "--metric time is of cases, and --by winner of games"
            }
            (None, None) if args.format.format() == RowFormat::Csv => {
                "-o csv needs rows: --by or --metric"
            }
            _ => return Ok(()),
        };
        Err(CliError::Usage(message.to_owned()))
    }

    /// From the counters if they know it, else by a pass.
    fn tally(&self, reader: &Reader) -> Result<Tally, CliError> {
        if self.query.terms.is_empty() {
            if let (None, Some(By::Label | By::Day | By::Tag)) = (&self.metric, self.by) {
                return Ok(reader.counted_by_names(&|run| self.names(run))?);
            }
            if self.is_counted() {
                return Ok(reader.counted()?);
            }
        }
        let names = |run: &RunNames| self.names(run);
        let facet = match self.by {
            None | Some(By::Sim | By::Rules) => Facet::Nothing,
            Some(By::Verdict) => Facet::Verdict,
            Some(By::Winner) if self.metric.is_some() => Facet::Winner,
            Some(By::Winner) => Facet::Nothing,
            Some(By::Label | By::Day | By::Tag) => Facet::Names(&names),
        };
        Ok(reader.tally(&self.query, facet, &self.gather())?)
    }

    /// Whether the counters over the whole store have it.
    fn is_counted(&self) -> bool {
        match &self.metric {
            None => true,
            Some(metric) => {
                metric.is_counted() && matches!(self.by, None | Some(By::Sim | By::Rules))
            }
        }
    }

    fn gather(&self) -> Gather {
        let lengths = || SimulatorId::ALL.map(|id| (id, Column::Length)).to_vec();
        match (&self.metric, self.by) {
            (Some(Metric::Time), _) => Gather { times: true, games: None },
            (Some(Metric::Game(_, columns)), _) => {
                Gather { times: false, games: Some(columns.clone()) }
            }
            (None, None) => Gather { times: true, games: Some(lengths()) },
            (None, Some(By::Winner)) => Gather { times: false, games: Some(Vec::new()) },
            (None, Some(_)) => Gather::default(),
        }
    }

    /// What a run is found under; an empty name: nothing.
    fn names(&self, run: &RunNames) -> Vec<String> {
        match self.by {
            Some(By::Day) => vec![day(run.taken_in_at)],
            Some(By::Tag) if !run.tags.is_empty() => {
                run.tags.iter().map(|(key, value)| format!("{key}={value}")).collect()
            }
            Some(By::Label) => vec![run.label.clone().unwrap_or_default()],
            _ => vec![String::new()],
        }
    }
}

impl Metric {
    fn find(name: &str) -> Result<Self, CliError> {
        if name == "time" {
            return Ok(Self::Time);
        }
        let column = |id: SimulatorId| {
            if name == "length" || name == id.length_name() {
                return Some(Column::Length);
            }
            id.metrics().iter().position(|metric| *metric == name).map(Column::Metric)
        };
        let columns: Vec<_> =
            SimulatorId::ALL.into_iter().filter_map(|id| Some((id, column(id)?))).collect();
        if columns.is_empty() {
            return Err(CliError::Usage(unknown(name)));
        }
        Ok(Self::Game(name.to_owned(), columns))
    }

    fn is_counted(&self) -> bool {
        match self {
            Self::Time => true,
            Self::Game(_, columns) => columns.iter().all(|(_, column)| *column == Column::Length),
        }
    }
}

fn unknown(name: &str) -> String {
    let mut known = vec!["time", "length"];
    for id in SimulatorId::ALL {
        known.push(id.length_name());
        known.extend(id.metrics());
    }
    known.dedup();
    let meant = suggestion(name, &known).map(|near| format!("; did you mean {near}?"));
    format!("unknown metric {name:?}{}; known: {}", meant.unwrap_or_default(), known.join(", "))
}

/// The day of a moment.
fn day(at: TimestampUs) -> String {
    let moment = Timestamp::from_microsecond(at.0).unwrap_or_default();
    when::zone().to_datetime(moment).date().to_string()
}

/// Puts together what is in one row.
fn fold(tally: Tally, row: impl Fn(&CellKey) -> CellKey) -> Tally {
    let mut folded = Tally::new();
    for (key, cell) in tally {
        match folded.entry(row(&key)) {
            Entry::Vacant(place) => _ = place.insert(cell),
            Entry::Occupied(mut there) => there.get_mut().merge(&cell),
        }
    }
    folded
}

/// The row of cells, or of their values, if they are told apart by this.
fn row_of(key: &CellKey, by: Option<By>, of_values: bool) -> CellKey {
    let (by_rules, by_simulator) = (by == Some(By::Rules), by == Some(By::Sim));
    CellKey {
        simulator: key.simulator.filter(|_| of_values || by_rules || by_simulator),
        rules: key.rules.filter(|_| by_rules),
        part: match by {
            None | Some(By::Sim | By::Rules) => Part::All,
            Some(_) => key.part.clone(),
        },
    }
}
