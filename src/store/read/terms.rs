//! Terms of a query as conditions on rows: `r` of runs, `c` of cases.

use rusqlite::ToSql;
use rusqlite::types::{ToSqlOutput, Value};

use super::filter::GameFilter;
use crate::domain::Verdict;
use crate::store::codes::Code;
use crate::store::query::{Bound, Query, Relation, Term, Test};

/// A piece of SQL with the values of its `?`, in order.
#[derive(Debug, Clone, Default)]
pub(super) struct Clause {
    pub(super) sql: String,
    pub(super) values: Vec<Value>,
}

/// What a row is, and whose properties a test is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Run,
    Case,
    Game,
}

/// The cases of run `r`.
const CASES_OF_RUN: &str = "SELECT 1 FROM cases c
    WHERE c.id BETWEEN r.id << 32 AND (r.id << 32) + 4294967295 AND ";

impl Clause {
    pub(super) fn new(sql: impl Into<String>, values: impl IntoIterator<Item = Value>) -> Self {
        Self { sql: sql.into(), values: values.into_iter().collect() }
    }

    fn within(self, before: &str, after: &str) -> Self {
        Self { sql: format!("{before}{}{after}", self.sql), values: self.values }
    }

    /// All of them; without any, what always holds.
    fn all(clauses: impl IntoIterator<Item = Self>) -> Self {
        Self::join(clauses, " AND ").unwrap_or_else(|| Self::new("1", []))
    }

    fn any(clauses: impl IntoIterator<Item = Self>) -> Self {
        let any = Self::join(clauses, " OR ").unwrap_or_else(|| Self::new("0", []));
        any.within("(", ")")
    }

    /// This one and then another.
    pub(super) fn then(mut self, next: &Self) -> Self {
        self.sql.push_str(&next.sql);
        self.values.extend_from_slice(&next.values);
        self
    }

    /// Puts clauses one after the other.
    pub(super) fn join(clauses: impl IntoIterator<Item = Self>, between: &str) -> Option<Self> {
        clauses.into_iter().reduce(|mut all, next| {
            all.sql.push_str(between);
            all.sql.push_str(&next.sql);
            all.values.extend(next.values);
            all
        })
    }
}

/// Whether a row of this level fits all terms.
pub(super) fn fits(row: Level, query: &Query) -> Clause {
    let own = query.terms.iter().filter(|term| term.test.level() <= row);
    let own = own.filter(|term| row == Level::Run || term.test.level() != Level::Run);
    let mut clauses: Vec<Clause> = own.map(holds).collect();
    if row > Level::Run {
        clauses.extend(of_its_run(query));
    }
    clauses.extend(below(row, query));
    Clause::all(clauses)
}

/// Whether the run of a case fits.
fn of_its_run(query: &Query) -> Option<Clause> {
    let terms = query.terms.iter().filter(|term| term.test.level() == Level::Run);
    let all = Clause::join(terms.map(holds), " AND ")?;
    Some(all.within("EXISTS (SELECT 1 FROM runs r WHERE r.id = c.id >> 32 AND ", ")"))
}

/// What must be found among the cases of a run, or the games of a case.
fn below(row: Level, query: &Query) -> Vec<Clause> {
    let below = |term: &&Term| term.test.level() > row;
    let (not, must): (Vec<&Term>, Vec<&Term>) =
        query.terms.iter().filter(below).partition(|term| term.negated);
    let exists = |terms: &[&Term]| match row {
        Level::Run => some_case(terms),
        Level::Case | Level::Game => some_game(terms.iter().map(|term| &term.test)),
    };
    let mut clauses: Vec<Clause> =
        not.iter().map(|term| exists(&[*term]).within("NOT ", "")).collect();
    if !must.is_empty() {
        clauses.push(exists(&must));
    }
    clauses
}

/// Whether one and the same game of case `c` has all of these.
fn some_game<'a>(tests: impl IntoIterator<Item = &'a Test>) -> Clause {
    let sql = "EXISTS (SELECT 1 FROM game_blocks b
        WHERE b.id >= c.result << 32 AND b.id < (c.result + 1) << 32 AND has_game(b.games, c.simulator, ?))";
    Clause::new(sql, [GameFilter::all(tests).argument().into()])
}

/// Whether one case of run `r` has all of these, their own negation aside. What the run knows of its
/// cases comes first: it is often the answer.
fn some_case(terms: &[&Term]) -> Clause {
    let known = terms.iter().filter_map(|term| term.test.of_run());
    let known = Clause::all(known).within("(", ")");
    if let [only] = terms
        && only.test.of_run().is_some()
    {
        return known;
    }
    let (games, cases): (Vec<&Term>, Vec<&Term>) =
        terms.iter().partition(|term| term.test.level() == Level::Game);
    let games = (!games.is_empty()).then(|| some_game(games.iter().map(|term| &term.test)));
    let all = Clause::all(cases.iter().map(|term| term.test.clause()).chain(games));
    let exists = all.within(&format!("EXISTS ({CASES_OF_RUN}"), ")");
    Clause::all([known, exists]).within("(", ")")
}

