//! The JSON forms. Fields are only ever added; `schema` comes first.

mod compared;
mod list;
mod shown;

pub(super) use compared::{Changed, Compared};
pub(super) use list::List;
pub(super) use shown::ShownRun;

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::render;
use crate::compare;
use crate::domain::{
    CaseError, CaseState, CompareMode, ContentHash, Difference, Ending, LogLevel, RuleSet,
    RunState, SimulatorId, TimestampUs, Verdict, Warning,
};
use crate::service::About;
use crate::sim;
use crate::store::{BytesRecord, CaseRecord, GameRecord, LogRecord, RunRecord, Timings};

/// The version of these forms.
pub(super) const SCHEMA: u32 = 1;

/// A run.
#[derive(Debug, Serialize)]
pub(super) struct Run {
    schema: u32,
    id: i64,
    label: Option<String>,
    tags: BTreeMap<String, String>,
    state: RunState,
    source: String,
    sources: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_b64: Option<String>,
    compare: CompareMode,
    of: Option<i64>,
    taken_in_at: String,
    finished_at: Option<String>,
    listed: u64,
    total: u64,
    done: u64,
    verdicts: Named<u64>,
    cached: u64,
    seconds: Option<f64>,
    about: Option<About>,
}

impl From<&RunRecord> for Run {
    fn from(run: &RunRecord) -> Self {
        let counts = Verdict::ALL.iter().zip(run.verdicts);
        Self {
            schema: SCHEMA,
            id: run.id.0,
            label: run.label.clone(),
            tags: run.tags.clone(),
            state: run.state,
            source: render::sources(run),
            sources: run.source.split(|&byte| byte == 0).map(lossy).collect(),
            source_b64: base64(&run.source),
            compare: run.compare,
            of: run.of.map(|id| id.0),
            taken_in_at: time(run.taken_in_at),
            finished_at: run.finished_at.map(time),
            listed: run.listed,
            total: run.total,
            done: run.done,
            verdicts: Named(counts.map(|(verdict, count)| (verdict.name(), count)).collect()),
            cached: run.cached,
            seconds: run.finished_at.map(|end| seconds(end.0 - run.taken_in_at.0)),
            about: About::of(run),
        }
    }
}

/// A case.
#[derive(Debug, Serialize)]
pub(super) struct Case {
    schema: u32,
    run: i64,
    rank: u32,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name_b64: Option<String>,
    simulator: Option<SimulatorId>,
    rules: Option<RuleSet>,
    version: Option<u32>,
    state: CaseState,
    verdict: Option<Verdict>,
    attempts: u32,
    suspect: bool,
    cached: bool,
    games: Option<u64>,
    input: Option<Bytes>,
    output: Option<Bytes>,
    timings: Option<Seconds>,
    difference: Option<Difference>,
    error: Option<CaseError>,
    warnings: Vec<Warning>,
}

impl From<&CaseRecord> for Case {
    fn from(case: &CaseRecord) -> Self {
        Self {
            schema: SCHEMA,
            run: case.id.run.0,
            rank: case.id.rank,
            name: lossy(&case.name),
            name_b64: base64(&case.name),
            simulator: case.simulator,
            rules: case.rules,
            version: case.version,
            state: case.state,
            verdict: case.verdict,
            attempts: case.attempts,
            suspect: case.suspect,
            cached: case.cached,
            games: case.games,
            input: case.input.map(Bytes::from),
            output: case.output.map(Bytes::from),
            timings: case.timings.map(Seconds::from),
            difference: case.difference.clone(),
            error: case.error.clone(),
            warnings: case.warnings.clone(),
        }
    }
}

#[derive(Debug, Serialize)]
struct Bytes {
    hash: ContentHash,
    bytes: u64,
}

impl From<BytesRecord> for Bytes {
    fn from(record: BytesRecord) -> Self {
        Self { hash: record.hash, bytes: record.bytes }
    }
}

