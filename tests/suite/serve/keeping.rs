//! The store is kept in order while a daemon serves it.

use std::fs;
use std::process::Command;

use super::{Daemon, SETTINGS, thunder, wait_until};

/// A daemon with so many runs of one case each, whose files lie in `done/` and `out/`.
fn with_runs(count: u32) -> Daemon {
    let daemon = Daemon::up();
    for number in 1..=count {
        daemon.drop_file(&format!("{number}.in"), thunder(number));
        daemon.wait_for_runs(number.into());
    }
    daemon
}

#[track_caller]
fn checks(daemon: &Daemon) {
    daemon.simdrop(&["store", "check"]).exits(0).says("sound");
}

#[test]
fn a_daemon_prunes_what_it_is_asked_to_and_goes_on() {
    let mut daemon = with_runs(4);
    daemon.simdrop(&["store", "prune", "run:2", "--yes"]).exits(0).says("removed: 1 run, 1 case, ");
    assert_eq!(daemon.names("done"), ["1-1.in", "3-3.in", "4-4.in"]);
    assert_eq!(daemon.names("out"), ["1-1.in", "3-3.in", "4-4.in"]);
    assert_eq!(daemon.ask("SELECT count(*) FROM runs"), 3);
    assert_eq!(daemon.ask("SELECT count(*) FROM results"), 3);
    assert_eq!(daemon.ask("SELECT count(*) FROM requests WHERE kind = 'prune' AND state = 2"), 1);
    wait_until("the request is gone", || daemon.names("requests").is_empty());
    checks(&daemon);
    // What is gone is unknown again.
    daemon.drop_file("2.in", thunder(2));
    daemon.wait_for_runs(4);
    assert_eq!(daemon.ask("SELECT cached FROM runs WHERE id = 5"), 0);
    daemon.simdrop(&["store", "prune", "--yes"]).exits(2).complains("[retention]");
    daemon.stop();
    checks(&daemon);
}

#[test]
fn a_daemon_keeps_what_the_settings_say_by_itself() {
    let mut daemon = Daemon::down();
    let settings = format!("{SETTINGS}[retention]\nmax_runs = 2\nevery = \"50 ms\"\n");
    daemon.place.file("serve.toml", settings);
    daemon.start();
    for number in 1..=6 {
        daemon.drop_file(&format!("{number}.in"), thunder(number));
    }
    let left = "SELECT count(*) = 2 AND min(id) = 5 FROM runs WHERE state >= 3";
    wait_until("two runs are left", || daemon.ask(left) == 1);
    wait_until("so are their files", || {
        daemon.names("done").len() == 2 && daemon.names("out").len() == 2
    });
    daemon.stop();
    checks(&daemon);
}

#[test]
fn what_is_dropped_while_it_prunes_is_evaluated_and_whole() {
    let mut daemon = with_runs(5);
    for round in 1..=6_u32 {
        // The same inputs as those that go, and large ones, which are kept before their case is there.
        for number in 1..=5 {
            daemon.drop_file(&format!("{round}-{number}.in"), thunder(number));
        }
        let large = format!("{}\n", "7 ".repeat(600_000));
        daemon.drop_folder(&format!("large-{round}"), &[("1.in", &thunder(1)), ("1.ans", &large)]);
        let newest = daemon.ask("SELECT max(id) FROM runs WHERE state >= 3");
        let query = format!("run<={newest}");
        daemon.simdrop(&["store", "prune", &query, "--yes"]).exits(0);
    }
    let open = "SELECT count(*) FROM runs WHERE state < 3 OR NOT put_away OR NOT written_out";
    wait_until("all is taken in", || daemon.names("inbox").is_empty() && daemon.ask(open) == 0);
    assert_eq!(daemon.ask("SELECT count(*) FROM cases WHERE verdict NOT IN (3, 4)"), 0);
    checks(&daemon);
    daemon.simdrop(&["store", "prune", "run>0", "--yes"]).exits(0);
    assert_eq!(daemon.ask("SELECT count(*) FROM contents"), 0);
    daemon.stop();
    checks(&daemon);
}

