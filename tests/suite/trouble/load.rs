//! A lot of everything: files, runs, requests and looks.

use std::fs;
use std::process::Stdio;

use super::daemon::{Daemon, drop_in, listed, status, wait_for_runs};
use crate::harness::{Place, thunder, wait_until};

// A23
#[test]
fn a_folder_of_twenty_thousand_files_is_played_once_in_little_memory_with_few_lines() {
    let place = Place::new();
    for number in 0..20_000 {
        place.file(format!("data/{number}.in"), format!("0 {number}\n"));
    }
    let mut daemon = Daemon::start(&place, &[]);
    drop_in(&place, "data");
    wait_for_runs(&place, 1);
    assert_eq!(place.ask::<i64>("SELECT count(*) FROM cases WHERE verdict = 4"), 20_000);
    assert_eq!(place.ask::<i64>("SELECT count(*) FROM results"), 20_000);
    assert_eq!(listed(place.state().join("done/1-data")).len(), 20_000);
    assert!(daemon.peak_kib() < 120 << 10, "{} KiB", daemon.peak_kib());
    daemon.stop();
    let log = daemon.log();
    assert!(log.lines().count() < 20, "{log}");
    assert!(log.contains("20000 cases done, 0 queued"), "{log}");
}

// A23
#[test]
fn two_thousand_loose_files_are_two_thousand_runs_with_few_lines() {
    let place = Place::new();
    let mut daemon = Daemon::start(&place, &[]);
    for number in 0..2_000 {
        place.file(format!("{number}.in"), format!("0 {number}\n"));
        drop_in(&place, &format!("{number}.in"));
    }
    wait_until("all are done", || {
        place.ask::<i64>("SELECT count(*) FROM runs WHERE state = 3 AND put_away") == 2_000
    });
    assert_eq!(place.ask::<i64>("SELECT count(*) FROM cases WHERE verdict = 4"), 2_000);
    assert_eq!(listed(place.state().join("inbox")), [""; 0]);
    daemon.stop();
    assert!(daemon.log().lines().count() < 20, "{}", daemon.log());
}

// D8
#[test]
fn what_is_handed_over_is_done_first_and_a_small_folder_long_before_a_huge_one_that_came_first() {
    let place = Place::new();
    for number in 0..2_500 {
        // Each is another content, so that none is known before.
        let space = " ".repeat(number % 50) + &"\n".repeat(number / 50 + 1);
        place.file(format!("huge/{number}.in"), format!("2 1{space}"));
    }
    place.file("small/1.in", thunder(1)).file("small/2.in", thunder(2));
    place.file(".run-1/1.in", thunder(3)).file(".run-1/2.in", thunder(4));
    let mut daemon = Daemon::start(&place, &["--jobs", "1"]);
    place.simdrop(["pause"]).exits(0);
    for (run, name) in [(1, "huge"), (2, "small"), (3, ".run-1")] {
        drop_in(&place, name);
        let open = format!("SELECT count(*) FROM runs WHERE id = {run} AND state = 2");
        wait_until("it is taken in", || place.ask::<i64>(&open) == 1);
    }
    place.simdrop(["resume"]).exits(0);
    let left = || place.ask::<i64>("SELECT count(*) FROM cases WHERE id >> 32 = 1 AND state < 3");
    place.simdrop(["wait", "3"]).exits(0);
    let beside = left();
    assert!(beside > 1_500, "{beside} of 2,500 are left");
    place.simdrop(["wait", "2"]).exits(0);
    let beside = left();
    assert!(beside > 500, "{beside} of 2,500 are left");
    place.simdrop(["cancel", "1"]).exits(0);
    daemon.stop();
}

/// Asks the daemon for another run of the cases of run 1.
fn ask_to_play_again(place: &Place, number: u32) {
    let again = r#"{"verdicts":["NOREF"],"label":null,"tags":[],"compare":null,"fresh":false}"#;
    let request = format!(r#"{{"kind":"rerun","run":1,"again":{again}}}"#);
    let requests = place.state().join("requests");
    let making = requests.join(format!(".{number}"));
    fs::write(&making, request).expect("a request");
    fs::rename(making, requests.join(number.to_string())).expect("a request");
}

// B7
#[test]
fn many_requests_and_looks_at_once_are_each_answered_once_and_block_nothing() {
    let place = Place::new();
    place.file("data/1.in", "0 1\n").file("huge/1.in", "2 60000\n");
    let mut daemon = Daemon::start(&place, &["--jobs", "2"]);
    drop_in(&place, "data");
    wait_for_runs(&place, 1);
    drop_in(&place, "huge");
    wait_until("it is played", || status(&place)["playing"] == 1);
    let inbox = place.state().join("inbox");
    let start = |number: u32| {
        let command = ["pause", "resume", "status"][number as usize % 3];
        fs::write(inbox.join(format!("{number}.in")), format!("0 {number}\n")).expect("a drop");
        ask_to_play_again(&place, number);
        let mut command = place.command([command]);
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("a request")
    };
    for round in 0..5 {
        let asked: Vec<_> = (0..6).map(|number| start(round * 6 + number)).collect();
        for child in asked {
            let ended = child.wait_with_output().expect("an end");
            assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        }
    }
    place.simdrop(["resume"]).exits(0);
    place.simdrop(["cancel", "2"]).exits(0);
    wait_until("all are done", || status(&place)["runs"] == 0 && listed(&inbox).is_empty());
    assert_eq!(place.ask::<i64>("SELECT count(*) FROM requests WHERE state = 2"), 52);
    assert_eq!(place.ask::<i64>("SELECT count(*) FROM requests WHERE kind = 'rerun'"), 30);
    assert_eq!(place.ask::<i64>("SELECT count(*) FROM runs WHERE of = 1"), 30);
    assert_eq!(place.ask::<i64>("SELECT count(*) FROM runs"), 2 + 30 + 30);
    assert_eq!(listed(place.state().join("requests")), [""; 0]);
    daemon.stop();
}
