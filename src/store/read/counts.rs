//! Whether the counters over the whole store are what the rows say.

use rusqlite::{OptionalExtension, params};

use super::Reader;
use crate::store::StoreError;
use crate::store::counts::Counts;

/// How many rows are counted in one read.
const PAGE: i64 = 16_384;

/// A table that is walked by its key.
struct Walked {
    /// The key of the last row of a page.
    last: &'static str,
    add: fn(&mut Counts, &rusqlite::Connection, [i64; 2], i64) -> Result<(), StoreError>,
}

const CASES: Walked = Walked {
    last: "SELECT id FROM cases WHERE id > ?1 ORDER BY id LIMIT 1 OFFSET ?2",
    add: Counts::add_case_rows,
};
const RESULTS: Walked = Walked {
    last: "SELECT id FROM results WHERE id > ?1 ORDER BY id LIMIT 1 OFFSET ?2",
    add: Counts::add_result_rows,
};

impl Reader {
    /// The tables of counters over the whole store that differ from what the rows say. Counts all cases and
    /// games, page by page, and calls `counted` after each. If somebody writes meanwhile, what was counted
    /// is not what the counters say: then ask again.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn miscounted(&self, mut counted: impl FnMut()) -> Result<Vec<&'static str>, StoreError> {
        let mut counts = Counts::default();
        for walked in [CASES, RESULTS] {
            let mut after = 0;
            while let Some(last) = self.end_of_page(&walked, after)? {
                (walked.add)(&mut counts, &self.db, [after + 1, last], 1)?;
                after = last;
                counted();
            }
            (walked.add)(&mut counts, &self.db, [after + 1, i64::MAX], 1)?;
        }
        Ok(counts.differences(&Counts::stored(&self.db)?))
    }

    /// The last row of a full page.
    fn end_of_page(&self, walked: &Walked, after: i64) -> Result<Option<i64>, StoreError> {
        let mut statement = self.db.prepare_cached(walked.last)?;
        Ok(statement.query_row(params![after, PAGE - 1], |row| row.get(0)).optional()?)
    }
}
