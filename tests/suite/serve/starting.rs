//! What a start looks at: its directories, what it makes, and the clock.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use super::{Daemon, thunder};
use crate::harness::{Ran, skipped};

// E7
#[test]
fn what_it_makes_is_for_nobody_beyond_its_group_whatever_the_mask() {
    let mut daemon = Daemon::down();
    let mut command = Command::new("sh");
    command.args(["-c", "umask 0; exec \"$0\" serve --config serve.toml"]);
    command.arg(env!("CARGO_BIN_EXE_simdrop")).current_dir(daemon.place.path(""));
    command.env("SIMDROP_STATE", daemon.place.state());
    fs::remove_dir_all(daemon.place.state()).expect("nothing yet");
    daemon.spawn(&mut command);
    super::wait_until("it serves", || daemon.log().contains("serving"));
    daemon.drop_file("1.in", thunder(1));
    fs::write(daemon.inbox("empty.in"), "").expect("a drop");
    daemon.wait_for_runs(2);
    let (mut folders, mut seen) = (vec![daemon.place.state()], 0);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let mode = path.symlink_metadata().expect("an entry").permissions().mode();
            // What was dropped keeps the mode that it came with.
            let is_ours = !folder.ends_with("done") && !path.ends_with("empty.in");
            assert!(!is_ours || mode & 0o007 == 0, "{}: {mode:o}", path.display());
            seen += 1;
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    assert!(seen >= 12, "{seen}");
    daemon.stop();
}

// E7
#[test]
fn a_directory_that_is_hidden_or_read_only_is_named_with_what_to_change_in_a_unit() {
    let daemon = Daemon::down();
    let place = &daemon.place;
    let start = |first: &str| {
        let mut command = Command::new("unshare");
        let script = format!("{first} && exec \"$0\" serve --once --config serve.toml");
        command.args(["-Urm", "sh", "-c", &script, env!("CARGO_BIN_EXE_simdrop")]);
        command.current_dir(place.path("")).env("SIMDROP_STATE", place.state());
        Ran::of(&mut command)
    };
    place.simdrop(["serve", "--once", "--config", "serve.toml"]).exits(0);
    if start("mount -t tmpfs t state/out").code != Some(0) {
        return skipped("no name spaces here, so directories that are read-only were not tried");
    }
    for name in ["out", "done", "rejected", "requests", "inbox"] {
        let path: PathBuf = place.state().join(name);
        let ran = start(&format!("mount -t tmpfs -o ro t state/{name}")).exits(4);
        ran.complains(&format!("ReadWritePaths={}", path.display()));
    }
    let state = place.state();
    let ran = start("mount --bind state state && mount -o remount,ro,bind state").exits(4);
    ran.complains(&format!("ReadWritePaths={}", state.display()));
    let hidden = place.path("hidden");
    let hidden = hidden.to_str().expect("text");
    daemon.simdrop(&["serve", "--inbox", hidden]).exits(4).complains("ProtectHome=");
    // Nothing of the tries is left.
    for name in ["", "out", "done", "rejected", "requests", "inbox"] {
        assert!(!daemon.names(name).iter().any(|name| name.contains("probe")), "{name}");
    }
}

#[test]
fn nobody_keeps_it_from_starting_by_what_lies_in_an_inbox() {
    let mut daemon = Daemon::down();
    for kind in ["folder", "link", "file"] {
        let way = daemon.inbox(".simdrop-probe");
        match kind {
            "folder" => daemon.place.file(way.join("1.in"), thunder(1)),
            "link" => {
                std::os::unix::fs::symlink("/etc/passwd", &way).expect("a link");
                &daemon.place
            }
            _ => daemon.place.file(&way, thunder(2)),
        };
        daemon.start();
        daemon.stop();
        if kind == "folder" {
            assert_eq!(fs::read_dir(&way).expect("it is left alone").count(), 1);
            fs::remove_dir_all(way).expect("a folder");
        }
        assert!(!daemon.names("inbox").iter().any(|name| name.contains("probe")), "{kind}");
    }
}

// E8
#[test]
fn a_clock_that_is_behind_the_store_is_only_a_warning_and_order_does_not_come_from_it() {
    let mut daemon = Daemon::up();
    daemon.drop_file("1.in", thunder(1));
    daemon.wait_for_runs(1);
    daemon.stop();
    let db = rusqlite::Connection::open(daemon.place.path("state/store.db")).expect("a store");
    let day = 86_400_000_000_i64;
    for sql in [
        "UPDATE runs SET taken_in_us = taken_in_us + ?1, finished_us = finished_us + ?1",
        "UPDATE daemon SET beat_us = beat_us + ?1",
    ] {
        db.execute(sql, [day]).expect("another time");
    }
    drop(db);
    daemon.start();
    assert!(daemon.log().contains("the clock is 863"), "{}", daemon.log());
    daemon.drop_file("2.in", thunder(2));
    daemon.wait_for_runs(2);
    let status = daemon.status();
    assert_eq!(status["degraded"].as_array().map(Vec::len), Some(0), "{status}");
    daemon.simdrop(&["show", "latest"]).exits(0).says("run 2");
    let wrong = "SELECT count(*) FROM cases WHERE play_us < 0 OR play_us > 60000000";
    assert_eq!(daemon.ask(wrong), 0);
    daemon.stop();
}
