//! `simdrop show`: what stands out in a run, and its log.

use serde_json::Value;

use crate::golden::golden;
use crate::harness::{Place, thunder};

/// So many games of Thunder Bluff in one input.
fn games(number: u32) -> String {
    let seeds: String = (1..=number).map(|seed| thunder(seed)[2..].to_owned()).collect();
    format!("{number}\n{seeds}")
}

fn ranks(value: &Value) -> Vec<u64> {
    let rows = value.as_array().expect("rows");
    rows.iter().map(|row| row["rank"].as_u64().expect("a rank")).collect()
}

#[test]
fn the_largest_cases_of_a_run_and_the_slowest_of_those_that_were_played_are_named() {
    let place = Place::new();
    for (name, number) in [("1", 3), ("2", 9), ("3", 1), ("4", 7), ("5", 2), ("6", 5), ("7", 400)] {
        place.file(format!("data/{name}.in"), games(number));
    }
    place.simdrop(["run", "data"]).exits(0);
    let run = place.json(["show", "1", "--json"]);
    assert_eq!(ranks(&run["largest"]), [7, 2, 4, 6, 1]);
    assert_eq!(run["largest"][0]["bytes"], games(400).len());
    assert_eq!(run["largest"][0]["name"], "7");
    let slowest = run["slowest"].as_array().expect("rows");
    let seconds: Vec<f64> = slowest.iter().filter_map(|row| row["seconds"].as_f64()).collect();
    assert!(seconds.len() == 5 && seconds.is_sorted_by(|a, b| a >= b), "{run}");
    let took = |rank: &u64| {
        let case = place.json(["show", &format!("1/{rank}"), "--json"]);
        let steps = ["parse", "play", "compare"];
        steps.map(|step| case["timings"][step].as_f64().expect("seconds")).iter().sum::<f64>()
    };
    let took: Vec<f64> = ranks(&run["slowest"]).iter().map(took).collect();
    assert!(took.iter().zip(&seconds).all(|(a, b)| (a - b).abs() < 1e-9), "{took:?} {run}");
    place.simdrop(["show", "1"]).exits(0).says("slowest\n").says("largest\n").says("work of all");

    place.file("data/8.in", games(8));
    place.simdrop(["run", "data"]).exits(0);
    let run = place.json(["show", "2", "--json"]);
    assert_eq!(ranks(&run["slowest"]), [8], "the others are cached");
    assert_eq!(ranks(&run["largest"]), [7, 2, 8, 4, 6]);
    place.simdrop(["rerun", "1", "--verdict", "NOREF", "--fresh"]).exits(0);
    let run = place.json(["show", "latest", "--json"]);
    assert_eq!((ranks(&run["largest"]), ranks(&run["slowest"]).len()), (vec![7, 2, 4, 6, 1], 5));
}

#[test]
fn the_work_of_a_run_is_that_of_its_cases_together() {
    let place = Place::new();
    for number in 1..=5 {
        place.file(format!("data/{number}.in"), games(number));
    }
    place.simdrop(["run", "data"]).exits(0);
    let work = "SELECT parse_us + play_us + compare_us + store_us FROM runs";
    let cases = "SELECT sum(parse_us + play_us + compare_us + store_us) FROM cases";
    assert_eq!(place.ask::<i64>(work), place.ask::<i64>(cases));
}

#[test]
fn twenty_failing_cases_are_shown_and_all_when_asked_for() {
    let place = Place::new();
    for number in 1..=25 {
        place.file(format!("data/{number}.in"), thunder(number));
        place.file(format!("data/{number}.ans"), "x\n");
    }
    place.file("data/3.in", "3 3 3\n").file("data/9.in", "x\n").file("data/26.in", thunder(26));
    place.simdrop(["run", "data"]).exits(1);
    let shown = place.simdrop(["show", "1"]).exits(0).says("5 more: simdrop show 1 --failed\n");
    assert!(shown.stdout.contains("\n1/20  ") && !shown.stdout.contains("\n1/21  "), "{shown:?}");
    assert_eq!(place.json(["show", "1", "--json"])["failing"].as_array().map(Vec::len), Some(20));
    let all = place.json(["show", "1", "--failed", "--json"]);
    assert_eq!(ranks(&all), (1..=25).collect::<Vec<_>>());
    let lines = place.simdrop(["show", "1", "--failed", "-o", "jsonl"]).exits(0).stdout;
    assert_eq!(lines.lines().count(), 25);
    let text = place.simdrop(["show", "1", "--failed"]).exits(0).says("1/3  3  BADIN").stdout;
    assert_eq!(text.matches("    got       x\n").count(), 23);
    place.simdrop(["show", "1/1", "--failed"]).exits(2).complains("--failed is of a run");
}

