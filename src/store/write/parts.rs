//! Contents and results that come in parts, over several transactions.

use rusqlite::{Connection, params};

use super::finish::same_key;
use super::{ResultKey, Statements, Whole, json};
use crate::domain::{CaseError, ContentHash, ContentId, ResultId};
use crate::store::codes::Code;
use crate::store::content::{Coding, add_chunks};
use crate::store::counts::Counts;
use crate::store::finder::Finder;
use crate::store::stream::Kept;
use crate::store::{Chunk, StoreError};

pub(super) fn begin_content(
    db: &Connection,
    hash: ContentHash,
    bytes: u64,
) -> Result<ContentId, StoreError> {
    let sql = "INSERT INTO contents (hash, bytes, coding, whole) VALUES (?1, ?2, ?3, 0)";
    let values = params![hash.0, bytes, Coding::Plain];
    Ok(ContentId(db.prepare_cached(sql)?.insert(values)?))
}

#[expect(clippy::needless_pass_by_value, reason = "its memory is free once it is written")]
pub(super) fn add_content_chunk(
    db: &Connection,
    to: ContentId,
    number: i64,
    chunk: Chunk,
) -> Result<(), StoreError> {
    let chunks = std::slice::from_ref(&chunk);
    add_chunks(&mut Statements::new(db), Kept::Content(to), number, chunks)
}

pub(super) fn end_content(
    db: &Connection,
    finder: &Finder,
    id: ContentId,
) -> Result<(), StoreError> {
    let sql = "UPDATE contents SET whole = 1 WHERE id = ?1 RETURNING hash";
    let hash = ContentHash(db.prepare_cached(sql)?.query_row([id.0], |row| row.get(0))?);
    finder.add(id, hash);
    finder.keep(&mut Statements::new(db))?;
    Counts { contents: 1, ..Counts::default() }.write(db)
}

pub(super) fn drop_content(db: &Connection, id: ContentId) -> Result<(), StoreError> {
    db.execute(Kept::Content(id).delete(), [id.0])?;
    db.execute("DELETE FROM contents WHERE id = ?1 AND whole = 0", [id.0])?;
    Ok(())
}

pub(super) fn begin_result(db: &Connection, key: ResultKey) -> Result<ResultId, StoreError> {
    let sql = "SELECT ifnull(max(id), 0) + 1 FROM results";
    let id: i64 = db.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
    let sql = "INSERT INTO results
                   (id, content, simulator, rules, version, games, endless, coding, unfinished)
               VALUES (?1, ?2, ?3, ?4, ?5, 0, 0, ?6, ?1)";
    let (simulator, rules) = (Code(key.simulator), Code(key.rules));
    let values = params![id, key.content.0, simulator, rules, key.version, Coding::Plain];
    db.prepare_cached(sql)?.execute(values)?;
    Ok(ResultId(id))
}

pub(super) fn end_result(
    db: &Connection,
    id: ResultId,
    key: ResultKey,
    whole: &Whole,
) -> Result<Result<ResultId, CaseError>, StoreError> {
    if let Some(known) =
        same_key(&mut Statements::new(db), key, whole.output.map(|(hash, _)| hash))?
    {
        if let (Ok(known), Some(_)) = (&known, whole.output) {
            take_output(db, *known, id)?;
        }
        drop_result(db, id)?;
        return Ok(known);
    }
    if whole.output.is_none() {
        db.execute(Kept::Output(id).delete(), [id.0])?;
    }
    let (hash, bytes) = whole.output.map(|(hash, bytes)| (hash.0, bytes)).unzip();
    db.prepare_cached(
        "UPDATE results SET games = ?2, output_hash = ?3, output_bytes = ?4, error = ?5,
             warnings = ?6, unfinished = 0
         WHERE id = ?1",
    )?
    .execute(params![
        id.0,
        whole.games,
        hash,
        bytes,
        whole.error.as_ref().map(json),
        (!whole.warnings.is_empty()).then(|| json(&whole.warnings)),
    ])?;
    whole.counts.write(db)?;
    Counts { results: 1, ..Counts::default() }.write(db)?;
    Ok(Ok(id))
}

/// Stores the output of a result once more, as it came for another one: it may have been dropped, or be
/// damaged.
fn take_output(db: &Connection, to: ResultId, from: ResultId) -> Result<(), StoreError> {
    db.execute(Kept::Output(to).delete(), [to.0])?;
    let sql = "UPDATE output_chunks SET id = id + ((?1 - ?2) << 32)
               WHERE id >= ?2 << 32 AND id < (?2 + 1) << 32";
    db.execute(sql, [to.0, from.0])?;
    let sql = "UPDATE results SET coding = ?2, output = NULL WHERE id = ?1";
    db.execute(sql, params![to.0, Coding::Plain])?;
    Ok(())
}

pub(super) fn drop_result(db: &Connection, id: ResultId) -> Result<(), StoreError> {
    db.execute("DELETE FROM game_blocks WHERE id >= ?1 << 32 AND id < (?1 + 1) << 32", [id.0])?;
    db.execute(Kept::Output(id).delete(), [id.0])?;
    db.execute("DELETE FROM results WHERE id = ?1 AND unfinished > 0", [id.0])?;
    Ok(())
}
