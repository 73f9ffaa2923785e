//! A connection that only reads, and never walks over what grows without end.

use std::ops::Deref;

use rusqlite::{CachedStatement, Connection, Params, Result, Row};

use super::filter::teach;

/// What a reading statement may walk over from one end to the other, besides what a reader made for itself: what
/// grows with the runs at most. All else, cases and games and logs above all, is searched by a key.
/// Another name, such as an alias, is no way around it.
#[cfg(any(test, feature = "faults"))]
const WALKED: [&str; 10] = [
    "runs",
    "run_spans",
    "totals",
    "case_counts",
    "game_counts",
    "value_counts",
    "daemon",
    "requests",
    "json_each",
    "CONSTANT", // a row of constants
];

/// A connection for reading. While simdrop is tested, each statement that it prepares and keeps must search;
/// who walks on purpose, as a check of everything does, prepares without keeping.
#[derive(Debug)]
pub(in crate::store) struct Connected(Connection);

impl Connected {
    pub(in crate::store) fn new(db: Connection) -> Result<Self> {
        teach(&db)?;
        Ok(Self(db))
    }

    pub(in crate::store) fn prepare_cached(&self, sql: &str) -> Result<CachedStatement<'_>> {
        #[cfg(any(test, feature = "faults"))]
        self.demand_search(sql)?;
        self.0.prepare_cached(sql)
    }

    pub(in crate::store) fn query_row<T>(
        &self,
        sql: &str,
        values: impl Params,
        record: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<T> {
        self.prepare_cached(sql)?.query_row(values, record)
    }

    /// Panics where the plan of a statement has a step that walks.
    #[cfg(any(test, feature = "faults"))]
    fn demand_search(&self, sql: &str) -> Result<()> {
        let mut plan = self.0.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
        let mut steps = plan.raw_query();
        while let Some(step) = steps.next()? {
            let step: String = step.get("detail")?;
            let walked = step.strip_prefix("SCAN ").and_then(|over| over.split(' ').next());
            let fine = walked.is_none_or(|over| self.may_walk(over));
            assert!(fine, "{step}: no key bounds it in {sql}");
        }
        Ok(())
    }

    #[cfg(any(test, feature = "faults"))]
    fn may_walk(&self, over: &str) -> bool {
        let is_temporary = || self.0.table_exists(Some("temp"), over).unwrap_or(false);
        over.starts_with('(') || WALKED.contains(&over) || is_temporary()
    }
}

impl Deref for Connected {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::Connected;

    /// Whether a statement may be read by.
    fn is_fine(sql: &str) -> bool {
        let db = Connection::open_in_memory().expect("a database");
        db.execute_batch(include_str!("../../../migrations/0001_initial.sql")).expect("a schema");
        db.execute_batch("CREATE TEMP TABLE mine (id INTEGER)").expect("a table");
        crate::domain::catching(|| Connected::new(db)?.prepare_cached(sql).map(drop))
            .is_ok_and(|prepared| prepared.is_ok())
    }

    #[test]
    fn a_statement_that_searches_may_be_read_by() {
        assert!(is_fine("SELECT 1"));
        assert!(is_fine("SELECT id FROM runs ORDER BY id DESC LIMIT 2 OFFSET ?1"));
        assert!(is_fine("SELECT name FROM cases WHERE id < ?1 ORDER BY id DESC LIMIT ?2"));
        assert!(is_fine("SELECT id FROM cases WHERE state = 3 AND simulator = ?1"));
        assert!(is_fine("SELECT count(*) FROM games WHERE result = ?1"));
        assert!(is_fine("SELECT name FROM mine JOIN cases ON cases.id = mine.id"));
    }

    #[test]
    fn a_statement_that_walks_over_cases_games_or_logs_is_refused() {
        assert!(!is_fine("SELECT count(*) FROM cases"));
        assert!(!is_fine("SELECT name FROM cases c ORDER BY id DESC LIMIT 1"));
        assert!(!is_fine("SELECT message FROM logs WHERE level = 3"));
        assert!(!is_fine(
            "SELECT r.id FROM runs r, game_blocks b ON b.result = r.id WHERE r.id = 1"
        ));
        assert!(!is_fine("SELECT 1 FROM runs WHERE EXISTS (SELECT 1 FROM cases WHERE run = 1)"));
        assert!(!is_fine("SELECT avg(length) FROM v_games WHERE simulator = 'mtj'"));
    }
}
