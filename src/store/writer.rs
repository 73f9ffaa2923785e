//! The writing thread: groups what it is asked into transactions and answers after the commit.

use std::path::Path;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::lock::{IfHeld, Lock};
use super::{StoreError, create_files, database_path, schema, write};
use crate::domain::{TimestampUs, catching};

/// How many requests one transaction may hold, so that an answer is never far away.
const GROUP_MOST: usize = 64;

/// Calls back with the outcome of the commit that a request was in.
type Answer = Box<dyn FnOnce(Result<(), StoreError>) + Send>;

/// Runs inside the group's transaction, or learns why there is none.
type Request = Box<dyn FnOnce(Result<&Connection, StoreError>) -> Answer + Send>;

/// The store, open for writing. Closing it ends the writing thread.
#[derive(Debug)]
pub struct Store {
    requests: Sender<Request>,
    thread: JoinHandle<Result<(), StoreError>>,
}

impl Store {
    /// Opens the store in a state directory, making it if there is none. Runs that a dead process left
    /// unfinished are cancelled, as of `at`.
    ///
    /// # Errors
    /// [`StoreError`]: held, no permission, no space, damaged, or written by a newer simdrop.
    pub fn open(state: &Path, if_held: IfHeld<'_>, at: TimestampUs) -> Result<Self, StoreError> {
        create_files(state)?;
        let lock = Lock::take(state, if_held)?;
        let mut db = schema::open_for_writing(&database_path(state))?;
        recover(&mut db, at)?;
        let (requests, inbox) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || {
                serve(&mut db, &inbox);
                let closed = checkpoint(&db);
                drop(db);
                drop(lock);
                closed
            })
            .map_err(|source| StoreError::Io { path: state.to_owned(), source: source.into() })?;
        Ok(Self { requests, thread })
    }

    /// Asks for a change; `answer` is called in any case, on the writing thread after its commit.
    pub(super) fn ask<T: Send + 'static>(
        &self,
        verb: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
        answer: impl FnOnce(Result<T, StoreError>) + Send + 'static,
    ) {
        let request: Request = Box::new(move |db| {
            let outcome = db.and_then(|db| in_savepoint(db, verb));
            Box::new(move |commit| answer(commit.and(outcome)))
        });
        if let Err(mpsc::SendError(request)) = self.requests.send(request) {
            request(Err(StoreError::Stopped))(Ok(()));
        }
    }

    /// Asks for a change and waits for its commit.
    pub(super) fn call<T: Send + 'static>(
        &self,
        verb: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (sender, receiver) = mpsc::sync_channel(1);
        self.ask(verb, move |outcome| drop(sender.send(outcome)));
        receiver.recv().unwrap_or(Err(StoreError::Stopped))
    }

    /// Commits what was asked, writes the WAL back, and ends the writing thread.
    ///
    /// # Errors
    /// The WAL could not be written back; nothing is lost by that.
    pub fn close(self) -> Result<(), StoreError> {
        drop(self.requests);
        self.thread.join().unwrap_or(Err(StoreError::Stopped))
    }
}

/// Whoever held the lock before has ended: what it left unfinished will not go on.
fn recover(db: &mut Connection, at: TimestampUs) -> Result<(), StoreError> {
    let transaction = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    write::cancel_unfinished(&transaction, at)?;
    Ok(transaction.commit()?)
}

fn serve(db: &mut Connection, inbox: &Receiver<Request>) {
    while let Ok(first) = inbox.recv() {
        match db.transaction_with_behavior(TransactionBehavior::Immediate) {
            Ok(transaction) => serve_group(transaction, first, inbox),
            Err(error) => first(Err(error.into()))(Ok(())),
        }
    }
}

/// One transaction: the first request and those that have come in meanwhile.
fn serve_group(transaction: Transaction<'_>, first: Request, inbox: &Receiver<Request>) {
    let mut answers = vec![first(Ok(&transaction))];
    while answers.len() < GROUP_MOST
        && !transaction.is_autocommit()
        && let Ok(next) = inbox.try_recv()
    {
        answers.push(next(Ok(&transaction)));
    }
    let committed = transaction.commit().map_err(StoreError::from);
    for answer in answers {
        answer(committed.clone());
    }
}

fn in_savepoint<T>(
    db: &Connection,
    verb: impl FnOnce(&Connection) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    db.execute_batch("SAVEPOINT request")?;
    let outcome =
        catching(|| verb(db)).unwrap_or_else(|message| Err(StoreError::Panicked(message)));
    let ended = match outcome {
        Ok(_) => "RELEASE request",
        Err(_) => "ROLLBACK TO request; RELEASE request",
    };
    // After some errors, such as a full disk, SQLite has rolled back everything by itself. The first
    // error says what is wrong.
    let ended = db.execute_batch(ended).map_err(StoreError::from);
    outcome.and_then(|value| ended.map(|()| value))
}

/// Writes the WAL back into the database; the side files stay for readers.
fn checkpoint(db: &Connection) -> Result<(), StoreError> {
    db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::{IfHeld, Store, StoreError};
    use crate::domain::TimestampUs;

    #[test]
    fn a_panic_in_a_request_takes_back_that_request_alone() {
        let state = TempDir::new().expect("a temporary directory");
        let store = Store::open(state.path(), IfHeld::Refuse, TimestampUs(0)).expect("a store");
        let insert = "INSERT INTO daemon VALUES (1, 2, 3, 'x')";
        let failed = store.call(|db| -> Result<(), StoreError> {
            db.execute(insert, [])?;
            panic!("on purpose");
        });
        assert!(matches!(failed, Err(StoreError::Panicked(message)) if message == "on purpose"));
        let added = store.call(|db| Ok(db.execute(insert, [])?));
        assert_eq!(added.expect("a row"), 1);
        store.close().expect("a clean end");
    }
}
