//! What the counters say, without a look at cases or games.

use std::sync::Arc;

use super::feed::run_names;
use super::{Cell, CellKey, NamesOfRun, Part, Tally};
use crate::domain::{RunId, Verdict};
use crate::store::StoreError;
use crate::store::codes::member;
use crate::store::counts::{Counts, Kind, TIME};
use crate::store::read::Reader;

/// How many runs are read at a time.
const RUNS_AT_A_TIME: u32 = 4_096;

impl Reader {
    /// All cases that are done, by simulator, rules and verdict, and all games with their lengths and the
    /// times of cases, by simulator and rules. Values are rounded to three digits.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn counted(&self) -> Result<Tally, StoreError> {
        let counts = Counts::stored(&self.db)?;
        let mut tally = Tally::new();
        for (&(kind, verdict), &[cases, cached]) in &counts.cases {
            let verdict: Verdict = member(verdict)?;
            let cell = tally.entry(key(kind, Part::Verdict(verdict))?).or_default();
            cell.verdicts[verdict as usize] = cases.unsigned_abs();
            cell.cached = cached.unsigned_abs();
        }
        for (&(kind, ending, winner), &games) in &counts.games {
            let cell = tally.entry(key(kind, Part::All)?).or_default();
            let winner = u32::try_from(winner).ok().filter(|&winner| winner > 0);
            cell.endings.insert((member(ending)?, winner), games.unsigned_abs());
        }
        for (&(kind, what, value), &count) in &counts.values {
            let cell = tally.entry(key(kind, Part::All)?).or_default();
            let values = if what == TIME { &mut cell.times } else { &mut cell.values };
            values.keep(value, count.unsigned_abs());
        }
        Ok(tally)
    }

    /// All cases that are done, by names of their runs, as the runs count them.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn counted_by_names(&self, names_of: &NamesOfRun<'_>) -> Result<Tally, StoreError> {
        let sql = "SELECT id, label, taken_in_us,
                       (SELECT json_group_object(key, value) FROM tags WHERE run = runs.id), cached,
                       ac, pe, wa, noref, badin, limits, crash, cancelled
                   FROM runs WHERE id > ?1 ORDER BY id LIMIT ?2";
        let mut tally = Tally::new();
        let mut after = RunId(0);
        loop {
            let runs = self.rows(sql, [after.0, i64::from(RUNS_AT_A_TIME)], |row| {
                let mut cell = Cell { cached: row.get(4)?, ..Cell::default() };
                for (column, count) in (5..).zip(&mut cell.verdicts) {
                    *count = row.get(column)?;
                }
                Ok((RunId(row.get(0)?), names_of(&run_names(row, 1)?), cell))
            })?;
            for (run, names, cell) in &runs {
                after = *run;
                for name in names {
                    let part = Part::Name(Arc::from(name.as_str()));
                    let key = CellKey { simulator: None, rules: None, part };
                    tally.entry(key).or_default().merge(cell);
                }
            }
            if runs.is_empty() {
                return Ok(tally);
            }
        }
    }
}

fn key(kind: Kind, part: Part) -> Result<CellKey, StoreError> {
    let Kind { simulator, rules } = kind;
    let simulator = (simulator > 0).then(|| member(simulator)).transpose()?;
    Ok(CellKey { simulator, rules: (rules > 0).then(|| member(rules)).transpose()?, part })
}
