//! `run`, `rerun`, `check` and `answers` while a daemon has the store.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::{Daemon, thunder, wait_until};
use crate::harness::Ran;

/// A daemon, and beside it a folder with two cases, one of them wrong.
fn with_data() -> Daemon {
    let daemon = Daemon::up();
    daemon.place.file("data/1.in", thunder(1)).file("data/a/2.in", thunder(2));
    daemon.place.file("data/a/2.ans", "wrong\n");
    daemon
}

#[test]
fn run_hands_over_and_ends_as_it_would_alone() {
    let mut daemon = with_data();
    let source = format!("run 1 \"week 3\", done, from {}\n", daemon.place.path("data").display());
    let ran = daemon.simdrop(&["run", "data", "--label", "week 3", "--tag", "k=v"]).exits(1);
    ran.says(&source).says("tags: k=v\n").says("1/2  a/2  WA").says("paired: 1 NAME.in + NAME.ans");
    daemon.simdrop(&["run", "data", "--only", "1"]).exits(0).says("cached");
    daemon
        .simdrop(&["run", "data/1.in", "data/a/2.in", "data/a/2.ans"])
        .exits(1)
        .says("2  a/2  WA");
    let seeds = ["run", "--seeds", "0..3", "--sim", "thunder-bluff"];
    daemon.simdrop(&seeds).exits(0).says("from seeds 0..3");
    daemon.simdrop(&["run", "nowhere"]).exits(3);
    // The folder itself is where it was.
    assert!(daemon.place.path("data/a/2.ans").exists());
    wait_until("all is put away under its own name", || {
        daemon.names("done").iter().any(|name| name == "1-data")
    });
    assert!(daemon.names("inbox").is_empty());
    daemon.stop();
}

#[test]
fn what_is_rejected_is_said_to_the_one_who_waits() {
    let mut daemon = Daemon::up();
    daemon.place.file("bad.zip", "PK\x03\x04 and no more").file("empty/notes.txt", "hello");
    daemon.place.file("wrong/simdrop.toml", "simulater = \"mtj\"\n").file("wrong/1.in", thunder(1));
    daemon.simdrop(&["run", "bad.zip"]).exits(1).says("rejected");
    daemon.simdrop(&["run", "empty"]).exits(1).says("no input in it");
    daemon.simdrop(&["run", "wrong"]).exits(1).says("did you mean `simulator`?");
    daemon.stop();
}

#[test]
fn detach_prints_the_number_and_wait_ends_as_run_would() {
    let mut daemon = with_data();
    assert_eq!(daemon.simdrop(&["run", "data", "--detach"]).exits(0).stdout, "1\n");
    daemon.simdrop(&["wait", "1"]).exits(1).says("WA");
    daemon.stop();
    daemon.simdrop(&["run", "data", "--detach"]).exits(4).complains("no daemon");
}

#[test]
fn here_leaves_no_trace_and_needs_no_daemon() {
    let mut daemon = with_data();
    daemon.simdrop(&["run", "data", "--here"]).exits(1).says("1/2  a/2  WA");
    assert_eq!(daemon.ask("SELECT count(*) FROM runs"), 0);
    daemon.simdrop(&["answers", "data"]).exits(1).complains("not kept");
    assert!(daemon.place.path("data/1.ans").exists());
    daemon.stop();
}

#[test]
fn rerun_asks_the_daemon_and_waits() {
    let mut daemon = with_data();
    daemon.simdrop(&["run", "data"]).exits(1);
    let ran = daemon.simdrop(&["rerun", "1", "--verdict", "WA,WA", "--label", "again"]).exits(1);
    ran.says("run 2 \"again\", cases of run 1, done");
    daemon.simdrop(&["rerun", "1", "--verdict", "LIMIT"]).exits(0).complains("no case with such");
    daemon.stop();
}

#[test]
fn an_inbox_that_is_not_for_us_is_4_and_names_its_group() {
    let place = crate::harness::Place::new();
    let root = rustix::process::geteuid().is_root();
    if !root {
        eprintln!("SKIPPED: only root can be somebody else");
        return;
    }
    let mut daemon = Daemon::up();
    let open = fs::Permissions::from_mode(0o755);
    for path in ["", "state"] {
        fs::set_permissions(daemon.place.path(path), open.clone()).expect("permissions");
    }
    for file in ["store.db", "store.db-wal", "store.db-shm"] {
        let path = daemon.place.path("state").join(file);
        fs::set_permissions(path, fs::Permissions::from_mode(0o644)).expect("permissions");
    }
    place.file("data/1.in", thunder(1));
    fs::set_permissions(place.path(""), open).expect("permissions");
    let mut command = std::process::Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
    command.arg(env!("CARGO_BIN_EXE_simdrop")).arg("run").arg(place.path("data"));
    command.env_clear().env("SIMDROP_STATE", daemon.place.state());
    let ran = Ran::of(&mut command);
    ran.exits(4).complains("the group root may");
    daemon.stop();
}

#[test]
fn whoever_drops_cannot_have_other_files_read_for_them() {
    let mut daemon = Daemon::up();
    let text = "2\n7 7 7 7\n8 8 8 8\n";
    daemon.place.file("secret/1.in", text);
    let secret = daemon.place.path("secret/1.in");
    std::os::unix::fs::symlink(daemon.place.path("secret"), daemon.place.path("link"))
        .expect("a link");
    for (name, file) in [
        (".run-a", secret.to_str().expect("a text")),
        (".run-b", "../../../secret/1.in"),
        (".run-c", "link/1.in"),
    ] {
        let making = daemon.place.path("making").join(name);
        fs::create_dir_all(&making).expect("a folder");
        let link = making.join("link");
        std::os::unix::fs::symlink(daemon.place.path("secret"), link).expect("a link");
        fs::write(making.join("2.in"), thunder(2)).expect("a file");
        let request =
            format!("{{\"token\":\"{name}\",\"files\":[\"{file}\"],\"tags\":[],\"fresh\":false}}");
        fs::write(making.join(".simdrop-request"), request).expect("a file");
        daemon.rename_in(&making);
    }
    daemon.wait_for_runs(3);
    let stolen = format!("SELECT count(*) FROM contents WHERE bytes = {}", text.len());
    assert_ne!(thunder(2).len(), text.len());
    assert_eq!(daemon.ask(&stolen), 0);
    daemon.stop();
}

#[test]
fn what_selects_nothing_is_refused_and_not_waited_for() {
    let mut daemon = with_data();
    daemon
        .simdrop(&["run", "data", "--only", "9", "--label", "none"])
        .exits(1)
        .says("no such case");
    daemon.simdrop(&["show", "label:none"]).exits(0).says("rejected");
    daemon.place.file("deep/state-like/1.in", thunder(1));
    daemon.simdrop(&["run", "."]).exits(4).complains("the inbox itself lies in it");
    daemon.stop();
}

#[test]
fn outputs_whose_names_are_in_each_others_way_are_written_all_the_same() {
    let mut daemon = Daemon::up();
    let long = "n".repeat(250);
    daemon.place.file("data/a.in", thunder(1)).file("data/a.out/b.in", thunder(2));
    daemon.place.file(format!("data/{long}.i"), thunder(3));
    daemon.simdrop(&["run", "data"]).exits(0);
    wait_until("out is complete", || daemon.place.path("state/out/1-data/summary.json").exists());
    let outs = crate::vectors::tree(&daemon.place.path("state/out/1-data"));
    assert_eq!(outs.len(), 4, "{outs:?}");
    daemon.stop();
}
