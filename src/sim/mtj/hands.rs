//! The cards of all players, and who can answer a play.

use super::play::{Play, Ring};

/// Who holds what. Players and values are from 0.
pub(super) trait Hands {
    /// Empty hands, for a deck of these cards, whose values are from 1.
    fn new(players: u32, ring: Ring, deck: &[u32]) -> Self;

    /// Adds a card to a hand.
    fn add(&mut self, player: u32, value: u32);

    /// Takes a card that is held away.
    fn take(&mut self, player: u32, value: u32);

    /// What the player leads with; the hand is not empty.
    fn lead(&mut self, player: u32) -> Play;

    /// The next one in the order of turns, other than the player, who can make a play.
    fn next_after(&mut self, player: u32, play: Play) -> Option<u32>;

    /// Calls `see` with each value of a hand and how many cards of it, in ascending order.
    fn each(&self, player: u32, see: impl FnMut(u32, u32));
}
