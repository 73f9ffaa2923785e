//! `simdrop check`: the outputs of several people against the simulator.

use std::fs;

use simdrop::domain::{RuleSet, SimulatorId};

use crate::harness::{Place, Ran, thunder};
use crate::ingest::zips::zip;
use crate::vectors::play;

fn answer(number: u32) -> Vec<u8> {
    play(thunder(number).as_bytes(), SimulatorId::ThunderBluff, RuleSet::Judge)
}

/// Three inputs, one with a wrong answer beside it; alice is right, bob wrong in 2 and without 10.
fn contest() -> Place {
    let place = Place::new();
    for number in [1, 2, 10] {
        place.file(format!("data/{number}.in"), thunder(number));
        place.file(format!("outputs/alice/{number}.out"), answer(number));
    }
    place.file("data/1.ans", "nobody's answer\n");
    place.file("outputs/bob/1.txt", answer(1)).file("outputs/bob/2.ans", "no\n");
    place.file("outputs/bob/notes.md", "notes");
    place
}

fn check(place: &Place, more: &[&str]) -> Ran {
    place.simdrop([&["check", "outputs", "--against", "data"], more].concat())
}

#[test]
fn the_matrix_has_a_row_for_each_person_and_a_dash_for_a_missing_file() {
    let ran = check(&contest(), &[]).exits(1);
    let table = "PERSON  RUN  1   2   10  AC\n\
                 alice     1  AC  AC  AC  3/3\n\
                 bob       2  AC  WA  -   1/3\n";
    assert_eq!(ran.stdout, table);
    assert_eq!(ran.stderr, "bob: 1 file of no case: notes.md\n");
}

#[test]
fn colours_leave_the_columns_where_they_are() {
    let place = contest();
    let plain =
        check(&place, &[]).stdout.replace("  1  AC", "  3  AC").replace("  2  AC", "  4  AC");
    let coloured = check(&place, &["--color", "always"]).stdout;
    assert!(coloured.contains("\u{1b}[31m"), "{coloured}");
    let mut text = String::new();
    for part in coloured.split('\u{1b}') {
        text += if text.is_empty() { part } else { part.split_once('m').expect("a code").1 };
    }
    assert_eq!(text, plain);
}

#[test]
fn each_person_is_a_run_and_each_input_is_played_once() {
    let place = contest();
    check(&place, &["--label", "week 3", "--tag", "term=2"]).exits(1);
    let run = place.json(["show", "label:week 3: bob", "--json"]);
    assert_eq!((&run["total"], &run["listed"], &run["cached"]), (&2.into(), &2.into(), &2.into()));
    assert_eq!((&run["tags"]["person"], &run["tags"]["term"]), (&"bob".into(), &"2".into()));
    assert_eq!(run["verdicts"]["NOREF"], 0);
    assert_eq!(run["about"]["skipped"]["first"][0], "notes.md");
    assert_eq!(place.ask::<i64>("SELECT count(*) FROM results"), 3);
    place.simdrop(["show", "label:week 3: bob/2", "--diff"]).exits(0).says("+no\n");
    let case = place.json(["show", "label:week 3: alice/3", "--json"]);
    assert_eq!((&case["name"], &case["verdict"]), (&"10".into(), &"AC".into()));
}

#[test]
fn without_a_label_a_run_is_called_after_the_person() {
    let place = contest();
    check(&place, &[]).exits(1);
    assert_eq!(place.json(["show", "label:alice", "--json"])["id"], 1);
}

#[test]
fn all_right_is_exit_0() {
    let place = contest();
    fs::remove_dir_all(place.path("outputs/bob")).expect("a removal");
    check(&place, &[]).exits(0).says("3/3");
}

