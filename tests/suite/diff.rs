//! `show REF --diff`: what a case's output and its file have that the other has not.

use serde_json::json;

use crate::harness::{Place, thunder};

const RIGHT: &str = "David win!\nDavid: 253\nAlice: 213\nBob: 141\nCarol: 27\n";

/// A run of one game with this file to compare.
fn compared_with(got: &str) -> Place {
    let place = Place::new();
    place.file("data/1.in", thunder(1)).file("data/1.ans", got);
    place.simdrop(["run", "data"]);
    place
}

fn diff(got: &str) -> String {
    compared_with(got).simdrop(["show", "latest/1", "--diff"]).exits(0).stdout
}

#[test]
fn a_line_that_differs_stands_under_the_expected_one_after_two_others() {
    let got = RIGHT.replace("141", "142");
    let shown = "--- expected (simdrop)\n+++ got\n@@ line 2 @@\n David: 253\n Alice: 213\n\
                 -Bob: 141\n+Bob: 142\n1 line differs\n";
    assert_eq!(diff(&got), shown);
}

#[test]
fn lines_that_differ_stand_together_and_groups_have_their_place() {
    let shown = "--- expected (simdrop)\n+++ got\n@@ line 1 @@\n-David win!\n-David: 253\n\
                 +Bob win!\n+Bob: 253\n Alice: 213\n Bob: 141\n-Carol: 27\n+Carol: 2\n\
                 3 lines differ\n";
    assert_eq!(diff(&RIGHT.replace("David", "Bob").replace("27", "2")), shown);
}

#[test]
fn missing_and_added_lines_are_counted() {
    let shown = "--- expected (simdrop)\n+++ got\n@@ line 2 @@\n David: 253\n Alice: 213\n\
                 -Bob: 141\n-Carol: 27\n2 lines differ\n\
                 expected has 5 lines, got has 3: 2 lines missing\n";
    assert_eq!(diff("David win!\nDavid: 253\nAlice: 213\n"), shown);
    let shown = "--- expected (simdrop)\n+++ got\n@@ line 4 @@\n Bob: 141\n Carol: 27\n+Eve: 1\n\
                 1 line differs\nexpected has 5 lines, got has 6: 1 line more\n";
    assert_eq!(diff(&format!("{RIGHT}Eve: 1\n")), shown);
}

#[test]
fn what_does_not_count_is_no_difference() {
    assert_eq!(diff(RIGHT), "no difference\n");
    assert_eq!(diff(&(RIGHT.replace('\n', " \r\n") + "\n\n")), "no difference\n");
}

#[test]
fn a_file_cannot_drive_the_terminal() {
    let shown = diff(&RIGHT.replace("Bob", "B\u{1b}[31m\0"));
    assert!(shown.contains("\n+B\\u{1b}[31m\\u{0}: 141\n"), "{shown}");
}

#[test]
fn two_hundred_lines_are_shown_and_the_others_counted() {
    let shown = diff(&"x\n".repeat(305));
    assert_eq!(shown.lines().filter(|line| line.starts_with("+x")).count(), 200);
    let end = "200 lines differ\n105 more differ, not shown\n\
               expected has 5 lines, got has 305: 300 lines more\n";
    assert!(shown.ends_with(end), "{shown}");
}

#[test]
fn the_diff_as_json_has_the_rows_and_the_counts() {
    let place = compared_with(&RIGHT.replace("Carol: 27\n", ""));
    let row = |line: u64, expected: &str, got: Option<&str>| json!({"line": line, "expected": expected, "got": got, "same": got.is_some()});
    let wanted = json!({
        "schema": 1,
        "rows": [
            row(3, "Alice: 213", Some("Alice: 213")),
            row(4, "Bob: 141", Some("Bob: 141")),
            row(5, "Carol: 27", None),
        ],
        "differing": 1,
        "expected_lines": 5,
        "got_lines": 4,
    });
    assert_eq!(place.json(["show", "1/1", "--diff", "--json"]), wanted);
}

#[test]
fn a_case_without_both_texts_says_why_and_a_run_has_none() {
    let place = Place::new();
    place.file("data/1.in", thunder(1)).file("data/2.in", "3 3\n").file("data/2.ans", "x\n");
    place.simdrop(["run", "data"]).exits(1);
    let diff = |of: &str| place.simdrop(["show", of, "--diff"]);
    diff("1/1").exits(3).complains("nothing to compare in 1/1: there was no file");
    diff("1/2").exits(3).complains("nothing to compare in 1/2: it has no output: ");
    diff("1").exits(2).complains("--diff are of a case: RUN/CASE");
    diff("1/3").exits(3).complains("no such case: 1/3");
}
