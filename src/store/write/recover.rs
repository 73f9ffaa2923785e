//! Runs that a dead process left unfinished.

use rusqlite::{Connection, params};

use super::{Ended, LogLine, add_log};
use crate::domain::{CaseState, LogLevel, RunId, RunState, TimestampUs, Verdict};
use crate::store::StoreError;
use crate::store::codes::Code;

/// Cancels every unfinished run: what was not played is CANCELLED, what was played stands.
pub(in crate::store) fn cancel_unfinished(
    db: &Connection,
    at: TimestampUs,
) -> Result<(), StoreError> {
    // `state < 3` is the condition of the index, spelt as it stands there so that it is used.
    let sql = "SELECT id FROM runs WHERE state < 3";
    let runs: Vec<i64> =
        db.prepare(sql)?.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    runs.into_iter().try_for_each(|run| cancel(db, RunId(run), at))
}

fn cancel(db: &Connection, run: RunId, at: TimestampUs) -> Result<(), StoreError> {
    let mut ended = Ended::default();
    for state in [CaseState::Queued, CaseState::Running] {
        let sql = "UPDATE cases SET state = ?4, verdict = ?5
                   WHERE state < 3 AND state = ?1 AND id BETWEEN ?2 AND ?3";
        let (from, to) = (run.head().key(), run.tail().key());
        let (done, cancelled) = (Code(CaseState::Done), Code(Verdict::Cancelled));
        let cases = db.execute(sql, params![Code(state), from, to, done, cancelled])?;
        ended.add_many(Verdict::Cancelled, cases as u64);
    }
    ended.count(db, run)?;
    let sql = "UPDATE runs SET state = ?2, finished_us = ?3 WHERE id = ?1";
    db.execute(sql, params![run.0, Code(RunState::Cancelled), at.0])?;
    let message = format!("interrupted: {} cases that were taken in were not played", ended.done());
    add_log(db, run.head(), &[LogLine { at, level: LogLevel::Warning, message }])
}
