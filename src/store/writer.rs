//! The writing thread: groups what it is asked into transactions and answers after the commit.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::disk::{Disk, LATEST};
use super::finder::Finder;
use super::held::AllHeld;
use super::lock::{IfHeld, Lock};
use super::{StoreError, create_files, database_path, refuse_unreadable, schema, write};
use crate::domain::{TimestampUs, catching, crash_point};

/// How many requests one transaction may hold, so that an answer is never far away.
const GROUP_MOST: usize = 64;

/// Calls back with the outcome of the commit that a request was in.
type Answer = Box<dyn FnOnce(Result<(), StoreError>) + Send>;

/// Runs inside the group's transaction, or learns why there is none; says why it failed, if it did.
type Request = Box<dyn FnOnce(Result<&Connection, StoreError>) -> Ran + Send>;

/// What a request came to before the commit.
struct Ran {
    failed: Option<StoreError>,
    /// Whether it is to be on disk before the answer.
    lasting: bool,
    answer: Answer,
}

/// Runs outside of any transaction.
type Alone = Box<dyn FnOnce(&mut Connection, &mut Disk) + Send>;

/// What the writing thread is sent.
enum Message {
    Request(Request),
    Alone(Alone),
    /// Nothing more will be asked for that matters.
    Close,
}

/// The store, open for writing. Closing it ends the writing thread.
#[derive(Debug)]
pub struct Store {
    writer: Writer,
    thread: JoinHandle<Result<(), StoreError>>,
}

/// Whoever wants something written has one; it asks the writing thread.
#[derive(Debug, Clone)]
pub struct Writer {
    messages: Sender<Message>,
    database: Arc<Path>,
    held: AllHeld,
    finder: Finder,
}

impl Store {
    /// Opens the store in a state directory, making it if there is none. The cases that a dead process was
    /// playing become suspects, as of `at`.
    ///
    /// # Errors
    /// [`StoreError`]: held, no permission, no space, damaged, or written by a newer simdrop.
    pub fn open(state: &Path, if_held: IfHeld<'_>, at: TimestampUs) -> Result<Self, StoreError> {
        Self::open_counting(state, if_held, at, Arc::default())
    }

    /// Opens it as [`Store::open`] does, and counts in `steps` how far it gets with what may take long: bringing
    /// an older store to this version, and putting back what a dead process had.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_counting(
        state: &Path,
        if_held: IfHeld<'_>,
        at: TimestampUs,
        steps: Arc<AtomicU64>,
    ) -> Result<Self, StoreError> {
        refuse_unreadable(state)?;
        create_files(state)?;
        let lock = Lock::take(state, if_held)?;
        let mut db = schema::open_for_writing(&database_path(state), steps)?;
        recover(&mut db, at)?;
        db.progress_handler(0, None::<fn() -> bool>)?;
        let mut disk = Disk::open(&database_path(state))?;
        let (messages, inbox) = mpsc::channel();
        let finder = Finder::default();
        let (database, held) = (database_path(state).into(), AllHeld::default());
        let writer = Writer { messages, database, held, finder: finder.clone() };
        let thread = thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || {
                serve(&mut db, &mut disk, &finder, &inbox);
                let closed = checkpoint(&db);
                drop(db);
                drop(lock);
                closed
            })
            .map_err(|source| StoreError::Io { path: state.to_owned(), source: source.into() })?;
        Ok(Self { writer, thread })
    }

    /// Somebody's way to the writing thread.
    #[must_use]
    pub fn writer(&self) -> Writer {
        self.writer.clone()
    }

    /// Commits what was asked, writes the WAL back, and ends the writing thread. Whoever still has a
    /// [`Writer`] hears that the store has stopped.
    ///
    /// # Errors
    /// The WAL could not be written back; nothing is lost by that.
    pub fn close(self) -> Result<(), StoreError> {
        let _ = self.writer.messages.send(Message::Close);
        self.thread.join().unwrap_or(Err(StoreError::Stopped))
    }
}

impl Writer {
    /// The database file.
    pub(super) const fn database(&self) -> &Arc<Path> {
        &self.database
    }

    /// The contents that somebody is about to refer to.
    pub(super) const fn held(&self) -> &AllHeld {
        &self.held
    }

    /// Where contents are found.
    pub(super) const fn finder(&self) -> &Finder {
        &self.finder
    }

