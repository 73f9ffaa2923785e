//! What the values of a metric come to.

use super::columns::{Column, Fact, Rows};
use super::grouped::{group_columns, group_facts};
use super::{By, Metric, fold, histogram, row_of};
use crate::cli::json::Named;
use crate::cli::render::RowFormat;
use crate::cli::{CliError, Out};
use crate::domain::SimulatorId;
use crate::store::{Cell, CellKey, Distribution, Tally, Values};

/// The percentiles that are shown, with the order in which a narrow terminal does without them.
const PERCENTILES: [(u32, &str, &str, u8); 7] = [
    (5, "P5", "p5", 4),
    (25, "P25", "p25", 2),
    (50, "P50", "p50", 0),
    (75, "P75", "p75", 2),
    (90, "P90", "p90", 1),
    (95, "P95", "p95", 0),
    (99, "P99", "p99", 3),
];

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// A number.
    One,
    /// Microseconds.
    Micros,
}

impl Unit {
    pub(super) fn fact(self, value: i64) -> Fact {
        match self {
            Self::One => Fact::number(value),
            Self::Micros => Fact::took(float(value)),
        }
    }

    fn real(self, value: f64) -> Fact {
        match self {
            Self::One => Fact::real(value),
            Self::Micros => Fact::took(value),
        }
    }
}

/// Values as facts; what comes from rounded ones is marked.
pub(super) struct Summary {
    pub(super) values: Distribution,
    unit: Unit,
}

impl Summary {
    pub(super) fn new(values: &Values, unit: Unit) -> Self {
        Self { values: values.distribution(), unit }
    }

    pub(super) fn n(&self) -> u64 {
        self.values.n()
    }

    pub(super) fn mean(&self) -> Fact {
        self.real(self.values.mean())
    }

    /// Percentiles and the greatest value, in words.
    pub(super) fn words(&self, percents: [u32; 3]) -> String {
        let percentile = |percent| {
            let value = self.value(self.values.percentile(percent));
            format!("p{percent} {}", value.shown())
        };
        let max = self.value(self.values.range().map(|(_, max)| max));
        format!("{}, max {}", percents.map(percentile).join(", "), max.shown())
    }

    /// All of it, in the order of [`columns`].
    fn facts(&self) -> Vec<Fact> {
        let (min, max) = self.values.range().unzip();
        let percentiles = PERCENTILES.map(|(percent, ..)| self.values.percentile(percent));
        let mut facts =
            vec![Fact::count(self.n()), self.mean(), self.real(self.values.deviation())];
        facts.push(self.value(min));
        facts.extend(percentiles.map(|value| self.value(value)));
        facts.extend([self.value(max), Fact::flag(self.values.is_rounded)]);
        facts
    }

    /// All of it with its names.
    pub(super) fn named(&self) -> Named<Fact> {
        Named(columns().iter().map(|column| column.key).zip(self.facts()).collect())
    }

    fn real(&self, value: Option<f64>) -> Fact {
        let about = |value| self.unit.real(value).about(self.values.is_rounded);
        value.map_or_else(Fact::none, about)
    }

    fn value(&self, value: Option<i64>) -> Fact {
        let is_rounded = |value: i64| self.values.is_rounded && value.abs() >= 1_000;
        let about = |value| self.unit.fact(value).about(is_rounded(value));
        value.map_or_else(Fact::none, about)
    }
}

/// The columns of a summary.
fn columns() -> Vec<Column> {
    let number = Column::number;
    let mut columns = vec![number("N", "n"), number("MEAN", "mean"), number("SD", "sd")];
    columns.push(number("MIN", "min").spare(5));
    columns.extend(PERCENTILES.map(|(_, heading, key, order)| number(heading, key).spare(order)));
    columns.push(number("MAX", "max"));
    columns.push(Column::text("ROUNDED", "rounded").spare(1));
    columns
}

impl Metric {
    fn unit(&self) -> Unit {
        if matches!(self, Self::Time) { Unit::Micros } else { Unit::One }
    }

    /// What it is called for a simulator.
    fn name(&self, simulator: Option<SimulatorId>) -> &str {
        match self {
            Self::Time => "time",
            Self::Game(name, _) if name == "length" => {
                simulator.map_or("length", SimulatorId::length_name)
            }
            Self::Game(name, _) => name,
        }
    }

    /// Whether a simulator has it.
    fn is_of(&self, simulator: Option<SimulatorId>) -> bool {
        match self {
            Self::Time => true,
            Self::Game(_, columns) => columns.iter().any(|(id, _)| Some(*id) == simulator),
        }
    }

    fn values<'a>(&self, cell: &'a Cell) -> &'a Values {
        match self {
            Self::Time => &cell.times,
            Self::Game(..) => &cell.values,
        }
    }
}

/// A group with its values.
pub(super) struct Group {
    pub(super) name: Vec<Fact>,
    pub(super) summary: Summary,
}

pub(super) fn print(
    tally: Tally,
    metric: &Metric,
    by: Option<By>,
    hist: bool,
    format: RowFormat,
    out: &mut Out,
) -> Result<(), CliError> {
    let (folded, unit) = (fold(tally, |key| row_of(key, by, true)), metric.unit());
    let groups = folded.into_iter().filter(|(key, _)| metric.is_of(key.simulator));
    let groups = groups.map(|(key, cell)| Group {
        name: name(&key, metric, by),
        summary: Summary::new(metric.values(&cell), unit),
    });
    let groups: Vec<Group> = groups.filter(|group| group.summary.n() > 0).collect();
    match (hist, format) {
        (true, RowFormat::Table) => histogram::draw(&groups, unit, out),
        (true, _) => histogram::rows(name_columns(by), &groups, unit).print(format, out),
        (false, _) => summaries(by, &groups).print(format, out),
    }
}

fn summaries(by: Option<By>, groups: &[Group]) -> Rows {
    let columns = name_columns(by).into_iter().chain(columns()).collect();
    let row = |group: &Group| group.name.iter().cloned().chain(group.summary.facts()).collect();
    Rows { columns, rows: groups.iter().map(row).collect() }
}

/// The columns that say whose values they are.
fn name_columns(by: Option<By>) -> Vec<Column> {
    let mut columns = vec![Column::text("SIMULATOR", "simulator")];
    let group = group_columns(by).into_iter().filter(|column| column.key != "simulator");
    columns.extend(group);
    columns.push(Column::text("METRIC", "metric").spare(1));
    columns
}

/// Whose values they are.
fn name(key: &CellKey, metric: &Metric, by: Option<By>) -> Vec<Fact> {
    let mut facts = vec![Fact::maybe(key.simulator.map(SimulatorId::name))];
    facts.extend(group_facts(key, by).into_iter().skip(match by {
        Some(By::Sim | By::Rules) => 1,
        _ => 0,
    }));
    facts.push(Fact::text(metric.name(key.simulator)));
    facts
}

#[expect(clippy::cast_precision_loss, reason = "exact for 285 years of microseconds")]
const fn float(value: i64) -> f64 {
    value as f64
}
