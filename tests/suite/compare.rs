//! Comparing in parts: whatever the parts, the answer is that of a plain reading of the whole texts.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::sync::Arc;

use proptest::prelude::{Strategy, any, prop, proptest};
use proptest::sample::select;
use proptest::{prop_assert_eq, prop_oneof};
use simdrop::compare::{Expected, compare, diff};
use simdrop::domain::{Body, CompareMode, Difference, Stream, Verdict};

/// A text that comes a few bytes at a time.
#[derive(Debug)]
struct Crumbs {
    text: Vec<u8>,
    size: usize,
}

struct Eating<'a> {
    rest: &'a [u8],
    size: usize,
}

impl Stream for Crumbs {
    fn bytes(&self) -> u64 {
        self.text.len() as u64
    }

    fn open(&self) -> io::Result<Box<dyn Read + Send + '_>> {
        Ok(Box::new(Eating { rest: &self.text, size: self.size }))
    }
}

impl Read for Eating<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let most = self.size.min(room.len());
        self.rest.read(&mut room[..most])
    }
}

fn crumbs(text: &[u8], size: usize) -> Body {
    match size {
        0 => Body::Bytes(text.to_vec()),
        size => Body::Stream(Arc::new(Crumbs { text: text.to_vec(), size })),
    }
}

/// A difference without its texts: line, column, whether each has the line, how many more.
type Place = (u64, u64, bool, bool, u64);

fn place(found: &Difference) -> Place {
    let Difference { line, column, expected, got, more_lines } = found;
    (*line, *column, expected.is_some(), got.is_some(), *more_lines)
}

fn tokens(text: &[u8]) -> Vec<&[u8]> {
    text.split(u8::is_ascii_whitespace).filter(|token| !token.is_empty()).collect()
}

/// The lines as a mode sees them.
fn lines(text: &[u8], mode: CompareMode) -> Vec<&[u8]> {
    if mode == CompareMode::Exact {
        return text.split_inclusive(|&byte| byte == b'\n').collect();
    }
    let mut lines: Vec<_> = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end).collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines
}

/// The lines that differ, and the first of them.
fn plain_by_lines(expected: &[u8], got: &[u8], mode: CompareMode) -> (u64, Option<Place>) {
    let (left, right) = (lines(expected, mode), lines(got, mode));
    let same = |at: &usize| match (left.get(*at), right.get(*at), mode) {
        (Some(left), Some(right), CompareMode::Tokens) => tokens(left) == tokens(right),
        (left, right, _) => left == right,
    };
    let differing: Vec<usize> = (0..left.len().max(right.len())).filter(|at| !same(at)).collect();
    let first = differing.first().map(|&at| {
        let (left, right) = (left.get(at), right.get(at));
        let both = left.copied().unwrap_or_default().iter().zip(right.copied().unwrap_or_default());
        let column = both.take_while(|(left, right)| left == right).count() as u64 + 1;
        let more = differing.len() as u64 - 1;
        (at as u64 + 1, column, left.is_some(), right.is_some(), more)
    });
    (differing.len() as u64, first)
}

/// Each token with its line and column.
fn placed(text: &[u8]) -> Vec<(&[u8], u64, u64)> {
    let lines = (1..).zip(text.split(|&byte| byte == b'\n'));
    let of_line = |(number, line): (u64, &'_ [u8])| -> Vec<(usize, u64, usize)> {
        let starts = |&at: &usize| {
            !line[at].is_ascii_whitespace() && (at == 0 || line[at - 1].is_ascii_whitespace())
        };
        (0..line.len()).filter(starts).map(|at| (at, number, line.len())).collect()
    };
    let places = lines.flat_map(of_line).map(|(at, number, _)| (number, at as u64 + 1));
    tokens(text)
        .into_iter()
        .zip(places)
        .map(|(token, (line, column))| (token, line, column))
        .collect()
}

fn plain_by_tokens(expected: &[u8], got: &[u8]) -> Option<Place> {
    let (left, right) = (placed(expected), placed(got));
    let text = |tokens: &[(&[u8], u64, u64)], at: usize| tokens.get(at).map(|it| it.0.to_vec());
    let differs = |at: &usize| text(&left, *at) != text(&right, *at);
    let differing: Vec<usize> = (0..left.len().max(right.len())).filter(differs).collect();
    let at = *differing.first()?;
    let (line, column) = match (right.get(at), right.last()) {
        (Some(&(_, line, column)), _) => (line, column),
        (None, Some(&(token, line, column))) => (line, column + token.len() as u64),
        (None, None) => (1, 1),
    };
    let of_got: BTreeSet<u64> =
        differing.iter().filter_map(|&at| right.get(at)).map(|it| it.1).collect();
    let missing = differing.iter().filter(|&&at| at >= right.len());
    let missing: BTreeSet<u64> = missing.filter_map(|&at| left.get(at)).map(|it| it.1).collect();
    let paired = differing.iter().filter(|&&at| at < right.len());
    let paired = paired.filter_map(|&at| left.get(at)).map(|it| it.1).max();
    let new = missing.iter().filter(|&&line| Some(line) > paired).count();
    let more = (of_got.len() + new) as u64 - 1;
    Some((line, column, left.get(at).is_some(), right.get(at).is_some(), more))
}

