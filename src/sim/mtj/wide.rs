//! A hand on a ring of many values: the work for a card does not depend on how many there are.

use std::collections::{BTreeMap, BinaryHeap};

use super::lead::lead;
use super::play::{Kind, Play, Ring, STRAIGHT_LEAST};

/// The values one player holds, ready for the next lead.
#[derive(Debug, Default)]
pub(super) struct WideHand {
    /// How many cards of each value; a value without a card is absent.
    counts: BTreeMap<u32, u32>,
    /// The runs of at least two values that are held, as start and length; here none goes on from
    /// `k` to 1.
    runs: BTreeMap<u32, u32>,
    /// Length and start of every run long enough for a straight, and of some that are no more.
    straights: BinaryHeap<(u32, u32)>,
    /// Size and value of every group of at least two cards, and of some that are no more; but not
    /// yet of the groups that changed.
    groups: BinaryHeap<(u32, u32)>,
    /// The values whose groups changed.
    changed: Vec<u32>,
}

impl WideHand {
    /// Adds a card and returns how many of its value are held now.
    pub(super) fn add(&mut self, value: u32) -> u32 {
        let count = self.counts.entry(value).or_default();
        *count += 1;
        let held = *count;
        if held == 1 {
            self.join_runs(value);
        } else {
            self.changed.push(value);
        }
        held
    }

    /// Takes a card that is held away and returns how many of its value were held.
    pub(super) fn take(&mut self, value: u32) -> u32 {
        let count = self.counts.entry(value).or_default();
        let held = *count;
        *count -= 1;
        if held == 1 {
            self.counts.remove(&value);
            self.split_run(value);
        } else {
            self.changed.push(value);
        }
        held
    }

    /// What the player leads with, as [`lead`] says.
    pub(super) fn lead(&mut self, ring: Ring) -> Play {
        if self.counts.len() == ring.values as usize {
            // A look at every value costs no more than the lap that is put down.
            let counts: Vec<u32> = self.counts.values().copied().collect();
            return lead(&counts, ring);
        }
        match self.run_across_the_end(ring).max(self.longest_run()) {
            Some((cards, first)) if cards >= STRAIGHT_LEAST => {
                Play { kind: Kind::Straight, first, cards }
            }
            _ => self.largest_group(),
        }
    }

    /// Calls `see` with each value and how many cards of it, in ascending order.
    pub(super) fn each(&self, mut see: impl FnMut(u32, u32)) {
        self.counts.iter().for_each(|(&value, &count)| see(value, count));
    }

    /// Whether the values below and above one are held.
    fn neighbours(&self, value: u32) -> (bool, bool) {
        let mut held = self.counts.range(value.saturating_sub(1)..=value + 1);
        let below = held.clone().next().is_some_and(|(&first, _)| first < value);
        let above = held.next_back().is_some_and(|(&last, _)| last > value);
        (below, above)
    }

    /// A value is held now: it makes a run with its neighbours.
    fn join_runs(&mut self, value: u32) {
        let (below, above) = self.neighbours(value);
        let (first, mut length) = if below { self.run_up_to(value) } else { (value, 0) };
        length += 1;
        if above {
            length += self.runs.remove(&(value + 1)).unwrap_or(1);
        }
        self.set_run(first, length);
    }

    /// A value is not held any more: its run loses it and perhaps falls in two.
    fn split_run(&mut self, value: u32) {
        let (below, above) = self.neighbours(value);
        if (below || above)
            && let Some((&first, &length)) = self.runs.range(..=value).next_back()
        {
            self.runs.remove(&first);
            self.set_run(first, value - first);
            self.set_run(value + 1, first + length - value - 1);
        }
    }

    /// Start and length of the run that ends below `end`, where a value is held.
    fn run_up_to(&self, end: u32) -> (u32, u32) {
        match self.runs.range(..end).next_back() {
            Some((&first, &length)) if first + length == end => (first, length),
            _ => (end - 1, 1),
        }
    }

    fn set_run(&mut self, first: u32, length: u32) {
        if length >= 2 {
            self.runs.insert(first, length);
        }
        if length >= STRAIGHT_LEAST {
            self.straights.push((length, first));
        }
    }

    /// Length and start of the run that goes on from `k` to 1; some value is not held.
    fn run_across_the_end(&self, ring: Ring) -> Option<(u32, u32)> {
        let held = |value| self.counts.contains_key(&value);
        if !held(0) || !held(ring.values - 1) {
            return None;
        }
        let (first, below) = self.run_up_to(ring.values);
        let above = self.runs.get(&0).copied().unwrap_or(1);
        Some((below + above, first))
    }

    /// Length and start of the longest run if it is long enough for a straight, of several the one
    /// that starts last.
    fn longest_run(&mut self) -> Option<(u32, u32)> {
        while let Some(&(length, first)) = self.straights.peek() {
            if self.runs.get(&first) == Some(&length) {
                return Some((length, first));
            }
            self.straights.pop();
        }
        None
    }

    /// The largest group, of several the one of the largest value.
    fn largest_group(&mut self) -> Play {
        self.changed.sort_unstable();
        self.changed.dedup();
        for value in self.changed.drain(..) {
            let count = self.counts.get(&value).copied();
            self.groups.extend(count.filter(|&count| count > 1).map(|count| (count, value)));
        }
        while let Some(&(cards, first)) = self.groups.peek() {
            if self.counts.get(&first) == Some(&cards) {
                return Play { kind: Kind::Group, first, cards };
            }
            self.groups.pop();
        }
        let first = self.counts.last_key_value().map_or(0, |(&value, _)| value);
        Play { kind: Kind::Group, first, cards: 1 }
    }
}
