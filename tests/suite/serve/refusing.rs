//! What is never taken.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use super::{Daemon, thunder, wait_until};

// A14, A15, A21
#[test]
fn links_pipes_empty_files_and_folders_without_input_are_rejected_with_the_reason() {
    let mut daemon = Daemon::up();
    daemon.place.file("secret", thunder(1)).file("there/1.in", thunder(1));
    symlink(daemon.place.path("secret"), daemon.inbox("link.in")).expect("a link");
    symlink(daemon.place.path("there"), daemon.inbox("tree")).expect("a link");
    let made = Command::new("mkfifo").arg(daemon.inbox("pipe.in")).status();
    assert!(made.expect("mkfifo").success());
    fs::write(daemon.inbox("empty.in"), "").expect("a file");
    daemon.drop_folder("notes", &[("readme.md", "hello\n")]);
    daemon.wait_for_runs(5);
    assert!(daemon.names("inbox").is_empty() && daemon.names("done").is_empty());
    for (name, reason) in [
        ("link.in", "a link"),
        ("tree", "a link"),
        ("pipe.in", "a named pipe"),
        ("empty.in", "empty"),
        ("notes", "no input in it"),
    ] {
        let folders = daemon.names("rejected");
        let folder = folders.iter().find(|folder| folder.ends_with(&format!("-{name}")));
        let folder = folder.unwrap_or_else(|| panic!("no {name} in {folders:?}"));
        let said = daemon.read(&format!("rejected/{folder}/REASON.txt"));
        assert!(said.contains(reason), "{name}: {said}");
        let original = daemon.place.state().join("rejected").join(folder).join(name);
        assert!(original.symlink_metadata().is_ok(), "{name}");
    }
    // What a link points at is left alone.
    assert_eq!(fs::read_to_string(daemon.place.path("secret")).expect("a file"), thunder(1));
    daemon.stop();
}

#[test]
fn a_damaged_zip_is_rejected_and_the_next_drop_is_evaluated() {
    let daemon = Daemon::up();
    daemon.drop_file("bad.zip", b"PK\x03\x04 and nothing more");
    daemon.wait_for_runs(1);
    assert_eq!(daemon.names("rejected/1-bad.zip"), ["REASON.txt", "bad.zip"]);
    daemon.drop_file("1.in", thunder(1));
    daemon.wait_for_runs(2);
    assert_eq!(daemon.run(2)["state"], "done");
}

// A4
#[test]
fn a_partial_upload_is_left_alone_until_it_has_its_name() {
    let daemon = Daemon::up();
    fs::write(daemon.inbox("x.in.part"), thunder(1)).expect("a file");
    fs::write(daemon.inbox(".x.in.AbC123"), thunder(2)).expect("a file");
    daemon.drop_file("1.in", thunder(3));
    daemon.wait_for_runs(1);
    assert_eq!(daemon.names("inbox"), [".x.in.AbC123", "x.in.part"]);
    fs::rename(daemon.inbox("x.in.part"), daemon.inbox("x.in")).expect("a rename");
    daemon.wait_for_runs(2);
}

// A16
#[test]
fn what_cannot_be_read_is_blocked_and_taken_when_it_can() {
    use std::os::unix::fs::PermissionsExt;
    let daemon = Daemon::up();
    daemon.place.file("making/1.in", thunder(1));
    let path = daemon.place.path("making/1.in");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).expect("a mode");
    if fs::read(&path).is_ok() {
        println!("SKIPPED: root reads everything");
        return;
    }
    daemon.rename_in(&path);
    let blocked = |status: &serde_json::Value| status["inboxes"][0]["blocked"]["count"] == 1;
    daemon.wait_for_status("it is blocked", blocked);
    let mode = fs::Permissions::from_mode(0o644);
    fs::set_permissions(daemon.inbox("1.in"), mode).expect("a mode");
    daemon.wait_for_runs(1);
}

// A25
#[test]
fn it_does_not_start_when_what_is_put_away_would_come_in_again() {
    let daemon = Daemon::down();
    let state = daemon.place.state();
    let state = state.to_str().expect("text");
    daemon.simdrop(&["serve", "--inbox", state]).exits(2).complains("inbox");
}

// B6
#[test]
fn a_second_daemon_ends_with_5_and_names_the_first() {
    let mut daemon = Daemon::up();
    let pid = daemon.pid().to_string();
    daemon.simdrop(&["serve", "--no-wait"]).exits(5).complains(&pid);
    daemon.simdrop(&["serve"]).exits(5).complains(&pid);
    daemon.drop_file("1.in", thunder(1));
    wait_until("the first goes on", || {
        daemon.ask("SELECT count(*) FROM runs WHERE state = 3") == 1
    });
    daemon.stop();
}
