//! One player's pieces and points.

use super::board::LAUNCH;
use super::dice::Streak;

/// How many pieces each player has.
pub(super) const PIECES: u8 = 4;

/// One player's pieces and points.
#[derive(Debug)]
pub(super) struct Player {
    /// The places between the hangar and home that hold pieces, as a set of bits.
    pub(super) units: u64,
    /// Pieces on Launch.
    pub(super) launch: u8,
    /// Pieces face up in the hangar.
    pub(super) hangar: u8,
    /// Pieces face down in the hangar.
    pub(super) home: u8,
    /// Skips in a row.
    pub(super) skips: u8,
    /// The equal rolls at the end of all rolls so far.
    pub(super) streak: Streak,
    /// Points so far.
    pub(super) score: i64,
}

impl Player {
    /// A player before the first roll.
    pub(super) const fn new() -> Self {
        Self {
            units: 0,
            launch: 0,
            hangar: PIECES,
            home: 0,
            skips: 0,
            streak: Streak::NONE,
            score: 0,
        }
    }

    /// Puts a piece from the hangar on Launch and ends the skips in a row.
    #[inline]
    pub(super) const fn launch(&mut self) {
        self.hangar -= 1;
        self.skips = 0;
        self.launch += 1;
        self.units |= 1 << LAUNCH;
    }

    /// Takes a piece off Launch.
    #[inline]
    pub(super) const fn leave_launch(&mut self) {
        self.launch -= 1;
        if self.launch == 0 {
            self.units &= !(1 << LAUNCH);
        }
    }

    /// The place nearest home that holds pieces.
    #[inline]
    pub(super) fn nearest(&self) -> usize {
        (self.units | 1 << LAUNCH).ilog2() as usize
    }

    /// The place farthest from home that holds pieces.
    #[inline]
    pub(super) fn farthest(&self) -> usize {
        self.units.trailing_zeros() as usize
    }

    /// The places that hold pieces, from the one farthest from home.
    pub(super) fn places(&self) -> impl Iterator<Item = usize> {
        let mut rest = self.units;
        std::iter::from_fn(move || {
            let place = rest.trailing_zeros() as usize;
            (rest != 0).then(|| {
                rest &= rest - 1;
                place
            })
        })
    }
}
