//! What is odd about a text that people read and programs compare, told while it streams by.

use crate::domain::Warning;

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Looks at a text that comes in parts: its line ends, blanks and bytes. Each kind of oddity is told once,
/// with its first place, by the same words as for inputs.
#[derive(Debug)]
pub struct Sanity {
    /// The first bytes, until it is known whether they are a BOM; then nothing.
    head: Option<Vec<u8>>,
    /// The place of the next byte, from 1.
    line: u64,
    column: u64,
    after_cr: bool,
    /// Where the blanks begin that end this line so far.
    blanks: Option<u64>,
    /// Whether this line holds more than white space, and whether any line does.
    line_has_text: bool,
    has_text: bool,
    /// The first of the empty lines that end the text so far.
    empty_from: Option<u64>,
    character: Character,
    warnings: Vec<Warning>,
}

impl Default for Sanity {
    fn default() -> Self {
        Self {
            head: Some(Vec::new()),
            line: 1,
            column: 1,
            after_cr: false,
            blanks: None,
            line_has_text: false,
            has_text: false,
            empty_from: None,
            character: Character::default(),
            warnings: Vec::new(),
        }
    }
}

impl Sanity {
    /// Takes note of the next part.
    pub fn feed(&mut self, part: &[u8]) {
        match &mut self.head {
            None => part.iter().for_each(|&byte| self.byte(byte)),
            Some(head) => {
                head.extend_from_slice(part);
                if head.len() >= BOM.len() {
                    self.begin();
                }
            }
        }
    }

    fn begin(&mut self) {
        let head = self.head.take().unwrap_or_default();
        let text = head.strip_prefix(BOM);
        if text.is_some() {
            self.warn("bom", "a byte order mark at the start", 1, 1);
        }
        text.unwrap_or(&head).iter().for_each(|&byte| self.byte(byte));
    }

    fn byte(&mut self, byte: u8) {
        if self.after_cr {
            self.end_cr(byte == b'\n');
        }
        if !self.character.go_on(byte) {
            self.warn("not-utf8", "a byte that is no UTF-8", self.line, self.column);
        }
        match byte {
            b'\n' => return self.end_line(),
            b'\r' => self.after_cr = true,
            b' ' | b'\t' => drop(self.blanks.get_or_insert(self.column)),
            _ => {
                if byte.is_ascii_control() {
                    self.warn("control-byte", "a control character", self.line, self.column);
                }
                self.blanks = None;
                self.line_has_text = true;
            }
        }
        self.column += 1;
    }

    fn end_cr(&mut self, before_lf: bool) {
        let (code, message) = match before_lf {
            true => ("crlf", "lines end in CR LF"),
            false => ("lone-cr", "a CR without an LF"),
        };
        self.warn(code, message, self.line, self.column - 1);
        self.after_cr = false;
    }

    fn end_line(&mut self) {
        if let Some(column) = self.blanks.take() {
            self.warn("trailing-blanks", "blanks at the end of a line", self.line, column);
        }
        if self.line_has_text {
            (self.has_text, self.empty_from) = (true, None);
        } else {
            self.empty_from.get_or_insert(self.line);
        }
        self.line_has_text = false;
        (self.line, self.column) = (self.line + 1, 1);
    }

    /// What was odd.
    #[must_use]
    pub fn finish(mut self) -> Vec<Warning> {
        if self.head.is_some() {
            self.begin();
        }
        if self.after_cr {
            self.end_cr(false);
        }
        if self.character.left > 0 {
            self.warn("not-utf8", "a byte that is no UTF-8", self.line, self.column);
        }
        if self.column > 1 {
            self.warn("no-final-newline", "no newline at the end", self.line, self.column);
            self.end_line();
        }
        match self.empty_from {
            _ if !self.has_text => self.warn("empty-file", "nothing but white space", 1, 1),
            Some(line) => self.warn("empty-lines-at-end", "empty lines at the end", line, 1),
            None => {}
        }
        self.warnings
    }

    fn warn(&mut self, code: &str, message: &str, line: u64, column: u64) {
        match self.warnings.iter_mut().find(|known| known.code == code) {
            Some(known) => known.count += 1,
            None => self.warnings.push(Warning {
                code: code.to_owned(),
                message: message.to_owned(),
                line: Some(line),
                column: Some(column),
                count: 1,
            }),
        }
    }
}

