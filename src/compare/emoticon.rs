//! What an endless game may be answered with.

use std::io;

use super::cursor::{Cursor, Place};
use super::line::is_ink;
use crate::domain::Body;

/// One line with more than numbers in it. What makes it cute is not for us to say.
pub(super) fn is_emoticon(file: &Body) -> io::Result<bool> {
    let mut cursor = Cursor::open(file, Place::START)?;
    let mut line = Seen::default();
    loop {
        let ready = cursor.ready()?;
        if ready.is_empty() {
            return Ok(line.more);
        }
        if !ready.iter().all(|&byte| line.goes_on(byte)) {
            return Ok(false);
        }
        let size = ready.len();
        cursor.pass(size);
    }
}

/// What was seen of the line.
#[derive(Default)]
struct Seen {
    over: bool,
    /// A blank that is more than numbers have, unless it stands at the end of the line.
    odd_blank: bool,
    /// More than numbers.
    more: bool,
}

impl Seen {
    /// Looks at a byte; whether there is one line with it.
    fn goes_on(&mut self, byte: u8) -> bool {
        let plain = byte.is_ascii_digit() || matches!(byte, b' ' | b'\t' | b'-');
        self.over |= byte == b'\n';
        if is_ink(byte) {
            self.more |= !plain || self.odd_blank;
            return !self.over;
        }
        self.odd_blank |= !plain;
        true
    }
}
