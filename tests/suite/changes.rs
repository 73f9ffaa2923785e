//! `simdrop compare`: what became of the cases of one run in another one.

use serde_json::Value;

use crate::harness::{Place, thunder};

/// The reference output of an input.
fn answer(place: &Place, input: &str) -> String {
    place.file("asked.in", input);
    place.simdrop(["sim", "thunder-bluff", "asked.in"]).exits(0).stdout
}

/// What changed, how, and under which names: `failing 1/2 2/1`.
fn changes(place: &Place, a: &str, b: &str, more: &[&str]) -> Vec<String> {
    let args = [&["compare", a, b, "-o", "jsonl"], more].concat();
    let ran = place.simdrop(args);
    let rows = ran.stdout.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    rows.map(|row| {
        let name = |side: &str| row[side]["name"].as_str().unwrap_or("-").to_owned();
        format!("{} {} {}", row["change"].as_str().unwrap_or("?"), name("a"), name("b"))
    })
    .collect()
}

/// Two runs with a case for each way to change but one that is not played yet.
fn with_all_changes() -> Place {
    let place = Place::new();
    for number in 1..=8 {
        place.file(format!("a/{number}.in"), thunder(number));
        place.file(format!("b/{number}.in"), thunder(number));
    }
    let right = answer(&place, &thunder(1));
    place.file("a/1.ans", &right).file("b/1.ans", "x\n");
    place.file("a/2.ans", "x\n").file("b/2.ans", answer(&place, &thunder(2)));
    place.file("b/3.ans", answer(&place, &thunder(3)));
    place.file("b/4.in", thunder(40));
    std::fs::rename(place.path("b/5.in"), place.path("b/five.in")).expect("a new name");
    std::fs::remove_file(place.path("b/6.in")).expect("a file");
    place.file("b/new.in", thunder(41));
    place.simdrop(["run", "a", "--label", "a"]).exits(1);
    place.simdrop(["run", "b", "--label", "b"]).exits(1);
    place
}

#[test]
fn each_case_that_changed_is_told_once_and_a_renamed_file_is_the_same_case() {
    let place = with_all_changes();
    let all =
        ["failing 1 1", "passing 2 2", "verdict 3 3", "input 4 4", "only-a 6 -", "only-b - new"];
    assert_eq!(changes(&place, "label:a", "label:b", &[]), all);
    assert_eq!(changes(&place, "1", "2", &["--only", "changed"]), all);
    assert_eq!(changes(&place, "1", "2", &["--only", "only-b,failing"]), [all[0], all[5]]);
    let back = ["failing 2 2", "passing 1 1", "verdict 3 3", "input 4 4"];
    assert_eq!(changes(&place, "-1", "-2", &[])[..4], back);
    let whole = place.json(["compare", "1", "2", "--json"]);
    let counts = ["failing", "passing", "verdict", "input", "output", "only-a", "only-b"];
    let counts = counts.map(|change| whole["changed"][change].as_u64().expect("a count"));
    assert_eq!((counts, &whole["unchanged"]), ([1, 1, 1, 1, 0, 1, 1], &3.into()));
    assert_eq!(whole["cases"].as_array().map(Vec::len), Some(6));
    let csv =
        place.simdrop(["compare", "1", "2", "-o", "csv", "--only", "failing,only-a"]).exits(1);
    let head = "change,run_a,rank_a,name_a,verdict_a,run_b,rank_b,name_b,verdict_b\r\n";
    assert_eq!(
        csv.stdout,
        format!("{head}failing,1,1,1,AC,2,1,1,WA\r\nonly-a,1,6,6,NOREF,,,,\r\n")
    );
    assert_eq!((&whole["a"]["label"], &whole["b"]["label"]), (&"a".into(), &"b".into()));
}

