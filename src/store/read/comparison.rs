//! Two runs side by side: which cases are the same one, and what became of each.
//!
//! The cases are paired in temporary tables of a connection of their own, so that two runs of any size
//! take little memory. The store is read page by page, and no read is open in between.

use rusqlite::{Row, params};

use super::{CaseChoice, CaseRecord, Reader, coded};
use crate::domain::{CaseId, Change, RunId};
use crate::store::{StoreError, schema};

/// How many cases are read at a time.
const PAGE: u32 = 4_096;

/// What has to be equal for two cases to be the same one; each only pairs what those before it left. Of
/// several cases that are equal, the first of A is the first of B, and so on.
const PASSES: [&str; 4] = ["content, kind, name", "content, kind", "content", "name"];

const TABLES: &str = "
    PRAGMA temp_store = FILE;
    CREATE TEMP TABLE a
        (rank INTEGER PRIMARY KEY, content INTEGER, kind INTEGER NOT NULL, name BLOB NOT NULL);
    CREATE TEMP TABLE b
        (rank INTEGER PRIMARY KEY, content INTEGER, kind INTEGER NOT NULL, name BLOB NOT NULL);
    CREATE TEMP TABLE pairs (a INTEGER PRIMARY KEY, b INTEGER NOT NULL UNIQUE);
    CREATE TEMP TABLE changes
        (change INTEGER NOT NULL, a INTEGER NOT NULL, b INTEGER NOT NULL,
         PRIMARY KEY (change, a, b)) WITHOUT ROWID;";

/// What became of the cases of a run, A, in another one, B.
#[derive(Debug)]
pub struct Comparison {
    reader: Reader,
    runs: [RunId; 2],
    same: u64,
    counts: [u64; Change::ALL.len()],
}

/// A case that changed.
#[derive(Debug)]
pub struct Changed {
    /// What became of it.
    pub change: Change,
    /// The case of A; `None` if only B has it, or if it has been removed meanwhile.
    pub a: Option<CaseRecord>,
    /// The case of B; likewise.
    pub b: Option<CaseRecord>,
    /// Where it stands among those that changed so.
    pub place: Place,
}

/// Where a case stands among those that changed alike: its ranks in A and in B, 0 where it is missing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Place {
    a: u32,
    b: u32,
}

/// Two cases that are the same one.
struct Pair {
    place: Place,
    change: Option<Change>,
}

impl Reader {
    /// Compares two runs: pairs their cases by input, simulator and rules, then by name, and says what
    /// became of each.
    ///
    /// # Errors
    /// [`StoreError`]; also that there is no room for temporary files.
    pub fn compare(&self, a: RunId, b: RunId) -> Result<Comparison, StoreError> {
        let db = schema::open_for_reading(&self.database)?.ok_or(StoreError::Foreign)?;
        db.execute_batch(TABLES)?;
        let reader = Self { db, database: self.database.clone() };
        let mut comparison =
            Comparison { reader, runs: [a, b], same: 0, counts: [0; Change::ALL.len()] };
        let sizes = [comparison.fill("a", a)?, comparison.fill("b", b)?];
        let pairs = comparison.pair(sizes[0].min(sizes[1]))?;
        comparison.judge()?;
        comparison.add_unpaired(Change::OnlyA, sizes[0] - pairs)?;
        comparison.add_unpaired(Change::OnlyB, sizes[1] - pairs)?;
        Ok(comparison)
    }
}

impl Comparison {
    /// How many cases nothing became of.
    #[must_use]
    pub const fn same(&self) -> u64 {
        self.same
    }

    /// How many cases changed so.
    #[must_use]
    pub const fn count(&self, change: Change) -> u64 {
        self.counts[change as usize]
    }

