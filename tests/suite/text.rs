//! Reading an input: hard errors with their places, warnings, and which simulator it is for.

use proptest::prelude::{any, prop_assert, prop_oneof, proptest};
use proptest::strategy::Strategy;
use simdrop::domain::{CaseError, ErrorCode, SimulatorId};
use simdrop::sim::{Refused, identify, read};

fn refused(input: &[u8], hint: Option<SimulatorId>) -> Refused {
    read(input, hint).expect_err("a hard error")
}

fn error(input: &[u8]) -> (ErrorCode, Option<u64>, Option<u64>) {
    let CaseError { code, line, column, .. } =
        refused(input, Some(SimulatorId::ThunderBluff)).error;
    (code, line, column)
}

#[test]
fn the_first_failure_in_the_order_bytes_tokens_count_values_is_reported() {
    let at = |line, column| (Some(line), Some(column));
    for (input, code, (line, column)) in [
        // A bad byte in the last line beats a bad token in the first.
        (&b"x 1\n1 2 3\x7f"[..], ErrorCode::ForbiddenByte, at(2, 6)),
        (b"1\n1 x 3\n9 9 9", ErrorCode::NotANumber, at(2, 3)),
        (b"1\n1 2 3 4 5\n", ErrorCode::TokenLeftOver, at(2, 9)),
        (b"1\n-1 2 3\n", ErrorCode::TokenMissing, at(3, 1)),
        (b"1\n-1 2 3", ErrorCode::TokenMissing, at(2, 7)),
        (b"1\n-1 2 3 4294967296\n", ErrorCode::OutOfBounds, at(2, 1)),
        (b"\xef\xbb\xbf1\n1 2 3 \xc3\xa4\n", ErrorCode::ForbiddenByte, at(2, 7)),
        (b"\xef\xbb\xbfx", ErrorCode::NotANumber, at(1, 1)),
        (b"1\n1 2 3 9223372036854775808\n", ErrorCode::NumberTooLarge, at(2, 7)),
        (b"1\n1 2 3 9223372036854775807\n", ErrorCode::OutOfBounds, at(2, 7)),
        (b"1\n1 2 3 --1\n", ErrorCode::NotANumber, at(2, 7)),
        (b"1\n1 2 3 -\n", ErrorCode::NotANumber, at(2, 7)),
        (b"1\n1 2 3 +1\n", ErrorCode::NotANumber, at(2, 7)),
        (b"1\n1 2 3 1.0\n", ErrorCode::NotANumber, at(2, 7)),
    ] {
        assert_eq!(error(input), (code, line, column), "{}", input.escape_ascii());
    }
    assert_eq!(error(b" \n\t\r\n").0, ErrorCode::Empty);
}

#[test]
fn lines_end_at_lf_and_columns_count_bytes() {
    assert_eq!(error(b"1\r\n1 2\r\n  x 4\r\n"), (ErrorCode::NotANumber, Some(3), Some(3)));
}

#[test]
fn odd_text_is_a_warning_with_its_first_place_and_how_often() {
    let input = b"\xef\xbb\xbf1\r\n007 -0\r 1\r\n01";
    let reading = read(input, Some(SimulatorId::ThunderBluff)).expect("an input");
    let seen: Vec<_> = reading
        .warnings
        .iter()
        .map(|warning| (warning.code.as_str(), warning.line, warning.column, warning.count))
        .collect();
    let at = |code, line, column, count| (code, Some(line), Some(column), count);
    assert_eq!(
        seen,
        [
            at("bom", 1, 1, 1),
            at("crlf", 1, 2, 2),
            at("lone-cr", 2, 7, 1),
            at("no-final-newline", 3, 3, 1),
            at("leading-zeros", 2, 1, 2),
            at("minus-zero", 2, 5, 1),
        ]
    );
}

#[test]
fn half_a_million_odd_places_are_counted_in_one_pass() {
    let games = 500_000;
    let input = format!("{games}\r\n") + &"01 2 3 4\r\n".repeat(games);
    let reading = read(input.as_bytes(), Some(SimulatorId::ThunderBluff)).expect("an input");
    let count = |code: &str| {
        let warning = reading.warnings.iter().find(|warning| warning.code == code);
        warning.map(|warning| warning.count)
    };
    assert_eq!(count("crlf"), Some(games as u64 + 1));
    assert_eq!(count("leading-zeros"), Some(games as u64));
    // The same for warnings about values.
    let likes = 500_000;
    let input = format!("1 5 {likes} 50\n{}\n1 1 1 1 1\n", "11 ".repeat(likes));
    let reading = read(input.as_bytes(), Some(SimulatorId::Mtj)).expect("an input");
    let large = reading.warnings.iter().find(|warning| warning.code == "large-like");
    assert_eq!(large.map(|warning| warning.count), Some(likes as u64));
}

