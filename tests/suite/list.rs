//! `simdrop list`: queries, pages, orders, columns and forms.

mod blocks;
mod forms;
mod moments;

use serde_json::Value;

use crate::harness::{Place, thunder};

/// Three runs: one with a case without an answer, a wrong and a bad one; one of 30 cases; the first again.
fn with_runs() -> Place {
    let place = Place::new();
    place.file("data/1.in", thunder(1)).file("data/2.in", thunder(2)).file("data/2.ans", "x\n");
    place.file("data/3.in", "3 3 3\n");
    place.simdrop(["run", "data", "--label", "week 3", "--tag", "by=ann"]).exits(1);
    for seed in 1..=30 {
        place.file(format!("many/{seed}.in"), thunder(seed));
    }
    place.simdrop(["run", "many", "--fresh", "--tag", "by=bob"]).exits(0);
    place.simdrop(["run", "data", "--label", "week 4"]).exits(1);
    place
}

/// The rows of a list in JSON, each by its place.
fn listed(place: &Place, args: &[&str]) -> Vec<String> {
    let all = ["list"].iter().chain(args).chain(&["--json"]).copied();
    let rows = place.json(all);
    let place_of = |row: &Value| match (&row["id"], &row["game"]) {
        (Value::Number(id), _) => id.to_string(),
        (_, Value::Null) => format!("{}/{}", row["run"], row["rank"]),
        (_, game) => format!("{}/{}#{game}", row["run"], row["rank"]),
    };
    rows.as_array().expect("rows").iter().map(place_of).collect()
}

#[test]
fn a_query_selects_runs_cases_and_games() {
    let place = with_runs();
    for (args, rows) in [
        (&["label:week 3"][..], &["1"][..]),
        (&["runs", "label:\"week 3\""], &["1"]),
        (&["--label", "week 4"], &["3"]),
        (&["verdict:WA"], &["3", "1"]),
        (&["-verdict:WA"], &["2"]),
        (&["tag:by"], &["2", "1"]),
        (&["--tag", "by=ann"], &["1"]),
        (&["cases>10"], &["2"]),
        (&["state:done", "run<3", "-run:1"], &["2"]),
        (&["cases", "verdict:WA,BADIN", "run:1"], &["1/3", "1/2"]),
        (&["cases", "--verdict", "WA", "cached"], &["3/2"]),
        (&["cases", "-cached", "-verdict:NOREF"], &["3/3", "1/3", "1/2"]),
        (&["cases", "name:2", "-sim:mtj", "run>1"], &["3/2", "2/2"]),
        (&["games", "run:1"], &["1/2#1", "1/1#1"]),
        (&["games", "run:1", "rolls>200"], &["1/1#1"]),
        (&["games", "sim:mtj"], &[]),
    ] {
        assert_eq!(listed(&place, args), rows, "{args:?}");
    }
    let wins = listed(&place, &["games", "run:2", "winner:carol", "--limit", "0"]);
    let others = listed(&place, &["games", "run:2", "-winner:carol", "--limit", "0"]);
    assert!(!wins.is_empty() && wins.len() + others.len() == 30, "{wins:?} {others:?}");
}

#[test]
fn a_query_that_cannot_be_read_is_pointed_at() {
    let place = Place::new();
    for (args, column, message) in [
        (&["sim:mtj", "verdit:WA"][..], 9, "unknown key \"verdit\"; did you mean verdict?"),
        (&["cases", "-took>2"], 7, "a number needs a unit"),
        (&["everything"], 1, "expected a term"),
    ] {
        let ran = place.simdrop(["list"].iter().chain(args)).exits(2);
        let lines: Vec<&str> = ran.stderr.lines().collect();
        assert!(
            lines[0].starts_with(&format!("error: QUERY, column {column}: {message}")),
            "{ran:?}"
        );
        assert_eq!(lines[2], format!("  {}^", " ".repeat(column - 1)));
    }
    place.simdrop(["list", "--since", "whenever"]).exits(2).complains("--since whenever: expected");
}

