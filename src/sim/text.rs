//! Reading an input: bytes, then tokens, then numbers with their places.
//!
//! The judges read tokens, so white space is free. What the judges would read differently from one
//! another is an error: bytes outside ASCII, tokens that are no decimal integers, numbers beyond
//! signed 64 bits. Nothing here allocates by a number that the input claims.

mod block;
mod numbers;

use crate::domain::{CaseError, ErrorCode, Warning};
use block::Block;
pub use numbers::Numbers;

/// A text whose bytes and tokens are fit to be read as numbers.
#[derive(Debug)]
pub struct Text<'a> {
    bytes: &'a [u8],
    tokens: u64,
    warnings: Vec<Warning>,
}

/// The place of a token: its offset in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place(usize);

impl<'a> Text<'a> {
    /// Checks all bytes, then all tokens.
    ///
    /// # Errors
    /// The first forbidden byte, else the first token that is no number of 64 bits, else
    /// [`ErrorCode::Empty`] if there is no token.
    pub fn check(bytes: &'a [u8]) -> Result<Self, CaseError> {
        let body = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let mut text = Self { bytes: body, tokens: 0, warnings: Vec::new() };
        text.check_bytes()?;
        if body.len() < bytes.len() {
            text.warn("bom", "starts with a byte order mark", Place(0));
        }
        text.check_line_ends();
        text.check_tokens()?;
        Ok(text)
    }

    /// How many tokens there are.
    #[must_use]
    pub const fn tokens(&self) -> u64 {
        self.tokens
    }

    /// The first three numbers; `None` where the text is shorter.
    #[must_use]
    pub fn head(&self) -> [Option<i64>; 3] {
        let mut numbers = Numbers::new(self);
        std::array::from_fn(|_| numbers.next().ok())
    }

