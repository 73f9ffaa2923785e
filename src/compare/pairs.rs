//! Two texts line by line: line 1 with line 1, and so on.

use std::io;
use std::ops::Range;

use super::cursor::{Cursor, Place};
use super::line::{Line, around};
use super::tokens::Tokens;
use crate::domain::{Body, CompareMode, Difference};

/// Two texts while they are read, a line of each at a time.
pub(super) struct Pairs<'a> {
    expected: Side<'a>,
    got: Side<'a>,
    mode: CompareMode,
    /// A walk of its own through the tokens, where they decide.
    tokens: Option<Tokens<'a>>,
    keep: Range<u64>,
    next: u64,
}

/// One of the texts.
pub(super) struct Side<'a> {
    cursor: Cursor<'a>,
    /// How many lines the text has.
    pub(super) lines: u64,
}

/// A line of each text; `None` past its end.
pub(super) struct Pair {
    /// Their number, from 1.
    pub(super) number: u64,
    pub(super) expected: Option<Line>,
    pub(super) got: Option<Line>,
    /// Whether they are the same as far as the mode looks.
    pub(super) same: bool,
    /// How many bytes are the same before the first that differs.
    common: u64,
}

impl<'a> Pairs<'a> {
    /// Starts at a line that is in both, or at the start; keeps the bytes at these offsets of each line.
    pub(super) fn open(
        expected: &'a Body,
        got: &'a Body,
        mode: CompareMode,
        from: Place,
        keep: Range<u64>,
    ) -> io::Result<Self> {
        let side = |body| {
            let lines = count(body, mode, from)?;
            Ok::<_, io::Error>(Side { cursor: Cursor::open(body, from)?, lines })
        };
        let by_tokens = mode == CompareMode::Tokens;
        let tokens = by_tokens.then(|| Tokens::open(expected, got, from)).transpose()?;
        Ok(Self { expected: side(expected)?, got: side(got)?, mode, tokens, keep, next: from.line })
    }

    /// How many lines the expected text and the file have.
    pub(super) const fn lines(&self) -> (u64, u64) {
        (self.expected.lines, self.got.lines)
    }

    /// The next pair.
    pub(super) fn next(&mut self) -> io::Result<Option<Pair>> {
        let number = self.next;
        self.next += 1;
        let mut expected = (number <= self.expected.lines).then(|| Line::new(self.keep.clone()));
        let mut got = (number <= self.got.lines).then(|| Line::new(self.keep.clone()));
        let mut common = 0;
        match (&mut expected, &mut got) {
            (None, None) => return Ok(None),
            (Some(left), Some(right)) => common = self.walk(left, right)?,
            _ => {}
        }
        if let Some(line) = &mut expected {
            line.finish(&mut self.expected.cursor)?;
        }
        if let Some(line) = &mut got {
            line.finish(&mut self.got.cursor)?;
        }
        let same = match (&expected, &got) {
            (Some(left), Some(right)) => self.same(left, right, common)?,
            _ => false,
        };
        if let (Some(left), Some(right), true) = (&expected, &got, self.mode != CompareMode::Exact)
        {
            common = common.min(left.ink).min(right.ink);
        }
        Ok(Some(Pair { number, expected, got, same, common }))
    }

    /// Reads on while both lines have the same bytes; how many.
    fn walk(&mut self, left: &mut Line, right: &mut Line) -> io::Result<u64> {
        loop {
            let (a, b) = (self.expected.cursor.ready()?, self.got.cursor.ready()?);
            let same = |&(a, b): &(&u8, &u8)| a == b && *a != b'\n';
            let size = a.iter().zip(b).take_while(same).count();
            left.push(&a[..size]);
            right.push(&b[..size]);
            let over = size == 0 || size < a.len().min(b.len());
            self.expected.cursor.pass_in_line(size);
            self.got.cursor.pass_in_line(size);
            if over {
                return Ok(left.bytes);
            }
        }
    }

    fn same(&mut self, left: &Line, right: &Line, common: u64) -> io::Result<bool> {
        let all = |left, right| left == right && left <= common;
        match (self.mode, &mut self.tokens) {
            (_, Some(tokens)) => tokens.same_line(),
            (CompareMode::Exact, None) => {
                Ok(all(left.bytes, right.bytes) && left.closed == right.closed)
            }
            (CompareMode::Lines | CompareMode::Tokens, None) => Ok(all(left.ink, right.ink)),
        }
    }
}

/// The first line that differs, from a place on that is in both.
pub(super) fn first_difference(
    expected: &Body,
    got: &Body,
    mode: CompareMode,
    from: Place,
) -> io::Result<Option<Difference>> {
    let mut pairs = Pairs::open(expected, got, mode, from, 0..0)?;
    let first = loop {
        let starts = [&pairs.expected, &pairs.got].map(|side| side.cursor.place().offset);
        match pairs.next()? {
            None => return Ok(None),
            Some(pair) if pair.same => {}
            Some(pair) => break (pair, starts),
        }
    };
    let (pair, [left, right]) = first;
    let shown = |body, line: &Option<Line>, start: u64| {
        let place = Place { offset: start + pair.common, line: pair.number, start };
        line.as_ref().map(|_| around(body, place, mode)).transpose()
    };
    Ok(Some(Difference {
        line: pair.number,
        column: pair.common + 1,
        expected: shown(expected, &pair.expected, left)?,
        got: shown(got, &pair.got, right)?,
        more_lines: pairs.count_more()?,
    }))
}

impl Pairs<'_> {
    /// How many of the pairs that are left differ.
    fn count_more(&mut self) -> io::Result<u64> {
        let mut more = 0;
        while let Some(pair) = self.next()? {
            more += u64::from(!pair.same);
        }
        Ok(more)
    }
}

/// How many lines a text has, seen from a place in it: byte for byte all, else without empty ones at
/// its end.
fn count(body: &Body, mode: CompareMode, from: Place) -> io::Result<u64> {
    let mut source = Cursor::open(body, from)?;
    let (mut place, mut inked) = (from, from.line - 1);
    loop {
        let bytes = source.ready()?;
        let size = bytes.len();
        if size == 0 {
            let open = u64::from(place.offset > place.start);
            let all = place.line - 1 + open;
            return Ok(if mode == CompareMode::Exact { all } else { inked });
        }
        inked = place.advance_inked(bytes).map_or(inked, |at| at.line);
        source.pass(size);
    }
}
