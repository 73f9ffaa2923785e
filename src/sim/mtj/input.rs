//! What an input says: `n m k lim`, the likes, the deck.

use std::fmt;

use crate::domain::{CaseError, ErrorCode};
use crate::sim::Numbers;

/// Cards dealt to each player at the start, and the limit of a hand without favour.
pub(super) const DEALT: u32 = 5;

/// The largest like, either way: the favour of all cards together then stays far within 64 bits.
const LIKE_MOST: i64 = 1_000_000_000;

/// The most players, cards or values: a text with so many numbers has gigabytes.
const COUNT_MOST: i64 = 1 << 30;

/// Players, deck and likes of one game.
///
/// What is read has at least one player and five cards for each, at least one like, and cards from 1
/// to the number of likes; only such a game can be played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// The number of players `n`.
    pub players: u32,
    /// The favour `lim` that raises the limit of a hand by one card; at least 1.
    pub lim: i64,
    /// The favour each card of a value earns; the first is for value 1, and there are `k` values.
    pub likes: Vec<i64>,
    /// The values of the deck's `m` cards from bottom to top: the last is drawn first.
    pub cards: Vec<u32>,
}

/// Reads a game; what lies outside the statement's bounds, but can be played, is warned about.
pub(super) fn parse(numbers: &mut Numbers<'_>) -> Result<Input, CaseError> {
    let players = numbers.within("the number of players n", 1, COUNT_MOST)?;
    match players {
        1 => numbers.warn("one-player", "one player, where the statement has at least 2"),
        2..=100 => {}
        _ => numbers.warn("many-players", "more players than the 100 of the statement"),
    }
    let least = players * i64::from(DEALT);
    let cards = numbers.within("the number of cards m, five for each player", least, COUNT_MOST)?;
    if cards > 100_000 {
        numbers.warn("many-cards", "more cards than the 100000 of the statement");
    }
    let values = numbers.within("the number of values k", 1, COUNT_MOST)?;
    if values > 10 {
        numbers.warn("many-values", "more values than the 10 of the statement");
    }
    let lim = numbers.within("lim", 1, i64::MAX)?;
    match lim {
        ..=40 => numbers.warn("small-lim", "lim is not above 40, as the statement has it"),
        41..=10_000 => {}
        _ => numbers.warn("large-lim", "lim is above the 10000 of the statement"),
    }
    let likes = likes(numbers, values)?;
    let cards = deck(numbers, cards, values)?;
    Ok(Input { players: count(players), lim, likes, cards })
}

/// Reads one like for each value. The text has these tokens, so its size bounds the allocation.
fn likes(numbers: &mut Numbers<'_>, values: i64) -> Result<Vec<i64>, CaseError> {
    let mut likes = Vec::with_capacity(count(values) as usize);
    for _ in 0..values {
        let like = numbers.within("a like", -LIKE_MOST, LIKE_MOST)?;
        if !(-10..=10).contains(&like) {
            numbers.warn("large-like", "a like beyond the 10 of the statement, either way");
        }
        likes.push(like);
    }
    Ok(likes)
}

/// Reads the cards. The text has these tokens, so its size bounds the allocation.
fn deck(numbers: &mut Numbers<'_>, cards: i64, values: i64) -> Result<Vec<u32>, CaseError> {
    let values = count(values);
    let mut deck = vec![0; count(cards) as usize];
    let mut rest = &mut deck[..];
    loop {
        // Nearly all cards of nearly all inputs are read at once.
        let read = numbers.short(values, rest);
        let Some((next, others)) = rest[read..].split_first_mut() else { return Ok(deck) };
        *next = card(numbers, values)?;
        rest = others;
    }
}

fn card(numbers: &mut Numbers<'_>, values: u32) -> Result<u32, CaseError> {
    match u32::try_from(numbers.next()?) {
        Ok(value) if (1..=values).contains(&value) => Ok(value),
        _ => {
            let expected = format!("a card: 1 to {values}");
            Err(numbers.wrong(ErrorCode::OutOfBounds, &expected))
        }
    }
}

/// A number that was found to be from 1 to [`COUNT_MOST`].
fn count(number: i64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { players, lim, likes, cards } = self;
        writeln!(f, "{players} {} {} {lim}", cards.len(), likes.len())?;
        write_line(f, likes)?;
        write_line(f, cards)
    }
}

/// Writes numbers with a space between each two.
fn write_line<T: fmt::Display>(f: &mut fmt::Formatter<'_>, numbers: &[T]) -> fmt::Result {
    for (at, number) in numbers.iter().enumerate() {
        write!(f, "{}{number}", if at == 0 { "" } else { " " })?;
    }
    writeln!(f)
}
