//! Cases that ended, on their way into the counters of their run and of the store.

use rusqlite::{Connection, params};

use super::{Timings, from_json, json, marks};
use crate::domain::{RunId, Verdict};
use crate::store::codes::Code;
use crate::store::counts::{Counts, Kind};
use crate::store::{StoreError, Top};

/// What one request ended of one run.
#[derive(Default)]
pub(super) struct Ended {
    verdicts: [u64; Verdict::ALL.len()],
    cached: u64,
    work: Timings,
    slowest: Top,
    /// Cases that came, of which some may have ended at once.
    pub(super) largest: Top,
    /// What the counters of the store get.
    pub(super) counts: Counts,
}

impl Ended {
    pub(super) fn add(&mut self, kind: Kind, verdict: Verdict, cached: bool) {
        self.verdicts[verdict as usize] += 1;
        self.cached += u64::from(cached);
        self.counts.add_cases(kind, Code(verdict).number(), cached, 1);
    }

    /// Cases that were taken back.
    pub(super) fn add_cancelled(&mut self, kind: Kind, cases: u32) {
        self.verdicts[Verdict::Cancelled as usize] += u64::from(cases);
        let verdict = Code(Verdict::Cancelled).number();
        self.counts.add_cases(kind, verdict, false, i64::from(cases));
    }

    /// Takes note of how long a case took; one that was answered from the store says nothing about that.
    pub(super) fn add_work(&mut self, rank: u32, took: Timings, cached: bool) {
        self.work.parse_us += took.parse_us;
        self.work.play_us += took.play_us;
        self.work.compare_us += took.compare_us;
        self.work.store_us += took.store_us;
        if !cached {
            self.slowest.add(rank, took.parse_us + took.play_us + took.compare_us);
        }
    }

    pub(super) fn done(&self) -> u64 {
        self.verdicts.iter().sum()
    }

    pub(super) fn count(&self, db: &Connection, run: RunId) -> Result<(), StoreError> {
        let [ac, pe, wa, noref, badin, limits, crash, cancelled] = self.verdicts;
        db.prepare_cached(
            "UPDATE runs SET done = done + ?2, cached = cached + ?3, ac = ac + ?4, pe = pe + ?5,
                 wa = wa + ?6, noref = noref + ?7, badin = badin + ?8, limits = limits + ?9,
                 crash = crash + ?10, cancelled = cancelled + ?11, parse_us = parse_us + ?12,
                 play_us = play_us + ?13, compare_us = compare_us + ?14, store_us = store_us + ?15,
                 slowest = ifnull(?16, slowest), largest = ifnull(?17, largest)
             WHERE id = ?1",
        )?
        .execute(params![
            run.0,
            self.done(),
            self.cached,
            ac,
            pe,
            wa,
            noref,
            badin,
            limits,
            crash,
            cancelled,
            self.work.parse_us,
            self.work.play_us,
            self.work.compare_us,
            self.work.store_us,
            merged(db, "SELECT slowest FROM runs WHERE id = ?1", run, &self.slowest)?,
            merged(db, "SELECT largest FROM runs WHERE id = ?1", run, &self.largest)?,
        ])?;
        self.counts.write(db)?;
        let occur = Verdict::ALL.into_iter().filter(|&verdict| self.verdicts[verdict as usize] > 0);
        marks::cases_end(db, run, occur)
    }
}

/// What stands out in a run, as JSON, if these cases change it.
fn merged(db: &Connection, sql: &str, run: RunId, new: &Top) -> Result<Option<String>, StoreError> {
    if new.iter().next().is_none() {
        return Ok(None);
    }
    let kept: Option<String> = db.prepare_cached(sql)?.query_row([run.0], |row| row.get(0))?;
    let mut top: Top = kept.map(|text| from_json(&text)).transpose()?.unwrap_or_default();
    Ok(top.merge(new).then(|| json(&top)))
}
