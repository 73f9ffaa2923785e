//! `simdrop show REF --log`: what happened, as it stands and as it grows.

use std::io::{self, Write};
use std::thread;
use std::time::Duration;

use super::ShowArgs;
use crate::cli::render::{self, Format};
use crate::cli::{CliError, Out, json};
use crate::domain::{CaseState, LogLevel};
use crate::store::{CaseChoice, CaseRecord, LogOf, LogRecord, Reader, RunChoice, RunRecord};

/// How many lines are read at a time.
const PAGE: u32 = 1_024;

/// How often a log that grows is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(200);

pub(super) fn show(
    args: &ShowArgs,
    reader: &Reader,
    run: &RunRecord,
    case: Option<&CaseRecord>,
    out: &mut Out,
) -> Result<(), CliError> {
    let format = args.format.format();
    let of = case.map_or_else(|| run.id.into(), |case| case.id.into());
    let list = json::List::new();
    let mut log = Log { reader, of, of_run: case.is_none(), least: args.level, format, list, out };
    if args.follow {
        let upto = reader.last_log_line()?;
        log.print_to(upto)?;
        log.follow(upto, || is_over(reader, run, case))?;
    } else {
        log.print_to(i64::MAX)?;
    }
    if format == Format::Json {
        log.list.end(log.out)?;
    }
    Ok(())
}

/// Whether nothing more will be said of a run or case.
fn is_over(reader: &Reader, run: &RunRecord, case: Option<&CaseRecord>) -> Result<bool, CliError> {
    if let Some(case) = case {
        let case = reader.case(run.id, &CaseChoice::Rank(case.id.rank))?;
        return Ok(case.is_none_or(|case| case.state == CaseState::Done));
    }
    let run = reader.run(&RunChoice::Id(run.id))?;
    Ok(run.is_none_or(|run| !run.state.is_unfinished()))
}

/// A log on its way to people.
struct Log<'a> {
    reader: &'a Reader,
    of: LogOf,
    of_run: bool,
    least: LogLevel,
    format: Format,
    list: json::List,
    out: &'a mut Out,
}

impl Log<'_> {
    /// Prints what there is up to a line, the run's own lines first, then case by case.
    fn print_to(&mut self, upto: i64) -> Result<(), CliError> {
        let mut last = None;
        loop {
            let page = self.reader.log(self.of, last.as_ref(), PAGE)?;
            page.iter().filter(|line| line.number <= upto).try_for_each(|line| self.print(line))?;
            last = page.into_iter().next_back();
            if last.is_none() {
                return Ok(());
            }
        }
    }

    /// Prints what is added after a line, as it comes, until the last of it has come.
    fn follow(
        &mut self,
        mut seen: i64,
        is_over: impl Fn() -> Result<bool, CliError>,
    ) -> Result<(), CliError> {
        loop {
            // Asked before looking: what is said until the end must not be missed.
            let over = is_over()?;
            let upto = self.reader.last_log_line()?;
            self.print_between(seen, upto)?;
            self.out.flush()?;
            seen = upto;
            if over {
                return Ok(());
            }
            thread::park_timeout(LOOK_EVERY);
        }
    }

    fn print_between(&mut self, mut after: i64, upto: i64) -> Result<(), CliError> {
        loop {
            let page = self.reader.log_between(self.of, after, upto, PAGE)?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.number;
            page.iter().try_for_each(|line| self.print(line))?;
        }
    }

    fn print(&mut self, line: &LogRecord) -> Result<(), CliError> {
        if line.level < self.least {
            return Ok(());
        }
        match self.format {
            Format::Table => self.print_text(line),
            Format::Json => self.list.push(self.out, &json::LogLine::from(line)),
            Format::Jsonl => render::json_line(self.out, &json::LogLine::from(line)),
        }?;
        Ok(())
    }

    fn print_text(&mut self, line: &LogRecord) -> io::Result<()> {
        let (at, message) = (render::time(line.at), render::printable(line.message.as_bytes()));
        let case = match line.case.rank {
            rank if rank > 0 && self.of_run => format!("{}  ", line.case),
            _ => String::new(),
        };
        writeln!(self.out, "{at}  {:7}  {case}{message}", line.level)
    }
}
