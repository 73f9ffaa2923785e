//! What the writer can be asked for. Each verb is one guarded change; what it reports is committed.

mod claim;
mod finish;
mod recover;
mod take_in;

pub(super) use recover::cancel_unfinished;

use rusqlite::{Connection, params};
use serde::Serialize;

use super::codes::Code;
use super::{Packed, Store, StoreError};
use crate::domain::{
    CaseError, CaseId, ContentId, Difference, Ending, ErrorCode, LogLevel, Outcome, ResultId,
    RuleSet, RunId, RunState, SimulatorId, TimestampUs, Verdict, Warning,
};

/// A run to be started.
#[derive(Debug)]
pub struct NewRun {
    /// What its owner calls it.
    pub label: Option<String>,
    /// The path it came from, as bytes.
    pub source: Vec<u8>,
    /// When it was handed over.
    pub at: TimestampUs,
}

/// A case to be added to a run.
#[derive(Debug)]
pub struct NewCase {
    /// Its rank, from 1.
    pub rank: u32,
    /// Its name, as bytes.
    pub name: Vec<u8>,
    /// The file it is compared with.
    pub compared: Option<Packed>,
    /// What its input turned out to be.
    pub taken: Taken,
}

/// What the input of a case turned out to be.
#[derive(Debug)]
pub enum Taken {
    /// It can be played.
    Queued {
        /// By this simulator.
        simulator: SimulatorId,
        /// By these rules.
        rules: RuleSet,
        /// The input.
        input: Packed,
    },
    /// It cannot: the case is done, with verdict BADIN, or CRASH if that is our fault.
    Refused {
        /// The simulator it would be for, if known.
        simulator: Option<SimulatorId>,
        /// The input, if it could be read.
        input: Option<Packed>,
        /// Why.
        error: CaseError,
    },
}

impl Taken {
    /// The verdict, if the case is done with it.
    pub(super) const fn verdict(&self) -> Option<Verdict> {
        match self {
            Self::Queued { .. } => None,
            Self::Refused { error, .. } => Some(match error.code {
                ErrorCode::Panic => Verdict::Crash,
                _ => Verdict::BadIn,
            }),
        }
    }
}

/// A line of the log of a run or case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// When.
    pub at: TimestampUs,
    /// How much it matters.
    pub level: LogLevel,
    /// What happened.
    pub message: String,
}

/// A case that a worker may play now.
#[derive(Debug)]
pub struct Claimed {
    /// Which case.
    pub id: CaseId,
    /// What identifies its result.
    pub key: ResultKey,
    /// The input; empty if the result is known.
    pub input: Vec<u8>,
    /// The file to compare with.
    pub compared: Option<Vec<u8>>,
    /// The result, if this input was played before.
    pub known: Option<Known>,
    /// Since when it was waiting.
    pub queued_at: TimestampUs,
}

impl Claimed {
    /// How many bytes it holds.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let output = self.known.as_ref().and_then(|known| known.output.as_ref());
        self.input.len() + self.compared.as_ref().map_or(0, Vec::len) + output.map_or(0, Vec::len)
    }
}

/// A result that the store has already.
#[derive(Debug)]
pub struct Known {
    /// Which.
    pub result: ResultId,
    /// Its output, if it claims one.
    pub output: Option<Vec<u8>>,
    /// Whether any emoticon is right.
    pub endless: bool,
    /// Why it claims no output.
    pub error: Option<CaseError>,
}

/// How long the steps of a case took, in microseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Timings {
    /// From being queued to a worker.
    pub wait_us: i64,
    /// Reading the input.
    pub parse_us: i64,
    /// Playing all its games.
    pub play_us: i64,
    /// Comparing.
    pub compare_us: i64,
    /// Storing the result; filled in by the writer.
    pub store_us: i64,
}

/// A case that is done.
#[derive(Debug)]
pub struct Finished {
    /// Which case.
    pub id: CaseId,
    /// Its verdict.
    pub verdict: Verdict,
    /// The result it points to.
    pub result: Yield,
    /// Where the compared file differs.
    pub difference: Option<Difference>,
    /// Why there is no result.
    pub error: Option<CaseError>,
    /// How long it took.
    pub timings: Timings,
    /// What to remember about it.
    pub log: Vec<LogLine>,
}

/// What a case gave.
#[derive(Debug)]
pub enum Yield {
    /// Nothing: the input could not be played.
    Nothing,
    /// A result that the store had already.
    Known(ResultId),
    /// A new result.
    New(NewResult),
}

