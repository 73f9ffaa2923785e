//! Which results were met, so that their games count once.

use std::collections::HashMap;

/// A set of results for each part, in blocks of 65,536: results that were played one after another are
/// neighbours, and repeats may be anywhere.
#[derive(Debug, Default)]
pub(super) struct Seen(HashMap<(u32, i64), Block>);

/// Some of 65,536 numbers.
#[derive(Debug)]
enum Block {
    /// In order.
    Few(Vec<u16>),
    /// A bit for each.
    Many(Box<[u64; 1_024]>),
}

/// So many take as much room as a bit for each.
const FEW: usize = 4_096;

impl Seen {
    /// Takes note of a result; `true`: it is new in this part.
    pub(super) fn is_new(&mut self, part: u32, result: i64) -> bool {
        let block = self.0.entry((part, result >> 16)).or_insert_with(|| Block::Few(Vec::new()));
        let [.., high, low] = result.to_be_bytes();
        block.insert(u16::from_be_bytes([high, low]))
    }
}

impl Block {
    fn insert(&mut self, number: u16) -> bool {
        match self {
            Self::Few(few) => {
                let Err(at) = few.binary_search(&number) else { return false };
                few.insert(at, number);
                if few.len() > FEW {
                    *self = Self::many(few);
                }
                true
            }
            Self::Many(bits) => set(bits, number),
        }
    }

    fn many(numbers: &[u16]) -> Self {
        let mut bits = Box::new([0; 1_024]);
        numbers.iter().for_each(|&number| _ = set(&mut bits, number));
        Self::Many(bits)
    }
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
        // More than few of one block, and some far away, in an order of their own.
        let results = || (0..10_000).map(|at| at * 7_919 % 65_536).chain([65_536, 1 << 40]);
        assert!(results().all(|result| seen.is_new(0, result)));
        assert!(!results().any(|result| seen.is_new(0, result)));
        assert!(results().all(|result| seen.is_new(1, result)));
    }
}
