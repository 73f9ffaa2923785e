//! Sets of results that were met.

use std::collections::HashMap;

/// A set of results, in blocks of 65,536. Results that were played one after another are neighbours, and repeats
/// may be anywhere.
#[derive(Debug, Default)]
pub(super) struct Seen(HashMap<i64, Block>);

/// Some of 65,536 numbers.
#[derive(Debug)]
enum Block {
    /// The first and the last one of each row of neighbours, in order.
    Rows(Vec<[u16; 2]>),
    /// A bit for each.
    Bits(Box<[u64; 1_024]>),
}

/// So many take as much room as a bit for each.
const ROWS_MOST: usize = 2_048;

impl Seen {
    /// Takes note of a result; `true`: it is new.
    pub(super) fn is_new(&mut self, result: i64) -> bool {
        let block = self.0.entry(result >> 16).or_insert_with(|| Block::Rows(Vec::new()));
        block.insert(low(result))
    }

    /// Whether a result was met.
    pub(super) fn has(&self, result: i64) -> bool {
        self.0.get(&(result >> 16)).is_some_and(|block| block.has(low(result)))
    }
}

/// The place of a result in its block.
const fn low(result: i64) -> u16 {
    let [.., high, low] = result.to_be_bytes();
    u16::from_be_bytes([high, low])
}

impl Block {
    fn insert(&mut self, number: u16) -> bool {
        match self {
            Self::Rows(rows) => {
                let is_new = add(rows, number);
                if rows.len() > ROWS_MOST {
                    *self = Self::bits(rows);
                }
                is_new
            }
            Self::Bits(bits) => set(bits, number),
        }
    }

    fn has(&self, number: u16) -> bool {
        match self {
            Self::Rows(rows) => {
                let at = rows.partition_point(|&[_, last]| last < number);
                rows.get(at).is_some_and(|&[first, _]| first <= number)
            }
            Self::Bits(bits) => bits[usize::from(number >> 6)] & (1 << (number & 63)) != 0,
        }
    }

    fn bits(rows: &[[u16; 2]]) -> Self {
        let mut bits = Box::new([0; 1_024]);
        for &[first, last] in rows {
            (first..=last).for_each(|number| _ = set(&mut bits, number));
        }
        Self::Bits(bits)
    }
}

/// Adds a number; `true`: it was not there.
fn add(rows: &mut Vec<[u16; 2]>, number: u16) -> bool {
    let at = rows.partition_point(|&[_, last]| last < number);
    let after = rows.get(at).copied();
    if after.is_some_and(|[first, _]| first <= number) {
        return false;
    }
    let after = after.filter(|[first, _]| first - number == 1);
    let before = rows[..at].last_mut().filter(|[_, last]| number - *last == 1);
    match (before, after) {
        (Some(before), Some([_, last])) => {
            before[1] = last;
            rows.remove(at);
        }
        (Some(before), None) => before[1] = number,
        (None, Some(_)) => rows[at][0] = number,
        (None, None) => rows.insert(at, [number, number]),
    }
    true
}

/// Sets a bit; `true`: it was not set.
fn set(bits: &mut [u64; 1_024], number: u16) -> bool {
    let word = &mut bits[usize::from(number >> 6)];
    let bit = 1 << (number & 63);
    let is_new = *word & bit == 0;
    *word |= bit;
    is_new
}

#[cfg(test)]
mod tests {
    use super::Seen;

    #[test]
    fn a_result_is_new_once() {
        let mut seen = Seen::default();
        // Many of one block and some far away, none beside the one before, until all are neighbours.
        let results = || (0..70_000).map(|at| at * 7_919 % 70_001).chain([i64::MAX, 1 << 40]);
        for result in results() {
            assert!(!seen.has(result) && seen.is_new(result) && seen.has(result), "{result}");
        }
        assert!(!results().any(|result| seen.is_new(result)));
        let mut seen = Seen::default();
        for (result, is_new) in [(5, true), (7, true), (6, true), (6, false), (4, true), (7, false)]
        {
            assert_eq!(seen.has(result), !is_new, "{result}");
            assert_eq!(seen.is_new(result), is_new, "{result}");
        }
        assert!(!seen.has(3) && !seen.has(8));
    }
}
