//! `simdrop verify`: stored inputs played again.

use std::fs;

use serde_json::Value;

use crate::golden::golden;
use crate::harness::{Place, Ran, thunder};

/// Run 1: two games of Thunder Bluff, an input that is refused, a card game; run 2: the same again.
fn with_runs() -> Place {
    let place = Place::new();
    let two = format!("2\n{}{}", &thunder(1)[2..], &thunder(2)[2..]);
    place.file("data/1.in", two).file("data/2.in", "1\n1 2 3 x\n");
    place.file("data/3.in", "2 10 4 41\n3 -1 2 0\n1 2 3 4 1 1 2 2 3 3\n");
    place.simdrop(["run", "data"]).exits(1);
    place.simdrop(["run", "data", "--label", "again"]).exits(1);
    place
}

/// Changes the store behind simdrop's back.
fn tamper(place: &Place, sql: &str) {
    let db = rusqlite::Connection::open(place.state().join("store.db")).expect("a store");
    assert_ne!(db.execute(sql, []).expect("a change"), 0);
}

fn lines(ran: &Ran) -> Vec<Value> {
    ran.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn what_this_build_stored_it_gives_again() {
    let place = with_runs();
    let ran = place.simdrop(["verify"]).exits(0);
    assert_eq!(ran.stdout, "2 results of 6 cases\n\n  same                 2\n");
    assert_eq!(ran.stderr, "");
}

#[test]
fn an_output_that_the_same_version_does_not_give_differs() {
    let place = with_runs();
    tamper(&place, "UPDATE results SET output_hash = zeroblob(32) WHERE simulator = 2");
    let ran = place.simdrop(["verify"]).exits(1);
    assert!(!ran.stdout.contains("mtj"), "what is the same is not named: {ran:?}");
    let ran = ran.says("  same                 1\n").says("  differs              1\n");
    let ran =
        ran.says("\n2/1  differs  thunder-bluff judge\n    stored      version 1  output 000000");
    ran.says("\n    this build  version 1  output ").says("\n    simdrop trace 2/1 --anyway\n");
}

#[test]
fn another_version_with_the_same_output_is_unchanged_and_with_another_one_changed() {
    let place = with_runs();
    tamper(&place, "UPDATE results SET version = 0");
    place.simdrop(["verify"]).exits(0).says("  unchanged            2\n");
    tamper(&place, "UPDATE results SET output_hash = zeroblob(32) WHERE simulator = 3");
    let ran = place.simdrop(["verify"]).exits(1).says("  unchanged            1\n");
    let ran = ran.says("  changed              1\n").says("\n2/3  changed  mtj judge\n");
    ran.says("    stored      version 0  output 0000").says("    this build  version 1  output ");
}

#[test]
fn an_input_that_cannot_be_read_is_damage() {
    let place = with_runs();
    let mtj = "id = (SELECT content FROM results WHERE simulator = 3)";
    tamper(&place, &format!("UPDATE contents SET data = CAST(data || x'0a' AS BLOB) WHERE {mtj}"));
    let ran = place.simdrop(["verify"]).exits(7).says("  damaged              1\n");
    let ran = ran.says("  same                 1\n").says("\n2/3  damaged\n");
    ran.says("the bytes of the input are not those that were stored").says("simdrop show 2/3");
    tamper(&place, "UPDATE contents SET coding = 2");
    let ran = place.simdrop(["verify", "-o", "jsonl"]).exits(7);
    let [first, second, summary] = &lines(&ran)[..] else { panic!("{ran:?}") };
    assert_eq!(first["agreement"], "damaged");
    assert!(second["damage"].as_str().is_some_and(|text| text.contains("do not unpack")));
    assert_eq!(summary["damaged"], 2);
}

#[test]
fn each_result_is_played_once_for_its_newest_case_and_a_query_chooses_cases() {
    let place = with_runs();
    tamper(&place, "UPDATE results SET output_hash = zeroblob(32)");
    let cases = |query: &[&str]| {
        let ran = place.simdrop([&["verify", "-o", "jsonl"], query].concat());
        let mut lines = lines(&ran);
        let summary = lines.pop().expect("a summary");
        assert_eq!(summary["differs"], lines.len());
        let mut cases: Vec<_> =
            lines.iter().map(|line| line["case"].as_str().expect("a case").to_owned()).collect();
        cases.sort_unstable();
        (cases, summary["cases"].as_u64().expect("a number"))
    };
    assert_eq!(cases(&[]), (vec!["2/1".to_owned(), "2/3".to_owned()], 6));
    assert_eq!(cases(&["run:1"]), (vec!["1/1".to_owned(), "1/3".to_owned()], 3));
    assert_eq!(cases(&["sim:mtj"]), (vec!["2/3".to_owned()], 2));
    assert_eq!(cases(&["sim:mtj", "label:other"]), (vec![], 0));
}

#[test]
fn a_sample_is_repeated_by_its_seed() {
    let place = Place::new();
    for number in 0..300 {
        place.file(format!("data/{number}.in"), thunder(number));
    }
    place.simdrop(["run", "data"]).exits(0);
    let results = |args: &[&str]| {
        let ran = place.simdrop([&["verify", "-o", "json"], args].concat()).exits(0);
        let summary: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        (summary["results"].as_u64().expect("a number"), summary["seed"].clone())
    };
    let (count, seed) = results(&["--sample", "20%"]);
    assert!((20..120).contains(&count), "{count} of 300");
    let seed = seed.to_string();
    assert_eq!(results(&["--sample", "0.2", "--seed", &seed]).0, count);
    assert_eq!(results(&["--sample", "100%"]).0, 300);
    place.simdrop(["verify", "--sample", "2"]).exits(2).complains("a share such as 1% or 0.01");
    place.simdrop(["verify", "--seed", "2"]).exits(2);
}

#[test]
fn json_is_one_value_and_an_empty_store_has_nothing_to_verify() {
    let place = Place::new();
    assert_eq!(place.simdrop(["verify"]).exits(0).stdout, "0 results of 0 cases\n\n");
    let empty = place.json(["verify", "-o", "json"]);
    assert_eq!((&empty["results"], &empty["mismatches"]), (&0.into(), &Value::Array(vec![])));
    let place = with_runs();
    tamper(&place, "UPDATE results SET output_hash = zeroblob(32), version = 0");
    let found = place.json(["verify", "-o", "json"]);
    assert_eq!(found["schema"], 1);
    assert_eq!(found["changed"], 2);
    let mismatches = found["mismatches"].as_array().expect("a list");
    assert_eq!(mismatches.len(), 2);
    assert_eq!(mismatches[0]["stored"]["version"], 0);
    assert_eq!(mismatches[0]["stored"]["output"], "0".repeat(64));
    assert_eq!(mismatches[0]["given"]["error"], Value::Null);
}

#[test]
fn what_is_found_is_told_as_written() {
    let place = with_runs();
    tamper(&place, "UPDATE results SET output_hash = zeroblob(32) WHERE simulator = 2");
    tamper(&place, "UPDATE results SET version = 0 WHERE simulator = 3");
    // Where nobody plays beside another one, the order is that of the cases.
    let commands: &[&[&str]] = &[
        &["verify", "--jobs", "1"],
        &["verify", "--jobs", "1", "--json"],
        &["verify", "--jobs", "1", "-o", "jsonl", "run:1"],
        &["verify", "--jobs", "1", "sim:mtj", "--sample", "100%", "--seed", "7"],
    ];
    golden("verify", &place, commands);
}

#[test]
fn the_store_is_left_as_it_is() {
    let place = with_runs();
    let database = place.state().join("store.db");
    let before = fs::read(&database).expect("a store");
    place.simdrop(["verify"]).exits(0);
    assert!(before == fs::read(&database).expect("a store"));
    assert_eq!(fs::metadata(database.with_extension("db-wal")).expect("a side file").len(), 0);
}

#[test]
fn a_case_of_many_games_is_verified_slice_by_slice() {
    let place = Place::new();
    place.simdrop(["run", "--sim", "thunder-bluff", "--seeds", "0..30000"]).exits(0);
    place.simdrop(["verify"]).exits(0).says("  same                 1\n");
    tamper(&place, "UPDATE results SET output_hash = zeroblob(32)");
    place.simdrop(["verify"]).exits(1).says("1/1  differs");
    tamper(&place, "DELETE FROM content_chunks");
    place.simdrop(["verify"]).exits(7);
}

#[cfg(feature = "faults")]
mod faults {
    use std::fs;
    use std::process::{Command, Stdio};

    use simdrop::domain::ContentHash;

    use super::{Place, Ran, tamper};
    use crate::harness::wait_until;

    /// Run 1: a case that was fine when it was played, and whose input does something else now.
    fn with_an_input_that_turned(to: &str) -> Place {
        let place = Place::new();
        place.file("data/1.in", "0 1\n");
        place.simdrop(["run", "data"]).exits(0);
        let hash = ContentHash::of(to.as_bytes());
        let set = format!("data = CAST('{to}' AS BLOB), bytes = {}, hash = x'{hash}'", to.len());
        tamper(&place, &format!("UPDATE contents SET {set}"));
        place
    }

    #[test]
    fn a_reason_for_no_output_is_compared_as_an_output_is() {
        let place = Place::new();
        place.file("data/1.in", "1 5\n");
        place.simdrop(["run", "data"]).exits(1);
        place.simdrop(["verify"]).exits(0).says("  same                 1\n");
        tamper(&place, "UPDATE results SET error = json_set(error, '$.message', 'another')");
        let ran = place.simdrop(["verify"]).exits(1).says("1/1  differs  faults judge\n");
        ran.says("no output: another\n").says("no output: game 1: the fault 5 leaves 64 bits\n");
    }

    #[test]
    fn a_panic_of_this_build_is_a_difference() {
        let place = with_an_input_that_turned("3 42");
        let ran = place.simdrop(["verify"]).exits(1).says("  differs              1\n");
        ran.says("no output: fault 42");
    }

    #[test]
    fn a_ctrl_c_ends_it_with_what_was_compared() {
        let place = with_an_input_that_turned("8 1");
        let mut command = place.command(["verify"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().expect("the program starts");
        let tasks = format!("/proc/{}/task", child.id());
        wait_until("it hears signals", || {
            let mut tasks = fs::read_dir(&tasks).expect("threads");
            tasks.any(|task| {
                let name =
                    task.ok().and_then(|task| fs::read_to_string(task.path().join("comm")).ok());
                name.is_some_and(|name| name == "signals\n")
            })
        });
        let pid = child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &pid]).status().expect("kill");
        assert!(sent.success());
        let ran = Ran::from(child.wait_with_output().expect("an end")).exits(130);
        ran.says("0 results of ").complains("stopped: ");
    }
}
