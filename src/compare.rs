//! A file against an output: is it right, and where is the first difference?
//!
//! By lines, as most judges do: blanks at the end of a line and empty lines at the end of a file do
//! not count. If only white space differs otherwise, the verdict is PE.

use crate::domain::{Difference, Verdict};

/// How many bytes of a line are shown on each side of the first difference.
const SHOWN: usize = 32;

/// What a compared file is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected<'a> {
    /// This text.
    Text(&'a [u8]),
    /// Any emoticon, for a game that never ends; ours is given.
    Emoticon(&'a [u8]),
}

/// Holds `got`, the file, against the expected output.
#[must_use]
pub fn compare(expected: Expected<'_>, got: &[u8]) -> (Verdict, Option<Difference>) {
    let text = match expected {
        Expected::Emoticon(_) if is_emoticon(got) => return (Verdict::Ac, None),
        Expected::Text(text) | Expected::Emoticon(text) => text,
    };
    // Almost every right file is the same to the byte.
    if text == got {
        return (Verdict::Ac, None);
    }
    match first_difference(text, got) {
        None => (Verdict::Ac, None),
        Some(difference) if tokens(text).eq(tokens(got)) => (Verdict::Pe, Some(difference)),
        Some(difference) => (Verdict::Wa, Some(difference)),
    }
}

/// One line with more than numbers in it. What makes it cute is not for us to say.
fn is_emoticon(file: &[u8]) -> bool {
    let mut lines = lines(file);
    let plain = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b' ' | b'\t' | b'-');
    let first = lines.next().is_some_and(|line| !line.iter().all(plain));
    first && lines.next().is_none()
}

fn first_difference(expected: &[u8], got: &[u8]) -> Option<Difference> {
    let (mut expected, mut got) = (lines(expected), lines(got));
    let mut line = 0;
    loop {
        line += 1;
        match (expected.next(), got.next()) {
            (None, None) => return None,
            (Some(left), Some(right)) if left == right => {}
            (left, right) => {
                let column = column(left.unwrap_or_default(), right.unwrap_or_default());
                return Some(Difference {
                    line,
                    column: column as u64 + 1,
                    expected: left.map(|text| cut(text, column)),
                    got: right.map(|text| cut(text, column)),
                    more_lines: differing(expected, got),
                });
            }
        }
    }
}

/// How many of the lines differ, missing ones included.
fn differing<'a>(
    mut left: impl Iterator<Item = &'a [u8]>,
    mut right: impl Iterator<Item = &'a [u8]>,
) -> u64 {
    let mut count = 0;
    loop {
        match (left.next(), right.next()) {
            (None, None) => return count,
            (left, right) => count += u64::from(left != right),
        }
    }
}

/// The offset of the first byte that differs.
fn column(left: &[u8], right: &[u8]) -> usize {
    left.iter().zip(right).take_while(|(left, right)| left == right).count()
}

/// The part of a line around an offset.
fn cut(line: &[u8], column: usize) -> String {
    let start = column.saturating_sub(SHOWN);
    let end = line.len().min(column.saturating_add(SHOWN));
    let before = if start > 0 { "..." } else { "" };
    let after = if end < line.len() { "..." } else { "" };
    format!("{before}{}{after}", String::from_utf8_lossy(&line[start.min(end)..end]))
}

/// The lines without blanks at their ends, and without empty lines at the end of the file.
fn lines(file: &[u8]) -> impl Iterator<Item = &[u8]> {
    let end = file.iter().rposition(|byte| !byte.is_ascii_whitespace()).map_or(0, |at| at + 1);
    let body = &file[..end];
    let count = if body.is_empty() { 0 } else { usize::MAX };
    body.split(|&byte| byte == b'\n').take(count).map(<[u8]>::trim_ascii_end)
}

