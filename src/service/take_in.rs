//! From a list to rows: read, recognise, pack, and add in batches while the pool plays.

use std::sync::mpsc;

use super::load::{Loaded, load};
use super::{Plan, ServiceError, now};
use crate::config::Limits;
use crate::domain::{CaseError, ErrorCode, RunId, SimulatorId, catching};
use crate::ingest::{Cap, Entry};
use crate::sim::{self, Refused};
use crate::store::{Bytes, NewCase, StoreError, Taken, Writer};

/// The most cases and bytes in one request to the writer.
const BATCH_CASES: usize = 1_024;
const BATCH_BYTES: u64 = 4 << 20;

/// How many batches may be on their way to the writer.
const BATCHES: usize = 2;

/// Reads the cases of a plan.
pub(super) struct Taker<'a> {
    pub(super) writer: &'a Writer,
    pub(super) plan: &'a Plan,
    pub(super) limits: &'a Limits,
}

impl Taker<'_> {
    /// Adds cases to a run after the first `before`; `added` hears of every batch that is committed: how many
    /// of its cases are queued, and how many refused.
    pub(super) fn take_in<'a>(
        &self,
        run: RunId,
        entries: impl Iterator<Item = &'a Entry>,
        mut before: u64,
        added: impl Fn(u64, u64) + Clone + Send + 'static,
    ) -> Result<(), ServiceError> {
        let (free, permits) = mpsc::channel();
        for _ in 0..BATCHES {
            let _ = free.send(Ok(()));
        }
        let mut cases = entries.map(|entry| self.new_case(entry));
        loop {
            let batch = next_batch(&mut cases)?;
            permits.recv().unwrap_or(Err(StoreError::Stopped))?;
            if batch.is_empty() {
                break;
            }
            let (free, added) = (free.clone(), added.clone());
            let cases = batch.len() as u64;
            self.writer.add_cases(run, before, batch, now(), move |answer| {
                let _ = free.send(answer.map(|queued| added(queued, cases - queued)));
            });
            before += cases;
        }
        // One permit was taken for the batch that was not sent; the others come back with their commits.
        (1..BATCHES).try_for_each(|_| permits.recv().unwrap_or(Err(StoreError::Stopped)))?;
        Ok(())
    }

    /// All cases of a small plan.
    pub(super) fn cases(&self) -> Result<Vec<NewCase>, StoreError> {
        let entries = self.plan.listing.entries.iter();
        entries.map(|entry| Ok(self.new_case(entry)?.0)).collect()
    }

    /// Reads a case; also says how many bytes it holds.
    fn new_case(&self, entry: &Entry) -> Result<(NewCase, u64), StoreError> {
        let output = Cap { bytes: self.limits.max_output_bytes, key: "max_output_bytes" };
        let input = Cap { bytes: self.limits.max_input_bytes, key: "max_input_bytes" };
        let compared = entry.compared.as_ref();
        let compared = compared.map(|file| load(self.writer, file, output)).transpose()?;
        let (compared, broken) = match compared {
            Some(Err(error)) => (None, Some(answer_error(&error))),
            Some(Ok(loaded)) => (Some(loaded), None),
            None => (None, None),
        };
        let input = load(self.writer, &entry.input, input)?;
        let held = |loaded: &Loaded| loaded.small.as_ref().map_or(0, |bytes| bytes.len() as u64);
        let bytes = input.as_ref().map_or(0, held) + compared.as_ref().map_or(0, held);
        let hint = self.plan.simulator.or(entry.hint);
        let taken = match (input, broken) {
            (Ok(input), None) => self.taken(entry, input, hint),
            (Ok(input), Some(error)) => refused(hint, Some(input.kept), error),
            (Err(error), _) => refused(hint, None, error),
        };
        let compared = compared.map(|loaded| loaded.kept);
        let (rank, name) = (entry.rank, entry.name().into_owned());
        Ok((NewCase { rank, name, compared, taken }, bytes))
    }

    fn taken(&self, entry: &Entry, input: Loaded, hint: Option<SimulatorId>) -> Taken {
        let identified = catching(|| self.identify(entry, &input, hint));
        let identified = identified.unwrap_or_else(|message| {
            let error = CaseError::new(ErrorCode::Panic, message);
            Err(Refused { simulator: hint, error })
        });
        match identified {
            Ok(simulator) => Taken::Queued {
                simulator,
                rules: simulator.rules_or_default(self.plan.rules),
                input: input.kept,
            },
            Err(error) => refused(error.simulator, Some(input.kept), error.error),
        }
    }

    fn identify(
        &self,
        entry: &Entry,
        input: &Loaded,
        hint: Option<SimulatorId>,
    ) -> Result<SimulatorId, Refused> {
        match (hint, &input.small, &input.candidates[..]) {
            (Some(simulator), ..) | (None, None, &[simulator]) => Ok(simulator),
            (None, Some(bytes), _) => sim::identify(bytes, None),
            // A large input that is for none or for several is read again as a whole, to say why.
            (None, None, _) => {
                let mut bytes = Vec::new();
                let cap = Cap { bytes: self.limits.max_input_bytes, key: "max_input_bytes" };
                let read = entry.input.read(cap, &mut |part| bytes.extend_from_slice(part));
                let refuse = |error| Refused { simulator: None, error };
                read.map_err(refuse).and_then(|_| sim::identify(&bytes, None))
            }
        }
    }
}

fn next_batch(
    cases: &mut impl Iterator<Item = Result<(NewCase, u64), StoreError>>,
) -> Result<Vec<NewCase>, StoreError> {
    let mut batch = Vec::new();
    let mut bytes = 0;
    while batch.len() < BATCH_CASES && bytes < BATCH_BYTES {
        let Some(case) = cases.next() else { break };
        let (case, size) = case?;
        bytes += size;
        batch.push(case);
    }
    Ok(batch)
}

fn refused(simulator: Option<SimulatorId>, input: Option<Bytes>, error: CaseError) -> Taken {
    Taken::Refused { simulator, input, error }
}

/// Without its answer a case must not pass for one that has none.
fn answer_error(error: &CaseError) -> CaseError {
    CaseError::new(error.code, format!("its answer: {}", error.message))
}
