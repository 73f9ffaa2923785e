//! `simdrop lint`: what is wrong or odd about test data.

use std::fs;
use std::os::unix::fs::symlink;

use crate::harness::{Place, Ran, thunder};
use crate::ingest::zips::zip;

/// Inputs 1, 2 and 10 with answers about which nothing is odd.
fn clean() -> Place {
    let place = Place::new();
    for number in [1, 2, 10] {
        place
            .file(format!("data/a{number}.in"), thunder(number))
            .file(format!("data/a{number}.ans"), "x\n");
    }
    place
}

/// An input of each simulator.
const INPUTS: [(&str, &str); 3] = [
    ("mtj", include_str!("../vectors/mtj/002.in")),
    ("stellar-connect", include_str!("../vectors/stellar-connect/001.in")),
    ("thunder-bluff", include_str!("../vectors/thunder-bluff/001.in")),
];

fn lint(place: &Place, more: &[&str]) -> Ran {
    place.simdrop([&["lint", "data"], more].concat())
}

/// Lints the clean folder with some more files, and demands these lines before the summary.
#[track_caller]
fn finds(files: &[(&str, &[u8])], code: i32, lines: &[&str]) {
    let place = clean();
    for (name, bytes) in files {
        place.file(format!("data/{name}"), bytes);
    }
    let ran = lint(&place, &["--sim", "thunder-bluff"]).exits(code);
    let found: Vec<&str> = ran.stdout.lines().take_while(|line| line.contains('[')).collect();
    assert_eq!(found, lines);
}

const ORDER: &str =
    "a10.in: warning: comes after a2, but before it in plain order of bytes [order]";

#[test]
fn a_clean_folder_says_how_it_is_paired_and_needs_no_store() {
    let place = clean();
    fs::rename(place.path("data/a10.in"), place.path("data/a3.in")).expect("a rename");
    fs::rename(place.path("data/a10.ans"), place.path("data/a3.ans")).expect("a rename");
    place.file("data/.hidden", "");
    let ran = lint(&place, &["--strict"]).exits(0);
    let said = "3 cases, 0 errors, 0 warnings\npaired: 3 NAME.in + NAME.ans\n\
                1 hidden or left-over file skipped\n";
    assert_eq!(ran.stdout, said);
    assert!(!place.state().exists());
}

#[test]
fn inputs_that_a_run_would_refuse_are_errors_with_their_place() {
    let files: [(&str, &[u8]); 4] = [
        ("b1.in", b"1\n2 x 4 5\n"),
        ("b2.in", b""),
        ("b3.in", b"1\n1 2 3\n"),
        ("b4.in", b"1\n\xFF\n"),
    ];
    let answers = ["b1.ans", "b2.ans", "b3.ans", "b4.ans"].map(|name| (name, &b"x\n"[..]));
    let lines = [
        ORDER,
        "b1.in:2:3: error: found \"x\", expected an integer [not-a-number]",
        "b2.in: error: the input is empty [empty]",
        "b3.in:3:1: error: the input ends after 4 numbers, expected 5 [token-missing]",
        "b4.in:2:1: error: found byte 0xff, expected ASCII text [forbidden-byte]",
    ];
    finds(&[&files[..], &answers[..]].concat(), 1, &lines);
}

#[test]
fn texts_of_inputs_and_answers_are_looked_at_by_the_same_words() {
    let input = thunder(7).replace('\n', "\r\n").replacen('1', "01", 1);
    let answer = b"\xEF\xBB\xBFa \r\nb\x07\xFF\n\n";
    let lines = [
        ORDER,
        "b.ans:1:1: warning: a byte order mark at the start [bom]",
        "b.ans:1:2: warning: blanks at the end of a line [trailing-blanks]",
        "b.ans:1:3: warning: lines end in CR LF [crlf]",
        "b.ans:2:2: warning: a control character [control-byte]",
        "b.ans:2:3: warning: a byte that is no UTF-8 [not-utf8]",
        "b.ans:3:1: warning: empty lines at the end [empty-lines-at-end]",
        "b.in:1:1: warning: a number with leading zeros [leading-zeros]",
        "b.in:1:3: warning: lines end in CR LF (2 times) [crlf]",
        "c.ans:1:1: warning: nothing but white space [empty-file]",
        "d.ans:1:2: warning: no newline at the end [no-final-newline]",
    ];
    let (c, d) = (thunder(8), thunder(9));
    let files: [(&str, &[u8]); 6] = [
        ("b.in", input.as_bytes()),
        ("b.ans", answer),
        ("c.in", c.as_bytes()),
        ("c.ans", b""),
        ("d.in", d.as_bytes()),
        ("d.ans", b"x"),
    ];
    finds(&files, 0, &lines);
}

#[test]
fn files_without_each_other_and_files_left_alone_are_warnings() {
    let (same, other) = (thunder(1), thunder(5));
    let files: [(&str, &[u8]); 5] = [
        ("a1.out", b"x\n"),
        ("b.in", other.as_bytes()),
        ("c.ans", b"x\n"),
        ("readme.md", b"text"),
        ("z.in", same.as_bytes()),
    ];
    let lines = [
        "a1.out: warning: left alone: the .ans beside it is the reference [beside]",
        ORDER,
        "b.in: warning: an input without an answer [no-answer]",
        "c.ans: warning: an answer without an input [orphan]",
        "readme.md: warning: no rule names it and no simulator knows it [skipped]",
        "z.in: warning: an input without an answer [no-answer]",
        "z.in: warning: the same input as a1.in [duplicate]",
    ];
    finds(&files, 0, &lines);
}

