//! Finding runs, cases and games by a query, newest first.
//!
//! One term of the query drives: its rows come from an index, in the order of keys. The others are looked
//! at row by row, so a walk has a place at any moment, and whoever walks decides how far it goes. Where the
//! terms about runs leave few, cases are walked over run by run; games always case by case.

mod driver;
mod nested;
#[cfg(test)]
mod tests;

use rusqlite::params_from_iter;

use super::filter::GameFilter;
use super::terms::{Clause, Level};
use super::{LAST_CASE, Reader, signed};
use crate::domain::{CaseId, RunId, TimestampUs};
use crate::store::StoreError;
use crate::store::games::{Scan, block};
use crate::store::query::{Bound, Query, Reach, Relation, Term, Test, Walk};

use driver::{CaseDriver, Order, RunDriver, Runs};
use nested::{Nested, Owned};

/// How much there is.
#[derive(Debug, Clone, Copy)]
pub struct Totals {
    /// Runs.
    pub runs: u64,
    /// Cases.
    pub cases: u64,
}

impl Reader {
    /// How many runs and cases there are.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn totals(&self) -> Result<Totals, StoreError> {
        let counts =
            self.rows("SELECT count FROM totals ORDER BY what", [], |row| Ok(row.get(0)?))?;
        let count = |at: usize| counts.get(at).copied().unwrap_or(0);
        Ok(Totals { runs: count(0), cases: count(1) })
    }

    /// Walks over runs before `before`, the newest first.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn find_runs(
        &self,
        query: &Query,
        before: Option<RunId>,
        reach: Reach,
    ) -> Result<Walk<RunId>, StoreError> {
        let mut runs = self.runs_of(query)?;
        runs.to = runs.to.min(before.map_or(i64::MAX, |run| run.0 - 1));
        self.walk(RunDriver::of(query).walk(query, runs, Order::NewestFirst), reach, RunId)
    }

    /// Walks over runs after `after`, the oldest first.
    pub(super) fn find_runs_upwards(
        &self,
        query: &Query,
        after: Option<RunId>,
        reach: Reach,
    ) -> Result<Walk<RunId>, StoreError> {
        let mut runs = self.runs_of(query)?;
        runs.from = runs.from.max(after.map_or(i64::MIN, |run| run.0 + 1));
        self.walk(RunDriver::of(query).walk(query, runs, Order::OldestFirst), reach, RunId)
    }

    /// Walks over cases before `before`, the newest run and its last case first.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn find_cases(
        &self,
        query: &Query,
        before: Option<CaseId>,
        reach: Reach,
    ) -> Result<Walk<CaseId>, StoreError> {
        let driver = CaseDriver::of(query);
        let (of_runs, of_cases) = query.split(Level::Case);
        if !driver.goes_by_runs(&of_runs) {
            let runs = self.runs_of(query)?;
            let before = before.unwrap_or(LAST_CASE);
            return self.walk(driver.walk(query, runs, before), reach, CaseId::from_key);
        }
        Nested::new(before, reach).walk(
            |before, reach| self.find_runs(&of_runs, before, reach),
            |run, before, reach| {
                let before = before.unwrap_or(run.tail());
                self.walk(driver.walk(&of_cases, Runs::only(run), before), reach, CaseId::from_key)
            },
        )
    }

    /// Walks over games before game `before.1` of case `before.0`, in the order of cases, the last game of
    /// a case first.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn find_games(
        &self,
        query: &Query,
        before: Option<(CaseId, u64)>,
        reach: Reach,
    ) -> Result<Walk<(CaseId, u64)>, StoreError> {
        let (of_cases, of_games) = query.split(Level::Game);
        let of_cases = with_games(of_cases);
        let filter = GameFilter::of(&of_games);
        Nested::new(before, reach).walk(
            |before, reach| self.find_cases(&of_cases, before, reach),
            |case, before, reach| {
                let before = before.map_or(u64::MAX, |(_, number)| number);
                self.walk_games(case, &filter, before, reach)
            },
        )
    }

    /// Walks over the games of a case before one, the last one first.
    fn walk_games(
        &self,
        case: CaseId,
        filter: &GameFilter,
        before: u64,
        reach: Reach,
    ) -> Result<Walk<(CaseId, u64)>, StoreError> {
        let sql = "SELECT c.simulator, b.first, b.games
                   FROM cases c CROSS JOIN game_blocks b
                       ON b.id >= c.result << 32 AND b.id < (c.result << 32) + min(?2, 1 << 32)
                   WHERE c.id = ?1 ORDER BY b.id DESC";
        let mut statement = self.db.prepare_cached(sql)?;
        let mut rows = statement.query([case.key(), signed(before)])?;
        let (mut found, mut looked_at) = (Vec::new(), 0);
        while let Some(row) = rows.next()? {
            let (simulator, first): (Option<i64>, u64) = (row.get(0)?, row.get(1)?);
            let games = Scan::new(block(row, 2)?).collect::<Result<Vec<_>, _>>()?;
            let numbered: Vec<_> = (first..before).zip(&games).collect();
            for (number, game) in numbered.into_iter().rev() {
                looked_at += 1;
                if filter.fits(simulator, game) {
                    found.push((case, number));
                }
                if looked_at == reach.looked_at || found.len() == reach.found {
                    return Ok(Walk { found, looked_at, reached: Some((case, number)) });
                }
            }
        }
        Ok(Walk { found, looked_at, reached: None })
    }

    /// Takes rows of a key and whether it fits.
    fn walk<K>(
        &self,
        mut sql: Clause,
        reach: Reach,
        key: impl Fn(i64) -> K,
    ) -> Result<Walk<K>, StoreError> {
        sql.sql.push_str(" LIMIT ?");
        sql.values.push(signed(reach.looked_at as u64).into());
        let mut statement = self.db.prepare_cached(&sql.sql)?;
        let mut rows = statement.query(params_from_iter(sql.values))?;
        let (mut found, mut looked_at) = (Vec::new(), 0);
        while let Some(row) = rows.next()? {
            looked_at += 1;
            let at: i64 = row.get(0)?;
            if row.get(1)? {
                found.push(key(at));
            }
            if looked_at == reach.looked_at || found.len() == reach.found {
                return Ok(Walk { found, looked_at, reached: Some(key(at)) });
            }
        }
        Ok(Walk { found, looked_at, reached: None })
    }

    /// Which runs the query leaves.
    fn runs_of(&self, query: &Query) -> Result<Runs, StoreError> {
        let mut runs = Runs { from: 1, to: LAST_CASE.run.0 };
        let (mut since, mut until) = (None, None);
        for term in query.terms.iter().filter(|term| !term.negated) {
            match &term.test {
                Test::Run(bound) => runs.cut(*bound),
                Test::Since(at) => since = since.max(Some(at.0)),
                Test::Until(at) => until = Some(until.unwrap_or(i64::MAX).min(at.0)),
                _ => {}
            }
        }
        if since.is_some() || until.is_some() {
            let [since, until] = [since.unwrap_or(i64::MIN), until.unwrap_or(i64::MAX)];
            self.cut_by_time(&mut runs, TimestampUs(since), TimestampUs(until))?;
        }
        Ok(runs)
    }

    /// Leaves the runs between the first and the last one that was taken in then.
    fn cut_by_time(
        &self,
        runs: &mut Runs,
        since: TimestampUs,
        until: TimestampUs,
    ) -> Result<(), StoreError> {
        let sql =
            "SELECT min(span), max(span) FROM run_spans WHERE last_us >= ?1 AND first_us < ?2";
        let spans = self.rows(sql, [since.0, until.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let Some(&(Some(first), Some(last))) = spans.first() else {
            runs.to = 0;
            return Ok(());
        };
        let ends = |end: &str, span: i64| {
            let sql = format!(
                "SELECT {end}(id) FROM runs WHERE id BETWEEN ?1 << 10 AND (?1 << 10) + 1023
                     AND taken_in_us >= ?2 AND taken_in_us < ?3"
            );
            let found = self.rows(&sql, [span, since.0, until.0], |row| Ok(row.get(0)?))?;
            Ok::<Option<i64>, StoreError>(found.into_iter().next().flatten())
        };
        runs.from = runs.from.max(ends("min", first)?.unwrap_or(first << 10));
        runs.to = runs.to.min(ends("max", last)?.unwrap_or((last << 10) + 1023));
        Ok(())
    }
}

/// The same of cases that have games: most without any have an error, and there may be many.
fn with_games(mut of_cases: Query) -> Query {
    for term in of_cases.terms.iter_mut().filter(|term| !term.negated) {
        if let Test::Verdict(verdicts) = &mut term.test {
            verdicts.retain(|verdict| verdict.may_have_games());
        }
    }
    let some = Test::Games(Bound { relation: Relation::More, than: 0 });
    of_cases.terms.push(Term { negated: false, test: some });
    of_cases
}

impl Owned for CaseId {
    type Owner = RunId;

    fn owner(self) -> RunId {
        self.run
    }

    fn before_all_of(run: RunId) -> Self {
        run.head()
    }

    fn just_after(run: RunId) -> RunId {
        RunId(run.0 + 1)
    }
}

impl Owned for (CaseId, u64) {
    type Owner = CaseId;

    fn owner(self) -> CaseId {
        self.0
    }

    fn before_all_of(case: CaseId) -> Self {
        (case, 0)
    }

    fn just_after(case: CaseId) -> CaseId {
        CaseId::from_key(case.key() + 1)
    }
}