#[derive(Debug, Serialize)]
struct Seconds {
    wait: f64,
    parse: f64,
    play: f64,
    compare: f64,
    store: f64,
}

impl From<Timings> for Seconds {
    fn from(timings: Timings) -> Self {
        Self {
            wait: seconds(timings.wait_us),
            parse: seconds(timings.parse_us),
            play: seconds(timings.play_us),
            compare: seconds(timings.compare_us),
            store: seconds(timings.store_us),
        }
    }
}

/// A game.
#[derive(Debug, Serialize)]
pub(super) struct Game {
    schema: u32,
    run: i64,
    rank: u32,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name_b64: Option<String>,
    game: u64,
    simulator: SimulatorId,
    ending: Ending,
    winner: Option<String>,
    length: Option<u64>,
    metrics: Named<i64>,
    lists: Value,
}

impl From<&GameRecord> for Game {
    fn from(game: &GameRecord) -> Self {
        let names = game.simulator.metrics().iter().copied();
        Self {
            schema: SCHEMA,
            run: game.case.run.0,
            rank: game.case.rank,
            name: lossy(&game.name),
            name_b64: base64(&game.name),
            game: game.number,
            simulator: game.simulator,
            ending: game.ending,
            winner: game.winner.map(|number| game.simulator.player(number)),
            length: game.length,
            metrics: Named(names.zip(game.metrics).collect()),
            lists: game.lists.clone().unwrap_or_else(|| Value::Object(Map::new())),
        }
    }
}

/// A line of a log.
#[derive(Debug, Serialize)]
pub(super) struct LogLine<'a> {
    schema: u32,
    run: i64,
    /// None for a line of the run itself.
    rank: Option<u32>,
    at: String,
    level: LogLevel,
    message: &'a str,
}

impl<'a> From<&'a LogRecord> for LogLine<'a> {
    fn from(line: &'a LogRecord) -> Self {
        let (level, at) = (line.level, time(line.at));
        let (run, rank) = (line.case.run.0, Some(line.case.rank).filter(|&rank| rank > 0));
        Self { schema: SCHEMA, run, rank, at, level, message: &line.message }
    }
}

/// A step of a game, with its place.
#[derive(Debug, Serialize)]
pub(super) struct Step<'a> {
    schema: u32,
    game: u64,
    step: u64,
    /// How long the game's output is after this step.
    output_bytes: usize,
    #[serde(flatten)]
    event: &'a sim::Step,
}

impl<'a> Step<'a> {
    pub(super) const fn new(
        game: u64,
        step: u64,
        output_bytes: usize,
        event: &'a sim::Step,
    ) -> Self {
        Self { schema: SCHEMA, game, step, output_bytes, event }
    }
}

/// What differs between a case's output and its file.
#[derive(Debug, Serialize)]
pub(super) struct Diff<'a> {
    schema: u32,
    #[serde(flatten)]
    diff: &'a compare::Diff,
}

impl<'a> From<&'a compare::Diff> for Diff<'a> {
    fn from(diff: &'a compare::Diff) -> Self {
        Self { schema: SCHEMA, diff }
    }
}

/// An object whose keys keep their order.
#[derive(Debug)]
pub(super) struct Named<T>(pub(super) Vec<(&'static str, T)>);

impl<T: Serialize> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

pub(super) fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The exact bytes of a name that is no UTF-8.
pub(super) fn base64(bytes: &[u8]) -> Option<String> {
    std::str::from_utf8(bytes).is_err().then(|| STANDARD.encode(bytes))
}

/// UTC, ISO 8601.
pub(super) fn time(at: TimestampUs) -> String {
    Timestamp::from_microsecond(at.0).unwrap_or_default().to_string()
}

#[expect(clippy::cast_precision_loss, reason = "exact for 285 years of microseconds")]
fn seconds(micros: i64) -> f64 {
    micros as f64 / 1e6
}
