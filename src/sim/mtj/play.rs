//! Groups and straights, and what answers them.

use serde::Serialize;

/// The two ways to put down cards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Cards of one value.
    Group,
    /// At least three cards, each one point above the one before it, and 1 above `k`.
    Straight,
}

/// The fewest cards of a straight.
pub(super) const STRAIGHT_LEAST: u32 = 3;

/// Cards put down together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Play {
    pub(super) kind: Kind,
    /// The value of the first card, from 0.
    pub(super) first: u32,
    /// How many cards, at least 1.
    pub(super) cards: u32,
}

impl Play {
    /// The only play that answers this one: as many cards, one point higher.
    pub(super) const fn answer(self, ring: Ring) -> Self {
        Self { first: ring.after(self.first), ..self }
    }

    /// The values of the cards in order.
    pub(super) fn values(self, ring: Ring) -> impl Iterator<Item = u32> {
        let mut value = self.first;
        (0..self.cards).map(move |_| {
            let this = value;
            if self.kind == Kind::Straight {
                value = ring.after(value);
            }
            this
        })
    }

    /// Each value that is needed, with how many cards of it: a straight of several laps needs every
    /// value once for each lap, and those up to its end once more.
    pub(super) fn needs(self, ring: Ring) -> impl Iterator<Item = (u32, u32)> {
        let (values, laps, rest) = match self.kind {
            Kind::Group => (1, self.cards, 0),
            Kind::Straight => {
                (self.cards.min(ring.values), self.cards / ring.values, self.cards % ring.values)
            }
        };
        let mut value = self.first;
        (0..values).map(move |at| {
            let need = (value, laps + u32::from(at < rest));
            value = ring.after(value);
            need
        })
    }
}

/// The circle of values from 0 up to, not including, `values`, where 0 follows the last.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ring {
    pub(super) values: u32,
}

impl Ring {
    /// The value one point higher.
    pub(super) const fn after(self, value: u32) -> u32 {
        if value + 1 == self.values { 0 } else { value + 1 }
    }
}