fn tokens(file: &[u8]) -> impl Iterator<Item = &[u8]> {
    file.split(u8::is_ascii_whitespace).filter(|token| !token.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{Expected, compare};
    use crate::domain::Verdict;

    fn verdict(expected: &str, got: &str) -> Verdict {
        compare(Expected::Text(expected.as_bytes()), got.as_bytes()).0
    }

    #[test]
    fn blanks_at_line_ends_and_empty_lines_at_the_end_do_not_count() {
        assert_eq!(verdict("1 2\n3\n", "1 2\n3\n"), Verdict::Ac);
        assert_eq!(verdict("1 2\n3\n", "1 2 \t\r\n3\n\n \n"), Verdict::Ac);
        assert_eq!(verdict("1 2 \n3\n", "1 2\n3"), Verdict::Ac);
        assert_eq!(verdict("", "\n\n"), Verdict::Ac);
    }

    #[test]
    fn other_white_space_is_a_presentation_error() {
        assert_eq!(verdict("1 2\n3\n", "1  2\n3\n"), Verdict::Pe);
        assert_eq!(verdict("1 2\n3\n", " 1 2\n3\n"), Verdict::Pe);
        assert_eq!(verdict("1 2\n3\n", "1 2 3\n"), Verdict::Pe);
        assert_eq!(verdict("1\n2\n", "1\n\n2\n"), Verdict::Pe);
    }

    #[test]
    fn other_bytes_are_wrong() {
        assert_eq!(verdict("1 2\n3\n", "1 2\n4\n"), Verdict::Wa);
        assert_eq!(verdict("12\n", "1 2\n"), Verdict::Wa);
        assert_eq!(verdict("1\n", ""), Verdict::Wa);
        assert_eq!(verdict("Alice\n", "alice\n"), Verdict::Wa);
    }

    #[test]
    fn the_first_difference_has_its_line_and_column_and_the_number_of_others() {
        let (_, difference) = compare(Expected::Text(b"a\nbcd\ne\nf\n"), b"a\nbxd\ne\n");
        let difference = difference.expect("a difference");
        assert_eq!((difference.line, difference.column, difference.more_lines), (2, 2, 1));
        assert_eq!(difference.expected.as_deref(), Some("bcd"));
        assert_eq!(difference.got.as_deref(), Some("bxd"));
    }

    #[test]
    fn a_missing_line_is_told_from_an_empty_one() {
        let (_, difference) = compare(Expected::Text(b"a\nb\n"), b"a\n");
        let difference = difference.expect("a difference");
        assert_eq!((difference.line, difference.column), (2, 1));
        assert_eq!((difference.expected.as_deref(), difference.got), (Some("b"), None));
    }

    #[test]
    fn a_long_line_is_cut_around_the_difference() {
        let (left, right) = ("x".repeat(500) + "1" + &"y".repeat(500), "x".repeat(501));
        let (_, difference) = compare(Expected::Text(left.as_bytes()), right.as_bytes());
        let difference = difference.expect("a difference");
        assert_eq!(difference.column, 501);
        let expected = format!("...{}1{}...", "x".repeat(32), "y".repeat(31));
        assert_eq!(difference.expected, Some(expected));
        assert_eq!(difference.got, Some(format!("...{}x", "x".repeat(32))));
    }

    #[test]
    fn any_one_line_emoticon_is_right_for_an_endless_game() {
        let emoticon = |got: &str| compare(Expected::Emoticon(b"(=^_^=)\n"), got.as_bytes()).0;
        for right in ["(=^_^=)\n", "QAQ", ":D \r\n\n", "( ^ _ ^ )", "(｡･ω･｡)"] {
            assert_eq!(emoticon(right), Verdict::Ac, "{right:?}");
        }
        for wrong in ["", "\n", "12\n", "3\nAlice\n1 0\n", ":D\n:D\n", "- 1\n"] {
            assert_eq!(emoticon(wrong), Verdict::Wa, "{wrong:?}");
        }
    }
}
