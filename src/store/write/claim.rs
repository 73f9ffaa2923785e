//! Handing out queued cases.

use rusqlite::{Connection, OptionalExtension, params};

use super::{Claimed, Known, ResultKey, from_json};
use crate::domain::{CaseId, CaseState, ContentId, ResultId, RunId, SimulatorId, TimestampUs};
use crate::store::StoreError;
use crate::store::codes::Code;
use crate::store::content::{content, output};

/// A queued case as its row has it.
struct Queued {
    id: CaseId,
    key: ResultKey,
    compared: Option<ContentId>,
    queued_at: TimestampUs,
}

pub(super) fn claim(
    db: &Connection,
    run: RunId,
    most: u32,
    bytes: usize,
    version: fn(SimulatorId) -> u32,
) -> Result<Vec<Claimed>, StoreError> {
    let mut claimed = Vec::new();
    let mut held = 0;
    for case in queued(db, run, most, version)? {
        let case = claim_case(db, &case)?;
        held += case.bytes();
        claimed.push(case);
        if held >= bytes {
            break;
        }
    }
    Ok(claimed)
}

fn queued(
    db: &Connection,
    run: RunId,
    most: u32,
    version: fn(SimulatorId) -> u32,
) -> Result<Vec<Queued>, StoreError> {
    let sql = "SELECT id, content, simulator, rules, compared, queued_us
               FROM cases INDEXED BY cases_unfinished
               WHERE state < 3 AND state = ?1 AND id BETWEEN ?2 AND ?3 ORDER BY id LIMIT ?4";
    let mut statement = db.prepare_cached(sql)?;
    let values = params![Code(CaseState::Queued), run.head().key(), run.tail().key(), most];
    let rows = statement.query_map(values, |row| {
        let simulator = row.get::<_, Code<_>>(2)?.0;
        Ok(Queued {
            id: CaseId::from_key(row.get(0)?),
            key: ResultKey {
                content: ContentId(row.get(1)?),
                simulator,
                rules: row.get::<_, Code<_>>(3)?.0,
                version: version(simulator),
            },
            compared: row.get::<_, Option<i64>>(4)?.map(ContentId),
            queued_at: TimestampUs(row.get(5)?),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn claim_case(db: &Connection, case: &Queued) -> Result<Claimed, StoreError> {
    let sql = "UPDATE cases SET state = ?2, attempts = attempts + 1 WHERE id = ?1";
    db.prepare_cached(sql)?.execute(params![case.id.key(), Code(CaseState::Running)])?;
    let known = known(db, case.key)?;
    let input = if known.is_some() { Vec::new() } else { content(db, case.key.content)? };
    Ok(Claimed {
        id: case.id,
        key: case.key,
        input,
        compared: case.compared.map(|id| content(db, id)).transpose()?,
        known,
        queued_at: case.queued_at,
    })
}

fn known(db: &Connection, key: ResultKey) -> Result<Option<Known>, StoreError> {
    let sql = "SELECT id, endless, error FROM results
               WHERE content = ?1 AND simulator = ?2 AND rules = ?3 AND version = ?4";
    let values = params![key.content.0, Code(key.simulator), Code(key.rules), key.version];
    let row: Option<(i64, bool, Option<String>)> = db
        .prepare_cached(sql)?
        .query_row(values, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let Some((id, endless, error)) = row else { return Ok(None) };
    let result = ResultId(id);
    let error = error.map(|text| from_json(&text)).transpose()?;
    Ok(Some(Known { result, output: output(db, result)?, endless, error }))
}
