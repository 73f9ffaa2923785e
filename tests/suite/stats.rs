//! What many cases and games come to.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::golden::golden;
use crate::harness::{Place, Ran, thunder};

/// Runs of one-game cases, labelled `one` and `two`; half of the second are the first again.
fn two_runs() -> Place {
    let place = Place::new();
    for number in 1..=8 {
        place.file(format!("one/{number}.in"), thunder(number));
        place.file(format!("two/{number}.in"), thunder(number + 4));
    }
    place.file("one/1.ans", "?\n").file("one/bad.in", "1 2 3\n");
    place.simdrop(["run", "one", "--label", "one", "--tag", "by=ann", "--tag", "n=1"]).exits(1);
    place.simdrop(["run", "two", "--label", "two", "--tag", "by=ann"]).exits(0);
    place
}

/// Gives the games of the first run winners and lengths that are easily reckoned with.
fn set_games(place: &Place, lengths: [i64; 8]) {
    let db = rusqlite::Connection::open(place.state().join("store.db")).expect("a store");
    for (rank, length) in (1..).zip(lengths) {
        let sql = "UPDATE game_blocks
                   SET games = json_array(json_array(1, 1 + (?2 > 4), ?2, json_array(-?2 * 1000)))
                   WHERE result = (SELECT result FROM cases WHERE id = (1 << 32) + ?1)";
        assert_eq!(db.execute(sql, [rank, length]).expect("a change"), 1);
    }
}

fn row<'a>(rows: &'a Value, key: &str, value: &str) -> &'a Value {
    let found = rows.as_array().expect("rows").iter().find(|row| row[key] == value);
    found.ok_or(rows).expect("a row")
}

#[track_caller]
fn close(found: &Value, expected: f64) {
    let found = found.as_f64().expect("a number");
    assert!((found - expected).abs() < 1e-4, "{found}, expected {expected}");
}

#[test]
fn the_numbers_are_those_that_are_reckoned_by_hand() {
    let place = two_runs();
    set_games(&place, [2, 4, 4, 4, 5, 5, 7, 9]);
    let rows = place.json(["stats", "run:1", "--metric", "rolls", "--json"]);
    let rolls = &rows[0];
    assert_eq!(rolls["simulator"], "thunder-bluff");
    assert_eq!((&rolls["metric"], &rolls["n"]), (&"rolls".into(), &8.into()));
    close(&rolls["mean"], 5.0);
    close(&rolls["sd"], 2.138_089_9);
    let found = ["min", "p5", "p25", "p50", "p75", "p90", "p95", "max"].map(|key| &rolls[key]);
    assert_eq!(found, [2, 2, 4, 4, 5, 9, 9, 9].map(Value::from).each_ref());
    assert_eq!(rolls["rounded"], false);
    let rows = place.json(["stats", "run:1", "--by", "winner", "--json"]);
    let alice = row(&rows, "winner", "Alice");
    assert_eq!(alice["games"], 4);
    // 1/2 -+ z / 2 / sqrt(8 + z^2), as the share is one half.
    for (key, share) in [("share", 0.5), ("low", 0.215_215), ("high", 0.784_785)] {
        close(&alice[key], share);
    }
    let rows =
        place.json(["stats", "run:1 rolls>4", "--metric", "rolls", "--by", "winner", "--json"]);
    assert_eq!(row(&rows, "winner", "Bob")["n"], 4, "{rows}");
    assert_eq!(rows.as_array().map(Vec::len), Some(1), "{rows}");
}

#[test]
fn the_counters_say_what_a_pass_says() {
    let place = two_runs();
    for args in [
        &["stats", "--json"][..],
        &["stats", "--json", "--by", "sim"],
        &["stats", "--json", "--by", "rules"],
        &["stats", "--json", "--by", "label"],
        &["stats", "--json", "--by", "day"],
        &["stats", "--json", "--by", "tag"],
        &["stats", "--json", "--by", "winner"],
        &["stats", "--json", "--by", "verdict"],
        &["stats", "--json", "--metric", "length"],
        &["stats", "--json", "--metric", "rolls", "--by", "rules"],
    ] {
        let [mut counted, mut passed] =
            [args.to_vec(), [args, &["run>0"]].concat()].map(|args| place.json(args));
        if args.len() == 2 {
            // A pass knows times exactly.
            assert_eq!(counted["time"]["n"], passed["time"]["n"]);
            (counted["time"], passed["time"]) = (Value::Null, Value::Null);
        }
        assert_eq!(counted, passed, "{args:?}");
        assert!(counted != Value::Array(Vec::new()), "{args:?}");
    }
}

