//! Hands for any number of players and values: no work grows with either of them.

use super::hands::Hands;
use super::holders::Holders;
use super::play::{Play, Ring};
use super::wide::WideHand;

/// Each hand by itself, and an index of who can answer.
#[derive(Debug)]
pub(super) struct LargeHands {
    ring: Ring,
    hands: Vec<WideHand>,
    holders: Holders,
}

impl Hands for LargeHands {
    fn new(players: u32, ring: Ring, deck: &[u32]) -> Self {
        let hands = (0..players).map(|_| WideHand::default()).collect();
        Self { ring, hands, holders: Holders::new(players, ring, deck) }
    }

    fn add(&mut self, player: u32, value: u32) {
        let count = self.hands[player as usize].add(value);
        self.holders.insert(value, count, player);
    }

    fn take(&mut self, player: u32, value: u32) {
        let count = self.hands[player as usize].take(value);
        self.holders.remove(value, count, player);
    }

    fn lead(&mut self, player: u32) -> Play {
        self.hands[player as usize].lead(self.ring)
    }

    fn next_after(&mut self, player: u32, play: Play) -> Option<u32> {
        self.holders.next_after(player, play)
    }

    fn each(&self, player: u32, see: impl FnMut(u32, u32)) {
        self.hands[player as usize].each(see);
    }
}
