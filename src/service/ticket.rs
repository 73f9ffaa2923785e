//! What is kept of a case while the engine has it, and what becomes of it: an evaluation in the store's
//! words.

use std::time::Duration;

use super::now;
use crate::domain::{CaseError, CaseId, LogLevel, ResultId, Verdict};
use crate::engine::{Evaluation, Played};
use crate::store::{
    Claimed, Finished, GameBlocks, LogLine, NewResult, Packed, ResultKey, Timings, Yield,
};

/// What is kept of a case while the engine has it.
#[derive(Debug)]
pub(super) struct Ticket {
    pub(super) id: CaseId,
    pub(super) key: ResultKey,
    /// How many bytes it held when it was claimed.
    pub(super) bytes: usize,
    pub(super) suspect: bool,
    /// The result that was stored while it was played.
    pub(super) stored: Option<ResultId>,
    known: Option<ResultId>,
    wait_us: i64,
}

impl Ticket {
    pub(super) fn new(case: &Claimed) -> Self {
        Self {
            id: case.id,
            key: case.key,
            bytes: case.bytes(),
            suspect: case.suspect,
            stored: None,
            known: case.known.as_ref().map(|known| known.result),
            // The wall clock may have been set back.
            wait_us: now().0.saturating_sub(case.queued_at.0).max(0),
        }
    }

    /// Puts the evaluation into the store's words; hashes and compresses on the thread that played.
    pub(super) fn finish(self, evaluation: Evaluation) -> Finished {
        let message = self.message(&evaluation);
        let Self { id, key, wait_us, .. } = self;
        let result = match (self.stored, self.known, evaluation.played) {
            (Some(result), ..) => Yield::Stored(result),
            (None, Some(result), _) => Yield::Known(result),
            (None, None, Some(played)) => Yield::New(Box::new(new_result(key, played))),
            (None, None, None) => Yield::Nothing,
        };
        Finished {
            id,
            key,
            verdict: evaluation.verdict,
            result,
            difference: evaluation.difference,
            error: evaluation.error,
            timings: Timings {
                wait_us,
                parse_us: micros(evaluation.parse),
                play_us: micros(evaluation.play),
                compare_us: micros(evaluation.compare),
                store_us: 0,
            },
            log: vec![told(id, message)],
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
            None if self.stored.is_some() => {
                format!("played many games by {}", self.key.simulator)
            }
            None if self.known.is_some() => "answered from the store".to_owned(),
            None => "not played".to_owned(),
        };
        let why = evaluation.error.as_ref().map(|error| format!(": {error}")).unwrap_or_default();
        format!("{}, {how}{why}", evaluation.verdict)
    }
}

/// A case that was too much for us.
pub(super) fn crashed(id: CaseId, key: ResultKey, error: CaseError) -> Finished {
    let verdict = Verdict::Crash;
    Finished {
        id,
        key,
        verdict,
        result: Yield::Nothing,
        difference: None,
        log: vec![told(id, format!("{verdict}: {error}"))],
        error: Some(error),
        timings: Timings::default(),
    }
}

/// A line about a case: thousands of them, so only those who ask twice see them at once.
fn told(case: CaseId, message: String) -> LogLine {
    let _about = tracing::debug_span!("case", run = case.run.0, %case).entered();
    tracing::debug!("{message}");
    LogLine { at: now(), level: LogLevel::Info, message }
}

fn new_result(key: ResultKey, played: Played) -> NewResult {
    NewResult {
        output: played.output.as_deref().map(Packed::new),
        games: GameBlocks::new(key, &played.games),
        error: played.error,
        warnings: played.warnings,
    }
}

fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}