#[test]
fn the_exit_code_is_1_if_anything_changed_whatever_is_shown() {
    let place = with_all_changes();
    place.simdrop(["compare", "1", "2"]).exits(1).says("newly failing");
    let ran = place.simdrop(["compare", "1", "2", "--only", "output", "-o", "jsonl"]).exits(1);
    assert_eq!(ran.stdout, "");
    place.simdrop(["run", "a"]).exits(1);
    place.simdrop(["compare", "1", "3"]).exits(0).says("unchanged");
    place.simdrop(["compare", "1", "1"]).exits(0);
    assert_eq!(place.json(["compare", "1", "3", "--json"])["cases"], Value::Array(Vec::new()));
    place.simdrop(["compare", "1", "9"]).exits(3).complains("no such run: 9");
    place.simdrop(["compare", "1", "2/1"]).exits(2).complains("a run is wanted");
    place.simdrop(["compare", "1", "2", "--only", "failed"]).exits(2).complains("failing");
}

#[test]
fn a_newly_failing_case_shows_its_first_difference() {
    let place = with_all_changes();
    let ran = place.simdrop(["compare", "1", "2"]);
    ran.says("  1/1 -> 2/1  1  AC -> WA  line 1, column 1").says("    got       x\n");
}

#[test]
fn other_rules_are_the_same_case_with_another_output() {
    let place = Place::new();
    // With twenty games the rule sets differ in one.
    let seeds: String = (1..=20).map(|seed| thunder(seed)[2..].to_owned()).collect();
    place.file("a/1.in", format!("20\n{seeds}"));
    place.simdrop(["run", "a"]).exits(0);
    place.simdrop(["run", "a", "--rules", "statement"]).exits(0);
    assert_eq!(changes(&place, "1", "2", &[]), ["output 1 1"]);
    place.simdrop(["compare", "1", "2"]).exits(1).says("rules judge -> statement");
}

#[test]
fn of_equal_inputs_those_with_the_same_name_are_the_same_case_then_those_in_order() {
    let place = Place::new();
    for name in ["alice/1", "bob/1", "carol/1"] {
        place.file(format!("a/{name}.in"), thunder(1));
    }
    for name in ["bob/1", "dave/1", "eve/1", "mallory/1"] {
        place.file(format!("b/{name}.in"), thunder(1));
    }
    place.file("a/bob/1.ans", "x\n").file("b/bob/1.ans", "x\n").file("b/eve/1.ans", "x\n");
    place.simdrop(["run", "a"]).exits(1);
    place.simdrop(["run", "b"]).exits(1);
    assert_eq!(changes(&place, "1", "2", &[]), ["failing carol/1 eve/1", "only-b - mallory/1"]);
}

#[test]
fn a_file_that_cannot_be_read_is_the_same_case_by_its_name() {
    let place = Place::new();
    place.file("a/1.in", thunder(1)).file("a/2.in", thunder(2));
    place.file("small.toml", "[limits]\nmax_input_bytes = 4\n");
    place.simdrop(["run", "a"]).exits(0);
    place.simdrop(["run", "a", "--config", "small.toml"]).exits(1);
    assert_eq!(changes(&place, "1", "2", &[]), ["failing 1 1", "failing 2 2"]);
}

#[test]
fn what_is_not_played_yet_is_said() {
    let place = with_all_changes();
    let db = rusqlite::Connection::open(place.state().join("store.db")).expect("a store");
    let sql = "UPDATE cases SET state = 1, verdict = NULL WHERE id = (2 << 32) + 7";
    assert_eq!(db.execute(sql, []).expect("a change"), 1);
    drop(db);
    let only = ["--only", "unfinished"];
    assert_eq!(changes(&place, "1", "2", &only).len(), 1);
    place.simdrop(["compare", "1", "2"]).exits(1).says("not played yet");
}

#[test]
fn runs_of_many_pages_are_compared_whole() {
    let place = Place::new();
    for number in 1..=4_210 {
        let folders = [("a", number <= 4_200), ("b", number > 4)];
        for (folder, _) in folders.into_iter().filter(|(_, has_it)| *has_it) {
            place.file(format!("{folder}/{number}.in"), thunder(number));
        }
    }
    place.simdrop(["run", "a"]).exits(0);
    place.simdrop(["run", "b"]).exits(0);
    let whole = place.json(["compare", "1", "2", "--json"]);
    let changed = &whole["changed"];
    let told = (&whole["unchanged"], &changed["only-a"], &changed["only-b"]);
    assert_eq!(told, (&4_196.into(), &4.into(), &10.into()), "{changed}");
}
