//! The pool: panics, memory, threads and order.
//!
//! The letters are rows of the table of failures that simdrop is held against.

#![cfg(feature = "faults")]

use std::fs;
use std::process::{Child, Command, Stdio};

use crate::harness::{Place, Ran, thunder, wait_until};

/// Starts a command and waits until so many cases of run 1 are done.
fn start(place: &Place, mut command: Command, done: i64) -> Child {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a run");
    wait_until("so many cases are done", || {
        assert!(child.try_wait().expect("a child").is_none(), "the run ended before its end");
        let shown = place.simdrop(["show", "1", "--json"]).stdout;
        let run: serde_json::Value = serde_json::from_str(&shown).unwrap_or_default();
        run["done"].as_i64().unwrap_or(-1) >= done
    });
    child
}

fn interrupt(mut child: Child) {
    let pid = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &pid]).status();
    assert!(sent.expect("kill").success());
    assert_eq!(child.wait().expect("an end").code(), Some(130));
}

/// The names of the threads of a process.
fn threads(child: &Child) -> Vec<String> {
    let tasks = fs::read_dir(format!("/proc/{}/task", child.id())).expect("a process");
    let name = |task: fs::DirEntry| fs::read_to_string(task.path().join("comm"));
    tasks.filter_map(|task| name(task.expect("a thread")).ok()).collect()
}

fn players(child: &Child) -> usize {
    threads(child).iter().filter(|name| name.starts_with("player")).count()
}

/// Whether some case is being played.
fn is_playing(place: &Place) -> bool {
    place.ask::<i64>("SELECT count(*) FROM cases WHERE state = 2") > 0
}

/// So many cases that take a minute each, and see when they are to stop.
fn long(cases: u32) -> Place {
    let place = Place::new();
    for number in 1..=cases {
        place.file(format!("data/{number}.in"), format!("2 {}\n", 60_000 + number));
    }
    place
}

// D1, D2
#[test]
fn a_hundred_panics_among_a_hundred_good_cases_cost_no_verdict_and_no_thread() {
    let place = Place::new();
    for number in 1..=100 {
        place.file(format!("data/{number}-panics.in"), format!("3 {number}\n"));
        place.file(format!("data/{number}-good.in"), format!("0 {number}\n"));
        place.file(format!("data/{number}-good.ans"), format!("ok {number}\n"));
    }
    place.file("data/999.in", "2 60000\n");
    let child = start(&place, place.command(["run", "data", "--jobs", "2"]), 200);
    assert_eq!(players(&child), 2);
    assert!(threads(&child).len() < 10, "{:?}", threads(&child));
    interrupt(child);
    let verdicts = &place.json(["show", "1", "--json"])["verdicts"];
    assert_eq!((&verdicts["CRASH"], &verdicts["AC"]), (&100.into(), &100.into()));
    place.simdrop(["show", "1/1"]).exits(0).says("AC");
    place.simdrop(["show", "1/2"]).exits(0).says("CRASH").says("1");
}

// D5
#[test]
fn many_large_files_are_admitted_by_their_bytes_and_fit_into_little_memory() {
    let place = Place::new();
    for number in 1..=12 {
        place.file(format!("data/{number}.in"), thunder(number));
        let file = fs::File::create(place.path(format!("data/{number}.ans"))).expect("a file");
        file.set_len(64 << 20).expect("a hole");
    }
    let mut command = Command::new("prlimit");
    command.arg("--as=600000000").arg(env!("CARGO_BIN_EXE_simdrop"));
    command.args(["run", "data", "--jobs", "4"]).current_dir(place.path(""));
    command.env("SIMDROP_STATE", place.state()).env("HOME", place.path(""));
    match command.output() {
        Ok(output) => drop(Ran::from(output).exits(1).says("WA                  12")),
        Err(_) => eprintln!("SKIPPED: there is no `prlimit`, so little memory was not tried"),
    }
}

// D6
#[test]
fn readers_are_answered_while_every_player_is_busy() {
    let place = long(6);
    let child = start(&place, place.command(["run", "data", "--jobs", "2"]), 0);
    // Cases play while the run is still taken in.
    wait_until("all is taken in and cases are played", || {
        place.ask::<i64>("SELECT state FROM runs") == 2 && is_playing(&place)
    });
    for (args, state) in [
        (&["list"][..], "open"),
        (&["list", "cases"], "running"),
        (&["show", "1"], "open"),
        (&["show", "1/1"], "running"),
    ] {
        place.simdrop(args).exits(0).says(state);
    }
    interrupt(child);
}

// D7
#[test]
fn on_one_core_there_is_one_player_unless_more_are_asked_for() {
    let pinned = Command::new("taskset").args(["-c", "0", "true"]).status();
    if !pinned.is_ok_and(|status| status.success()) {
        return eprintln!("SKIPPED: no `taskset` to core 0 here, so one core was not tried");
    }
    for (jobs, wanted) in [("0", 1), ("3", 3)] {
        let place = long(3);
        let mut command = Command::new("taskset");
        command.args(["-c", "0", env!("CARGO_BIN_EXE_simdrop"), "run", "data", "--jobs", jobs]);
        command.current_dir(place.path("")).env("SIMDROP_STATE", place.state());
        command.env("HOME", place.path(""));
        let child = start(&place, command, 0);
        wait_until("a case is played", || is_playing(&place));
        assert_eq!(players(&child), wanted, "--jobs {jobs}");
        interrupt(child);
    }
}

// D8
#[test]
fn one_player_plays_in_the_order_of_ranks() {
    let place = Place::new();
    for number in 1..=600 {
        place.file(format!("data/{number}.in"), format!("0 {number}\n"));
    }
    place.simdrop(["run", "data", "--jobs", "1"]).exits(0);
    let later = "SELECT count(*) FROM cases AS a JOIN cases AS b ON b.id = a.id + 1
                 WHERE b.result < a.result";
    assert_eq!(place.ask::<i64>(later), 0);
}

// D8
#[test]
fn a_stop_drops_all_that_waits_and_plays_none_of_it() {
    let place = long(1);
    for number in 2..=400 {
        place.file(format!("data/{number}.in"), format!("2 {number}00\n"));
    }
    let child = start(&place, place.command(["run", "data", "--jobs", "1"]), 0);
    wait_until("the first case is played", || is_playing(&place));
    interrupt(child);
    assert_eq!(place.ask::<i64>("SELECT done FROM runs"), 0);
    assert_eq!(place.ask::<i64>("SELECT count(*) FROM cases WHERE state = 2 OR suspect"), 0);
}
