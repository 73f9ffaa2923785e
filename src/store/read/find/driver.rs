//! Which index gives the rows of a walk, in the order of keys.

use rusqlite::types::Value;

use super::super::terms::{Clause, Level, code, fits};
use crate::domain::{CaseId, RunId, SimulatorId, Verdict};
use crate::store::query::{Bound, Query, Relation, Test};

/// The numbers that runs may have, the ends included.
#[derive(Debug, Clone, Copy)]
pub(super) struct Runs {
    pub(super) from: i64,
    pub(super) to: i64,
}

/// Which way a walk goes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Order {
    NewestFirst,
    OldestFirst,
}

/// Which runs are walked over.
pub(super) enum RunDriver<'a> {
    /// All there are.
    All,
    /// Those with this label.
    Label(&'a str),
    /// Those with this tag; any value, or this one.
    Tag(&'a str, Option<&'a str>),
    /// Those that have a case with one of these verdicts.
    Verdicts(&'a [Verdict]),
    /// Those that have a case of this simulator.
    Simulator(SimulatorId),
}

/// Which cases are walked over: those of a simulator, or of any, with a verdict, or with any.
pub(super) struct CaseDriver<'a> {
    simulator: Option<SimulatorId>,
    verdicts: Option<&'a [Verdict]>,
}

impl Order {
    const fn sql(self) -> &'static str {
        match self {
            Self::NewestFirst => "DESC",
            Self::OldestFirst => "ASC",
        }
    }
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

    pub(super) const fn only(run: RunId) -> Self {
        Self { from: run.0, to: run.0 }
    }

    fn keys(self) -> [Value; 2] {
        [self.from.into(), self.to.into()]
    }
}

/// The tests that must hold.
fn sure(query: &Query) -> impl Iterator<Item = &Test> {
    query.terms.iter().filter(|term| !term.negated).map(|term| &term.test)
}

/// The simulator that must be, and the verdicts one of which must be.
fn kind(query: &Query) -> (Option<SimulatorId>, Option<&[Verdict]>) {
    let simulator = sure(query).find_map(|test| match test {
        Test::Simulator(id) => Some(*id),
        _ => None,
    });
    let verdicts = sure(query).find_map(|test| match test {
        Test::Verdict(verdicts) => Some(&verdicts[..]),
        _ => None,
    });
    (simulator, verdicts)
}

/// A query without the terms that its driver sees to.
fn without(query: &Query, sees_to: impl Fn(&Test) -> bool) -> Query {
    let terms = query.terms.iter().filter(|term| term.negated || !sees_to(&term.test));
    Query { terms: terms.cloned().collect() }
}

impl<'a> RunDriver<'a> {
    /// The term that leaves the fewest rows, as far as one can tell.
    pub(super) fn of(query: &'a Query) -> Self {
        if query.run().is_some() {
            return Self::All;
        }
        let label = sure(query).find_map(|test| match test {
            Test::Label(label) => Some(Self::Label(label)),
            _ => None,
        });
        let tag = sure(query).filter_map(|test| match test {
            Test::Tag(key, value) => Some((key, value.as_deref())),
            _ => None,
        });
        let tag = tag.max_by_key(|(_, value)| value.is_some());
        let tag = tag.map(|(key, value)| Self::Tag(key, value));
        label.or(tag).unwrap_or_else(|| match kind(query) {
            (_, Some(verdicts)) => Self::Verdicts(verdicts),
            (Some(simulator), None) => Self::Simulator(simulator),
            (None, None) => Self::All,
        })
    }

