//! The numbers of a text, read one after another.

use super::block::Block;
use super::{Place, Text, counted, is_space};
use crate::domain::{CaseError, ErrorCode, Warning};

/// The numbers of a [`Text`], one after another, and warnings about their values.
#[derive(Debug)]
pub struct Numbers<'a> {
    text: &'a Text<'a>,
    /// Where reading goes on.
    at: usize,
    /// Where the last number starts.
    start: usize,
    warnings: Vec<Warning>,
}

impl<'a> Numbers<'a> {
    pub(super) const fn new(text: &'a Text<'a>) -> Self {
        Self { text, at: 0, start: 0, warnings: Vec::new() }
    }

    /// The warnings about the values.
    #[must_use]
    pub fn into_warnings(self) -> Vec<Warning> {
        self.warnings
    }

    /// Warns about the number that was read last.
    pub fn warn(&mut self, code: &str, message: &str) {
        self.warn_at(self.place(), code, message);
    }

    /// Warns about a number that was read before.
    pub fn warn_at(&mut self, place: Place, code: &str, message: &str) {
        if !counted(&mut self.warnings, code) {
            self.warnings.push(self.text.warning(code, message, place));
        }
    }

    /// Reads the next number.
    ///
    /// # Errors
    /// [`ErrorCode::TokenMissing`] at the end of the text. After [`Text::numbers`] with the right
    /// count this cannot happen.
    #[expect(clippy::should_implement_trait, reason = "an iterator has no errors with places")]
    #[inline]
    pub fn next(&mut self) -> Result<i64, CaseError> {
        match self.text.bytes.get(self.at..).and_then(<[u8]>::first_chunk) {
            // Most numbers of some games are a digit between two spaces.
            Some(&[..=b' ', digit @ b'0'..=b'9', ..=b' ']) => {
                self.start = self.at + 1;
                self.at += 2;
                Ok(i64::from(digit - b'0'))
            }
            _ => self.next_of_any_length(),
        }
    }

    #[inline(never)]
    fn next_of_any_length(&mut self) -> Result<i64, CaseError> {
        let bytes = self.text.bytes;
        let mut at = self.at;
        while bytes.get(at).is_some_and(|&byte| is_space(byte)) {
            at += 1;
        }
        self.start = at;
        let negative = bytes.get(at) == Some(&b'-');
        at += usize::from(negative);
        let Some((value, digits)) = Block::at(bytes, at).and_then(Block::number) else {
            return self.next_digit_by_digit(at, negative);
        };
        self.at = at + digits;
        let value = value.cast_signed();
        Ok(if negative { -value } else { value })
    }

    /// A long number, or one of the last: its digits start at a place.
    fn next_digit_by_digit(&mut self, digits: usize, negative: bool) -> Result<i64, CaseError> {
        let bytes = self.text.bytes;
        let mut at = digits;
        let mut value: i64 = 0;
        while let Some(&byte) = bytes.get(at).filter(|&&byte| !is_space(byte)) {
            // Downwards, so that the smallest number fits; the size was checked.
            value = value.wrapping_mul(10).wrapping_sub(i64::from(byte.wrapping_sub(b'0')));
            at += 1;
        }
        self.at = at;
        if at == digits {
            return Err(self.text.ends_early("too early"));
        }
        Ok(if negative { value } else { value.wrapping_neg() })
    }

    /// Reads numbers of one or two digits, from 1 to `most`, each between two bytes of white space:
    /// as many as come one after another, or as there is room for. Returns how many.
    pub fn short(&mut self, most: u32, numbers: &mut [u32]) -> usize {
        let digit = |byte: u8| u32::from(byte).wrapping_sub(u32::from(b'0'));
        let (bytes, mut at, mut read) = (self.text.bytes, self.at, 0);
        for number in numbers {
            let (value, length) = match bytes.get(at..).and_then(<[u8]>::first_chunk) {
                Some(&[..=b' ', ones, ..=b' ', _]) => (digit(ones), 2),
                Some(&[..=b' ', tens, ones, ..=b' ']) => {
                    (digit(tens).wrapping_mul(10).wrapping_add(digit(ones)), 3)
                }
                _ => break,
            };
            if !(1..=most).contains(&value) {
                break;
            }
            *number = value;
            at += length;
            read += 1;
        }
        self.at = at;
        read
    }

    /// The place of the number that was read last.
    #[must_use]
    pub const fn place(&self) -> Place {
        Place(self.start)
    }

    /// Reads a number that must lie within bounds.
    ///
    /// # Errors
    /// [`ErrorCode::OutOfBounds`] with `what` it is, and what [`Numbers::next`] says.
    #[inline]
    pub fn within(&mut self, what: &str, least: i64, most: i64) -> Result<i64, CaseError> {
        let value = self.next()?;
        if (least..=most).contains(&value) {
            Ok(value)
        } else {
            Err(self.beyond(what, least, most))
        }
    }

    #[cold]
    fn beyond(&self, what: &str, least: i64, most: i64) -> CaseError {
        let bounds = match most {
            i64::MAX => format!("at least {least}"),
            _ => format!("{least} to {most}"),
        };
        self.wrong(ErrorCode::OutOfBounds, &format!("{what}: {bounds}"))
    }

    /// An error about the number that was read last: `found "7", expected <expected>`.
    #[must_use]
    pub fn wrong(&self, code: ErrorCode, expected: &str) -> CaseError {
        self.wrong_at(self.place(), code, expected)
    }

    /// An error about a number that was read before.
    #[must_use]
    pub fn wrong_at(&self, place: Place, code: ErrorCode, expected: &str) -> CaseError {
        let message = format!("found {}, expected {expected}", self.text.quoted(place));
        self.text.error(place, code, message)
    }
}
