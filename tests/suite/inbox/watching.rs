//! The doorbell, with the real system.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use simdrop::config::WatchMode;
use simdrop::ingest::{Hints, Watch};

use super::{Tray, can_run, names};
use crate::harness::{thunder, wait_until};

/// Watches a directory and counts the rings.
fn watch(roots: &[PathBuf], mode: WatchMode) -> (Watch, Arc<AtomicUsize>) {
    let rings = Arc::new(AtomicUsize::new(0));
    let rung = Arc::clone(&rings);
    let ring = move || {
        rung.fetch_add(1, Ordering::SeqCst);
    };
    (Watch::start(roots, mode, Instant::now(), ring), rings)
}

/// Adds up hints until they hold.
fn gather(watch: &Watch, seen: &mut Vec<String>, done: impl Fn(&[String]) -> bool) {
    wait_until("the hints", || {
        seen.extend(watch.take()[0].names().iter().map(|name| name.to_string_lossy().into_owned()));
        done(seen)
    });
}

// A5, A8
#[test]
fn a_rename_and_a_close_are_told_and_looking_is_not() {
    let mut tray = Tray::new();
    tray.place.file("outside/1.in", "1\n");
    let (watch, rings) = watch(&[tray.place.path("in")], WatchMode::Inotify);
    assert_eq!(watch.polling(), None);
    fs::rename(tray.place.path("outside"), tray.path("set")).expect("a rename");
    tray.file("whole", thunder(1));
    let mut found = Vec::new();
    wait_until("both are taken", || {
        let hints = &mut watch.take()[0];
        let now = tray.start;
        found.extend(names(&tray.inbox.look(&hints.names(), now, hints).expect("a look")));
        found.len() == 2
    });
    found.sort();
    assert_eq!(found, ["set", "whole"]);
    // What lies deeper is not told of, and neither are our scans, our reading and our moving away.
    tray.file("set/2.in", "1\n");
    for second in 1..20 {
        tray.scan(f64::from(second));
    }
    fs::read(tray.path("whole")).expect("a file");
    fs::rename(tray.path("set"), tray.place.path("away")).expect("a rename");
    let mut seen = Vec::new();
    let rung = rings.load(Ordering::SeqCst);
    tray.file("last", "1\n");
    gather(&watch, &mut seen, |seen| seen.contains(&"last".to_owned()));
    seen.dedup();
    seen.retain(|name| name != "whole");
    assert_eq!(seen, ["last"]);
    assert!(rings.load(Ordering::SeqCst) > rung);
}

// A7
#[test]
fn more_names_than_the_bound_ring_once_and_ask_for_a_scan() {
    let tray = Tray::new();
    let (watch, rings) = watch(&[tray.place.path("in")], WatchMode::Inotify);
    for number in 0..5_000 {
        tray.file(&number.to_string(), "1\n");
    }
    let bell = || rings.load(Ordering::SeqCst) == 1;
    wait_until("it rings", bell);
    let mut overflow = false;
    wait_until("the overflow", || {
        // Taking earlier would only give the names in parts.
        std::thread::park_timeout(Duration::from_millis(500));
        overflow |= watch.take()[0].is_overflow();
        overflow
    });
}

// A11
#[test]
fn a_watched_directory_that_was_removed_asks_for_a_scan_and_is_watched_again() {
    let tray = Tray::new();
    let (mut watch, _) = watch(&[tray.place.path("in")], WatchMode::Inotify);
    fs::remove_dir(tray.place.path("in")).expect("a folder");
    wait_until("the overflow", || watch.take()[0].is_overflow());
    fs::create_dir(tray.place.path("in")).expect("a folder");
    watch.again(Instant::now());
    assert_eq!(watch.polling(), None);
    tray.file("a", "1\n");
    gather(&watch, &mut Vec::new(), |seen| seen.contains(&"a".to_owned()));
}

#[test]
fn each_directory_has_hints_of_its_own() {
    let tray = Tray::new();
    fs::create_dir(tray.place.path("other")).expect("a folder");
    let roots = [tray.place.path("in"), tray.place.path("other")];
    let (watch, _) = watch(&roots, WatchMode::Inotify);
    tray.place.file("other/a", "1\n");
    let mut hints: Vec<Hints> = Vec::new();
    wait_until("a hint", || {
        hints = watch.take();
        !hints[1].is_empty()
    });
    assert!(hints[0].is_empty() && hints[1].names() == [OsStr::new("a")]);
}

