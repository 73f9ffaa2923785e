//! What is read, refused and warned about.

use proptest::prelude::*;
use simdrop::domain::{ErrorCode, SimulatorId};
use simdrop::sim;

use super::plain::inputs;
use super::read;

/// The codes of the warnings about an input.
fn warnings(input: &str) -> Vec<(String, u64)> {
    read(input).warnings.into_iter().map(|warning| (warning.code, warning.count)).collect()
}

/// Code and place of the error about an input.
fn error(input: &str) -> (ErrorCode, Option<u64>, Option<u64>) {
    let refused = sim::read(input.as_bytes(), Some(SimulatorId::Mtj)).expect_err("an error");
    (refused.error.code, refused.error.line, refused.error.column)
}

#[test]
fn what_is_in_bounds_has_no_warning() {
    assert_eq!(warnings("2 10 1 41\n-10\n1 1 1 1 1 1 1 1 1 1\n"), []);
    assert_eq!(warnings("2 10 2 10000\n10 0\n1 1 1 1 1 1 1 1 1 2\n"), []);
}

#[test]
fn what_is_outside_the_statement_is_warned_about() {
    let one = |code: &str| vec![(code.to_owned(), 1)];
    assert_eq!(warnings("1 5 1 41\n0\n1 1 1 1 1\n"), one("one-player"));
    assert_eq!(warnings("2 10 1 40\n0\n1 1 1 1 1 1 1 1 1 1\n"), one("small-lim"));
    assert_eq!(warnings("2 10 1 10001\n0\n1 1 1 1 1 1 1 1 1 1\n"), one("large-lim"));
    let likes = "2 10 3 41\n11 -11 10\n1 1 1 1 1 1 1 1 1 1\n";
    assert_eq!(warnings(likes), [("large-like".to_owned(), 2)]);
    assert_eq!(
        warnings(&format!("2 10 11 41\n{}\n{}\n", "0 ".repeat(11), "1 ".repeat(10))),
        one("many-values")
    );
    assert_eq!(warnings(&format!("101 505 1 41\n0\n{}\n", "1 ".repeat(505))), one("many-players"));
    assert_eq!(warnings(&format!("100 100000 1 41\n0\n{}\n", "1 ".repeat(100_000))), []);
    assert_eq!(
        warnings(&format!("9 100001 1 41\n0\n{}\n", "1 ".repeat(100_001))),
        one("many-cards")
    );
}

#[test]
fn what_cannot_be_played_is_an_error_at_its_place() {
    let bounds = |line, column| (ErrorCode::OutOfBounds, Some(line), Some(column));
    assert_eq!(error("0 5 1 41\n0\n1 1 1 1 1\n"), bounds(1, 1));
    assert_eq!(error("-1 5 1 41\n0\n1 1 1 1 1\n"), bounds(1, 1));
    assert_eq!(error("2 9 1 41\n0\n1 1 1 1 1 1 1 1 1\n"), bounds(1, 3));
    assert_eq!(error("1 5 0 41\n1 1 1 1 1\n"), bounds(1, 5));
    assert_eq!(error("1 5 1 0\n0\n1 1 1 1 1\n"), bounds(1, 7));
    assert_eq!(error("1 5 1 41\n1000000001\n1 1 1 1 1\n"), bounds(2, 1));
    assert_eq!(error("1 5 1 41\n-1000000001\n1 1 1 1 1\n"), bounds(2, 1));
    assert_eq!(error("1 5 2 41\n0 0\n1 1 0 1 1\n"), bounds(3, 5));
    assert_eq!(error("1 5 2 41\n0 0\n1 1 2 3 1\n"), bounds(3, 7));
    assert_eq!(error("1 5 2 41\n0 0\n1 1 2 1\n").0, ErrorCode::TokenMissing);
    assert_eq!(error("1 5 2 41\n0 0\n1 1 2 1 1 1\n").0, ErrorCode::TokenLeftOver);
    assert_eq!(error("1 5\n").0, ErrorCode::TokenMissing);
}

#[test]
fn the_largest_likes_are_played() {
    let input = "1 5 1 1\n1000000000\n1 1 1 1 1\n";
    assert!(super::play(input).0.ends_with("\n5000000000 \n"));
}

#[test]
fn claims_without_tokens_allocate_nothing() {
    // A negative k takes back what a huge m claims, so the count of tokens is right.
    let (m, k) = (1_000_000_000, 5 - 1_000_000_000);
    assert_eq!(error(&format!("1 {m} {k} 41 0 1 2 3 4")).0, ErrorCode::OutOfBounds);
    assert_eq!(
        error("1 9223372036854775807 9223372036854775807 41 0 1").0,
        ErrorCode::TokenMissing
    );
    assert_eq!(error("9223372036854775807 5 1 41\n0\n1 1 1 1 1\n").0, ErrorCode::OutOfBounds);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_printed_reads_the_same(input in inputs()) {
        let first = read(&input).input;
        prop_assert_eq!(&first.to_string(), &input);
        prop_assert_eq!(read(&first.to_string()).input, first);
    }

    #[test]
    fn bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = sim::read(&bytes, Some(SimulatorId::Mtj));
    }

    #[test]
    fn numbers_never_panic(numbers in prop::collection::vec(-2..=9i64, 0..30), head in (0..3i64, 0..15i64, -2..6i64, 0..3i64)) {
        let (n, m, k, lim) = head;
        let body = numbers.iter().cycle().take(if numbers.is_empty() { 0 } else { usize::try_from(m + k).unwrap_or(0) });
        let input = format!("{n} {m} {k} {lim} {}", body.map(|number| format!("{number} ")).collect::<String>());
        if let Ok(reading) = sim::read(input.as_bytes(), Some(SimulatorId::Mtj)) {
            prop_assert_eq!(super::play(&reading.input.to_string()).0, super::plain::output(&input));
        }
    }
}
