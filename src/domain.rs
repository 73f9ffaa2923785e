//! The words every room shares: ids, hashes, simulators and rule sets, verdicts, states, and what is
//! said about an input that cannot be played.

mod body;
mod change;
mod crash_point;
mod fault;
mod order;
mod outcome;
mod printable;
mod state;

pub use body::{Body, Stream};
pub use change::Change;
#[cfg(feature = "faults")]
pub use crash_point::arm_crash_point;
pub use crash_point::crash_point;
pub use fault::{CaseError, ErrorCode, Warning, catching, chain};
pub use order::natural;
pub use outcome::{Ending, LIST_MAX, METRICS_MAX, Outcome};
pub use printable::printable;
pub use state::{CaseState, Class, CompareMode, LogLevel, RunState, Verdict};

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The simulators this program knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SimulatorId {
    /// Stellar Connect: a battle of talents and skills (THUPC 2021).
    StellarConnect,
    /// Thunder Bluff: airplane chess with stacks, shortcuts and battles.
    ThunderBluff,
    /// MTJ: a card game of straights and groups.
    Mtj,
    /// What fails on purpose, for the tests.
    #[cfg(feature = "faults")]
    Faults,
}

impl SimulatorId {
    /// Every simulator, in the order people see them.
    pub const ALL: [Self; 3 + cfg!(feature = "faults") as usize] = [
        Self::StellarConnect,
        Self::ThunderBluff,
        Self::Mtj,
        #[cfg(feature = "faults")]
        Self::Faults,
    ];

    /// The name people type and the store keeps.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::StellarConnect => "stellar-connect",
            Self::ThunderBluff => "thunder-bluff",
            Self::Mtj => "mtj",
            #[cfg(feature = "faults")]
            Self::Faults => "faults",
        }
    }
}

/// A set of rules a simulator can play by; part of a result's identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum RuleSet {
    /// The rules the contest's judge plays by.
    #[default]
    Judge,
    /// The statement to the letter, where it differs from the judge (Thunder Bluff only).
    Statement,
}

impl RuleSet {
    /// Every rule set, the default first.
    pub const ALL: [Self; 2] = [Self::Judge, Self::Statement];

    /// The name people type and the store keeps.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Judge => "judge",
            Self::Statement => "statement",
        }
    }
}

/// A name that belongs to no member of a closed set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} {name:?}; known: {known}")]
pub struct UnknownName {
    /// What kind of name it should have been.
    pub what: &'static str,
    /// The name as given.
    pub name: String,
    /// The names there are, separated by commas.
    pub known: String,
}

/// Ties a closed enum to its names: `FromStr`, `Display` and serde all use `name()` and `ALL`.
macro_rules! named {
    ($type:ty, $what:literal) => {
        impl FromStr for $type {
            type Err = UnknownName;

            fn from_str(name: &str) -> Result<Self, UnknownName> {
                let found = Self::ALL.into_iter().find(|item| item.name() == name);
                found.ok_or_else(|| UnknownName {
                    what: $what,
                    name: name.to_owned(),
                    known: Self::ALL.map(Self::name).join(", "),
                })
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let name = String::deserialize(deserializer)?;
                name.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

named!(SimulatorId, "simulator");
named!(RuleSet, "rule set");
named!(Verdict, "verdict");
named!(CompareMode, "compare mode");
named!(Class, "class");
named!(RunState, "run state");
named!(CaseState, "case state");
named!(Ending, "ending");
named!(LogLevel, "log level");
named!(Change, "change");

/// The number of a run; never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct RunId(pub i64);

/// A case: its run, and its rank in the run's natural order, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CaseId {
    /// The run.
    pub run: RunId,
    /// The rank in it.
    pub rank: u32,
}

/// The number of a content in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentId(pub i64);

/// The number of a result in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResultId(pub i64);

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl CaseId {
    /// The key of the case in the store.
    #[must_use]
    pub const fn key(self) -> i64 {
        (self.run.0 << 32) | self.rank as i64
    }

    /// The case with this key.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the low half")]
    pub const fn from_key(key: i64) -> Self {
        Self { run: RunId(key >> 32), rank: key as u32 }
    }
}

impl RunId {
    /// The run's own place, before its cases.
    #[must_use]
    pub const fn head(self) -> CaseId {
        CaseId { run: self, rank: 0 }
    }

    /// The place after the last case that the run can have.
    #[must_use]
    pub const fn tail(self) -> CaseId {
        CaseId { run: self, rank: u32::MAX }
    }
}

impl fmt::Display for CaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.run, self.rank)
    }
}

/// A moment in UTC, in microseconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TimestampUs(pub i64);

/// The BLAKE3 hash of some bytes: the identity of a content or an output.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContentHash(pub [u8; 32]);

impl ContentHash {
    /// Hashes `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// The first 8 bytes as an integer: what the store's index holds.
    #[must_use]
    pub fn prefix(&self) -> i64 {
        let [a, b, c, d, e, f, g, h, ..] = self.0;
        i64::from_be_bytes([a, b, c, d, e, f, g, h])
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for ContentHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Hashes bytes that come piece by piece.
#[derive(Debug, Clone, Default)]
pub struct ContentHasher(blake3::Hasher);

impl ContentHasher {
    /// Of no bytes yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the bytes that come next.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The hash of all bytes so far.
    #[must_use]
    pub fn finish(&self) -> ContentHash {
        ContentHash(*self.0.finalize().as_bytes())
    }
}

/// The first place where a compared file leaves the expected output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// The line, from 1.
    pub line: u64,
    /// The column in that line, from 1, in bytes.
    pub column: u64,
    /// The expected line, cut around the column; `None` past the expected output's end.
    pub expected: Option<String>,
    /// The file's line, cut around the column; `None` past the file's end.
    pub got: Option<String>,
    /// How many lines after this one differ too.
    pub more_lines: u64,
}
