//! Loose files that belong together.

use simdrop::ingest::{Hint, Origin};

use super::{Tray, names, shown};
use crate::harness::thunder;

#[test]
fn an_input_and_its_answer_are_one_drop_when_both_are_ready() {
    let mut tray = Tray::new();
    tray.file("1.in", thunder(1)).file("1.ans", "x\n").file("2.in", thunder(2));
    let found = tray.hear(0.0, &[("1.in", Hint::RenamedIn), ("2.in", Hint::RenamedIn)]);
    // The answer was not told of, and was found beside its input all the same.
    assert_eq!(names(&found), ["2.in"]);
    assert_eq!(shown(&tray.inbox.counts().waiting), ["1.in"]);
    assert_eq!(shown(&tray.inbox.counts().settling), ["1.ans"]);
    tray.append("1.ans", "y\n");
    assert!(tray.ready(0.9).is_empty() && tray.ready(1.8).is_empty());
    let found = tray.scan(1.9);
    assert_eq!(names(&found), ["1.in 1.ans"]);
    assert!(matches!(&found.ready[0].origin, Origin::Files(paths) if paths.len() == 2));
    assert_eq!(found.ready[0].listed.count(), 2);
}

#[test]
fn an_answer_waits_for_its_input_without_end() {
    let mut tray = Tray::new();
    tray.file("1.ans", "x\n").file("07.a", "x\n").file("notes", "x\n");
    tray.scan(0.0);
    let mut found = tray.scan(1.0);
    found.waiting.sort();
    assert_eq!(
        (names(&found), found.waiting),
        (vec!["notes".to_owned()], vec!["07.a".into(), "1.ans".into()])
    );
    assert!(tray.ready(1e6).is_empty());
    assert_eq!(shown(&tray.inbox.counts().waiting), ["07.a", "1.ans"]);
    tray.file("1.in", thunder(1)).file("07", thunder(2));
    let found = tray.hear(1e6, &[("1.in", Hint::Closed), ("07", Hint::RenamedIn)]);
    assert_eq!(names(&found), ["07 07.a", "1.in 1.ans"]);
}

#[test]
fn an_input_whose_answer_vanishes_is_taken_alone() {
    let mut tray = Tray::new();
    tray.file("1.in", thunder(1)).file("1.ans", "x\n");
    assert!(tray.hear(0.0, &[("1.in", Hint::RenamedIn)]).ready.is_empty());
    std::fs::remove_file(tray.path("1.ans")).expect("a file");
    assert_eq!(names(&tray.hear(1.0, &[])), ["1.in"]);
}

#[test]
fn an_empty_answer_is_an_answer_when_its_input_is_there() {
    let mut tray = Tray::new();
    tray.file("1.in", thunder(1)).file("1.out", "");
    tray.scan(0.0);
    assert!(tray.ready(9.0).is_empty());
    let found = tray.scan(10.0);
    assert_eq!(names(&found), ["1.in 1.out"]);
    assert!(found.refused.is_empty());
}
