//! Whether the clock agrees with what was written by it.

use std::time::Duration;

use crate::service::{ServiceError, now};
use crate::store::{Reader, RunChoice};

/// What a clock may be behind without a word: it is set now and then.
const LITTLE: Duration = Duration::from_secs(1);

/// Says so if the clock is behind the newest time in the store. Nothing depends on it but what people see: order is
/// that of numbers, and durations are taken elsewhere.
pub(super) fn compare(reader: &Reader) -> Result<(), ServiceError> {
    let beat = reader.beat()?.map(|beat| beat.at.0);
    let run = reader.run(&RunChoice::Newest(0))?.map(|run| run.taken_in_at.0);
    let newest = beat.max(run).unwrap_or(0);
    let behind = u64::try_from(newest.saturating_sub(now().0)).unwrap_or(0);
    let behind = Duration::from_micros(behind);
    if behind > LITTLE {
        let seconds = behind.as_secs();
        tracing::warn!(
            "the clock is {seconds} s behind the newest time in the store: new runs look older"
        );
    }
    Ok(())
}
