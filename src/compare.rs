//! A file against an output: is it right, and where is the first difference?
//!
//! Bodies may be larger than memory: they are read in parts, more than once if they differ, and of a
//! line only what is shown is kept. White space is ASCII's: space, tab, CR, form feed and newline.
//!
//! | mode | right | PE | a difference names |
//! | --- | --- | --- | --- |
//! | lines | blanks at line ends and empty lines at the end do not count | the tokens are the same | the first byte |
//! | exact | the bytes are the same | the tokens are the same | the first byte; blanks at line ends are spelt |
//! | tokens | the tokens are the same | never | the first token, in the file |
//!
//! `more_lines` of a difference counts the later lines that differ, missing ones included. By tokens,
//! these are the lines of the file with a token that differs or is too much, and the lines of the
//! expected text with a token that is missing. A file without enough tokens differs where its last
//! token ends, and has no line to show.

mod cursor;
mod diff;
mod emoticon;
mod line;
mod pairs;
mod tokens;

pub use diff::{Diff, Row, diff};

use std::io;

use self::cursor::fork;
use self::emoticon::is_emoticon;
use self::tokens::Tokens;
use crate::domain::{Body, CompareMode, Difference, Verdict};

/// What a compared file is held against.
#[derive(Debug, Clone, Copy)]
pub enum Expected<'a> {
    /// This text.
    Text(&'a Body),
    /// Any emoticon on one line, in every mode, for a game that never ends; ours is given.
    Emoticon(&'a Body),
}

/// Holds `got`, the file, against the expected output.
///
/// # Errors
/// A body cannot be read.
pub fn compare(
    expected: Expected<'_>,
    got: &Body,
    mode: CompareMode,
) -> io::Result<(Verdict, Option<Difference>)> {
    let text = match expected {
        Expected::Emoticon(_) if is_emoticon(got)? => return Ok((Verdict::Ac, None)),
        Expected::Text(text) | Expected::Emoticon(text) => text,
    };
    // Almost every right file is the same to the byte.
    let Some(from) = fork(text, got)? else { return Ok((Verdict::Ac, None)) };
    let found = match mode {
        CompareMode::Tokens => tokens::first_difference(text, got, from)?,
        CompareMode::Lines | CompareMode::Exact => pairs::first_difference(text, got, mode, from)?,
    };
    let verdict = match found {
        None => Verdict::Ac,
        Some(_) if mode != CompareMode::Tokens && Tokens::open(text, got, from)?.same()? => {
            Verdict::Pe
        }
        Some(_) => Verdict::Wa,
    };
    Ok((verdict, found))
}

#[cfg(test)]
mod tests {
    use super::{Expected, compare};
    use crate::domain::{Body, CompareMode, Difference, Verdict};

    fn judge(
        expected: impl AsRef<[u8]>,
        got: impl AsRef<[u8]>,
        mode: CompareMode,
    ) -> (Verdict, Option<Difference>) {
        let [expected, got] =
            [expected.as_ref(), got.as_ref()].map(|text| Body::Bytes(text.to_vec()));
        compare(Expected::Text(&expected), &got, mode).expect("bytes in memory")
    }

    fn verdict(expected: &str, got: &str) -> Verdict {
        judge(expected, got, CompareMode::Lines).0
    }

    fn difference(expected: &str, got: &str, mode: CompareMode) -> Difference {
        judge(expected, got, mode).1.expect("a difference")
    }

    /// A difference in short: where, the two texts, and how many more.
    fn short(expected: &str, got: &str, mode: CompareMode) -> String {
        let Difference { line, column, expected, got, more_lines } =
            difference(expected, got, mode);
        let [expected, got] = [expected, got].map(|text| text.unwrap_or("none".to_owned()));
        format!("{line}:{column} [{expected}] [{got}] +{more_lines}")
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
        let difference = difference("a\nbcd\ne\nf\n", "a\nbxd\ne\n", CompareMode::Lines);
        assert_eq!((difference.line, difference.column, difference.more_lines), (2, 2, 1));
        assert_eq!(difference.expected.as_deref(), Some("bcd"));
        assert_eq!(difference.got.as_deref(), Some("bxd"));
    }

    #[test]
    fn a_missing_line_is_told_from_an_empty_one() {
        let difference = difference("a\nb\n", "a\n", CompareMode::Lines);
        assert_eq!((difference.line, difference.column), (2, 1));
        assert_eq!((difference.expected.as_deref(), difference.got), (Some("b"), None));
    }

    #[test]
    fn a_long_line_is_cut_around_the_difference() {
        let (left, right) = ("x".repeat(500) + "1" + &"y".repeat(500), "x".repeat(501));
        let difference = difference(&left, &right, CompareMode::Lines);
        assert_eq!(difference.column, 501);
        let expected = format!("...{}1{}...", "x".repeat(32), "y".repeat(31));
        assert_eq!(difference.expected, Some(expected));
        assert_eq!(difference.got, Some(format!("...{}x", "x".repeat(32))));
    }

    #[test]
    fn any_one_line_emoticon_is_right_for_an_endless_game() {
        let ours = Body::Bytes(b"(=^_^=)\n".to_vec());
        let emoticon = |got: &str, mode| {
            let got = Body::Bytes(got.as_bytes().to_vec());
            compare(Expected::Emoticon(&ours), &got, mode).expect("bytes in memory").0
        };
        for mode in CompareMode::ALL {
            for right in ["(=^_^=)\n", "QAQ", ":D \r\n\n", "( ^ _ ^ )", "(｡･ω･｡)", "1\r2"]
            {
                assert_eq!(emoticon(right, mode), Verdict::Ac, "{right:?}");
            }
            for wrong in ["", "\n", "12\r\n", "3\nAlice\n1 0\n", ":D\n:D\n", "- 1\n", "\n:D"] {
                assert_eq!(emoticon(wrong, mode), Verdict::Wa, "{wrong:?}");
            }
        }
    }

    #[test]
    fn byte_for_byte_shows_what_cannot_be_seen() {
        let exact = |expected, got| short(expected, got, CompareMode::Exact);
        assert_eq!(exact("1 2\n3\n", "1 2 \n3\n"), "1:4 [1 2] [1 2·] +0");
        assert_eq!(exact("1\n2\n", "1\r\n2\r\n"), "1:2 [1] [1\\r] +1");
        assert_eq!(exact("1\t \n", "1 \t\n"), "1:2 [1\\t·] [1·\\t] +0");
        assert_eq!(exact("1\n2\n", "1\n2"), "2:2 [2] [2 (no newline at the end)] +0");
        assert_eq!(exact("1\n", "1\n\n\n"), "2:1 [none] [] +1");
        assert_eq!(exact("12\n", "1\n2\n"), "1:2 [12] [1] +1");
    }

    #[test]
    fn byte_for_byte_white_space_is_a_presentation_error() {
        let exact = |expected, got| judge(expected, got, CompareMode::Exact).0;
        assert_eq!(exact("1\n", "1\n"), Verdict::Ac);
        assert_eq!(exact("1\n", "1"), Verdict::Pe);
        assert_eq!(exact("1\n2\n", "1 2"), Verdict::Pe);
        assert_eq!(exact("1\n2\n", "12\n"), Verdict::Wa);
    }

    #[test]
    fn by_tokens_white_space_does_not_count() {
        let tokens = |expected, got| judge(expected, got, CompareMode::Tokens).0;
        assert_eq!(tokens("1 2\n3\n", "\n1\r\n 2\t3"), Verdict::Ac);
        assert_eq!(tokens("", " \n"), Verdict::Ac);
        assert_eq!(tokens("1 2", "12"), Verdict::Wa);
        assert_eq!(tokens("a", "A"), Verdict::Wa);
        assert_eq!(tokens("a", ""), Verdict::Wa);
    }

    #[test]
    fn by_tokens_the_place_is_that_of_the_token_in_the_file() {
        let tokens = |expected, got| short(expected, got, CompareMode::Tokens);
        assert_eq!(tokens("1 2 345\n", "1\n\n 2   346 \n"), "3:6 [1 2 345] [ 2   346] +0");
        assert_eq!(tokens("1 2\n3\n4\n", "1 2\n"), "1:4 [3] [none] +1");
        assert_eq!(tokens("1\n", "1\n2 3\n4\n"), "2:1 [none] [2 3] +1");
        assert_eq!(tokens("a\nb c\n", "x\nb\n"), "1:1 [a] [x] +1");
    }
}
