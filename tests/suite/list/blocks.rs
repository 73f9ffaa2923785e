//! Games of a case with more of them than a row of the store holds.

use serde_json::Value;

use super::listed;
use crate::harness::{Place, thunder};

const GAMES: u32 = 600;

/// The first and the last one of each block, and some beside them.
const SOME: [u32; 9] = [1, 2, 255, 256, 257, 512, 513, 599, 600];

/// A case of many games, and some of them as cases of their own.
fn many_and_alone() -> Place {
    let place = Place::new();
    let seeds: String = (1..=GAMES).map(|seed| thunder(seed)[2..].to_owned()).collect();
    place.file("many/1.in", format!("{GAMES}\n{seeds}"));
    for seed in SOME {
        place.file(format!("alone/{seed}.in"), thunder(seed));
    }
    place.simdrop(["run", "many"]).exits(0);
    place.simdrop(["run", "alone"]).exits(0);
    place
}

/// What a game is, without whose it is.
fn game(place: &Place, reference: &str) -> Value {
    let mut game = place.json(["show", reference, "--json"]);
    let fields = game.as_object_mut().expect("a game");
    for key in ["run", "rank", "case", "name", "game"] {
        fields.remove(key);
    }
    game
}

#[test]
fn each_game_of_many_is_the_one_that_is_played_alone() {
    let place = many_and_alone();
    for (rank, number) in (1..).zip(SOME) {
        let alone = game(&place, &format!("2/{rank}#1"));
        assert_eq!(game(&place, &format!("1/1#{number}")), alone, "{number}");
    }
    place.simdrop(["show", "1/1#601"]).exits(3);
    place.simdrop(["store", "check"]).exits(0);
}

#[test]
fn a_list_goes_over_the_edges_of_blocks() {
    let place = many_and_alone();
    let all: Vec<String> = (1..=GAMES).rev().map(|number| format!("1/1#{number}")).collect();
    assert_eq!(listed(&place, &["games", "run:1", "--limit", "0"]), all);
    for after in [600, 514, 513, 512, 258, 257, 2] {
        let after_one = format!("1/1#{after}");
        let found = listed(&place, &["games", "run:1", "--after", &after_one, "--limit", "3"]);
        let from = all.len() + 1 - after;
        assert_eq!(found, all[from..all.len().min(from + 3)], "{after}");
    }
}

#[test]
fn what_a_query_leaves_of_many_games_is_the_same_for_a_list_statistics_and_sql() {
    let place = many_and_alone();
    let games = "FROM games WHERE result = (SELECT result FROM cases WHERE run = 1)";
    for (query, sql) in [
        ("winner:carol", "winner = 3"),
        ("rolls>220", "length > 220"),
        ("winner:carol rolls>220", "winner = 3 AND length > 220"),
        ("-winner:carol longest-streak>=3", "winner IS NOT 3 AND m12 >= 3"),
    ] {
        let args: Vec<&str> =
            ["games", "run:1", "--limit", "0"].into_iter().chain(query.split(' ')).collect();
        let found = listed(&place, &args);
        let sql = format!(
            "SELECT ifnull(group_concat('1/1#' || number), '')
             FROM (SELECT number {games} AND {sql} ORDER BY number DESC)"
        );
        assert_eq!(found.join(","), place.ask::<String>(&sql), "{query}");
        assert!(!found.is_empty() && found.len() < 600, "{query}");
        if query.starts_with('-') {
            // There it is said of the case: that it has no such game.
            continue;
        }
        let args =
            ["stats", "run:1", "--metric", "rolls", "--json"].into_iter().chain(query.split(' '));
        assert_eq!(place.json(args)[0]["n"], found.len(), "{query}");
    }
}