#[cfg(feature = "faults")]
#[test]
fn a_daemon_that_dies_while_it_prunes_finishes_it_at_the_next_start() {
    for point in ["after-mark", "after-cases", "mid-sweep"] {
        let mut daemon = with_runs(3);
        daemon.stop();
        let mut command = daemon.command(&[]);
        daemon.spawn(command.env("SIMDROP_CRASH_POINT", point));
        wait_until("it serves", || daemon.log().contains("serving"));
        let prune = ["store", "prune", "run<=2", "--yes", "--config", "serve.toml"];
        let mut prune = daemon.place.command(prune).spawn().expect("a prune");
        assert_eq!(daemon.wait().code(), None, "{point}");
        assert_eq!(prune.wait().expect("an end").code(), Some(4), "{point}");
        daemon.is_sound();
        daemon.start();
        wait_until("it is finished", || daemon.ask("SELECT count(*) FROM runs") == 1);
        wait_until("so are the files", || daemon.names("done") == ["3-3.in"]);
        daemon.stop();
        checks(&daemon);
    }
}

#[test]
fn a_daemon_edits_and_does_not_mind_a_backup_and_nobody_vacuums_beside_it() {
    let mut daemon = with_runs(2);
    let edited = daemon.simdrop(&["store", "edit", "1", "--label", "first", "--tag", "k=v"]);
    edited.exits(0).says("run 1 \"first\", tags: k=v\n");
    assert_eq!(daemon.run(1)["label"], "first");
    fs::create_dir(daemon.place.path("kept")).expect("a folder");
    daemon.simdrop(&["store", "backup", "kept/store.db"]).exits(0);
    daemon.simdrop(&["store", "check", "--state", "kept"]).exits(0);
    daemon.simdrop(&["store", "vacuum"]).exits(5).complains("the daemon");
    daemon.simdrop(&["store", "info"]).exits(0).says("runs        2");
    daemon.stop();
    daemon.simdrop(&["store", "vacuum"]).exits(0);
    checks(&daemon);
}

// E6
#[test]
fn what_is_pruned_beside_a_daemon_is_given_back_to_the_disk_while_others_look() {
    let mut daemon = Daemon::up();
    for number in 0..3_000 {
        daemon.place.file(format!("making/many/{number}.in"), thunder(number));
    }
    daemon.rename_in(&daemon.place.path("making/many"));
    daemon.wait_for_runs(1);
    daemon.drop_file("one.in", thunder(5_000));
    daemon.wait_for_runs(2);
    let size = || daemon.place.json(["store", "info", "--json"]);
    let bytes = |size: &serde_json::Value, key: &str| size[key].as_u64().expect("a number");
    let before = bytes(&size(), "database_bytes");
    let prune = ["store", "prune", "run:1", "--yes", "--config", "serve.toml"];
    let mut prune = daemon.place.command(prune).spawn().expect("a prune");
    let mut looks = 0;
    while prune.try_wait().expect("a child").is_none() {
        daemon.simdrop(&["list"]).exits(0);
        looks += 1;
    }
    assert!(prune.wait().expect("an end").success() && looks > 0);
    let after = size();
    assert!(bytes(&after, "database_bytes") < before / 2, "{before} {after}");
    assert_eq!(bytes(&after, "free_bytes"), 0);
    daemon.stop();
    let file = daemon.place.path("state/store.db").metadata().expect("a file").len();
    assert_eq!(file, bytes(&after, "database_bytes"));
}

// The line of docs/keeping.md that rebuilds a store.
#[test]
fn a_store_is_built_anew_from_what_was_put_away() {
    let mut daemon = with_runs(2);
    daemon.drop_folder("pairs", &[("a/1.in", &thunder(1)), ("a/1.ans", "wrong\n")]);
    daemon.wait_for_runs(3);
    daemon.stop();
    let manual = include_str!("../../../docs/keeping.md");
    let line = "simdrop --state new run state/done/*";
    assert!(manual.lines().any(|text| text == line));
    let script = line.replace("simdrop", env!("CARGO_BIN_EXE_simdrop"));
    let mut command = Command::new("sh");
    command.args(["-c", &script]).current_dir(daemon.place.path("")).env_clear();
    let ran = crate::harness::Ran::of(command.env("HOME", daemon.place.path("")));
    ran.exits(1).says("a/1  WA");
    let cases = |state: &str| {
        let ran = daemon.place.simdrop(["list", "cases", "--json", "--state", state]).exits(0);
        let cases: Vec<serde_json::Value> = serde_json::from_str(&ran.stdout).expect("JSON");
        let said = |case: &serde_json::Value| {
            (case["input"]["hash"].to_string(), case["verdict"].to_string())
        };
        let mut said: Vec<_> = cases.iter().map(said).collect();
        said.sort();
        said
    };
    assert_eq!(cases("new"), cases("state"));
}
