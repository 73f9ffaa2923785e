//! Answers beside their inputs.

use std::fs;
use std::io::{self, Read};
use std::sync::Arc;

use simdrop::domain::{Body, Stream};
use simdrop::ingest::{Placed, Refusal, place};

use super::{folder, listed};
use crate::vectors::tree;

/// So many lines, which nobody holds in memory; behind them comes an error if they are `broken`.
#[derive(Debug)]
struct Lines {
    lines: u64,
    broken: bool,
}

/// Cannot be read.
struct Broken;

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("broken"))
    }
}

impl Stream for Lines {
    fn bytes(&self) -> u64 {
        2 * self.lines
    }

    fn open(&self) -> io::Result<Box<dyn Read + Send + '_>> {
        let lines = usize::try_from(self.lines).map_err(io::Error::other)?;
        let text = io::Cursor::new(b"x\n".repeat(lines));
        Ok(if self.broken { Box::new(text.chain(Broken)) } else { Box::new(text) })
    }
}

fn lines(lines: u64, broken: bool) -> Body {
    Body::Stream(Arc::new(Lines { lines, broken }))
}

#[test]
fn a_streamed_answer_is_written_compared_and_replaced() {
    let (at, origin) = folder(&["1.in"]);
    let input = &listed(&origin).entries[0].input;
    let placed = |text: &Body, force| place(input, b"1.ans", text, force).expect("a place");
    assert_eq!(placed(&lines(3000, false), false), Placed::Written);
    assert_eq!(placed(&lines(3000, false), false), Placed::There);
    for other in [b"x\n".repeat(2999), [b"x\n".repeat(2999), b"y\n".to_vec()].concat()] {
        let other = Body::Bytes(other);
        assert_eq!(placed(&other, false), Placed::Refused(Refusal::Differs));
        assert_eq!(fs::read(at.path("data/1.ans")).expect("a file"), b"x\n".repeat(3000));
    }
    assert_eq!(placed(&Body::Bytes(Vec::new()), true), Placed::Written);
    assert_eq!(fs::read(at.path("data/1.ans")).expect("a file"), b"");
}

#[test]
fn an_answer_that_cannot_be_read_to_its_end_leaves_nothing_behind() {
    let (at, origin) = folder(&["1.in"]);
    let input = &listed(&origin).entries[0].input;
    let error = place(input, b"1.ans", &lines(3, true), false).expect_err("a broken text");
    assert_eq!(error.to_string(), "what is to be written cannot be read");
    assert_eq!(tree(&at.path("data")).len(), 1);
}

#[test]
fn nothing_is_written_outside_the_folder() {
    let (at, origin) = folder(&["1.in", "a/2.in"]);
    let input = &listed(&origin).entries[0].input;
    let absolute = at.path("x").into_os_string().into_encoded_bytes();
    for below in [&b"../x"[..], b"a/../../x", b"a/../x", b"none/x", b"1.in/x", &absolute] {
        let placed = place(input, below, &lines(1, false), true).expect("a refusal");
        assert_eq!(placed, Placed::Refused(Refusal::NoFolder), "{}", below.escape_ascii());
    }
    assert!(!at.path("x").exists());
}
