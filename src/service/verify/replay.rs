//! One stored input on its way through the pool.

use std::sync::{Arc, Mutex, PoisonError};

use super::Given;
use super::results::Stored;
use crate::domain::{Body, Class, CompareMode, ContentHash, ContentHasher, chain};
use crate::engine::{Begun, Engine, Evaluation, Job, Permit, Played, PlayedMany, Sink, Slice};

/// Plays an input as this build does. `then` hears what it gives, `None` if it was taken back, or why the
/// input cannot be read.
pub(super) fn replay(
    engine: &Engine,
    stored: &Stored,
    input: Body,
    then: impl FnOnce(Result<Option<Given>, String>) + Send + 'static,
) {
    let job = Job {
        case: stored.case,
        class: Class::Normal,
        simulator: stored.key.simulator,
        rules: stored.key.rules,
        input,
        compared: None,
        mode: CompareMode::default(),
        known: None,
        // It was played within the bounds of its time.
        max_games: u64::MAX,
        max_output_bytes: u64::MAX,
    };
    engine.submit(job, move |begun| match begun {
        Ok(Begun::Done(evaluation)) => then(Ok(given(evaluation))),
        Ok(Begun::Many(many)) => {
            let hash = Hash::default();
            many.play(hash.clone(), move |played| {
                then(Ok(match played {
                    Ok(PlayedMany { error: Some(error), .. }) => Some(Err(error)),
                    Ok(_) => Some(Ok(hash.finish())),
                    Err(evaluation) => given(evaluation),
                }));
            });
        }
        Err(error) => then(Err(chain(&error))),
    });
}

fn given(evaluation: Evaluation) -> Option<Given> {
    match (evaluation.played, evaluation.error) {
        (Some(Played { output: Some(output), .. }), _) => Some(Ok(ContentHash::of(&output))),
        (Some(Played { error, .. }), _) | (None, error) => error.map(Err),
    }
}

/// The hash of an output that comes slice by slice.
#[derive(Clone, Default)]
struct Hash(Arc<Mutex<ContentHasher>>);

impl Hash {
    fn finish(&self) -> ContentHash {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).finish()
    }
}

impl Sink for Hash {
    type Part = Vec<u8>;

    fn pack(&self, slice: Slice) -> Vec<u8> {
        slice.output
    }

    fn deliver(&self, output: Vec<u8>, _permit: Permit) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).update(&output);
    }
}
