//! Which cases are next in a pass: ranges of keys, a bounded number of cases each.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use rusqlite::Row;

use super::{Facet, RunNames};
use crate::domain::{CaseId, RunId, TimestampUs};
use crate::store::StoreError;
use crate::store::query::{Query, Reach, Term, Test};
use crate::store::read::Reader;
use crate::store::read::terms::Level;
use crate::store::write::from_json;

/// How many cases one read goes over. The pages of their games are to be in the connection's cache when they
/// are looked at for the second time.
const CASES_AT_A_TIME: u32 = 4_096;

/// How many runs are looked for at a time.
const RUNS_AT_A_TIME: Reach = Reach { found: 512, looked_at: 8_192 };

/// Cases next to each other, in the parts that the names of their runs make.
#[derive(Debug)]
pub(super) struct Range {
    pub(super) keys: [i64; 2],
    pub(super) parts: Arc<[u32]>,
    cases: u32,
}

/// Hands out the ranges of a pass, the oldest runs first: most results then come in the order in which they lie on
/// the disk, and what is answered from the store comes after the case that was played.
pub(super) struct Feed<'a> {
    reader: Reader,
    facet: Facet<'a>,
    query: Query,
    after: Option<RunId>,
    is_over: bool,
    ranges: VecDeque<Range>,
    parts: HashMap<Arc<str>, u32>,
}

impl<'a> Feed<'a> {
    pub(super) fn new(reader: Reader, query: &Query, facet: Facet<'a>) -> Self {
        let query = runs_only(query);
        let (ranges, parts) = (VecDeque::new(), HashMap::new());
        Self { reader, facet, query, after: None, is_over: false, ranges, parts }
    }

    /// Some ranges that no other thread gets; none: that was all.
    pub(super) fn next(&mut self) -> Result<Vec<Range>, StoreError> {
        let mut taken = Vec::new();
        let mut cases = 0;
        while cases < CASES_AT_A_TIME {
            match self.ranges.pop_front() {
                Some(range) => {
                    cases = cases.saturating_add(range.cases.max(1));
                    taken.push(range);
                }
                None if self.is_over => break,
                None => self.look()?,
            }
        }
        Ok(taken)
    }

    /// The names of the parts, in their order.
    pub(super) fn into_names(self) -> Vec<Arc<str>> {
        let mut names: Vec<_> = self.parts.into_iter().collect();
        names.sort_unstable_by_key(|&(_, part)| part);
        names.into_iter().map(|(name, _)| name).collect()
    }

    fn look(&mut self) -> Result<(), StoreError> {
        let walk = self.reader.find_runs_upwards(&self.query, self.after, RUNS_AT_A_TIME)?;
        for run in walk.found {
            for (cases, names) in self.run(run)? {
                let parts = self.parts_of(names);
                self.add(run, cases, parts);
            }
        }
        self.after = walk.reached;
        self.is_over = walk.reached.is_none();
        Ok(())
    }

    /// How many cases a run has, and its names.
    fn run(&self, run: RunId) -> Result<Vec<(u32, Vec<String>)>, StoreError> {
        let Facet::Names(names_of) = self.facet else {
            let sql = "SELECT total FROM runs WHERE id = ?1";
            return self.reader.rows(sql, [run.0], |row| Ok((row.get(0)?, Vec::new())));
        };
        let sql = "SELECT total, label, taken_in_us,
                       (SELECT json_group_object(key, value) FROM tags WHERE run = runs.id)
                   FROM runs WHERE id = ?1";
        self.reader.rows(sql, [run.0], |row| Ok((row.get(0)?, names_of(&run_names(row, 1)?))))
    }

    fn parts_of(&mut self, names: Vec<String>) -> Arc<[u32]> {
        if !matches!(self.facet, Facet::Names(_)) {
            return [0].into();
        }
        let part = |name: String| {
            let next = u32::try_from(self.parts.len()).unwrap_or(u32::MAX);
            *self.parts.entry(name.into()).or_insert(next)
        };
        names.into_iter().map(part).collect()
    }

    /// Adds the cases of a run: to the range before, if both are small and alike, or as ranges of their own.
    fn add(&mut self, run: RunId, cases: u32, parts: Arc<[u32]>) {
        if parts.is_empty() {
            return;
        }
        let [first, last] = [run.head().key(), run.tail().key()];
        if let Some(range) = self.ranges.back_mut()
            && range.keys[1] + 1 == first
            && range.parts == parts
            && range.cases.saturating_add(cases) <= CASES_AT_A_TIME
        {
            range.keys[1] = last;
            range.cases += cases;
            return;
        }
        let mut from = 0;
        while cases.saturating_sub(from) > CASES_AT_A_TIME {
            let key = |rank| CaseId { run, rank }.key();
            let keys = [key(from), key(from + CASES_AT_A_TIME - 1)];
            self.ranges.push_back(Range {
                keys,
                parts: Arc::clone(&parts),
                cases: CASES_AT_A_TIME,
            });
            from += CASES_AT_A_TIME;
        }
        let keys = [CaseId { run, rank: from }.key(), last];
        self.ranges.push_back(Range { keys, parts, cases: cases - from });
    }
}

/// What a run is called, from three columns.
pub(super) fn run_names(row: &Row<'_>, first: usize) -> Result<RunNames, StoreError> {
    let tags: Option<String> = row.get(first + 2)?;
    Ok(RunNames {
        label: row.get(first)?,
        taken_in_at: TimestampUs(row.get(first + 1)?),
        tags: tags.map(|text| from_json(&text)).transpose()?.unwrap_or_default(),
    })
}

/// The terms about runs, and one that a run answers for its cases.
fn runs_only(query: &Query) -> Query {
    let about_runs = |term: &&Term| term.test.level() == Level::Run;
    let known =
        |term: &&Term| !term.negated && matches!(term.test, Test::Verdict(_) | Test::Simulator(_));
    let of_runs = query.terms.iter().filter(about_runs);
    let terms = of_runs.chain(query.terms.iter().find(known)).cloned().collect();
    Query { terms }
}
