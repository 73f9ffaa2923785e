//! Stopping and going on: signals, kills, `rerun`.

use std::fs;
use std::process::{Child, Command, Stdio};

use rusqlite::{Connection, OpenFlags};

use crate::harness::{Place, thunder, wait_until};

/// A folder of so many cases of one game.
fn folder(cases: u32) -> Place {
    let place = Place::new();
    for number in 1..=cases {
        place.file(format!("data/{number}.in"), thunder(number));
    }
    place
}

/// Starts a command and waits until so many cases of the run it makes are done.
fn start(place: &Place, args: &[&str], run: i64, least: i64) -> Child {
    let log = fs::File::create(place.path("log")).expect("a file");
    let mut command = place.command(args);
    let child = command.stdout(Stdio::null()).stderr(log).spawn().expect("a run");
    wait_for(place, child, "done", run, least)
}

/// Waits until a counter of a run has come so far. The store is asked from here: a process for each look
/// would come too late on a busy machine.
fn wait_for(place: &Place, mut child: Child, counter: &str, run: i64, least: i64) -> Child {
    let sql = format!("SELECT {counter} FROM runs WHERE id = {run}");
    let store = place.state().join("store.db");
    wait_until("some cases are there", || {
        assert!(child.try_wait().expect("a child").is_none(), "the run ended before its end");
        let count = Connection::open_with_flags(&store, OpenFlags::SQLITE_OPEN_READ_ONLY)
            .and_then(|db| db.query_row(&sql, [], |row| row.get(0)));
        count.unwrap_or(-1) >= least
    });
    child
}

fn kill(mut child: Child) {
    child.kill().expect("a kill");
    child.wait().expect("an end");
}

fn signal(child: &Child, name: &str) {
    let pid = child.id().to_string();
    let sent = Command::new("kill").args([name, &pid]).status().expect("kill");
    assert!(sent.success());
}

/// The names and output hashes of a run, in order.
fn outputs(place: &Place, run: i64) -> String {
    place.ask(&format!(
        "SELECT group_concat(name || hex(output_hash)) FROM
            (SELECT CAST(c.name AS TEXT) AS name, r.output_hash FROM cases c
             JOIN results r ON r.id = c.result WHERE c.run = {run} ORDER BY c.id)"
    ))
}

/// What must hold of a store at any time.
#[track_caller]
fn is_sound(place: &Place) {
    assert_eq!(place.ask::<String>("PRAGMA integrity_check"), "ok");
    assert_eq!(place.ask::<i64>("SELECT count(*) FROM pragma_foreign_key_check"), 0);
    let wrong = "SELECT count(*) FROM runs WHERE done != (SELECT count(*) FROM cases
                 WHERE run = runs.id AND state = 3)";
    assert_eq!(place.ask::<i64>(wrong), 0);
}

#[test]
fn a_run_killed_anywhere_is_finished_by_rerun_and_equals_one_that_was_not() {
    let place = folder(4_000);
    for (number, least) in (1..).zip([0, 1, 700]) {
        kill(start(&place, &["run", "data", "--fresh"], number, least));
        is_sound(&place);
        let ran = place.simdrop(["rerun", &number.to_string()]).exits(0);
        ran.says(&format!("run {number}, done")).says("NOREF            4,000");
        is_sound(&place);
        place.simdrop(["rerun", &number.to_string()]).exits(0).complains("has nothing left");
    }
    let undisturbed = folder(4_000);
    undisturbed.simdrop(["run", "data"]).exits(0);
    for run in 1..=3 {
        assert_eq!(outputs(&place, run), outputs(&undisturbed, 1));
    }
    assert_eq!(place.ask::<i64>("SELECT count(*) FROM results"), 4_000);
    assert_eq!(place.ask::<i64>("SELECT count(*) FROM cases WHERE state < 3"), 0);
}

