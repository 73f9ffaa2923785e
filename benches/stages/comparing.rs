//! A file against the output of its case.

use divan::Bencher;
use divan::counter::BytesCount;
use simdrop::compare::{Expected, compare};
use simdrop::domain::{Body, CompareMode, SimulatorId};

use crate::inputs::seeds;
use crate::played::Played;

/// An output of some length.
fn output() -> Vec<u8> {
    Played::text(&seeds(1, 5_000), SimulatorId::ThunderBluff).output
}

fn held_against_output(bencher: Bencher<'_, '_>, file: Vec<u8>, mode: CompareMode) {
    let (output, file) = (Body::Bytes(output()), Body::Bytes(file));
    let bytes = BytesCount::new(file.bytes());
    bencher.counter(bytes).bench(|| compare(Expected::Text(&output), &file, mode));
}

/// Nearly every file: it is the output.
#[divan::bench]
fn right(bencher: Bencher<'_, '_>) {
    held_against_output(bencher, output(), CompareMode::Lines);
}

/// Only the last number is another one, and all lines end in blanks.
#[divan::bench(args = [CompareMode::Lines, CompareMode::Tokens])]
fn wrong_at_the_end(bencher: Bencher<'_, '_>, mode: CompareMode) {
    let text = String::from_utf8(output()).expect("a text of digits and names");
    let mut file = text.replace('\n', " \n").into_bytes();
    file.extend_from_slice(b"0\n");
    held_against_output(bencher, file, mode);
}
