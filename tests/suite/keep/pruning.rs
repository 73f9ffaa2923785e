//! `store prune`: what goes, what stays, and what is left when it is interrupted.

use std::fs;
use std::os::unix::fs::symlink;

use super::{folder, is_sound, open, with_a_run};
use crate::harness::{Place, thunder};

/// Runs 1 to 3: cases 1 to 4, cases 3 to 6, and 5 with an answer and 7.
fn three_runs() -> Place {
    let place = Place::new();
    for (run, cases) in [(1, 1..=4), (2, 3..=6), (3, 5..=5)] {
        for number in cases {
            place.file(format!("{run}/{number}.in"), thunder(number));
        }
    }
    place.file("3/5.ans", "wrong\n").file("3/7.in", "1 2 x\n");
    for (run, code) in [("1", 0), ("2", 0), ("3", 1)] {
        place.simdrop(["run", run, "--tag", "k=v"]).exits(code);
    }
    place
}

fn counts(place: &Place) -> [i64; 5] {
    let info = place.json(["store", "info", "--json"]);
    ["runs", "cases", "contents", "results", "games"].map(|key| info[key].as_i64().expect(key))
}

fn prune(place: &Place, args: &[&str]) -> crate::harness::Ran {
    place.simdrop(["store", "prune", "--yes"].iter().chain(args))
}

#[test]
fn what_only_a_removed_run_uses_goes_and_the_rest_stays() {
    let place = three_runs();
    assert_eq!(counts(&place), [3, 10, 8, 6, 6]);
    let kept = place.simdrop(["show", "3", "--json"]).exits(0).stdout;
    prune(&place, &["run:1"]).exits(0).says("removed: 1 run, 4 cases, ");
    assert_eq!(counts(&place), [2, 6, 6, 4, 4]);
    is_sound(&place);
    place.simdrop(["show", "1"]).exits(3);
    assert_eq!(place.simdrop(["show", "3", "--json"]).exits(0).stdout, kept);
    prune(&place, &["run:3"]).exits(0);
    assert_eq!(counts(&place), [1, 4, 4, 4, 4]);
    is_sound(&place);
    prune(&place, &["run:2"]).exits(0);
    assert_eq!(counts(&place), [0; 5]);
    is_sound(&place);
    for table in ["tags", "run_has", "run_spans", "logs", "games", "output_chunks"] {
        assert_eq!(place.ask::<i64>(&format!("SELECT count(*) FROM {table}")), 0, "{table}");
    }
    let counted = "SELECT ifnull(sum(cases), 0) + (SELECT ifnull(sum(games), 0) FROM game_counts)
                   + (SELECT ifnull(sum(count), 0) FROM value_counts) FROM case_counts";
    assert_eq!(place.ask::<i64>(counted), 0);
    // A number is never used again.
    place.simdrop(["run", "2"]).exits(0).says("run 4,");
    is_sound(&place);
}

#[test]
fn nothing_goes_without_an_answer() {
    let place = three_runs();
    let before = counts(&place);
    place.simdrop(["store", "prune", "run:1"]).exits(2).complains("--yes");
    let dry = place.simdrop(["store", "prune", "run:1", "--dry-run"]).exits(0);
    dry.says("would be removed: 1 run, 4 cases, about ");
    let dry = place.json(["store", "prune", "run:1", "--dry-run", "--json"]);
    assert_eq!(
        (&dry["runs"], &dry["cases"], &dry["dry_run"]),
        (&1.into(), &4.into(), &true.into())
    );
    assert!(dry["bytes"].as_u64().expect("a number") > 600, "{dry}");
    assert_eq!(counts(&place), before);
    place.simdrop(["store", "prune", "--yes"]).exits(2).complains("[retention]");
    prune(&place, &["run:7"]).exits(0).says("removed: 0 runs");
    assert_eq!(counts(&place), before);
}

#[test]
fn a_run_that_is_not_over_stays() {
    let place = three_runs();
    open(&place)
        .execute_batch("UPDATE runs SET state = 2, finished_us = NULL WHERE id = 2")
        .expect("x");
    prune(&place, &["run:2"]).exits(0).complains("1 run is not over").says("removed: 0 runs");
    assert_eq!(counts(&place)[0], 3);
}

