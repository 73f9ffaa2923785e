//! Logs, page by page: as they stand, and as they grow.

use rusqlite::{Row, params};

use super::{LogRecord, Reader, code};
use crate::domain::{CaseId, RunId, TimestampUs};
use crate::store::StoreError;

/// Whose log: those of the cases from the first to the last one; a run's own place is before its cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogOf {
    first: CaseId,
    last: CaseId,
}

impl From<RunId> for LogOf {
    /// The log of a run and of all its cases.
    fn from(run: RunId) -> Self {
        Self { first: run.head(), last: run.tail() }
    }
}

impl From<CaseId> for LogOf {
    /// The log of a case; at [`RunId::head`] that of a run without its cases.
    fn from(case: CaseId) -> Self {
        Self { first: case, last: case }
    }
}

impl Reader {
    /// Up to `most` lines of a log, case by case, after line `after`.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn log(
        &self,
        of: LogOf,
        after: Option<&LogRecord>,
        most: u32,
    ) -> Result<Vec<LogRecord>, StoreError> {
        let (case, number) = after.map_or((of.first, 0), |line| (line.case, line.number));
        let sql = format!("{LINES} WHERE id = ?1 AND number > ?2 ORDER BY number LIMIT ?3");
        let mut lines = self.rows(&sql, params![case.key(), number, most], line)?;
        let left = most.saturating_sub(u32::try_from(lines.len()).unwrap_or(u32::MAX));
        if left > 0 {
            let sql = format!("{LINES} WHERE id > ?1 AND id <= ?2 ORDER BY id, number LIMIT ?3");
            let values = params![case.key(), of.last.key(), left];
            lines.append(&mut self.rows(&sql, values, line)?);
        }
        Ok(lines)
    }

    /// Up to `most` lines of a log in the order in which they were added: those after line `after` up to
    /// line `upto`.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn log_between(
        &self,
        of: LogOf,
        after: i64,
        upto: i64,
        most: u32,
    ) -> Result<Vec<LogRecord>, StoreError> {
        // By number: what came since the last look is little, a run's log may be long.
        let sql = format!(
            "{LINES} WHERE number > ?1 AND number <= ?2 AND +id BETWEEN ?3 AND ?4
             ORDER BY number LIMIT ?5"
        );
        self.rows(&sql, params![after, upto, of.first.key(), of.last.key(), most], line)
    }

    /// The number of the last line of all logs, 0 if there is none.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn last_log_line(&self) -> Result<i64, StoreError> {
        let sql = "SELECT ifnull(max(number), 0) FROM logs";
        Ok(self.db.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
    }
}

const LINES: &str = "SELECT id, number, at_us, level, message FROM logs";

fn line(row: &Row<'_>) -> Result<LogRecord, StoreError> {
    Ok(LogRecord {
        case: CaseId::from_key(row.get(0)?),
        number: row.get(1)?,
        at: TimestampUs(row.get(2)?),
        level: code(row, 3)?,
        message: row.get(4)?,
    })
}
