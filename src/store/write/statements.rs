//! Statements of a request that goes over many cases.

use rusqlite::{CachedStatement, Connection};

use crate::store::StoreError;

/// Statements that stay at hand while a request is served. The connection keeps them, too, but to find one by its
/// text and to put it back, for each case again, costs an eighth of what the writer does.
pub(in crate::store) struct Statements<'a> {
    db: &'a Connection,
    at_hand: Vec<(&'static str, CachedStatement<'a>)>,
}

impl<'a> Statements<'a> {
    pub(in crate::store) const fn new(db: &'a Connection) -> Self {
        Self { db, at_hand: Vec::new() }
    }

    /// The statement of a text, which is told by where it stands in the program.
    pub(in crate::store) fn of(
        &mut self,
        sql: &'static str,
    ) -> Result<&mut CachedStatement<'a>, StoreError> {
        let at = match self.at_hand.iter().position(|(text, _)| std::ptr::eq(*text, sql)) {
            Some(at) => at,
            None => {
                self.at_hand.push((sql, self.db.prepare_cached(sql)?));
                self.at_hand.len() - 1
            }
        };
        Ok(&mut self.at_hand[at].1)
    }

    /// The id of the row that was inserted last.
    pub(in crate::store) fn last_id(&self) -> i64 {
        self.db.last_insert_rowid()
    }
}