    /// Demands a number of tokens and starts reading them. `None`: too few to tell. A demand below
    /// 1 comes from a first number that is wrong itself, which whoever reads it will say.
    ///
    /// # Errors
    /// [`ErrorCode::TokenMissing`] at the end of the text, or [`ErrorCode::TokenLeftOver`] at the
    /// first token too many.
    pub fn numbers(&self, expected: Option<i128>) -> Result<Numbers<'_>, CaseError> {
        let found = i128::from(self.tokens);
        match expected {
            None => Err(self.ends_early(&format!("after {found} numbers, expected more"))),
            Some(expected) if found < expected => {
                Err(self.ends_early(&format!("after {found} numbers, expected {expected}")))
            }
            Some(expected) if (1..found).contains(&expected) => Err(self.left_over(expected)),
            Some(_) => Ok(Numbers::new(self)),
        }
    }

    /// The warnings about the bytes and tokens.
    #[must_use]
    pub fn into_warnings(self) -> Vec<Warning> {
        self.warnings
    }

    fn ends_early(&self, after: &str) -> CaseError {
        let end = Place(self.bytes.len());
        self.error(end, ErrorCode::TokenMissing, format!("the input ends {after}"))
    }

    fn left_over(&self, expected: i128) -> CaseError {
        let mut numbers = Numbers::new(self);
        for _ in 0..=expected {
            // There are more tokens than expected, so each of these exists.
            let _ = numbers.next();
        }
        let message = format!(
            "found {} left over: the input has {} numbers, expected {expected}",
            self.quoted(numbers.place()),
            self.tokens,
        );
        self.error(numbers.place(), ErrorCode::TokenLeftOver, message)
    }

    fn check_bytes(&self) -> Result<(), CaseError> {
        // Whole chunks first: this loop has no exit, so the compiler makes it wide.
        let clean = |chunk: &&[u8]| !chunk.iter().fold(false, |bad, &b| bad | is_forbidden(b));
        let skip: usize = self.bytes.chunks(256).take_while(clean).map(<[u8]>::len).sum();
        let Some(at) = self.bytes[skip..].iter().position(|&byte| is_forbidden(byte)) else {
            return Ok(());
        };
        let at = skip + at;
        let message = format!("found byte 0x{:02x}, expected ASCII text", self.bytes[at]);
        Err(self.error(Place(at), ErrorCode::ForbiddenByte, message))
    }

    fn check_line_ends(&mut self) {
        if self.bytes.contains(&b'\r') {
            for at in 0..self.bytes.len() {
                match (self.bytes[at], self.bytes.get(at + 1)) {
                    (b'\r', Some(b'\n')) => self.warn("crlf", "lines end in CR LF", Place(at)),
                    (b'\r', _) => self.warn("lone-cr", "a CR without an LF", Place(at)),
                    _ => {}
                }
            }
        }
        if self.bytes.last().is_some_and(|&last| last != b'\n') {
            self.warn("no-final-newline", "no newline at the end", Place(self.bytes.len()));
        }
    }

    fn check_tokens(&mut self) -> Result<(), CaseError> {
        let bytes = self.bytes;
        let mut at = 0;
        while let Some(&first) = bytes.get(at) {
            if let Some(plain) = Block::at(bytes, at).and_then(Block::plain) {
                self.tokens += plain.tokens;
                at += plain.bytes;
                continue;
            }
            if is_space(first) {
                at += 1;
                continue;
            }
            let start = at;
            let digits = start + usize::from(first == b'-');
            at = digits;
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            let whole = bytes.get(at).is_none_or(|&next| is_space(next));
            if !whole || at == digits {
                return Err(self.not_a_number(start));
            }
            if at - digits > 1 && bytes[digits] == b'0' {
                self.warn("leading-zeros", "a number with leading zeros", Place(start));
            } else if digits > start && bytes[digits] == b'0' {
                self.warn("minus-zero", "a zero with a minus", Place(start));
            }
            if at - digits > 18 {
                self.check_size(start, at)?;
            }
            self.tokens += 1;
        }
        if self.tokens == 0 {
            return Err(CaseError::new(ErrorCode::Empty, "the input is empty"));
        }
        Ok(())
    }

    fn not_a_number(&self, start: usize) -> CaseError {
        let message = format!("found {}, expected an integer", self.quoted(Place(start)));
        self.error(Place(start), ErrorCode::NotANumber, message)
    }

    /// A token of more than 18 digits may leave 64 bits.
    fn check_size(&self, start: usize, end: usize) -> Result<(), CaseError> {
        let token = &self.bytes[start..end];
        let fits = std::str::from_utf8(token).is_ok_and(|digits| digits.parse::<i64>().is_ok());
        if fits {
            return Ok(());
        }
        let quoted = self.quoted(Place(start));
        let message = format!("found {quoted}, expected a number within 64 bits");
        Err(self.error(Place(start), ErrorCode::NumberTooLarge, message))
    }

    /// The token that starts at a place, in quotes and cut to a readable length.
    #[must_use]
    pub fn quoted(&self, Place(start): Place) -> String {
        const SHOWN: usize = 32;
        let rest = &self.bytes[start..];
        let end = rest.iter().take(SHOWN + 1).position(|&byte| is_space(byte));
        let shown = &rest[..end.unwrap_or(rest.len()).min(SHOWN)];
        let dots = if end.is_none() && rest.len() > SHOWN { "..." } else { "" };
        format!("\"{}{dots}\"", String::from_utf8_lossy(shown))
    }

    /// An error at a place.
    #[must_use]
    pub fn error(&self, place: Place, code: ErrorCode, message: String) -> CaseError {
        let (line, column) = self.line_column(place);
        CaseError { code, message, line: Some(line), column: Some(column) }
    }

    fn warn(&mut self, code: &str, message: &str, place: Place) {
        if !counted(&mut self.warnings, code) {
            let warning = self.warning(code, message, place);
            self.warnings.push(warning);
        }
    }

    fn warning(&self, code: &str, message: &str, place: Place) -> Warning {
        let (line, column) = self.line_column(place);
        Warning {
            code: code.to_owned(),
            message: message.to_owned(),
            line: Some(line),
            column: Some(column),
            count: 1,
        }
    }

    /// Line and column from 1, in bytes; lines end at LF.
    fn line_column(&self, Place(offset): Place) -> (u64, u64) {
        let before = &self.bytes[..offset];
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let lines = before[..line_start].iter().filter(|&&byte| byte == b'\n').count();
        (lines as u64 + 1, (offset - line_start) as u64 + 1)
    }
}

/// Counts a warning with the one of its code, if there is one. Only a new one needs its place, which is
/// costly to find: an input may have millions.
fn counted(warnings: &mut [Warning], code: &str) -> bool {
    let known = warnings.iter_mut().find(|known| known.code == code);
    known.is_some_and(|known| {
        known.count += 1;
        true
    })
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

const fn is_forbidden(byte: u8) -> bool {
    (byte < 0x20 && !is_space(byte)) || byte >= 0x7F
}
