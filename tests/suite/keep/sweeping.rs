//! What a sweep leaves alone, though nobody uses it when it is looked at.

use std::sync::mpsc;

use simdrop::domain::{CompareMode, ContentHash, RuleSet, RunId, SimulatorId, TimestampUs};
use simdrop::store::{
    Bytes, Chunk, Held, IfHeld, NewCase, NewRun, Store, StoreError, Taken, Writer,
};
use tempfile::TempDir;

const BYTES: &[u8] = b"1\n2 3 4 5\n";

fn store() -> (TempDir, Store) {
    let state = TempDir::new().expect("a temporary directory");
    let store = Store::open(state.path(), IfHeld::Refuse, TimestampUs(0)).expect("a store");
    (state, store)
}

/// Keeps a content that no case uses yet.
fn keep(writer: &Writer) -> Held {
    let hash = ContentHash::of(BYTES);
    let id = writer.begin_content(hash, BYTES.len() as u64).expect("a content");
    writer.add_chunk(id, 0, Chunk::new(BYTES), |added| added.expect("a chunk"));
    writer.end_content(id).expect("a content")
}

/// How many contents a sweep removes that began before `meanwhile`.
fn swept(writer: &Writer, meanwhile: impl FnOnce()) -> u64 {
    let sweep = writer.begin_sweep().expect("a sweep");
    meanwhile();
    let all = 1..=sweep.last_content;
    let swept = writer.sweep_contents(vec![all]).expect("a sweep");
    assert!(swept.left.is_empty());
    writer.end_sweep().expect("an end");
    swept.removed
}

fn start_run(writer: &Writer) -> RunId {
    let run = NewRun {
        label: None,
        tags: Vec::new(),
        source: b"/x".to_vec(),
        asked: "{}".to_owned(),
        compare: CompareMode::Lines,
        listed: 1,
        list_hash: None,
        about: None,
        dropped: None,
        at: TimestampUs(0),
    };
    writer.start_run(run).expect("a run")
}

fn add_case(writer: &Writer, run: RunId, input: Held) -> Result<u64, StoreError> {
    let (simulator, rules) = (SimulatorId::ThunderBluff, RuleSet::Judge);
    let taken = Taken::Queued { simulator, rules, input: Bytes::Kept(input) };
    let case = NewCase { rank: 1, name: b"1".to_vec(), compared: None, taken };
    let (sender, answers) = mpsc::channel();
    writer.add_cases(run, 0, vec![case], TimestampUs(0), move |answer| drop(sender.send(answer)));
    answers.recv().expect("an answer")
}

#[test]
fn a_content_that_somebody_holds_stays() {
    let (_state, store) = store();
    let writer = store.writer();
    let held = keep(&writer);
    assert_eq!(swept(&writer, || ()), 0);
    let again = writer.find_content(ContentHash::of(BYTES)).expect("an answer").expect("a content");
    drop(held);
    assert_eq!(swept(&writer, || ()), 0);
    drop(again);
    assert_eq!(swept(&writer, || ()), 1);
    assert!(writer.find_content(ContentHash::of(BYTES)).expect("an answer").is_none());
    store.close().expect("a clean end");
}

#[test]
fn a_content_that_a_case_has_got_since_the_sweep_began_stays() {
    let (_state, store) = store();
    let writer = store.writer();
    let run = start_run(&writer);
    let held = keep(&writer);
    let removed = swept(&writer, || assert_eq!(add_case(&writer, run, held).expect("a case"), 1));
    assert_eq!(removed, 0);
    store.close().expect("a clean end");
}
