//! One line of a text: its measures, and the part of it that is shown.

use std::io;
use std::ops::Range;

use super::cursor::{Cursor, Place};
use crate::domain::{Body, CompareMode};

/// How many bytes of a line are shown on each side of a place.
const SHOWN: u64 = 32;

/// A line, of which only a part is kept: it may be longer than memory.
#[derive(Debug)]
pub(super) struct Line {
    /// How many bytes it has.
    pub(super) bytes: u64,
    /// How many bytes it has without the blanks at its end.
    pub(super) ink: u64,
    /// Whether a line end closes it.
    pub(super) closed: bool,
    keep: Range<u64>,
    kept: Vec<u8>,
}

impl Line {
    /// A line without bytes that will keep those at these offsets.
    pub(super) const fn new(keep: Range<u64>) -> Self {
        Self { bytes: 0, ink: 0, closed: false, keep, kept: Vec::new() }
    }

    /// Adds bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        if let Some(last) = bytes.iter().rposition(|&byte| is_ink(byte)) {
            self.ink = self.bytes + last as u64 + 1;
        }
        let within = |offset: u64| {
            usize::try_from(offset.saturating_sub(self.bytes))
                .map_or(bytes.len(), |at| at.min(bytes.len()))
        };
        self.kept.extend_from_slice(&bytes[within(self.keep.start)..within(self.keep.end)]);
        self.bytes += bytes.len() as u64;
    }

    /// Adds the rest of the cursor's line, and moves the cursor to the next one.
    pub(super) fn finish(&mut self, cursor: &mut Cursor<'_>) -> io::Result<()> {
        loop {
            let ready = cursor.ready()?;
            let end = ready.iter().position(|&byte| byte == b'\n');
            let size = end.unwrap_or(ready.len());
            self.push(&ready[..size]);
            if end.is_some() {
                self.closed = true;
                cursor.pass(size + 1);
                return Ok(());
            }
            if size == 0 {
                return Ok(());
            }
            cursor.pass_in_line(size);
        }
    }

    /// The part that is kept, with dots where more was; byte for byte, all that cannot be seen at the
    /// end of the line is spelt.
    pub(super) fn text(&self, mode: CompareMode) -> String {
        let exact = mode == CompareMode::Exact;
        let counts = if exact { self.bytes } else { self.ink };
        let end = self.keep.end.min(counts);
        let ink = self.kept.len().min(offset(self.keep.start, self.ink));
        let (text, blanks) = self.kept[..offset(self.keep.start, end)].split_at(ink);
        let before = if self.keep.start > 0 { "..." } else { "" };
        let blanks: String = blanks.iter().copied().map(spell).collect();
        let after = match (end < counts, exact && !self.closed) {
            (true, _) => "...",
            (false, true) => " (no newline at the end)",
            (false, false) => "",
        };
        format!("{before}{}{blanks}{after}", String::from_utf8_lossy(text))
    }
}

/// The line of a body around a place.
pub(super) fn around(body: &Body, place: Place, mode: CompareMode) -> io::Result<String> {
    let column = place.offset - place.start;
    let mut line = Line::new(column.saturating_sub(SHOWN)..column.saturating_add(SHOWN));
    line.finish(&mut Cursor::open(body, place.line_start())?)?;
    Ok(line.text(mode))
}

/// Whether a byte is no white space.
pub(super) const fn is_ink(byte: u8) -> bool {
    !byte.is_ascii_whitespace()
}

/// A blank at the end of a line, so that it can be seen.
const fn spell(blank: u8) -> &'static str {
    match blank {
        b'\t' => "\\t",
        b'\r' => "\\r",
        b'\x0c' => "\\f",
        _ => "·",
    }
}

/// How far `to` is behind `from`; the parts that are kept fit in memory.
fn offset(from: u64, to: u64) -> usize {
    usize::try_from(to.saturating_sub(from)).unwrap_or(usize::MAX)
}
