//! Who stands where beyond Launch: one board for all players, so that a unit that lands sees at once
//! whom it meets.

use super::PLAYERS;
use super::board::{CELLS, byte, cell};

/// Pieces of one player: those on a cell, or a unit that moves. How many they are, and in the bits
/// above that whose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stand(u8);

impl Stand {
    /// An empty cell.
    pub(super) const NOBODY: Self = Self(0);
    /// How many bits the number of pieces has.
    const PIECES_BITS: u32 = 4;

    /// A single piece of a player.
    #[inline]
    pub(super) const fn single(player: usize) -> Self {
        Self(byte(player) << Self::PIECES_BITS | 1)
    }

    /// How many pieces.
    #[inline]
    pub(super) const fn pieces(self) -> u8 {
        self.0 & ((1 << Self::PIECES_BITS) - 1)
    }

    /// Whose they are.
    #[inline]
    pub(super) const fn player(self) -> usize {
        (self.0 >> Self::PIECES_BITS) as usize % PLAYERS
    }

    /// With more pieces of the same player.
    #[inline]
    pub(super) const fn and(self, unit: Self) -> Self {
        Self(self.0 + unit.pieces())
    }

    /// Without some of the pieces; nobody if there are no others.
    #[inline]
    pub(super) const fn without(self, pieces: u8) -> Self {
        if self.pieces() == pieces { Self::NOBODY } else { Self(self.0 - pieces) }
    }
}

/// All cells of the board.
#[derive(Debug)]
pub(super) struct Cells([Stand; CELLS]);

impl Cells {
    /// Nobody stands anywhere.
    pub(super) const fn new() -> Self {
        Self([Stand::NOBODY; CELLS])
    }

    /// Who stands on the cell of a player's place.
    #[inline]
    pub(super) fn at(&self, player: usize, place: usize) -> Stand {
        self.0[cell(player, place)]
    }

    /// The same, to be changed.
    #[inline]
    pub(super) fn at_mut(&mut self, player: usize, place: usize) -> &mut Stand {
        &mut self.0[cell(player, place)]
    }
}
