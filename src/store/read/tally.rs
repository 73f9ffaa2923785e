//! What many cases and games come to: from the counters at once, or by a pass over those that a query
//! leaves.

mod cells;
mod counted;
mod feed;
mod games;
mod pass;
mod seen;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::domain::{Ending, RuleSet, SimulatorId, TimestampUs, Verdict};
use crate::store::query::Column;
use crate::store::statistics::Values;

/// What cases and games come to, told apart by what they are.
pub type Tally = BTreeMap<CellKey, Cell>;

/// What the cases and games of a cell have in common.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CellKey {
    /// Their simulator, if it is known.
    pub simulator: Option<SimulatorId>,
    /// Their rules, if they are known.
    pub rules: Option<RuleSet>,
    /// What else.
    pub part: Part,
}

/// What cases and games have in common besides simulator and rules.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Nothing.
    All,
    /// The verdict of the case.
    Verdict(Verdict),
    /// The winner's number, from 1; `None` if nobody won.
    Winner(Option<u32>),
    /// A name of the run.
    Name(Arc<str>),
}

/// What some cases and games come to. A game that several cases have counts once.
#[derive(Debug, Clone, Default)]
pub struct Cell {
    /// How many cases that are done have each verdict, in the order of [`Verdict::ALL`].
    pub verdicts: [u64; Verdict::ALL.len()],
    /// How many of them were answered from the store.
    pub cached: u64,
    /// How long those were played that were, in microseconds.
    pub times: Values,
    /// How the games ended, and who won.
    pub endings: BTreeMap<(Ending, Option<u32>), u64>,
    /// The value that was asked for of each game that has it.
    pub values: Values,
}

impl Cell {
    /// How many cases.
    #[must_use]
    pub fn cases(&self) -> u64 {
        self.verdicts.iter().sum()
    }

    /// How many games.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.endings.values().sum()
    }

    /// How many games ended so.
    #[must_use]
    pub fn ended(&self, ending: Ending) -> u64 {
        self.endings.iter().filter(|((is, _), _)| *is == ending).map(|(_, games)| games).sum()
    }

    /// Adds what is in another cell.
    pub fn merge(&mut self, other: &Self) {
        for (count, more) in self.verdicts.iter_mut().zip(other.verdicts) {
            *count += more;
        }
        self.cached += other.cached;
        self.times.merge(&other.times);
        self.values.merge(&other.values);
        for (key, games) in &other.endings {
            *self.endings.entry(*key).or_default() += games;
        }
    }
}

/// What a run is called, and when it began.
#[derive(Debug)]
pub struct RunNames {
    /// Its label.
    pub label: Option<String>,
    /// Its tags, by key.
    pub tags: BTreeMap<String, String>,
    /// When it was taken in.
    pub taken_in_at: TimestampUs,
}

/// What else the cells are told apart by.
#[derive(Clone, Copy)]
pub enum Facet<'a> {
    /// Nothing.
    Nothing,
    /// The verdict.
    Verdict,
    /// The winner; cases have none.
    Winner,
    /// Names of the run; its cases are in the cell of each.
    Names(&'a NamesOfRun<'a>),
}

/// The names that a run is to be found under.
pub type NamesOfRun<'a> = dyn Fn(&RunNames) -> Vec<String> + Sync + 'a;

/// What a pass takes down, besides how many cases there are.
#[derive(Debug, Clone, Default)]
pub struct Gather {
    /// How long cases were played.
    pub times: bool,
    /// How games ended, and this value of each simulator's games; `None`: no games.
    pub games: Option<Vec<(SimulatorId, Column)>>,
}
