//! Where reading stands in a body.

use std::io::{self, BufRead};

use super::line::is_ink;
use crate::domain::Body;

/// The most bytes that are looked at together: they stay in the processor's cache.
const BLOCK: usize = 64 << 10;

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// How many bytes are before it.
    pub(super) offset: u64,
    /// Its line, from 1.
    pub(super) line: u64,
    /// How many bytes are before its line.
    pub(super) start: u64,
}

impl Place {
    /// Before everything.
    pub(super) const START: Self = Self { offset: 0, line: 1, start: 0 };

    /// Its column, from 1, in bytes.
    pub(super) const fn column(self) -> u64 {
        self.offset - self.start + 1
    }

    /// The place where its line begins.
    pub(super) const fn line_start(self) -> Self {
        Self { offset: self.start, ..self }
    }

    /// Moves behind these bytes.
    pub(super) fn advance(&mut self, bytes: &[u8]) {
        if let Some(last) = bytes.iter().rposition(|&byte| byte == b'\n') {
            self.line += bytes.iter().filter(|&&byte| byte == b'\n').count() as u64;
            self.start = self.offset + last as u64 + 1;
        }
        self.offset += bytes.len() as u64;
    }

    /// Moves behind these bytes, and says where the last line with ink in them begins.
    pub(super) fn advance_inked(&mut self, bytes: &[u8]) -> Option<Self> {
        let last = bytes.iter().rposition(|&byte| is_ink(byte));
        let (before, after) = bytes.split_at(last.unwrap_or_default());
        self.advance(before);
        let inked = last.map(|_| self.line_start());
        self.advance(after);
        inked
    }
}

/// A body while it is read; a block of it is at hand, since words and lines are short.
pub(super) struct Cursor<'a> {
    source: Box<dyn BufRead + 'a>,
    block: Vec<u8>,
    /// Where in the block it stands.
    at: usize,
    place: Place,
}

impl<'a> Cursor<'a> {
    /// Starts reading at a place.
    pub(super) fn open(body: &'a Body, place: Place) -> io::Result<Self> {
        let mut source = body.open()?;
        let mut left = place.offset;
        while left > 0 {
            let ready = source.fill_buf()?.len();
            if ready == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let size = usize::try_from(left).map_or(ready, |left| left.min(ready));
            source.consume(size);
            left -= size as u64;
        }
        Ok(Self { source, block: Vec::new(), at: 0, place })
    }

    /// Where it stands.
    pub(super) const fn place(&self) -> Place {
        self.place
    }

    /// The next bytes; none at the end only.
    pub(super) fn ready(&mut self) -> io::Result<&[u8]> {
        if self.at == self.block.len() {
            self.refill()?;
        }
        Ok(&self.block[self.at..])
    }

    fn refill(&mut self) -> io::Result<()> {
        let bytes = self.source.fill_buf()?;
        let size = bytes.len().min(BLOCK);
        self.block.clear();
        self.block.extend_from_slice(&bytes[..size]);
        self.source.consume(size);
        self.at = 0;
        Ok(())
    }

    /// Goes on behind so many of the bytes that are ready.
    pub(super) fn pass(&mut self, size: usize) {
        self.place.advance(&self.block[self.at..self.at + size]);
        self.at += size;
    }

    /// The same, where none of them ends a line.
    pub(super) const fn pass_in_line(&mut self, size: usize) {
        self.place.offset += size as u64;
        self.at += size;
    }
}

/// Where to look for the first difference of two texts; `None` if they are the same to the byte.
///
/// It is the start of the last line that has ink in both before they differ: no token begins earlier,
/// and lines behind it that are blank so far may turn out to be missing.
pub(super) fn fork(left: &Body, right: &Body) -> io::Result<Option<Place>> {
    if let (Body::Bytes(left), Body::Bytes(right)) = (left, right)
        && left == right
    {
        return Ok(None);
    }
    let (mut left, mut right) = (left.open()?, right.open()?);
    let (mut place, mut fork) = (Place::START, Place::START);
    loop {
        let (a, b) = (left.fill_buf()?, right.fill_buf()?);
        let size = a.len().min(b.len()).min(BLOCK);
        if size == 0 {
            return Ok((a.len() != b.len()).then_some(fork));
        }
        let same = if a[..size] == b[..size] { size } else { common(a, b) };
        fork = place.advance_inked(&a[..same]).unwrap_or(fork);
        if same < size {
            return Ok(Some(fork));
        }
        left.consume(size);
        right.consume(size);
    }
}

/// How many bytes are the same at the start.
fn common(left: &[u8], right: &[u8]) -> usize {
    left.iter().zip(right).take_while(|(left, right)| left == right).count()
}