#[test]
fn a_case_is_found_by_its_name_whatever_the_order_of_the_run() {
    let place = Place::new();
    for number in 1..=40 {
        place.file(format!("data/a{number}.in"), thunder(number));
        if number % 3 == 0 {
            place.file(format!("data/a{number}.ans"), "x\n");
        }
    }
    place.simdrop(["run", "data"]).exits(1);
    place.simdrop(["rerun", "1", "--verdict", "WA"]).exits(1);
    let rank = |reference: &str| place.json(["show", reference, "--json"])["rank"].clone();
    for number in 1..=40 {
        assert_eq!(rank(&format!("1/a{number}")), number);
        let again = place.simdrop(["show", &format!("2/a{number}")]);
        again.exits(if number % 3 == 0 { 0 } else { 3 });
    }
    for missing in ["1/a0", "1/a41", "1/b", "1/a7x"] {
        place.simdrop(["show", missing]).exits(3).complains("no such case");
    }
    let db = rusqlite::Connection::open(place.state().join("store.db")).expect("a store");
    db.execute("UPDATE cases SET name = CAST('z' || rank AS BLOB) WHERE id % 2 = 0", [])
        .expect("a change");
    drop(db);
    for number in 1..=40 {
        let name = if number % 2 == 0 { 'z' } else { 'a' };
        assert_eq!(rank(&format!("1/{name}{number}")), number);
    }
}

#[test]
fn a_run_without_failing_cases_has_none_to_show() {
    let place = Place::new();
    place.file("data/1.in", thunder(1)).simdrop(["run", "data"]).exits(0);
    assert_eq!(place.json(["show", "1", "--failed", "--json"]), Value::Array(Vec::new()));
    assert_eq!(place.simdrop(["show", "1", "--failed"]).exits(0).stdout, "");
}

#[test]
fn the_exit_status_says_whether_all_is_fine_when_asked_for() {
    let place = Place::new();
    place.file("data/1.in", thunder(1)).file("data/2.in", thunder(2)).file("data/2.ans", "x\n");
    place.simdrop(["run", "data"]).exits(1);
    for (reference, code) in [("1", 1), ("1/1", 0), ("1/2", 1), ("1/1#1", 0)] {
        place.simdrop(["show", reference]).exits(0);
        place.simdrop(["show", reference, "--exit-status"]).exits(code);
    }
    place.simdrop(["show", "1", "--failed", "--exit-status"]).exits(1);
}

#[test]
fn a_log_has_the_lines_of_a_level_and_above() {
    let place = Place::new();
    place.file("data/1.in", thunder(1)).file("data/2.in", "3 3 3\n").file("data/9.ans", "x\n");
    place.simdrop(["run", "data"]).exits(1);
    let levels = |args: &[&str]| -> Vec<String> {
        let args = [&["show", "1", "--log", "-o", "jsonl"], args].concat();
        let ran = place.simdrop(args).exits(0);
        let level = |line: &str| {
            let line: Value = serde_json::from_str(line).expect("JSON");
            format!("{} {}", line["rank"], line["level"].as_str().unwrap_or_default())
        };
        ran.stdout.lines().map(level).collect()
    };
    assert_eq!(levels(&[]), ["null info", "null warning", "1 info", "2 error"]);
    assert_eq!(levels(&["--level", "warning"]), ["null warning", "2 error"]);
    assert_eq!(levels(&["--level", "error", "--follow"]), ["2 error"]);
    place.simdrop(["show", "1/2", "--log", "-f"]).exits(0).says("error    BADIN: ");
    place.simdrop(["show", "1", "--log"]).exits(0).says("error    1/2  BADIN: ");
    place.simdrop(["show", "1", "--level", "error"]).exits(2);
    place.simdrop(["show", "1", "-f"]).exits(2);
    place.simdrop(["show", "1", "--log", "--level", "loud"]).exits(2).complains("info, warning");
}

