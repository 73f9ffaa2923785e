//! A file against an output.

use std::io::{self, Read};
use std::sync::Arc;

use crate::compare::{Expected, compare, diff};
use crate::domain::{Body, CompareMode, Difference, Stream, Verdict};

/// What stands between the expected text and the file.
const BETWEEN: u8 = 0xff;

/// How many differing lines are asked for.
const ROWS: usize = 3;

/// The expected text and the file, with a byte 255 between them.
pub(super) fn check(bytes: &[u8]) {
    let mut halves = bytes.splitn(2, |&byte| byte == BETWEEN);
    let (expected, got) = (halves.next().unwrap_or_default(), halves.next().unwrap_or_default());
    let same_tokens = tokens(expected).eq(tokens(got));
    let [lines, exact, by_tokens] = CompareMode::ALL.map(|mode| verdict(expected, got, mode));
    assert_eq!(exact == Verdict::Ac, expected == got, "exact");
    assert_eq!(by_tokens, if same_tokens { Verdict::Ac } else { Verdict::Wa }, "tokens");
    assert!(exact != Verdict::Ac || lines == Verdict::Ac, "the same and not right by lines");
    for verdict in [lines, exact] {
        assert_eq!(verdict == Verdict::Wa, !same_tokens, "{verdict}");
    }
}

fn tokens(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(u8::is_ascii_whitespace).filter(|token| !token.is_empty())
}

fn verdict(expected: &[u8], got: &[u8], mode: CompareMode) -> Verdict {
    let ours = found(expected, expected, mode);
    assert_eq!(ours, (Verdict::Ac, None), "{mode}: a text against itself");
    let (verdict, difference) = found(expected, got, mode);
    assert_eq!(verdict == Verdict::Ac, difference.is_none(), "{mode}");
    if let Some(difference) = difference {
        assert!(difference.line > 0 && difference.column > 0, "{mode}: {difference:?}");
    }
    let shown = diff(&body(expected), &body(got), mode, ROWS).expect("bytes in memory");
    assert_eq!(shown.differing == 0, verdict == Verdict::Ac, "{mode}: {shown:?}");
    let emoticon = Expected::Emoticon(&body(expected));
    let emoticon = compare(emoticon, &body(got), mode).expect("bytes in memory").0;
    assert!(emoticon == Verdict::Ac || emoticon == verdict, "{mode}: {emoticon}");
    verdict
}

/// What is found, whether the texts are in memory or come in parts.
fn found(expected: &[u8], got: &[u8], mode: CompareMode) -> (Verdict, Option<Difference>) {
    let look = |expected: &Body, got: &Body| {
        compare(Expected::Text(expected), got, mode).expect("bytes in memory")
    };
    let found = look(&body(expected), &body(got));
    assert_eq!(found, look(&stream(expected, 3), &stream(got, 5)), "{mode}: in parts");
    found
}

fn body(text: &[u8]) -> Body {
    Body::Bytes(text.to_vec())
}

fn stream(text: &[u8], most: usize) -> Body {
    Body::Stream(Arc::new(Parts { text: text.to_vec(), most }))
}

/// A text that comes in parts.
#[derive(Debug)]
struct Parts {
    text: Vec<u8>,
    most: usize,
}

impl Stream for Parts {
    fn bytes(&self) -> u64 {
        self.text.len() as u64
    }

    fn open(&self) -> io::Result<Box<dyn Read + Send + '_>> {
        Ok(Box::new(Part { rest: &self.text, most: self.most }))
    }
}

struct Part<'a> {
    rest: &'a [u8],
    most: usize,
}

impl Read for Part<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let most = self.most.min(out.len());
        self.rest.read(&mut out[..most])
    }
}
