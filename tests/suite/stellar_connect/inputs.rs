//! What an input may be.

use simdrop::domain::{ErrorCode, SimulatorId};
use simdrop::sim::{self, Input};

const GOOD: &str = "\
2
8 9 1 0
1 2
3 1 2
7 1 1 1
8 9 1 0
2 1
2 1 0
1 3 0 0
8 9 1 0
2 1
5 1 1
10 4 0 0
8 9 1 0
1 2
0 0 0
0 0 0 0
";

fn read(text: &str) -> Result<sim::Reading, sim::Refused> {
    sim::read(text.as_bytes(), Some(SimulatorId::StellarConnect))
}

/// `GOOD` with another line, from 1.
fn with(line: usize, text: &str) -> String {
    let lines = GOOD.lines().enumerate();
    lines.map(|(at, old)| format!("{}\n", if at + 1 == line { text } else { old })).collect()
}

#[track_caller]
fn refused(text: &str) -> (ErrorCode, u64, u64, String) {
    let error = read(text).expect_err("a wrong input").error;
    (error.code, error.line.expect("a line"), error.column.expect("a column"), error.message)
}

#[track_caller]
fn is_refused(line: usize, text: &str, code: ErrorCode, column: u64, message: &str) {
    let expected = (code, line as u64, column, message.to_owned());
    assert_eq!(refused(&with(line, text)), expected);
}

fn codes(text: &str) -> Vec<(String, u64)> {
    let warnings = read(text).expect("a valid input").warnings;
    warnings.into_iter().map(|warning| (warning.code, warning.count)).collect()
}

#[test]
fn an_input_prints_as_it_was_read() {
    let reading = read(GOOD).expect("a valid input");
    assert_eq!(reading.warnings, []);
    assert_eq!(reading.input.to_string(), GOOD);
    assert_eq!(reading.input.games(), 1);
    assert!(matches!(reading.input, Input::StellarConnect(_)));
}

#[test]
fn it_is_recognised_by_its_count() {
    let reading = sim::read(GOOD.as_bytes(), None).expect("a valid input");
    assert_eq!(reading.input.simulator(), SimulatorId::StellarConnect);
}

#[test]
fn n_is_at_least_1() {
    let message = "found \"0\", expected n: at least 1".to_owned();
    assert_eq!(refused("0\n"), (ErrorCode::OutOfBounds, 1, 1, message));
    let message = "found \"-20\", expected n: at least 1".to_owned();
    assert_eq!(refused("-20 1\n"), (ErrorCode::OutOfBounds, 1, 1, message));
}

#[test]
fn a_huge_n_is_a_missing_token() {
    let (code, ..) = refused("9223372036854775807 1 1\n");
    assert_eq!(code, ErrorCode::TokenMissing);
}

#[test]
fn hp_and_mp_are_at_least_1_and_nothing_is_negative() {
    use ErrorCode::OutOfBounds;
    is_refused(2, "0 9 1 0", OutOfBounds, 1, "found \"0\", expected HP: at least 1");
    is_refused(2, "8 0 1 0", OutOfBounds, 3, "found \"0\", expected MP: at least 1");
    is_refused(2, "8 9 -1 0", OutOfBounds, 5, "found \"-1\", expected atk: at least 0");
    is_refused(2, "8 9 1 -1", OutOfBounds, 7, "found \"-1\", expected def: at least 0");
    is_refused(16, "0 -1 0", OutOfBounds, 3, "found \"-1\", expected x: at least 0");
}

#[test]
fn an_attack_order_is_a_permutation() {
    use ErrorCode::NotAPermutation;
    for (order, column, found) in
        [("1 1", 3, "1"), ("3 1", 1, "3"), ("0 1", 1, "0"), ("-1 1", 1, "-1")]
    {
        let message = format!("found \"{found}\", expected attack order: each of 1 to 2 once");
        is_refused(11, order, NotAPermutation, column, &message);
    }
}

#[test]
fn talents_and_skills_exist() {
    use ErrorCode::UnknownId;
    is_refused(4, "6 1 2", UnknownId, 1, "found \"6\", expected talent: 0 to 5");
    is_refused(4, "-1 1 2", UnknownId, 1, "found \"-1\", expected talent: 0 to 5");
    is_refused(5, "11 1 1 1", UnknownId, 1, "found \"11\", expected skill: 0 to 10");
}

#[test]
fn a_parameter_that_is_used_is_at_least_1() {
    let talents = [0, 0, 1, 2, 0, 2];
    let skills = [0, 1, 0, 1, 2, 1, 2, 3, 2, 3, 1];
    for (id, used) in talents.into_iter().enumerate() {
        check_parameters(4, &format!("{id}"), used, 2);
    }
    for (id, used) in skills.into_iter().enumerate() {
        check_parameters(5, &format!("{id}"), used, 3);
    }
}

fn check_parameters(line: usize, id: &str, used: usize, all: usize) {
    let values = |zero: usize| {
        let values = (0..all).map(|at| if at < used && at != zero { " 1" } else { " 0" });
        format!("{id}{}", values.collect::<String>())
    };
    assert_eq!(codes(&with(line, &values(all))), []);
    for (zero, name) in (0..used).zip(["x", "y", "z"]) {
        let message = format!("found \"0\", expected {name}: at least 1");
        let column = id.len() as u64 + 2 + 2 * zero as u64;
        is_refused(line, &values(zero), ErrorCode::OutOfBounds, column, &message);
    }
    let ones = format!("{id}{}", " 1".repeat(all));
    let unused = (all - used) as u64;
    let expected = (unused > 0).then_some(("unused-parameter".to_owned(), unused));
    assert_eq!(codes(&with(line, &ones)), Vec::from_iter(expected));
}

#[test]
fn odd_values_are_played_with_a_warning() {
    let code = |code: &str, count| vec![(code.to_owned(), count)];
    assert_eq!(codes(&with(2, "8 9 0 0")), code("no-attack", 1));
    assert_eq!(codes(&with(2, "1000000000 1000000000 1000000000 1000000000")), []);
    assert_eq!(codes(&with(2, "1000000001 1000000001 1 1000000001")), code("large-number", 3));
    assert_eq!(codes(&with(4, "3 1 1000000001")), code("large-number", 1));
}

#[test]
fn more_than_10_characters_are_played_with_a_warning() {
    let side = |n: usize| {
        let order = (1..=n).map(|enemy| format!("{enemy} ")).collect::<String>();
        format!("9 9 9 0\n{order}\n0 0 0\n0 0 0 0\n").repeat(2 * n)
    };
    assert_eq!(codes(&format!("10\n{}", side(10))), []);
    let warnings = codes(&format!("11\n{}", side(11)));
    assert_eq!(warnings, [("many-characters".to_owned(), 1)]);
}

#[test]
fn the_first_wrong_value_in_file_order_is_reported() {
    let text = with(3, "1 1").replace("2 1 0\n1 3", "9 1 0\n1 3");
    assert_eq!(refused(&text).0, ErrorCode::NotAPermutation);
}