#[test]
fn a_game_counts_once_and_a_case_each_time() {
    let place = two_runs();
    let all = place.json(["stats", "--json"]);
    assert_eq!((&all["cases"], &all["cached"]), (&17.into(), &4.into()));
    assert_eq!(all["verdicts"]["WA"], 1);
    assert_eq!(all["simulators"][0]["games"], 12, "{all}");
    let rows = place.json(["stats", "--metric", "rolls", "--by", "label", "--json"]);
    for label in ["one", "two"] {
        assert_eq!(row(&rows, "label", label)["n"], 8, "each label has all its games: {rows}");
    }
    let rows = place.json(["stats", "--by", "tag", "--json"]);
    for (tag, cases) in [("by=ann", 17), ("n=1", 9)] {
        assert_eq!(row(&rows, "tag", tag)["cases"], cases);
    }
    let some = place.json(["stats", "winner:David", "--json"]);
    let (games, winners) = (&some["simulators"][0]["games"], &some["simulators"][0]["winners"]);
    assert_eq!(winners.as_array().map(Vec::len), Some(1), "{some}");
    assert_eq!(&winners[0]["games"], games);
}

#[test]
fn a_run_of_many_cases_is_counted_in_full() {
    let place = two_runs();
    let db = rusqlite::Connection::open(place.state().join("store.db")).expect("a store");
    db.execute_batch(
        "UPDATE runs SET total = 50009, done = 50009, badin = badin + 50000 WHERE id = 1;
         INSERT INTO cases (id, name, state, verdict, queued_us)
         WITH RECURSIVE ranks (rank) AS (SELECT 10 UNION ALL SELECT rank + 1 FROM ranks LIMIT 50000)
         SELECT (1 << 32) + rank, x'61', 3, 5, 0 FROM ranks",
    )
    .expect("cases");
    let all = place.json(["stats", "run>0", "--json"]);
    assert_eq!((&all["cases"], &all["verdicts"]["BADIN"]), (&50_017.into(), &50_001.into()));
    assert_eq!(all["simulators"][0]["games"], 12, "{all}");
}

#[test]
fn a_histogram_holds_every_value() {
    let place = two_runs();
    set_games(&place, [1, 2, 3, 4, 5, 6, 7, 1_000]);
    let drawn = ["stats", "run:1", "--metric", "rolls", "--hist"];
    let csv = place.simdrop([&drawn[..], &["-o", "csv"]].concat()).exits(0);
    let counts = csv.stdout.lines().skip(1).map(|line| line.rsplit(',').next().expect("a cell"));
    assert_eq!(counts.map(|count| count.parse::<u64>().expect("a count")).sum::<u64>(), 8);
    place.simdrop(drawn).exits(0).says("#");
    let mut command = place.command(drawn);
    Ran::of(command.env("LC_ALL", "C.UTF-8")).exits(0).says("█");
}

#[test]
fn a_metric_is_reported_for_each_simulator_that_has_it() {
    let place = two_runs();
    set_games(&place, [2, 4, 4, 4, 5, 5, 7, 9]);
    place.simdrop(["run", concat!(env!("CARGO_MANIFEST_DIR"), "/examples")]).exits(0);
    let rows = place.json(["stats", "--metric", "length", "--json"]);
    let rows = rows.as_array().expect("rows").iter();
    let names: BTreeSet<&str> = rows.map(|row| row["metric"].as_str().expect("a name")).collect();
    assert_eq!(names, BTreeSet::from(["rounds", "rolls", "plays"]));
    let rows = place.json(["stats", "--metric", "plays", "--json"]);
    assert_eq!(rows.as_array().map(Vec::len), Some(1), "{rows}");
    let metric = simdrop::domain::SimulatorId::ThunderBluff.metrics()[0];
    let rows = place.json(["stats", "run:1", "--metric", metric, "--json"]);
    assert_eq!((&rows[0]["min"], &rows[0]["max"]), (&(-9_000).into(), &(-2_000).into()));
}

#[test]
fn what_cannot_be_answered_is_wrong_usage() {
    let place = two_runs();
    for (args, text) in [
        (&["stats", "--metric", "rols"][..], "did you mean rolls?"),
        (&["stats", "--metric", "time", "--by", "winner"], "--metric time is of cases"),
        (&["stats", "-o", "csv"], "-o csv needs rows"),
        (&["stats", "--hist"], "--metric"),
        (&["stats", "vredict:WA"], "column 1"),
    ] {
        place.simdrop(args).exits(2).complains(text);
    }
}

#[test]
fn an_empty_store_has_no_cases() {
    let place = Place::new();
    place.simdrop(["stats"]).exits(0).says("all");
    assert_eq!(place.json(["stats", "--json"])["cases"], 0);
    assert_eq!(place.simdrop(["stats", "--by", "label"]).exits(0).stdout, "");
    assert_eq!(place.json(["stats", "--metric", "length", "--json"]), Value::Array(Vec::new()));
}

#[test]
fn statistics_are_answered_as_written() {
    let place = two_runs();
    let commands: &[&[&str]] = &[
        &["stats", "--by", "label"],
        &["stats", "--by", "verdict"],
        &["stats", "--by", "tag", "-o", "csv"],
        &["stats", "--by", "rules", "-o", "jsonl"],
        &["stats", "--by", "winner"],
        &["stats", "--by", "winner", "-o", "jsonl", "label:one"],
        &["stats", "--metric", "rolls"],
        &["stats", "--metric", "rolls", "--by", "label", "-o", "jsonl"],
        &["stats", "--metric", "rolls", "--hist"],
    ];
    golden("stats", &place, commands);
}
