//! What cannot be taken.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::process::Command;

use simdrop::ingest::{Hint, Hints};

use super::{Tray, as_nobody, names, shown};
use crate::harness::thunder;

// A14
#[test]
fn a_link_is_refused_and_never_followed() {
    let mut tray = Tray::new();
    tray.place.file("secret/s", thunder(1));
    symlink(tray.place.path("secret"), tray.path("l")).expect("a link");
    symlink("..", tray.path("loop")).expect("a link");
    symlink(tray.place.path("secret/s"), tray.path("f")).expect("a link");
    tray.file("set/1.in", "1\n");
    symlink("..", tray.path("set/up")).expect("a link");
    let found = tray.hear(0.0, &[("l", Hint::RenamedIn), ("f", Hint::Closed)]);
    assert_eq!(found.refused.len(), 2);
    let found = tray.scan(1.0);
    assert_eq!((found.ready.len(), found.refused.len()), (0, 1));
    assert_eq!(found.refused[0].reason, "a link: put the file itself here");
    assert_eq!(tray.inbox.counts().refused.count, 3);
    let found = tray.scan(6.0);
    // A link in a folder is one file of it, and the folder behind it is not listed.
    assert_eq!((names(&found), found.ready[0].listed.count()), (vec!["set".to_owned()], 2));
}

// A15
#[test]
fn a_pipe_and_a_socket_are_refused_without_being_opened() {
    let mut tray = Tray::new();
    assert!(Command::new("mkfifo").arg(tray.path("p")).status().expect("mkfifo").success());
    let _socket = UnixListener::bind(tray.path("s")).expect("a socket");
    tray.file("ok", "1\n").file("set/1.in", "1\n");
    assert!(Command::new("mkfifo").arg(tray.path("set/p")).status().expect("mkfifo").success());
    let mut refused = tray.scan(0.0).refused;
    refused.sort_by(|left, right| left.name.cmp(&right.name));
    let reasons: Vec<&str> = refused.iter().map(|refusal| &refusal.reason[..]).collect();
    assert_eq!(reasons, ["a named pipe: put a file here", "a socket: put a file here"]);
    assert_eq!(tray.ready(5.0), ["ok", "set"]);
}

// A21
#[test]
fn an_empty_file_waits_ten_seconds_and_is_refused_if_it_stays_empty() {
    let mut tray = Tray::new();
    tray.file("e", "").file("never", "");
    let said = [("e", Hint::RenamedIn), ("never", Hint::Closed)];
    assert!(tray.hear(0.0, &said).ready.is_empty() && tray.scan(9.0).refused.is_empty());
    tray.file("e", "1\n");
    assert!(tray.ready(9.5).is_empty());
    let found = tray.scan(10.5);
    assert_eq!(names(&found), ["e"]);
    assert_eq!((&found.refused[0].name, &found.refused[0].reason[..]), (&"never".into(), "empty"));
    assert!(tray.scan(99.0).refused.is_empty());
}

// A16
#[test]
fn what_cannot_be_read_is_blocked_until_it_can() {
    if rustix::process::geteuid().is_root() {
        // Root reads everything: the same test runs again as nobody.
        as_nobody("inbox::trouble::what_cannot_be_read_is_blocked_until_it_can", "".as_ref());
        return;
    }
    let mut tray = Tray::new();
    let mode = |name: &str, mode| {
        fs::set_permissions(tray.place.path("in").join(name), fs::Permissions::from_mode(mode))
            .expect("a mode");
    };
    tray.file("x", "1\n").file("set/1.in", "1\n").file("closed/a/1.in", "1\n");
    tray.file("ro/1.in", "1\n");
    mode("x", 0o000);
    mode("set/1.in", 0o000);
    mode("closed/a", 0o000);
    mode("ro", 0o555);
    tray.inbox.scan(tray.start, &mut Hints::default()).expect("a scan");
    let now = tray.at(5.0);
    // A folder that we cannot write in can be read all the same.
    assert_eq!(names(&tray.inbox.scan(now, &mut Hints::default()).expect("a scan")), ["ro"]);
    let blocked = tray.inbox.counts().blocked;
    assert_eq!(shown(&blocked), ["closed", "set", "x"]);
    assert!(blocked.first.iter().all(|shown| {
        shown
            .reason
            .as_ref()
            .is_some_and(|reason| reason.to_lowercase().contains("permission denied"))
    }));
    for day in 1..30 {
        let now = tray.at(f64::from(day) * 86_400.0);
        let found = tray.inbox.scan(now, &mut Hints::default()).expect("a scan");
        assert!(found.ready.is_empty() && tray.inbox.counts().blocked.count == 3);
    }
    for (name, bits) in [("x", 0o644), ("set/1.in", 0o644), ("closed/a", 0o755), ("ro", 0o755)] {
        mode(name, bits);
    }
    let later = 31.0 * 86_400.0;
    tray.scan(later);
    assert_eq!(tray.ready(later + 5.0), ["closed", "set", "x"]);
}
