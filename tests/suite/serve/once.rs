//! `serve --once`, and how long it takes until something is done.

use std::fs;
use std::process::Command;

use super::{Daemon, thunder, wait_until};

#[test]
fn once_drains_the_inbox_and_gives_the_outputs_of_run() {
    let mut daemon = Daemon::down();
    let inputs: Vec<(String, String)> =
        (1..=40).map(|number| (format!("{number}.in"), thunder(number))).collect();
    let files: Vec<(&str, &str)> =
        inputs.iter().map(|(name, text)| (&name[..], &text[..])).collect();
    for (name, text) in &files {
        daemon.place.file(format!("copy/{name}"), text);
    }
    daemon.drop_folder("data", &files);
    daemon.drop_file("loose.in", thunder(77));
    let mut command = daemon.command(&["--once"]);
    daemon.spawn(&mut command);
    assert_eq!(daemon.wait().code(), Some(0), "{}", daemon.log());
    daemon.is_sound();
    assert!(daemon.names("inbox").is_empty());
    daemon.wait_for_runs(2);
    daemon.place.simdrop(["--state", "other", "run", "copy"]).exits(0);
    let run = daemon.ask("SELECT id FROM runs WHERE total = 40");
    for number in 1..=40 {
        let case = format!("1/{number}");
        let shown = daemon.place.simdrop(["--state", "other", "show", &case, "--output"]).exits(0);
        assert_eq!(daemon.read(&format!("out/{run}-data/{number}.out")), shown.stdout);
    }
}

#[test]
fn once_ends_with_1_when_a_verdict_is_bad_or_something_is_rejected() {
    for (name, text) in [("bad.in", "1 2 3 x\n"), ("nothing.zip", "PK\x03\x04")] {
        let mut daemon = Daemon::down();
        daemon.drop_file("1.in", thunder(1));
        daemon.drop_file(name, text);
        let mut command = daemon.command(&["--once"]);
        daemon.spawn(&mut command);
        assert_eq!(daemon.wait().code(), Some(1), "{name}: {}", daemon.log());
        assert!(daemon.names("inbox").is_empty(), "{name}");
        daemon.wait_for_runs(2);
    }
}

#[test]
fn once_leaves_an_answer_that_waits_and_ends() {
    let mut daemon = Daemon::down();
    daemon.drop_file("1.ans", "1\n");
    daemon.drop_file("2.in", thunder(2));
    let mut command = daemon.command(&["--once"]);
    daemon.spawn(&mut command);
    assert_eq!(daemon.wait().code(), Some(0), "{}", daemon.log());
    assert_eq!(daemon.names("inbox"), ["1.ans"]);
    daemon.wait_for_runs(1);
}

#[test]
fn files_renamed_into_an_idle_inbox_are_done_one_by_one() {
    let mut daemon = Daemon::up();
    for number in 1..=50 {
        daemon.drop_file(&format!("{number}.in"), thunder(number));
        let sql = "SELECT count(*) FROM results";
        wait_until("it is done", || daemon.ask(sql) == i64::from(number));
    }
    daemon.wait_for_runs(50);
    daemon.stop();
    assert_eq!(fs::read_dir(daemon.inbox("")).expect("an inbox").count(), 0);
}

// B5
#[test]
fn what_was_taken_in_is_on_disk_before_its_original_is_moved() {
    if Command::new("strace").arg("-V").output().is_err() {
        eprintln!("SKIPPED: strace is not installed");
        return;
    }
    let daemon = Daemon::down();
    daemon.place.file("state/inbox/.making", thunder(1));
    fs::rename(daemon.inbox(".making"), daemon.inbox("1.in")).expect("a rename");
    let log = daemon.place.path("trace");
    let mut command = Command::new("strace");
    command.args(["-f", "-y", "-e", "trace=fdatasync,fsync,rename,renameat,renameat2", "-o"]);
    command.arg(&log).arg(env!("CARGO_BIN_EXE_simdrop"));
    command.args(["serve", "--once", "--config", "serve.toml"]).current_dir(daemon.place.path(""));
    command.env_clear().env("SIMDROP_STATE", daemon.place.state());
    let ran = command.output().expect("strace");
    if ran.status.code() != Some(0) {
        eprintln!("SKIPPED: strace may not look: {}", String::from_utf8_lossy(&ran.stderr));
        return;
    }
    let calls = fs::read_to_string(log).expect("a trace");
    let moves = |call: &str| call.contains("rename") && call.contains("done/1-1.in");
    let moved = calls.lines().position(moves);
    let moved = moved.expect("the original is moved");
    let synced = calls.lines().take(moved).filter(|call| call.contains("store.db-wal")).count();
    assert!(synced > 0, "{calls}");
}
