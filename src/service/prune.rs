//! Removing what is no longer wanted: outputs first, because they can be made again, then whole runs, with
//! what only they use and with their files.
//!
//! A run is marked, and its row goes last: what is interrupted anywhere goes on from the marks. Everything
//! happens in small transactions, so that a daemon goes on working meanwhile.

mod files;

use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{ServiceError, now};
use crate::config::{Config, RetentionSettings};
use crate::domain::{RunId, TimestampUs, crash_point};
use crate::store::{Reader, RunChoice, StoreError, Sweep, Swept, Used, Writer};

/// How many cases, and how many rows of runs, go in one transaction.
const CASES: u32 = 5_000;
const RUNS: usize = 1_000;

/// How many ranges of ids are handed to the writer at a time, and how many ids in them.
const RANGES: usize = 1_000;
const IDS: u64 = 20_000;

/// How many free pages are given back in one transaction.
const PAGES: u32 = 2_048;

/// To get below a number of bytes, so many steps are taken.
const STEPS: usize = 10;

/// What was removed, or would be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pruned {
    /// Runs.
    pub runs: u64,
    /// Their cases.
    pub cases: u64,
    /// Outputs that were dropped; their hashes stay.
    pub outputs: u64,
    /// Room in the database, in bytes.
    pub bytes: u64,
}

/// Removes from a store.
pub(super) struct Pruner<'a> {
    writer: Writer,
    reader: Reader,
    state: &'a Path,
    retention: RetentionSettings,
    /// Whether it is time to stop; what is left goes on another time.
    is_over: &'a dyn Fn() -> bool,
}

impl<'a> Pruner<'a> {
    pub(super) fn new(
        config: &'a Config,
        writer: Writer,
        is_over: &'a dyn Fn() -> bool,
    ) -> Result<Self, ServiceError> {
        let state = config.state()?;
        let reader = Reader::open(state)?.ok_or(StoreError::Stopped)?;
        Ok(Self { writer, reader, state, retention: config.retention, is_over })
    }

    /// Removes these runs, as far as they are over.
    pub(super) fn remove(&self, runs: Vec<RunId>) -> Result<Pruned, ServiceError> {
        self.measured(|pruned| {
            self.mark(runs)?;
            self.work_off(pruned)
        })
    }

    /// Marks runs to be removed by the next call of anything else.
    pub(super) fn mark(&self, runs: Vec<RunId>) -> Result<(), ServiceError> {
        self.writer.mark_for_removal(runs)?;
        crash_point("after-mark");
        Ok(())
    }

    /// Removes what the settings say, and what was left when somebody was interrupted.
    pub(super) fn retain(&self) -> Result<Pruned, ServiceError> {
        self.measured(|pruned| {
            if let Some(age) = self.retention.outputs_max_age {
                let before = self.reader.oldest_since(ago(age))?;
                pruned.outputs += self.drop_outputs(before)?;
            }
            self.mark(too_many(&self.reader, &self.retention)?)?;
            self.work_off(pruned)?;
            self.shrink(pruned)
        })
    }

    /// Finishes what somebody has begun.
    pub(super) fn finish(&self) -> Result<Pruned, ServiceError> {
        self.measured(|pruned| self.work_off(pruned))
    }

    fn measured(
        &self,
        prune: impl FnOnce(&mut Pruned) -> Result<(), ServiceError>,
    ) -> Result<Pruned, ServiceError> {
        let before = self.reader.size()?.used_bytes();
        let mut pruned = Pruned::default();
        prune(&mut pruned)?;
        while pruned != Pruned::default() && !(self.is_over)() && self.writer.give_back(PAGES)? > 0
        {
        }
        pruned.bytes = before.saturating_sub(self.reader.size()?.used_bytes());
        Ok(pruned)
    }

    /// Removes the runs that are marked.
    fn work_off(&self, pruned: &mut Pruned) -> Result<(), ServiceError> {
        let runs = self.reader.runs_to_remove()?;
        if runs.is_empty() {
            return Ok(());
        }
        files::remove(self.state, &runs.iter().copied().collect());
        for run in &runs {
            loop {
                if (self.is_over)() {
                    return Ok(());
                }
                let removed = self.writer.remove_cases(*run, CASES)?;
                crash_point("after-cases");
                pruned.cases += removed;
                if removed == 0 {
                    break;
                }
                self.writer.give_back(PAGES)?;
            }
        }
        if self.sweeping(|sweep| self.sweep(sweep))? {
            for runs in runs.chunks(RUNS) {
                pruned.runs += self.writer.remove_runs(runs.to_vec())?;
            }
        }
        Ok(())
    }

    /// Removes what no case uses; `false` if it was time to stop.
    fn sweep(&self, sweep: Sweep) -> Result<bool, ServiceError> {
        let Some(used) = self.used(sweep, RunId(0))? else { return Ok(false) };
        self.portions(used.unused_results(), |ranges| self.writer.sweep_results(ranges))?;
        crash_point("mid-sweep");
        self.portions(used.unused_contents(), |ranges| self.writer.sweep_contents(ranges))?;
        Ok(!(self.is_over)())
    }

    /// What the cases use from a run on; `None` if it is time to stop.
    fn used(&self, sweep: Sweep, from: RunId) -> Result<Option<Used>, ServiceError> {
        used_from(&self.reader, sweep, from, &HashSet::new(), self.is_over)
    }