#[test]
fn the_files_of_a_removed_run_go_and_no_link_is_followed() {
    let place = three_runs();
    for name in ["done/1-a/b/x.in", "out/1-a/summary.json", "rejected/1-z.zip/REASON.txt"] {
        place.file(format!("state/{name}"), "x");
    }
    for name in ["done/11-a/x.in", "done/1a/x", "out/2-1-a/x", "precious/x"] {
        place.file(format!("state/{name}"), "x");
    }
    symlink(place.path("state/precious"), place.path("state/done/1-link")).expect("a link");
    symlink(place.path("state/precious"), place.path("state/done/1-a/link")).expect("a link");
    prune(&place, &["run:1"]).exits(0);
    let names = |below: &str| -> Vec<String> {
        let entries = fs::read_dir(place.state().join(below)).expect("a directory");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let mut names: Vec<_> = names.map(|name| name.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    };
    assert_eq!(names("done"), ["11-a", "1a"]);
    assert_eq!((names("out"), names("rejected").len()), (vec!["2-1-a".to_owned()], 0));
    assert_eq!(names("precious"), ["x"]);
}

#[test]
fn settings_remove_by_age_and_by_number() {
    let place = three_runs();
    place.file("number.toml", "[retention]\nmax_runs = 2\n");
    place.file("age.toml", "[retention]\nmax_age = \"30 d\"\n");
    let old = "UPDATE runs SET taken_in_us = taken_in_us - 40 * 86400000000 WHERE id = 2;
               UPDATE run_spans SET first_us = first_us - 40 * 86400000000";
    open(&place).execute_batch(old).expect("an old run");
    prune(&place, &["--config", "number.toml"]).exits(0).says("removed: 1 run, 4 cases");
    prune(&place, &["--config", "number.toml"]).exits(0).says("removed: 0 runs");
    prune(&place, &["--config", "age.toml"]).exits(0).says("removed: 1 run, 4 cases");
    place.simdrop(["show", "3"]).exits(0);
    assert_eq!(counts(&place)[0], 1);
    is_sound(&place);
}

/// A folder of one input of many games, so that its output is long.
fn long_output() -> Place {
    let place = Place::new();
    let games: Vec<String> =
        (1..=100).map(|seed| thunder(seed).lines().nth(1).expect("a line").to_owned()).collect();
    place.file("data/1.in", format!("100\n{}\n", games.join("\n"))).file("data/2.in", thunder(2));
    place.file("old.toml", "[retention]\noutputs_max_age = \"1 d\"\n");
    place
}

fn dropped(place: &Place) -> i64 {
    place.ask("SELECT count(*) FROM results WHERE coding = 3")
}

#[test]
fn an_output_that_was_dropped_is_made_again_when_somebody_wants_it() {
    let place = long_output();
    place.simdrop(["run", "data"]).exits(0);
    let output = place.simdrop(["show", "1/1", "--output"]).exits(0).stdout;
    let old = "UPDATE runs SET taken_in_us = 1; UPDATE run_spans SET first_us = 1";
    open(&place).execute_batch(old).expect("an old run");
    let dry = ["store", "prune", "--config", "old.toml", "--dry-run"];
    place.simdrop(dry).exits(0).says("besides: outputs that no run uses which is younger than 1 d");
    prune(&place, &["--config", "old.toml"]).exits(0).says("1 more output");
    assert_eq!(dropped(&place), 1, "a short one stays");
    is_sound(&place);
    assert_eq!(place.simdrop(["show", "1/1", "--output"]).exits(0).stdout, output);
    assert_eq!(dropped(&place), 1, "showing changes nothing");
    // A repeat plays it again and puts it back, and finds the same.
    place.file("data/1.ans", &output);
    place.simdrop(["run", "data"]).exits(0).says("AC");
    assert_eq!(dropped(&place), 0);
    assert_eq!(counts(&place), [2, 4, 3, 2, 101]);
    is_sound(&place);
    // It is of a young run now.
    prune(&place, &["--config", "old.toml"]).exits(0);
    assert_eq!(dropped(&place), 0);
}

#[test]
fn an_output_that_this_build_does_not_give_is_not_shown() {
    let place = long_output();
    place.simdrop(["run", "data"]).exits(0);
    let other = "UPDATE results SET coding = 3, output = NULL, output_hash = zeroblob(32)
                 WHERE id = (SELECT result FROM cases WHERE rank = 1)";
    open(&place).execute_batch(other).expect("another output");
    place.simdrop(["show", "1/1", "--output"]).exits(1).complains("cannot be made again");
}

#[test]
fn a_store_that_is_too_large_loses_outputs_first_and_then_runs() {
    let place = long_output();
    place.simdrop(["run", "data"]).exits(0);
    for number in 1..=3 {
        place.file(format!("more{number}/1.in"), thunder(10 + number));
        place.simdrop(["run", &format!("more{number}")]).exits(0);
    }
    place.file("large.toml", "[retention]\nmax_bytes = \"1 GiB\"\n");
    prune(&place, &["--config", "large.toml"]).exits(0).says("removed: 0 runs");
    place.file("small.toml", "[retention]\nmax_bytes = \"1 KiB\"\n");
    let dry = place.simdrop(["store", "prune", "--config", "small.toml", "--dry-run"]).exits(0);
    dry.says("besides: outputs and then the oldest runs until 1.0 KiB are in use");
    prune(&place, &["--config", "small.toml"]).exits(0).says("4 runs, 5 cases, 1 more output");
    assert_eq!(counts(&place), [0; 5]);
    is_sound(&place);
}

#[cfg(feature = "faults")]
#[test]
fn what_is_interrupted_is_sound_and_goes_on() {
    for point in ["after-mark", "after-cases", "after-cases:2", "mid-sweep", "before-commit:3"] {
        let place = three_runs();
        place.file("state/done/1-a/1.in", "x");
        let mut command = place.command(["store", "prune", "run:1", "--yes"]);
        let ran = crate::harness::Ran::of(command.env("SIMDROP_CRASH_POINT", point));
        assert_eq!(ran.code, None, "{point}: {ran:?}");
        is_sound(&place);
        prune(&place, &[]).exits(0);
        assert_eq!(counts(&place), [2, 6, 6, 4, 4], "{point}");
        assert!(!place.path("state/done/1-a").exists());
        is_sound(&place);
    }
}

#[test]
fn a_result_of_very_many_games_goes_in_pieces() {
    let place = folder(1);
    let games: Vec<String> =
        (1..=12_000).map(|seed| thunder(seed).lines().nth(1).expect("a line").to_owned()).collect();
    place.file("many/1.in", format!("{}\n{}\n", games.len(), games.join("\n")));
    place.simdrop(["run", "many", "data"]).exits(0);
    prune(&place, &["run:1"]).exits(0).says("removed: 1 run, 1 case");
    assert_eq!(counts(&place), [1, 1, 1, 1, 1]);
    is_sound(&place);
    place.simdrop(["run", "many"]).exits(0);
    is_sound(&place);
}

#[test]
fn the_original_of_a_rerun_may_go() {
    let place = with_a_run(2);
    place.simdrop(["rerun", "1", "--verdict", "NOREF"]).exits(0);
    prune(&place, &["run:1"]).exits(0);
    place.simdrop(["show", "2"]).exits(0).says("cases of run 1");
    assert_eq!(counts(&place), [1, 2, 2, 2, 2]);
    is_sound(&place);
}

// F2
#[test]
fn whoever_is_at_a_terminal_is_asked() {
    for (answer, code, runs) in [("n", 1, 3), ("", 1, 3), ("y", 0, 2)] {
        let place = three_runs();
        let program = env!("CARGO_BIN_EXE_simdrop");
        let mut command = std::process::Command::new("script");
        let state = place.state();
        let line = format!("{program} --state {} store prune run:1", state.display());
        command.args(["-qec", &line, "/dev/null"]).stdin(std::process::Stdio::piped());
        command.env("HOME", place.path("")).stdout(std::process::Stdio::piped());
        let Ok(mut child) = command.spawn() else {
            return skipped("no `script` here, so nobody was asked");
        };
        let mut stdin = child.stdin.take().expect("a pipe");
        std::io::Write::write_all(&mut stdin, format!("{answer}\n").as_bytes()).expect("an answer");
        let ran = crate::harness::Ran::from(child.wait_with_output().expect("an end"));
        drop(stdin);
        ran.exits(code).says("to be removed: 1 run, 4 cases, about");
        assert_eq!(counts(&place)[0], runs, "{answer:?}");
    }
}

/// Says why a test could not be made, where it is seen.
#[expect(clippy::print_stderr, reason = "whoever runs the tests has to see it")]
fn skipped(why: &str) {
    eprintln!("SKIPPED: {why}");
}