fn plain(expected: &[u8], got: &[u8], mode: CompareMode) -> (Verdict, Option<Place>) {
    let place = match mode {
        CompareMode::Tokens => plain_by_tokens(expected, got),
        CompareMode::Lines | CompareMode::Exact => plain_by_lines(expected, got, mode).1,
    };
    let verdict = match place {
        None => Verdict::Ac,
        Some(_) if tokens(expected) == tokens(got) => Verdict::Pe,
        Some(_) => Verdict::Wa,
    };
    (verdict, place)
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(select(&b"1 \t\r\na"[..]), 0..24)
}

/// Two texts, often almost the same.
fn texts() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    let patched = || {
        (text(), text(), any::<usize>(), 0..3_usize).prop_map(|(text, patch, at, size)| {
            let at = at % (text.len() + 1);
            let mut other = text.clone();
            other.splice(at..text.len().min(at + size), patch.into_iter().take(3));
            (text, other)
        })
    };
    let swapped = patched().prop_map(|(text, other)| (other, text));
    prop_oneof![(text(), text()), patched(), swapped]
}

proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(4000))]

    #[test]
    fn comparing_in_parts_is_comparing_the_whole(
        (expected, got) in texts(),
        sizes in (0..5_usize, 0..5_usize),
        mode in select(&CompareMode::ALL[..]),
    ) {
        let bodies = (crumbs(&expected, sizes.0), crumbs(&got, sizes.1));
        let (verdict, found) =
            compare(Expected::Text(&bodies.0), &bodies.1, mode).expect("readable");
        prop_assert_eq!((verdict, found.as_ref().map(place)), plain(&expected, &got, mode));
    }

    #[test]
    fn a_diff_in_parts_counts_what_the_whole_has(
        (expected, got) in texts(),
        sizes in (0..5_usize, 0..5_usize),
        mode in select(&CompareMode::ALL[..]),
        most in 0..4_usize,
    ) {
        let bodies = (crumbs(&expected, sizes.0), crumbs(&got, sizes.1));
        let found = diff(&bodies.0, &bodies.1, mode, most).expect("readable");
        let equal = mode == CompareMode::Tokens && tokens(&expected) == tokens(&got);
        let differing = if equal { 0 } else { plain_by_lines(&expected, &got, mode).0 };
        let count = |text| lines(text, mode).len() as u64;
        prop_assert_eq!(found.differing, differing);
        prop_assert_eq!((found.expected_lines, found.got_lines), (count(&expected), count(&got)));
        let shown = found.rows.iter().filter(|row| !row.same).count() as u64;
        prop_assert_eq!(shown, differing.min(most as u64));
        for row in &found.rows {
            prop_assert_eq!(row.expected.is_some(), row.line <= found.expected_lines);
            prop_assert_eq!(row.got.is_some(), row.line <= found.got_lines);
        }
    }
}

#[test]
fn a_difference_far_behind_the_first_block_has_its_place_and_texts() {
    let line = "0123456789".repeat(20_000) + "\n";
    let expected = line.repeat(3) + "end 1\nlast\n";
    let got = line.replace('\n', " \r\n").repeat(3) + "end 2\nlast\n";
    for size in [0, 1 << 20, 1000] {
        let bodies = [&expected, &got].map(|text| crumbs(text.as_bytes(), size));
        let compared = compare(Expected::Text(&bodies[0]), &bodies[1], CompareMode::Lines);
        let (verdict, found) = compared.expect("readable");
        let found = found.expect("a difference");
        assert_eq!((verdict, place(&found)), (Verdict::Wa, (4, 5, true, true, 0)));
        assert_eq!(found.expected.as_deref(), Some("end 1"));
        assert_eq!(found.got.as_deref(), Some("end 2"));
    }
}

#[test]
fn a_body_that_cannot_be_read_is_an_error() {
    #[derive(Debug)]
    struct Gone;
    impl Stream for Gone {
        fn bytes(&self) -> u64 {
            1
        }

        fn open(&self) -> io::Result<Box<dyn Read + Send + '_>> {
            Err(io::ErrorKind::NotFound.into())
        }
    }
    let (gone, there) = (Body::Stream(Arc::new(Gone)), Body::Bytes(b"1".to_vec()));
    for mode in CompareMode::ALL {
        assert!(compare(Expected::Text(&there), &gone, mode).is_err());
        assert!(compare(Expected::Emoticon(&there), &gone, mode).is_err());
        assert!(diff(&gone, &there, mode, 1).is_err());
    }
}
