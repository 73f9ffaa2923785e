//! A player of MTJ that is as slow and plain as the rules read, and games for both.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::str::FromStr;

use proptest::prelude::*;

use super::play;

type Hand = BTreeMap<usize, usize>;

/// A game, asked turn by turn.
struct Plain {
    k: usize,
    hands: Vec<Hand>,
    /// Whether the cards are a straight, and the cards.
    last: Option<(bool, Vec<usize>)>,
}

impl Plain {
    /// The longest straight from a value, of at most so many cards.
    fn straight(&self, player: usize, first: usize, most: usize) -> Vec<usize> {
        let mut hand = self.hands[player].clone();
        let values = (first..=self.k).chain((1..=self.k).cycle());
        let held = |value: &usize| match hand.get_mut(value) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        };
        values.take(most).take_while(held).collect()
    }

    fn lead(&self, player: usize) -> (bool, Vec<usize>) {
        let hand = &self.hands[player];
        let straights = hand.keys().map(|&first| self.straight(player, first, usize::MAX));
        let longest = straights.max_by_key(|cards| (cards.len(), cards[0])).expect("cards");
        if longest.len() >= 3 {
            return (true, longest);
        }
        let (&value, &count) =
            hand.iter().max_by_key(|&(&value, &count)| (count, value)).expect("cards");
        (false, vec![value; count])
    }

    fn answer(&self, player: usize) -> Option<(bool, Vec<usize>)> {
        let (straight, cards) = self.last.as_ref().expect("a play");
        let first = cards[0] % self.k + 1;
        let answer = if *straight {
            self.straight(player, first, cards.len())
        } else {
            let held = self.hands[player].get(&first).copied().unwrap_or(0);
            vec![first; held.min(cards.len())]
        };
        (answer.len() == cards.len()).then_some((*straight, answer))
    }

    fn take(&mut self, player: usize, value: usize) {
        let count = self.hands[player].get_mut(&value).expect("a card");
        *count -= 1;
        if *count == 0 {
            self.hands[player].remove(&value);
        }
    }
}

fn next<'a, T: FromStr>(tokens: &mut impl Iterator<Item = &'a str>) -> T {
    let number = tokens.next().and_then(|token| token.parse().ok());
    number.expect("a number")
}

/// What the judge prints for an input.
pub(super) fn output(input: &str) -> String {
    let mut tokens = input.split_whitespace();
    let (n, m, k) = (next(&mut tokens), next(&mut tokens), next(&mut tokens));
    let lim: i64 = next(&mut tokens);
    let likes: Vec<i64> = (0..k).map(|_| next(&mut tokens)).collect();
    let mut deck: Vec<usize> = (0..m).map(|_| next(&mut tokens)).collect();
    let mut game = Plain { k, hands: vec![Hand::new(); n], last: None };
    for player in (0..5).flat_map(|_| 0..n) {
        *game.hands[player].entry(deck.pop().expect("five cards")).or_default() += 1;
    }
    let (mut favours, mut out) = (vec![0; n], String::new());
    let mut last_player = 0;
    for player in (0..n).cycle() {
        let leads = game.last.is_none() || last_player == player;
        let turn = if leads { Some(game.lead(player)) } else { game.answer(player) };
        let Some((straight, cards)) = turn else { continue };
        write!(out, "{}:", player + 1).expect("text");
        for &value in &cards {
            write!(out, "{value} ").expect("text");
            game.take(player, value);
            favours[player] += likes[value - 1];
        }
        out.push('\n');
        (game.last, last_player) = (Some((straight, cards)), player);
        if game.hands[player].is_empty() && deck.is_empty() {
            break;
        }
        let limit = usize::try_from(favours[player].max(0) / lim + 5).expect("a limit");
        while game.hands[player].values().sum::<usize>() < limit {
            let Some(card) = deck.pop() else { break };
            *game.hands[player].entry(card).or_default() += 1;
        }
    }
    writeln!(out, "{} is winner!", last_player + 1).expect("text");
    for (player, hand) in game.hands.iter().enumerate() {
        write!(out, "{}:({}) ", player + 1, hand.values().sum::<usize>()).expect("text");
        for (value, &count) in hand {
            out.push_str(&format!("{value} ").repeat(count));
        }
        out.push('\n');
    }
    favours.iter().for_each(|favour| write!(out, "{favour} ").expect("text"));
    out + "\n"
}

/// Inputs of all sizes: the table of few players and values, and the index of many.
pub(super) fn inputs() -> impl Strategy<Value = String> {
    let players =
        prop_oneof![6 => 1..=5usize, 1 => 60..=70usize, 1 => 250..=260usize, 1 => 600..=700usize];
    let values =
        prop_oneof![2 => 1..=3usize, 4 => 4..=12usize, 2 => 39..=45usize, 1 => 60..=3000usize];
    let lim = prop_oneof![1..=4i64, 41..=200i64];
    let like = prop_oneof![Just(0i64), Just(3), Just(10), Just(100), Just(1_000_000_000)];
    let held = prop_oneof![1..=9usize, 38..=46usize, Just(3000)];
    (players, values, lim, like, held, 0..200usize).prop_flat_map(
        |(n, k, lim, like, held, more)| {
            let likes = prop::collection::vec(-like..=like, k);
            let cards =
                prop::collection::vec((0..held.min(k), prop::bool::weighted(0.1)), 5 * n + more);
            (likes, cards, 0..k).prop_map(move |(likes, cards, first)| {
                // Mostly a run of values in a row, which may lie across the end of the ring.
                let value = |(at, (value, any)): (usize, (usize, bool))| {
                    (first + if any { at * 7 } else { value }) % k + 1
                };
                let cards: Vec<usize> = cards.into_iter().enumerate().map(value).collect();
                let (likes, cards) = (line(&likes), line(&cards));
                format!("{n} {} {k} {lim}\n{likes}\n{cards}\n", 5 * n + more)
            })
        },
    )
}

fn line<T: ToString>(numbers: &[T]) -> String {
    numbers.iter().map(T::to_string).collect::<Vec<_>>().join(" ")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_game_is_as_the_plain_player_plays_it(input in inputs()) {
        prop_assert_eq!(play(&input).0, output(&input));
    }
}
