//! Finding runs, cases and games by a query, newest first.
//!
//! One term of the query drives: its rows come from an index, in the order of keys. The others are looked
//! at row by row, so a walk has a place at any moment, and whoever walks decides how far it goes.

mod driver;

use rusqlite::params_from_iter;
use rusqlite::types::Value;

use super::terms::{Clause, Level, fits};
use super::{LAST_CASE, Reader, signed};
use crate::domain::{CaseId, RunId, TimestampUs};
use crate::store::StoreError;
use crate::store::query::{Query, Reach, Test, Walk};

use driver::{Driver, Runs, select};

/// How many cases a walk over games takes at a time.
const CASES_AT_A_TIME: usize = 256;

/// A walk over games on its way.
struct Games {
    fits: Clause,
    left: Reach,
    found: Vec<(CaseId, u64)>,
    reached: Option<(CaseId, u64)>,
}

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

    /// Walks over runs before `before`.
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
        let driver = Driver::of(query);
        let rest = driver.rest(query, Level::Run);
        self.walk(driver.runs(runs, &fits(Level::Run, &rest)), reach, RunId)
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
        let mut runs = self.runs_of(query)?;
        let before = before.unwrap_or(LAST_CASE);
        runs.to = runs.to.min(before.run.0);
        let driver = Driver::of(query);
        let rest = driver.rest(query, Level::Case);
        let sql = driver.cases(runs, before.key(), &fits(Level::Case, &rest));
        self.walk(sql, reach, CaseId::from_key)
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
        let (of_cases, of_games) = query.clone().split();
        let fits = fits(Level::Game, &of_games);
        let mut games = Games { fits, left: reach, found: Vec::new(), reached: before };
        let mut case_before = before.map(|(case, _)| case);
        if let Some((case, number)) = before
            && !self.games_of(case, number, &mut games)?
        {
            return Ok(games.walk(reach));
        }
        while games.left.looked_at > 0 {
            let found = CASES_AT_A_TIME;
            let some = Reach { found, looked_at: games.left.looked_at };
            let cases = self.find_cases(&of_cases, case_before, some)?;
            games.left.looked_at -= cases.looked_at;
            for case in cases.found {
                if !self.games_of(case, u64::MAX, &mut games)? {
                    return Ok(games.walk(reach));
                }
            }
            case_before = cases.reached;
            games.reached = case_before.map(|case| (case, 0));
            if case_before.is_none() {
                break;
            }
        }
        Ok(games.walk(reach))
    }

    /// Walks over the games of a case before a number; `false` if that is as far as the walk goes.
    fn games_of(&self, case: CaseId, before: u64, games: &mut Games) -> Result<bool, StoreError> {
        if games.left.looked_at == 0 {
            return Ok(false);
        }
        let sql = "FROM cases c CROSS JOIN games g ON g.result = c.result
                   WHERE c.id = ? AND g.number < ? ORDER BY g.number DESC";
        let keys = [Value::from(case.key()), Value::from(signed(before))];
        let sql = select("g.number", &games.fits, Clause::new(sql, keys));
        let here = self.walk(sql, games.left, i64::unsigned_abs)?;
        games.left.found -= here.found.len();
        games.left.looked_at -= here.looked_at;
        games.found.extend(here.found.iter().map(|&number| (case, number)));
        games.reached = Some((case, here.reached.unwrap_or(0)));
        Ok(here.reached.is_none())
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

impl Games {
    fn walk(self, reach: Reach) -> Walk<(CaseId, u64)> {
        let looked_at = reach.looked_at - self.left.looked_at;
        Walk { found: self.found, looked_at, reached: self.reached }
    }
}
