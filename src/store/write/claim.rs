//! Handing out queued cases.

use std::path::Path;
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{Claim, Claimed, Known, ResultKey, Statements, from_json};
use crate::domain::{Body, CaseId, CaseState, ContentId, ResultId, TimestampUs};
use crate::store::StoreError;
use crate::store::codes::Code;
use crate::store::content::{Output, body, content, output};
use crate::store::stream::Kept;

pub(super) fn claim(
    db: &Connection,
    path: &Arc<Path>,
    claim: Claim,
) -> Result<Vec<Claimed>, StoreError> {
    let claimed = queued(db, path, claim)?;
    if let (Some(first), Some(last)) = (claimed.first(), claimed.last()) {
        // All of these are among the claimed, as nothing queued was left out.
        let sql = "UPDATE cases INDEXED BY cases_unfinished
                   SET state = ?2, attempts = attempts + 1
                   WHERE state < 3 AND state = ?1 AND id BETWEEN ?3 AND ?4";
        let [from, to] = [CaseState::Queued, CaseState::Running].map(Code);
        db.prepare_cached(sql)?.execute(params![from, to, first.id.key(), last.id.key()])?;
    }
    Ok(claimed)
}

/// The first queued cases of a run, until they are enough.
fn queued(db: &Connection, path: &Arc<Path>, claim: Claim) -> Result<Vec<Claimed>, StoreError> {
    let sql = "SELECT c.id, c.content, c.simulator, c.rules, c.compared, c.queued_us, c.suspect,
                   i.bytes, i.coding, i.data
               FROM cases c INDEXED BY cases_unfinished LEFT JOIN contents i ON i.id = c.content
               WHERE c.state < 3 AND c.state = ?1 AND c.id BETWEEN ?2 AND ?3
               ORDER BY c.id LIMIT ?4";
    let (from, to) = (claim.run.head().key(), claim.run.tail().key());
    let mut statement = db.prepare_cached(sql)?;
    let mut rows = statement.query(params![Code(CaseState::Queued), from, to, claim.most])?;
    let mut statements = Statements::new(db);
    let (mut claimed, mut held) = (Vec::new(), 0_usize);
    while let Some(row) = rows.next()? {
        let case = claimed_of(row, db, &mut statements, path, claim)?;
        held = held.saturating_add(case.bytes());
        claimed.push(case);
        if held >= claim.bytes {
            break;
        }
    }
    Ok(claimed)
}

/// A queued case as its row has it, with what it is played and compared with.
fn claimed_of(
    row: &Row<'_>,
    db: &Connection,
    statements: &mut Statements<'_>,
    path: &Arc<Path>,
    claim: Claim,
) -> Result<Claimed, StoreError> {
    let content = ContentId(row.get(1)?);
    let simulator = row.get::<_, Code<_>>(2)?.0;
    let (rules, version) = (row.get::<_, Code<_>>(3)?.0, (claim.version)(simulator));
    let key = ResultKey { content, simulator, rules, version };
    let compared = row.get::<_, Option<i64>>(4)?.map(ContentId);
    let id = CaseId::from_key(row.get(0)?);
    let known = if claim.fresh { None } else { known(db, statements, path, key, compared)? };
    let input = match (&known, row.get::<_, Option<u64>>(7)?) {
        (Some(_), _) => Body::Bytes(Vec::new()),
        (None, Some(bytes)) => {
            body(path, Kept::Content(content), (bytes, row.get(8)?, row.get(9)?))?
        }
        (None, None) => {
            return Err(StoreError::Damaged(format!("the input of case {id} is missing")));
        }
    };
    let same = known.as_ref().is_some_and(|known| known.same);
    let compared = compared.filter(|_| !same).map(|id| self::content(db, path, id)).transpose()?;
    Ok(Claimed {
        id,
        key,
        input,
        compared,
        known,
        suspect: row.get(6)?,
        queued_at: TimestampUs(row.get(5)?),
    })
}

/// The result that a case with this key has already, if it has one.
fn known(
    db: &Connection,
    statements: &mut Statements<'_>,
    path: &Arc<Path>,
    key: ResultKey,
    compared: Option<ContentId>,
) -> Result<Option<Known>, StoreError> {
    let sql = "SELECT id, endless, error,
                   output_hash IS NOT NULL AND output_hash IS (SELECT hash FROM contents WHERE id = ?5)
               FROM results
               WHERE content = ?1 AND simulator = ?2 AND rules = ?3 AND version = ?4
                   AND unfinished = 0 AND coding < 3";
    let ResultKey { content, simulator, rules, version } = key;
    let hash_of = compared.map(|id| id.0);
    let values = params![content.0, Code(simulator), Code(rules), version, hash_of];
    let row: Option<(i64, bool, Option<String>, bool)> = statements
        .of(sql)?
        .query_row(values, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
        .optional()?;
    let Some((id, endless, error, same)) = row else { return Ok(None) };
    let result = ResultId(id);
    let error = error.map(|text| from_json(&text)).transpose()?;
    let needed = compared.is_some() && !same;
    let output = match needed.then(|| output(db, path, result)).transpose()? {
        Some(Output::Kept(body)) => Some(body),
        _ => None,
    };
    Ok(Some(Known { result, output, same, endless, error }))
}
