//! Between the store's words and the engine's: a claimed case becomes a job, an evaluation becomes a
//! finished case.

use std::time::Duration;

use super::now;
use crate::domain::{CaseError, CaseId, ErrorCode, LogLevel, ResultId, TimestampUs, Verdict};
use crate::engine::{Evaluation, Job, KnownOutput, Played};
use crate::store::{Claimed, Finished, LogLine, NewResult, Packed, ResultKey, Timings, Yield};

/// What is kept of a case while the engine has it.
pub(super) struct Ticket {
    id: CaseId,
    key: ResultKey,
    known: Option<ResultId>,
    wait_us: i64,
}

/// Splits a claimed case into what is kept and what is played.
pub(super) fn job(case: Claimed, at: TimestampUs) -> (Ticket, Job) {
    let ticket = Ticket {
        id: case.id,
        key: case.key,
        known: case.known.as_ref().map(|known| known.result),
        // The wall clock may have been set back.
        wait_us: at.0.saturating_sub(case.queued_at.0).max(0),
    };
    let known = case.known.map(|known| KnownOutput {
        output: known.output,
        endless: known.endless,
        error: known.error,
    });
    let ResultKey { simulator, rules, .. } = case.key;
    (ticket, Job { simulator, rules, input: case.input, compared: case.compared, known })
}

impl Ticket {
    /// Puts the evaluation into the store's words; hashes and compresses on the thread that played.
    pub(super) fn finish(self, evaluation: Evaluation) -> Finished {
        let message = self.message(&evaluation);
        let result = match (self.known, evaluation.played) {
            (Some(result), _) => Yield::Known(result),
            (None, Some(played)) => Yield::New(new_result(self.key, played)),
            (None, None) => Yield::Nothing,
        };
        Finished {
            id: self.id,
            verdict: evaluation.verdict,
            result,
            difference: evaluation.difference,
            error: evaluation.error,
            timings: Timings {
                wait_us: self.wait_us,
                parse_us: micros(evaluation.parse),
                play_us: micros(evaluation.play),
                compare_us: micros(evaluation.compare),
                store_us: 0,
            },
            log: vec![told(message)],
        }
    }

    /// What the log of the case says.
    fn message(&self, evaluation: &Evaluation) -> String {
        let how = match &evaluation.played {
            Some(played) => {
                let games = played.games.len();
                let noun = if games == 1 { "game" } else { "games" };
                format!("played {games} {noun} by {}", self.key.simulator)
            }
            None if self.known.is_some() => "answered from the store".to_owned(),
            None => "not played".to_owned(),
        };
        let why = evaluation.error.as_ref().map(|error| format!(": {error}")).unwrap_or_default();
        format!("{}, {how}{why}", evaluation.verdict)
    }
}

/// A case whose result could not even be put into words.
pub(super) fn crashed(id: CaseId, message: String) -> Finished {
    let error = CaseError::new(ErrorCode::Panic, message);
    let verdict = Verdict::Crash;
    Finished {
        id,
        verdict,
        result: Yield::Nothing,
        difference: None,
        log: vec![told(format!("{verdict}: {error}"))],
        error: Some(error),
        timings: Timings::default(),
    }
}

/// A line about a case: thousands of them, so only those who ask twice see them at once.
fn told(message: String) -> LogLine {
    tracing::debug!("{message}");
    LogLine { at: now(), level: LogLevel::Info, message }
}

fn new_result(key: ResultKey, played: Played) -> NewResult {
    NewResult {
        key,
        output: played.output.as_deref().map(Packed::new),
        games: played.games,
        error: played.error,
        warnings: played.warnings,
    }
}

fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}
