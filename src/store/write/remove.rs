//! Removing runs: marked first, then emptied piece by piece, gone last. What is interrupted goes on from the
//! marks.

use rusqlite::{Connection, TransactionBehavior, params};

use crate::domain::{RunId, catching};
use crate::store::counts::Counts;
use crate::store::schema::FOREIGN_KEYS;
use crate::store::{StoreError, Writer};

impl Writer {
    /// Marks runs that are to be removed; those that are not over, or whose files are not where they belong
    /// yet, are left. How many are marked by it.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn mark_for_removal(&self, runs: Vec<RunId>) -> Result<u64, StoreError> {
        self.call(move |db| {
            let sql = "UPDATE runs SET removing = 1 WHERE id = ?1 AND state >= 3 AND put_away = 1
                           AND written_out = 1 AND removing = 0";
            let mut mark = db.prepare_cached(sql)?;
            let marked: Result<usize, rusqlite::Error> =
                runs.iter().map(|run| mark.execute([run.0])).sum();
            Ok(marked? as u64)
        })
    }

    /// Removes at most so many cases of a run that is marked, with their logs; how many.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn remove_cases(&self, run: RunId, most: u32) -> Result<u64, StoreError> {
        self.call(move |db| remove_cases(db, run, most))
    }

    /// Removes the rows of runs that are marked and have no case any more; how many.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn remove_runs(&self, runs: Vec<RunId>) -> Result<u64, StoreError> {
        self.call_unbound(move |db| {
            let removed: Result<u64, StoreError> =
                runs.iter().map(|run| remove_run(db, *run).map(u64::from)).sum();
            removed
        })
    }

    /// A transaction in which references are not watched. To look for what refers to a row that goes, SQLite
    /// would walk all cases, because these references have no index.
    pub(super) fn call_unbound<T: Send + 'static>(
        &self,
        verb: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.call_alone(move |db| {
            db.pragma_update(None, "foreign_keys", false)?;
            let done = catching(|| unbound(db, verb));
            db.pragma_update(None, "foreign_keys", FOREIGN_KEYS)?;
            done.unwrap_or_else(|said| Err(StoreError::Panicked(said)))
        })
    }
}

fn unbound<T>(
    db: &mut Connection,
    verb: impl FnOnce(&Connection) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let transaction = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let value = verb(&transaction)?;
    transaction.commit()?;
    Ok(value)
}

fn remove_cases(db: &Connection, run: RunId, most: u32) -> Result<u64, StoreError> {
    let sql = "SELECT ifnull(max(id), 0) FROM (SELECT id FROM cases WHERE id BETWEEN ?1 AND ?2
                       AND EXISTS (SELECT 1 FROM runs WHERE id = ?4 AND removing = 1)
                   ORDER BY id LIMIT ?3)";
    let from = run.head().key();
    let last = params![from, run.tail().key(), most, run.0];
    let last: i64 = db.prepare_cached(sql)?.query_row(last, |row| row.get(0))?;
    if last == 0 {
        return Ok(0);
    }
    let mut counts = Counts::default();
    counts.add_case_rows(db, [from, last], -1)?;
    counts.write(db)?;
    let keys = params![run.0, from, last];
    db.prepare_cached(
        "UPDATE runs SET (listed, total, done, cached, ac, pe, wa, noref, badin, limits, crash,
                 cancelled) =
             (SELECT listed - count(*), total - count(*), done - count(*), cached - sum(cases.cached),
                 ac - sum(verdict = 1), pe - sum(verdict = 2), wa - sum(verdict = 3),
                 noref - sum(verdict = 4), badin - sum(verdict = 5), limits - sum(verdict = 6),
                 crash - sum(verdict = 7), cancelled - sum(verdict = 8)
              FROM cases WHERE cases.id BETWEEN ?2 AND ?3)
         WHERE id = ?1",
    )?
    .execute(keys)?;
    db.prepare_cached("DELETE FROM logs WHERE id BETWEEN ?1 AND ?2")?
        .execute(params![from + 1, last])?;
    let cases = db
        .prepare_cached("DELETE FROM cases WHERE id BETWEEN ?1 AND ?2")?
        .execute(params![from, last])?;
    db.prepare_cached("UPDATE totals SET count = count - ?1 WHERE what = 2")?
        .execute(params![cases])?;
    Ok(cases as u64)
}

/// `false`: it is not marked, or not empty.
fn remove_run(db: &Connection, run: RunId) -> Result<bool, StoreError> {
    let (from, to) = (run.head().key(), run.tail().key());
    let sql = "DELETE FROM runs WHERE id = ?1 AND removing = 1
                   AND NOT EXISTS (SELECT 1 FROM cases WHERE cases.id BETWEEN ?2 AND ?3)";
    if db.prepare_cached(sql)?.execute(params![run.0, from, to])? == 0 {
        return Ok(false);
    }
    for sql in [
        "DELETE FROM tags WHERE run = ?1",
        "DELETE FROM run_has WHERE run = ?1",
        "DELETE FROM logs WHERE id = ?1 << 32",
        "DELETE FROM run_spans WHERE span = ?1 >> 10 AND NOT EXISTS
             (SELECT 1 FROM runs WHERE id BETWEEN (?1 >> 10) << 10 AND ?1 | 1023)",
    ] {
        db.prepare_cached(sql)?.execute([run.0])?;
    }
    db.prepare_cached("UPDATE totals SET count = count - 1 WHERE what = 1")?.execute([])?;
    Ok(true)
}
