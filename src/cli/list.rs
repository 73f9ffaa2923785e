//! `simdrop list`: runs, cases or games, newest first.

mod columns;
mod count;
mod row;
mod top;
mod walk;

use std::io::Write;
use std::time::Duration;

use clap::Args;

use super::query::{self, QueryArgs};
use super::render::{self, FormatArgs, RowFormat};
use super::table::Table;
use super::{CliError, Global, Out, csv, json};
use crate::domain::SimulatorId;
use crate::exit::Exit;
use crate::store::{CaseRecord, GameRecord, Query, Reader, RunRecord, Term, Test};

use columns::{Column, Place, chosen};
use row::Row;
use top::Order;
use walk::{End, Walker};

/// How many rows of a table are printed at a time.
const BLOCK: usize = 512;

/// How long somebody waits for a table.
const PATIENCE: Duration = Duration::from_secs(2);

/// The most rows that are sorted.
const SORT_MOST: u64 = 10_000;

/// List past runs, cases or games, newest first
#[derive(Debug, Args)]
#[command(
    override_usage = "simdrop list [OPTIONS] [runs|cases|games] [QUERY]...",
    after_help = query::HELP
)]
pub(super) struct ListArgs {
    #[command(flatten)]
    query: QueryArgs,
    /// How many rows at most; 0 means all
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: u64,
    /// Go on after this run (12), case (12/7) or game (12/7#3)
    #[arg(long, value_name = "ID")]
    after: Option<String>,
    /// Those with the most of a column first; COLUMN:asc, those with the least
    #[arg(long, value_name = "COLUMN", conflicts_with = "after")]
    sort: Option<String>,
    /// Which columns of a table or CSV, such as run,label
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    columns: Vec<String>,
    #[command(flatten)]
    format: FormatArgs<RowFormat>,
}

pub(super) fn run(args: &ListArgs, global: &Global, out: &mut Out) -> Result<Exit, CliError> {
    let query = |words| args.query.query_of(words);
    match args.query.words().split_first() {
        Some((what, of)) if what == "cases" => list::<CaseRecord>(args, &query(of)?, global, out),
        Some((what, of)) if what == "games" => list::<GameRecord>(args, &query(of)?, global, out),
        Some((what, of)) if what == "runs" => list::<RunRecord>(args, &query(of)?, global, out),
        _ => list::<RunRecord>(args, &args.query.query()?, global, out),
    }?;
    Ok(Exit::Fine)
}

fn list<T: Row>(
    args: &ListArgs,
    query: &Query,
    global: &Global,
    out: &mut Out,
) -> Result<(), CliError> {
    let only = only_simulator(query);
    let columns = chosen::<T>(&args.columns, Place::Csv, only)?;
    let order = args.order::<T>()?;
    let format = args.format.format();
    if matches!(format, RowFormat::Json | RowFormat::Jsonl) && !args.columns.is_empty() {
        return Err(CliError::Usage("--columns is for tables and CSV: JSON has all".to_owned()));
    }
    let after = args.after.as_ref().map(|text| T::read_key(text)).transpose();
    let after = after.map_err(CliError::Usage)?;
    let reader = global.reader()?;
    let limit = if args.limit == 0 { u64::MAX } else { args.limit };
    let rows = Rows { reader: reader.as_ref(), query, after, limit, order };
    match format {
        RowFormat::Table => rows.table(&args.columns, only, out),
        RowFormat::Json => rows.json(out),
        RowFormat::Jsonl => {
            rows.each(None, |row| Ok(render::json_line(out, &T::Json::from(row))?)).map(drop)
        }
        RowFormat::Csv => rows.csv(&columns, out),
    }
}

impl ListArgs {
    fn order<T: Row>(&self) -> Result<Option<Order<T>>, CliError> {
        let Some(sort) = &self.sort else { return Ok(None) };
        if !(1..=SORT_MOST).contains(&self.limit) {
            let most = render::count(SORT_MOST);
            return Err(CliError::Usage(format!("--sort needs a --limit of 1 to {most}")));
        }
        Order::new(sort).map(Some)
    }
}

/// The simulator of everything that fits a query, if it names one.
fn only_simulator(query: &Query) -> Option<SimulatorId> {
    query.terms.iter().find_map(|term| match term {
        Term { negated: false, test: Test::Simulator(id) } => Some(*id),
        _ => None,
    })
}

/// The rows that are listed.
struct Rows<'a, T: Row> {
    reader: Option<&'a Reader>,
    query: &'a Query,
    after: Option<T::Key>,
    limit: u64,
    order: Option<Order<T>>,
}

