//! Sixteen bytes of a text, looked at together.

/// How many bytes a block has.
const BYTES: usize = 16;
/// The lowest bit of each byte.
const ONES: u128 = u128::MAX / 0xFF;
/// The highest bit of each byte. No byte of a text has it, so it is free to say yes or no.
const FLAGS: u128 = ONES << 7;

/// Sixteen bytes of ASCII, the first one lowest.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block(u128);

/// What a block begins with, as far as all is plain: whole tokens, and the white space after them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Plain {
    pub(super) tokens: u64,
    pub(super) bytes: usize,
}

impl Block {
    /// The block at a place; `None` where the text ends earlier.
    #[inline]
    pub(super) fn at(text: &[u8], place: usize) -> Option<Self> {
        let bytes: &[u8; BYTES] = text.get(place..)?.first_chunk()?;
        Some(Self(u128::from_le_bytes(*bytes)))
    }

    /// A flag for each byte that is at least `least`.
    const fn at_least(self, least: u8) -> u128 {
        (self.0 + (0x80 - least as u128) * ONES) & FLAGS
    }

    /// The tokens and white space of a block that begins with a token or white space. `None` if a
    /// byte is neither a digit nor white space, no token ends here, or one has leading zeros.
    #[inline]
    pub(super) const fn plain(self) -> Option<Plain> {
        let spaces = !self.at_least(b' ' + 1) & FLAGS;
        let digits = self.at_least(b'0') & !self.at_least(b'9' + 1);
        let starts = digits & !(digits << 8);
        let leading_zeros = starts & !self.at_least(b'1') & (digits >> 8);
        if spaces == 0 || (digits | spaces) != FLAGS || leading_zeros != 0 {
            return None;
        }
        let ends = digits & (spaces >> 8);
        let bytes = BYTES - spaces.leading_zeros() as usize / 8;
        Some(Plain { tokens: count(ends), bytes })
    }

    /// The number that the digits at its beginning are, and how many these are; `None` without any,
    /// or if more may follow.
    #[inline]
    pub(super) const fn number(self) -> Option<(u64, usize)> {
        let digits = self.at_least(b'0') & !self.at_least(b'9' + 1);
        let bits = (digits ^ FLAGS).trailing_zeros() & !7;
        if bits == 0 || bits == u128::BITS {
            return None;
        }
        // Zeros move in before them.
        let all = self.0 << (u128::BITS - bits);
        let (high, low) = (eight_digits(first_half(all)), eight_digits(first_half(all >> 64)));
        Some((high * 100_000_000 + low, bits as usize / 8))
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the other half is cut off")]
const fn first_half(bytes: u128) -> u64 {
    bytes as u64
}

/// The number that eight digits are, or zero bytes in their place.
const fn eight_digits(digits: u64) -> u64 {
    // Each step joins neighbours: to numbers of two digits, of four, of eight.
    let ones = digits & 0x0F0F_0F0F_0F0F_0F0F;
    let twos = (ones * 10 + (ones >> 8)) & 0x00FF_00FF_00FF_00FF;
    let fours = (twos * 100 + (twos >> 16)) & 0x0000_FFFF_0000_FFFF;
    (fours * 10_000 + (fours >> 32)) & 0xFFFF_FFFF
}

/// How many flags there are: the highest byte of the product is the sum of all bytes.
const fn count(flags: u128) -> u64 {
    let halves = first_half(flags >> 7) + first_half(flags >> 71);
    halves.wrapping_mul(first_half(ONES)) >> 56
}

#[cfg(test)]
mod tests {
    use super::{Block, Plain};

    fn block(text: &str) -> Block {
        Block::at(text.as_bytes(), 0).expect("sixteen bytes")
    }

    #[test]
    fn whole_tokens_are_counted() {
        let plain = |text| block(text).plain().map(|Plain { tokens, bytes }| (tokens, bytes));
        assert_eq!(plain("1 2 3 4 5 6 7 8 "), Some((8, 16)));
        assert_eq!(plain("0 0\n12\t345\r\n6 78"), Some((5, 14)));
        assert_eq!(plain("    1  2    \n   "), Some((2, 16)));
        assert_eq!(plain("1 23456789012345"), Some((1, 2)));
        assert_eq!(plain("123456789012345 "), Some((1, 16)));
        assert_eq!(plain("1 2 3 4 5 6 7 00"), None);
        assert_eq!(plain("1 2 3 4 5 6 7 80"), Some((7, 14)));
    }

    #[test]
    fn what_is_not_plain_is_left_alone() {
        for text in ["1234567890123456", "01 2 3 4 5 6 7 8", "1 2 3 4 5 -6 7 8", "1 2 3 4 5 6 7 8x"]
        {
            assert_eq!(block(text).plain(), None, "{text}");
        }
    }

    #[test]
    fn digits_make_a_number() {
        let number = |text| block(text).number();
        assert_eq!(number("1 3 4 5 6 7 8 9 "), Some((1, 1)));
        assert_eq!(number("12345678 1234567"), Some((12_345_678, 8)));
        assert_eq!(number("999999999999999\n"), Some((999_999_999_999_999, 15)));
        assert_eq!(number("000000000000000 "), Some((0, 15)));
        assert_eq!(number("1234567890123456"), None);
        assert_eq!(number("-1 3 4 5 6 7 8 9"), None);
    }
}