/// Where a text stands within a character of UTF-8.
#[derive(Debug, Default)]
struct Character {
    /// How many bytes are still to come.
    left: u8,
    /// The least and the most that the next of them may be.
    least: u8,
    most: u8,
}

impl Character {
    /// Takes the next byte; whether it may stand there. The bounds are those of the Unicode standard's
    /// table 3-7.
    fn go_on(&mut self, byte: u8) -> bool {
        let begun = self.left > 0;
        let fits = (self.least..=self.most).contains(&byte);
        let (left, least, most) = match byte {
            _ if begun && fits => (self.left - 1, 0x80, 0xBF),
            0x00..=0x7F => (0, 0, 0),
            0xC2..=0xDF => (1, 0x80, 0xBF),
            0xE0 => (2, 0xA0, 0xBF),
            0xED => (2, 0x80, 0x9F),
            0xE1..=0xEF => (2, 0x80, 0xBF),
            0xF0 => (3, 0x90, 0xBF),
            0xF1..=0xF3 => (3, 0x80, 0xBF),
            0xF4 => (3, 0x80, 0x8F),
            _ => {
                self.left = 0;
                return false;
            }
        };
        *self = Self { left, least, most };
        fits || !begun
    }
}

#[cfg(test)]
mod tests {
    use super::{Character, Sanity};

    /// `code line:column count` of each oddity, and that the parts of a text do not matter.
    fn told(text: &[u8]) -> Vec<String> {
        let [whole, bytewise] = [text.len().max(1), 1].map(|size| {
            let mut sanity = Sanity::default();
            text.chunks(size).for_each(|part| sanity.feed(part));
            sanity.finish()
        });
        assert_eq!(whole, bytewise);
        let place = |number: Option<u64>| number.unwrap_or(0);
        let line = |warning: &crate::domain::Warning| {
            let (line, column) = (place(warning.line), place(warning.column));
            format!("{} {line}:{column} {}", warning.code, warning.count)
        };
        whole.iter().map(line).collect()
    }

    #[test]
    fn a_plain_text_is_not_odd() {
        for text in
            ["Alice: 213\n", "1 2\n\n3\n", "( ˘ω˘ ) 你好 😀\n", "\u{7FF}\u{FFFF}\u{10FFFF}\n"]
        {
            assert_eq!(told(text.as_bytes()), [""; 0], "{text}");
        }
    }

    #[test]
    fn each_oddity_is_told_with_its_first_place() {
        assert_eq!(told(b"a\r\nb\r\n"), ["crlf 1:2 2"]);
        assert_eq!(told(b"a\rb\n"), ["lone-cr 1:2 1"]);
        assert_eq!(told(b"a\n\xEF\xBB\xBF\n"), [""; 0]);
        assert_eq!(told(b"\xEF\xBB\xBFa\n"), ["bom 1:1 1"]);
        assert_eq!(told(b"a\nbc"), ["no-final-newline 2:3 1"]);
        assert_eq!(told(b"a \nb\nc\t \r\n"), ["trailing-blanks 1:2 2", "crlf 3:4 1"]);
        assert_eq!(told(b"a\n\n \n"), ["trailing-blanks 3:1 1", "empty-lines-at-end 2:1 1"]);
        assert_eq!(told(b"a\n\x07b\x00\n"), ["control-byte 2:1 2"]);
        assert_eq!(told(b"a\xFFb\xC3\n"), ["not-utf8 1:2 2"]);
        for text in [&b""[..], b"\n", b"\n\n"] {
            assert_eq!(told(text), ["empty-file 1:1 1"]);
        }
        assert_eq!(told(b"a\r"), ["lone-cr 1:2 1", "no-final-newline 1:3 1"]);
    }

    #[test]
    fn what_is_utf_8_is_what_the_library_says() {
        let is_utf8 = |bytes: &[u8]| {
            let mut character = Character::default();
            bytes.iter().all(|&byte| character.go_on(byte)) && character.left == 0
        };
        for first in 0..=u16::MAX {
            for rest in [&b""[..], b"\x80", b"\xBF\xBF", b"\x90\x80", b"a"] {
                let bytes = [&first.to_be_bytes(), rest].concat();
                assert_eq!(is_utf8(&bytes), std::str::from_utf8(&bytes).is_ok(), "{bytes:x?}");
            }
        }
    }
}
