//! From a listing to rows: read, recognise, pack, and add in batches while the pool plays.

use std::os::unix::ffi::OsStrExt;
use std::sync::mpsc;

use super::{RunRequest, ServiceError, now};
use crate::domain::{CaseError, ErrorCode, RunId, SimulatorId, catching};
use crate::ingest::{Cap, Entry, FileRef, Seen};
use crate::sim::{self, Refused};
use crate::store::{NewCase, Packed, Store, StoreError, Taken};

/// The most cases and bytes in one request to the writer.
const BATCH_CASES: usize = 256;
const BATCH_BYTES: usize = 4 << 20;

/// How many batches may be on their way to the writer.
const BATCHES: usize = 2;

/// Adds the cases of a listing; `added` hears of every batch that is committed: how many of its cases
/// are queued, and how many refused.
pub(super) fn take_in<'a>(
    store: &Store,
    run: RunId,
    entries: impl Iterator<Item = &'a Entry>,
    request: &RunRequest,
    added: impl Fn(u64, u64) + Clone + Send + 'static,
) -> Result<(), ServiceError> {
    let (free, permits) = mpsc::channel();
    for _ in 0..BATCHES {
        let _ = free.send(Ok(()));
    }
    let mut cases = entries.map(|entry| new_case(request, entry, entry.rank));
    loop {
        let batch = next_batch(&mut cases);
        permits.recv().unwrap_or(Err(StoreError::Stopped))?;
        if batch.is_empty() {
            break;
        }
        let (free, added) = (free.clone(), added.clone());
        let cases = batch.len() as u64;
        store.add_cases(run, batch, now(), move |answer| {
            let _ = free.send(answer.map(|queued| added(queued, cases - queued)));
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
    let read = |file: &FileRef| read_file(file, request.limits.max_input_bytes);
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
    let name = entry.name.clone();
    (NewCase { rank, name, compared, taken }, bytes)
}

/// Reads a file; one that changes while it is read is read again.
fn read_file(file: &FileRef, most: u64) -> Result<Vec<u8>, CaseError> {
    for _ in 0..3 {
        let mut bytes = Vec::new();
        let cap = Cap { bytes: most, key: "max_input_bytes" };
        if file.read(cap, &mut |part| bytes.extend_from_slice(part))? == Seen::Whole {
            return Ok(bytes);
        }
    }
    Err(CaseError::new(ErrorCode::Unreadable, "changes while it is read"))
}

fn taken(input: &[u8], hint: Option<SimulatorId>, request: &RunRequest) -> Taken {
    let identified = catching(|| sim::identify(input, hint)).unwrap_or_else(|message| {
        let error = CaseError::new(ErrorCode::Panic, message);
        Err(Refused { simulator: hint, error })
    });
    match identified {
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
