//! All that differs, line by line.

use std::collections::VecDeque;
use std::io;

use serde::Serialize;

use super::cursor::{Place, fork};
use super::pairs::{Pair, Pairs};
use super::tokens::Tokens;
use crate::domain::{Body, CompareMode};

/// How many bytes of a line are kept.
const KEPT: u64 = 4 << 10;

/// How many lines that are the same stand before a group that differs.
const CONTEXT: usize = 2;

/// What differs, line k against line k: in these games a shifted line is a real difference.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Diff {
    /// The lines that differ, up to a number, with a few before each group of them.
    pub rows: Vec<Row>,
    /// How many lines differ, those that are not in `rows` and missing ones included.
    pub differing: u64,
    /// How many lines the expected output has.
    pub expected_lines: u64,
    /// How many lines the file has.
    pub got_lines: u64,
}

/// One line of both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Row {
    /// Its number, from 1.
    pub line: u64,
    /// The expected line, cut to 4 KiB; `None` past the expected output's end.
    pub expected: Option<String>,
    /// The file's line, cut to 4 KiB; `None` past the file's end.
    pub got: Option<String>,
    /// Whether they are the same as far as the mode looks.
    pub same: bool,
}

/// Collects up to `most` lines that differ and counts the others.
///
/// By tokens, lines with the same tokens are the same; if all tokens are, nothing differs, however
/// they are spread over lines.
///
/// # Errors
/// A body cannot be read.
pub fn diff(expected: &Body, got: &Body, mode: CompareMode, most: usize) -> io::Result<Diff> {
    let same = match mode {
        CompareMode::Tokens => Tokens::open(expected, got, Place::START)?.same()?,
        CompareMode::Lines | CompareMode::Exact => fork(expected, got)?.is_none(),
    };
    let mut pairs = Pairs::open(expected, got, mode, Place::START, 0..KEPT)?;
    let (expected_lines, got_lines) = pairs.lines();
    let mut diff = Diff { expected_lines, got_lines, ..Diff::default() };
    let mut before = VecDeque::new();
    while !same && let Some(pair) = pairs.next()? {
        let kept = usize::try_from(diff.differing).is_ok_and(|differing| differing < most);
        diff.differing += u64::from(!pair.same);
        match (pair.same, kept) {
            (_, false) => {}
            (true, true) => {
                before.push_back(pair);
                before.drain(..before.len().saturating_sub(CONTEXT));
            }
            (false, true) => {
                diff.rows.extend(before.drain(..).chain([pair]).map(|pair| row(&pair, mode)));
            }
        }
    }
    Ok(diff)
}

fn row(pair: &Pair, mode: CompareMode) -> Row {
    Row {
        line: pair.number,
        expected: pair.expected.as_ref().map(|line| line.text(mode)),
        got: pair.got.as_ref().map(|line| line.text(mode)),
        same: pair.same,
    }
}
