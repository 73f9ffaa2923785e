//! Opening a database file: settings, migrations, and what is refused.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior, ffi};

use super::StoreError;
use super::read::Connected;

/// The migrations in order; number `n` brings a store from version `n - 1` to `n`.
const MIGRATIONS: [&str; 1] = [include_str!("../../migrations/0001_initial.sql")];

/// The version of the store this program writes.
#[expect(clippy::cast_possible_wrap, reason = "there is a handful of migrations")]
pub const SCHEMA_VERSION: i64 = MIGRATIONS.len() as i64;

/// SQLite before this could damage an index when a write met a checkpoint that reset the WAL.
pub const LEAST_SQLITE: i32 = 3_051_003;

/// Whether SQLite looks at each row that another one refers to: while simdrop is tested. The writer refers only to
/// what it found or made in the same transaction, and a look at all of them is a tenth of what a case costs.
pub(super) const FOREIGN_KEYS: bool = cfg!(any(test, feature = "faults"));

/// How long a connection waits for a lock of another one.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// A statement counts a step after so many instructions of SQLite's machine: some milliseconds.
const INSTRUCTIONS_A_STEP: i32 = 100_000;

/// Opens the database for writing, creates it if needed, and brings it to this version. What takes long counts its
/// steps, from here on.
pub(super) fn open_for_writing(
    path: &Path,
    steps: Arc<AtomicU64>,
) -> Result<Connection, StoreError> {
    let mut db = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
    db.progress_handler(
        INSTRUCTIONS_A_STEP,
        Some(move || {
            steps.fetch_add(1, Ordering::Relaxed);
            false
        }),
    )?;
    let version = known_version(&db)?;
    if version == 0 {
        refuse_foreign(&db)?;
        // Before WAL: after it, the setting is silently ignored.
        db.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    }
    db.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0))?;
    // No commit waits for the disk by itself: see `disk`.
    db.pragma_update(None, "synchronous", "NORMAL")?;
    db.pragma_update(None, "foreign_keys", FOREIGN_KEYS)?;
    db.pragma_update(None, "journal_size_limit", 64 << 20)?;
    // What a savepoint could take back, a few pages, is not to be written to a file for each request.
    db.pragma_update(None, "temp_store", "MEMORY")?;
    // What a transaction changes stays in memory until its end: 16 MiB.
    db.pragma_update(None, "cache_size", -16_384)?;
    // Pages that change again and again are written back once in 16 MiB of WAL, not in 4.
    db.pragma_update(None, "wal_autocheckpoint", 4_000)?;
    db.set_prepared_statement_cache_capacity(64);
    migrate(&mut db, version)?;
    Ok(db)
}

/// Opens the database for reading only; never migrates. `None`: there is nothing in it yet.
pub(super) fn open_for_reading(path: &Path) -> Result<Option<Connected>, StoreError> {
    let db = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    match version_of_ours(&db)? {
        SCHEMA_VERSION => Ok(Some(Connected::new(db)?)),
        0 => Ok(None),
        found => Err(StoreError::Older { found, known: SCHEMA_VERSION }),
    }
}

/// One look at the version and at what is there: between two somebody may make the store.
fn version_of_ours(db: &Connection) -> Result<i64, StoreError> {
    let look = db.unchecked_transaction()?;
    let version = known_version(&look)?;
    if version == 0 {
        refuse_foreign(&look)?;
    }
    Ok(version)
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    let linked = rusqlite::version_number();
    if linked < LEAST_SQLITE {
        return Err(StoreError::OldSqlite { linked });
    }
    let db = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    // The side files stay, so that a member of the group can read when nobody writes. Before anything is
    // read: what is refused as damaged or newer is not to be changed by closing it.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    // A plan does not depend on values: else a statement is planned anew for each one that is bound.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    db.busy_timeout(BUSY_TIMEOUT)?;
    Ok(db)
}

/// A database without a version has nothing in it, or is not ours.
fn refuse_foreign(db: &Connection) -> Result<(), StoreError> {
    match db.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))? {
        0_i64 => Ok(()),
        _ => Err(StoreError::Foreign),
    }
}

fn known_version(db: &Connection) -> Result<i64, StoreError> {
    let found: i64 = db.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if found > SCHEMA_VERSION {
        return Err(StoreError::Newer { found, known: SCHEMA_VERSION });
    }
    Ok(found)
}

/// Applies what is missing, each migration in a transaction of its own.
fn migrate(db: &mut Connection, from: i64) -> Result<(), StoreError> {
    for (version, sql) in (1..).zip(MIGRATIONS).filter(|&(version, _)| version > from) {
        let transaction = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute_batch(sql)?;
        transaction.pragma_update(None, "user_version", version)?;
        transaction.commit()?;
    }
    Ok(())
}

/// Whether an error says that the file is damaged or no database.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error().map(|inner| inner.extended_code & 0xff);
    matches!(code, Some(ffi::SQLITE_CORRUPT | ffi::SQLITE_NOTADB))
}

#[cfg(test)]
mod tests {
    use std::thread;

    use tempfile::TempDir;

    use crate::domain::TimestampUs;
    use crate::store::{IfHeld, Reader, Store, StoreError};

    #[test]
    fn a_store_that_is_being_made_is_never_taken_for_one_of_another_program() {
        for _ in 0..40 {
            let state = TempDir::new().expect("a temporary directory");
            let path = state.path().to_owned();
            let maker = thread::spawn(move || Store::open(&path, IfHeld::Refuse, TimestampUs(0)));
            while !maker.is_finished() {
                let opened = Reader::open(state.path());
                assert!(!matches!(opened, Err(StoreError::Foreign)), "{opened:?}");
            }
            maker.join().expect("a thread").expect("a store").close().expect("a clean end");
        }
    }
}
