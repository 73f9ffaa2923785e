//! Hands for few players and values, as all inputs within the statement's bounds have them.

use super::hands::Hands;
use super::lead::lead;
use super::play::{Play, Ring};

/// With more values than this nobody should look through all of them for a lead.
pub(super) const VALUES_MOST: u32 = 40;

/// With more players than this nobody should look through all of them for an answer.
pub(super) const PLAYERS_MOST: u32 = 256;

/// More than there are values: an index with that many bits needs no check.
const VALUES: u32 = 64;

/// The players are in sets of so many, one bit for each.
const SET: u32 = u64::BITS;

const SETS: u32 = PLAYERS_MOST / SET;

/// A table of all players and values.
#[derive(Debug)]
pub(super) struct SmallHands {
    ring: Ring,
    /// How many cards of each value a player holds.
    counts: Vec<[u32; VALUES as usize]>,
    /// For each set of players and each value those who hold it.
    holders: [u64; (SETS * VALUES) as usize],
}

impl Hands for SmallHands {
    fn new(players: u32, ring: Ring, _: &[u32]) -> Self {
        let counts = vec![[0; VALUES as usize]; players as usize];
        Self { ring, counts, holders: [0; (SETS * VALUES) as usize] }
    }

    #[inline]
    fn add(&mut self, player: u32, value: u32) {
        self.counts[player as usize][(value % VALUES) as usize] += 1;
        self.holders[slot(player, value)] |= bit(player);
    }

    #[inline]
    fn take(&mut self, player: u32, value: u32) {
        let count = &mut self.counts[player as usize][(value % VALUES) as usize];
        *count -= 1;
        if *count == 0 {
            self.holders[slot(player, value)] &= !bit(player);
        }
    }

    fn lead(&mut self, player: u32) -> Play {
        lead(self.row(player), self.ring)
    }

    #[inline]
    fn next_after(&mut self, player: u32, play: Play) -> Option<u32> {
        if play.cards > 1 {
            return self.next_with_all(player, play);
        }
        // Mostly it is somebody soon after.
        let near = self.holders[slot(player, play.first)] & after(player);
        if near == 0 {
            let holders = |set| self.holders[slot(set * SET, play.first)];
            return first_after(player, holders, |_| true);
        }
        Some(player / SET * SET + near.trailing_zeros())
    }

    fn each(&self, player: u32, mut see: impl FnMut(u32, u32)) {
        let counts = (0..).zip(self.row(player));
        counts.filter(|&(_, &count)| count > 0).for_each(|(value, &count)| see(value, count));
    }
}

impl SmallHands {
    fn row(&self, player: u32) -> &[u32] {
        &self.counts[player as usize][..self.ring.values as usize]
    }

    /// As [`Hands::next_after`], for plays of several cards: among those who hold every value.
    #[inline(never)]
    fn next_with_all(&self, player: u32, play: Play) -> Option<u32> {
        let mut holders = [u64::MAX; SETS as usize];
        for (value, _) in play.needs(self.ring) {
            for (set, all) in (0..).zip(&mut holders) {
                *all &= self.holders[slot(set * SET, value)];
            }
        }
        first_after(
            player,
            |set| holders[set as usize],
            |other| {
                let row = self.row(other);
                play.needs(self.ring).all(|(value, cards)| row[value as usize] >= cards)
            },
        )
    }
}

/// The first one after a player, and other than that player, who is in the sets and fit.
fn first_after(
    player: u32,
    members: impl Fn(u32) -> u64,
    fit: impl Fn(u32) -> bool,
) -> Option<u32> {
    for step in 0..=SETS {
        // The player's own set comes first and last, each time in part.
        let mask = match step {
            0 => after(player),
            SETS => !after(player) & !bit(player),
            _ => u64::MAX,
        };
        let set = (player / SET + step) % SETS;
        let mut left = members(set) & mask;
        while left != 0 {
            let other = set * SET + left.trailing_zeros();
            if fit(other) {
                return Some(other);
            }
            left &= left - 1;
        }
    }
    None
}

/// Where the set that a player is in is among the holders of a value.
#[inline]
const fn slot(player: u32, value: u32) -> usize {
    // One bit of the index belongs to either, so nothing is added up.
    ((player / SET % SETS * VALUES) | (value % VALUES)) as usize
}

/// The bit of a player in its set.
#[inline]
const fn bit(player: u32) -> u64 {
    1 << (player % SET)
}

/// The bits of those after a player in its set.
#[inline]
const fn after(player: u32) -> u64 {
    u64::MAX << (player % SET) << 1
}
