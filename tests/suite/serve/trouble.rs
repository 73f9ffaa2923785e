//! A daemon that is down, killed, or looks at an inbox that is gone.

use std::fs;

use rusqlite::Connection;

use super::{Daemon, thunder, wait_until};
use crate::harness::{NOBODY, age};

// A6
#[test]
fn what_was_dropped_while_nobody_was_there_is_evaluated_at_the_start() {
    let mut daemon = Daemon::up();
    daemon.drop_file("1.in", thunder(1));
    daemon.wait_for_runs(1);
    daemon.stop();
    daemon.drop_file("2.in", thunder(2));
    daemon.drop_folder("set", &[("1.in", &thunder(3)), ("2.in", &thunder(4))]);
    daemon.start();
    daemon.wait_for_runs(3);
    assert!(daemon.names("inbox").is_empty());
    assert_eq!(daemon.ask("SELECT count(*) FROM results"), 4);
}

// A11
#[test]
fn an_inbox_that_is_removed_and_made_again_is_degraded_and_then_served() {
    let mut daemon = Daemon::up();
    daemon.drop_file("1.in", thunder(1));
    daemon.wait_for_runs(1);
    fs::remove_dir(daemon.inbox("")).expect("an empty inbox");
    let status = daemon.wait_for_status("it says so", |status| {
        status["degraded"].as_array().is_some_and(|reasons| !reasons.is_empty())
    });
    assert!(status["degraded"][0].as_str().is_some_and(|text| text.contains("inbox")), "{status}");
    daemon.simdrop(&["status"]).exits(1).says("degraded");
    daemon.place.simdrop(["doctor"]).exits(1).says("is degraded").says("simdrop status");
    fs::create_dir(daemon.inbox("")).expect("an inbox");
    daemon.drop_file("2.in", thunder(2));
    daemon.wait_for_runs(2);
    daemon.wait_for_status("it is well", |status| {
        status["degraded"].as_array().is_some_and(Vec::is_empty)
    });
    // It is watched again, not only looked at now and then.
    daemon.drop_file("3.in", thunder(3));
    daemon.wait_for_runs(3);
    daemon.stop();
}

#[test]
fn outputs_that_could_not_be_written_are_written_once_they_can_be() {
    let mut daemon = Daemon::up();
    let out = daemon.place.state().join("out");
    fs::remove_dir(&out).expect("an empty folder");
    fs::write(&out, "in the way").expect("a file");
    daemon.drop_file("1.in", thunder(1));
    daemon.wait_for_status("it says so", |status| {
        let reason = status["degraded"][0].as_str();
        reason.is_some_and(|text| text.contains("out/ of run 1 is not written"))
    });
    daemon.simdrop(&["status"]).exits(1).says("degraded");
    fs::remove_file(&out).expect("a file");
    fs::create_dir(&out).expect("a folder");
    daemon.wait_for_status("it is well", |status| {
        status["degraded"].as_array().is_some_and(Vec::is_empty)
    });
    assert_eq!(daemon.names("out/1-1.in"), ["1.out", "summary.json"]);
    daemon.stop();
}

#[test]
fn nothing_is_written_out_if_nobody_wants_it_and_what_was_done_stays_so() {
    let mut daemon = Daemon::up_with(("SIMDROP_SERVE__OUT", "false"));
    daemon.drop_file("1.in", thunder(1));
    daemon.wait_for_runs(1);
    wait_until("it is noted", || daemon.ask("SELECT count(*) FROM runs WHERE written_out") == 1);
    assert_eq!(daemon.names("done"), ["1-1.in"]);
    daemon.stop();
    daemon.start();
    daemon.drop_file("2.in", thunder(2));
    daemon.wait_for_runs(2);
    wait_until("it is written out", || !daemon.names("out").is_empty());
    daemon.stop();
    assert_eq!(daemon.names("out"), ["2-2.in"]);
}

#[test]
fn what_a_daemon_said_at_another_time_does_not_tell_that_it_is_well() {
    let mut daemon = Daemon::up();
    daemon.kill();
    // In place of one that hangs, or whose clock was set back while its disk was full: it keeps its lock.
    let lock = fs::File::create(daemon.place.path("lock")).expect("a file");
    lock.lock().expect("a lock");
    for hours in [-1, 1] {
        let beat = format!(
            "UPDATE daemon SET pid = {}, beat_us = unixepoch() * 1000000 + {hours} * 3600000000",
            std::process::id()
        );
        let db = Connection::open(daemon.place.state().join("store.db")).expect("a store");
        db.execute_batch(&beat).expect("a beat");
        daemon.simdrop(&["status"]).exits(1).says("s away from now");
    }
}

#[test]
fn what_a_killed_run_left_half_made_is_removed_after_a_day_and_nothing_else_is() {
    let mut daemon = Daemon::up();
    let leave = |name: &str, is_old: bool| {
        let making = daemon.place.path("making").join(name);
        daemon.place.file(making.join("below/1.in"), thunder(1));
        if is_old {
            age(&making);
        }
        daemon.rename_in(&making);
    };
    let alive = format!(".making-alive-{}", std::process::id());
    let young = format!(".making-young-{NOBODY}");
    leave(&alive, true);
    leave(&young, false);
    leave(".mine", true);
    // The second one is seen by a scan that has seen all the others.
    for name in ["first", "second"] {
        let name = format!(".making-{name}-{NOBODY}");
        leave(&name, true);
        wait_until("it is removed", || !daemon.inbox(&name).exists());
    }
    assert_eq!(daemon.names("inbox"), [&alive[..], &young, ".mine"]);
    // It is removed first, and said then.
    daemon.stop();
    assert_eq!(daemon.log().matches("a `run` that is gone left it").count(), 2);
}

// B4
#[test]
fn a_restart_plays_nothing_again() {
    let mut daemon = Daemon::up();
    for number in 1..=5 {
        daemon.drop_file(&format!("{number}.in"), thunder(number));
    }
    daemon.wait_for_runs(5);
    daemon.kill();
    daemon.is_sound();
    daemon.start();
    daemon.drop_file("6.in", thunder(6));
    daemon.wait_for_runs(6);
    daemon.stop();
    assert_eq!(daemon.ask("SELECT ifnull(sum(attempts), 0) FROM cases"), 6);
    assert_eq!(daemon.ask("SELECT ifnull(sum(cached), 0) FROM cases"), 0);
}

// B4
#[test]
fn outputs_that_were_not_written_out_are_written_by_the_next_start() {
    let mut daemon = Daemon::up();
    daemon.drop_file("1.in", thunder(1));
    daemon.wait_for_runs(1);
    let output = daemon.read("out/1-1.in/1.out");
    daemon.stop();
    fs::remove_dir_all(daemon.place.path("state/out")).expect("a folder");
    let db = Connection::open(daemon.place.path("state/store.db")).expect("a store");
    db.execute("UPDATE runs SET written_out = 0", []).expect("a change");
    drop(db);
    daemon.start();
    daemon.wait_for_runs(1);
    assert_eq!(daemon.read("out/1-1.in/1.out"), output);
    assert_eq!(daemon.names("out/1-1.in"), ["1.out", "summary.json"]);
}
