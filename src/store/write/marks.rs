//! What is kept beside the rows, so that nobody walks over them to find or count runs.

use std::collections::BTreeSet;

use rusqlite::{Connection, ToSql, params};

use crate::domain::{RunId, SimulatorId, TimestampUs, Verdict};
use crate::store::StoreError;
use crate::store::codes::Code;
use crate::store::content::length;

/// Takes note of a new run.
pub(super) fn run_begins(db: &Connection, run: RunId, at: TimestampUs) -> Result<(), StoreError> {
    db.prepare_cached(
        "INSERT INTO run_spans VALUES (?1 >> 10, ?2, ?2)
         ON CONFLICT DO UPDATE SET first_us = min(first_us, ?2), last_us = max(last_us, ?2)",
    )?
    .execute(params![run.0, at.0])?;
    db.prepare_cached("UPDATE totals SET count = count + 1 WHERE what = 1")?.execute([])?;
    Ok(())
}

/// Takes note of new cases of a run.
pub(super) fn cases_begin(
    db: &Connection,
    run: RunId,
    cases: usize,
    simulators: &BTreeSet<SimulatorId>,
) -> Result<(), StoreError> {
    simulators.iter().try_for_each(|&simulator| has(db, run, 1, Code(simulator)))?;
    db.prepare_cached("UPDATE totals SET count = count + ?1 WHERE what = 2")?
        .execute([length(cases)])?;
    Ok(())
}

/// Takes note of the verdicts that cases of a run have.
pub(super) fn cases_end(
    db: &Connection,
    run: RunId,
    verdicts: impl IntoIterator<Item = Verdict>,
) -> Result<(), StoreError> {
    verdicts.into_iter().try_for_each(|verdict| has(db, run, 2, Code(verdict)))
}

fn has(db: &Connection, run: RunId, kind: i64, code: impl ToSql) -> Result<(), StoreError> {
    db.prepare_cached("INSERT INTO run_has VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING")?
        .execute(params![kind, code, run.0])?;
    Ok(())
}
