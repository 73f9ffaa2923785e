//! What the writer is handed, and what it hands out.

use crate::domain::{
    Body, CaseError, CaseId, Class, CompareMode, ContentHash, ContentId, Difference, ErrorCode,
    LogLevel, ResultId, RuleSet, RunId, SimulatorId, TimestampUs, Verdict, Warning,
};
use crate::store::games::GameBlocks;
use crate::store::{Counts, Held, Packed};

/// A run to be started.
#[derive(Debug)]
pub struct NewRun {
    /// What its owner calls it.
    pub label: Option<String>,
    /// What else people find it by.
    pub tags: Vec<(String, String)>,
    /// The absolute paths it comes from, with NUL bytes between them.
    pub source: Vec<u8>,
    /// How it is to be taken in and played, as JSON, for whoever goes on with it.
    pub asked: String,
    /// How its files are compared.
    pub compare: CompareMode,
    /// How many cases its list has.
    pub listed: u64,
    /// What the list is, as a hash.
    pub list_hash: Option<ContentHash>,
    /// What was found besides cases, as JSON.
    pub about: Option<String>,
    /// What is known of it if it lay in an inbox.
    pub dropped: Option<Dropped>,
    /// When it was handed over.
    pub at: TimestampUs,
}

/// What is known of something that lay in an inbox. It is to be put away, and its outputs are to be written
/// out.
#[derive(Debug, Clone)]
pub struct Dropped {
    /// How urgent it is.
    pub class: Class,
    /// What the one who waits for it knows it by.
    pub token: Option<String>,
    /// The identity of its files, if it is to be found again by it.
    pub identity: Option<ContentHash>,
}

/// A new run of cases that an older one has.
#[derive(Debug)]
pub struct Repeat {
    /// The older run.
    pub of: RunId,
    /// The verdicts of the cases that are meant.
    pub verdicts: Vec<Verdict>,
    /// What its owner calls it.
    pub label: Option<String>,
    /// What else people find it by, besides the tags of the older run.
    pub tags: Vec<(String, String)>,
    /// How it is to be played, as JSON.
    pub asked: String,
    /// How its files are compared; as those of the older run if not given.
    pub compare: Option<CompareMode>,
    /// When it was asked for.
    pub at: TimestampUs,
}

/// Bytes to be kept.
#[derive(Debug)]
pub enum Bytes {
    /// These.
    Packed(Packed),
    /// These are kept already.
    Kept(Held),
}

/// A case to be added to a run.
#[derive(Debug)]
pub struct NewCase {
    /// Its rank, from 1.
    pub rank: u32,
    /// Its name, as bytes.
    pub name: Vec<u8>,
    /// The file it is compared with.
    pub compared: Option<Bytes>,
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
        input: Bytes,
    },
    /// It cannot: the case is done, with verdict BADIN, or CRASH if that is our fault.
    Refused {
        /// The simulator it would be for, if known.
        simulator: Option<SimulatorId>,
        /// The input, if it could be read.
        input: Option<Bytes>,
        /// Why.
        error: CaseError,
    },
}

impl Taken {
    /// The simulator, if it is known.
    pub(super) const fn simulator(&self) -> Option<SimulatorId> {
        match self {
            Self::Queued { simulator, .. } => Some(*simulator),
            Self::Refused { simulator, .. } => *simulator,
        }
    }

    /// The input, if it could be read.
    pub(super) const fn input(&self) -> Option<&Bytes> {
        match self {
            Self::Queued { input, .. } => Some(input),
            Self::Refused { input, .. } => input.as_ref(),
        }
    }

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
    pub input: Body,
    /// The file to compare with.
    pub compared: Option<Body>,
    /// The result, if this input was played before.
    pub known: Option<Known>,
    /// Whether a process died while it played this case.
    pub suspect: bool,
    /// Since when it was waiting.
    pub queued_at: TimestampUs,
}

impl Claimed {
    /// How many bytes are held for it while it is played: a large input is read into memory for that, a
    /// large file to compare with is not.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let output = self.known.as_ref().and_then(|known| known.output.as_ref());
        let held = [self.compared.as_ref(), output].into_iter().flatten().map(Body::held_bytes);
        usize::try_from(self.input.bytes()).unwrap_or(usize::MAX).saturating_add(held.sum())
    }
}

/// A result that the store has already.
#[derive(Debug)]
pub struct Known {
    /// Which.
    pub result: ResultId,
    /// Its output, if it claims one and it is needed: there is a file to compare, and another one.
    pub output: Option<Body>,
    /// Whether the file to compare with is the output, byte for byte.
    pub same: bool,
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
    /// What identifies its result.
    pub key: ResultKey,
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

impl Finished {
    /// Makes it a crash after all.
    pub(super) fn crash(&mut self, error: CaseError) {
        self.verdict = Verdict::Crash;
        self.difference = None;
        for line in &mut self.log {
            line.level = LogLevel::Error;
            line.message = format!("{}: {error}", self.verdict);
        }
        self.error = Some(error);
    }
}

/// What a case gave.
#[derive(Debug)]
pub enum Yield {
    /// Nothing: the input could not be played.
    Nothing,
    /// A result that the store had already.
    Known(ResultId),
    /// A new result that was stored in parts.
    Stored(ResultId),
    /// A new result.
    New(Box<NewResult>),
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
    /// How the games went.
    pub games: GameBlocks,
    /// The output; `None` if none is claimed.
    pub output: Option<Packed>,
    /// Why no output is claimed.
    pub error: Option<CaseError>,
    /// What is odd about the input or its games.
    pub warnings: Vec<Warning>,
}

/// What a result that was stored in parts is as a whole.
#[derive(Debug)]
pub struct Whole {
    /// How many games it has.
    pub games: u64,
    /// What the counters get for them.
    pub counts: Counts,
    /// The hash and the length of its output; `None` if none is claimed.
    pub output: Option<(ContentHash, u64)>,
    /// Why no output is claimed.
    pub error: Option<CaseError>,
    /// What is odd about the input or its games.
    pub warnings: Vec<Warning>,
}