#[test]
fn a_log_of_many_pages_is_whole_and_in_order() {
    let place = Place::new();
    place.file("data/1.in", thunder(1)).file("data/2.in", thunder(2));
    place.simdrop(["run", "data"]).exits(0);
    let mut db = rusqlite::Connection::open(place.state().join("store.db")).expect("a store");
    let transaction = db.transaction().expect("a transaction");
    for number in 0..5_000_i64 {
        // Two thirds belong to one place: its lines are more than a page.
        let of = (1_i64 << 32) + i64::from(number % 3 == 0);
        let sql = "INSERT INTO logs (id, at_us, level, message) VALUES (?1, 0, 1, ?2)";
        transaction.execute(sql, (of, format!("n{number}"))).expect("a line");
    }
    transaction.commit().expect("a commit");
    let numbers = |args: &[&str]| -> Vec<i64> {
        let ran = place.simdrop(args).exits(0);
        let number = |line: &str| {
            let line: Value = serde_json::from_str(line).expect("JSON");
            line["message"].as_str()?.strip_prefix('n')?.parse().ok()
        };
        ran.stdout.lines().filter_map(number).collect()
    };
    let of = |wanted: fn(&i64) -> bool| (0..5_000).filter(wanted);
    let expected: Vec<i64> = of(|n| n % 3 != 0).chain(of(|n| n % 3 == 0)).collect();
    assert_eq!(numbers(&["show", "1", "--log", "-o", "jsonl"]), expected);
    assert_eq!(numbers(&["show", "1", "--log", "-f", "-o", "jsonl"]), expected);
    let of_one: Vec<i64> = of(|n| n % 3 == 0).collect();
    assert_eq!(numbers(&["show", "1/1", "--log", "-o", "jsonl"]), of_one);
}

/// A run of which all but one case is cached, so that its slowest case is always the same one.
fn with_one_slow_case() -> Place {
    let place = Place::new();
    place.file("data/1.in", thunder(1)).file("data/2.in", thunder(2)).file("data/2.ans", "x\n");
    place.file("data/3.in", "3 3 3\n").file("data/9.ans", "x\n");
    place.simdrop(["run", "data", "--label", "first"]).exits(1);
    place.file("data/2.ans", "y\n").file("data/4.in", games(3));
    place.file("data/1.ans", place.simdrop(["show", "1/1", "--output"]).stdout);
    place.simdrop(["run", "data", "--label", "second", "--tag", "by=ann"]).exits(1);
    place
}

#[test]
fn runs_cases_games_and_logs_are_shown_as_written() {
    let place = with_one_slow_case();
    let commands: &[&[&str]] = &[
        &["show", "2"],
        &["show", "2", "--json"],
        &["show", "2", "--failed"],
        &["show", "2/2"],
        &["show", "2/2", "--json"],
        &["show", "2/2", "--diff"],
        &["show", "2/3"],
        &["show", "2/4#2"],
        &["show", "2/4#2", "--json"],
        &["show", "2", "--log"],
        &["show", "2/4", "--log", "--json"],
        &["show", "3"],
        &["show", "2/9"],
    ];
    golden("show", &place, commands);
}

#[test]
fn comparisons_are_answered_as_written() {
    let place = with_one_slow_case();
    let commands: &[&[&str]] = &[
        &["compare", "first", "second"],
        &["compare", "1", "2"],
        &["compare", "1", "2", "--json"],
        &["compare", "1", "2", "-o", "jsonl", "--only", "only-b"],
        &["compare", "1", "1"],
    ];
    golden("compare", &place, commands);
}

#[test]
fn other_commands_answer_as_written() {
    let place = with_one_slow_case();
    place.file("bad.in", "1 2 x\n").file("ann/1.out", "x\n").file("ann/4.out", "y\n");
    let commands: &[&[&str]] = &[
        &["sim", "thunder-bluff", "data/1.in"],
        &["sim", "mtj", "bad.in"],
        &["trace", "2/4#2", "--steps", "1..3"],
        &["trace", "2/4#2", "--steps", "1..3", "-o", "jsonl"],
        &["lint", "data"],
        &["lint", "data", "--json"],
        &["check", "ann", "--against", "data"],
        &["check", "ann", "--against", "data", "-o", "csv"],
        &["wait", "1"],
        &["wait", "1", "--json"],
        &["rerun", "1", "--verdict", "WA"],
        &["status"],
        &["cancel", "1"],
    ];
    golden("others", &place, commands);
}