impl<T: Row> Rows<'_, T> {
    /// Calls `see` with each row and says how it ended. No read is open meanwhile.
    fn each(
        &self,
        patience: Option<Duration>,
        see: impl FnMut(&T) -> Result<(), CliError>,
    ) -> Result<End<T::Key>, CliError> {
        let Some(reader) = self.reader else { return Ok(End::All) };
        let walker = Walker { reader, query: self.query, after: self.after };
        match &self.order {
            Some(order) => walker.best(order, self.limit, see),
            None => walker.newest(self.limit, patience, see),
        }
    }

    fn json(&self, out: &mut Out) -> Result<(), CliError> {
        let mut list = json::List::new();
        self.each(None, |row| Ok(list.push(out, &T::Json::from(row))?))?;
        Ok(list.end(out)?)
    }

    fn csv(&self, columns: &[Column<T>], out: &mut Out) -> Result<(), CliError> {
        let header: Vec<&str> = columns.iter().map(|column| column.csv).collect();
        csv::row(out, &header)?;
        self.each(None, |row| {
            let cells: Vec<String> =
                columns.iter().map(|column| column.cell(row).plain()).collect();
            Ok(csv::row(out, &cells)?)
        })?;
        Ok(())
    }

    fn table(
        &self,
        names: &[String],
        only: Option<SimulatorId>,
        out: &mut Out,
    ) -> Result<(), CliError> {
        let patience = (self.limit < u64::MAX).then_some(PATIENCE);
        let mut blocks = Blocks { names, only, limit: self.limit, rows: Vec::new(), table: None };
        let mut shown = 0;
        let end = self.each(patience, |row| {
            shown += 1;
            blocks.add(row.clone(), out)
        })?;
        blocks.print(out)?;
        let line = self.last_line(shown, &end)?;
        let between = if shown > 0 { "\n" } else { "" };
        Ok(writeln!(out, "{between}{line}")?)
    }

    /// How much there is, and how to go on.
    fn last_line(&self, shown: u64, end: &End<T::Key>) -> Result<String, CliError> {
        let count = |number| render::plural(number, T::ONE, T::MANY);
        let total = self.reader.map_or(Ok(None), |reader| T::count(reader, self.query))?;
        let of_all = |total| format!("{} of {}", render::count(shown), count(total));
        Ok(match *end {
            End::All if shown == 0 => {
                format!("no {}{}", T::MANY, if self.after.is_some() { " after that" } else { "" })
            }
            End::All if self.after.is_some() => format!("{}; no more", count(shown)),
            End::All => count(shown),
            End::Best { of } if of == shown => count(shown),
            End::Best { of } => of_all(of),
            End::More(last) => {
                let shown = total.map_or_else(|| count(shown), of_all);
                format!("{shown}; more: --after {}", T::write_key(last))
            }
            End::Late(reached) => {
                let (key, seconds) = (T::write_key(reached), PATIENCE.as_secs());
                format!(
                    "{}; looked back to {key} in {seconds} s; go on: --after {key}",
                    count(shown)
                )
            }
        })
    }
}

/// Rows on their way into a table, so many at a time.
struct Blocks<'a, T: Row> {
    names: &'a [String],
    only: Option<SimulatorId>,
    limit: u64,
    rows: Vec<T>,
    table: Option<(Table, Vec<Column<T>>)>,
}

impl<T: Row> Blocks<'_, T> {
    fn add(&mut self, row: T, out: &mut Out) -> Result<(), CliError> {
        self.rows.push(row);
        if self.rows.len() == BLOCK { self.print(out) } else { Ok(()) }
    }

    fn print(&mut self, out: &mut Out) -> Result<(), CliError> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let (table, columns) = match &mut self.table {
            Some(begun) => begun,
            None => {
                let begun = self.begin()?;
                self.table.insert(begun)
            }
        };
        for row in self.rows.drain(..) {
            table.add_row(columns.iter().map(|column| column.cell(&row).shown()));
        }
        Ok(table.print(out)?)
    }

    /// The table, whose columns may depend on its rows if all of them are there.
    fn begin(&self) -> Result<(Table, Vec<Column<T>>), CliError> {
        let is_all = self.limit <= BLOCK as u64;
        let same = || {
            let mut simulators = self.rows.iter().map(T::simulator);
            let first = simulators.next()??;
            simulators.all(|other| other == Some(first)).then_some(first)
        };
        let only = self.only.or_else(|| is_all.then(same).flatten());
        let columns = chosen::<T>(self.names, Place::Table, only)?;
        let names: Vec<String> = columns.iter().map(|column| column.name.to_uppercase()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let numbers = columns.iter().enumerate().filter(|(_, column)| column.is_number);
        let numbers: Vec<usize> = numbers.map(|(at, _)| at).collect();
        Ok((render::table(&names, &numbers), columns))
    }
}
