//! Cases that somebody had and did not finish.

use rusqlite::{Connection, params};

use super::{Ended, LogLine, Statements, add_log, parts};
use crate::domain::{
    CaseId, CaseState, ContentId, LogLevel, ResultId, RunId, RunState, TimestampUs, Verdict,
};
use crate::store::StoreError;
use crate::store::codes::Code;
use crate::store::counts::Kind;

/// Whoever held the lock before has ended. What it was playing goes back as suspect, because playing it
/// may be what ended it; what it kept only in part is removed.
pub(in crate::store) fn recover(db: &Connection, at: TimestampUs) -> Result<(), StoreError> {
    let running = ids(db, "SELECT id FROM cases WHERE state < 3 AND state = 2")?;
    for cases in running.chunk_by(|a, b| a >> 32 == b >> 32) {
        cases.iter().try_for_each(|&key| suspect(db, CaseId::from_key(key)))?;
        let run = CaseId::from_key(cases[0]).run;
        let message =
            format!("its process died: {} cases that it may have been playing", cases.len());
        add_log(
            &mut Statements::new(db),
            run.head(),
            &[LogLine { at, level: LogLevel::Warning, message }],
        )?;
    }
    for id in ids(db, "SELECT id FROM contents WHERE whole = 0")? {
        parts::drop_content(db, ContentId(id))?;
    }
    for id in ids(db, "SELECT id FROM results WHERE unfinished > 0")? {
        parts::drop_result(db, ResultId(id))?;
    }
    Ok(())
}

fn ids(db: &Connection, sql: &str) -> Result<Vec<i64>, StoreError> {
    let mut statement = db.prepare(sql)?;
    let ids = statement.query_map([], |row| row.get(0))?;
    Ok(ids.collect::<Result<_, _>>()?)
}

/// It was taken back for a reason that is not its own, so that counts as no attempt.
pub(super) fn queue_again(db: &Connection, case: CaseId) -> Result<(), StoreError> {
    let sql = "UPDATE cases SET state = ?2, attempts = attempts - 1 WHERE id = ?1 AND state = ?3";
    let [queued, running] = [CaseState::Queued, CaseState::Running].map(Code);
    db.prepare_cached(sql)?.execute(params![case.key(), queued, running])?;
    Ok(())
}

pub(super) fn suspect(db: &Connection, case: CaseId) -> Result<(), StoreError> {
    let sql = "UPDATE cases SET state = ?2, suspect = 1 WHERE id = ?1 AND state = ?3";
    let [queued, running] = [CaseState::Queued, CaseState::Running].map(Code);
    db.prepare_cached(sql)?.execute(params![case.key(), queued, running])?;
    Ok(())
}

/// Cancels what is not done of a run; `None` if it is over.
pub(super) fn cancel(
    db: &Connection,
    run: RunId,
    at: TimestampUs,
) -> Result<Option<u64>, StoreError> {
    let sql = "UPDATE runs SET state = ?2, finished_us = ?3, listed = total
               WHERE id = ?1 AND state < 3";
    if db.execute(sql, params![run.0, Code(RunState::Cancelled), at.0])? == 0 {
        return Ok(None);
    }
    let mut ended = Ended::default();
    for (kind, cases) in unfinished(db, run)? {
        ended.add_cancelled(kind, cases);
    }
    for state in [CaseState::Queued, CaseState::Running] {
        let sql = "UPDATE cases SET state = ?4, verdict = ?5
                   WHERE state < 3 AND state = ?1 AND id BETWEEN ?2 AND ?3";
        let (from, to) = (run.head().key(), run.tail().key());
        let (done, cancelled) = (Code(CaseState::Done), Code(Verdict::Cancelled));
        db.execute(sql, params![Code(state), from, to, done, cancelled])?;
    }
    ended.count(db, run)?;
    let message = format!("cancelled: {} cases were not played", ended.done());
    add_log(
        &mut Statements::new(db),
        run.head(),
        &[LogLine { at, level: LogLevel::Warning, message }],
    )?;
    Ok(Some(ended.done()))
}

/// What is not done of a run.
fn unfinished(db: &Connection, run: RunId) -> Result<Vec<(Kind, u32)>, StoreError> {
    let sql = "SELECT simulator, rules, count(*) FROM cases INDEXED BY cases_unfinished
               WHERE state < 3 AND id BETWEEN ?1 AND ?2 GROUP BY 1, 2";
    let mut statement = db.prepare(sql)?;
    let keys = [run.head().key(), run.tail().key()];
    let kinds = statement.query_map(keys, |row| Ok((Kind::read(row, 0)?, row.get(2)?)))?;
    Ok(kinds.collect::<Result<_, _>>()?)
}

/// As [`queue_again`], with all that a run has running.
pub(super) fn release(db: &Connection, run: RunId) -> Result<(), StoreError> {
    let sql = "UPDATE cases SET state = ?3, attempts = attempts - 1
               WHERE state < 3 AND state = ?4 AND id BETWEEN ?1 AND ?2";
    let [queued, running] = [CaseState::Queued, CaseState::Running].map(Code);
    db.execute(sql, params![run.head().key(), run.tail().key(), queued, running])?;
    Ok(())
}
