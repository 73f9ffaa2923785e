//! An input of Thunder Bluff that nobody wrote: one game for each seed of a range.

use std::fmt::Write;
use std::io::{self, Read};
use std::ops::Range;

/// What SplitMix64 adds to its state for each output (Steele, Lea, Flood: Fast Splittable Pseudorandom
/// Number Generators, 2014).
const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

/// Reads `FROM..TO`, as `--seeds` takes it; `TO` is not included.
///
/// # Errors
/// [`SeedsError`]: it is no such range, or an empty one.
pub fn seed_range(text: &str) -> Result<Range<u64>, SeedsError> {
    let (from, to) = text.split_once("..").ok_or(SeedsError::Form)?;
    let number = |text: &str| text.parse().map_err(|_| SeedsError::Form);
    let range = number(from)?..number(to)?;
    if range.is_empty() { Err(SeedsError::Empty) } else { Ok(range) }
}

/// The text of the input, made while it is read: the number of games, then a line for each seed.
#[derive(Debug)]
pub(super) struct Text {
    seeds: Range<u64>,
    line: String,
    at: usize,
}

impl Text {
    pub(super) fn new(seeds: Range<u64>) -> Self {
        let games = seeds.end.saturating_sub(seeds.start);
        Self { seeds, line: format!("{games}\n"), at: 0 }
    }

    /// How many bytes it has at least: a line holds four digits, three blanks and its end.
    pub(super) const fn bytes_least(seeds: &Range<u64>) -> u64 {
        seeds.end.saturating_sub(seeds.start).saturating_mul(8)
    }

    /// Goes to the next line.
    fn advance(&mut self) {
        self.at = 0;
        self.line.clear();
        if let Some(seed) = self.seeds.next() {
            let [x, y, z, w] = numbers(seed);
            let written = writeln!(self.line, "{x} {y} {z} {w}");
            debug_assert!(written.is_ok(), "a string takes everything");
        }
    }
}

impl Read for Text {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut written = 0;
        while written < out.len() && !self.line.is_empty() {
            let rest = &self.line.as_bytes()[self.at..];
            let bytes = rest.len().min(out.len() - written);
            out[written..written + bytes].copy_from_slice(&rest[..bytes]);
            written += bytes;
            self.at += bytes;
            if self.at == self.line.len() {
                self.advance();
            }
        }
        Ok(written)
    }
}

/// The four numbers of a game: the halves of the first two outputs of a SplitMix64 whose state starts at
/// the seed, high before low.
const fn numbers(seed: u64) -> [u64; 4] {
    let first = mix(seed.wrapping_add(GAMMA));
    let second = mix(seed.wrapping_add(GAMMA).wrapping_add(GAMMA));
    [first >> 32, first & 0xFFFF_FFFF, second >> 32, second & 0xFFFF_FFFF]
}

const fn mix(state: u64) -> u64 {
    let z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Why a text is no range of seeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SeedsError {
    /// It has another form.
    #[error("expected FROM..TO with two whole numbers, such as 0..1000")]
    Form,
    /// It holds no seed.
    #[error("no seed in it: TO is not included and must be larger than FROM")]
    Empty,
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::{SeedsError, Text, numbers, seed_range};

    #[test]
    fn the_numbers_of_a_seed_are_those_of_split_mix_64() {
        // Its published first outputs for seed 0 are e220a8397b1dcdaf and 6e789e6aa1b965f4.
        assert_eq!(numbers(0), [3_793_791_033, 2_065_550_767, 1_853_398_634, 2_713_282_036]);
        assert_eq!(numbers(1), [2_433_363_436, 2_298_633_409, 3_203_108_257, 1_703_865_447]);
        assert_eq!(numbers(u64::MAX), [3_839_455_607, 459_615_264, 3_919_575_143, 3_690_365_641]);
    }

    #[test]
    fn the_text_is_the_number_of_games_and_a_line_for_each() {
        let mut text = String::new();
        Text::new(0..2).read_to_string(&mut text).expect("a text");
        let second = "2433363436 2298633409 3203108257 1703865447\n";
        assert_eq!(text, format!("2\n3793791033 2065550767 1853398634 2713282036\n{second}"));
    }

    #[test]
    fn a_range_of_seeds_has_two_ends_and_something_in_it() {
        assert_eq!(seed_range("3..10"), Ok(3..10));
        assert_eq!(seed_range("10..10"), Err(SeedsError::Empty));
        for text in ["", "5", "..5", "5..", "a..b", "1..-2", "1...5"] {
            assert_eq!(seed_range(text), Err(SeedsError::Form), "{text}");
        }
    }
}
