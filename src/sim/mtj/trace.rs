//! The steps of a game, for people and programs.

use std::fmt;

use serde::Serialize;

use super::play::Kind;

/// One step of a game. Players and values are numbered from 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// A player has got the five cards of the deal.
    Deal {
        /// Whose cards.
        player: u32,
        /// The hand.
        hand: Vec<Held>,
    },
    /// A player puts down cards.
    Play {
        /// Who plays.
        player: u32,
        /// Whether the player leads or answers.
        role: Role,
        /// A group or a straight.
        kind: Kind,
        /// The cards in order.
        cards: Vec<u32>,
        /// The sum of their likes.
        earned: i64,
        /// The player's favour after it.
        favour: i64,
        /// The limit up to which the player may draw after it.
        limit: usize,
        /// The hand after it.
        hand: Vec<Held>,
    },
    /// A player draws up to the limit, or as many cards as the deck has.
    Draw {
        /// Who draws.
        player: u32,
        /// The cards in the order they were drawn.
        cards: Vec<u32>,
        /// The hand after it.
        hand: Vec<Held>,
        /// How many cards the deck has left.
        deck: usize,
    },
    /// Neighbours in the order of turns, none of whom can answer, pass one after another.
    Pass {
        /// Who passes first.
        first: u32,
        /// Who passes last.
        last: u32,
        /// How many pass.
        players: u32,
        /// The cards that would have answered.
        wanted: Vec<u32>,
        /// What they hold, in the order they pass; empty if more than four pass.
        hands: Vec<Vec<Held>>,
    },
    /// A player has neither cards nor a deck to draw from, and wins.
    Win {
        /// The winner.
        player: u32,
        /// The winner's favour.
        favour: i64,
    },
}

/// The hands of so many who pass are shown: a full table has too many to be read.
pub(super) const SHOWN_HANDS: u32 = 4;

/// Cards of one value in a hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Held {
    /// Their value.
    pub value: u32,
    /// How many, at least 1.
    pub count: u32,
}

/// What a player who plays is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Having the initiative, or having been the last one who played.
    Lead,
    /// Putting down as many cards, one point higher than the play before.
    Answer,
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deal { player, hand } => write!(f, "player {player} is dealt {}", Hand(hand)),
            Self::Play { player, role, kind, cards, earned, favour, limit, hand } => {
                let (does, before) = (Does(*role, *kind), before(cards, hand));
                let (cards, before, hand) = (Cards(cards), Hand(&before), Hand(hand));
                write!(f, "player {player} holds {before}, {does} {cards}, keeps {hand}; ")?;
                write!(f, "favour {favour} ({earned:+}), hand limit {limit}")
            }
            Self::Draw { player, cards, hand, deck } => {
                let (cards, hand) = (Cards(cards), Hand(hand));
                write!(f, "player {player} draws {cards}; holds {hand}; {deck} left in the deck")
            }
            Self::Pass { first, last, players, wanted, hands } => {
                match players {
                    1 => write!(f, "player {first} passes")?,
                    _ => write!(f, "players {first} to {last} pass, {players} in a row")?,
                }
                write!(f, " without {}", Cards(wanted))?;
                hands.iter().enumerate().try_for_each(|(at, hand)| {
                    write!(f, "{}{}", if at == 0 { ": " } else { " | " }, Hand(hand))
                })
            }
            Self::Win { player, favour } => {
                write!(f, "player {player} wins with favour {favour}: no cards, and no deck")
            }
        }
    }
}

/// A hand before cards were put down from it.
fn before(cards: &[u32], kept: &[Held]) -> Vec<Held> {
    let played = cards.iter().map(|&value| Held { value, count: 1 });
    let mut hand: Vec<Held> = kept.iter().copied().chain(played).collect();
    hand.sort_unstable_by_key(|held| held.value);
    hand.dedup_by(|held, known| {
        let same = held.value == known.value;
        known.count += if same { held.count } else { 0 };
        same
    });
    hand
}

/// What a player does with cards, and why with these.
struct Does(Role, Kind);

impl fmt::Display for Does {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.0, self.1) {
            (Role::Lead, Kind::Straight) => "leads its longest straight",
            (Role::Lead, Kind::Group) => "leads its largest group",
            (Role::Answer, _) => "answers one higher with",
        })
    }
}

/// Prints `1 2 3`.
struct Cards<'a>(&'a [u32]);

impl fmt::Display for Cards<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, card) in self.0.iter().enumerate() {
            write!(f, "{}{card}", if at == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

/// Prints `2 2 2 5`, and many cards of a value in short, as in `2x9 5 (10 cards)`.
struct Hand<'a>(&'a [Held]);

/// More cards of a value than this are printed in short.
const SPELT_OUT: u32 = 4;
/// More cards than this are counted for the reader.
const SEEN_AT_A_GLANCE: u64 = 8;

impl fmt::Display for Hand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, &Held { value, count }) in self.0.iter().enumerate() {
            f.write_str(if at == 0 { "" } else { " " })?;
            if count > SPELT_OUT {
                write!(f, "{value}x{count}")?;
            } else {
                write!(f, "{value}")?;
                (1..count).try_for_each(|_| write!(f, " {value}"))?;
            }
        }
        match self.0.iter().map(|held| u64::from(held.count)).sum() {
            0 => f.write_str("no cards"),
            1..=SEEN_AT_A_GLANCE => Ok(()),
            cards => write!(f, " ({cards} cards)"),
        }
    }
}
