//! Runs, cases and games as they are read, and the rows they come from.

use std::collections::BTreeMap;

use rusqlite::Row;
use rusqlite::types::FromSql;

use crate::domain::{
    CaseError, CaseId, CaseState, Class, CompareMode, ContentHash, ContentId, Difference, Ending,
    LogLevel, METRICS_MAX, ResultId, RuleSet, RunId, RunState, SimulatorId, TimestampUs, Verdict,
    Warning,
};
use crate::store::codes::Code;
use crate::store::games::{self, Game};
use crate::store::write::{Timings, from_json};
use crate::store::{StoreError, Top};

/// A run.
#[derive(Debug, Clone)]
pub struct RunRecord {
    /// Its number.
    pub id: RunId,
    /// Its label.
    pub label: Option<String>,
    /// Its tags, by key.
    pub tags: BTreeMap<String, String>,
    /// Where it stands.
    pub state: RunState,
    /// The absolute paths it came from, as bytes with NUL bytes between them.
    pub source: Vec<u8>,
    /// How it was to be taken in and played, as JSON.
    pub asked: String,
    /// How its files are compared.
    pub compare: CompareMode,
    /// The run whose cases it plays again.
    pub of: Option<RunId>,
    /// How many cases its list has; more than `total` until all of them are taken in.
    pub listed: u64,
    /// What the list was, as a hash.
    pub list_hash: Option<ContentHash>,
    /// What was found besides cases, as JSON.
    pub about: Option<String>,
    /// How urgent it is.
    pub class: Class,
    /// What the one who waits for it knows it by.
    pub token: Option<String>,
    /// Whether `out/` is still to be written for it.
    pub is_to_be_written_out: bool,
    /// When it was handed over.
    pub taken_in_at: TimestampUs,
    /// When its last case ended.
    pub finished_at: Option<TimestampUs>,
    /// How many cases it has.
    pub total: u64,
    /// How many of them are done.
    pub done: u64,
    /// How many of them were answered from the store.
    pub cached: u64,
    /// How many cases have each verdict, in the order of [`Verdict::ALL`].
    pub verdicts: [u64; Verdict::ALL.len()],
    /// How long the steps of all its cases took together; waiting does not count.
    pub work: Timings,
    /// The cases that took longest to be read, played and compared, in microseconds; cached ones do not
    /// count.
    pub slowest: Top,
    /// The cases with the largest inputs, in bytes.
    pub largest: Top,
}

impl RunRecord {
    /// Whether it is done and every verdict is fine.
    #[must_use]
    pub fn is_fine(&self) -> bool {
        self.state == RunState::Done && self.failing() == 0
    }

    /// How many of its cases have a verdict that is not fine.
    #[must_use]
    pub fn failing(&self) -> u64 {
        let counts = Verdict::ALL.iter().zip(self.verdicts);
        counts.filter(|(verdict, _)| !verdict.is_fine()).map(|(_, count)| count).sum()
    }
}

/// The identity of some bytes.
#[derive(Debug, Clone, Copy)]
pub struct BytesRecord {
    /// Their hash.
    pub hash: ContentHash,
    /// How many.
    pub bytes: u64,
}

/// A case.
#[derive(Debug, Clone)]
pub struct CaseRecord {
    /// Its run and rank.
    pub id: CaseId,
    /// Its name, as bytes.
    pub name: Vec<u8>,
    /// The simulator, if known.
    pub simulator: Option<SimulatorId>,
    /// The rules.
    pub rules: Option<RuleSet>,
    /// The version of the simulator that gave the result.
    pub version: Option<u32>,
    /// Where it stands.
    pub state: CaseState,
    /// Its verdict, once done.
    pub verdict: Option<Verdict>,
    /// How often a worker took it.
    pub attempts: u32,
    /// Whether a process died while it may have been playing it.
    pub suspect: bool,
    /// Whether it was answered from the store.
    pub cached: bool,
    /// How many games its result has.
    pub games: Option<u64>,
    /// The input.
    pub input: Option<BytesRecord>,
    /// The output.
    pub output: Option<BytesRecord>,
    /// How long its steps took; `None` until they happened.
    pub timings: Option<Timings>,
    /// Where the compared file differs.
    pub difference: Option<Difference>,
    /// Why there is no result or output.
    pub error: Option<CaseError>,
    /// What is odd about it.
    pub warnings: Vec<Warning>,
    pub(super) content: Option<ContentId>,
    pub(super) compared: Option<ContentId>,
    pub(super) result: Option<ResultId>,
}

/// A result's games, for those who want one of them.
#[derive(Debug, Clone)]
pub struct GameRecord {
    /// The case through which it is seen.
    pub case: CaseId,
    /// The name of that case, as bytes.
    pub name: Vec<u8>,
    /// The simulator.
    pub simulator: SimulatorId,
    /// Its number in the case, from 1.
    pub number: u64,
    /// How it ended.
    pub ending: Ending,
    /// The winner's number, from 1.
    pub winner: Option<u32>,
    /// Rounds, rolls or plays.
    pub length: Option<u64>,
    /// Single-number metrics, in the order of the simulator's names.
    pub metrics: [i64; METRICS_MAX],
    /// Lists of numbers by name, as a JSON object.
    pub lists: Option<serde_json::Value>,
}

/// A line of a log.
#[derive(Debug, Clone)]
pub struct LogRecord {
    /// The case it belongs to; [`RunId::head`]: to the run itself.
    pub case: CaseId,
    /// Its number; a later line has a higher one.
    pub number: i64,
    /// When.
    pub at: TimestampUs,
    /// How much it matters.
    pub level: LogLevel,
    /// What happened.
    pub message: String,
}