#[test]
fn where_nothing_has_an_answer_nobody_misses_any_and_strict_counts_warnings() {
    let place = Place::new();
    place.file("data/1.in", thunder(1)).file("data/2.in", thunder(2));
    lint(&place, &["--strict"]).exits(0).says("2 cases, 0 errors, 0 warnings\n");
    place.file("data/x", "text");
    lint(&place, &[]).exits(0).says("2 cases, 0 errors, 1 warning\n");
    lint(&place, &["--strict"]).exits(1);
}

#[test]
fn several_simulators_in_one_folder_are_told_once_unless_folders_say_so() {
    let place = Place::new();
    let mtj = INPUTS[0].1;
    place
        .file("data/1.in", thunder(1))
        .file("data/2.in", mtj)
        .file("data/3.in", mtj.to_owned() + "\n");
    let ran = lint(&place, &[]).exits(0);
    ran.says("2.in: warning: an input of mtj; the first one here is of thunder-bluff [mixed]\n")
        .says("3 cases, 0 errors, 1 warning\n");
    let place = Place::new();
    place.file("data/thunder-bluff/1.in", thunder(1)).file("data/mtj/2.in", mtj);
    lint(&place, &["--strict"]).exits(0);
}

#[test]
fn what_simdrop_writes_itself_is_not_odd() {
    let place = Place::new();
    for (name, input) in INPUTS {
        place.file(format!("data/{name}/1.in"), input);
    }
    place.simdrop(["answers", "data"]).exits(0);
    lint(&place, &["--strict"]).exits(0).says("3 cases, 0 errors, 0 warnings\n");
}

#[test]
fn an_input_for_two_simulators_is_an_error_unless_it_is_said_for_which() {
    let place = Place::new();
    place.file("data/1.in", include_bytes!("../vectors/ambiguous/mtj-and-stellar.in"));
    lint(&place, &[]).exits(1).says("1.in: error: reads well as ").says("[ambiguous]\n");
    lint(&place, &["--sim", "mtj"]).exits(0);
    lint(&place, &["--sim", "mtj", "--rules", "statement"]).exits(2);
}

#[test]
fn links_and_limits_are_errors() {
    let place = Place::new();
    place.file("elsewhere", thunder(1)).file("data/2.in", "2\n1 2 3 4\n5 6 7 8\n");
    place.file("config.toml", "[limits]\nmax_games = 1\n");
    symlink(place.path("elsewhere"), place.path("data/1.in")).expect("a link");
    let ran = lint(&place, &["--config", "config.toml"]).exits(1);
    ran.says("1.in: error: a link [not-a-file]\n")
        .says("2.in: error: 2 games, expected at most 1 (max_games) [too-many-games]\n");
    place.file("config.toml", "[limits]\nmax_input_bytes = 3\n");
    let ran = lint(&place, &["--config", "config.toml"]).exits(1);
    ran.says("2.in: error: larger than 3 bytes (max_input_bytes) [too-large]\n");
}

#[test]
fn what_a_run_would_reject_is_a_finding() {
    let place = Place::new();
    place.file("data/simdrop.toml", "label = \"x\"\nsim = \"mtj\"\n").file("data/1.in", thunder(1));
    place.file("bad.zip", "PK\x03\x04").file("empty/x", "text");
    lint(&place, &[]).exits(1).says("simdrop.toml:2:1: error: unknown key `sim`");
    place.simdrop(["lint", "bad.zip"]).exits(1).says("bad.zip: error: ").says("[bad-zip]\n");
    place.simdrop(["lint", "empty"]).exits(1).says("empty: error: no input,").says("[no-input]\n");
    place.simdrop(["lint", "nowhere"]).exits(3).complains("nowhere: no such file or folder");
}

#[test]
fn of_several_things_each_path_begins_with_what_it_is_in() {
    let place = Place::new();
    place.file("data/1.in", "x\n").file("x.zip", zip(&[("d/2.in", b"1 x 3\n"), ("e", b"")]));
    place.file("3.in", "1 2 y\n");
    let ran = place.simdrop(["lint", "data/", "x.zip", "3.in", "nowhere"]).exits(3);
    ran.says("data/1.in:1:1: error: ")
        .says("x.zip/d/2.in:1:3: error: ")
        .says("3.in:1:5: error: ")
        .says("3 cases, 3 errors, 1 warning\n")
        .complains("nowhere");
}

#[test]
fn json_has_the_findings_with_their_places() {
    let place = Place::new();
    place.file("data/1.in", "1\n2 x 4 5\n");
    let json = place.json(["lint", "data", "--json"]);
    assert_eq!(
        (&json["schema"], &json["cases"], &json["errors"]),
        (&1.into(), &1.into(), &1.into())
    );
    assert_eq!(
        (&json["roots"][0]["root"], &json["roots"][0]["cases"]),
        (&"data".into(), &1.into())
    );
    let line = lint(&place, &["-o", "jsonl"]).exits(1).stdout;
    let finding = r#"{"schema":1,"root":"data","file":"1.in","line":2,"column":3,"level":"error","#;
    assert!(line.starts_with(finding), "{line}");
    assert_eq!(line.lines().count(), 1);
    assert_eq!(json["findings"][0]["code"], "not-a-number");
}
