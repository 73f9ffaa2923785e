//! Two texts word by word.

use std::io;

use super::cursor::{Cursor, Place};
use super::line::{around, is_ink};
use crate::domain::{Body, CompareMode, Difference};

/// Two texts, walked through in step.
pub(super) struct Tokens<'a> {
    expected: Cursor<'a>,
    got: Cursor<'a>,
}

/// What is next in the two texts.
enum Step {
    /// Nothing in either.
    End,
    /// The same token.
    Same,
    /// Different tokens, or one where the other text has none.
    Differ { expected: Option<Token>, got: Option<Token> },
}

/// A token that differs.
#[derive(Clone, Copy)]
struct Token {
    start: Place,
    /// Its first byte that differs, or its end.
    differs: Place,
}

impl<'a> Tokens<'a> {
    /// Starts at a place that is in both.
    pub(super) fn open(expected: &'a Body, got: &'a Body, from: Place) -> io::Result<Self> {
        Ok(Self { expected: Cursor::open(expected, from)?, got: Cursor::open(got, from)? })
    }

    /// Whether what is left has the same tokens.
    pub(super) fn same(mut self) -> io::Result<bool> {
        loop {
            match self.step(is_white)? {
                Step::Same => {}
                Step::End => return Ok(true),
                Step::Differ { .. } => return Ok(false),
            }
        }
    }

    /// Whether the next line of each has the same tokens; moves behind both lines.
    pub(super) fn same_line(&mut self) -> io::Result<bool> {
        let same = loop {
            match self.step(is_blank)? {
                Step::Same => {}
                Step::End => break true,
                Step::Differ { .. } => break false,
            }
        };
        for cursor in [&mut self.expected, &mut self.got] {
            skip(cursor, |byte| byte != b'\n')?;
            let end = cursor.ready()?.len().min(1);
            cursor.pass(end);
        }
        Ok(same)
    }

    /// Goes to the next tokens behind bytes that are `between`, and on through all that they share.
    fn step(&mut self, between: fn(u8) -> bool) -> io::Result<Step> {
        let expected = begin(&mut self.expected, between)?;
        let got = begin(&mut self.got, between)?;
        if let (Some(_), Some(_)) = (expected, got)
            && self.walk_token()?
        {
            return Ok(Step::Same);
        }
        if expected.is_none() && got.is_none() {
            return Ok(Step::End);
        }
        let token = |start, cursor: &Cursor<'_>| Token { start, differs: cursor.place() };
        Ok(Step::Differ {
            expected: expected.map(|start| token(start, &self.expected)),
            got: got.map(|start| token(start, &self.got)),
        })
    }

    /// Goes on while both tokens have the same bytes; whether both end there.
    fn walk_token(&mut self) -> io::Result<bool> {
        loop {
            let (left, right) = (self.expected.ready()?, self.got.ready()?);
            let same = |&(left, right): &(&u8, &u8)| left == right && is_ink(*left);
            let ink = left.iter().zip(right).take_while(same).count();
            let goes_on = |bytes: &[u8]| bytes.get(ink).map(|&byte| is_ink(byte));
            match (goes_on(left), goes_on(right)) {
                _ if ink > 0 => {}
                (Some(true), _) | (_, Some(true)) => return Ok(false),
                _ => return Ok(true),
            }
            self.expected.pass_in_line(ink);
            self.got.pass_in_line(ink);
        }
    }

    fn skip_tokens(&mut self) -> io::Result<()> {
        skip(&mut self.expected, is_ink)?;
        skip(&mut self.got, is_ink)
    }

    /// How many lines after that of a difference have another: lines of the file with a token that
    /// differs or is too much, and lines of the expected text with a token that is missing.
    fn count_more(&mut self, expected_line: u64, got_line: u64) -> io::Result<u64> {
        let (mut expected_line, mut got_line, mut more) = (expected_line, got_line, 0);
        loop {
            self.skip_tokens()?;
            let (expected, got) = match self.step(is_white)? {
                Step::End => return Ok(more),
                Step::Same => continue,
                Step::Differ { expected, got } => (expected, got),
            };
            let new = match (&expected, &got) {
                (_, Some(got)) => got.start.line > got_line,
                (expected, None) => line_of(*expected, expected_line) > expected_line,
            };
            more += u64::from(new);
            expected_line = line_of(expected, expected_line);
            got_line = line_of(got, got_line);
        }
    }
}

/// The first token that differs, from a place on that is in both.
pub(super) fn first_difference(
    expected: &Body,
    got: &Body,
    from: Place,
) -> io::Result<Option<Difference>> {
    let mut tokens = Tokens::open(expected, got, from)?;
    let mut last = from;
    let (left, right) = loop {
        match tokens.step(is_white)? {
            Step::Same => last = tokens.got.place(),
            Step::End => return Ok(None),
            Step::Differ { expected, got } => break (expected, got),
        }
    };
    let place = right.map_or(last, |token| token.start);
    let shown = |body, token: Option<Token>| {
        token.map(|token| around(body, token.differs, CompareMode::Tokens)).transpose()
    };
    Ok(Some(Difference {
        line: place.line,
        column: place.column(),
        expected: shown(expected, left)?,
        got: shown(got, right)?,
        more_lines: tokens.count_more(line_of(left, 0), place.line)?,
    }))
}

fn line_of(token: Option<Token>, otherwise: u64) -> u64 {
    token.map_or(otherwise, |token| token.start.line)
}

/// Goes behind the bytes between tokens; where a token begins, if one does.
fn begin(cursor: &mut Cursor<'_>, between: fn(u8) -> bool) -> io::Result<Option<Place>> {
    skip(cursor, between)?;
    let begins = cursor.ready()?.first().is_some_and(|&byte| is_ink(byte));
    Ok(begins.then(|| cursor.place()))
}

/// Goes on while the bytes are so.
fn skip(cursor: &mut Cursor<'_>, so: impl Fn(u8) -> bool) -> io::Result<()> {
    loop {
        let ready = cursor.ready()?;
        let size = ready.iter().take_while(|&&byte| so(byte)).count();
        let all = size > 0 && size == ready.len();
        cursor.pass(size);
        if !all {
            return Ok(());
        }
    }
}

const fn is_white(byte: u8) -> bool {
    !is_ink(byte)
}

const fn is_blank(byte: u8) -> bool {
    is_white(byte) && byte != b'\n'
}
