//! The cases of a run that are not fine, found without a walk over those that are.

use rusqlite::{Row, params};

use super::{CaseChoice, CaseRecord, Reader, RunRecord};
use crate::domain::{CaseId, SimulatorId, Verdict};
use crate::store::StoreError;
use crate::store::codes::Code;

impl Reader {
    /// Up to `most` cases of a run whose verdict is not fine, in rank order after `after`. Verdicts that
    /// did not occur when `run` was read are not looked for.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn failing(
        &self,
        run: &RunRecord,
        after: u32,
        most: u32,
    ) -> Result<Vec<CaseRecord>, StoreError> {
        let mut found = Vec::new();
        let occurs = |(verdict, count): &(Verdict, u64)| *count > 0 && !verdict.is_fine();
        for (verdict, _) in Verdict::ALL.into_iter().zip(run.verdicts).filter(occurs) {
            for simulator in SimulatorId::ALL.into_iter().map(Some).chain([None]) {
                let after = CaseId { run: run.id, rank: after };
                found.append(&mut self.of_kind(simulator, verdict, after, most)?);
            }
        }
        found.sort_unstable();
        found.truncate(usize::try_from(most).unwrap_or(usize::MAX));
        let case = |id: CaseId| self.case(id.run, &CaseChoice::Rank(id.rank)).transpose();
        found.into_iter().filter_map(case).collect()
    }

    /// The first cases after `after` in its run that a simulator gave a verdict.
    fn of_kind(
        &self,
        simulator: Option<SimulatorId>,
        verdict: Verdict,
        after: CaseId,
        most: u32,
    ) -> Result<Vec<CaseId>, StoreError> {
        let sql = "SELECT id FROM cases INDEXED BY cases_by_kind
                   WHERE state = 3 AND simulator IS ?1 AND verdict = ?2 AND id > ?3 AND id <= ?4
                   ORDER BY id LIMIT ?5";
        let (from, to) = (after.key(), after.run.tail().key());
        let values = params![simulator.map(Code), Code(verdict), from, to, most];
        self.rows(sql, values, |row: &Row<'_>| Ok(CaseId::from_key(row.get(0)?)))
    }
}
