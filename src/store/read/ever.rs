//! What was counted since the store was made, and what waits: the numbers for monitoring.

use super::Reader;
use crate::domain::{Class, SimulatorId, TimestampUs, Verdict};
use crate::store::StoreError;
use crate::store::codes::Code;

/// How many cases of a simulator came to a verdict since the store was made, with those that were removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EverDone {
    /// The simulator, if it is known.
    pub simulator: Option<SimulatorId>,
    /// The verdict.
    pub verdict: Verdict,
    /// How many cases.
    pub cases: u64,
    /// How many of them were answered from the store.
    pub cached: u64,
}

impl Reader {
    /// How many cases of each simulator ever came to each verdict.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn ever_done(&self) -> Result<Vec<EverDone>, StoreError> {
        let sql = "SELECT nullif(simulator, 0), verdict, sum(cases + removed),
                       sum(cached + removed_cached)
                   FROM case_counts GROUP BY simulator, verdict";
        self.rows(sql, [], |row| {
            Ok(EverDone {
                simulator: row.get::<_, Option<Code<_>>>(0)?.map(|Code(simulator)| simulator),
                verdict: row.get::<_, Code<_>>(1)?.0,
                cases: row.get(2)?,
                cached: row.get(3)?,
            })
        })
    }

    /// When the oldest run of each class was taken in that is not over.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn oldest_unfinished(&self) -> Result<Vec<(Class, TimestampUs)>, StoreError> {
        let sql = "SELECT class, min(taken_in_us) FROM runs WHERE state < 3 GROUP BY class";
        self.rows(sql, [], |row| Ok((row.get::<_, Code<_>>(0)?.0, TimestampUs(row.get(1)?))))
    }
}