#[test]
fn ctrl_c_and_term_stop_soon_say_how_to_go_on_and_exit_130_and_143() {
    for (name, code) in [("-INT", 130), ("-TERM", 143)] {
        let place = folder(5_000);
        let mut child = start(&place, &["run", "data"], 1, 1);
        signal(&child, name);
        assert_eq!(child.wait().expect("an end").code(), Some(code));
        let run = place.json(["show", "latest", "--json"]);
        let left = 5_000 - run["done"].as_i64().expect("a number");
        assert!(left > 0, "{run}");
        let log = fs::read_to_string(place.path("log")).expect("a log");
        let thousands = if left < 1_000 {
            left.to_string()
        } else {
            format!("{},{:03}", left / 1_000, left % 1_000)
        };
        assert!(log.contains(&format!("run 1 has {thousands} case")), "{log}");
        assert!(log.contains("left: simdrop rerun 1"), "{log}");
        // Nobody who was only stopped is a suspect.
        assert_eq!(place.ask::<i64>("SELECT count(*) FROM cases WHERE suspect OR state = 2"), 0);
        place.simdrop(["rerun", "latest"]).exits(0).says("NOREF            5,000");
    }
}

#[test]
fn a_killed_run_whose_folder_has_changed_ends_with_what_it_has_and_says_so() {
    let place = folder(12_000);
    kill(start(&place, &["run", "data"], 1, 1));
    place.file("data/0.in", thunder(0));
    let taken: i64 = place.ask("SELECT total FROM runs");
    assert!(taken < 12_000, "the list ended before the kill");
    let ran = place.simdrop(["rerun", "1"]).exits(1);
    ran.complains(&format!("{} cases were never taken in", 12_000 - taken))
        .complains("has changed");
    let run = place.json(["show", "1", "--json"]);
    assert_eq!((&run["state"], &run["total"]), (&"done".into(), &taken.into()));
    place.simdrop(["show", "1", "--log"]).exits(0).says("were never taken in");
}

#[test]
fn cases_with_a_verdict_are_played_again_as_a_new_run_that_names_the_old_one() {
    let place = folder(3);
    place.file("data/2.ans", "wrong\n").file("data/4.in", "1 2 3\n").file("data/5.in", "x");
    place.simdrop(["run", "data", "--tag", "week=3"]).exits(1);
    let ran = place.simdrop(["rerun", "1", "--verdict", "WA,CRASH", "--label", "again"]).exits(1);
    ran.says("run 2 \"again\", cases of run 1, done").says("cached");
    let run = place.json(["show", "2", "--json"]);
    assert_eq!((&run["of"], &run["total"]), (&1.into(), &1.into()));
    assert_eq!((&run["verdicts"]["WA"], &run["tags"]["week"]), (&1.into(), &"3".into()));
    place.simdrop(["rerun", "1", "--verdict", "WA", "--fresh"]).exits(1);
    assert_eq!(place.json(["show", "3", "--json"])["cached"], 0);
    // The same rank, so that it is found under the same number.
    assert_eq!(place.json(["show", "3/2", "--json"])["name"], "2");
    place.simdrop(["rerun", "1", "--verdict", "LIMIT"]).exits(0).complains("no case with such");
    assert_eq!(place.ask::<i64>("SELECT count(*) FROM runs"), 3);
    place.simdrop(["rerun", "1", "--verdict", "BAD"]).exits(2);
    place.simdrop(["rerun", "1/2"]).exits(2);
    place.simdrop(["rerun", "9"]).exits(3);
}

#[test]
fn what_is_played_again_and_gives_another_output_is_a_crash() {
    let place = folder(1);
    let seeds: String = (0..5_000).map(|seed| thunder(seed)[2..].to_owned()).collect();
    place.file("data/2.in", format!("5000\n{seeds}"));
    place.simdrop(["run", "data"]).exits(0);
    place.simdrop(["run", "data", "--fresh"]).exits(0);
    let run = place.json(["show", "2", "--json"]);
    assert_eq!((&run["cached"], &run["verdicts"]["NOREF"]), (&0.into(), &2.into()));
    let db = Connection::open(place.state().join("store.db")).expect("a store");
    db.execute("UPDATE results SET output_hash = zeroblob(32)", []).expect("a change");
    drop(db);
    let ran = place.simdrop(["run", "data", "--fresh"]).exits(1);
    ran.says("CRASH  gave another output than when the same version played it before");
    assert_eq!(place.json(["show", "3", "--json"])["verdicts"]["CRASH"], 2);
    assert_eq!(place.ask::<i64>("SELECT count(*) FROM results"), 2);
    assert_eq!(place.ask::<i64>("SELECT count(*) FROM games"), 5_001);
}

