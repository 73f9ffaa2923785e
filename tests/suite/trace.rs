//! `simdrop trace`: what was played before, step by step.

use serde_json::Value;

use crate::harness::{Place, thunder};

/// Run 1: a file of two games, an input that is refused, and a card game of two.
fn with_a_run() -> Place {
    let place = Place::new();
    let two = format!("2\n{}{}", &thunder(1)[2..], &thunder(2)[2..]);
    place.file("data/1.in", two).file("data/2.in", "1\n1 2 3 x\n");
    place.file("data/3.in", "2 10 4 41\n3 -1 2 0\n1 2 3 4 1 1 2 2 3 3\n");
    place.simdrop(["run", "data"]).exits(1);
    place
}

/// Changes the store behind simdrop's back.
fn tamper(place: &Place, sql: &str) {
    let db = rusqlite::Connection::open(place.state().join("store.db")).expect("a store");
    assert_ne!(db.execute(sql, []).expect("a change"), 0);
}

#[test]
fn the_trace_of_a_case_is_that_of_its_input() {
    let place = with_a_run();
    for (reference, simulator, file) in
        [("1/1", "thunder-bluff", "data/1.in"), ("latest/3", "mtj", "data/3.in")]
    {
        for form in ["text", "jsonl"] {
            let traced = place.simdrop(["trace", reference, "-o", form]).exits(0);
            let played = place.simdrop(["sim", simulator, file, "--trace", form]).exits(0);
            assert_eq!((traced.stdout, traced.stderr), (played.stdout, String::new()));
        }
    }
}

#[test]
fn a_game_of_a_case_is_traced_alone_and_all_of_them_in_order() {
    let place = with_a_run();
    let all = place.simdrop(["trace", "1/1"]).exits(0).stdout;
    let (first, second) = all.split_once("game 2\n").expect("a second game");
    assert_eq!(place.simdrop(["trace", "1/1#2"]).exits(0).stdout, second);
    let first = first.strip_prefix("game 1\n").expect("a first game");
    assert_eq!(place.simdrop(["trace", "1/1#1"]).exits(0).stdout, first);
    for none in ["1/1#0", "1/1#3", "1/3#2", "1/9", "2/1"] {
        assert_eq!(place.simdrop(["trace", none]).exits(3).stdout, "", "{none}");
    }
}

#[test]
fn the_rules_are_those_of_the_case() {
    let place = Place::new();
    place.file("data/1.in", thunder(1));
    place.simdrop(["run", "data", "--rules", "statement"]).exits(0);
    let traced = place.simdrop(["trace", "latest/1"]).exits(0).stdout;
    let sim = ["sim", "thunder-bluff", "data/1.in", "--trace", "text", "--rules"];
    let played = |rules| place.simdrop(sim.into_iter().chain([rules])).exits(0).stdout;
    assert_eq!(traced, played("statement"));
    assert_ne!(traced, played("judge"));
}

#[test]
fn steps_are_chosen_in_each_game() {
    let place = with_a_run();
    let steps = |range| {
        let ran = place.simdrop(["trace", "1/1", "-o", "jsonl", "--steps", range]).exits(0);
        let value = |line| serde_json::from_str::<Value>(line).expect("a step");
        let pair = |step: &Value| (step["game"].as_u64(), step["step"].as_u64());
        ran.stdout.lines().map(|line| pair(&value(line))).collect::<Vec<_>>()
    };
    let wanted = [(1, 2), (1, 3), (2, 2), (2, 3)].map(|(game, step)| (Some(game), Some(step)));
    assert_eq!(steps("2..4"), wanted);
    assert_eq!(steps("..2"), [(Some(1), Some(1)), (Some(2), Some(1))]);
    assert_eq!(steps("1000000.."), []);
    for wrong in ["2", "4..2", "0..2", "a..", "1...2"] {
        place.simdrop(["trace", "1/1", "--steps", wrong]).exits(2);
    }
}

#[test]
fn a_run_alone_will_do_only_if_it_has_one_case() {
    let place = with_a_run();
    place.simdrop(["trace", "latest"]).exits(2).complains("run 1 has 3: name one, 1/CASE");
    place.file("one/1.in", thunder(3));
    place.simdrop(["run", "one"]).exits(0);
    let alone = place.simdrop(["trace", "latest"]).exits(0).stdout;
    assert_eq!(alone, place.simdrop(["trace", "2/1"]).exits(0).stdout);
    assert!(alone.lines().count() > 100);
}

#[test]
fn an_output_that_is_another_now_is_said_and_traced_only_if_asked() {
    let place = with_a_run();
    let trace = place.simdrop(["trace", "1/1"]).exits(0).stdout;
    tamper(&place, "UPDATE results SET output_hash = zeroblob(32)");
    let ran = place.simdrop(["trace", "1/1"]).exits(1);
    assert_eq!(ran.stdout, "");
    ran.complains("the stored output is from thunder-bluff version 1, this build is version 1");
    let ran = place.simdrop(["trace", "1/1", "--anyway"]).exits(0);
    assert_eq!(ran.stdout, trace);
    ran.complains("gives another one");
}

#[test]
fn a_result_of_another_version_with_the_same_output_has_this_trace() {
    let place = with_a_run();
    tamper(&place, "UPDATE results SET version = 0");
    assert_eq!(place.simdrop(["trace", "1/1#1"]).exits(0).stderr, "");
}

#[test]
fn an_input_that_is_refused_has_no_trace() {
    let place = with_a_run();
    let ran = place.simdrop(["trace", "1/2"]).exits(1).complains("line 2, column 7: found \"x\"");
    assert_eq!(ran.stdout, "");
    assert_eq!(place.simdrop(["trace", "1/2", "--anyway"]).exits(1).stdout, "");
}

#[test]
fn a_case_without_a_result_is_traced_as_this_build_plays_it() {
    let place = with_a_run();
    let trace = place.simdrop(["trace", "1/1"]).exits(0).stdout;
    tamper(&place, "UPDATE cases SET result = NULL, verdict = 8 WHERE rowid = (1 << 32) + 1");
    let ran = place.simdrop(["trace", "1/1"]).exits(0);
    assert_eq!(ran.stdout, trace);
    ran.complains("case 1/1 is CANCELLED: there is no stored result to compare with");
}

#[cfg(feature = "faults")]
mod faults {
    use super::{Place, tamper};

    /// Run 1: a case that panics, and one that has no output.
    fn with_faults() -> Place {
        let place = Place::new();
        place.file("data/1.in", "3 42\n").file("data/2.in", "1 5\n");
        place.simdrop(["run", "data"]).exits(1);
        place
    }

    #[test]
    fn a_panic_while_tracing_is_reported() {
        let place = with_faults();
        let ran = place.simdrop(["trace", "1/1"]).exits(1).says("Panic 42\n");
        ran.complains("case 1/1 is CRASH").complains("a bug of ours, please report it: fault 42");
    }

    #[test]
    fn a_reason_for_no_output_is_compared_as_an_output_is() {
        let place = with_faults();
        let ran = place.simdrop(["trace", "1/2"]).exits(0).says("Fail 5\n");
        ran.complains("game 1: the fault 5 leaves 64 bits");
        let sql = "UPDATE results SET error = json_set(error, '$.message', 'another')";
        tamper(&place, sql);
        let ran = place.simdrop(["trace", "1/2"]).exits(1).complains("gives another one");
        assert_eq!(ran.stdout, "");
    }
}
