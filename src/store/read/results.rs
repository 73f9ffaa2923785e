//! Results and contents by their number, for whoever plays them again.

use rusqlite::Row;

use super::Reader;
use crate::domain::{Body, CaseError, CaseId, ContentHash, ContentId, ResultId};
use crate::store::codes::Code;
use crate::store::write::from_json;
use crate::store::{ResultKey, StoreError, content};

/// A result as it is kept.
#[derive(Debug, Clone)]
pub struct ResultRecord {
    /// What identifies it.
    pub key: ResultKey,
    /// The hash of its output, or why it claims none.
    pub given: Result<ContentHash, CaseError>,
}

impl Reader {
    /// The result that a case points to, if it has one.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn result_of(&self, case: CaseId) -> Result<Option<ResultId>, StoreError> {
        let sql = "SELECT result FROM cases WHERE id = ?1";
        let found = self.rows(sql, [case.key()], |row| Ok(row.get::<_, Option<i64>>(0)?))?;
        Ok(found.into_iter().next().flatten().map(ResultId))
    }

    /// A finished result.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn result(&self, id: ResultId) -> Result<Option<ResultRecord>, StoreError> {
        let sql = "SELECT content, simulator, rules, version, output_hash, error FROM results
                   WHERE id = ?1 AND unfinished = 0";
        Ok(self.rows(sql, [id.0], result)?.into_iter().next())
    }

    /// The hash that a content had when it was stored, and its bytes.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn content(&self, id: ContentId) -> Result<(ContentHash, Body), StoreError> {
        let sql = "SELECT hash FROM contents WHERE id = ?1";
        let hash = self.db.query_row(sql, [id.0], |row| row.get(0))?;
        Ok((ContentHash(hash), content::content(&self.db, &self.database, id)?))
    }
}

fn result(row: &Row<'_>) -> Result<ResultRecord, StoreError> {
    let error: Option<String> = row.get(5)?;
    let hash: Option<[u8; 32]> = row.get(4)?;
    Ok(ResultRecord {
        key: ResultKey {
            content: ContentId(row.get(0)?),
            simulator: row.get::<_, Code<_>>(1)?.0,
            rules: row.get::<_, Code<_>>(2)?.0,
            version: row.get(3)?,
        },
        given: match (hash, error) {
            (Some(hash), _) => Ok(ContentHash(hash)),
            (None, error) => Err(from_json(&error.unwrap_or_default())?),
        },
    })
}
