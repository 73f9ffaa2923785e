//! Hands for few players and values, as all inputs within the statement's bounds have them.

use super::hands::Hands;
use super::lead::lead;
use super::play::{Play, Ring};

/// With more values than this nobody should look through all of them for a lead.
pub(super) const VALUES_MOST: u32 = 40;

/// With more players than this nobody should look through all of them for an answer.
pub(super) const PLAYERS_MOST: u32 = 256;

const WORDS: u32 = PLAYERS_MOST / u64::BITS;

/// A set of players.
type Players = [u64; WORDS as usize];

/// A table of all players and values.
#[derive(Debug)]
pub(super) struct SmallHands {
    ring: Ring,
    /// How many cards of each value a player holds, one player's row after another.
    counts: Vec<u32>,
    /// For each value those who hold it.
    holders: Vec<Players>,
}

impl Hands for SmallHands {
    fn new(players: u32, ring: Ring, _: &[u32]) -> Self {
        let counts = vec![0; players as usize * ring.values as usize];
        Self { ring, counts, holders: vec![[0; WORDS as usize]; ring.values as usize] }
    }

    #[inline]
    fn add(&mut self, player: u32, value: u32) {
        let cell = self.cell(player, value);
        self.counts[cell] += 1;
        self.holders[value as usize][word(player)] |= bit(player);
    }

    #[inline]
    fn take(&mut self, player: u32, value: u32) {
        let cell = self.cell(player, value);
        let count = &mut self.counts[cell];
        *count -= 1;
        if *count == 0 {
            self.holders[value as usize][word(player)] &= !bit(player);
        }
    }

    fn lead(&mut self, player: u32) -> Play {
        lead(self.row(player), self.ring)
    }

    #[inline]
    fn next_after(&mut self, player: u32, play: Play) -> Option<u32> {
        if play.cards == 1 {
            first_after(player, &self.holders[play.first as usize], |_| true)
        } else {
            self.next_with_all(player, play)
        }
    }

    fn each(&self, player: u32, mut see: impl FnMut(u32, u32)) {
        let counts = (0..).zip(self.row(player));
        counts.filter(|&(_, &count)| count > 0).for_each(|(value, &count)| see(value, count));
    }
}

impl SmallHands {
    #[inline]
    fn cell(&self, player: u32, value: u32) -> usize {
        player as usize * self.ring.values as usize + value as usize
    }

    fn row(&self, player: u32) -> &[u32] {
        &self.counts[self.cell(player, 0)..][..self.ring.values as usize]
    }

    /// As [`Hands::next_after`], for plays of several cards: among those who hold every value.
    #[inline(never)]
    fn next_with_all(&self, player: u32, play: Play) -> Option<u32> {
        let mut holders = [u64::MAX; WORDS as usize];
        for (value, _) in play.needs(self.ring) {
            let of_value = &self.holders[value as usize];
            holders.iter_mut().zip(of_value).for_each(|(all, some)| *all &= some);
        }
        first_after(player, &holders, |other| {
            let row = self.row(other);
            play.needs(self.ring).all(|(value, cards)| row[value as usize] >= cards)
        })
    }
}

/// The first member of a set after a player, and other than that player, who is fit.
#[inline]
fn first_after(player: u32, members: &Players, fit: impl Fn(u32) -> bool) -> Option<u32> {
    let after = u64::MAX << (player % u64::BITS) << 1;
    for step in 0..=WORDS {
        // The player's own word comes first and last, each time in part.
        let mask = match step {
            0 => after,
            WORDS => !after & !bit(player),
            _ => u64::MAX,
        };
        let word = (player / u64::BITS + step) % WORDS;
        let mut left = members[word as usize] & mask;
        while left != 0 {
            let other = word * u64::BITS + left.trailing_zeros();
            if fit(other) {
                return Some(other);
            }
            left &= left - 1;
        }
    }
    None
}

/// Where the word of a player is in a set.
#[inline]
const fn word(player: u32) -> usize {
    (player / u64::BITS % WORDS) as usize
}

/// The bit of a player in that word.
#[inline]
const fn bit(player: u32) -> u64 {
    1 << (player % u64::BITS)
}
