//! Which results were met, so that their games count once.

use std::collections::HashMap;

/// A set of results for each part, in blocks of 65,536. Results that were played one after another are
/// neighbours, and repeats may be anywhere.
#[derive(Debug, Default)]
pub(super) struct Seen(HashMap<(u32, i64), Block>);

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
    /// Takes note of a result; `true`: it is new in this part.
    pub(super) fn is_new(&mut self, part: u32, result: i64) -> bool {
        let block = self.0.entry((part, result >> 16)).or_insert_with(|| Block::Rows(Vec::new()));
        let [.., high, low] = result.to_be_bytes();
        block.insert(u16::from_be_bytes([high, low]))
    }
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
    fn a_result_is_new_once_in_each_part() {
        let mut seen = Seen::default();
        // Many of one block and some far away, none beside the one before, until all are neighbours.
        let results = || (0..70_000).map(|at| at * 7_919 % 70_001).chain([i64::MAX, 1 << 40]);
        assert!(results().all(|result| seen.is_new(0, result)));
        assert!(!results().any(|result| seen.is_new(0, result)));
        assert!((0..70_000).all(|result| seen.is_new(1, result)));
        assert!(!(0..70_000).any(|result| seen.is_new(1, result)));
        for (result, is_new) in [(5, true), (7, true), (6, true), (6, false), (4, true), (7, false)]
        {
            assert_eq!(seen.is_new(2, result), is_new, "{result}");
        }
    }
}
