//! What is said about an input: the error that stops it from being played, and warnings.

use std::any::Any;
use std::error::Error;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::{Deserialize, Serialize};

/// Why a case could not be played, as a word that scripts may rely on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorCode {
    /// A byte that no judge's input contains.
    ForbiddenByte,
    /// A token that is no integer.
    NotANumber,
    /// A number beyond signed 64 bits.
    NumberTooLarge,
    /// No token at all.
    Empty,
    /// The number of tokens fits no simulator.
    Unrecognised,
    /// The input reads well for two simulators; its simulator must be named.
    Ambiguous,
    /// A token is missing at the end.
    TokenMissing,
    /// A token is left over.
    TokenLeftOver,
    /// A number outside the bounds its place allows.
    OutOfBounds,
    /// An attack order that is no permutation.
    NotAPermutation,
    /// A talent or skill that does not exist.
    UnknownId,
    /// A value left 64 bits while playing.
    OutOfRange,
    /// The step limit passed without an end.
    Undecided,
    /// More bytes than the configuration allows.
    TooLarge,
    /// More games than the configuration allows.
    TooManyGames,
    /// More output than the configuration allows.
    OutputTooLarge,
    /// The file could not be read.
    Unreadable,
    /// A link, pipe, socket or device: never opened.
    NotAFile,
    /// The program failed while playing; a bug of ours.
    Panic,
    /// It was played before by the same version and gave another output; a bug of ours, or a damaged
    /// store.
    Diverged,
    /// The process that played it died; a bug of ours.
    Died,
    /// It took longer than any game should; a bug of ours.
    Overdue,
}

/// Why a case could not be played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{}{message}", Place(*.line, *.column))]
pub struct CaseError {
    /// The kind of error.
    pub code: ErrorCode,
    /// What was found and what was expected.
    pub message: String,
    /// The line, from 1, if the error has a place in the input.
    pub line: Option<u64>,
    /// The column, from 1, in bytes; a BOM does not count.
    pub column: Option<u64>,
}

impl CaseError {
    /// Played again, the same version gave another output than the one that is kept.
    #[must_use]
    pub fn diverged() -> Self {
        let message = "gave another output than when the same version played it before";
        Self::new(ErrorCode::Diverged, message)
    }

    /// An error without a place in the input.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), line: None, column: None }
    }
}

/// Something odd about an input that is played all the same. One per code, with its first place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// The kind of warning, as a word that scripts may rely on.
    pub code: String,
    /// What was found.
    pub message: String,
    /// The line of the first one, from 1.
    pub line: Option<u64>,
    /// The column of the first one, from 1, in bytes.
    pub column: Option<u64>,
    /// How many there are.
    pub count: u64,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", Place(self.line, self.column), self.message)?;
        match self.count {
            0 | 1 => Ok(()),
            count => write!(f, " ({count} times)"),
        }
    }
}

/// Prints `line L, column C: ` if there is a place.
struct Place(Option<u64>, Option<u64>);

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0, self.1) {
            (Some(line), Some(column)) => write!(f, "line {line}, column {column}: "),
            (Some(line), None) => write!(f, "line {line}: "),
            (None, _) => Ok(()),
        }
    }
}

/// Runs `work`; a panic, that is a bug of ours, becomes its message.
///
/// # Errors
/// The message of the panic.
pub fn catching<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    // What the work touched is dropped or taken back by whoever asks, so nobody sees it half changed.
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| message(payload.as_ref()))
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned())
}

/// An error with all its causes, in one line.
pub fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(source) = cause {
        text += &format!(": {source}");
        cause = source.source();
    }
    text
}