    /// Asks for a change; `answer` is called in any case, on the writing thread after its commit, when it is on
    /// disk.
    pub(super) fn ask<T: Send + 'static>(
        &self,
        verb: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
        answer: impl FnOnce(Result<T, StoreError>) + Send + 'static,
    ) {
        self.ask_lasting(verb, |_| true, answer);
    }

    /// Asks as [`Writer::ask`] does for a step of something that a later change ends: it is answered after its
    /// commit, without the wait for the disk.
    pub(super) fn ask_step<T: Send + 'static>(
        &self,
        verb: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
        answer: impl FnOnce(Result<T, StoreError>) + Send + 'static,
    ) {
        self.ask_lasting(verb, |_| false, answer);
    }

    /// Asks for a change whose outcome says whether it is to be on disk before the answer.
    pub(super) fn ask_lasting<T: Send + 'static>(
        &self,
        verb: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
        lasts: impl FnOnce(&T) -> bool + Send + 'static,
        answer: impl FnOnce(Result<T, StoreError>) + Send + 'static,
    ) {
        let request: Request = Box::new(move |db| {
            let outcome = db.and_then(|db| in_savepoint(db, verb));
            let failed = outcome.as_ref().err().cloned();
            let lasting = outcome.as_ref().is_ok_and(lasts);
            Ran { failed, lasting, answer: Box::new(move |commit| answer(commit.and(outcome))) }
        });
        if let Err(mpsc::SendError(Message::Request(request))) =
            self.messages.send(Message::Request(request))
        {
            (request(Err(StoreError::Stopped)).answer)(Ok(()));
        }
    }

    /// Asks for a change and waits for its commit.
    pub(super) fn call<T: Send + 'static>(
        &self,
        verb: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.call_lasting(verb, true)
    }

    /// Asks for a step as [`Writer::ask_step`] does, and waits for its commit.
    pub(super) fn call_step<T: Send + 'static>(
        &self,
        verb: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.call_lasting(verb, false)
    }

    fn call_lasting<T: Send + 'static>(
        &self,
        verb: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
        lasts: bool,
    ) -> Result<T, StoreError> {
        let (sender, receiver) = mpsc::sync_channel(1);
        self.ask_lasting(verb, move |_| lasts, move |outcome| drop(sender.send(outcome)));
        receiver.recv().unwrap_or(Err(StoreError::Stopped))
    }

    /// Has something done between two transactions, and waits for it.
    pub(super) fn call_alone<T: Send + 'static>(
        &self,
        verb: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (sender, receiver) = mpsc::sync_channel(1);
        let alone: Alone = Box::new(move |db, disk| {
            let outcome = catching(|| verb(db));
            let outcome = outcome.unwrap_or_else(|said| Err(StoreError::Panicked(said)));
            drop(sender.send(outcome.and_then(|value| disk.flush(db).map(|()| value))));
        });
        let _ = self.messages.send(Message::Alone(alone));
        receiver.recv().unwrap_or(Err(StoreError::Stopped))
    }
}

fn recover(db: &mut Connection, at: TimestampUs) -> Result<(), StoreError> {
    let transaction = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    write::recover(&transaction, at)?;
    Ok(transaction.commit()?)
}

fn serve(db: &mut Connection, disk: &mut Disk, finder: &Finder, inbox: &Receiver<Message>) {
    let mut waiting = None;
    while let Some(message) = waiting.take().or_else(|| next(db, disk, inbox)) {
        match message {
            Message::Close => return,
            Message::Alone(alone) => alone(db, disk),
            Message::Request(first) => waiting = serve_group(db, disk, finder, first, inbox),
        }
    }
}

/// The next message. While there is none, what was committed goes to disk; that it cannot, whoever waits for a
/// commit hears.
fn next(db: &Connection, disk: &mut Disk, inbox: &Receiver<Message>) -> Option<Message> {
    if disk.is_behind(db) {
        match inbox.recv_timeout(LATEST) {
            Err(RecvTimeoutError::Timeout) => drop(disk.flush(db)),
            message => return message.ok(),
        }
    }
    inbox.recv().ok()
}

/// One transaction: the first request and those that have come in meanwhile. The answer is what has come in
/// that is no request.
fn serve_group(
    db: &mut Connection,
    disk: &mut Disk,
    finder: &Finder,
    first: Request,
    inbox: &Receiver<Message>,
) -> Option<Message> {
    let transaction = match db.transaction_with_behavior(TransactionBehavior::Immediate) {
        Ok(transaction) => transaction,
        Err(error) => {
            (first(Err(error.into())).answer)(Ok(()));
            return None;
        }
    };
    let run = |request: Request| {
        let ran = request(Ok(&transaction));
        if ran.failed.is_some() {
            finder.forget();
        }
        ran
    };
    let mut ran = vec![run(first)];
    let mut other = None;
    while other.is_none()
        && ran.len() < GROUP_MOST
        && !transaction.is_autocommit()
        && let Ok(next) = inbox.try_recv()
    {
        match next {
            Message::Request(next) => ran.push(run(next)),
            next => other = Some(next),
        }
    }
    let lasting = ran.iter().any(|ran| ran.lasting);
    let committed = commit(transaction, &mut ran).inspect_err(|_| finder.forget());
    let committed =
        committed.and_then(|()| if lasting || disk.is_late() { disk.flush(db) } else { Ok(()) });
    for Ran { answer, .. } in ran {
        answer(committed.clone());
    }
    other
}

fn commit(transaction: Transaction<'_>, ran: &mut [Ran]) -> Result<(), StoreError> {
    crash_point("before-commit");
    // After some errors, such as a full disk, SQLite has rolled back everything by itself, and the group ends
    // there: then the last error says what is wrong, to all whose work is lost by it.
    let lost = transaction.is_autocommit().then(|| ran.last_mut()?.failed.take()).flatten();
    let committed = transaction.commit().map_err(|error| lost.unwrap_or_else(|| error.into()));
    crash_point("after-commit");
    committed
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
    let ended = db.execute_batch(ended).map_err(StoreError::from);
    outcome.and_then(|value| ended.map(|()| value))
}

/// Writes the WAL back into the database; the side files stay for readers.
fn checkpoint(db: &Connection) -> Result<(), StoreError> {
    db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(())
}

#[cfg(test)]
mod tests;
