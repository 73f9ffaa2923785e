//! Contents are found by their hash.
//!
//! Hashes come in no order: put into an index one by one, each changes a page of its own, and in a store of years
//! that is most of what is written. So the contents that came last are only logged, and the process that writes
//! has them in memory. When these are many, they go to the index in the order of their hashes, some at each new one, and
//! share its pages.
//!
//! Log and index may name contents that are gone, and others whose hash begins alike: what is found is compared in
//! full. Of two in the log that begin alike the older one may be missed; it is then stored once more.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::{mem, vec};

use rusqlite::{Connection, OptionalExtension, params};

use super::StoreError;
use super::write::Statements;
use crate::domain::{ContentHash, ContentId};

/// From so many contents on that are only logged, all of them go to the index while half as many come: 14 MiB of memory
/// at most, read and sorted in a tenth of a second. Tests have few, so that theirs get there.
const MANY: usize = if cfg!(any(test, feature = "faults")) { 64 } else { 300_000 };

/// How many go to the index with each new one.
const SHARE: usize = 2;

/// A row of the log that has so many bytes is followed by another.
const ROW_BYTES: usize = 4096;

/// Finds whole contents. It is used on the writing thread only, as what it has in memory is what that thread wrote.
#[derive(Debug, Clone, Default)]
pub(super) struct Finder(Arc<Mutex<Recent>>);

/// The first 8 bytes of the hash of a content, and its id.
type Entry = (i64, ContentId);

/// The contents that are not in the index.
#[derive(Debug, Default)]
struct Recent {
    /// `None`: not read since something was taken back.
    entries: Option<HashMap<i64, ContentId>>,
    /// How many the log has, with those that are gone.
    logged: usize,
    /// Those that are not in the log either.
    unlogged: Vec<Entry>,
    /// Those that are still to go to the index, in order, while that is under way.
    settling: Option<vec::IntoIter<Entry>>,
}

impl Finder {
    /// Finds a content.
    pub(super) fn find(
        &self,
        db: &mut Statements<'_>,
        hash: ContentHash,
    ) -> Result<Option<ContentId>, StoreError> {
        if let Some(id) = self.with(|recent| recent.alike(db, hash.prefix()))? {
            let same = db.of("SELECT 1 FROM contents WHERE id = ?1 AND hash = ?2 AND whole = 1")?;
            if same.exists(params![id.0, hash.0])? {
                return Ok(Some(id));
            }
        }
        let sql = "SELECT c.id FROM hash_index h CROSS JOIN contents c ON c.id = h.content
                   WHERE h.prefix = ?1 AND c.hash = ?2 AND c.whole = 1";
        let found = db.of(sql)?.query_row(params![hash.prefix(), hash.0], |row| row.get(0));
        Ok(found.optional()?.map(ContentId))
    }

    /// Takes note of a content that is new; [`Finder::keep`] is to follow.
    pub(super) fn add(&self, id: ContentId, hash: ContentHash) {
        self.with(|recent| recent.add((hash.prefix(), id)));
    }

    /// Logs what was added, and has contents go to the index if many are not there.
    pub(super) fn keep(&self, db: &mut Statements<'_>) -> Result<(), StoreError> {
        self.with(|recent| {
            let added = recent.log(db)?;
            if added > 0 {
                recent.begin_to_settle(db)?;
                recent.settle(db, added * SHARE)?;
            }
            Ok(())
        })
    }

    /// Takes note that a content goes.
    pub(super) fn remove(&self, db: &Connection, id: ContentId) -> Result<(), StoreError> {
        let sql = "SELECT hash FROM contents WHERE id = ?1";
        let hash = ContentHash(db.prepare_cached(sql)?.query_row([id.0], |row| row.get(0))?);
        let sql = "DELETE FROM hash_index WHERE prefix = ?1 AND content = ?2";
        db.prepare_cached(sql)?.execute([hash.prefix(), id.0])?;
        Ok(())
    }

    /// Something that was written is taken back: what is in memory is to be read again.
    pub(super) fn forget(&self) {
        self.with(|recent| *recent = Recent::default());
    }

