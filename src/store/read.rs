//! Reading: records page by page, each page a read of its own that ends before it is handed out.

use std::path::Path;
use std::sync::Arc;

use rusqlite::{Params, Row, params};

use super::{Output, StoreError, content, database_path, schema};
use crate::domain::{Body, CaseId, RunId};

mod backup;
mod check;
mod comparison;
mod connection;
mod counts;
mod daemon;
mod ever;
mod facts;
mod failing;
mod filter;
mod find;
mod logs;
mod named;
mod records;
mod results;
mod tally;
mod terms;
mod used;

pub use check::{CheckPart, CheckStep, Flaw, Remedy};
pub use comparison::{Changed, Comparison, Place};
pub(super) use connection::Connected;
pub use ever::EverDone;
pub use facts::{StoreFacts, StoreSize};
pub use find::Totals;
pub use logs::LogOf;
pub use records::{BytesRecord, CaseRecord, GameRecord, LogRecord, RunRecord};
pub use results::ResultRecord;
pub use tally::{Cell, CellKey, Facet, Gather, NamesOfRun, Part, RunNames, Tally};
pub use used::Used;

use records::{CASES, RUNS, case, code, coded, game, run};

/// The store, open for reading.
#[derive(Debug)]
pub struct Reader {
    db: Connected,
    database: Arc<Path>,
}

/// Which run is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunChoice {
    /// The one with this number.
    Id(RunId),
    /// The newest but this many; 0 is the newest.
    Newest(u32),
    /// The one with this label.
    Label(String),
}

/// Which case of a run is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CaseChoice {
    /// The one with this rank.
    Rank(u32),
    /// The one with this name.
    Name(Vec<u8>),
}

impl Reader {
    /// Opens the store in a state directory; `None` if there is none yet.
    ///
    /// # Errors
    /// [`StoreError`]: no permission, damaged, or of another schema.
    pub fn open(state: &Path) -> Result<Option<Self>, StoreError> {
        let path = database_path(state);
        if !super::is_there(&path)? {
            return Ok(None);
        }
        let db = schema::open_for_reading(&path)?;
        Ok(db.map(|db| Self { db, database: path.into() }))
    }

    /// Another one of the same store, for another thread.
    fn again(&self) -> Result<Self, StoreError> {
        let db = schema::open_for_reading(&self.database)?.ok_or(StoreError::Foreign)?;
        Ok(Self { db, database: Arc::clone(&self.database) })
    }

    /// Finds a run.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn run(&self, choice: &RunChoice) -> Result<Option<RunRecord>, StoreError> {
        let found = match choice {
            RunChoice::Id(id) => self.rows(&format!("{RUNS} WHERE id = ?1"), [id.0], run),
            RunChoice::Newest(skip) => {
                let sql = format!("{RUNS} ORDER BY id DESC LIMIT 1 OFFSET ?1");
                self.rows(&sql, [skip], run)
            }
            RunChoice::Label(label) => {
                let sql = format!("{RUNS} WHERE label = ?1 ORDER BY id DESC LIMIT 2");
                self.rows(&sql, [label], run)
            }
        }?;
        match <[RunRecord; 2]>::try_from(found) {
            Ok([newer, older]) => Err(StoreError::LabelTwice { newer: newer.id, older: older.id }),
            Err(found) => Ok(found.into_iter().next()),
        }
    }

    /// Finds a case of a run.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn case(&self, run: RunId, choice: &CaseChoice) -> Result<Option<CaseRecord>, StoreError> {
        let by_key = format!("{CASES} WHERE c.id = ?1");
        let found = match choice {
            CaseChoice::Rank(rank) => self.rows(&by_key, [CaseId { run, rank: *rank }.key()], case),
            CaseChoice::Name(name) => match self.named(run, name)? {
                Some(id) => self.rows(&by_key, [id.key()], case),
                None => Ok(Vec::new()),
            },
        }?;
        Ok(found.into_iter().next())
    }

    /// Up to `most` cases of a run, in rank order after `after`.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn cases_of(
        &self,
        run: RunId,
        after: u32,
        most: u32,
    ) -> Result<Vec<CaseRecord>, StoreError> {
        let sql = format!("{CASES} WHERE c.id > ?1 AND c.id <= ?2 ORDER BY c.id LIMIT ?3");
        let after = CaseId { run, rank: after };
        self.rows(&sql, params![after.key(), run.tail().key(), most], case)
    }

    /// One game of a case.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn game(&self, case: CaseId, number: u64) -> Result<Option<GameRecord>, StoreError> {
        let sql = "SELECT c.name, c.simulator, b.first, b.games
                   FROM cases c CROSS JOIN game_blocks b
                       ON b.id >= c.result << 32 AND b.id <= (c.result << 32) + min(?2, 0xffffffff)
                   WHERE c.id = ?1 ORDER BY b.id DESC LIMIT 1";
        let found = self.rows(sql, [case.key(), signed(number)], |row| game(row, case, number))?;
        Ok(found.into_iter().flatten().next())
    }

    /// The input of a case; `None` if it could not be read when it was taken in.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn input(&self, case: &CaseRecord) -> Result<Option<Body>, StoreError> {
        case.content.map(|id| content::content(&self.db, &self.database, id)).transpose()
    }

    /// The file a case was compared with, if there was one.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn compared(&self, case: &CaseRecord) -> Result<Option<Body>, StoreError> {
        case.compared.map(|id| content::content(&self.db, &self.database, id)).transpose()
    }

    /// The output of a case.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn output(&self, case: &CaseRecord) -> Result<Output, StoreError> {
        let output = |id| content::output(&self.db, &self.database, id);
        case.result.map_or(Ok(Output::Unclaimed), output)
    }

    fn rows<T>(
        &self,
        sql: &str,
        values: impl Params,
        record: impl Fn(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let mut statement = self.db.prepare_cached(sql)?;
        let mut rows = statement.query(values)?;
        let mut records = Vec::new();
        while let Some(row) = rows.next()? {
            records.push(record(row)?);
        }
        Ok(records)
    }
}

/// After every case there is.
const LAST_CASE: CaseId = RunId((1 << 31) - 1).tail();

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