/// Cases with their inputs and results.
pub(super) const CASES: &str =
    "SELECT c.id, c.id, c.name, c.simulator, c.rules, r.version, c.state,
        c.verdict, c.attempts, c.cached, r.games, i.hash, i.bytes, r.output_hash, r.output_bytes,
        c.wait_us, c.parse_us, c.play_us, c.compare_us, c.store_us, c.difference,
        ifnull(c.error, r.error), r.warnings, c.content, c.compared, c.result,
        c.suspect
    FROM cases c LEFT JOIN contents i ON i.id = c.content LEFT JOIN results r ON r.id = c.result";

/// Runs.
pub(super) const RUNS: &str =
    "SELECT id, label, state, source, taken_in_us, finished_us, total, done, cached,
        ac, pe, wa, noref, badin, limits, crash, cancelled, compare, of, listed, list_hash, about,
        asked, (SELECT json_group_object(key, value) FROM tags WHERE run = runs.id), class,
        written_out = 0, token, parse_us, play_us, compare_us, store_us, slowest, largest
    FROM runs";

pub(super) fn code<T>(row: &Row<'_>, column: usize) -> rusqlite::Result<T>
where
    Code<T>: FromSql,
{
    Ok(row.get::<_, Code<_>>(column)?.0)
}

pub(super) fn coded<T>(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<T>>
where
    Code<T>: FromSql,
{
    Ok(row.get::<_, Option<Code<T>>>(column)?.map(|code| code.0))
}

fn stored<T: serde::de::DeserializeOwned>(
    row: &Row<'_>,
    column: usize,
) -> Result<Option<T>, StoreError> {
    let text: Option<String> = row.get(column)?;
    text.map(|text| from_json(&text)).transpose()
}

fn bytes(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<BytesRecord>> {
    let hash: Option<[u8; 32]> = row.get(column)?;
    let Some(hash) = hash else { return Ok(None) };
    Ok(Some(BytesRecord { hash: ContentHash(hash), bytes: row.get(column + 1)? }))
}

pub(super) fn run(row: &Row<'_>) -> Result<RunRecord, StoreError> {
    let mut verdicts = [0; Verdict::ALL.len()];
    for (column, count) in (9..).zip(&mut verdicts) {
        *count = row.get(column)?;
    }
    Ok(RunRecord {
        id: RunId(row.get(0)?),
        label: row.get(1)?,
        state: row.get::<_, Code<_>>(2)?.0,
        source: row.get(3)?,
        taken_in_at: TimestampUs(row.get(4)?),
        finished_at: row.get::<_, Option<i64>>(5)?.map(TimestampUs),
        total: row.get(6)?,
        done: row.get(7)?,
        cached: row.get(8)?,
        verdicts,
        compare: row.get::<_, Code<_>>(17)?.0,
        of: row.get::<_, Option<i64>>(18)?.map(RunId),
        listed: row.get(19)?,
        list_hash: row.get::<_, Option<[u8; 32]>>(20)?.map(ContentHash),
        about: row.get(21)?,
        asked: row.get(22)?,
        tags: stored(row, 23)?.unwrap_or_default(),
        class: row.get::<_, Code<_>>(24)?.0,
        is_to_be_written_out: row.get(25)?,
        token: row.get(26)?,
        work: Timings {
            wait_us: 0,
            parse_us: row.get(27)?,
            play_us: row.get(28)?,
            compare_us: row.get(29)?,
            store_us: row.get(30)?,
        },
        slowest: stored(row, 31)?.unwrap_or_default(),
        largest: stored(row, 32)?.unwrap_or_default(),
    })
}

fn timings(row: &Row<'_>) -> rusqlite::Result<Option<Timings>> {
    let wait: Option<i64> = row.get(15)?;
    let Some(wait_us) = wait else { return Ok(None) };
    Ok(Some(Timings {
        wait_us,
        parse_us: row.get(16)?,
        play_us: row.get(17)?,
        compare_us: row.get(18)?,
        store_us: row.get(19)?,
    }))
}

pub(super) fn case(row: &Row<'_>) -> Result<CaseRecord, StoreError> {
    Ok(CaseRecord {
        id: CaseId::from_key(row.get(0)?),
        name: row.get(2)?,
        simulator: coded(row, 3)?,
        rules: coded(row, 4)?,
        version: row.get(5)?,
        state: row.get::<_, Code<_>>(6)?.0,
        verdict: coded(row, 7)?,
        attempts: row.get(8)?,
        cached: row.get(9)?,
        games: row.get(10)?,
        input: bytes(row, 11)?,
        output: bytes(row, 13)?,
        timings: timings(row)?,
        difference: stored(row, 20)?,
        error: stored(row, 21)?,
        warnings: stored(row, 22)?.unwrap_or_default(),
        content: row.get::<_, Option<i64>>(23)?.map(ContentId),
        compared: row.get::<_, Option<i64>>(24)?.map(ContentId),
        result: row.get::<_, Option<i64>>(25)?.map(ResultId),
        suspect: row.get(26)?,
    })
}

/// Game `number` of a case, from the block it is in.
pub(super) fn game(
    row: &Row<'_>,
    case: CaseId,
    number: u64,
) -> Result<Option<GameRecord>, StoreError> {
    let first: u64 = row.get(2)?;
    let place = usize::try_from(number - first).unwrap_or(usize::MAX);
    let Some(game) = games::at(games::block(row, 3)?, place)? else { return Ok(None) };
    let Game { ending, winner, length, metrics, lists } = game;
    Ok(Some(GameRecord {
        case,
        name: row.get(0)?,
        simulator: code(row, 1)?,
        number,
        ending,
        winner,
        length: length.map(i64::cast_unsigned),
        metrics,
        lists,
    }))
}
