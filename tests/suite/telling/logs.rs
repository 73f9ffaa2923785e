//! The log: its lines, and how many there are.

use std::fs;

use serde_json::Value;

use super::serve;
use crate::harness::{Place, thunder, wait_until};
use crate::trouble::daemon::{Daemon, drop_in, wait_for_runs};

/// The lines of a log, each a JSON object.
#[track_caller]
fn objects(log: &str) -> Vec<Value> {
    let object = |line| serde_json::from_str::<Value>(line).ok().filter(Value::is_object);
    log.lines().map(|line| object(line).ok_or(line).expect("an object")).collect()
}

/// The first line whose message has a text in it.
#[track_caller]
fn about<'a>(lines: &'a [Value], text: &str) -> &'a Value {
    let is_it = |line: &&Value| line["message"].as_str().expect("a message").contains(text);
    lines.iter().find(is_it).ok_or(lines).expect(text)
}

#[test]
fn a_log_for_programs_is_one_object_a_line_with_its_run_and_case() {
    let place = Place::new();
    place
        .file("bad/only.ans", "x\n")
        .file("slow/1.in", "8 1\n")
        .file("kind.toml", "log_format = \"json\"\n");
    let mut command = serve(&place, &["--log-format", "json"]);
    command.env("SIMDROP_ENGINE__BACKSTOP", "100 ms");
    let mut daemon = Daemon::of(&place, &mut command);
    drop_in(&place, "bad");
    wait_for_runs(&place, 1);
    drop_in(&place, "slow");
    wait_for_runs(&place, 2);
    daemon.stop();
    let lines = objects(&daemon.log());
    for line in &lines {
        assert_eq!(line["schema"], 1);
        assert!(line["at"].as_str().is_some_and(|at| at.ends_with('Z')), "{line}");
    }
    assert_eq!(about(&lines, "serving")["level"], "info");
    let rejected = about(&lines, "bad is rejected");
    assert_eq!((&rejected["run"], rejected.get("case")), (&1.into(), None));
    let suspect = about(&lines, "taken back");
    let told = (&suspect["level"], &suspect["run"], &suspect["case"]);
    assert_eq!(told, (&"warning".into(), &2.into(), &"2/1".into()));
    // A command, too, by a variable or a file.
    let mut command = place.command(["show", "77"]);
    let ran = crate::harness::Ran::of(command.env("SIMDROP_LOG_FORMAT", "json")).exits(3);
    assert_eq!(about(&objects(&ran.stderr), "no such run")["level"], "error");
    let ran = place.simdrop(["show", "77", "--config", "kind.toml"]).exits(3);
    assert_eq!(objects(&ran.stderr).len(), 1);
    place.simdrop(["show", "77", "--log-format", "xml"]).exits(2);
}

#[test]
fn a_line_for_people_says_what_it_is_about_and_drives_no_terminal() {
    let place = Place::new();
    place.file("a\x1b[31m\nb/only.ans", "x\n");
    let mut daemon = Daemon::start(&place, &[]);
    drop_in(&place, "a\x1b[31m\nb");
    wait_for_runs(&place, 1);
    daemon.stop();
    let log = daemon.log();
    let line = log.lines().find(|line| line.contains("is rejected")).expect("a line");
    assert!(line.contains(" INFO run 1: a\\u{1b}[31m\\nb is rejected: "), "{line}");
    assert!(!log.contains('\x1b'));
}

// E5
#[test]
fn many_lines_of_one_class_are_one_line_with_a_count() {
    let place = Place::new();
    let mut daemon = Daemon::start(&place, &[]);
    for number in 0..500 {
        place.file(format!("{number}.in/only.ans"), "x\n");
        drop_in(&place, &format!("{number}.in"));
    }
    let rejected = "SELECT count(*) FROM runs WHERE state = 5 AND put_away";
    wait_until("all are rejected", || place.ask::<i64>(rejected) == 500);
    daemon.stop();
    let log = daemon.log();
    let lines: Vec<&str> = log.lines().filter(|line| line.contains(" is rejected: ")).collect();
    assert!((2..10).contains(&lines.len()), "{log}");
    let more = lines.iter().filter_map(|line| line.split("(and ").nth(1)?.split(' ').next());
    let more: u64 = more.map(|more| more.parse::<u64>().expect("a number")).sum();
    assert_eq!(more + lines.len() as u64, 500, "{log}");
    // The store says each of them.
    let said = "SELECT count(*) FROM logs WHERE level = 3 AND message LIKE 'no input%'";
    assert_eq!(place.ask::<i64>(said), 500);
}

#[test]
fn a_panic_is_a_line_of_the_log_and_not_the_systems() {
    let place = Place::new();
    place.file("data/1.in", "3 42\n").file("data/2.in", thunder(1));
    let mut daemon = Daemon::start(&place, &[]);
    drop_in(&place, "data");
    wait_for_runs(&place, 1);
    daemon.stop();
    let log = daemon.log();
    assert!(log.contains("ERROR panicked at "), "{log}");
    assert!(log.lines().all(|line| line.starts_with("20")), "{log}");
}

#[test]
fn a_standard_error_that_is_closed_ends_nothing() {
    let place = Place::new();
    place.file("data/1.in", thunder(1)).file("short.toml", crate::trouble::daemon::SHORT);
    fs::create_dir_all(place.state().join("inbox")).expect("a folder");
    drop_in(&place, "data");
    let script = "exec \"$0\" serve --once -vv --config short.toml 2>&-";
    let mut command = std::process::Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_simdrop")]).current_dir(place.path(""));
    command.env("SIMDROP_STATE", place.state()).env("HOME", place.path(""));
    crate::harness::Ran::of(&mut command).exits(0);
    assert_eq!(place.ask::<i64>("SELECT count(*) FROM cases WHERE state = 3"), 1);
}
