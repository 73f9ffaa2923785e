//! What is looked for among runs, cases and games.

use serde::{Deserialize, Serialize};

use crate::domain::{Ending, RuleSet, RunId, RunState, SimulatorId, TimestampUs, Verdict};

/// Terms that all must hold; none means everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// The terms.
    pub terms: Vec<Term>,
}

/// One term.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// Whether the opposite must hold.
    pub negated: bool,
    /// What must hold.
    pub test: Test,
}

/// A property of a run, a case or a game.
///
/// A case and a game have the properties of their run, a game has those of its case. A run has a property
/// of cases when one of its cases has it, a case one of games when one of its games has it; if several such
/// terms are not negated, it must be the same one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test {
    /// The number of a run.
    Run(Bound<i64>),
    /// A run in this state.
    State(RunState),
    /// A run with this label.
    Label(String),
    /// A run with this tag; any value, or this one.
    Tag(String, Option<String>),
    /// A run that was taken in at this moment or later.
    Since(TimestampUs),
    /// A run that was taken in before this moment.
    Until(TimestampUs),
    /// How many cases a run has.
    Cases(Bound<u64>),
    /// How long a case took to be read, played and compared, in microseconds.
    Took(Bound<i64>),
    /// A case of this simulator.
    Simulator(SimulatorId),
    /// A case that is played by these rules.
    Rules(RuleSet),
    /// A case with one of these verdicts.
    Verdict(Vec<Verdict>),
    /// A case that was answered from the store.
    Cached,
    /// A case whose name fits a pattern: `*` any characters, `?` one, `[...]` one of these.
    Name(String),
    /// How many games a case has.
    Games(Bound<u64>),
    /// How many bytes the input of a case has.
    Input(Bound<u64>),
    /// A game that ended so.
    Ending(Ending),
    /// A game that one of these players won; players count from 1.
    Winner(Vec<(SimulatorId, u32)>),
    /// A game with such a value; the column depends on the simulator.
    Value(Vec<(SimulatorId, Column)>, Bound<i64>),
}

/// A number of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Column {
    /// Rounds, rolls or plays.
    Length,
    /// The metric at this place of the simulator's list, from 0.
    Metric(usize),
}

/// How a number compares with another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bound<T> {
    /// How.
    pub relation: Relation,
    /// With what.
    pub than: T,
}

/// How two numbers compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Relation {
    /// `:` and `=`.
    Equal,
    /// `<`.
    Less,
    /// `<=`.
    AtMost,
    /// `>`.
    More,
    /// `>=`.
    AtLeast,
}

impl Bound<i64> {
    /// Whether a number is within.
    pub(super) const fn holds(&self, number: i64) -> bool {
        match self.relation {
            Relation::Equal => number == self.than,
            Relation::Less => number < self.than,
            Relation::AtMost => number <= self.than,
            Relation::More => number > self.than,
            Relation::AtLeast => number >= self.than,
        }
    }
}

/// What a walk over runs, cases or games came upon.
#[derive(Debug)]
pub struct Walk<K> {
    /// Those that are looked for, newest first.
    pub found: Vec<K>,
    /// How many were looked at.
    pub looked_at: usize,
    /// The last one that was looked at; `None`: that was the end.
    pub reached: Option<K>,
}

/// How far a walk goes.
#[derive(Debug, Clone, Copy)]
pub struct Reach {
    /// No further once so many are found.
    pub found: usize,
    /// No further once so many were looked at.
    pub looked_at: usize,
}

impl Query {
    /// The run that is asked for by its number, if one is.
    #[must_use]
    pub fn run(&self) -> Option<RunId> {
        self.terms.iter().find_map(|term| match term {
            Term { negated: false, test: Test::Run(Bound { relation: Relation::Equal, than }) } => {
                Some(RunId(*than))
            }
            _ => None,
        })
    }
}