    fn with<T>(&self, look: impl FnOnce(&mut Recent) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Recent {
    /// The last one that has this prefix.
    fn alike(
        &mut self,
        db: &mut Statements<'_>,
        prefix: i64,
    ) -> Result<Option<ContentId>, StoreError> {
        let entries = match &mut self.entries {
            Some(entries) => entries,
            none => {
                let sql = "SELECT ifnull(sum(length(entries)), 0) / 16 FROM hash_log";
                self.logged = db.of(sql)?.query_row([], |row| row.get(0))?;
                none.insert(read(db, self.logged)?)
            }
        };
        Ok(entries.get(&prefix).copied())
    }

    fn add(&mut self, (prefix, id): Entry) {
        self.unlogged.push((prefix, id));
        if let Some(entries) = &mut self.entries {
            entries.insert(prefix, id);
        }
    }

    /// Adds to the last row of the log, if that is short and all of it stays, or another one; how many were added.
    fn log(&mut self, db: &mut Statements<'_>) -> Result<usize, StoreError> {
        let bytes = |(prefix, id): Entry| [prefix.to_le_bytes(), id.0.to_le_bytes()];
        let new = mem::take(&mut self.unlogged);
        if new.is_empty() {
            return Ok(0);
        }
        let entries: Vec<_> = new.iter().copied().flat_map(bytes).collect();
        let entries = entries.as_flattened();
        let sql = "UPDATE hash_log SET entries = CAST(entries || ?1 AS BLOB)
                   WHERE number = (SELECT max(number) FROM hash_log) AND length(entries) < ?2
                       AND number > ifnull((SELECT row FROM hash_settling), 0)";
        if db.of(sql)?.execute(params![entries, ROW_BYTES])? == 0 {
            db.of("INSERT INTO hash_log (entries) VALUES (?1)")?.execute([entries])?;
        }
        self.logged += new.len();
        Ok(new.len())
    }

    /// Begins where the last process stopped, if one did on the way.
    fn begin_to_settle(&mut self, db: &mut Statements<'_>) -> Result<(), StoreError> {
        if let (Some(entries), None) = (&self.entries, &self.settling)
            && self.logged >= MANY
        {
            let sql = "INSERT OR IGNORE INTO hash_settling (one, row, prefix)
                       SELECT 1, max(number), ?1 FROM hash_log";
            db.of(sql)?.execute([i64::MIN])?;
            let sql = "SELECT prefix FROM hash_settling";
            let from: i64 = db.of(sql)?.query_row([], |row| row.get(0))?;
            let all = entries.iter().map(|(&prefix, &id)| (prefix, id));
            let mut left: Vec<_> = all.filter(|&(prefix, _)| prefix >= from).collect();
            left.sort_unstable();
            self.settling = Some(left.into_iter());
        }
        Ok(())
    }

    /// Some go to the index; after the last ones, all leave the log.
    fn settle(&mut self, db: &mut Statements<'_>, some: usize) -> Result<(), StoreError> {
        let Some(left) = &mut self.settling else { return Ok(()) };
        for (prefix, id) in left.by_ref().take(some) {
            // What came since it began may be there when the next time begins; and one that is gone is not to stay.
            let sql = "INSERT OR IGNORE INTO hash_index (prefix, content)
                       SELECT ?1, id FROM contents WHERE id = ?2 AND substr(hash, 1, 8) = ?3";
            db.of(sql)?.execute(params![prefix, id.0, prefix.to_be_bytes()])?;
        }
        if let Some(&(next, _)) = left.as_slice().first() {
            db.of("UPDATE hash_settling SET prefix = ?1")?.execute([next])?;
        } else {
            let sql = "DELETE FROM hash_log WHERE number <= (SELECT row FROM hash_settling)";
            db.of(sql)?.execute([])?;
            db.of("DELETE FROM hash_settling")?.execute([])?;
            *self = Self::default();
        }
        Ok(())
    }
}

/// Reads the log, which has so many.
fn read(db: &mut Statements<'_>, logged: usize) -> Result<HashMap<i64, ContentId>, StoreError> {
    let mut entries = HashMap::with_capacity(logged);
    let mut rows = db.of("SELECT entries FROM hash_log ORDER BY number")?.query([])?;
    while let Some(row) = rows.next()? {
        let numbers = row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?.as_chunks().0;
        let mut numbers = numbers.iter().copied().map(i64::from_le_bytes);
        while let (Some(prefix), Some(id)) = (numbers.next(), numbers.next()) {
            entries.insert(prefix, ContentId(id));
        }
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::MANY;
    use crate::domain::{ContentId, TimestampUs};
    use crate::store::content::intern;
    use crate::store::write::Statements;
    use crate::store::{Counts, IfHeld, Packed, Store, StoreError, Writer};

    /// So many that most are in the index.
    const ALL: usize = 6 * MANY;

    fn open(state: &TempDir) -> Store {
        Store::open(state.path(), IfHeld::Refuse, TimestampUs(0)).expect("a store")
    }

    fn packed(number: usize) -> Packed {
        Packed::new(&number.to_le_bytes())
    }

    /// Adds contents that are not there in one request, and has them settle.
    fn add(writer: &Writer, numbers: impl Iterator<Item = usize> + Send + 'static) -> Vec<i64> {
        try_to_add(writer, numbers, Ok(())).expect("contents")
    }

    fn try_to_add(
        writer: &Writer,
        numbers: impl Iterator<Item = usize> + Send + 'static,
        end: Result<(), StoreError>,
    ) -> Result<Vec<i64>, StoreError> {
        let finder = writer.finder().clone();
        writer.call(move |db| {
            let db = &mut Statements::new(db);
            let mut ids = Vec::new();
            for number in numbers {
                ids.push(intern(db, &finder, &packed(number), &mut Counts::default())?.0);
                finder.keep(db)?;
            }
            end.map(|()| ids)
        })
    }

    fn find(writer: &Writer, number: usize) -> Option<i64> {
        let finder = writer.finder().clone();
        let found = writer
            .call(move |db| finder.find(&mut Statements::new(db), packed(number).hash()))
            .expect("a look");
        found.map(|id| id.0)
    }

    fn remove(writer: &Writer, gone: Vec<i64>) {
        let finder = writer.finder().clone();
        let removed = writer.call(move |db| {
            for id in gone {
                finder.remove(db, ContentId(id))?;
                db.execute("DELETE FROM contents WHERE id = ?1", [id])?;
            }
            Ok(())
        });
        removed.expect("a removal");
    }

    /// How many are in the log, and how many in the index.
    fn counts(writer: &Writer) -> (usize, usize) {
        let count = |sql: &'static str| {
            writer.call(move |db| Ok(db.query_row(sql, [], |row| row.get(0))?)).expect("a number")
        };
        let logged = "SELECT ifnull(sum(length(entries)), 0) / 16 FROM hash_log";
        (count(logged), count("SELECT count(*) FROM hash_index"))
    }

    #[test]
    fn a_content_is_found_in_memory_in_the_index_and_after_a_restart() {
        let state = TempDir::new().expect("a temporary directory");
        let store = open(&state);
        let ids = add(&store.writer(), 0..ALL);
        assert_eq!(add(&store.writer(), 0..ALL), ids);
        let (logged, indexed) = counts(&store.writer());
        assert!(indexed >= MANY, "{indexed} are in the index");
        assert!(logged < 2 * MANY, "{logged} are in the log");
        store.close().expect("a clean end");

        let store = open(&state);
        assert_eq!(add(&store.writer(), 0..ALL), ids);
        assert_eq!(find(&store.writer(), ALL), None);
        store.close().expect("a clean end");
    }

    #[test]
    fn what_a_failed_request_found_out_is_forgotten() {
        let state = TempDir::new().expect("a temporary directory");
        let store = open(&state);
        let before = add(&store.writer(), 0..MANY - 1);
        let failed = try_to_add(&store.writer(), 0..ALL, Err(StoreError::Stopped));
        assert!(matches!(failed, Err(StoreError::Stopped)));
        assert_eq!(counts(&store.writer()), (MANY - 1, 0));
        assert_eq!(find(&store.writer(), MANY), None);
        assert_eq!(add(&store.writer(), 0..MANY - 1), before);
        let ids = add(&store.writer(), 0..ALL);
        assert_eq!(ids[..before.len()], before);
        assert_eq!(add(&store.writer(), 0..ALL), ids);
        store.close().expect("a clean end");
    }

    #[test]
    fn the_contents_of_processes_that_add_one_each_get_to_the_index() {
        let state = TempDir::new().expect("a temporary directory");
        let mut ids = Vec::new();
        for number in 0..ALL {
            let store = open(&state);
            ids.extend(add(&store.writer(), number..=number));
            let (logged, _) = counts(&store.writer());
            assert!(logged < 2 * MANY, "{logged} are in the log");
            store.close().expect("a clean end");
        }
        let store = open(&state);
        assert_eq!(add(&store.writer(), 0..ALL), ids);
        store.close().expect("a clean end");
    }

    #[test]
    fn contents_that_come_and_go_leave_nothing_behind() {
        let state = TempDir::new().expect("a temporary directory");
        let store = open(&state);
        let writer = store.writer();
        for round in 0..20 {
            // The same ones every other time.
            let from = round % 2 * round * MANY;
            remove(&writer, add(&writer, from..from + MANY / 2));
        }
        let (logged, indexed) = counts(&writer);
        assert!(logged < 2 * MANY, "{logged} are in the log");
        assert!(indexed < MANY, "{indexed} are in the index");
        store.close().expect("a clean end");
    }

    #[test]
    fn a_content_that_went_is_not_found_and_comes_back_as_a_new_one() {
        let state = TempDir::new().expect("a temporary directory");
        let store = open(&state);
        let (writer, all) = (store.writer(), 0..ALL);
        remove(&writer, add(&writer, all.clone()));
        assert!(all.clone().all(|number| find(&writer, number).is_none()));
        // Other contents get the same ids.
        add(&writer, ALL..2 * ALL);
        assert!(all.clone().all(|number| find(&writer, number).is_none()));
        let ids = add(&writer, all.clone());
        assert_eq!(add(&writer, all), ids);
        store.close().expect("a clean end");
    }
}
