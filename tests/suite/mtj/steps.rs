//! The steps that an observer sees, and the numbers that are kept of a game.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use proptest::prelude::*;
use simdrop::domain::RuleSet;
use simdrop::sim::Stop;
use simdrop::sim::mtj::{Event, Held};

use super::plain::inputs;
use super::{game, play, read, steps};

const SAMPLE: &str = "3 30 6 5\n0 0 0 0 0 0\n\
    1 5 2 3 6 1 5 2 3 6 2 2 3 3 1 5 2 4 2 6 1 2 4 2 1 3 4 2 5 1\n";

#[test]
fn a_person_can_follow_the_sample() {
    let lines: Vec<String> = steps(SAMPLE).iter().map(Event::to_string).collect();
    let first = [
        "player 1 is dealt 1 1 2 4 4",
        "player 2 is dealt 2 3 4 5 6",
        "player 3 is dealt 1 2 2 2 5",
        "player 1 holds 1 1 2 4 4, leads its largest group 4 4, keeps 1 1 2; favour 0 (+0), hand limit 5",
        "player 1 draws 1 3; holds 1 1 1 2 3; 13 left in the deck",
        "players 2 to 3 pass, 2 in a row without 5 5: 2 3 4 5 6 | 1 2 2 2 5",
        "player 1 holds 1 1 1 2 3, leads its longest straight 1 2 3, keeps 1 1; favour 0 (+0), hand limit 5",
        "player 1 draws 3 2 2; holds 1 1 2 2 3; 10 left in the deck",
        "player 2 holds 2 3 4 5 6, answers one higher with 2 3 4, keeps 5 6; favour 0 (+0), hand limit 5",
        "player 2 draws 6 3 2; holds 2 3 5 6 6; 7 left in the deck",
        "players 3 to 1 pass, 2 in a row without 3 4 5: 1 2 2 2 5 | 1 1 2 2 3",
    ];
    assert_eq!(lines[..first.len()], first);
    let last = [
        "players 3 to 1 pass, 2 in a row without 2 3 4: 1 2 2 5 5 | 2",
        "player 2 holds 5 5, leads its largest group 5 5, keeps no cards; favour 0 (+0), hand limit 5",
        "player 2 wins with favour 0: no cards, and no deck",
    ];
    assert_eq!(lines[lines.len() - last.len()..], last);
    assert!(lines.iter().any(|line| line.starts_with("player 3 passes without ")));
}

#[test]
fn many_cards_of_a_value_are_printed_in_short() {
    let lines = steps(&game(9, 41, &[], &[[7, 7, 7, 7, 7], [1, 2, 2, 2, 2]], &[]));
    assert_eq!(lines[0].to_string(), "player 1 is dealt 7x5");
    assert_eq!(lines[1].to_string(), "player 2 is dealt 1 2 2 2 2");
}

