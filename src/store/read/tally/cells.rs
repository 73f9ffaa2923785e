//! The cells of a pass while it goes.

use std::collections::HashMap;

use super::Cell;
use crate::domain::{Ending, RuleSet, SimulatorId, Verdict};
use crate::store::statistics::Values;

/// How many different values are kept as they are, in all cells together.
const DISTINCT_MOST: usize = 65_536;

/// A cell's simulator, rules and part.
pub(super) type Place = (Option<SimulatorId>, Option<RuleSet>, u32);

/// The cells of a pass, with bounded memory for their values.
#[derive(Debug, Default)]
pub(super) struct Cells {
    cells: Vec<(Place, Cell)>,
    at: HashMap<Place, usize>,
    /// The one that was asked for last: most cases are like the one before.
    last: usize,
    distinct: usize,
    rounded: bool,
}

impl Cells {
    /// Counts a case.
    pub(super) fn add_case(&mut self, at: Place, verdict: Verdict, cached: bool) {
        let cell = self.cell(at);
        cell.verdicts[verdict as usize] += 1;
        cell.cached += u64::from(cached);
    }

    /// Counts how long a case was played.
    pub(super) fn add_time(&mut self, at: Place, play_us: i64) {
        let is_new = self.cell(at).times.add(play_us);
        self.bound(is_new);
    }

    /// Counts a game, with its value if it has one.
    pub(super) fn add_game(
        &mut self,
        at: Place,
        ending: (Ending, Option<u32>),
        value: Option<i64>,
    ) {
        let cell = self.cell(at);
        *cell.endings.entry(ending).or_default() += 1;
        let is_new = value.is_some_and(|value| cell.values.add(value));
        self.bound(is_new);
    }

    /// Adds the cells of another thread.
    pub(super) fn merge(&mut self, other: Self) {
        if self.cells.is_empty() {
            *self = other;
            return;
        }
        if other.rounded {
            self.round();
        }
        for (at, cell) in other.cells {
            self.cell(at).merge(&cell);
        }
        self.distinct = self.values().map(|values| values.distinct()).sum();
        self.bound(true);
    }

    pub(super) fn into_cells(self) -> impl Iterator<Item = (Place, Cell)> {
        self.cells.into_iter()
    }

    fn cell(&mut self, place: Place) -> &mut Cell {
        if self.cells.get(self.last).is_none_or(|(last, _)| *last != place) {
            self.last = *self.at.entry(place).or_insert(self.cells.len());
        }
        if self.last == self.cells.len() {
            let mut cell = Cell::default();
            if self.rounded {
                cell.times.round();
                cell.values.round();
            }
            self.cells.push((place, cell));
        }
        &mut self.cells[self.last].1
    }

    fn bound(&mut self, is_new: bool) {
        self.distinct += usize::from(is_new);
        if self.distinct > DISTINCT_MOST && !self.rounded {
            self.round();
        }
    }

    /// Rounds all values, those to come too.
    fn round(&mut self) {
        self.rounded = true;
        self.values().for_each(Values::round);
    }

    fn values(&mut self) -> impl Iterator<Item = &mut Values> {
        self.cells.iter_mut().flat_map(|(_, cell)| [&mut cell.times, &mut cell.values])
    }
}
