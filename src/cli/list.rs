//! `simdrop list`: runs, cases or games, newest first.

use std::io::Write;

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::render::{self, Format, FormatArgs};
use super::{CliError, Global, Out, json};
use crate::store::{CaseRecord, GameRecord, Reader, RunRecord};

/// How many rows are read at a time.
const PAGE: u32 = 512;

/// List past runs, cases or games, newest first
#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// What to list
    #[arg(default_value = "runs")]
    what: What,
    /// How many rows at most; 0 means all
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: u64,
    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum What {
    Runs,
    Cases,
    Games,
}

pub(super) fn run(
    args: &ListArgs,
    global: &Global,
    out: &mut Out,
) -> Result<crate::exit::Exit, CliError> {
    let reader = global.reader()?;
    let reader = reader.as_ref();
    match args.what {
        What::Runs => print::<RunRecord>(args, reader, out),
        What::Cases => print::<CaseRecord>(args, reader, out),
        What::Games => print::<GameRecord>(args, reader, out),
    }?;
    Ok(crate::exit::Exit::Fine)
}

/// A kind of row.
trait Listed: Sized {
    const HEADER: &'static [&'static str];
    /// The columns that hold numbers.
    const NUMBERS: &'static [usize];
    type Json: for<'a> From<&'a Self> + Serialize;

    /// The rows that come after `last`.
    fn page(reader: &Reader, last: Option<&Self>, most: u32) -> Result<Vec<Self>, CliError>;

    fn cells(&self) -> Vec<String>;
}

fn print<T: Listed>(
    args: &ListArgs,
    reader: Option<&Reader>,
    out: &mut Out,
) -> Result<(), CliError> {
    match args.format.format() {
        Format::Table => print_table::<T>(args.limit, reader, out),
        Format::Jsonl => {
            each::<T>(args.limit, reader, |row| Ok(render::json_line(out, &T::Json::from(row))?))
        }
        Format::Json => {
            let mut between = "[";
            each::<T>(args.limit, reader, |row| {
                out.write_all(between.as_bytes())?;
                between = ",\n";
                Ok(serde_json::to_writer(&mut *out, &T::Json::from(row))
                    .map_err(std::io::Error::from)?)
            })?;
            let end = if between == "[" { "[]\n" } else { "]\n" };
            Ok(out.write_all(end.as_bytes())?)
        }
    }
}

fn print_table<T: Listed>(
    limit: u64,
    reader: Option<&Reader>,
    out: &mut Out,
) -> Result<(), CliError> {
    let mut table = render::table(T::HEADER, T::NUMBERS);
    each::<T>(limit, reader, |row| {
        table.add_row(row.cells());
        Ok(())
    })?;
    if table.row_iter().next().is_some() {
        for line in table.lines() {
            writeln!(out, "{}", line.trim_end())?;
        }
    }
    Ok(())
}

/// Calls `see` with each row, page by page; no read is open meanwhile.
fn each<T: Listed>(
    limit: u64,
    reader: Option<&Reader>,
    mut see: impl FnMut(&T) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let Some(reader) = reader else { return Ok(()) };
    let mut left = if limit == 0 { u64::MAX } else { limit };
    let mut last = None;
    while left > 0 {
        let most = u32::try_from(left).unwrap_or(PAGE).min(PAGE);
        let page = T::page(reader, last.as_ref(), most)?;
        for row in &page {
            see(row)?;
        }
        left -= page.len() as u64;
        last = match page.into_iter().next_back() {
            Some(row) => Some(row),
            None => break,
        };
    }
    Ok(())
}

impl Listed for RunRecord {
    const HEADER: &'static [&'static str] =
        &["RUN", "STATE", "TAKEN IN", "CASES", "CACHED", "TIME", "VERDICTS", "LABEL", "SOURCE"];
    const NUMBERS: &'static [usize] = &[0, 3, 4, 5];
    type Json = json::Run;

    fn page(reader: &Reader, last: Option<&Self>, most: u32) -> Result<Vec<Self>, CliError> {
        Ok(reader.runs(last.map(|run| run.id), most)?)
    }

    fn cells(&self) -> Vec<String> {
        let took = |end: crate::domain::TimestampUs| render::duration(end.0 - self.taken_in_at.0);
        vec![
            self.id.to_string(),
            self.state.to_string(),
            render::time(self.taken_in_at),
            render::count(self.total),
            render::count(self.cached),
            self.finished_at.map_or_else(|| "-".to_owned(), took),
            render::verdicts(self),
            self.label
                .as_ref()
                .map_or_else(|| "-".to_owned(), |text| render::printable(text.as_bytes())),
            render::sources(self),
        ]
    }
}

impl Listed for CaseRecord {
    const HEADER: &'static [&'static str] =
        &["CASE", "NAME", "SIMULATOR", "RULES", "VERDICT", "CACHED", "GAMES", "INPUT", "PLAY"];
    const NUMBERS: &'static [usize] = &[6, 7, 8];
    type Json = json::Case;

    fn page(reader: &Reader, last: Option<&Self>, most: u32) -> Result<Vec<Self>, CliError> {
        Ok(reader.cases(last.map(|case| case.id), most)?)
    }

    fn cells(&self) -> Vec<String> {
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        vec![
            self.id.to_string(),
            render::printable(&self.name),
            or_dash(self.simulator.map(|id| id.to_string())),
            or_dash(self.rules.map(|rules| rules.to_string())),
            self.verdict.map_or_else(|| self.state.to_string(), |verdict| verdict.to_string()),
            if self.cached { "yes" } else { "-" }.to_owned(),
            or_dash(self.games.map(render::count)),
            or_dash(self.input.map(|input| format!("{} B", render::count(input.bytes)))),
            or_dash(self.timings.map(|timings| render::duration(timings.play_us))),
        ]
    }
}

impl Listed for GameRecord {
    const HEADER: &'static [&'static str] =
        &["GAME", "NAME", "SIMULATOR", "ENDING", "WINNER", "LENGTH", "METRICS"];
    const NUMBERS: &'static [usize] = &[5];
    type Json = json::Game;

    fn page(reader: &Reader, last: Option<&Self>, most: u32) -> Result<Vec<Self>, CliError> {
        Ok(reader.games(last.map(|game| (game.case, game.number)), most)?)
    }

    fn cells(&self) -> Vec<String> {
        let metrics = self.simulator.metrics().iter().zip(self.metrics);
        let metrics: Vec<String> = metrics.map(|(name, value)| format!("{name}={value}")).collect();
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        vec![
            format!("{}#{}", self.case, self.number),
            render::printable(&self.name),
            self.simulator.to_string(),
            self.ending.to_string(),
            or_dash(self.winner.map(|number| self.simulator.player(number))),
            or_dash(self.length.map(render::count)),
            metrics.join(" "),
        ]
    }
}