#[test]
fn plain_files_named_from_here_are_found_again_from_there() {
    let place = folder(12_000);
    let names: Vec<String> = (1..=12_000).map(|number| format!("{number}.in")).collect();
    let mut command = place.command(["run"]);
    command.args(&names).current_dir(place.path("data"));
    let log = fs::File::create(place.path("log")).expect("a file");
    let child = command.stdout(Stdio::null()).stderr(log).spawn().expect("a run");
    kill(wait_for(&place, child, "total", 1, 1));
    assert!(place.ask::<i64>("SELECT total FROM runs") < 12_000, "the list ended before the kill");
    place.simdrop(["rerun", "1"]).exits(0).says("NOREF           12,000");
    assert_eq!(place.json(["show", "1/7", "--json"])["name"], "7");
}

#[test]
fn a_folder_that_is_away_for_a_while_leaves_the_run_as_it_is() {
    let place = folder(12_000);
    kill(start(&place, &["run", "data"], 1, 1));
    fs::rename(place.path("data"), place.path("away")).expect("a rename");
    place.simdrop(["rerun", "1"]).exits(3).complains("no such file or folder");
    fs::rename(place.path("away"), place.path("data")).expect("a rename");
    place.simdrop(["rerun", "1"]).exits(0).says("NOREF           12,000");
}

#[test]
fn a_stop_is_heard_inside_a_case_of_many_short_games() {
    let place = Place::new();
    let args = ["run", "--seeds", "0..1500000", "--sim", "thunder-bluff"];
    let mut command = place.command(args);
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut child = child.expect("a run");
    wait_until("games are stored", || {
        let db = Connection::open(place.state().join("store.db"));
        db.is_ok_and(|db| {
            db.query_row("SELECT count(*) FROM games", [], |row| row.get(0)).unwrap_or(0) > 0
        })
    });
    signal(&child, "-INT");
    assert_eq!(child.wait().expect("an end").code(), Some(130));
    assert_eq!(place.ask::<i64>("SELECT count(*) FROM games"), 0, "a part of a result is left");
}

#[test]
fn a_verdict_that_is_named_twice_counts_once_and_the_only_case_is_traced_whatever_its_rank() {
    let place = folder(3);
    place.simdrop(["run", "data", "--only", "3"]).exits(0);
    place.simdrop(["trace", "latest", "--steps", "..2"]).exits(0).says("roll 1: ");
    place.simdrop(["rerun", "1", "--verdict", "NOREF,NOREF"]).exits(0);
    assert_eq!(place.json(["show", "2", "--json"])["total"], 1);
}

#[cfg(feature = "faults")]
mod faults {
    use serde_json::Value;

    use super::{Connection, folder, is_sound, thunder};
    use crate::harness::{Place, Ran};

    /// Two games that are fine around one that is not, and settings that do not wait long.
    fn with(fault: &str) -> Place {
        let place = folder(0);
        place.file("data/1.in", thunder(1)).file("data/2.in", fault).file("data/3.in", thunder(3));
        place.file(
            "short.toml",
            "[engine]\nbackstop = \"200 ms\"\ngrace = \"200 ms\"\nsuspect_bytes = \"512 MiB\"\n",
        );
        place
    }

    fn run(place: &Place, args: &[&str]) -> Ran {
        let all = args.iter().chain(&["--config", "short.toml"]);
        place.simdrop(all)
    }

    /// The verdict of the second case, and that the others are there.
    #[track_caller]
    fn second(place: &Place) -> (String, String) {
        let run = place.json(["show", "1", "--json"]);
        assert_eq!(
            (&run["state"], &run["verdicts"]["NOREF"]),
            (&"done".into(), &2.into()),
            "{run}"
        );
        let case = place.json(["show", "1/2", "--json"]);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        (text(&case["verdict"]), text(&case["error"]["message"]))
    }

    #[test]
    fn what_kills_the_process_is_tried_in_a_process_of_its_own_and_is_crash() {
        for fault in ["4 0\n", "6 0\n"] {
            let place = with(fault);
            assert_ne!(run(&place, &["run", "data"]).code, Some(1), "the process dies");
            is_sound(&place);
            run(&place, &["rerun", "1"])
                .exits(1)
                .says("CRASH  a process of its own died by signal");
            assert_eq!(second(&place).0, "CRASH");
            assert_eq!(place.json(["show", "1/2", "--json"])["suspect"], true);
            is_sound(&place);
        }
    }