#[test]
fn programs_read_the_steps_as_json() {
    let input =
        game(9, 2, &[0, 0, 0, 3], &[[4, 4, 1, 8, 2], [6, 6, 6, 5, 1], [5, 5, 5, 1, 3]], &[9]);
    let json: Vec<String> =
        steps(&input).iter().map(|step| serde_json::to_string(step).expect("json")).collect();
    assert_eq!(
        json[0],
        r#"{"event":"deal","player":1,"hand":[{"value":1,"count":1},{"value":2,"count":1},{"value":4,"count":2},{"value":8,"count":1}]}"#
    );
    assert_eq!(
        json[3],
        r#"{"event":"play","player":1,"role":"lead","kind":"group","cards":[4,4],"earned":6,"favour":6,"limit":8,"hand":[{"value":1,"count":1},{"value":2,"count":1},{"value":8,"count":1}]}"#
    );
    assert_eq!(
        json[4],
        r#"{"event":"draw","player":1,"cards":[9],"hand":[{"value":1,"count":1},{"value":2,"count":1},{"value":8,"count":1},{"value":9,"count":1}],"deck":0}"#
    );
    assert_eq!(
        json[5],
        r#"{"event":"pass","first":2,"last":2,"players":1,"wanted":[5,5],"hands":[[{"value":1,"count":1},{"value":5,"count":1},{"value":6,"count":3}]]}"#
    );
    assert!(json[6].starts_with(
        r#"{"event":"play","player":3,"role":"answer","kind":"group","cards":[5,5],"#
    ));
    assert!(json[json.len() - 1].starts_with(r#"{"event":"win","player":"#));
}

#[test]
fn the_numbers_of_the_sample() {
    let (_, outcome) = play(SAMPLE);
    assert_eq!((outcome.winner, outcome.length), (Some(2), Some(10)));
    let id = read(SAMPLE).input.simulator();
    let metrics: BTreeMap<_, _> = id.metrics().iter().copied().zip(outcome.metrics).collect();
    let wanted = [
        ("leads", 5),
        // 1 leads twice, then 2; after 3 3 it is 1 again, and then 2 again.
        ("lead-changes", 3),
        ("passes", 10),
        ("straights", 4),
        ("groups", 6),
        ("longest-straight", 3),
        ("largest-group", 2),
        // 6 6, 1 1, 2 2, 3 3.
        ("longest-trick", 4),
        ("largest-hand", 5),
        // 2 3 4, 6 6, 1 2 3, 5 5.
        ("winner-plays", 4),
        ("winner-favour", 0),
    ];
    assert_eq!(metrics, wanted.into_iter().collect());
    assert_eq!(outcome.lists, [("favours", vec![0, 0, 0]), ("hands", vec![1, 0, 5])]);
}

#[test]
fn a_set_flag_cancels_a_long_game() {
    let drawn: Vec<u32> = (0..20_000).map(|at| at % 9 + 1).collect();
    let input = game(9, 41, &[], &[[1, 3, 5, 7, 7], [2, 2, 2, 2, 2]], &drawn);
    let (cancel, mut out) = (AtomicBool::new(true), b"before".to_vec());
    let stopped = read(&input).input.play(0, RuleSet::Judge, &cancel, &mut out);
    assert!(stopped == Err(Stop::Cancelled) && out == b"before");
    assert!(play(&input).1.winner.is_some());
}

/// Adds or takes cards of a hand.
fn change(hand: &mut BTreeMap<u32, i64>, cards: &[u32], by: i64) {
    for &card in cards {
        *hand.entry(card).or_default() += by;
    }
    hand.retain(|_, count| *count != 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    /// The steps alone say what everybody holds, and tell the same game as the output.
    #[test]
    fn the_steps_tell_the_whole_game(input in inputs()) {
        let (out, outcome) = play(&input);
        let mut hands: BTreeMap<u32, BTreeMap<u32, i64>> = BTreeMap::new();
        let (mut told, mut passes, mut turn) = (String::new(), 0, 1);
        let players = players_of(&input);
        for step in steps(&input) {
            let (player, shown) = match step {
                Event::Deal { player, hand } => {
                    let hand: BTreeMap<_, _> = hand.iter().map(|held| (held.value, i64::from(held.count))).collect();
                    hands.insert(player, hand);
                    continue;
                }
                Event::Play { player, cards, hand, .. } => {
                    prop_assert_eq!(player, turn);
                    turn = player % players + 1;
                    change(hands.entry(player).or_default(), &cards, -1);
                    let cards: String = cards.iter().map(|card| format!("{card} ")).collect();
                    told += &format!("{player}:{cards}\n");
                    (player, hand)
                }
                Event::Draw { player, cards, hand, .. } => {
                    change(hands.entry(player).or_default(), &cards, 1);
                    (player, hand)
                }
                Event::Pass { first, last, players: number, .. } => {
                    prop_assert_eq!(first, turn);
                    prop_assert_eq!((first + number - 2) % players + 1, last);
                    turn = last % players + 1;
                    passes += i64::from(number);
                    continue;
                }
                Event::Win { player, .. } => {
                    prop_assert_eq!(outcome.winner, Some(player));
                    continue;
                }
            };
            let known: Vec<Held> = hands[&player].iter().map(|(&value, &count)| Held { value, count: u32::try_from(count).expect("some") }).collect();
            prop_assert_eq!(known, shown);
        }
        prop_assert!(out.starts_with(&told));
        prop_assert_eq!(passes, outcome.metrics[2]);
    }
}

/// The first number of an input.
fn players_of(input: &str) -> u32 {
    input.split_whitespace().next().and_then(|token| token.parse().ok()).expect("a number")
}
