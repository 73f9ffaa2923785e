//! What the writer can be asked for. Each verb is one guarded change; what it reports is committed.

mod claim;
mod daemon;
mod edit;
mod ended;
mod finish;
mod marks;
mod parts;
mod records;
mod recover;
mod remove;
mod runs;
mod statements;
mod sweep;
mod take_in;
mod vacuum;

pub use records::{
    Bytes, Claimed, Dropped, Finished, Known, LogLine, NewCase, NewResult, NewRun, Repeat,
    ResultKey, Taken, Timings, Whole, Yield,
};

pub use daemon::{AnsweredRequest, Beat};
pub use edit::{Edit, LabelEdit};
pub use sweep::{Sweep, Swept};

pub(super) use recover::recover;
pub(super) use statements::Statements;

use std::sync::Arc;

use ended::Ended;
use rusqlite::{Connection, params};
use serde::Serialize;

use super::codes::Code;
use super::content::add_chunks;
use super::games::GameBlocks;
use super::stream::{Chunks, Kept};
use super::{Chunk, Held, StoreError, Writer};
use crate::domain::{
    Body, CaseError, CaseId, ContentHash, ContentId, ResultId, RunId, SimulatorId, TimestampUs,
};

/// What a claim goes by.
#[derive(Debug, Clone, Copy)]
pub struct Claim {
    /// The run.
    pub run: RunId,
    /// The most cases.
    pub most: u32,
    /// No more cases once they hold so many bytes.
    pub bytes: usize,
    /// The current version of a simulator: only its results answer a case.
    pub version: fn(SimulatorId) -> u32,
    /// Whether to play what is known, too.
    pub fresh: bool,
}

