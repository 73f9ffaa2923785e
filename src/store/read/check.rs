//! Whether everything in the store is what it should be.
//!
//! Each question is a read of its own, and bytes are looked at page by page, so that whoever writes meanwhile
//! can put the WAL back into the database in between. What is told is what was wrong at one moment.

mod bytes;
mod counters;

use rusqlite::{Params, Row};
use serde::Serialize;

use super::Reader;
use crate::domain::CaseId;
use crate::store::StoreError;

/// More lines of one kind say nothing new.
const FLAWS_MOST: u32 = 100;

/// What is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckPart {
    /// The file: its pages, indexes and references.
    Database,
    /// The bytes of inputs and compared files against their hashes.
    Contents,
    /// The bytes of outputs against their hashes.
    Outputs,
    /// What is kept as a number against the rows.
    Counters,
}

/// What a check tells while it goes on.
#[derive(Debug, Clone)]
pub enum CheckStep {
    /// How far it is in a part: so many of about so many.
    At(CheckPart, u64, u64),
    /// Something is wrong.
    Found(Flaw),
}

/// Something that is not what it should be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Flaw {
    /// Where.
    pub place: String,
    /// What is wrong.
    pub problem: String,
    /// What helps.
    pub remedy: Remedy,
}

/// What helps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// A backup.
    Restore,
    /// Playing this case again.
    Replay(CaseId),
    /// Nobody but us; the rows that were counted are right.
    Report,
}

/// Whoever hears of it.
type See<'a> = &'a mut dyn FnMut(CheckStep);

/// Checks one part.
type Check = fn(&Reader, See<'_>) -> Result<(), StoreError>;

impl Reader {
    /// Looks at everything and tells what is wrong.
    ///
    /// # Errors
    /// [`StoreError`]: it cannot be read for another reason than damage.
    pub fn check(&self, see: See<'_>) -> Result<(), StoreError> {
        let parts: [Check; 4] =
            [Self::check_database, Self::check_contents, Self::check_outputs, Self::check_counters];
        for part in parts {
            match part(self, see) {
                // Damage that stops one part leaves the others to be looked at.
                Err(StoreError::Damaged(problem)) => {
                    see(CheckStep::Found(Flaw::new(
                        "store.db".to_owned(),
                        problem,
                        Remedy::Restore,
                    )));
                }
                ended => ended?,
            }
        }
        Ok(())
    }

    fn check_database(&self, see: See<'_>) -> Result<(), StoreError> {
        see(CheckStep::At(CheckPart::Database, 0, 0));
        let sql = format!("PRAGMA integrity_check({FLAWS_MOST})");
        let said = self.walk_all(&sql, [], |row| row.get::<_, String>(0))?;
        for problem in said.into_iter().filter(|said| said != "ok") {
            see(CheckStep::Found(Flaw::new("store.db".to_owned(), problem, Remedy::Restore)));
        }
        let sql = "SELECT \"table\", rowid, parent FROM pragma_foreign_key_check LIMIT ?1";
        let astray = self.walk_all(sql, [FLAWS_MOST], |row| {
            let (table, row_id): (String, Option<i64>) = (row.get(0)?, row.get(1)?);
            let place = row_id.map_or_else(|| table.clone(), |id| format!("row {id} of {table}"));
            let problem = format!("names a row of {} that is not there", row.get::<_, String>(2)?);
            Ok(Flaw::new(place, problem, Remedy::Restore))
        })?;
        astray.into_iter().for_each(|flaw| see(CheckStep::Found(flaw)));
        Ok(())
    }

    /// The rows of a statement that looks at all there is, as only a check does.
    fn walk_all<T>(
        &self,
        sql: &str,
        values: impl Params,
        record: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let mut statement = self.db.prepare(sql)?;
        let rows = statement.query_map(values, record)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

impl Flaw {
    const fn new(place: String, problem: String, remedy: Remedy) -> Self {
        Self { place, problem, remedy }
    }
}

impl Serialize for Remedy {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl std::fmt::Display for Remedy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Restore => f.write_str("restore a backup"),
            Self::Replay(case) => {
                write!(f, "case {case} has it; played again with `simdrop rerun {} ", case.run)?;
                f.write_str("--verdict VERDICT --fresh` it is stored anew")
            }
            Self::Report => f.write_str("a bug of simdrop, please report it; verdicts are right"),
        }
    }
}