#[test]
fn zips_are_checked_like_folders_and_somebody_without_files_has_no_run() {
    let place = contest();
    let inputs = [1, 2, 10].map(|number| (format!("{number}.in"), thunder(number)));
    let inputs = inputs.each_ref().map(|(name, text)| (&name[..], text.as_bytes()));
    let outputs = [("a/1.out", answer(1)), ("e/x", Vec::new())];
    let outputs = outputs.each_ref().map(|(name, text)| (*name, &text[..]));
    place.file("in.zip", zip(&inputs)).file("out.zip", zip(&outputs));
    let ran = place.simdrop(["check", "out.zip", "--against", "in.zip", "-o", "jsonl"]).exits(1);
    let lines = [
        r#"{"schema":1,"person":"a","run":1,"verdicts":{"1":"AC","2":null,"10":null}}"#,
        r#"{"schema":1,"person":"e","run":null,"verdicts":{"1":null,"2":null,"10":null}}"#,
    ];
    assert_eq!(ran.stdout.lines().collect::<Vec<_>>(), lines);
    assert_eq!(place.ask::<i64>("SELECT count(*) FROM runs"), 1);
}

#[test]
fn csv_has_a_line_for_each_person_and_case_and_json_an_object_for_each_person() {
    let place = contest();
    place.file("data/a,b.in", thunder(5));
    let csv = check(&place, &["-o", "csv"]).exits(1).stdout;
    let bob = "bob,2,1,AC\r\nbob,2,2,WA\r\nbob,2,10,\r\nbob,2,\"a,b\",\r\n";
    assert!(csv.starts_with("person,run,case,verdict\r\nalice,1,1,AC\r\n"), "{csv}");
    assert!(csv.ends_with(bob), "{csv}");
    let json = place.json(["check", "outputs", "--against", "data", "--json"]);
    assert_eq!(json[1]["person"], "bob");
    assert_eq!((&json[1]["verdicts"]["2"], &json[1]["verdicts"]["10"]), (&"WA".into(), &().into()));
}

#[test]
fn with_many_cases_a_row_counts_verdicts_and_names_the_first_ten_that_are_not_right() {
    let place = Place::new();
    for number in 1..=41 {
        place.file(format!("data/{number}.in"), thunder(number));
        place.file(
            format!("outputs/{number}.out"),
            if number < 30 { answer(number) } else { vec![] },
        );
    }
    fs::remove_file(place.path("outputs/41.out")).expect("a removal");
    let ran = check(&place, &[]).exits(1);
    let cases = (30..40).map(|number| format!("{number} WA, ")).collect::<String>();
    let row = format!("outputs    1  29/41  11 WA, 1 missing  {cases}...\n");
    assert_eq!(ran.stdout, format!("PERSON   RUN  AC     OTHERS            CASES\n{row}"));
}

#[test]
fn what_cannot_be_checked_says_why() {
    let place = contest();
    place.file("empty/readme.md", "text").file("bad.zip", "text");
    check(&place, &["-o", "yaml"]).exits(2);
    for (outputs, against, code, said) in [
        ("outputs", "nowhere", 3, "nowhere: no such file or folder"),
        ("nowhere", "data", 3, "nowhere: no such file or folder"),
        ("outputs", "empty", 1, "empty: no input in it"),
        ("outputs", "data/1.in", 2, "--against data/1.in: expected a folder or a zip"),
        ("-", "data", 2, "OUTPUTS -: expected a folder or a zip"),
        ("bad.zip", "data", 1, "bad.zip: no zip"),
    ] {
        place.simdrop(["check", outputs, "--against", against]).exits(code).complains(said);
    }
    place.simdrop(["show", "1", "-o", "csv"]).exits(2).complains("table, json, jsonl");
    assert!(!place.state().exists());
}

#[cfg(feature = "faults")]
#[test]
fn an_interrupted_check_says_what_is_left_and_plays_the_rest_next_time() {
    use std::process::{Command, Stdio};

    use crate::harness::wait_until;

    let place = Place::new();
    place.file("data/faults/1.in", "0 1\n").file("data/faults/2.in", "2 60000\n");
    for person in ["a", "b"] {
        place.file(format!("outputs/{person}/faults/1.out"), "ok 1\n");
        place.file(format!("outputs/{person}/faults/2.out"), "ok 60000\n");
    }
    let mut command = place.command(["check", "outputs", "--against", "data"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a check");
    let listed = || place.simdrop(["list", "cases", "-o", "jsonl"]).stdout;
    wait_until("a case is done", || listed().contains("\"verdict\":\"AC\""));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill").success());
    let ran = Ran::from(child.wait_with_output().expect("an end")).exits(130);
    ran.complains("run 1 has 1 case left: simdrop rerun 1").complains("1 person not checked");
}