#[test]
fn what_cannot_be_watched_is_polled_and_tried_again_later() {
    let tray = Tray::new();
    let (watch_poll, _) = watch(&[tray.place.path("in")], WatchMode::Poll);
    assert_eq!(watch_poll.polling(), Some("the settings say so (inbox.watch)"));
    assert_eq!(watch_poll.next_retry(), None);
    let now = Instant::now();
    let mut watch = Watch::start(&[tray.path("nowhere")], WatchMode::Auto, now, || {});
    assert!(watch.polling().is_some_and(|why| why.contains("watching failed")));
    assert_eq!(watch.next_retry(), Some(now + Duration::from_secs(60)));
    assert!(!watch.retry(now + Duration::from_secs(59)));
    let later = now + Duration::from_secs(60);
    assert!(watch.retry(later));
    assert_eq!(watch.next_retry(), Some(later + Duration::from_secs(120)));
    fs::create_dir(tray.path("nowhere")).expect("a folder");
    assert!(watch.retry(later + Duration::from_secs(120)));
    assert_eq!((watch.polling(), watch.next_retry()), (None, None));
}

/// Runs one test again in a user namespace with a limit of its own.
fn limited(test: &str, limit: &str) {
    let script = format!("echo {limit}; exec \"$0\" --exact \"$1\" --nocapture");
    let exe = std::env::current_exe().expect("the tests");
    let mut probe = Command::new("unshare");
    if !can_run(test, probe.args(["-Ur", "sh", "-c", &format!("echo {limit}")])) {
        return;
    }
    let mut command = Command::new("unshare");
    command.args(["-Ur", "sh", "-c", &script]).arg(exe).arg(test).env("SIMDROP_LIMITED", "1");
    let ran = command.output().expect("unshare");
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(ran.status.success() && said.contains("1 passed"), "{said}");
}

fn is_limited() -> bool {
    std::env::var_os("SIMDROP_LIMITED").is_some()
}

// A9
#[test]
fn the_limit_of_watches_means_polling_and_names_the_setting() {
    const TEST: &str = "inbox::watching::the_limit_of_watches_means_polling_and_names_the_setting";
    if !is_limited() {
        return limited(TEST, "0 >/proc/sys/user/max_inotify_watches");
    }
    let tray = Tray::new();
    let (watch, _) = watch(&[tray.place.path("in")], WatchMode::Inotify);
    let polling = watch.polling().expect("a reason");
    assert!(polling.contains("fs.inotify.max_user_watches"), "{polling}");
}

// A9
#[test]
fn the_limit_of_watchers_means_polling_and_names_the_setting() {
    const TEST: &str = "inbox::watching::the_limit_of_watchers_means_polling_and_names_the_setting";
    if !is_limited() {
        return limited(TEST, "0 >/proc/sys/user/max_inotify_instances");
    }
    let mut tray = Tray::new();
    let (watch, _) = watch(&[tray.place.path("in")], WatchMode::Inotify);
    let polling = watch.polling().expect("a reason");
    assert!(polling.contains("fs.inotify.max_user_instances"), "{polling}");
    // Scans find all the same.
    tray.file("a", "1\n");
    tray.scan(0.0);
    assert_eq!(tray.ready(1.0), ["a"]);
}

// A10
#[test]
fn an_overlay_is_polled_unless_somebody_says_otherwise() {
    const TEST: &str = "inbox::watching::an_overlay_is_polled_unless_somebody_says_otherwise";
    if !is_limited() {
        let tray = Tray::new();
        let mount = "mkdir l u w m && mount -t overlay o -o lowerdir=l,upperdir=u,workdir=w m";
        let base = |script: &str| {
            let mut command = Command::new("unshare");
            command.args(["-Urm", "sh", "-c", script]).current_dir(tray.place.path("in"));
            command
        };
        let exe = std::env::current_exe().expect("the tests");
        if can_run(TEST, base(&format!("{mount} && umount m && rm -r l u w m")).arg("x")) {
            let script = format!("{mount} && exec \"$0\" --exact \"$1\"");
            let mut command = base(&script);
            command.arg(exe).arg(TEST).env("SIMDROP_LIMITED", tray.path("m"));
            let ran = command.output().expect("unshare");
            let said = String::from_utf8_lossy(&ran.stdout).into_owned();
            assert!(ran.status.success() && said.contains("1 passed"), "{said}");
        }
        return;
    }
    let root = PathBuf::from(std::env::var_os("SIMDROP_LIMITED").expect("a folder"));
    let (auto, _) = watch(std::slice::from_ref(&root), WatchMode::Auto);
    assert!(auto.polling().is_some_and(|why| why.contains("overlayfs")), "{:?}", auto.polling());
    let (asked, _) = watch(&[root], WatchMode::Inotify);
    assert_eq!(asked.polling(), None);
}
