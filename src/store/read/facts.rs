//! How large the store is, from what is kept as a number: nothing is counted for it.

use serde::Serialize;

use super::records::{RUNS, run};
use super::{Reader, RunRecord};
use crate::store::{SCHEMA_VERSION, StoreError};

/// What the store is as a whole.
#[derive(Debug)]
pub struct StoreFacts {
    /// The version of its schema.
    pub schema: i64,
    /// How large it is.
    pub size: StoreSize,
    /// How many runs there are.
    pub runs: u64,
    /// How many cases.
    pub cases: u64,
    /// How many inputs and compared files, each once.
    pub contents: u64,
    /// How many results.
    pub results: u64,
    /// How many games these have.
    pub games: u64,
    /// The oldest run.
    pub oldest: Option<RunRecord>,
    /// The newest run.
    pub newest: Option<RunRecord>,
}

/// How large the store is, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct StoreSize {
    /// The database file.
    pub database_bytes: u64,
    /// The part of it that holds nothing.
    pub free_bytes: u64,
    /// What is written and not yet put into the database file.
    pub wal_bytes: u64,
}

impl StoreSize {
    /// What is in use of the database file.
    #[must_use]
    pub const fn used_bytes(self) -> u64 {
        self.database_bytes.saturating_sub(self.free_bytes)
    }
}

impl Reader {
    /// What the store is as a whole.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn facts(&self) -> Result<StoreFacts, StoreError> {
        let edge = |order| {
            let sql = format!("{RUNS} ORDER BY id {order} LIMIT 1");
            Ok::<_, StoreError>(self.rows(&sql, [], run)?.into_iter().next())
        };
        Ok(StoreFacts {
            schema: SCHEMA_VERSION,
            size: self.size()?,
            runs: self.total(1)?,
            cases: self.total(2)?,
            contents: self.total(3)?,
            results: self.total(4)?,
            games: self.number("SELECT ifnull(sum(games), 0) FROM game_counts")?,
            oldest: edge("ASC")?,
            newest: edge("DESC")?,
        })
    }

    /// How large the store is.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn size(&self) -> Result<StoreSize, StoreError> {
        let page_bytes = self.number("PRAGMA page_size")?;
        let wal = self.database.with_extension("db-wal");
        Ok(StoreSize {
            database_bytes: self.number("PRAGMA page_count")? * page_bytes,
            free_bytes: self.number("PRAGMA freelist_count")? * page_bytes,
            wal_bytes: wal.metadata().map_or(0, |metadata| metadata.len()),
        })
    }

    pub(super) fn total(&self, what: i64) -> Result<u64, StoreError> {
        let sql = "SELECT count FROM totals WHERE what = ?1";
        Ok(self.db.prepare_cached(sql)?.query_row([what], |row| row.get(0))?)
    }

    /// What a query of one number says.
    pub(super) fn number(&self, sql: &str) -> Result<u64, StoreError> {
        Ok(self.db.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
    }
}