impl Writer {
    /// Starts a run, in state `taking-in`.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn start_run(&self, run: NewRun) -> Result<RunId, StoreError> {
        self.call(move |db| runs::start(db, &run))
    }

    /// Takes in a small run as a whole: begins it, adds its cases, and ends its list. The answer is the run
    /// and how many of its cases are queued.
    pub fn admit_run(
        &self,
        run: NewRun,
        cases: Vec<NewCase>,
        log: Vec<LogLine>,
        answer: impl FnOnce(Result<(RunId, u64), StoreError>) + Send + 'static,
    ) {
        let finder = self.finder().clone();
        let admit = move |db: &Connection| {
            let id = runs::start(db, &run)?;
            let queued = take_in::add_cases(db, &finder, id, 0, &cases, run.at)?;
            add_log(&mut Statements::new(db), id.head(), &log)?;
            take_in::end_list(db, id, run.at)?;
            Ok((id, queued))
        };
        self.ask(admit, answer);
    }

    /// Records a run in which nothing can be read as a case, in state `rejected`, with the reason in its log.
    /// What lay in an inbox is still to be put away.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn reject_run(
        &self,
        run: NewRun,
        reason: LogLine,
        in_inbox: bool,
    ) -> Result<RunId, StoreError> {
        self.call(move |db| {
            let id = runs::start(db, &run)?;
            add_log(&mut Statements::new(db), id.head(), &[reason])?;
            if in_inbox {
                runs::keep_in_inbox(db, id)?;
            }
            take_in::end_list(db, id, run.at)?;
            Ok(id)
        })
    }

    /// Starts a run, in state `open`, of the cases of an older one that have certain verdicts and whose
    /// inputs could be read; they keep their ranks. `None`: there are no such cases.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn repeat_run(&self, repeat: Repeat) -> Result<Option<RunId>, StoreError> {
        self.call(move |db| runs::repeat(db, &repeat))
    }

    /// Adds cases to a run that has so many by now, and says, through `answer`, how many of them are queued.
    /// Nothing is added if those before them are not there.
    pub fn add_cases(
        &self,
        run: RunId,
        before: u64,
        cases: Vec<NewCase>,
        at: TimestampUs,
        answer: impl FnOnce(Result<u64, StoreError>) + Send + 'static,
    ) {
        let finder = self.finder().clone();
        let add = move |db: &Connection| take_in::add_cases(db, &finder, run, before, &cases, at);
        self.ask_step(add, answer);
    }

    /// Ends the list of a run: it becomes `open`, `done` if nothing is left to play, or `rejected`
    /// if there is no case in it.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn end_list(
        &self,
        run: RunId,
        log: Vec<LogLine>,
        at: TimestampUs,
    ) -> Result<(), StoreError> {
        self.call(move |db| {
            add_log(&mut Statements::new(db), run.head(), &log)?;
            take_in::end_list(db, run, at)
        })
    }

    /// Finds a content that is kept as a whole.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn find_content(&self, hash: ContentHash) -> Result<Option<Held>, StoreError> {
        let (held, finder) = (self.held().clone(), self.finder().clone());
        self.call_step(move |db| {
            Ok(finder.find(&mut Statements::new(db), hash)?.map(|id| held.hold(id)))
        })
    }

    /// Starts a content that comes in chunks.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn begin_content(&self, hash: ContentHash, bytes: u64) -> Result<ContentId, StoreError> {
        self.call_step(move |db| parts::begin_content(db, hash, bytes))
    }

    /// Adds chunk `number`, from 0, to a content that is not whole yet.
    pub fn add_chunk(
        &self,
        to: ContentId,
        number: i64,
        chunk: Chunk,
        answer: impl FnOnce(Result<(), StoreError>) + Send + 'static,
    ) {
        self.ask_step(move |db| parts::add_content_chunk(db, to, number, chunk), answer);
    }

    /// Ends a content that came in chunks.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn end_content(&self, id: ContentId) -> Result<Held, StoreError> {
        let (held, finder) = (self.held().clone(), self.finder().clone());
        self.call_step(move |db| parts::end_content(db, &finder, id).map(|()| held.hold(id)))
    }

    /// Takes back a content that is not whole.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn drop_content(&self, id: ContentId) -> Result<(), StoreError> {
        self.call_step(move |db| parts::drop_content(db, id))
    }

    /// Starts a result whose games come in slices.
    pub fn begin_result(
        &self,
        key: ResultKey,
        answer: impl FnOnce(Result<ResultId, StoreError>) + Send + 'static,
    ) {
        self.ask_step(move |db| parts::begin_result(db, key), answer);
    }

    /// Adds games, numbered from `first`, and chunks of the output, numbered from `first_chunk`, to a
    /// result that is not finished yet.
    pub fn add_slice(
        &self,
        to: ResultId,
        (first, games): (i64, GameBlocks),
        (first_chunk, chunks): (i64, Vec<Chunk>),
        answer: impl FnOnce(Result<(), StoreError>) + Send + 'static,
    ) {
        let add = move |db: &Connection| {
            let db = &mut Statements::new(db);
            games.add(db, to, first)?;
            add_chunks(db, Kept::Output(to), first_chunk, &chunks)
        };
        self.ask_step(add, answer);
    }

    /// Finishes a result that came in slices, or drops it for one with the same key that is there by now.
    /// The answer is the one that stays, or that it has another output.
    pub fn end_result(
        &self,
        id: ResultId,
        key: ResultKey,
        whole: Whole,
        answer: impl FnOnce(Result<Result<ResultId, CaseError>, StoreError>) + Send + 'static,
    ) {
        self.ask_step(move |db| parts::end_result(db, id, key, &whole), answer);
    }

    /// The output of a result that came in slices and is committed.
    #[must_use]
    pub fn output(&self, of: ResultId, bytes: u64) -> Body {
        Body::Stream(Arc::new(Chunks::new(Arc::clone(self.database()), Kept::Output(of), bytes)))
    }

    /// Takes back a result that is not finished.
    pub fn drop_result(
        &self,
        id: ResultId,
        answer: impl FnOnce(Result<(), StoreError>) + Send + 'static,
    ) {
        self.ask(move |db| parts::drop_result(db, id), answer);
    }

    /// Hands out queued cases of a run, in rank order.
    pub fn claim(
        &self,
        claim: Claim,
        answer: impl FnOnce(Result<Vec<Claimed>, StoreError>) + Send + 'static,
    ) {
        let path = Arc::clone(self.database());
        self.ask_step(move |db| claim::claim(db, &path, claim), answer);
    }

    /// Ends cases of one run: results, logs, final states and counters in one transaction. A case
    /// that is not running is left alone. `clock` says when the run is done, if it is.
    pub fn finish(
        &self,
        run: RunId,
        cases: Vec<Finished>,
        clock: fn() -> TimestampUs,
        answer: impl FnOnce(Result<(), StoreError>) + Send + 'static,
    ) {
        let finish = move |db: &Connection| finish::finish(db, run, cases, clock);
        self.ask_lasting(finish, |is_over| *is_over, |ended| answer(ended.map(|_| ())));
    }

    /// Puts a running case back.
    pub fn queue_again(
        &self,
        case: CaseId,
        answer: impl FnOnce(Result<(), StoreError>) + Send + 'static,
    ) {
        self.ask(move |db| recover::queue_again(db, case), answer);
    }

    /// Puts a running case back, as one that did not come to an end by itself.
    pub fn suspect(
        &self,
        case: CaseId,
        log: LogLine,
        answer: impl FnOnce(Result<(), StoreError>) + Send + 'static,
    ) {
        let back = move |db: &Connection| {
            add_log(&mut Statements::new(db), case, &[log])?;
            recover::suspect(db, case)
        };
        self.ask(back, answer);
    }

    /// Takes back what is not done of a run: its cases are CANCELLED, and so is the run. `None`: there is
    /// nothing to take back.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn cancel_run(&self, run: RunId, at: TimestampUs) -> Result<Option<u64>, StoreError> {
        self.call(move |db| recover::cancel(db, run, at))
    }

    /// Takes note that the original of a run is out of the inbox.
    pub fn put_away(
        &self,
        run: RunId,
        log: Vec<LogLine>,
        answer: impl FnOnce(Result<(), StoreError>) + Send + 'static,
    ) {
        self.ask(move |db| daemon::put_away(db, run, &log), answer);
    }

    /// Takes note that the outputs of a run are written out.
    pub fn written_out(
        &self,
        run: RunId,
        answer: impl FnOnce(Result<(), StoreError>) + Send + 'static,
    ) {
        self.ask(move |db| daemon::written_out(db, run), answer);
    }

    /// Says what the process that holds the store is doing.
    pub fn beat(&self, beat: Beat, answer: impl FnOnce(Result<(), StoreError>) + Send + 'static) {
        self.ask(move |db| daemon::beat(db, &beat), answer);
    }

    /// Has `answer` called as soon as the writer gets to it, whether it can write or not.
    pub fn ping(&self, answer: impl FnOnce() + Send + 'static) {
        self.ask(|_| Ok(()), |_| answer());
    }

    /// Answers a request; one that was answered before keeps its answer.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn answer_request(&self, request: AnsweredRequest) -> Result<(), StoreError> {
        self.call(move |db| daemon::answer(db, &request))
    }

    /// Puts back every case of a run that is running, for whoever goes on with the run.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn release(&self, run: RunId) -> Result<(), StoreError> {
        self.call(move |db| recover::release(db, run))
    }
}

fn add_log(db: &mut Statements<'_>, case: CaseId, lines: &[LogLine]) -> Result<(), StoreError> {
    for line in lines {
        db.of("INSERT INTO logs (id, at_us, level, message) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![case.key(), line.at.0, Code(line.level), line.message])?;
    }
    Ok(())
}

/// Plain data always has a JSON form; `null` stands for a bug that a reader would notice.
pub(super) fn json<T: Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned())
}

/// Reads JSON that this room wrote.
pub(super) fn from_json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text)
        .map_err(|error| StoreError::Damaged(format!("stored JSON does not read: {error}")))
}
