//! When a commit is on disk.
//!
//! A commit of the writer is in the WAL, where every other process sees it and where it survives the death of
//! this one. Whether it survives the loss of power is another matter, which costs milliseconds: only what
//! somebody is told of waits for that, and all else follows within a second. What was committed before is then on
//! disk, too, as the WAL is in order.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::StoreError;

/// What was committed is on disk after this time at the latest.
pub(super) const LATEST: Duration = Duration::from_secs(1);

/// The file in which commits become lasting.
#[derive(Debug)]
pub(super) struct Disk {
    wal: File,
    path: PathBuf,
    /// How many rows the connection had changed when all of them were on disk.
    changes: u64,
    flushed: Instant,
}

impl Disk {
    /// Opens the WAL of a database, which its writer has begun.
    pub(super) fn open(database: &Path) -> Result<Self, StoreError> {
        let mut path = database.as_os_str().to_owned();
        path.push("-wal");
        let path = PathBuf::from(path);
        match File::open(&path) {
            Ok(wal) => Ok(Self { wal, path, changes: 0, flushed: Instant::now() }),
            Err(source) => Err(StoreError::Io { path, source: source.into() }),
        }
    }

    /// Whether something that was committed may not be on disk.
    pub(super) fn is_behind(&self, db: &Connection) -> bool {
        db.total_changes() != self.changes
    }

    /// Whether what was committed has waited long enough.
    pub(super) fn is_late(&self) -> bool {
        self.flushed.elapsed() >= LATEST
    }

    /// Waits until everything that the writer's connection committed is on disk.
    pub(super) fn flush(&mut self, db: &Connection) -> Result<(), StoreError> {
        self.flushed = Instant::now();
        if self.is_behind(db) {
            let path = || self.path.clone();
            let io =
                |source: std::io::Error| StoreError::Io { path: path(), source: source.into() };
            self.wal.sync_data().map_err(io)?;
            self.changes = db.total_changes();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;
    use tempfile::TempDir;

    use super::Disk;

    #[test]
    fn it_is_behind_from_a_change_to_the_next_flush() {
        let place = TempDir::new().expect("a temporary directory");
        let path = place.path().join("store.db");
        let db = Connection::open(&path).expect("a database");
        db.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (n)").expect("a table");
        let mut disk = Disk::open(&path).expect("a WAL");
        for _ in 0..2 {
            assert!(!disk.is_behind(&db));
            db.execute("INSERT INTO t VALUES (1)", []).expect("a row");
            assert!(disk.is_behind(&db));
            disk.flush(&db).expect("a disk");
        }
        assert!(!disk.is_behind(&db) && !disk.is_late());
        assert!(Disk::open(&place.path().join("other.db")).is_err());
    }
}