/// All pages of a list, from row to row by what its last line says.
fn pages(place: &Place, what: &str, limit: &str) -> Vec<String> {
    let mut rows = Vec::new();
    let mut after: Option<String> = None;
    loop {
        let mut args = vec!["list", what, "--limit", limit];
        args.extend(after.iter().flat_map(|id| ["--after", id]));
        let page = place.simdrop(&args).exits(0).stdout;
        let (table, last) = page.trim_end().rsplit_once("\n\n").expect("a last line");
        let firsts = table.lines().skip(1).map(|line| line.split_whitespace().next());
        rows.extend(firsts.map(|first| first.expect("a cell").to_owned()));
        match last.rsplit_once("more: --after ") {
            Some((_, id)) => after = Some(id.to_owned()),
            None => return rows,
        }
    }
}

// F4
#[test]
fn pages_put_together_are_the_whole_list() {
    let place = with_runs();
    for (what, count) in [("runs", 3), ("cases", 36), ("games", 34)] {
        let whole = listed(&place, &[what, "--limit", "0"]);
        assert_eq!(whole.len(), count);
        for limit in ["1", "2", "7", "36", "100"] {
            assert_eq!(pages(&place, what, limit), whole, "{what} by {limit}");
        }
    }
}

#[test]
fn the_last_line_says_how_much_there_is_and_how_to_go_on() {
    let place = with_runs();
    for (args, last) in [
        (&["list"][..], "3 runs"),
        (&["list", "--limit", "2"], "2 of 3 runs; more: --after 2"),
        (&["list", "--after", "2"], "1 run; no more"),
        (&["list", "--after", "1"], "no runs after that"),
        (&["list", "label:none"], "no runs"),
        (&["list", "cases"], "20 of 36 cases; more: --after 2/14"),
        (&["list", "cases", "run:2", "--limit", "3"], "3 of 30 cases; more: --after 2/28"),
        (
            &["list", "cases", "verdict:NOREF,WA", "-sim:mtj", "--limit", "1"],
            "1 of 34 cases; more: --after 3/2",
        ),
        (&["list", "cases", "-verdict:BADIN", "--limit", "1"], "1 case; more: --after 3/2"),
        (&["list", "cases", "verdict:NOREF", "--sort", "play", "--limit", "1"], "1 of 32 cases"),
        (&["list", "games", "--limit", "1"], "1 game; more: --after 3/2#1"),
    ] {
        let shown = place.simdrop(args).exits(0).stdout;
        assert_eq!(shown.lines().last(), Some(last), "{args:?}: {shown}");
    }
    for (args, wanted) in [
        (&["list", "--after", "1/2"][..], "a run is its number"),
        (&["list", "cases", "--after", "1"], "a case is RUN/RANK"),
        (&["list", "games", "--after", "1/2"], "a game is RUN/RANK#GAME"),
        (&["list", "--after", "1", "--sort", "cases"], "--sort"),
    ] {
        place.simdrop(args).exits(2).complains(wanted);
    }
}

#[test]
fn a_sorted_list_has_the_first_of_all_rows() {
    let place = with_runs();
    let lengths = |order: &str, limit: &str| -> Vec<i64> {
        let rows =
            place.json(["list", "games", "run:2", "--sort", order, "--limit", limit, "--json"]);
        let rows = rows.as_array().expect("rows").iter();
        rows.map(|row| row["length"].as_i64().expect("a length")).collect()
    };
    let all = lengths("length", "100");
    assert_eq!(all.len(), 30);
    assert!(all.is_sorted_by(|a, b| a >= b), "{all:?}");
    assert_eq!(lengths("rolls:desc", "5"), all[..5]);
    let least: Vec<i64> = all.iter().rev().take(5).copied().collect();
    assert_eq!(lengths("rolls:asc", "5"), least);
    assert_eq!(listed(&place, &["--sort", "run:asc"]), ["1", "2", "3"]);
    // What has no value comes last in both directions.
    for order in ["games", "games:asc"] {
        let cases = listed(&place, &["cases", "run:1", "--sort", order]);
        assert_eq!(cases.last().map(String::as_str), Some("1/3"), "{order}");
    }
    for (args, wanted) in [
        (&["list", "--sort", "cases", "--limit", "0"][..], "--sort needs a --limit of 1 to 10,000"),
        (&["list", "--sort", "casses"], "unknown column \"casses\"; did you mean cases?"),
        (&["list", "--sort", "cases:up"], "expected cases:asc or cases:desc"),
    ] {
        place.simdrop(args).exits(2).complains(wanted);
    }
}