/// What identifies a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResultKey {
    /// The input.
    pub content: ContentId,
    /// The simulator.
    pub simulator: SimulatorId,
    /// The rules.
    pub rules: RuleSet,
    /// The simulator's version.
    pub version: u32,
}

/// A result to be stored.
#[derive(Debug)]
pub struct NewResult {
    /// What identifies it.
    pub key: ResultKey,
    /// How the games went.
    pub games: Vec<Outcome>,
    /// The output; `None` if none is claimed.
    pub output: Option<Packed>,
    /// Why no output is claimed.
    pub error: Option<CaseError>,
    /// What is odd about the input or its games.
    pub warnings: Vec<Warning>,
}

impl NewResult {
    /// Whether its only game never ends, so that any emoticon is right.
    #[must_use]
    pub fn is_endless(&self) -> bool {
        matches!(&self.games[..], [game] if game.ending == Ending::Endless)
    }
}

impl Store {
    /// Starts a run, in state `taking-in`.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn start_run(&self, run: NewRun) -> Result<RunId, StoreError> {
        self.call(move |db| {
            let sql =
                "INSERT INTO runs (state, label, source, taken_in_us) VALUES (?1, ?2, ?3, ?4)";
            let state = Code(RunState::TakingIn);
            let values = params![state, run.label, run.source, run.at.0];
            Ok(RunId(db.prepare_cached(sql)?.insert(values)?))
        })
    }

    /// Adds cases to a run and says, through `answer`, how many of them are queued.
    pub fn add_cases(
        &self,
        run: RunId,
        cases: Vec<NewCase>,
        at: TimestampUs,
        answer: impl FnOnce(Result<u64, StoreError>) + Send + 'static,
    ) {
        self.ask(move |db| take_in::add_cases(db, run, &cases, at), answer);
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
            add_log(db, run.head(), &log)?;
            take_in::end_list(db, run, at)
        })
    }

    /// Hands out up to `most` queued cases of a run, in rank order, and no more once they hold `bytes`.
    /// `version` names the current version of a simulator: only its results answer a case.
    pub fn claim(
        &self,
        run: RunId,
        most: u32,
        bytes: usize,
        version: fn(SimulatorId) -> u32,
        answer: impl FnOnce(Result<Vec<Claimed>, StoreError>) + Send + 'static,
    ) {
        self.ask(move |db| claim::claim(db, run, most, bytes, version), answer);
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
        self.ask(move |db| finish::finish(db, run, &cases, clock), answer);
    }
}

fn add_log(db: &Connection, case: CaseId, lines: &[LogLine]) -> Result<(), StoreError> {
    for line in lines {
        db.prepare_cached("INSERT INTO logs (id, at_us, level, message) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![case.key(), line.at.0, Code(line.level), line.message])?;
    }
    Ok(())
}

/// Cases that ended, by verdict, on their way into the counters of their run.
#[derive(Default)]
struct Ended {
    verdicts: [u64; Verdict::ALL.len()],
    cached: u64,
}

impl Ended {
    fn add(&mut self, verdict: Verdict, cached: bool) {
        self.add_many(verdict, 1);
        self.cached += u64::from(cached);
    }

    fn add_many(&mut self, verdict: Verdict, cases: u64) {
        self.verdicts[verdict as usize] += cases;
    }

    fn done(&self) -> u64 {
        self.verdicts.iter().sum()
    }

    fn count(&self, db: &Connection, run: RunId) -> Result<(), StoreError> {
        let [ac, pe, wa, noref, badin, limits, crash, cancelled] = self.verdicts;
        db.prepare_cached(
            "UPDATE runs SET done = done + ?2, cached = cached + ?3, ac = ac + ?4, pe = pe + ?5,
                 wa = wa + ?6, noref = noref + ?7, badin = badin + ?8, limits = limits + ?9,
                 crash = crash + ?10, cancelled = cancelled + ?11
             WHERE id = ?1",
        )?
        .execute(params![
            run.0,
            self.done(),
            self.cached,
            ac,
            pe,
            wa,
            noref,
            badin,
            limits,
            crash,
            cancelled,
        ])?;
        Ok(())
    }
}

/// Plain data always has a JSON form; `null` stands for a bug that a reader would notice.
fn json<T: Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned())
}

/// Reads JSON that this room wrote.
pub(super) fn from_json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text)
        .map_err(|error| StoreError::Damaged(format!("stored JSON does not read: {error}")))
}
