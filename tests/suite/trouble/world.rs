//! What the world does to a daemon: disks that are full or somewhere else, and threads that are lost.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::daemon::{Daemon, drop_in, listed, skipped, status, wait_for_runs};
use crate::harness::{Place, thunder, wait_until};

/// A daemon as root of name spaces of its own, in which a line of shell was run first; `None` where that is
/// not allowed.
fn in_name_spaces(place: &Place, first: &str, more: &[&str]) -> Option<Daemon> {
    let unshare = || {
        let mut command = Command::new("unshare");
        command.args(["-Urm", "sh", "-c"]).current_dir(place.path("")).stdin(Stdio::null());
        command.env("SIMDROP_STATE", place.state()).env("HOME", place.path(""));
        command
    };
    fs::create_dir_all(place.state()).expect("a folder");
    let tried = unshare().arg("mount -t tmpfs t \"$SIMDROP_STATE\"").output();
    if !tried.is_ok_and(|output| output.status.success()) {
        return None;
    }
    let script = format!("{first} && exec \"$0\" serve --config short.toml -v \"$@\"");
    let mut command = unshare();
    command.arg(script).arg(env!("CARGO_BIN_EXE_simdrop")).args(more);
    Some(Daemon::of(place, &mut command))
}

/// Bytes that do not pack.
fn noise(seed: u32, length: usize) -> Vec<u8> {
    let mut state = u64::from(seed);
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state.to_be_bytes()[0]
    };
    (0..length).map(|_| next()).collect()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

// C4
#[test]
fn with_a_full_disk_the_daemon_stays_and_says_so_and_goes_on_when_there_is_space() {
    let place = Place::new();
    for number in 1..=150 {
        place.file(format!("data/{number}.in"), thunder(number));
        place.file(format!("data/{number}.ans"), noise(number, 100_000));
    }
    fs::create_dir(place.path("inbox")).expect("a folder");
    let small = "mount -t tmpfs -o size=8m t \"$SIMDROP_STATE\"";
    let Some(mut daemon) = in_name_spaces(&place, small, &["--inbox", "inbox"]) else {
        return skipped("no name spaces here, so a disk that is full was not tried");
    };
    fs::rename(place.path("data"), place.path("inbox/data")).expect("a drop");
    wait_until("it is degraded", || {
        assert_eq!(daemon.exit_code(), None, "{}", daemon.log());
        // Each probe begins as if all were well, so it is asked once for all of this.
        let status = daemon.beside(&place, &["status"]);
        let says = |word| status.stdout.contains(word);
        status.code == Some(1) && says("degraded") && says("full")
    });
    let later = place.path("inbox/later.in");
    fs::write(&later, thunder(1_000)).expect("a drop");
    assert_eq!(daemon.exit_code(), None);
    daemon.shell(&place, "mount -o remount,size=200m \"$STATE\"");
    wait_until("both runs are over", || {
        let runs = daemon.beside(&place, &["list", "-o", "jsonl"]).stdout;
        runs.lines().filter(|line| json(line)["state"] == "done").count() == 2
            && listed(place.path("inbox")).is_empty()
    });
    wait_until("it is well", || daemon.beside(&place, &["status"]).code == Some(0));
    let run = json(&daemon.beside(&place, &["show", "1", "--json"]).exits(0).stdout);
    assert_eq!((&run["verdicts"]["WA"], &run["total"]), (&150.into(), &150.into()), "{run}");
    assert_eq!(daemon.shell(&place, "ls \"$STATE/done/1-data\" | wc -l"), "300");
    wait_until("out is complete", || {
        let count = "ls \"$STATE/out/1-data\" 2>/dev/null | wc -l";
        daemon.shell(&place, count) == "151"
    });
    daemon.stop();
}

// A12
#[test]
fn what_is_done_is_copied_to_another_file_system_and_leaves_the_inbox() {
    let place = Place::new();
    place.file("data/1.in", thunder(1)).file("data/below/2.in", thunder(2));
    place.file("loose.in", thunder(3));
    fs::create_dir_all(place.state().join("inbox")).expect("a folder");
    let mount = "mkdir \"$SIMDROP_STATE/done\" && mount -t tmpfs t \"$SIMDROP_STATE/done\"";
    let Some(mut daemon) = in_name_spaces(&place, mount, &[]) else {
        return skipped("no name spaces here, so another file system was not tried");
    };
    assert!(daemon.log().contains("different file systems"), "{}", daemon.log());
    drop_in(&place, "data");
    wait_for_runs(&place, 1);
    drop_in(&place, "loose.in");
    wait_for_runs(&place, 2);
    assert_eq!(listed(place.state().join("inbox")), [""; 0]);
    let files = daemon.shell(&place, "cd \"$STATE/done\" && find . -type f | sort");
    assert_eq!(files, "./1-data/1.in\n./1-data/below/2.in\n./2-loose.in");
    daemon.stop();
}

// A25
#[test]
fn an_inbox_around_what_is_put_away_is_refused_by_whatever_name() {
    let place = Place::new();
    fs::create_dir_all(place.state()).expect("a folder");
    symlink(place.state(), place.path("link")).expect("a link");
    symlink(place.path("."), place.path("around")).expect("a link");
    for inbox in ["state", "link", "around", "state/done", "state/out", "state/rejected"] {
        fs::create_dir_all(place.path(inbox)).expect("a folder");
        let ran = place.simdrop(["serve", "--once", "--inbox", inbox]);
        ran.exits(2).complains("lies in the inbox").complains("choose another inbox");
    }
    place.simdrop(["serve", "--once"]).exits(0);
}

// B2, D4
#[test]
fn a_lost_thread_ends_the_daemon_with_4_and_the_next_one_gives_crash() {
    let place = Place::new();
    place.file("data/1.in", thunder(1)).file("data/2.in", "5 0\n").file("data/3.in", thunder(3));
    for number in 4..30 {
        place.file(format!("data/{number}.in"), format!("2 {number}\n"));
    }
    let serve = || {
        let mut command = place.command(["serve", "--config", "short.toml", "--jobs", "2"]);
        command.env("SIMDROP_ENGINE__BACKSTOP", "400 ms");
        command.env("SIMDROP_ENGINE__GRACE", "400 ms");
        Daemon::of(&place, &mut command)
    };
    let mut daemon = serve();
    drop_in(&place, "data");
    assert_eq!(daemon.end(), Some(4), "{}", daemon.log());
    assert!(daemon.log().contains("a thread does not come back from case 1/2"), "{}", daemon.log());
    let others = "SELECT count(*) FROM cases WHERE state = 3 AND verdict = 4";
    assert_eq!(place.ask::<i64>(others), 28, "{}", daemon.log());

    let mut daemon = serve();
    wait_for_runs(&place, 1);
    place.simdrop(["show", "1/2"]).exits(0).says("CRASH").says("a process of its own");
    wait_until("nothing is under way", || status(&place)["runs"] == 0);
    assert_eq!(place.ask::<i64>(others), 28);
    daemon.stop();
}
