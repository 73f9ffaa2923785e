//! What is said both to the log of the program and to that of the store.

use std::panic::Location;

use super::now;
use crate::domain::{CaseId, LogLevel, RunId};
use crate::store::LogLine;

/// Emits a line as a tracing event, of the class of who says it, and returns it for the log of the store.
#[track_caller]
pub(super) fn tell(level: LogLevel, message: String) -> LogLine {
    let class = tracing::field::display(Location::caller());
    match level {
        LogLevel::Info => tracing::info!(class, "{message}"),
        LogLevel::Warning => tracing::warn!(class, "{message}"),
        LogLevel::Error => tracing::error!(class, "{message}"),
    }
    LogLine { at: now(), level, message }
}

/// What is said inside of it is about a run.
pub(super) fn span_of_run(run: RunId) -> tracing::Span {
    tracing::error_span!("run", run = run.0)
}

/// What is said inside of it is about a case.
pub(super) fn span_of(case: CaseId) -> tracing::Span {
    tracing::error_span!("case", run = case.run.0, case = %case)
}
