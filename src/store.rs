//! The store: one SQLite file that remembers every run, case, result and content.
//!
//! # Who writes
//! One thread of one process. [`Store::open`] takes the lock file beside the database, so a second
//! writer waits or is told who holds it; the kernel frees the lock when its holder dies. All writing
//! goes through [`Store`] to that thread, which runs what it is asked in groups, one IMMEDIATE
//! transaction a group, and answers only after the commit. A request that fails is taken back by
//! itself (a savepoint) and the rest of its group stands.
//!
//! # Who reads
//! Anybody who may read the file: [`Reader`] opens it read-only, never migrates, and ends each read
//! before it hands the rows out. The writer leaves the WAL's side files in place when it closes, so a
//! reader without write permission finds them.
//!
//! # What survives what
//! A commit survives the death of the process at once, and the loss of power when the writer has waited for the
//! disk: before it answers whoever is told of it, and where a run is taken in or ends. The steps between, cases that
//! are claimed and results of a run that goes on, reach the disk within a second; lost ones are played again and
//! give the same. A process that dies leaves runs unfinished and
//! cases running; the next writer puts those back before anything else, as suspects, and removes what was
//! kept only in part. A request that fails, even by a panic, is taken back by itself.
//!
//! # What goes
//! Runs that are to be removed are marked, lose their cases some thousand at a time, and go themselves last; what
//! no case uses any more is found by a walk over the cases and goes in between. An output may be dropped alone:
//! its hash stays, and whoever needs it plays the input again. What is interrupted goes on from the marks.
//!
//! # Compatibility
//! The version of the schema is `user_version`. A newer one is refused, by readers too, naming both
//! numbers. An older one is migrated by the next writer, one transaction a step.
//!
//! # Cost
//! Integers inside, hashes outside. A repeated input costs one row, and so do up to 256 games of a result. What is larger than 1 MiB lies in chunks,
//! is written in several transactions, and is read chunk by chunk.

mod codes;
mod content;
mod counts;
mod disk;
mod finder;
mod games;
mod held;
mod lock;
mod query;
mod read;
mod schema;
mod statistics;
mod stream;
mod top;
mod write;
mod writer;

pub use content::{CHUNK_BYTES, Chunk, Output, Packed};
pub use counts::Counts;
pub use games::GameBlocks;
pub use held::Held;
pub use lock::IfHeld;
pub use query::{Bound, Column, Query, Reach, Relation, Term, Test, Walk};
pub use read::{
    BytesRecord, CaseChoice, CaseRecord, Cell, CellKey, Changed, CheckPart, CheckStep, Comparison,
    EverDone, Facet, Flaw, GameRecord, Gather, LogOf, LogRecord, NamesOfRun, Part, Place, Reader,
    Remedy, ResultRecord, RunChoice, RunNames, RunRecord, StoreFacts, StoreSize, Tally, Totals,
    Used,
};
pub use schema::{LEAST_SQLITE, SCHEMA_VERSION};
pub use statistics::{Bin, Distribution, Values, wilson};
pub use top::Top;
pub use write::{
    AnsweredRequest, Beat, Bytes, Claim, Claimed, Dropped, Edit, Finished, Known, LabelEdit,
    LogLine, NewCase, NewResult, NewRun, Repeat, ResultKey, Sweep, Swept, Taken, Timings, Whole,
    Yield,
};
pub use writer::{Store, Writer};

use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::ErrorCode;

use crate::domain::RunId;

/// The version of SQLite that this program is linked with.
#[must_use]
pub fn sqlite_version() -> &'static str {
    rusqlite::version()
}

/// The database inside a state directory.
#[must_use]
pub fn database_path(state: &Path) -> PathBuf {
    state.join("store.db")
}

/// Whether there is a database; a WAL without one is what is left of a store, and no place for another.
fn is_there(database: &Path) -> Result<bool, StoreError> {
    match database.metadata() {
        Ok(_) => return Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(source) => {
            return Err(StoreError::Io { path: database.to_owned(), source: source.into() });
        }
    }
    let wal = database.with_extension("db-wal");
    if wal.metadata().is_ok_and(|metadata| metadata.len() > 0) {
        let reason = format!("store.db is missing beside {}", wal.display());
        return Err(StoreError::Damaged(reason));
    }
    Ok(false)
}

