//! Removing what nobody refers to: results with their games and outputs, and contents.
//!
//! A reader marks what the cases refer to; everything else that was there when the sweep began is handed
//! in here, as ranges of ids. What a case came to refer to meanwhile, or somebody holds, stays.

use std::ops::RangeInclusive;

use rusqlite::{Connection, OptionalExtension};

use crate::domain::{ContentId, ResultId};
use crate::store::counts::{Counts, Kind};
use crate::store::finder::Finder;
use crate::store::games;
use crate::store::held::AllHeld;
use crate::store::stream::Kept;
use crate::store::{StoreError, Writer};

/// How many rows one transaction removes, about.
const ROWS: u64 = 5_000;

/// What there is when a sweep begins: newer ids are none of its business.
#[derive(Debug, Clone, Copy)]
pub struct Sweep {
    /// The last content.
    pub last_content: i64,
    /// The last result.
    pub last_result: i64,
}

/// What one transaction of a sweep did.
#[derive(Debug, Default)]
pub struct Swept {
    /// How many contents, results or outputs are gone.
    pub removed: u64,
    /// What is left to be swept.
    pub left: Vec<RangeInclusive<i64>>,
}

impl Writer {
    /// Begins a sweep: from here on it is remembered which contents get a case.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn begin_sweep(&self) -> Result<Sweep, StoreError> {
        self.call(|db| {
            end(db)?;
            db.execute_batch(
                "CREATE TEMP TABLE linked (content INTEGER PRIMARY KEY);
                 CREATE TEMP TRIGGER link AFTER INSERT ON main.cases BEGIN
                     INSERT OR IGNORE INTO linked
                         SELECT NEW.content WHERE NEW.content IS NOT NULL UNION ALL
                         SELECT NEW.compared WHERE NEW.compared IS NOT NULL;
                 END;",
            )?;
            let last = |sql| db.query_row(sql, [], |row| row.get(0));
            Ok(Sweep {
                last_content: last("SELECT ifnull(max(id), 0) FROM contents")?,
                last_result: last("SELECT ifnull(max(id), 0) FROM results")?,
            })
        })
    }

    /// Removes results in these ranges, as many as fit into one transaction.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn sweep_results(&self, ranges: Vec<RangeInclusive<i64>>) -> Result<Swept, StoreError> {
        self.call_unbound(move |db| {
            let mut counts = Counts::default();
            let swept = sweep(db, ranges, NEXT_RESULT, &mut |id, left| {
                remove_result(db, id, left, &mut counts)
            })?;
            counts.write(db)?;
            Ok(swept)
        })
    }

    /// Removes contents in these ranges, as many as fit into one transaction.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn sweep_contents(&self, ranges: Vec<RangeInclusive<i64>>) -> Result<Swept, StoreError> {
        let (held, finder) = (self.held().clone(), self.finder().clone());
        self.call_unbound(move |db| {
            let swept = sweep(db, ranges, NEXT_CONTENT, &mut |id, left| {
                remove_content(db, &held, &finder, ContentId(id), left)
            })?;
            let contents = -i64::try_from(swept.removed).unwrap_or(0);
            Counts { contents, ..Counts::default() }.write(db)?;
            Ok(swept)
        })
    }

    /// Drops the outputs of results in these ranges, as many as fit into one transaction; those of up to 256
    /// bytes take no room to speak of and stay.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn drop_outputs(&self, ranges: Vec<RangeInclusive<i64>>) -> Result<Swept, StoreError> {
        self.call(move |db| {
            sweep(db, ranges, NEXT_OUTPUT, &mut |id, left| drop_output(db, id, left))
        })
    }

    /// Ends a sweep.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn end_sweep(&self) -> Result<(), StoreError> {
        self.call(end)
    }
}

fn end(db: &Connection) -> Result<(), StoreError> {
    Ok(db.execute_batch("DROP TRIGGER IF EXISTS temp.link; DROP TABLE IF EXISTS temp.linked")?)
}

/// The first one from ?1 up to ?2 that may go.
const NEXT_RESULT: &str = "SELECT id FROM results WHERE id BETWEEN ?1 AND ?2 AND unfinished <= 0
    AND content NOT IN (SELECT content FROM temp.linked) ORDER BY id LIMIT 1";
const NEXT_CONTENT: &str = "SELECT id FROM contents WHERE id BETWEEN ?1 AND ?2 AND whole = 1
    AND id NOT IN (SELECT content FROM temp.linked) ORDER BY id LIMIT 1";
