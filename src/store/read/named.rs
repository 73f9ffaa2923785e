//! Finding a case by its name, without an index of names.

use std::cmp::Ordering;

use rusqlite::{Row, params};

use super::Reader;
use crate::domain::{CaseId, RunId, natural};
use crate::store::StoreError;

impl Reader {
    /// The case of a run with a name. Cases stand in natural order of their names, so it is looked for by
    /// halves, and by a walk only where the order does not lead to it.
    pub(super) fn named(&self, run: RunId, name: &[u8]) -> Result<Option<CaseId>, StoreError> {
        let last = "SELECT id, name FROM cases WHERE id > ?1 AND id <= ?2 ORDER BY id DESC LIMIT 1";
        let Some((last, _)) = self.first(last, run.head(), run.tail())? else { return Ok(None) };
        let (mut low, mut high) = (run.head(), last);
        let next = "SELECT id, name FROM cases WHERE id > ?1 AND id <= ?2 ORDER BY id LIMIT 1";
        while low < high {
            let middle = CaseId { run, rank: low.rank.midpoint(high.rank) };
            let found = self.first(next, middle, high)?;
            match found.map(|(id, other)| (id, natural(&other, name))) {
                Some((id, Ordering::Equal)) => return Ok(Some(id)),
                Some((id, Ordering::Less)) => low = id,
                Some((_, Ordering::Greater)) | None => high = middle,
            }
        }
        let walk = "SELECT id FROM cases WHERE id > ?1 AND id <= ?2 AND name = ?3 LIMIT 1";
        let id = |row: &Row<'_>| Ok(CaseId::from_key(row.get(0)?));
        let found = self.rows(walk, params![run.head().key(), run.tail().key(), name], id)?;
        Ok(found.into_iter().next())
    }

    /// The one case and its name that a statement finds between two places.
    fn first(
        &self,
        sql: &str,
        after: CaseId,
        upto: CaseId,
    ) -> Result<Option<(CaseId, Vec<u8>)>, StoreError> {
        let case = |row: &Row<'_>| Ok((CaseId::from_key(row.get(0)?), row.get(1)?));
        let found = self.rows(sql, params![after.key(), upto.key()], case)?;
        Ok(found.into_iter().next())
    }
}