/// Refuses a store that cannot be used before anything is made beside it.
fn refuse_unreadable(state: &Path) -> Result<(), StoreError> {
    let path = database_path(state);
    if !path.exists() {
        return Ok(());
    }
    match schema::open_for_reading(&path) {
        Err(error @ (StoreError::Damaged(_) | StoreError::Newer { .. } | StoreError::Foreign)) => {
            Err(error)
        }
        _ => Ok(()),
    }
}

/// Makes the state directory and an empty database file with their modes, if they are missing.
fn create_files(state: &Path) -> Result<(), StoreError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| StoreError::Io { path, source: Arc::new(source) }
    };
    if !state.is_dir() {
        DirBuilder::new().recursive(true).mode(0o750).create(state).map_err(failed(state))?;
        // What is made in it belongs to its group. Making a directory does not take this bit.
        fs::set_permissions(state, Permissions::from_mode(0o2750)).map_err(failed(state))?;
    }
    let database = database_path(state);
    is_there(&database)?;
    let opened = OpenOptions::new().create(true).append(true).mode(0o640).open(&database);
    opened.map(drop).map_err(failed(&database))
}

/// What can go wrong with the store.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// The state directory or one of its files cannot be used.
    #[error("{}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: Arc<io::Error>,
    },
    /// Another process writes to this store.
    #[error("the store {} is held by process {holder}", state.display())]
    Held {
        /// The state directory.
        state: PathBuf,
        /// The process that holds it, as far as it said.
        holder: String,
    },
    /// The store was written by a newer simdrop.
    #[error("the store has schema {found}, this simdrop knows up to {known}; use a newer simdrop")]
    Newer {
        /// The version in the file.
        found: i64,
        /// The version this program writes.
        known: i64,
    },
    /// The store was written by an older simdrop, and a reader does not migrate.
    #[error(
        "the store has schema {found}, this simdrop reads {known}; the next `simdrop run` migrates it"
    )]
    Older {
        /// The version in the file.
        found: i64,
        /// The version this program reads.
        known: i64,
    },
    /// The store cannot be read as what it should be.
    #[error("the store is damaged: {0}; nothing was changed, restore a backup")]
    Damaged(String),
    /// SQLite says no: no space, no permission, a broken disk.
    #[error("the store does not answer: {0}")]
    Sqlite(Arc<rusqlite::Error>),
    /// This program was linked with an SQLite that can lose rows.
    #[error("linked with SQLite {linked}, at least {LEAST_SQLITE} is needed")]
    OldSqlite {
        /// The version number that is linked.
        linked: i32,
    },
    /// A label names more than one run.
    #[error("the label names run {newer} and run {older}; use the number")]
    LabelTwice {
        /// The newest run with this label.
        newer: RunId,
        /// Another one.
        older: RunId,
    },
    /// The database holds something else.
    #[error("store.db is the database of another program; choose another state directory")]
    Foreign,
    /// The program failed while writing; what it was asked for is taken back.
    #[error("a bug of simdrop, please report it: the writer failed with: {0}")]
    Panicked(String),
    /// Cases before these are missing, because they could not be written.
    #[error("run {0}: cases before these are missing")]
    OutOfOrder(RunId),
    /// The writing thread is gone.
    #[error("the writer of the store has stopped")]
    Stopped,
}

impl StoreError {
    /// Whether it may pass by itself: no space, a disk that does not answer, somebody else's lock.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Io { .. } => true,
            Self::Sqlite(error) => matches!(
                error.sqlite_error_code(),
                Some(
                    ErrorCode::DiskFull
                        | ErrorCode::SystemIoFailure
                        | ErrorCode::DatabaseBusy
                        | ErrorCode::DatabaseLocked
                        | ErrorCode::CannotOpen
                        | ErrorCode::ReadOnly
                        | ErrorCode::OutOfMemory
                )
            ),
            _ => false,
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        if schema::is_damage(&error) {
            return Self::Damaged(error.to_string());
        }
        Self::Sqlite(Arc::new(error))
    }
}