const NEXT_OUTPUT: &str = "SELECT id FROM results WHERE id BETWEEN ?1 AND ?2 AND unfinished = 0
    AND output_bytes > 256 AND coding < 3
    AND content NOT IN (SELECT content FROM temp.linked) ORDER BY id LIMIT 1";

/// What became of one of those that may go.
enum Fate {
    Gone,
    Stays,
    /// It goes on with the next transaction.
    Partly,
}

/// Goes through ranges until the rows of one transaction are removed. `remove` may take so many rows, and
/// takes them off.
fn sweep(
    db: &Connection,
    ranges: Vec<RangeInclusive<i64>>,
    next: &str,
    remove: &mut dyn FnMut(i64, &mut u64) -> Result<Fate, StoreError>,
) -> Result<Swept, StoreError> {
    let (mut swept, mut left) = (Swept::default(), ROWS);
    let mut ranges = ranges.into_iter();
    let mut find = db.prepare_cached(next)?;
    while let Some(range) = ranges.next() {
        let (mut from, to) = range.into_inner();
        while from <= to {
            if left == 0 {
                swept.left.push(from..=to);
                swept.left.extend(ranges);
                return Ok(swept);
            }
            let found: Option<i64> = find.query_row([from, to], |row| row.get(0)).optional()?;
            let Some(id) = found else { break };
            left -= 1;
            match remove(id, &mut left)? {
                Fate::Partly => from = id,
                Fate::Stays => from = id + 1,
                Fate::Gone => (from, swept.removed) = (id + 1, swept.removed + 1),
            }
        }
    }
    Ok(swept)
}

/// Removes games of a result, the last ones first, and the result itself when none is left.
fn remove_result(
    db: &Connection,
    id: i64,
    left: &mut u64,
    counts: &mut Counts,
) -> Result<Fate, StoreError> {
    let first = remove_games(db, id, left, counts)?;
    if first > 1 {
        let sql = "UPDATE results SET unfinished = -id WHERE id = ?1 AND unfinished = 0";
        db.prepare_cached(sql)?.execute([id])?;
        return Ok(Fate::Partly);
    }
    db.prepare_cached(Kept::Output(ResultId(id)).delete())?.execute([id])?;
    db.prepare_cached("DELETE FROM results WHERE id = ?1")?.execute([id])?;
    counts.results -= 1;
    Ok(Fate::Gone)
}

/// Removes blocks of games, the last one in any case, and takes them off the counters; the number of the first
/// game that is gone.
fn remove_games(
    db: &Connection,
    id: i64,
    left: &mut u64,
    counts: &mut Counts,
) -> Result<i64, StoreError> {
    let sql = "SELECT r.simulator, r.rules, b.first, b.games
               FROM results r CROSS JOIN game_blocks b
                   ON b.id >= r.id << 32 AND b.id < (r.id + 1) << 32
               WHERE r.id = ?1 ORDER BY b.id DESC";
    let mut statement = db.prepare_cached(sql)?;
    let mut rows = statement.query([id])?;
    let mut first = 1;
    while let Some(row) = rows.next()? {
        first = row.get(2)?;
        let games = games::count(games::block(row, 3)?, Kind::read(row, 0)?, -1, counts)?;
        *left = left.saturating_sub(games as u64);
        if *left == 0 {
            break;
        }
    }
    let sql = "DELETE FROM game_blocks WHERE id >= (?1 << 32) + ?2 AND id < (?1 + 1) << 32";
    db.prepare_cached(sql)?.execute([id, first])?;
    Ok(first)
}

fn remove_content(
    db: &Connection,
    held: &AllHeld,
    finder: &Finder,
    id: ContentId,
    left: &mut u64,
) -> Result<Fate, StoreError> {
    if held.has(id) {
        return Ok(Fate::Stays);
    }
    let chunks = db.prepare_cached(Kept::Content(id).delete())?.execute([id.0])?;
    *left = left.saturating_sub(chunks as u64 * CHUNK_ROWS);
    finder.remove(db, id)?;
    db.prepare_cached("DELETE FROM contents WHERE id = ?1")?.execute([id.0])?;
    Ok(Fate::Gone)
}

fn drop_output(db: &Connection, id: i64, left: &mut u64) -> Result<Fate, StoreError> {
    let chunks = db.prepare_cached(Kept::Output(ResultId(id)).delete())?.execute([id])?;
    *left = left.saturating_sub(chunks as u64 * CHUNK_ROWS);
    let sql = "UPDATE results SET coding = 3, output = NULL WHERE id = ?1";
    db.prepare_cached(sql)?.execute([id])?;
    Ok(Fate::Gone)
}

/// A chunk is as much work as so many rows.
const CHUNK_ROWS: u64 = 64;
