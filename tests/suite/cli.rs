//! What every command promises: streams, forms, exit codes.

use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::harness::{Place, Ran, thunder};

fn with_a_run() -> Place {
    let place = Place::new();
    place.file("data/1.in", thunder(1)).file("data/2.in", thunder(2)).file("data/2.ans", "x\n");
    place.file("data/3.in", "3 3 3\n");
    place.simdrop(["run", "data", "--label", "first"]).exits(1);
    place
}

#[test]
fn an_empty_store_lists_nothing_and_has_no_latest_run() {
    let place = Place::new();
    place.simdrop(["list"]).exits(0);
    assert_eq!(place.simdrop(["list", "--json"]).exits(0).stdout, "[]\n");
    place.simdrop(["show", "latest"]).exits(3).complains("no such run: latest");
    assert!(!place.state().exists(), "reading makes nothing");
}

#[test]
fn what_is_named_and_missing_is_3() {
    let place = with_a_run();
    for missing in ["2", "latest/4", "latest/none", "latest/1#2", "label:second", "-2"] {
        place.simdrop(["show", missing]).exits(3).complains("no such");
    }
    place.simdrop(["show", "latest/3", "--output"]).exits(3);
    place.simdrop(["run", "nowhere"]).exits(3).complains("nowhere: no such file or folder");
    place.simdrop(["sim", "mtj", "nowhere.in"]).exits(3).complains("nowhere.in");
}

#[test]
fn wrong_usage_is_2() {
    let place = with_a_run();
    for wrong in [
        &["run"][..],
        &["run", "--seeds", "0..3"],
        &["run", "data", "--seeds", "0..3", "--sim", "thunder-bluff"],
        &["run", "data", "--tag", "x"],
        &["run", "data", "--pair", "x"],
        &["list", "--config"],
        &["run", "data", "--sim", "chess"],
        &["run", "data", "--sim", "mtj", "--rules", "statement"],
        &["show", "latest", "--input"],
        &["show", "x"],
        &["sim", "mtj", "--rules", "judges"],
        &["list", "everything"],
        &["run", "data", "--config", "wrong.toml"],
        &["run", "data", "--jobs", "65536"],
    ] {
        place.file("wrong.toml", "jobs = 1\nthreads = 2\n");
        place.simdrop(wrong).exits(2);
    }
    let ran = place.simdrop(["list", "--config", "wrong.toml"]).exits(2);
    ran.complains("wrong.toml").complains("unknown key \"threads\"");
}

#[test]
fn an_environment_that_does_not_let_us_is_4() {
    let place = with_a_run();
    place.file("file", "");
    place.simdrop(["run", "data", "--state", "file/below"]).exits(4);
    place.simdrop(["list", "--config", "data"]).exits(2);
}

#[test]
fn a_full_standard_output_is_4_and_a_closed_one_ends_quietly() {
    let place = with_a_run();
    let full = fs::File::options().write(true).open("/dev/full").expect("a full device");
    for args in [&["list"][..], &["show", "1"], &["list", "cases", "--json"]] {
        Ran::of(place.command(args).stdout(full.try_clone().expect("a copy"))).exits(4);
        let mut command = place.command(args);
        let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().expect("a child");
        drop(child.stdout.take());
        let ran = Ran::from(child.wait_with_output().expect("an end")).exits(0);
        assert_eq!(ran.stderr, "");
    }
}

