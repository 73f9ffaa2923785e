//! Folders that are dropped.

use std::fs;
use std::path::PathBuf;

use simdrop::ingest::{Again, Hint};

use super::{Tray, names, shown};

// A26
#[test]
fn a_folder_is_taken_when_all_that_is_in_it_held_still() {
    let mut tray = Tray::new();
    for number in 0..5 {
        tray.file(&format!("set/{number}.in"), "1\n");
        assert!(tray.ready(f64::from(number) * 4.0).is_empty());
    }
    tray.file("set/deep/er/5.in", "1\n");
    assert!(tray.ready(20.0).is_empty());
    tray.append("set/deep/er/5.in", "2\n");
    assert!(tray.ready(24.9).is_empty() && tray.ready(29.8).is_empty());
    let found = tray.scan(29.9);
    assert_eq!(names(&found), ["set"]);
    assert_eq!((found.ready[0].listed.count(), found.ready[0].listed.bytes()), (6, 14));
}

// A5
#[test]
fn a_folder_that_was_renamed_in_is_taken_at_once_with_all_that_is_in_it() {
    let mut tray = Tray::new();
    tray.place.file("outside/1/2/3/4/f", "1\n").file("outside/g", "1\n");
    fs::rename(tray.place.path("outside"), tray.path("moved")).expect("a rename");
    tray.file("made/1/2/3/4/f", "1\n");
    let found = tray.hear(0.0, &[("moved", Hint::RenamedIn), ("made", Hint::Touched)]);
    assert_eq!((names(&found), found.ready[0].listed.count()), (vec!["moved".to_owned()], 2));
    assert_eq!(tray.ready(5.0), ["made"]);
}

#[test]
fn a_folder_that_holds_the_marker_is_taken_at_once() {
    let mut tray = Tray::new();
    tray.file("set/1.in", "1\n").file("set/a/.ready", "");
    fs::create_dir_all(tray.path("other/.ready")).expect("a folder");
    assert!(tray.ready(0.0).is_empty());
    tray.file("set/.ready", "");
    let found = tray.scan(0.1);
    assert_eq!((names(&found), found.ready[0].listed.count()), (vec!["set".to_owned()], 1));
}

#[test]
fn what_changes_after_a_folder_was_ready_is_seen_and_the_folder_settles_again() {
    let mut tray = Tray::new();
    tray.file("set/1.in", "1\n").file("set/2.in", "1\n");
    tray.scan(0.0);
    let dropped = tray.scan(5.0).ready.remove(0);
    assert_eq!(dropped.listed.again(), Again::Same);
    tray.file("set/.3.in.swp", "x");
    assert_eq!(dropped.listed.again(), Again::Same);
    tray.file("set/3.in", "1\n");
    assert_eq!(dropped.listed.again(), Again::Differs);
    tray.inbox.forget(&dropped.names);
    assert!(tray.ready(6.0).is_empty());
    let again = tray.scan(11.0).ready.remove(0);
    assert_ne!(again.identity, dropped.identity);
    tray.append("set/1.in", "2\n");
    assert_eq!(again.listed.again(), Again::Differs);
}

#[test]
fn what_came_after_the_list_was_frozen_is_late() {
    let mut tray = Tray::new();
    tray.file("set/1.in", "1\n").file("set/2.in", "1\n").file("set/a/3.in", "1\n");
    tray.scan(0.0);
    let dropped = tray.scan(5.0).ready.remove(0);
    tray.file("set/a/4.in", "1\n").file("set/5.in.part", "1\n");
    tray.append("set/2.in", "2\n");
    let away = tray.place.path("away");
    fs::rename(tray.path("set"), &away).expect("a rename");
    let late = dropped.listed.late(&away).expect("a listing");
    assert_eq!(late, [PathBuf::from("2.in"), PathBuf::from("a/4.in")]);
    assert_eq!(dropped.listed.again(), Again::Differs);
    assert!(dropped.listed.late(&tray.path("nowhere")).is_err());
}

// A19
#[test]
fn a_very_deep_tree_ends_the_walk_and_not_the_scan() {
    let mut tray = Tray::new();
    let name = "d".repeat(250);
    // Longer than any path may be: built from the inside out.
    let mut deep = tray.place.path("deep");
    fs::create_dir(&deep).expect("a folder");
    for _ in 0..40 {
        let outer = tray.place.path("outer");
        fs::create_dir(&outer).expect("a folder");
        fs::rename(&deep, outer.join(&name)).expect("a rename");
        deep = tray.place.path("deep");
        fs::rename(&outer, &deep).expect("a rename");
    }
    fs::rename(&deep, tray.path("deep")).expect("a rename");
    tray.file("deep/1.in", "1\n").file("flat", "1\n");
    tray.scan(0.0);
    assert_eq!(tray.ready(5.0), ["deep", "flat"]);
}

#[test]
fn an_empty_folder_is_given_time_to_be_filled() {
    let mut tray = Tray::new();
    fs::create_dir(tray.path("set")).expect("a folder");
    tray.scan(0.0);
    assert!(tray.ready(9.0).is_empty());
    assert_eq!(shown(&tray.inbox.counts().settling), ["set"]);
    tray.file("set/1.in", "1\n");
    assert!(tray.ready(9.5).is_empty() && tray.ready(14.0).is_empty());
    assert_eq!(tray.ready(14.5), ["set"]);
}
