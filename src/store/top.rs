//! The few cases of a run that stand out.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

/// The cases of a run with the greatest values, kept by the transaction that learns a value: the rank and
/// the value of each, the greatest first; of equal values that of the lower rank.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Top(Vec<(u32, i64)>);

impl Top {
    /// How many cases are kept.
    pub const MOST: usize = 5;

    /// The ranks and values.
    pub fn iter(&self) -> impl Iterator<Item = (u32, i64)> {
        self.0.iter().copied()
    }

    /// Takes note of a case; whether it is one of the greatest by now.
    pub(super) fn add(&mut self, rank: u32, value: i64) -> bool {
        let is_greater =
            |&(other, than): &(u32, i64)| (than, Reverse(other)) > (value, Reverse(rank));
        let place = self.0.partition_point(is_greater);
        if place < Self::MOST {
            self.0.insert(place, (rank, value));
            self.0.truncate(Self::MOST);
        }
        place < Self::MOST
    }

    /// Takes note of the cases of another one; whether that changed anything.
    pub(super) fn merge(&mut self, other: &Self) -> bool {
        other.iter().fold(false, |changed, (rank, value)| self.add(rank, value) || changed)
    }
}

#[cfg(test)]
mod tests {
    use super::Top;

    #[test]
    fn the_greatest_stay_and_of_equal_ones_the_first() {
        let mut top = Top::default();
        let values = [3, 9, 1, 9, 4, 4, 4, 4];
        let kept: Vec<bool> = (1..).zip(values).map(|(rank, value)| top.add(rank, value)).collect();
        assert_eq!(kept, [true, true, true, true, true, true, true, false]);
        let all: Vec<_> = top.iter().collect();
        assert_eq!(all, [(2, 9), (4, 9), (5, 4), (6, 4), (7, 4)]);
    }

    #[test]
    fn merging_is_adding_each() {
        let (mut left, mut right) = (Top::default(), Top::default());
        assert!(!left.merge(&right));
        right.add(7, 3);
        assert!(left.merge(&right));
        assert_eq!(left, right);
    }
}
