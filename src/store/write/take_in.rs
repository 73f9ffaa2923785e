//! Adding cases to a run, and ending its list.

use rusqlite::{Connection, params};

use super::{Bytes, Ended, LogLine, NewCase, Statements, Taken, add_log, json, marks};
use crate::domain::{CaseId, CaseState, LogLevel, RunId, RunState, TimestampUs};
use crate::store::StoreError;
use crate::store::codes::Code;
use crate::store::content::{intern, length};
use crate::store::counts::{Counts, Kind};
use crate::store::finder::Finder;

pub(super) fn add_cases(
    db: &Connection,
    finder: &Finder,
    run: RunId,
    before: u64,
    cases: &[NewCase],
    at: TimestampUs,
) -> Result<u64, StoreError> {
    let sql = "UPDATE runs SET total = total + ?2 WHERE id = ?1 AND total = ?3";
    let added = db.prepare_cached(sql)?.execute(params![run.0, length(cases.len()), before])?;
    if added == 0 {
        return Err(StoreError::OutOfOrder(run));
    }
    let mut ended = Ended::default();
    let mut statements = Statements::new(db);
    for case in cases {
        add_case(&mut statements, finder, run, case, at, &mut ended.counts)?;
        if let Some(input) = case.taken.input() {
            ended.largest.add(case.rank, bytes(db, input)?);
        }
        if let (Taken::Refused { simulator, error, .. }, Some(verdict)) =
            (&case.taken, case.taken.verdict())
        {
            ended.add(Kind::new(*simulator, None), verdict, false);
            let message = format!("{verdict}: {error}");
            let line = LogLine { at, level: LogLevel::Error, message };
            add_log(&mut statements, CaseId { run, rank: case.rank }, &[line])?;
        }
    }
    finder.keep(&mut statements)?;
    ended.count(db, run)?;
    let simulators = cases.iter().filter_map(|case| case.taken.simulator()).collect();
    marks::cases_begin(db, run, cases.len(), &simulators)?;
    Ok(cases.len() as u64 - ended.done())
}

fn add_case(
    db: &mut Statements<'_>,
    finder: &Finder,
    run: RunId,
    case: &NewCase,
    at: TimestampUs,
    counts: &mut Counts,
) -> Result<(), StoreError> {
    let (simulator, rules, input, error) = match &case.taken {
        Taken::Queued { simulator, rules, input } => {
            (Some(Code(*simulator)), Some(Code(*rules)), Some(input), None)
        }
        Taken::Refused { simulator, input, error } => {
            (simulator.map(Code), None, input.as_ref(), Some(error))
        }
    };
    let mut keep = |bytes: &Bytes| match bytes {
        Bytes::Packed(packed) => intern(db, finder, packed, counts),
        Bytes::Kept(held) => Ok(held.id()),
    };
    let content = input.map(&mut keep).transpose()?.map(|id| id.0);
    let compared = case.compared.as_ref().map(&mut keep).transpose()?.map(|id| id.0);
    let state = Code(if error.is_some() { CaseState::Done } else { CaseState::Queued });
    let verdict = case.taken.verdict().map(Code);
    db.of("INSERT INTO cases
             (id, name, simulator, rules, content, compared, state, verdict, queued_us, error)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")?
        .execute(params![
            CaseId { run, rank: case.rank }.key(),
            case.name,
            simulator,
            rules,
            content,
            compared,
            state,
            verdict,
            at.0,
            error.map(json),
        ])?;
    Ok(())
}

/// How many there are.
fn bytes(db: &Connection, of: &Bytes) -> Result<i64, StoreError> {
    match of {
        Bytes::Packed(packed) => Ok(length(packed.bytes())),
        Bytes::Kept(held) => {
            let sql = "SELECT bytes FROM contents WHERE id = ?1";
            Ok(db.prepare_cached(sql)?.query_row([held.id().0], |row| row.get(0))?)
        }
    }
}

pub(super) fn end_list(db: &Connection, run: RunId, at: TimestampUs) -> Result<(), StoreError> {
    let sql = "UPDATE runs SET state = CASE total WHEN 0 THEN ?3 ELSE ?4 END,
                   finished_us = CASE total WHEN 0 THEN ?5 END, listed = total
               WHERE id = ?1 AND state = ?2";
    let [from, empty, open] = [RunState::TakingIn, RunState::Rejected, RunState::Open].map(Code);
    db.prepare_cached(sql)?.execute(params![run.0, from, empty, open, at.0])?;
    end_run(db, run, at)?;
    Ok(())
}

/// An open run whose cases are all done is done; whether that is so now.
pub(super) fn end_run(db: &Connection, run: RunId, at: TimestampUs) -> Result<bool, StoreError> {
    let sql = "UPDATE runs SET state = ?2, finished_us = ?3
               WHERE id = ?1 AND state = ?4 AND done = total";
    let [done, open] = [RunState::Done, RunState::Open].map(Code);
    Ok(db.prepare_cached(sql)?.execute(params![run.0, done, at.0, open])? > 0)
}
