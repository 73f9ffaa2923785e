//! Handing out queued cases.

use std::path::Path;
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, params};

use super::{Claim, Claimed, Known, ResultKey, from_json};
use crate::domain::{Body, CaseId, CaseState, ContentId, ResultId, TimestampUs};
use crate::store::StoreError;
use crate::store::codes::Code;
use crate::store::content::{Output, content, output};

/// A queued case as its row has it.
struct Queued {
    id: CaseId,
    key: ResultKey,
    compared: Option<ContentId>,
    queued_at: TimestampUs,
    suspect: bool,
}

pub(super) fn claim(
    db: &Connection,
    path: &Arc<Path>,
    claim: Claim,
) -> Result<Vec<Claimed>, StoreError> {
    let mut claimed = Vec::new();
    let mut held = 0_usize;
    for case in queued(db, claim)? {
        let case = claim_case(db, path, &case, claim.fresh)?;
        held = held.saturating_add(case.bytes());
        claimed.push(case);
        if held >= claim.bytes {
            break;
        }
    }
    Ok(claimed)
}

fn queued(db: &Connection, claim: Claim) -> Result<Vec<Queued>, StoreError> {
    let sql = "SELECT id, content, simulator, rules, compared, queued_us, suspect
               FROM cases INDEXED BY cases_unfinished
               WHERE state < 3 AND state = ?1 AND id BETWEEN ?2 AND ?3 ORDER BY id LIMIT ?4";
    let mut statement = db.prepare_cached(sql)?;
    let (from, to) = (claim.run.head().key(), claim.run.tail().key());
    let values = params![Code(CaseState::Queued), from, to, claim.most];
    let rows = statement.query_map(values, |row| {
        let simulator = row.get::<_, Code<_>>(2)?.0;
        Ok(Queued {
            id: CaseId::from_key(row.get(0)?),
            key: ResultKey {
                content: ContentId(row.get(1)?),
                simulator,
                rules: row.get::<_, Code<_>>(3)?.0,
                version: (claim.version)(simulator),
            },
            compared: row.get::<_, Option<i64>>(4)?.map(ContentId),
            queued_at: TimestampUs(row.get(5)?),
            suspect: row.get(6)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn claim_case(
    db: &Connection,
    path: &Arc<Path>,
    case: &Queued,
    fresh: bool,
) -> Result<Claimed, StoreError> {
    let sql = "UPDATE cases SET state = ?2, attempts = attempts + 1 WHERE id = ?1";
    db.prepare_cached(sql)?.execute(params![case.id.key(), Code(CaseState::Running)])?;
    let known = if fresh { None } else { known(db, path, case)? };
    let input = match known {
        Some(_) => Body::Bytes(Vec::new()),
        None => content(db, path, case.key.content)?,
    };
    let same = known.as_ref().is_some_and(|known| known.same);
    let compared = case.compared.filter(|_| !same);
    Ok(Claimed {
        id: case.id,
        key: case.key,
        input,
        compared: compared.map(|id| content(db, path, id)).transpose()?,
        known,
        suspect: case.suspect,
        queued_at: case.queued_at,
    })
}

fn known(db: &Connection, path: &Arc<Path>, case: &Queued) -> Result<Option<Known>, StoreError> {
    let sql = "SELECT id, endless, error,
                   output_hash IS NOT NULL AND output_hash IS (SELECT hash FROM contents WHERE id = ?5)
               FROM results
               WHERE content = ?1 AND simulator = ?2 AND rules = ?3 AND version = ?4
                   AND unfinished = 0 AND coding < 3";
    let ResultKey { content, simulator, rules, version } = case.key;
    let compared = case.compared.map(|id| id.0);
    let values = params![content.0, Code(simulator), Code(rules), version, compared];
    let row: Option<(i64, bool, Option<String>, bool)> = db
        .prepare_cached(sql)?
        .query_row(values, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
        .optional()?;
    let Some((id, endless, error, same)) = row else { return Ok(None) };
    let result = ResultId(id);
    let error = error.map(|text| from_json(&text)).transpose()?;
    let needed = case.compared.is_some() && !same;
    let output = match needed.then(|| output(db, path, result)).transpose()? {
        Some(Output::Kept(body)) => Some(body),
        _ => None,
    };
    Ok(Some(Known { result, output, same, endless, error }))
}