fn holds(term: &Term) -> Clause {
    let wanted = if term.negated { " IS NOT TRUE" } else { " IS TRUE" };
    term.test.clause().within("(", &format!("){wanted}"))
}

impl Query {
    /// The terms about what is above a level, and the others.
    pub(super) fn split(&self, level: Level) -> (Self, Self) {
        let is_above = |term: &Term| term.test.level() < level;
        let (above, others) = self.terms.iter().cloned().partition(is_above);
        (Self { terms: above }, Self { terms: others })
    }
}

impl Test {
    pub(super) const fn level(&self) -> Level {
        match self {
            Self::Run(_)
            | Self::State(_)
            | Self::Label(_)
            | Self::Tag(..)
            | Self::Since(_)
            | Self::Until(_)
            | Self::Cases(_) => Level::Run,
            Self::Took(_)
            | Self::Simulator(_)
            | Self::Rules(_)
            | Self::Verdict(_)
            | Self::Cached
            | Self::Name(_)
            | Self::Games(_)
            | Self::Input(_) => Level::Case,
            Self::Ending(_) | Self::Winner(_) | Self::Value(..) => Level::Game,
        }
    }

    /// What it is for the row that has it; of a game, for its case.
    fn clause(&self) -> Clause {
        match self {
            Self::Run(bound) => bound.clause("r.id"),
            Self::State(state) => Clause::new("r.state = ?", [code(*state)]),
            Self::Label(label) => Clause::new("r.label = ?", [label.clone().into()]),
            Self::Tag(key, value) => tag(key, value.as_deref()),
            Self::Since(at) => Clause::new("r.taken_in_us >= ?", [at.0.into()]),
            Self::Until(at) => Clause::new("r.taken_in_us < ?", [at.0.into()]),
            Self::Cases(bound) => bound.clause("max(r.total, r.listed)"),
            Self::Took(bound) => bound.clause("c.parse_us + c.play_us + c.compare_us"),
            Self::Simulator(id) => Clause::new("c.simulator = ?", [code(*id)]),
            Self::Rules(rules) => Clause::new("c.rules = ?", [code(*rules)]),
            Self::Verdict(verdicts) => Clause::any(
                verdicts
                    .iter()
                    .map(|&verdict| Clause::new("c.state = 3 AND c.verdict = ?", [code(verdict)])),
            ),
            Self::Cached => Clause::new("c.cached", []),
            Self::Name(pattern) => {
                Clause::new("CAST(c.name AS TEXT) GLOB ?", [pattern.clone().into()])
            }
            Self::Games(bound) => bound.clause("(SELECT games FROM results WHERE id = c.result)"),
            Self::Input(bound) => bound.clause("(SELECT bytes FROM contents WHERE id = c.content)"),
            Self::Ending(_) | Self::Winner(_) | Self::Value(..) => some_game([self]),
        }
    }

    /// What a run knows of its cases without a look at them.
    fn of_run(&self) -> Option<Clause> {
        match self {
            Self::Verdict(verdicts) => Some(Clause::any(
                verdicts
                    .iter()
                    .map(|verdict| Clause::new(format!("r.{} > 0", counter(*verdict)), [])),
            )),
            Self::Simulator(id) => {
                let has = "EXISTS (SELECT 1 FROM run_has h
                    WHERE h.kind = 1 AND h.code = ? AND h.run = r.id)";
                Some(Clause::new(has, [code(*id)]))
            }
            _ => None,
        }
    }
}

fn tag(key: &str, value: Option<&str>) -> Clause {
    let some = "EXISTS (SELECT 1 FROM tags t WHERE t.run = r.id AND t.key = ?";
    let mut clause = Clause::new(some, [key.to_owned().into()]);
    if let Some(value) = value {
        clause.sql.push_str(" AND t.value = ?");
        clause.values.push(value.to_owned().into());
    }
    clause.within("", ")")
}

/// The column in which a run counts a verdict.
const fn counter(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Ac => "ac",
        Verdict::Pe => "pe",
        Verdict::Wa => "wa",
        Verdict::NoRef => "noref",
        Verdict::BadIn => "badin",
        Verdict::Limit => "limits",
        Verdict::Crash => "crash",
        Verdict::Cancelled => "cancelled",
    }
}

impl<T: Copy + TryInto<i64>> Bound<T> {
    fn clause(&self, number: &str) -> Clause {
        let than: i64 = self.than.try_into().unwrap_or(i64::MAX);
        Clause::new(format!("{number} {} ?", self.relation.sign()), [than.into()])
    }
}

impl Relation {
    const fn sign(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::More => ">",
            Self::AtLeast => ">=",
        }
    }
}

/// A member of a closed set as a value.
pub(super) fn code<T>(member: T) -> Value
where
    Code<T>: ToSql,
{
    match Code(member).to_sql() {
        Ok(ToSqlOutput::Owned(value)) => value,
        _ => Value::Null,
    }
}
