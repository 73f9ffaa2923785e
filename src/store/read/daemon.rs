//! What a daemon and those who talk to it look up.

use rusqlite::{OptionalExtension, Row};

use super::Reader;
use super::records::{RUNS, RunRecord, run};
use crate::domain::{ContentHash, RunId, TimestampUs};
use crate::store::{Beat, StoreError};

impl Reader {
    /// The newest run whose files have this identity and are not known to be put away.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn run_by_identity(&self, identity: ContentHash) -> Result<Option<RunRecord>, StoreError> {
        let sql = format!("{RUNS} WHERE identity = ?1 AND put_away = 0 ORDER BY id DESC LIMIT 1");
        Ok(self.rows(&sql, [identity.0], run)?.into_iter().next())
    }

    /// The run that somebody waits for.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn run_by_token(&self, token: &str) -> Result<Option<RunRecord>, StoreError> {
        let sql = format!("{RUNS} WHERE token = ?1 ORDER BY id DESC LIMIT 1");
        Ok(self.rows(&sql, [token], run)?.into_iter().next())
    }

    /// The runs that are not over, oldest first.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn unfinished_runs(&self) -> Result<Vec<RunRecord>, StoreError> {
        self.rows(&format!("{RUNS} WHERE state < 3 ORDER BY id"), [], run)
    }

    /// The runs whose originals are still to be put away, oldest first.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn runs_to_put_away(&self) -> Result<Vec<RunRecord>, StoreError> {
        self.rows(&format!("{RUNS} WHERE put_away = 0 ORDER BY id"), [], run)
    }

    /// The newest runs that were dropped, oldest first, with the paths they came from.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn newest_drops(&self, most: u32) -> Result<Vec<(RunId, Vec<u8>)>, StoreError> {
        let sql = "SELECT id, source FROM (SELECT id, source FROM runs WHERE identity IS NOT NULL
                   ORDER BY id DESC LIMIT ?1) ORDER BY id";
        self.rows(sql, [most], |row| Ok((RunId(row.get(0)?), row.get(1)?)))
    }

    /// The runs that are over and whose outputs are still to be written out, oldest first.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn runs_to_write_out(&self) -> Result<Vec<RunId>, StoreError> {
        let sql = "SELECT id FROM runs WHERE written_out = 0 AND state >= 3 ORDER BY id";
        self.rows(sql, [], |row| Ok(RunId(row.get(0)?)))
    }

    /// What the process that holds the store, or held it last, said of itself.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn beat(&self) -> Result<Option<Beat>, StoreError> {
        let sql = "SELECT pid, beat_us, paused, body FROM daemon";
        let beats = self.rows(sql, [], |row| {
            Ok(Beat {
                pid: row.get(0)?,
                at: TimestampUs(row.get(1)?),
                paused: row.get(2)?,
                body: row.get(3)?,
            })
        })?;
        Ok(beats.into_iter().next())
    }

    /// The answer to a request, or why it was refused; `None` while there is none.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn answer(&self, token: &str) -> Result<Option<Result<String, String>>, StoreError> {
        let sql = "SELECT state, answer FROM requests WHERE token = ?1";
        let columns = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get(1)?));
        let found = self.db.query_row(sql, [token], columns).optional()?;
        Ok(found.map(|(state, answer)| if state == 2 { Ok(answer) } else { Err(answer) }))
    }
}
