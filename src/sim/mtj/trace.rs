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
    },
    /// A player has neither cards nor a deck to draw from, and wins.
    Win {
        /// The winner.
        player: u32,
        /// The winner's favour.
        favour: i64,
    },
}

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
                let (role, kind, cards, hand) =
                    (Does(*role), Named(*kind), Cards(cards), Hand(hand));
                write!(f, "player {player} {role} {kind} {cards}; ")?;
                write!(f, "favour {earned:+} is {favour}, limit {limit}; keeps {hand}")
            }
            Self::Draw { player, cards, hand, deck } => {
                let (cards, hand) = (Cards(cards), Hand(hand));
                write!(f, "player {player} draws {cards}; holds {hand}; {deck} left in the deck")
            }
            Self::Pass { first, players: 1, .. } => write!(f, "player {first} passes"),
            Self::Pass { first, last, players } => {
                write!(f, "players {first} to {last} pass, {players} in a row")
            }
            Self::Win { player, favour } => {
                write!(f, "player {player} wins with favour {favour}: no cards, and no deck")
            }
        }
    }
}

struct Does(Role);

impl fmt::Display for Does {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Role::Lead => "leads",
            Role::Answer => "answers with",
        })
    }
}

struct Named(Kind);

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Kind::Group => "the group",
            Kind::Straight => "the straight",
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

/// Prints `2 2 2 5 (4 cards)`, and many cards of a value in short, as in `2 x 9, 5 (10 cards)`.
struct Hand<'a>(&'a [Held]);

/// More cards of a value than this are printed in short.
const SPELT_OUT: u32 = 4;

impl fmt::Display for Hand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cards: u64 = self.0.iter().map(|held| u64::from(held.count)).sum();
        if cards == 0 {
            return f.write_str("no cards");
        }
        for &Held { value, count } in self.0 {
            if count > SPELT_OUT {
                write!(f, "{value} x {count}, ")?;
            } else {
                (0..count).try_for_each(|_| write!(f, "{value} "))?;
            }
        }
        write!(f, "({cards} {})", if cards == 1 { "card" } else { "cards" })
    }
}
