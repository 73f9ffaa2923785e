//! Which index gives the rows of a walk, in the order of keys.

use rusqlite::types::Value;

use super::super::terms::{Clause, Level, code};
use crate::domain::{SimulatorId, Verdict};
use crate::store::query::{Bound, Query, Relation, Term, Test};

/// The numbers that runs may have, the ends included.
#[derive(Debug, Clone, Copy)]
pub(super) struct Runs {
    pub(super) from: i64,
    pub(super) to: i64,
}

/// Which rows are walked over.
pub(super) enum Driver<'a> {
    /// All there are.
    All,
    /// Those of runs with this label.
    Label(&'a str),
    /// Those of runs with this tag.
    Tag(&'a str, &'a str),
    /// Those of a simulator, or of any, with a verdict, or with any.
    Kind(Option<SimulatorId>, Option<&'a [Verdict]>),
}

impl Runs {
    pub(super) fn cut(&mut self, bound: Bound<i64>) {
        let Bound { relation, than } = bound;
        let (from, to) = match relation {
            Relation::Equal => (than, than),
            Relation::Less => (i64::MIN, than.saturating_sub(1)),
            Relation::AtMost => (i64::MIN, than),
            Relation::More => (than.saturating_add(1), i64::MAX),
            Relation::AtLeast => (than, i64::MAX),
        };
        *self = Self { from: self.from.max(from), to: self.to.min(to) };
    }

    fn keys(self) -> [Value; 2] {
        [self.from.into(), self.to.into()]
    }
}

impl<'a> Driver<'a> {
    /// The term that leaves the fewest rows, as far as one can tell.
    pub(super) fn of(query: &'a Query) -> Self {
        let sure = || query.terms.iter().filter(|term| !term.negated).map(|term| &term.test);
        let label = sure().find_map(|test| match test {
            Test::Label(label) => Some(Self::Label(label)),
            _ => None,
        });
        let tag = || {
            sure().find_map(|test| match test {
                Test::Tag(key, Some(value)) => Some(Self::Tag(key, value)),
                _ => None,
            })
        };
        if query.run().is_some() {
            return Self::All;
        }
        label.or_else(tag).unwrap_or_else(|| {
            let simulator = sure().find_map(|test| match test {
                Test::Simulator(id) => Some(*id),
                _ => None,
            });
            let verdicts = sure().find_map(|test| match test {
                Test::Verdict(verdicts) => Some(&verdicts[..]),
                _ => None,
            });
            match (simulator, verdicts) {
                (None, None) => Self::All,
                (simulator, verdicts) => Self::Kind(simulator, verdicts),
            }
        })
    }

    /// The terms that are still to be looked at for each row.
    pub(super) fn rest(&self, query: &Query, row: Level) -> Query {
        let sees_to = |term: &&Term| match (&term.test, self) {
            (Test::Label(label), Self::Label(driver)) => label == driver,
            (Test::Tag(key, Some(value)), Self::Tag(k, v)) => key == k && value == v,
            (Test::Simulator(id), Self::Kind(Some(driver), _)) => {
                row == Level::Case && id == driver
            }
            (Test::Verdict(these), Self::Kind(_, Some(driver))) => {
                row == Level::Case && these == driver
            }
            _ => false,
        };
        let terms = query.terms.iter().filter(|term| term.negated || !sees_to(term));
        Query { terms: terms.cloned().collect() }
    }

    pub(super) fn runs(&self, runs: Runs, fits: &Clause) -> Clause {
        let of = |sql: &str, values: Vec<Value>| {
            let values = values.into_iter().chain(runs.keys());
            select("r.id", fits, Clause::new(sql, values))
        };
        let has = |kind: i64, code: Value| {
            let sql = "FROM run_has h CROSS JOIN runs r ON r.id = h.run
                       WHERE h.kind = ? AND h.code = ? AND h.run BETWEEN ? AND ?";
            let values = [kind.into(), code].into_iter().chain(runs.keys());
            select("h.run", fits, Clause::new(sql, values))
        };
        match self {
            Self::All => {
                of("FROM runs r WHERE r.id BETWEEN ? AND ? ORDER BY r.id DESC", Vec::new())
            }
            Self::Label(label) => {
                let sql = "FROM runs r INDEXED BY runs_by_label
                           WHERE r.label = ? AND r.id BETWEEN ? AND ? ORDER BY r.id DESC";
                of(sql, vec![(*label).to_owned().into()])
            }
            Self::Tag(key, value) => {
                let sql = "FROM tags t INDEXED BY tags_by_value CROSS JOIN runs r ON r.id = t.run
                           WHERE t.key = ? AND t.value = ? AND t.run BETWEEN ? AND ?
                           ORDER BY t.run DESC";
                of(sql, vec![(*key).to_owned().into(), (*value).to_owned().into()])
            }
            Self::Kind(_, Some(verdicts)) => {
                merge(verdicts.iter().map(|&verdict| has(2, code(verdict))), "UNION")
            }
            Self::Kind(simulator, None) => {
                merge(simulator.iter().map(|&simulator| has(1, code(simulator))), "UNION")
            }
        }
    }

    pub(super) fn cases(&self, runs: Runs, before: i64, fits: &Clause) -> Clause {
        let keys = [Value::from(runs.from << 32), Value::from((runs.to << 32) + 0xffff_ffff)];
        let cut =
            |values: Vec<Value>| values.into_iter().chain(keys.clone()).chain([before.into()]);
        let of_runs = |from: &str, values: Vec<Value>| {
            let sql = format!(
                "{from} CROSS JOIN cases c
                     ON c.id BETWEEN r.id << 32 AND (r.id << 32) + 4294967295
                 WHERE r.id BETWEEN ? AND ? AND c.id < ? ORDER BY r.id DESC, c.id DESC"
            );
            let values = values.into_iter().chain(runs.keys()).chain([before.into()]);
            select("c.id", fits, Clause::new(sql, values))
        };
        match self {
            Self::All => {
                let sql = "FROM cases c WHERE c.id BETWEEN ? AND ? AND c.id < ? ORDER BY c.id DESC";
                select("c.id", fits, Clause::new(sql, cut(Vec::new())))
            }
            Self::Label(label) => {
                let label = vec![(*label).to_owned().into()];
                of_runs("FROM (SELECT id FROM runs WHERE label = ?) r", label)
            }
            Self::Tag(key, value) => {
                let tag = vec![(*key).to_owned().into(), (*value).to_owned().into()];
                of_runs("FROM (SELECT run AS id FROM tags WHERE key = ? AND value = ?) r", tag)
            }
            Self::Kind(simulator, verdicts) => {
                let kinds = kinds(*simulator, *verdicts);
                let select = |Clause { sql, values }: Clause| {
                    let sql = format!("{sql} AND c.id BETWEEN ? AND ? AND c.id < ?");
                    select("c.id", fits, Clause::new(sql, cut(values)))
                };
                merge(kinds.into_iter().map(select), "UNION ALL")
            }
        }
    }
}

/// Cases by what they are, each in the order of keys. Those that are not done have no verdict.
fn kinds(simulator: Option<SimulatorId>, verdicts: Option<&[Verdict]>) -> Vec<Clause> {
    let done = "FROM cases c INDEXED BY cases_by_kind
                WHERE c.state = 3 AND c.simulator IS ? AND c.verdict = ?";
    let simulators = match simulator {
        Some(id) => vec![code(id)],
        None => SimulatorId::ALL.into_iter().map(code).chain([Value::Null]).collect(),
    };
    let mut kinds = Vec::new();
    for simulator in simulators {
        for &verdict in verdicts.unwrap_or(&Verdict::ALL) {
            kinds.push(Clause::new(done, [simulator.clone(), code(verdict)]));
        }
    }
    if let (Some(id), None) = (simulator, verdicts) {
        let unfinished = "FROM cases c INDEXED BY cases_unfinished
                          WHERE c.state < 3 AND c.state = ? AND c.simulator = ?";
        kinds.extend([1_i64, 2].map(|state| Clause::new(unfinished, [state.into(), code(id)])));
    }
    kinds
}

/// The key of each row, and whether it fits.
pub(super) fn select(key: &str, fits: &Clause, from: Clause) -> Clause {
    let sql = format!("SELECT {key}, {} {}", fits.sql, from.sql);
    Clause::new(sql, fits.values.iter().cloned().chain(from.values))
}

/// Several walks as one, newest first.
fn merge(walks: impl IntoIterator<Item = Clause>, by: &str) -> Clause {
    let mut merged = Clause::join(walks, &format!(" {by} "))
        .unwrap_or_else(|| Clause::new("SELECT NULL, NULL WHERE 0", []));
    merged.sql.push_str(" ORDER BY 1 DESC");
    merged
}

#[cfg(test)]
mod tests {
    use rusqlite::params_from_iter;
    use tempfile::TempDir;

    use super::super::fits;
    use super::{Clause, Driver, Level, Runs};
    use crate::domain::{Ending, RunState, SimulatorId, TimestampUs, Verdict};
    use crate::store::query::{Bound, Column, Query, Relation, Term, Test};
    use crate::store::{IfHeld, Reader, Store};

    fn every_test() -> Vec<Test> {
        let more = Bound { relation: Relation::More, than: 3 };
        vec![
            Test::Run(Bound { relation: Relation::Equal, than: 12 }),
            Test::State(RunState::Done),
            Test::Label("week 3".to_owned()),
            Test::Tag("k".to_owned(), Some("v".to_owned())),
            Test::Tag("k".to_owned(), None),
            Test::Since(TimestampUs(1)),
            Test::Until(TimestampUs(1)),
            Test::Cases(Bound { relation: Relation::More, than: 100 }),
            Test::Took(more),
            Test::Simulator(SimulatorId::Mtj),
            Test::Verdict(vec![Verdict::Wa, Verdict::Crash]),
            Test::Cached,
            Test::Name("a*".to_owned()),
            Test::Input(Bound { relation: Relation::AtMost, than: 7 }),
            Test::Ending(Ending::Endless),
            Test::Winner(vec![(SimulatorId::Mtj, 2)]),
            Test::Value(vec![(SimulatorId::Mtj, Column::Metric(0))], more),
        ]
    }

    /// Each term alone, its opposite, and each two of them.
    fn queries() -> Vec<Query> {
        let term = |test: &Test, negated| Term { negated, test: test.clone() };
        let mut queries = vec![Query::default()];
        for one in &every_test() {
            queries.push(Query { terms: vec![term(one, false)] });
            queries.push(Query { terms: vec![term(one, true)] });
            for other in &every_test() {
                queries.push(Query { terms: vec![term(one, false), term(other, false)] });
                queries.push(Query { terms: vec![term(one, true), term(other, false)] });
            }
        }
        queries
    }

    #[test]
    fn no_walk_scans_or_sorts() {
        let state = TempDir::new().expect("a temporary directory");
        let store = Store::open(state.path(), IfHeld::Refuse, TimestampUs(0)).expect("a store");
        let reader = Reader::open(state.path()).expect("a store").expect("a store");
        let plan = |Clause { sql, values }: Clause| {
            let mut explain = reader.db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect(&sql);
            let steps = explain.query_map(params_from_iter(values), |row| row.get(3));
            steps.expect(&sql).collect::<Result<Vec<String>, _>>().expect("a plan")
        };
        let runs = Runs { from: 1, to: 1_000 };
        for query in queries() {
            let driver = Driver::of(&query);
            let rest = |row| fits(row, &driver.rest(&query, row));
            let of_runs = driver.runs(runs, &rest(Level::Run));
            let of_cases = driver.cases(runs, 1 << 40, &rest(Level::Case));
            for sql in [of_runs, of_cases] {
                let text = sql.sql.clone();
                for step in plan(sql) {
                    let bad = step.contains("SCAN") || step.contains("TEMP B-TREE");
                    assert!(!bad, "{step}\n{text}\n{query:?}");
                }
            }
        }
        store.close().expect("a clean end");
    }
}
