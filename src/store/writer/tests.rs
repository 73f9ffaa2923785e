//! The writing thread and those who ask it.

use std::sync::mpsc;

use rusqlite::Connection;
use tempfile::TempDir;

use super::{IfHeld, Store, StoreError};
use crate::domain::{RunId, TimestampUs};

#[test]
fn a_panic_in_a_request_takes_back_that_request_alone() {
    let state = TempDir::new().expect("a temporary directory");
    let store = Store::open(state.path(), IfHeld::Refuse, TimestampUs(0)).expect("a store");
    let insert = "INSERT INTO daemon VALUES (1, 2, 3, 0, 'x')";
    let writer = store.writer();
    let failed = writer.call(|db| -> Result<(), StoreError> {
        db.execute(insert, [])?;
        panic!("on purpose");
    });
    assert!(matches!(failed, Err(StoreError::Panicked(message)) if message == "on purpose"));
    let added = writer.call(|db| Ok(db.execute(insert, [])?));
    assert_eq!(added.expect("a row"), 1);
    store.close().expect("a clean end");
}

#[test]
fn a_full_disk_is_what_everybody_hears_of_whose_work_is_lost_by_it() {
    let state = TempDir::new().expect("a temporary directory");
    let store = Store::open(state.path(), IfHeld::Refuse, TimestampUs(0)).expect("a store");
    let writer = store.writer();
    let (queued, all_queued) = mpsc::channel::<()>();
    let (sender, answers) = mpsc::channel();
    let answer = |name: &'static str| {
        let sender = sender.clone();
        move |answer: Result<(), StoreError>| drop(sender.send((name, answer)))
    };
    let wait = move |db: &Connection| {
        db.pragma_update(None, "max_page_count", 1)?;
        let _ = all_queued.recv();
        Ok(())
    };
    writer.ask(wait, answer("good"));
    writer.ask(|_| Err(StoreError::OutOfOrder(RunId(7))), answer("refused"));
    let fill = "INSERT INTO daemon VALUES (1, 2, 3, 0, hex(zeroblob(1 << 20)))";
    writer.ask(|db| Ok(db.execute_batch(fill)?), answer("full"));
    queued.send(()).expect("a writer");
    for _ in 0..3 {
        let (name, answer) = answers.recv().expect("an answer");
        assert!(answer.as_ref().is_err_and(StoreError::may_pass), "{name}: {answer:?}");
    }
    store.close().expect("a clean end");
}

#[test]
fn cases_are_added_only_after_those_before_them() {
    let state = TempDir::new().expect("a temporary directory");
    let store = Store::open(state.path(), IfHeld::Refuse, TimestampUs(0)).expect("a store");
    let writer = store.writer();
    let run = writer.call(|db| {
        db.execute_batch(
            "INSERT INTO runs (state, source, asked, compare, class, taken_in_us)
             VALUES (1, x'', '{}', 1, 1, 0)",
        )?;
        Ok(RunId(db.last_insert_rowid()))
    });
    let run = run.expect("a run");
    let (sender, answers) = mpsc::channel();
    for before in [3, 0] {
        let sender = sender.clone();
        writer.add_cases(run, before, Vec::new(), TimestampUs(0), move |answer| {
            let _ = sender.send(answer);
        });
    }
    assert!(matches!(answers.recv(), Ok(Err(StoreError::OutOfOrder(_)))));
    assert!(matches!(answers.recv(), Ok(Ok(0))));
    store.close().expect("a clean end");
}