    /// Hands ranges to the writer, a portion at a time; how many things are gone.
    fn portions(
        &self,
        mut ranges: impl Iterator<Item = RangeInclusive<i64>>,
        sweep: impl Fn(Vec<RangeInclusive<i64>>) -> Result<Swept, StoreError>,
    ) -> Result<u64, ServiceError> {
        let (mut portion, mut removed) = (Vec::new(), 0);
        loop {
            fill(&mut portion, &mut ranges);
            if portion.is_empty() || (self.is_over)() {
                return Ok(removed);
            }
            let swept = sweep(portion)?;
            (portion, removed) = (swept.left, removed + swept.removed);
            if swept.removed > 0 {
                self.writer.give_back(PAGES)?;
            }
        }
    }

    /// Drops the outputs that no run from one on uses; all of them if there is none.
    fn drop_outputs(&self, before: Option<RunId>) -> Result<u64, ServiceError> {
        let from = before.unwrap_or(RunId(i64::from(i32::MAX)));
        self.sweeping(|sweep| {
            let Some(used) = self.used(sweep, from)? else { return Ok(0) };
            self.portions(used.unused_results(), |ranges| self.writer.drop_outputs(ranges))
        })
    }

    /// Sweeps, while the writer takes note of what gets used.
    fn sweeping<T>(
        &self,
        sweep: impl FnOnce(Sweep) -> Result<T, ServiceError>,
    ) -> Result<T, ServiceError> {
        let swept = sweep(self.writer.begin_sweep()?);
        self.writer.end_sweep()?;
        swept
    }

    /// Gets the store below a number of bytes: outputs of the oldest runs go first, then the oldest runs.
    fn shrink(&self, pruned: &mut Pruned) -> Result<(), ServiceError> {
        let Some(most) = self.retention.max_bytes else { return Ok(()) };
        let is_small =
            || Ok::<_, ServiceError>(self.reader.size()?.used_bytes() <= most || (self.is_over)());
        if is_small()? {
            return Ok(());
        }
        let oldest = self.reader.removable(None, u64::MAX)?;
        let unfinished = self.reader.oldest_since(TimestampUs(i64::MAX))?;
        for step in 1..=STEPS {
            let before = oldest.get(oldest.len() * step / STEPS).copied();
            pruned.outputs += self.drop_outputs(before.into_iter().chain(unfinished).min())?;
            if is_small()? {
                return Ok(());
            }
        }
        for some in oldest.chunks(oldest.len().div_ceil(STEPS).max(1)) {
            self.mark(some.to_vec())?;
            self.work_off(pruned)?;
            if is_small()? {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Adds ranges to a portion until it is enough for one transaction.
fn fill(
    portion: &mut Vec<RangeInclusive<i64>>,
    ranges: &mut impl Iterator<Item = RangeInclusive<i64>>,
) {
    let mut ids: u64 = portion.iter().map(|range| range.end().abs_diff(*range.start())).sum();
    while portion.len() < RANGES && ids < IDS {
        let Some(range) = ranges.next() else { return };
        ids += range.end().abs_diff(*range.start());
        portion.push(range);
    }
}

/// What pruning would remove; nothing is changed.
///
/// # Errors
/// [`ServiceError`]: the store cannot be read.
pub fn prunable(reader: &Reader, runs: &[RunId]) -> Result<Pruned, ServiceError> {
    let mut pruned = Pruned::default();
    for run in runs {
        if let Some(record) = reader.run(&RunChoice::Id(*run))? {
            pruned.runs += 1;
            pruned.cases += record.total;
        }
    }
    let except = runs.iter().copied().collect();
    if let Some(used) = used_from(reader, reader.sweep()?, RunId(0), &except, &|| false)? {
        pruned.bytes = reader.room_of_unused(&used, pruned.cases)?;
    }
    Ok(pruned)
}

/// The runs that the settings want to be removed for their age or number, oldest first.
///
/// # Errors
/// [`ServiceError`]: the store cannot be read.
pub fn too_many(
    reader: &Reader,
    retention: &RetentionSettings,
) -> Result<Vec<RunId>, ServiceError> {
    let mut runs = Vec::new();
    if let Some(age) = retention.max_age {
        runs = reader.removable(Some(ago(age)), u64::MAX)?;
    }
    if let Some(most) = retention.max_runs {
        let surplus = reader.facts()?.runs.saturating_sub(most);
        runs.extend(reader.removable(None, surplus)?);
        runs.sort();
        runs.dedup();
    }
    Ok(runs)
}

fn used_from(
    reader: &Reader,
    sweep: Sweep,
    from: RunId,
    except: &HashSet<RunId>,
    is_over: &dyn Fn() -> bool,
) -> Result<Option<Used>, ServiceError> {
    let mut used = Used::new(sweep);
    let mut after = from.head();
    while let Some(last) = reader.add_used(&mut used, after, except)? {
        after = last;
        if is_over() {
            return Ok(None);
        }
    }
    Ok(Some(used))
}

fn ago(age: Duration) -> TimestampUs {
    TimestampUs(now().0.saturating_sub(i64::try_from(age.as_micros()).unwrap_or(i64::MAX)))
}
