//! The counters of a run.

use rusqlite::{Connection, params};

use super::marks;
use crate::domain::{RunId, Verdict};
use crate::store::StoreError;

/// Cases that ended, by verdict, on their way into the counters of their run.
#[derive(Default)]
pub(super) struct Ended {
    verdicts: [u64; Verdict::ALL.len()],
    cached: u64,
}

impl Ended {
    pub(super) fn add(&mut self, verdict: Verdict, cached: bool) {
        self.add_many(verdict, 1);
        self.cached += u64::from(cached);
    }

    pub(super) fn add_many(&mut self, verdict: Verdict, cases: u64) {
        self.verdicts[verdict as usize] += cases;
    }

    pub(super) fn done(&self) -> u64 {
        self.verdicts.iter().sum()
    }

    pub(super) fn count(&self, db: &Connection, run: RunId) -> Result<(), StoreError> {
        let [ac, pe, wa, noref, badin, limits, crash, cancelled] = self.verdicts;
        db.prepare_cached(
            "UPDATE runs SET done = done + ?2, cached = cached + ?3, ac = ac + ?4, pe = pe + ?5,
                 wa = wa + ?6, noref = noref + ?7, badin = badin + ?8, limits = limits + ?9,
                 crash = crash + ?10, cancelled = cancelled + ?11
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
        ])?;
        let occur = Verdict::ALL.into_iter().filter(|&verdict| self.verdicts[verdict as usize] > 0);
        marks::cases_end(db, run, occur)
    }
}