    /// The runs between two numbers, and whether they fit.
    pub(super) fn walk(&self, query: &Query, runs: Runs, order: Order) -> Clause {
        let direction = order.sql();
        let rest = without(query, |test| match (test, self) {
            (Test::Label(label), Self::Label(driver)) => label == driver,
            (Test::Tag(key, value), Self::Tag(k, v)) => key == k && value.as_deref() == *v,
            _ => false,
        });
        let fits = fits(Level::Run, &rest);
        let of = |key: &str, sql: &str, values: Vec<Value>| {
            let values = values.into_iter().chain(runs.keys());
            select(key, &fits, Clause::new(sql, values))
        };
        let has = |kind: i64, code: Value| {
            let sql = "FROM run_has h CROSS JOIN runs r ON r.id = h.run
                       WHERE h.kind = ? AND h.code = ? AND h.run BETWEEN ? AND ?";
            of("h.run", sql, vec![kind.into(), code])
        };
        match self {
            Self::All => {
                let sql =
                    format!("FROM runs r WHERE r.id BETWEEN ? AND ? ORDER BY r.id {direction}");
                of("r.id", &sql, Vec::new())
            }
            Self::Label(label) => {
                let sql = format!(
                    "FROM runs r INDEXED BY runs_by_label
                     WHERE r.label = ? AND r.id BETWEEN ? AND ? ORDER BY r.id {direction}"
                );
                of("r.id", &sql, vec![(*label).to_owned().into()])
            }
            Self::Tag(key, value) => {
                let (index, fits) = match value {
                    Some(_) => ("tags_by_value", "AND t.value = ?"),
                    None => ("tags_by_key", ""),
                };
                let sql = format!(
                    "FROM tags t INDEXED BY {index} CROSS JOIN runs r ON r.id = t.run
                     WHERE t.key = ? {fits} AND t.run BETWEEN ? AND ? ORDER BY t.run {direction}"
                );
                let values = [Some(*key), *value].into_iter().flatten();
                of("r.id", &sql, values.map(|text| text.to_owned().into()).collect())
            }
            Self::Verdicts(verdicts) => {
                merge(verdicts.iter().map(|&verdict| has(2, code(verdict))), "UNION", order)
            }
            Self::Simulator(simulator) => merge([has(1, code(*simulator))], "UNION", order),
        }
    }
}

impl<'a> CaseDriver<'a> {
    pub(super) fn of(query: &'a Query) -> Self {
        let (simulator, verdicts) = kind(query);
        Self { simulator, verdicts }
    }

    const fn is_all(&self) -> bool {
        self.simulator.is_none() && self.verdicts.is_none()
    }

    /// Whether cases are walked over run by run: where an index gives the runs, or none the cases.
    pub(super) fn goes_by_runs(&self, of_runs: &Query) -> bool {
        let has_index = !matches!(RunDriver::of(of_runs), RunDriver::All);
        has_index || (self.is_all() && !of_runs.terms.is_empty())
    }

    /// The cases of some runs before one, and whether they fit.
    pub(super) fn walk(&self, query: &Query, runs: Runs, before: CaseId) -> Clause {
        let rest = without(query, |test| match test {
            Test::Simulator(id) => self.simulator == Some(*id),
            Test::Verdict(verdicts) => self.verdicts == Some(&verdicts[..]),
            _ => false,
        });
        let fits = fits(Level::Case, &rest);
        let order = Order::NewestFirst;
        // One upper end: of two, the database seeks the first and walks from there to the other.
        let last = RunId(runs.to).tail().key().min(before.key() - 1);
        let keys = [RunId(runs.from).head().key(), last].map(Value::from);
        let of = |Clause { sql, values }: Clause| {
            let sql = format!("{sql} AND c.id BETWEEN ? AND ?");
            select("c.id", &fits, Clause::new(sql, values.into_iter().chain(keys.clone())))
        };
        if self.is_all() {
            return merge([of(Clause::new("FROM cases c WHERE TRUE", []))], "", order);
        }
        merge(kinds(self.simulator, self.verdicts).into_iter().map(of), "UNION ALL", order)
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
fn select(key: &str, fits: &Clause, from: Clause) -> Clause {
    let sql = format!("SELECT {key}, {} {}", fits.sql, from.sql);
    Clause::new(sql, fits.values.iter().cloned().chain(from.values))
}

/// Several walks as one.
fn merge(walks: impl IntoIterator<Item = Clause>, by: &str, order: Order) -> Clause {
    let mut merged = Clause::join(walks, &format!(" {by} "))
        .unwrap_or_else(|| Clause::new("SELECT NULL, NULL WHERE 0", []));
    merged.sql.push_str(&format!(" ORDER BY 1 {}", order.sql()));
    merged
}
