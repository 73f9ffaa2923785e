//! Starting runs.

use std::collections::BTreeSet;

use rusqlite::{Connection, params};

use super::{NewRun, Repeat, json, marks};
use crate::domain::{CaseState, Class, RunId, RunState, SimulatorId, Verdict};
use crate::store::codes::Code;
use crate::store::content::length;
use crate::store::{StoreError, Top};

pub(super) fn start(db: &Connection, run: &NewRun) -> Result<RunId, StoreError> {
    let sql = "INSERT INTO runs
                   (state, label, source, asked, compare, listed, list_hash, about, taken_in_us,
                    class, token, identity, put_away, written_out)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?13)";
    let dropped = run.dropped.as_ref();
    let id = RunId(db.prepare_cached(sql)?.insert(params![
        Code(RunState::TakingIn),
        run.label,
        run.source,
        run.asked,
        Code(run.compare),
        run.listed,
        run.list_hash.map(|hash| hash.0),
        run.about,
        run.at.0,
        Code(dropped.map_or(Class::High, |dropped| dropped.class)),
        dropped.and_then(|dropped| dropped.token.as_ref()),
        dropped.and_then(|dropped| dropped.identity).map(|identity| identity.0),
        dropped.is_none(),
    ])?);
    marks::run_begins(db, id, run.at)?;
    tag(db, id, &run.tags)?;
    Ok(id)
}

/// Its originals are still to be put away.
pub(super) fn keep_in_inbox(db: &Connection, run: RunId) -> Result<(), StoreError> {
    db.prepare_cached("UPDATE runs SET put_away = 0 WHERE id = ?1")?.execute([run.0])?;
    Ok(())
}

/// Sets tags; one that is there by now gets the new value.
pub(super) fn tag(
    db: &Connection,
    run: RunId,
    tags: &[(String, String)],
) -> Result<(), StoreError> {
    for (key, value) in tags {
        db.prepare_cached("INSERT OR REPLACE INTO tags VALUES (?1, ?2, ?3)")?
            .execute(params![run.0, key, value])?;
    }
    Ok(())
}

pub(super) fn repeat(db: &Connection, repeat: &Repeat) -> Result<Option<RunId>, StoreError> {
    let sql = "INSERT INTO runs (state, label, source, asked, compare, of, taken_in_us, class)
               SELECT ?2, ?3, source, ?4, ifnull(?5, compare), id, ?6, ?7 FROM runs WHERE id = ?1";
    let (of, at) = (repeat.of.0, repeat.at.0);
    let compare = repeat.compare.map(Code);
    let values = params![
        of,
        Code(RunState::Open),
        repeat.label,
        repeat.asked,
        compare,
        at,
        Code(Class::High)
    ];
    let run = RunId(db.prepare_cached(sql)?.insert(values)?);
    let cases: usize = repeat
        .verdicts
        .iter()
        .map(|verdict| copy_cases(db, run, repeat, *verdict))
        .sum::<Result<_, _>>()?;
    if cases == 0 {
        db.execute("DELETE FROM runs WHERE id = ?1", [run.0])?;
        return Ok(None);
    }
    let sql = "UPDATE runs SET total = ?2, listed = ?2, largest = ?3 WHERE id = ?1";
    db.execute(sql, params![run.0, cases, json(&largest(db, run)?)])?;
    marks::run_begins(db, run, repeat.at)?;
    marks::cases_begin(db, run, cases, &simulators(db, run)?)?;
    let sql = "INSERT INTO tags SELECT ?2, key, value FROM tags WHERE run = ?1";
    db.execute(sql, params![of, run.0])?;
    tag(db, run, &repeat.tags)?;
    Ok(Some(run))
}

/// The cases of a run with the largest inputs.
fn largest(db: &Connection, run: RunId) -> Result<Top, StoreError> {
    let sql = "SELECT c.rank, i.bytes FROM cases c CROSS JOIN contents i ON i.id = c.content
               WHERE c.id BETWEEN ?1 AND ?2 ORDER BY i.bytes DESC, c.id LIMIT ?3";
    let mut statement = db.prepare_cached(sql)?;
    let mut rows =
        statement.query(params![run.head().key(), run.tail().key(), length(Top::MOST)])?;
    let mut top = Top::default();
    while let Some(row) = rows.next()? {
        top.add(row.get(0)?, row.get(1)?);
    }
    Ok(top)
}

/// Queues the cases of the older run with a verdict.
fn copy_cases(
    db: &Connection,
    run: RunId,
    repeat: &Repeat,
    verdict: Verdict,
) -> Result<usize, StoreError> {
    let sql = "INSERT INTO cases (id, name, simulator, rules, content, compared, state, queued_us)
               SELECT (?1 << 32) | rank, name, simulator, rules, content, compared, ?2, ?3
               FROM cases WHERE id BETWEEN ?4 AND ?5 AND verdict = ?6
                   AND content IS NOT NULL AND simulator IS NOT NULL AND rules IS NOT NULL";
    let (from, to) = (repeat.of.head().key(), repeat.of.tail().key());
    let state = Code(CaseState::Queued);
    Ok(db.execute(sql, params![run.0, state, repeat.at.0, from, to, Code(verdict)])?)
}

/// The simulators of a run's cases.
fn simulators(db: &Connection, run: RunId) -> Result<BTreeSet<SimulatorId>, StoreError> {
    let sql = "SELECT DISTINCT simulator FROM cases
               WHERE id BETWEEN ?1 AND ?2 AND simulator IS NOT NULL";
    let mut statement = db.prepare_cached(sql)?;
    let (from, to) = (run.head().key(), run.tail().key());
    let found = statement.query_map([from, to], |row| Ok(row.get::<_, Code<_>>(0)?.0))?;
    Ok(found.collect::<Result<_, _>>()?)
}
