//! The doctor: what is not as it should be, and what to type.

#[cfg(feature = "faults")]
mod around;

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::golden::golden;
use crate::harness::{NOBODY, Place, Ran, age, thunder};

/// A place with one run that is done.
fn with_a_run() -> Place {
    let place = Place::new();
    place.file("data/1.in", thunder(1));
    place.simdrop(["run", "data"]).exits(0);
    place
}

/// What was found at a path in the inbox.
fn at(place: &Place, name: &str) -> Option<Value> {
    let path = place.path("state/inbox").join(name);
    let found = place.json(["doctor", "--json"])["findings"].take();
    let is_there = |finding: &&Value| finding["path"] == *path.to_str().expect("text");
    found.as_array().expect("findings").iter().find(is_there).cloned()
}

#[test]
fn where_nothing_is_wrong_the_doctor_says_what_was_looked_at_and_makes_nothing() {
    let place = Place::new();
    place.simdrop(["doctor"]).exits(0).says("there is no store").says("simdrop run");
    assert!(!place.state().exists());
    let place = with_a_run();
    let before = crate::vectors::tree(&place.state());
    place.simdrop(["doctor"]).exits(0).says("can be read").says("no daemon serves the store");
    assert_eq!(crate::vectors::tree(&place.state()), before);
    assert_eq!(place.json(["doctor", "--json"])["well"], true);
    fs::create_dir(place.path("state/inbox")).expect("a folder");
    place.simdrop(["doctor"]).exits(0).says("all that is done was moved out");
}

#[test]
fn what_could_not_be_moved_is_explained_and_what_to_type_removes_it_or_puts_it_away() {
    let place = with_a_run();
    for name in [".simdrop-done-1", ".simdrop-done-1-2", ".simdrop-done-77", ".simdrop-done-x y"] {
        place.file(Path::new("state/inbox").join(name).join("1.in"), thunder(1));
    }
    fs::create_dir(place.path("state/done")).expect("a folder");
    place.simdrop(["doctor"]).exits(1).says("run 1 is done").says("type: ").says("or:   ");
    let typed = |name: &str, which: usize| {
        let finding = at(&place, name).expect("a finding");
        let line = finding["type"][which].as_str().expect("a command").to_owned();
        assert_eq!((&finding["level"], &finding["check"]), (&"warning".into(), &"put-away".into()));
        Ran::of(Command::new("sh").args(["-c", &line])).exits(0);
        line
    };
    typed(".simdrop-done-1-2", 1);
    if rustix::process::geteuid().is_root() {
        typed(".simdrop-done-1", 0);
        assert!(place.path("state/done/1/1.in").exists());
    } else {
        eprintln!("SKIPPED: only root is told to put away without `sudo`, so that was not tried");
        typed(".simdrop-done-1", 1);
    }
    assert!(at(&place, ".simdrop-done-1").is_none() && at(&place, ".simdrop-done-1-2").is_none());
    // Nobody is told to remove what this store knows nothing of.
    assert!(typed(".simdrop-done-77", 0).starts_with("ls "));
    assert!(typed(".simdrop-done-x y", 0).starts_with("ls "));
}

#[test]
fn what_a_run_left_is_told_when_it_is_old_and_its_process_is_gone() {
    let place = with_a_run();
    let (ours, gone) = (std::process::id(), NOBODY);
    let names = [format!(".making-a-{gone}"), format!(".run-a-{gone}"), format!(".run-b-{ours}")];
    for name in &names {
        place.file(Path::new("state/inbox").join(name).join("below/1.in"), thunder(1));
    }
    place.simdrop(["doctor"]).exits(0);
    names.iter().for_each(|name| age(&place.path("state/inbox").join(name)));
    let ran = place.simdrop(["doctor"]).exits(1).says("killed").says("simdrop serve");
    assert_eq!(ran.stdout.matches("warning").count(), 2, "{ran:?}");
    assert!(at(&place, &names[2]).is_none());
    let finding = at(&place, &names[0]).expect("a finding");
    let line = finding["type"][0].as_str().expect("a command");
    Ran::of(Command::new("sh").args(["-c", line])).exits(0);
    assert!(at(&place, &names[0]).is_none());
    // One file that somebody wrote just now is enough.
    place.file(Path::new("state/inbox").join(&names[1]).join("below/2.in"), thunder(2));
    age(&place.path("state/inbox").join(&names[1]));
    assert!(at(&place, &names[1]).is_some());
    fs::write(place.path("state/inbox").join(&names[1]).join("below/2.in"), "1").expect("a file");
    place.simdrop(["doctor"]).exits(0);
}

#[test]
fn what_the_doctor_says_is_as_written() {
    let place = Place::new();
    let commands: &[&[&str]] = &[&["doctor"], &["doctor", "--json"]];
    golden("doctor-without-a-store", &place, commands);
    let place = with_a_run();
    fs::create_dir(place.path("state/inbox")).expect("a folder");
    golden("doctor", &place, &[&["doctor"], &["doctor", "--json"], &["doctor", "-o", "jsonl"]]);
}

#[test]
fn a_store_that_cannot_be_read_is_a_finding_and_so_is_an_inbox() {
    let place = Place::new();
    place.file("state/store.db", "this is no database, and never was one. ".repeat(40));
    place.file("state/inbox", "this is no folder");
    let ran = place.simdrop(["doctor", "-o", "jsonl"]).exits(1);
    assert!(ran.stdout.lines().all(|line| line.starts_with("{\"schema\":1,")), "{ran:?}");
    assert_eq!(ran.stdout.matches("\"level\":\"problem\"").count(), 2, "{ran:?}");
    place.simdrop(["doctor"]).exits(1).says("cannot be read").says("cannot be listed");
}
