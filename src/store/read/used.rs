//! What cases use, and how much room the rest takes.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use rusqlite::params;

use super::Reader;
use crate::domain::{CaseId, CaseState, RunId, TimestampUs};
use crate::store::codes::Code;
use crate::store::{StoreError, Sweep};

/// How many cases are looked at in one read.
const PAGE: u32 = 20_000;

/// No range of unused ids is longer, so that whoever looks at one is done soon.
const RANGE: i64 = 10_000;

/// The row of a case takes about so much room, in bytes, with its log.
const CASE_BYTES: u64 = 150;

/// The room of contents, and of results with games of some 70 bytes.
const CONTENT_ROOM: [&str; 2] = [
    "SELECT ifnull(sum(length(data)), 0) FROM contents WHERE id BETWEEN ?1 AND ?2",
    "SELECT ifnull(sum(length(data)), 0) FROM content_chunks
     WHERE id >= ?1 << 32 AND id < (?2 + 1) << 32",
];
const RESULT_ROOM: [&str; 2] = [
    "SELECT ifnull(sum(ifnull(length(output), 0) + 70 * games), 0) FROM results
     WHERE id BETWEEN ?1 AND ?2",
    "SELECT ifnull(sum(length(data)), 0) FROM output_chunks
     WHERE id >= ?1 << 32 AND id < (?2 + 1) << 32",
];

/// The contents and results that some cases use.
#[derive(Debug)]
pub struct Used {
    contents: Bits,
    results: Bits,
}

impl Used {
    /// None yet, of those that a sweep is about.
    #[must_use]
    pub fn new(sweep: Sweep) -> Self {
        Self { contents: Bits::new(sweep.last_content), results: Bits::new(sweep.last_result) }
    }

    /// The ids of the other contents.
    pub fn unused_contents(&self) -> impl Iterator<Item = RangeInclusive<i64>> {
        self.contents.gaps()
    }

    /// The ids of the other results.
    pub fn unused_results(&self) -> impl Iterator<Item = RangeInclusive<i64>> {
        self.results.gaps()
    }
}

impl Reader {
    /// Adds what the next cases after one use, but for those of some runs. The answer is the last one that was
    /// looked at, `None` at the end.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn add_used(
        &self,
        used: &mut Used,
        after: CaseId,
        except: &HashSet<RunId>,
    ) -> Result<Option<CaseId>, StoreError> {
        let sql = "SELECT id, content, compared, result, state FROM cases WHERE id > ?1
                   ORDER BY id LIMIT ?2";
        let mut statement = self.db.prepare_cached(sql)?;
        let mut rows = statement.query(params![after.key(), PAGE])?;
        let (mut last, mut unfinished) = (None, Vec::new());
        while let Some(row) = rows.next()? {
            let id = CaseId::from_key(row.get(0)?);
            last = Some(id);
            if except.contains(&id.run) {
                continue;
            }
            let content: Option<i64> = row.get(1)?;
            used.contents.set(content);
            used.contents.set(row.get(2)?);
            used.results.set(row.get(3)?);
            if row.get::<_, Code<CaseState>>(4)?.0 != CaseState::Done {
                unfinished.extend(content);
            }
        }
        drop(rows);
        // It may be about to be answered by any result of its input.
        for content in unfinished {
            let results =
                self.rows("SELECT id FROM results WHERE content = ?1", [content], |row| {
                    Ok(row.get::<_, i64>(0)?)
                })?;
            results.into_iter().for_each(|id| used.results.set(Some(id)));
        }
        Ok(last)
    }

    /// What a sweep would be about that began now.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn sweep(&self) -> Result<Sweep, StoreError> {
        let last = |sql| Ok::<_, StoreError>(self.db.query_row(sql, [], |row| row.get(0))?);
        Ok(Sweep {
            last_content: last("SELECT ifnull(max(id), 0) FROM contents")?,
            last_result: last("SELECT ifnull(max(id), 0) FROM results")?,
        })
    }

    /// How much room everything takes that is not used, and so many cases; about, in bytes.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn room_of_unused(&self, used: &Used, cases: u64) -> Result<u64, StoreError> {
        let mut bytes = cases * CASE_BYTES;
        for range in used.unused_contents() {
            bytes += self.room(&CONTENT_ROOM, &range)?;
        }
        for range in used.unused_results() {
            bytes += self.room(&RESULT_ROOM, &range)?;
        }
        Ok(bytes)
    }

    fn room(&self, sums: &[&str], ids: &RangeInclusive<i64>) -> Result<u64, StoreError> {
        let one = |sql| {
            let mut statement = self.db.prepare_cached(sql)?;
            statement.query_row([ids.start(), ids.end()], |row| row.get::<_, u64>(0))
        };
        Ok(sums.iter().map(|sql| one(sql)).sum::<Result<u64, rusqlite::Error>>()?)
    }

    /// The runs that are marked to be removed, oldest first.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn runs_to_remove(&self) -> Result<Vec<RunId>, StoreError> {
        let sql = "SELECT id FROM runs WHERE removing = 1 ORDER BY id";
        self.rows(sql, [], |row| Ok(RunId(row.get(0)?)))
    }

    /// The oldest runs that may be removed, taken in before a moment if one is given; at most so many.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn removable(
        &self,
        before: Option<TimestampUs>,
        most: u64,
    ) -> Result<Vec<RunId>, StoreError> {
        let sql = "SELECT id FROM runs WHERE taken_in_us < ?1 AND state >= 3 AND put_away = 1
                       AND written_out = 1 AND removing = 0 ORDER BY id LIMIT ?2";
        let before = before.map_or(i64::MAX, |at| at.0);
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        self.rows(sql, [before, most], |row| Ok(RunId(row.get(0)?)))
    }

    /// The oldest run that was taken in at a moment or later, or that is not over.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn oldest_since(&self, at: TimestampUs) -> Result<Option<RunId>, StoreError> {
        let sql = "SELECT id FROM runs WHERE taken_in_us >= ?1 OR state < 3 OR written_out = 0
                   ORDER BY id LIMIT 1";
        Ok(self.rows(sql, [at.0], |row| Ok(RunId(row.get(0)?)))?.into_iter().next())
    }
}