#[test]
fn a_count_that_fits_nobody_names_the_count_and_the_three_expected_ones() {
    let Refused { simulator, error } = refused(b"2 30 5\n", None);
    assert_eq!((simulator, error.code), (None, ErrorCode::Unrecognised));
    for part in
        ["3 numbers", "stellar-connect expects 53", "thunder-bluff expects 9", "mtj expects 39"]
    {
        assert!(error.message.contains(part), "{part} in {}", error.message);
    }
}

#[test]
fn an_input_without_a_first_number_has_no_simulator() {
    for input in [&b""[..], b"hello", b"\x00"] {
        assert_eq!(refused(input, None).simulator, None);
    }
}

#[test]
fn one_count_that_fits_decides_with_its_errors() {
    let Refused { simulator, error } = refused(b"1\n1 2 3 -4\n", None);
    assert_eq!((simulator, error.code), (Some(SimulatorId::ThunderBluff), ErrorCode::OutOfBounds));
}

#[test]
fn of_two_counts_that_fit_a_reading_with_hard_errors_drops_out() {
    // The count of n = 2 characters, and of 3 likes and 46 cards; the cards read well for MTJ only.
    let ambiguous = include_str!("../vectors/ambiguous/mtj-and-stellar.in");
    let Refused { error, .. } = refused(ambiguous.as_bytes(), None);
    assert_eq!(error.code, ErrorCode::Ambiguous);
    for hint in [SimulatorId::Mtj, SimulatorId::StellarConnect] {
        assert_eq!(
            read(ambiguous.as_bytes(), Some(hint)).expect("an input").input.simulator(),
            hint
        );
    }
    // An attack order that is no permutation leaves MTJ alone; the last card stays a card.
    let mut numbers: Vec<String> = ambiguous.split_whitespace().map(str::to_owned).collect();
    numbers[5] = numbers[6].clone();
    let reading = read(numbers.join(" ").as_bytes(), None).expect("an input");
    assert_eq!(reading.input.simulator(), SimulatorId::Mtj);
    // A card beyond k leaves Stellar Connect alone or nobody.
    let last = numbers.len() - 1;
    numbers[last] = "1000000".to_owned();
    let Refused { simulator, error } = refused(numbers.join(" ").as_bytes(), None);
    assert_eq!((simulator, error.code), (None, ErrorCode::Unrecognised));
    assert!(error.message.contains("as mtj:") && error.message.contains("as stellar-connect:"));
}

#[test]
fn a_first_number_of_any_size_is_counted_without_overflow() {
    for first in ["9223372036854775807", "-9223372036854775808", "1000000000000", "0", "-1"] {
        for rest in ["", " 1 1", " 1 1 1", " 1 1 1 1"] {
            let input = format!("{first}{rest}\n");
            for hint in [None, Some(SimulatorId::Mtj), Some(SimulatorId::StellarConnect)] {
                read(input.as_bytes(), hint).expect_err("a hard error");
            }
            refused(input.as_bytes(), Some(SimulatorId::ThunderBluff));
        }
    }
}

fn soup() -> impl Strategy<Value = Vec<u8>> {
    let token = prop_oneof![
        4 => (0..60_i64).prop_map(|number| number.to_string()),
        1 => any::<i64>().prop_map(|number| number.to_string()),
        1 => "[-0-9]{0,25}",
    ];
    proptest::collection::vec((token, "[ \t\r\n]{1,2}"), 0..80)
        .prop_map(|parts| parts.into_iter().flat_map(|(a, b)| (a + &b).into_bytes()).collect())
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
        for hint in SimulatorId::ALL.map(Some).into_iter().chain([None]) {
            let _ = read(&bytes, hint);
        }
    }

    #[test]
    fn any_numbers_are_read_or_refused_and_recognised_alike(bytes in soup()) {
        let identified = identify(&bytes, None);
        if let Ok(reading) = read(&bytes, None) {
            prop_assert!(identified == Ok(reading.input.simulator()));
        }
        for hint in SimulatorId::ALL {
            if let Ok(reading) = read(&bytes, Some(hint)) {
                let printed = reading.input.to_string();
                let again = read(printed.as_bytes(), Some(hint)).expect("what is printed reads");
                prop_assert!(again.input == reading.input);
            }
        }
    }
}
