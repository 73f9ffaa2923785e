//! A daemon that is killed: nothing is lost and nothing is done twice.

use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use super::{Daemon, thunder, wait_until};

/// Each file that was dropped has one run with one case and one result, and is put away and written out.
#[track_caller]
fn has_each_once(daemon: &Daemon, count: u32) {
    let files = i64::from(count);
    daemon.wait_for_runs(files);
    assert_eq!(daemon.ask("SELECT count(DISTINCT source) FROM runs WHERE state = 3"), files);
    assert_eq!(daemon.ask("SELECT count(*) FROM cases WHERE verdict = 4"), files);
    assert_eq!(daemon.ask("SELECT count(*) FROM results"), files);
    assert_eq!(daemon.ask("SELECT count(*) FROM games"), files);
    assert!(daemon.names("inbox").is_empty());
    assert_eq!(daemon.names("done").len(), count as usize);
    let out = daemon.names("out");
    assert_eq!(out.len(), count as usize, "{out:?}");
    for name in out {
        assert_eq!(daemon.names(&format!("out/{name}")).len(), 2, "{name}");
    }
}

#[test]
fn a_kill_at_any_named_point_loses_nothing_and_does_nothing_twice() {
    for point in [
        "after-claim",
        "before-commit:2",
        "after-commit:2",
        "before-move",
        "before-move:3",
        "after-move",
        "after-move:3",
        "mid-probe",
    ] {
        let mut daemon = Daemon::down();
        for number in 1..=20 {
            daemon.drop_file(&format!("{number}.in"), thunder(number));
        }
        daemon.start_and_die_at(point);
        daemon.is_sound();
        daemon.start();
        has_each_once(&daemon, 20);
        daemon.stop();
    }
}

#[test]
fn a_folder_whose_daemon_is_killed_at_any_named_point_is_one_run() {
    let seeds: String = (0..40_000).map(|seed| thunder(seed)[2..].to_owned()).collect();
    let large = format!("40000\n{seeds}");
    for point in ["mid-content", "mid-result", "before-end-list", "before-move", "after-move"] {
        let mut daemon = Daemon::down();
        let inputs: Vec<(String, String)> =
            (1..=30).map(|number| (format!("{number}.in"), thunder(number))).collect();
        let mut files: Vec<(&str, &str)> =
            inputs.iter().map(|(name, text)| (&name[..], &text[..])).collect();
        files.push(("99.in", &large));
        daemon.drop_folder("data", &files);
        daemon.start_and_die_at(point);
        daemon.is_sound();
        daemon.start();
        daemon.wait_for_runs(1);
        daemon.stop();
        assert_eq!(daemon.run(1)["verdicts"]["NOREF"], 31, "{point}");
        assert_eq!(daemon.ask("SELECT count(*) FROM results"), 31, "{point}");
        assert!(daemon.names("inbox").is_empty(), "{point}");
        assert_eq!(daemon.names("out/1-data").len(), 32, "{point}");
        assert_eq!(daemon.names("done"), ["1-data"], "{point}");
    }
}

#[test]
fn a_rejection_that_was_killed_is_one_rejection() {
    for point in ["before-move", "after-move"] {
        let mut daemon = Daemon::down();
        daemon.drop_file("bad.zip", b"PK\x03\x04 and nothing more");
        daemon.start_and_die_at(point);
        daemon.start();
        daemon.wait_for_runs(1);
        daemon.stop();
        assert_eq!(daemon.names("rejected/1-bad.zip"), ["REASON.txt", "bad.zip"], "{point}");
        assert!(daemon.names("inbox").is_empty());
    }
}