/// A bit for each id from 1 to the last one.
#[derive(Debug)]
struct Bits {
    words: Vec<u64>,
    last: i64,
}

impl Bits {
    fn new(last: i64) -> Self {
        let words = usize::try_from(last / 64 + 1).unwrap_or(0);
        Self { words: vec![0; words], last }
    }

    fn set(&mut self, id: Option<i64>) {
        let word = id.and_then(|id| Some((usize::try_from(id).ok()? / 64, id % 64)));
        if let Some((at, bit)) = word
            && let Some(word) = self.words.get_mut(at)
        {
            *word |= 1 << bit;
        }
    }

    fn has(&self, id: i64) -> bool {
        let word = usize::try_from(id / 64).ok().and_then(|at| self.words.get(at));
        word.is_some_and(|word| word >> (id % 64) & 1 == 1)
    }

    /// The first id from one on that is set, or that is not.
    fn next(&self, from: i64, set: bool) -> i64 {
        let whole = if set { 0 } else { u64::MAX };
        let mut id = from;
        while id <= self.last && self.has(id) != set {
            let word = usize::try_from(id / 64).ok().and_then(|at| self.words.get(at));
            id += if id % 64 == 0 && word == Some(&whole) { 64 } else { 1 };
        }
        id
    }

    fn gaps(&self) -> impl Iterator<Item = RangeInclusive<i64>> {
        let mut from = 1;
        std::iter::from_fn(move || {
            let start = self.next(from, false);
            if start > self.last {
                return None;
            }
            from = self.next(start, true).min(start + RANGE);
            Some(start..=(from - 1).min(self.last))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Bits;

    #[test]
    fn gaps_are_the_ids_that_are_not_set() {
        let gaps = |last: i64, set: &[i64]| {
            let mut bits = Bits::new(last);
            set.iter().for_each(|&id| bits.set(Some(id)));
            bits.gaps().map(|range| (*range.start(), *range.end())).collect::<Vec<_>>()
        };
        assert_eq!(gaps(0, &[]), []);
        assert_eq!(gaps(1, &[1]), []);
        assert_eq!(gaps(1, &[]), [(1, 1)]);
        assert_eq!(gaps(300, &[1, 2, 5, 128, 300, 400]), [(3, 4), (6, 127), (129, 299)]);
        assert_eq!(gaps(64, &[]), [(1, 64)]);
        let all: Vec<i64> = (1..=200).collect();
        assert_eq!(gaps(200, &all), []);
        assert_eq!(gaps(201, &all), [(201, 201)]);
    }
}