    /// Up to `most` cases that changed so, in rank order of A and then of B, after `after`.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn page(
        &self,
        change: Change,
        after: Place,
        most: u32,
    ) -> Result<Vec<Changed>, StoreError> {
        let sql = "SELECT a, b FROM temp.changes WHERE change = ?1 AND (a, b) > (?2, ?3)
                   ORDER BY a, b LIMIT ?4";
        let place = |row: &Row<'_>| Ok(Place { a: row.get(0)?, b: row.get(1)? });
        let values = params![change as i64, after.a, after.b, most];
        let places = self.reader.rows(sql, values, place)?;
        places.into_iter().map(|place| self.changed(change, place)).collect()
    }

    fn changed(&self, change: Change, place: Place) -> Result<Changed, StoreError> {
        let case = |run, rank| match rank {
            0 => Ok(None),
            rank => self.reader.case(run, &CaseChoice::Rank(rank)),
        };
        let [a, b] = self.runs;
        Ok(Changed { change, a: case(a, place.a)?, b: case(b, place.b)?, place })
    }

    /// Copies what a case is known by into a table, and says how many cases the run has.
    fn fill(&self, table: &str, run: RunId) -> Result<u64, StoreError> {
        let sql = format!(
            "INSERT INTO temp.{table}
             SELECT rank, content, ifnull(simulator, 0) * 4 + ifnull(rules, 0), name
             FROM main.cases WHERE id > ?1 AND id <= ?2 ORDER BY id LIMIT ?3"
        );
        let mut insert = self.reader.db.prepare(&sql)?;
        let mut total = 0;
        let mut last = run.head();
        loop {
            let added = insert.execute(params![last.key(), run.tail().key(), PAGE])?;
            if added == 0 {
                return Ok(total);
            }
            total += added as u64;
            last = CaseId { run, rank: self.ask(&format!("SELECT max(rank) FROM temp.{table}"))? };
        }
    }

    /// Pairs cases, and says how many pairs there are; there cannot be more than `most`.
    fn pair(&self, most: u64) -> Result<u64, StoreError> {
        let mut pairs = 0;
        for key in PASSES {
            if pairs == most {
                break;
            }
            let numbered = |table: &str| {
                format!(
                    "(SELECT rank, {key}, row_number() OVER (PARTITION BY {key} ORDER BY rank) AS nth
                      FROM temp.{table} WHERE rank NOT IN (SELECT {table} FROM temp.pairs))"
                )
            };
            let sql = format!(
                "INSERT INTO temp.pairs SELECT l.rank, r.rank FROM {} l JOIN {} r USING ({key}, nth)",
                numbered("a"),
                numbered("b")
            );
            pairs += self.reader.db.execute(&sql, [])? as u64;
        }
        Ok(pairs)
    }

    /// Says of each pair what became of it.
    fn judge(&mut self) -> Result<(), StoreError> {
        let sql = "SELECT p.a, p.b, x.verdict, y.verdict, x.content IS y.content,
                       x.result IS y.result OR r.output_hash IS s.output_hash
                   FROM temp.pairs p
                       CROSS JOIN main.cases x ON x.id = ?1 + p.a
                       CROSS JOIN main.cases y ON y.id = ?2 + p.b
                       LEFT JOIN main.results r ON r.id = x.result AND x.result IS NOT y.result
                       LEFT JOIN main.results s ON s.id = y.result AND x.result IS NOT y.result
                   WHERE p.a > ?3 ORDER BY p.a LIMIT ?4";
        let heads = self.runs.map(|run| run.head().key());
        let mut last = 0;
        loop {
            let values = params![heads[0], heads[1], last, PAGE];
            let page = self.reader.rows(sql, values, pair)?;
            let Some(end) = page.last() else { return Ok(()) };
            last = end.place.a;
            self.count_page(&page)?;
        }
    }

    /// Takes note of what became of some pairs.
    fn count_page(&mut self, page: &[Pair]) -> Result<(), StoreError> {
        self.reader.db.execute_batch("BEGIN")?;
        for Pair { place, change } in page {
            let Some(change) = *change else {
                self.same += 1;
                continue;
            };
            self.counts[change as usize] += 1;
            self.reader
                .db
                .prepare_cached("INSERT INTO temp.changes VALUES (?1, ?2, ?3)")?
                .execute(params![change as i64, place.a, place.b])?;
        }
        Ok(self.reader.db.execute_batch("COMMIT")?)
    }

    /// Takes note of the cases that only one of the runs has.
    fn add_unpaired(&mut self, change: Change, count: u64) -> Result<(), StoreError> {
        self.counts[change as usize] = count;
        if count == 0 {
            return Ok(());
        }
        let (table, places) =
            if change == Change::OnlyA { ("a", "rank, 0") } else { ("b", "0, rank") };
        let sql = format!(
            "INSERT INTO temp.changes SELECT ?1, {places}
             FROM temp.{table} WHERE rank NOT IN (SELECT {table} FROM temp.pairs)"
        );
        self.reader.db.execute(&sql, [change as i64])?;
        Ok(())
    }

    fn ask(&self, sql: &str) -> Result<u32, StoreError> {
        Ok(self.reader.db.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
    }
}

fn pair(row: &Row<'_>) -> Result<Pair, StoreError> {
    let verdicts = [coded(row, 2)?, coded(row, 3)?];
    Ok(Pair {
        place: Place { a: row.get(0)?, b: row.get(1)? },
        change: Change::between(verdicts, row.get(4)?, row.get(5)?),
    })
}