// B3
#[test]
fn kills_at_any_moment_while_files_come_in_lose_nothing_and_do_nothing_twice() {
    let mut daemon = Daemon::down();
    let written = AtomicU32::new(0);
    let (inbox, making) = (daemon.inbox(""), daemon.place.path("making"));
    fs::create_dir(&making).expect("a folder");
    thread::scope(|scope| {
        scope.spawn(|| {
            for number in 1..=300 {
                let name = format!("{number}.in");
                fs::write(making.join(&name), thunder(number)).expect("a file");
                fs::rename(making.join(&name), inbox.join(&name)).expect("a rename");
                written.store(number, Ordering::Relaxed);
                thread::park_timeout(std::time::Duration::from_millis(2));
            }
        });
        for round in 1..=10 {
            daemon.start();
            // So far and no further; how far the daemon is by then is anybody's guess.
            wait_until("more files", || written.load(Ordering::Relaxed) >= round * 30);
            daemon.kill();
            daemon.is_sound();
        }
    });
    daemon.start();
    has_each_once(&daemon, 300);
    daemon.stop();
}

// B1
#[test]
fn what_a_dead_daemon_was_playing_is_played_again() {
    let mut daemon = Daemon::up();
    daemon.drop_file("1.in", "2 300\n");
    daemon.wait_for_playing(1);
    daemon.kill();
    assert_eq!(daemon.ask("SELECT state FROM cases"), 2);
    daemon.start();
    daemon.wait_for_runs(1);
    daemon.stop();
    let case = daemon.place.json(["show", "1/1", "--json"]);
    assert_eq!((&case["verdict"], &case["attempts"]), (&"NOREF".into(), &2.into()), "{case}");
    daemon.place.simdrop(["show", "1", "--log"]).says("its process died");
}

// B2
#[test]
fn an_input_that_kills_the_daemon_is_crash_after_the_restart_and_the_others_are_done() {
    let mut daemon = Daemon::up();
    let (one, three) = (thunder(1), thunder(3));
    daemon.drop_folder("data", &[("1.in", &one), ("2.in", "4 0\n"), ("3.in", &three)]);
    assert_eq!(daemon.wait().code(), None);
    daemon.start();
    daemon.wait_for_runs(1);
    let run = daemon.run(1);
    assert_eq!((&run["verdicts"]["CRASH"], &run["verdicts"]["NOREF"]), (&1.into(), &2.into()));
    daemon.drop_file("4.in", thunder(4));
    daemon.wait_for_runs(2);
    daemon.stop();
    daemon.simdrop(&["wait", "1"]).exits(1);
}

#[test]
fn a_folder_that_changes_after_its_daemon_was_killed_is_a_new_run_and_the_old_one_ends() {
    let mut daemon = Daemon::down();
    let inputs: Vec<(String, String)> =
        (1..=30).map(|number| (format!("{number}.in"), thunder(number))).collect();
    let files: Vec<(&str, &str)> =
        inputs.iter().map(|(name, text)| (&name[..], &text[..])).collect();
    daemon.drop_folder("data", &files);
    daemon.start_and_die_at("before-end-list");
    assert_eq!(daemon.ask("SELECT state FROM runs"), 1);
    fs::write(daemon.inbox("data/31.in"), thunder(31)).expect("a file");
    daemon.start();
    wait_until("both are over", || daemon.ask("SELECT count(*) FROM runs WHERE state = 3") == 2);
    daemon.stop();
    assert_eq!(daemon.run(2)["total"], 31);
    assert_eq!(daemon.names("done"), ["2-data"]);
    daemon.place.simdrop(["show", "1", "--log"]).says("were never taken in");
}

#[test]
fn a_file_that_replaces_one_whose_daemon_was_killed_is_evaluated_too() {
    let mut daemon = Daemon::down();
    daemon.drop_file("1.in", thunder(1));
    daemon.start_and_die_at("before-move");
    daemon.drop_file("1.in", thunder(2));
    daemon.start();
    wait_until("both are done", || daemon.ask("SELECT count(*) FROM runs WHERE state = 3") == 2);
    daemon.wait_for_empty_inbox();
    daemon.stop();
    assert_eq!(daemon.ask("SELECT count(*) FROM results"), 2);
    assert_eq!(daemon.read("done/2-1.in"), thunder(2));
}