    #[test]
    fn what_takes_too_long_is_taken_back_tried_and_crash() {
        let place = with("8 0\n");
        run(&place, &["run", "data"]).exits(1);
        let (verdict, message) = second(&place);
        assert_eq!(verdict, "CRASH");
        assert!(message.contains("did not end within"), "{message}");
        place.simdrop(["show", "1/2", "--log"]).exits(0).says("taken back: took longer");
    }

    #[test]
    fn a_thread_that_never_comes_back_ends_the_run_with_4_and_rerun_finishes_it() {
        let place = with("5 0\n");
        let ran = run(&place, &["run", "data", "--jobs", "2"]).exits(4);
        ran.complains("does not come back from case 1/2").complains("simdrop rerun 1");
        is_sound(&place);
        run(&place, &["rerun", "1"]).exits(1).says("CRASH");
        assert_eq!(second(&place).0, "CRASH");
    }

    #[test]
    fn a_panic_is_crash_with_its_message_and_no_second_try() {
        let place = with("3 7\n");
        run(&place, &["run", "data"]).exits(1).says("CRASH");
        assert_eq!(second(&place).0, "CRASH");
        assert_eq!(place.json(["show", "1/2", "--json"])["attempts"], 1);
    }

    #[test]
    fn a_suspect_that_is_harmless_gets_its_verdict() {
        let place = folder(600);
        let mut command = place.command(["run", "data"]);
        let killed = command.env("SIMDROP_CRASH_POINT", "after-claim").status();
        assert_eq!(killed.expect("an end").code(), None);
        let suspects: i64 = {
            place.simdrop(["rerun", "1"]).exits(0);
            place.ask("SELECT count(*) FROM cases WHERE suspect AND verdict = 4")
        };
        assert!(suspects > 0, "nothing was running when it was killed");
        is_sound(&place);
    }

    #[test]
    fn a_case_whose_input_is_gone_from_the_store_ends_the_run_with_its_name() {
        let place = folder(50);
        let mut command = place.command(["run", "data"]);
        let killed = command.env("SIMDROP_CRASH_POINT", "before-end-list").status();
        assert_eq!(killed.expect("an end").code(), None);
        let gone = "PRAGMA foreign_keys = OFF;
                    UPDATE cases SET state = 1, verdict = NULL, result = NULL WHERE rank = 7;
                    DELETE FROM results WHERE content = (SELECT content FROM cases WHERE rank = 7);
                    DELETE FROM contents WHERE id = (SELECT content FROM cases WHERE rank = 7)";
        let store = Connection::open(place.state().join("store.db")).expect("a store");
        store.execute_batch(gone).expect("a change");
        place.simdrop(["rerun", "1"]).exits(7).complains("the input of case 1/7 is missing");
    }

    #[test]
    fn an_input_that_needs_too_much_memory_is_crash_as_a_suspect_only() {
        let place = with("7 2000\n");
        let child =
            place.command(["sim", "faults", "data/2.in", "--suspect", "536870912"]).status();
        assert_eq!(child.expect("an end").code(), None, "killed by a signal");
    }

    #[test]
    fn a_kill_at_any_named_point_loses_nothing_and_does_nothing_twice() {
        for point in [
            "after-claim",
            "before-commit:3",
            "after-commit:2",
            "mid-content",
            "mid-result",
            "before-end-list",
        ] {
            let place = folder(50);
            let seeds: String = (0..40_000).map(|seed| thunder(seed)[2..].to_owned()).collect();
            place.file("data/51.in", format!("40000\n{seeds}"));
            let killed = place.command(["run", "data"]).env("SIMDROP_CRASH_POINT", point).status();
            assert_eq!(killed.expect("an end").code(), None, "{point}");
            is_sound(&place);
            place.simdrop(["rerun", "1"]).exits(0).says("NOREF               51");
            is_sound(&place);
            assert_eq!(place.ask::<i64>("SELECT count(*) FROM results"), 51, "{point}");
            assert_eq!(place.ask::<i64>("SELECT count(*) FROM games"), 40_050, "{point}");
            assert_eq!(place.ask::<i64>("SELECT count(*) FROM contents"), 51, "{point}");
        }
    }
}
