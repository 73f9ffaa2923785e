//! `simdrop show RUN`: what came of a run, and which of its cases stand out.

use std::io::Write;

use crate::cli::render::{self, Format};
use crate::cli::{CliError, Out, json, report};
use crate::store::{CaseChoice, CaseRecord, Reader, RunRecord, Top};

/// How many failing cases are shown with a run.
const FAILING: u32 = 20;

pub(super) fn show(
    reader: &Reader,
    run: &RunRecord,
    format: Format,
    out: &mut Out,
) -> Result<(), CliError> {
    let [slowest, largest] =
        [&run.slowest, &run.largest].map(|top| Outstanding::find(reader, run, top));
    let (slowest, largest) = (slowest?, largest?);
    let failing = reader.failing(run, 0, FAILING)?;
    if format != Format::Table {
        return Ok(render::json_line(
            out,
            &json::ShownRun::new(run, &slowest, &largest, &failing),
        )?);
    }
    render::run(out, run)?;
    some_failing(out, run, &failing)?;
    // In a run of one case it stands out as little as anything.
    if run.total > 1 {
        stand_out(out, "slowest", &slowest, render::duration)?;
        stand_out(out, "largest", &largest, |bytes| {
            render::plural(bytes.unsigned_abs(), "byte", "bytes")
        })?;
    }
    report::found(out, reader, run)?;
    work(out, run)?;
    Ok(render::pace(out, run)?)
}

/// The first cases that are not fine, and how to see the others.
fn some_failing(out: &mut Out, run: &RunRecord, first: &[CaseRecord]) -> Result<(), CliError> {
    first.iter().try_for_each(|case| render::failing(out, case))?;
    match run.failing().saturating_sub(first.len() as u64) {
        0 if first.is_empty() => Ok(()),
        0 => Ok(writeln!(out)?),
        more => {
            let more = render::count(more);
            Ok(writeln!(out, "{more} more: simdrop show {} --failed\n", run.id)?)
        }
    }
}

/// Every case that is not fine.
pub(super) fn show_failed(
    reader: &Reader,
    run: &RunRecord,
    format: Format,
    out: &mut Out,
) -> Result<(), CliError> {
    let mut list = json::List::new();
    report::each_failing(reader, run, |case| {
        Ok(match format {
            Format::Table => render::failing(out, case),
            Format::Json => list.push(out, &json::Case::from(case)),
            Format::Jsonl => render::json_line(out, &json::Case::from(case)),
        }?)
    })?;
    if format == Format::Json {
        list.end(out)?;
    }
    Ok(())
}

/// A case with a value that few of its run have.
pub(in crate::cli) struct Outstanding {
    /// The case.
    pub(in crate::cli) case: CaseRecord,
    /// The value.
    pub(in crate::cli) value: i64,
}

impl Outstanding {
    fn find(reader: &Reader, run: &RunRecord, top: &Top) -> Result<Vec<Self>, CliError> {
        let mut found = Vec::new();
        for (rank, value) in top.iter() {
            let case = reader.case(run.id, &CaseChoice::Rank(rank))?;
            found.extend(case.map(|case| Self { case, value }));
        }
        Ok(found)
    }
}

fn stand_out(
    out: &mut Out,
    title: &str,
    cases: &[Outstanding],
    spell: impl Fn(i64) -> String,
) -> Result<(), CliError> {
    if cases.is_empty() {
        return Ok(());
    }
    writeln!(out, "{title}")?;
    for Outstanding { case, value } in cases {
        let (value, name) = (spell(*value), render::printable(&case.name));
        writeln!(out, "  {value:>14}  {}  {name}", case.id)?;
    }
    Ok(writeln!(out)?)
}

/// How long the steps of all cases took together.
fn work(out: &mut Out, run: &RunRecord) -> Result<(), CliError> {
    let work = run.work;
    let steps = [
        ("parse", work.parse_us),
        ("play", work.play_us),
        ("compare", work.compare_us),
        ("store", work.store_us),
    ];
    if steps.iter().all(|&(_, micros)| micros == 0) {
        return Ok(());
    }
    let spell = |(step, micros)| format!("{step} {}", render::duration(micros));
    Ok(writeln!(out, "work of all threads: {}", steps.map(spell).join(", "))?)
}
