//! What the store counts is what its rows say, whatever happens.

use simdrop::store::Reader;

use super::{Daemon, wait_until};
use crate::harness::{Place, thunder};

const CASES: [&str; 2] = [
    "SELECT ifnull(simulator, 0), ifnull(rules, 0), verdict, count(*), sum(cached)
     FROM cases WHERE state = 3 GROUP BY 1, 2, 3",
    "SELECT simulator, rules, verdict, cases, cached FROM case_counts WHERE cases > 0",
];
const GAMES: [&str; 2] = [
    "SELECT simulator, rules, ending, ifnull(winner, 0), count(*)
     FROM results JOIN games ON result = id WHERE NOT unfinished GROUP BY 1, 2, 3, 4",
    "SELECT * FROM game_counts WHERE games > 0",
];
const VALUES: [&str; 2] = [
    "WITH given AS (
         SELECT simulator, rules, 1 AS what, play_us AS value
         FROM cases WHERE state = 3 AND result IS NOT NULL AND NOT cached
         UNION ALL
         SELECT simulator, rules, 2, length
         FROM results JOIN games ON result = id WHERE NOT unfinished AND length IS NOT NULL)
     SELECT simulator, rules, what,
         CASE length(value)
             WHEN 4 THEN (value + 5) / 10 * 10 WHEN 5 THEN (value + 50) / 100 * 100
             WHEN 6 THEN (value + 500) / 1000 * 1000 WHEN 7 THEN (value + 5000) / 10000 * 10000
             WHEN 8 THEN (value + 50000) / 100000 * 100000 ELSE value END,
         count(*)
     FROM given GROUP BY 1, 2, 3, 4",
    "SELECT * FROM value_counts WHERE count > 0",
];

#[track_caller]
fn counters_hold(place: &Place) {
    for [rows, counted] in [CASES, GAMES, VALUES] {
        for [more, less] in [[rows, counted], [counted, rows]] {
            let sql = format!(
                "SELECT count(*) FROM (SELECT * FROM ({more}) EXCEPT SELECT * FROM ({less}))"
            );
            assert_eq!(place.ask::<i64>(&sql), 0, "{counted}");
        }
    }
    let reader = Reader::open(&place.state()).expect("a store").expect("a store");
    assert_eq!(reader.miscounted(|| ()).expect("counters"), [""; 0]);
}

fn cases(place: &Place) -> i64 {
    place.ask("SELECT ifnull(sum(cases), 0) FROM case_counts")
}

#[test]
fn the_counters_follow_runs_repeats_and_reruns() {
    let place = Place::new();
    for number in 1..=9 {
        place.file(format!("data/{number}.in"), thunder(number));
    }
    place
        .file("data/bad.in", "1 2 3\n")
        .file("data/crash.in", "3 1\n")
        .file("data/out.in", "1 1\n");
    place.file("data/slow.in", "2 12\n").file("data/many.in", "9 10000\n").file("data/1.ans", "?");
    place.simdrop(["run", "data"]).exits(1);
    counters_hold(&place);
    assert_eq!(cases(&place), 14);
    let games = "SELECT sum(games) FROM game_counts";
    assert_eq!(place.ask::<i64>(games), 9 + 1 + 10_000);
    place.simdrop(["run", "data"]).exits(1);
    counters_hold(&place);
    assert_eq!(cases(&place), 28);
    assert_eq!(place.ask::<i64>(games), 9 + 1 + 10_000, "a repeated input is no new game");
    place.simdrop(["run", "data", "--fresh"]).exits(1);
    place.simdrop(["rerun", "1", "--verdict", "WA,NOREF"]).exits(1);
    counters_hold(&place);
}

#[test]
fn a_counter_that_is_wrong_is_found() {
    for (sql, table) in [
        ("UPDATE case_counts SET cached = cached + 1", "case_counts"),
        ("DELETE FROM game_counts", "game_counts"),
        ("UPDATE value_counts SET value = value + 1 WHERE what = 2", "value_counts"),
    ] {
        let place = Place::new();
        place.file("data/1.in", thunder(1));
        place.simdrop(["run", "data"]).exits(0);
        let db = rusqlite::Connection::open(place.state().join("store.db")).expect("a store");
        db.execute(sql, []).expect("a change");
        let reader = Reader::open(&place.state()).expect("a store").expect("a store");
        assert_eq!(reader.miscounted(|| ()).expect("counters"), [table]);
    }
}

#[test]
fn the_counters_survive_a_death_anywhere() {
    for point in ["before-commit:3", "after-commit:4", "after-claim:1", "mid-result:2"] {
        let place = Place::new();
        for number in 1..=9 {
            place.file(format!("data/{number}.in"), thunder(number));
        }
        place.file("data/many.in", "9 20000\n");
        let mut command = place.command(["run", "data", "--jobs", "2"]);
        command.env("SIMDROP_CRASH_POINT", point);
        assert_eq!(command.output().expect("the program starts").status.code(), None, "{point}");
        counters_hold(&place);
        place.simdrop(["run", "data"]).exits(0);
        counters_hold(&place);
    }
}

#[test]
fn the_counters_follow_a_cancel() {
    let mut daemon = Daemon::up();
    daemon.simdrop(&["pause"]).exits(0);
    daemon.drop_file("1.in", thunder(1));
    daemon.drop_file("2.in", "1 2 3\n");
    wait_until("both are taken in", || daemon.ask("SELECT count(*) FROM cases") == 2);
    daemon.simdrop(&["cancel", "1"]);
    daemon.simdrop(&["cancel", "2"]);
    daemon.stop();
    counters_hold(&daemon.place);
    let cancelled = "SELECT cases FROM case_counts WHERE verdict = 8";
    assert_eq!(daemon.ask(cancelled), 1);
    assert_eq!(cases(&daemon.place), 2);
}
