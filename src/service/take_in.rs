//! From a listing to rows: read, recognise, pack, and add in batches while the pool plays.

use std::os::unix::ffi::OsStrExt;
use std::sync::mpsc;

use super::{RunRequest, ServiceError, now};
use crate::domain::{CaseError, RunId, SimulatorId};
use crate::ingest::{Entry, read_file};
use crate::sim;
use crate::store::{NewCase, Packed, Store, StoreError, Taken};

/// The most cases and bytes in one request to the writer.
const BATCH_CASES: usize = 256;
const BATCH_BYTES: usize = 4 << 20;

/// How many batches may be on their way to the writer.
const BATCHES: usize = 2;

/// Adds all cases of a listing; `queued` hears of every batch that is committed.
pub(super) fn take_in(
    store: &Store,
    run: RunId,
    entries: &[Entry],
    request: &RunRequest,
    queued: impl Fn(u64) + Clone + Send + 'static,
) -> Result<(), ServiceError> {
    let (free, permits) = mpsc::channel();
    for _ in 0..BATCHES {
        let _ = free.send(Ok(()));
    }
    let mut cases = entries.iter().zip(1..).map(|(entry, rank)| new_case(request, entry, rank));
    loop {
        let batch = next_batch(&mut cases);
        permits.recv().unwrap_or(Err(StoreError::Stopped))?;
        if batch.is_empty() {
            break;
        }
        let (free, queued) = (free.clone(), queued.clone());
        store.add_cases(run, batch, now(), move |answer| {
            let _ = free.send(answer.map(&queued));
        });
    }
    // One permit was taken for the batch that was not sent; the others come back with their commits.
    (1..BATCHES).try_for_each(|_| permits.recv().unwrap_or(Err(StoreError::Stopped)))?;
    Ok(())
}

fn next_batch(cases: &mut impl Iterator<Item = (NewCase, usize)>) -> Vec<NewCase> {
    let mut batch = Vec::new();
    let mut bytes = 0;
    while batch.len() < BATCH_CASES && bytes < BATCH_BYTES {
        let Some((case, size)) = cases.next() else { break };
        bytes += size;
        batch.push(case);
    }
    batch
}

/// Reads a case; also says how many bytes it holds.
fn new_case(request: &RunRequest, entry: &Entry, rank: u32) -> (NewCase, usize) {
    let read = |path| read_file(&request.folder.join(path), request.max_input_bytes);
    let compared = entry.compared.as_ref().map(read).transpose();
    let input = read(&entry.input);
    let bytes = input.as_ref().map_or(0, Vec::len)
        + compared.as_ref().map_or(0, |bytes| bytes.as_ref().map_or(0, Vec::len));
    let hint = request.simulator.or(entry.hint);
    let (taken, compared) = match (input, compared) {
        (Ok(input), Ok(compared)) => {
            (taken(&input, hint, request), compared.as_deref().map(Packed::new))
        }
        (Ok(input), Err(error)) => (refused(hint, Some(&input), answer_error(&error)), None),
        (Err(error), _) => (refused(hint, None, error), None),
    };
    let name = entry.name().to_vec();
    (NewCase { rank, name, compared, taken }, bytes)
}

fn taken(input: &[u8], hint: Option<SimulatorId>, request: &RunRequest) -> Taken {
    match sim::identify(input, hint) {
        Ok(simulator) => Taken::Queued {
            simulator,
            rules: simulator.rules_or_default(request.rules),
            input: Packed::new(input),
        },
        Err(error) => refused(error.simulator, Some(input), error.error),
    }
}

fn refused(simulator: Option<SimulatorId>, input: Option<&[u8]>, error: CaseError) -> Taken {
    Taken::Refused { simulator, input: input.map(Packed::new), error }
}

/// Without its answer a case must not pass for one that has none.
fn answer_error(error: &CaseError) -> CaseError {
    CaseError::new(error.code, format!("its answer: {}", error.message))
}

/// The path as the bytes the store keeps.
pub(super) fn source(request: &RunRequest) -> Vec<u8> {
    request.folder.as_os_str().as_bytes().to_vec()
}