#[test]
fn a_closed_standard_output_does_not_make_a_no_a_fine() {
    let place = with_a_run();
    let mut command = place.command(["run", "data"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a child");
    drop(child.stdout.take());
    let ran = Ran::from(child.wait_with_output().expect("an end")).exits(1);
    assert_eq!(ran.stderr, "");
}

#[test]
fn an_error_names_its_cause_once() {
    let place = with_a_run();
    place.file("file", "");
    for args in [
        &["sim", "mtj", "nowhere.in"][..],
        &["run", "data", "--state", "file/below"],
        &["list", "--config", "nowhere.toml"],
    ] {
        let ran = place.simdrop(args);
        assert_eq!(ran.stderr.matches("(os error").count(), 1, "{ran:?}");
    }
}

#[test]
fn the_games_of_a_case_are_listed_page_by_page() {
    let place = Place::new();
    let games = 1_500;
    let seeds: String = (0..games).map(|seed| thunder(seed)[2..].to_owned()).collect();
    place.file("data/1.in", thunder(1)).file("data/2.in", format!("{games}\n{seeds}"));
    place.simdrop(["run", "data"]).exits(0);
    let rows = place.json(["list", "games", "--json", "--limit", "0"]);
    let place_of =
        |row: &Value| (row["rank"].as_u64().unwrap_or(0), row["game"].as_u64().unwrap_or(0));
    let listed: Vec<(u64, u64)> = rows.as_array().expect("rows").iter().map(place_of).collect();
    let wanted: Vec<(u64, u64)> = (1..=u64::from(games)).rev().map(|game| (2, game)).collect();
    assert_eq!(listed, [&wanted[..], &[(1, 1)]].concat());
}

#[test]
fn a_newer_store_is_6_with_both_numbers() {
    let place = with_a_run();
    let db = rusqlite::Connection::open(place.state().join("store.db")).expect("a store");
    db.pragma_update(None, "user_version", 9999).expect("a version");
    drop(db);
    for args in [&["list"][..], &["show", "1"], &["run", "data"]] {
        place.simdrop(args).exits(6).complains("schema 9999").complains("up to 1");
    }
}

#[test]
fn a_damaged_store_is_7_and_is_left_alone() {
    let place = with_a_run();
    let path = place.state().join("store.db");
    fs::write(&path, b"garbage ".repeat(1000)).expect("damage");
    for side in ["store.db-wal", "store.db-shm"] {
        fs::remove_file(place.state().join(side)).expect("a side file");
    }
    for args in [&["list"][..], &["run", "data"]] {
        place.simdrop(args).exits(7).complains("damaged");
        assert_eq!(fs::read(&path).expect("a file"), b"garbage ".repeat(1000));
    }
}

#[test]
fn an_empty_store_is_no_store_and_another_programs_database_is_refused() {
    let place = with_a_run();
    let path = place.state().join("store.db");
    for side in ["store.db", "store.db-wal", "store.db-shm"] {
        fs::remove_file(place.state().join(side)).expect("a file");
    }
    fs::write(&path, "").expect("an empty file");
    place.simdrop(["list"]).exits(0);
    let db = rusqlite::Connection::open(&path).expect("a database");
    db.execute_batch("CREATE TABLE mine (x)").expect("a table");
    drop(db);
    for args in [&["list"][..], &["run", "data"]] {
        place.simdrop(args).exits(4).complains("the database of another program");
    }
}

#[test]
fn json_has_the_schema_first_and_standard_output_has_nothing_else() {
    let place = with_a_run();
    let mut command = place.command(["run", "data", "--json", "-vv"]);
    let ran = Ran::of(&mut command).exits(1);
    assert!(ran.stdout.starts_with(r#"{"schema":1,"id":2,"#), "{}", ran.stdout);
    serde_json::from_str::<Value>(&ran.stdout).expect("one value");
    for what in ["runs", "cases", "games"] {
        let array = place.json(["list", what, "--json"]);
        let ran = place.simdrop(["list", what, "-o", "jsonl"]).exits(0);
        let lines: Vec<Value> =
            ran.stdout.lines().map(|line| serde_json::from_str(line).expect("a value")).collect();
        assert_eq!(array, Value::Array(lines));
        assert!(ran.stdout.lines().all(|line| line.starts_with(r#"{"schema":1,"#)));
    }
}

#[test]
fn a_run_in_json_has_the_promised_fields() {
    let place = with_a_run();
    let run = place.json(["show", "label:first", "--json"]);
    let keys: Vec<&str> = run.as_object().expect("an object").keys().map(String::as_str).collect();
    for key in [
        "schema",
        "id",
        "label",
        "state",
        "source",
        "taken_in_at",
        "finished_at",
        "total",
        "verdicts",
        "cached",
        "seconds",
    ] {
        assert!(keys.contains(&key), "{key} in {keys:?}");
    }
    assert_eq!(run["label"], "first");
    assert!(run["taken_in_at"].as_str().is_some_and(|time| time.ends_with('Z')));
    assert!(run["seconds"].is_f64());
}

#[test]
fn a_case_in_json_has_the_promised_fields() {
    let place = with_a_run();
    let case = place.json(["show", "latest/2", "--json"]);
    for key in [
        "schema",
        "run",
        "rank",
        "name",
        "simulator",
        "rules",
        "version",
        "state",
        "verdict",
        "attempts",
        "cached",
        "games",
        "input",
        "output",
        "timings",
        "difference",
        "error",
        "warnings",
    ] {
        assert!(case.get(key).is_some(), "{key} in {case}");
    }
    assert_eq!(case["input"]["hash"].as_str().map(str::len), Some(64));
    for step in ["wait", "parse", "play", "compare", "store"] {
        assert!(case["timings"][step].is_f64(), "{step}");
    }
    assert_eq!((&case["difference"]["line"], &case["difference"]["got"]), (&1.into(), &"x".into()));
    assert_eq!(case["attempts"], 1);
}

#[test]
fn lists_are_newest_first_and_cut_to_the_limit() {
    let place = with_a_run();
    place.simdrop(["run", "data"]).exits(1);
    let ids = |what: &str, limit: &str, key: &str| -> Vec<i64> {
        let rows = place.json(["list", what, "--json", "--limit", limit]);
        rows.as_array()
            .expect("rows")
            .iter()
            .map(|row| row[key].as_i64().expect("a number"))
            .collect()
    };
    assert_eq!(ids("runs", "20", "id"), [2, 1]);
    assert_eq!(ids("runs", "1", "id"), [2]);
    assert_eq!(ids("cases", "4", "rank"), [3, 2, 1, 3]);
    assert_eq!(ids("cases", "0", "run"), [2, 2, 2, 1, 1, 1]);
    assert_eq!(ids("games", "0", "rank"), [2, 1, 2, 1]);
}

#[test]
fn the_stored_bytes_come_back_as_they_were() {
    let place = with_a_run();
    assert_eq!(place.simdrop(["show", "1/2", "--input"]).exits(0).stdout, thunder(2));
    assert_eq!(place.simdrop(["show", "1/2", "--got"]).exits(0).stdout, "x\n");
    place.file("data/2.ans", "a\u{1b}[31mb\u{7}\r\n\0");
    place.simdrop(["run", "data"]).exits(1);
    assert_eq!(place.simdrop(["show", "2/2", "--got"]).stdout, "a\u{1b}[31mb\u{7}\r\n\0");
    let output = place.simdrop(["show", "1/2", "--output"]).exits(0).stdout;
    assert_eq!(output, place.simdrop(["sim", "thunder-bluff", "data/2.in"]).stdout);
}

#[test]
fn no_colour_is_used_where_nobody_sees_it() {
    let place = with_a_run();
    for args in [&["run", "data"][..], &["show", "1"], &["show", "1/1"], &["nonsense"], &["--help"]]
    {
        let ran = place.simdrop(args);
        assert!(!(ran.stdout + &ran.stderr).contains('\x1b'), "{args:?}");
    }
    place.simdrop(["show", "1", "--color", "always"]).says("\x1b[");
}

#[test]
fn a_log_is_lines_for_people_or_json() {
    let place = with_a_run();
    place.file("data/9.ans", "x").simdrop(["run", "data"]);
    let log = place.json(["show", "latest", "--log", "--json"]);
    let lines = log.as_array().expect("lines");
    let lined = place.simdrop(["show", "latest", "--log", "-o", "jsonl"]).exits(0).stdout;
    let each = lined.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line"));
    assert!(each.eq(lines.iter().cloned()));
    let of_the_run = |line: &&Value| line["rank"].is_null();
    let last = lines.iter().rfind(of_the_run).expect("a line of the run itself");
    assert_eq!((&last["schema"], &last["level"]), (&json!(1), &json!("warning")));
    assert_eq!(last["message"], "9.ans: an answer without an input");
    assert!(last["at"].as_str().expect("a time").ends_with('Z'));
    let ranks: Vec<u64> = lines.iter().filter_map(|line| line["rank"].as_u64()).collect();
    assert_eq!(ranks, [1, 2, 3], "then case by case");
    let text = place.simdrop(["show", "latest", "--log"]).exits(0);
    assert_eq!(text.stdout.lines().count(), lines.len());
}
