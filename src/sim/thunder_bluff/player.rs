//! One player's pieces and points.

use super::board::{LAUNCH, PLACES, Spot};
use super::dice::Streak;
use super::trace::{Seat, Unit};

/// How many pieces each player has.
pub(super) const PIECES: u8 = 4;

/// One player's pieces and points.
#[derive(Debug)]
pub(super) struct Player {
    /// The places between the hangar and home that hold pieces, as a set of bits.
    pub(super) units: u64,
    /// How many pieces each place holds.
    pieces: [u8; PLACES],
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
    pub(super) fn new() -> Self {
        Self {
            units: 0,
            pieces: [0; PLACES],
            hangar: PIECES,
            home: 0,
            skips: 0,
            streak: Streak::default(),
            score: 0,
        }
    }

    /// How many pieces a place holds.
    #[inline]
    pub(super) fn pieces(&self, place: usize) -> u8 {
        self.pieces[place % PLACES]
    }

    /// How many pieces move together from a place that holds some (ruling 3).
    #[inline]
    pub(super) fn unit(&self, place: usize) -> u8 {
        if place == LAUNCH { 1 } else { self.pieces(place) }
    }

    /// Puts pieces on a place.
    #[inline]
    pub(super) fn put(&mut self, place: usize, pieces: u8) {
        self.pieces[place % PLACES] += pieces;
        self.units |= 1 << place;
    }

    /// Takes pieces off a place that holds them.
    #[inline]
    pub(super) fn take(&mut self, place: usize, pieces: u8) {
        let left = &mut self.pieces[place % PLACES];
        *left -= pieces;
        if *left == 0 {
            self.units &= !(1 << place);
        }
    }

    /// Puts a piece on Launch and ends the skips in a row.
    #[inline]
    pub(super) fn launch(&mut self) {
        self.hangar -= 1;
        self.skips = 0;
        self.put(LAUNCH, 1);
    }

    /// Returns pieces that were shot down on a place to the hangar.
    pub(super) fn shot_down(&mut self, place: usize, pieces: u8) {
        self.take(place, pieces);
        self.hangar += pieces;
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
    #[inline]
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

    /// What people see of it.
    pub(super) fn seat(&self, player: usize) -> Seat {
        let unit = |place| Unit { spot: Spot::of(player, place), pieces: self.pieces(place) };
        Seat {
            score: self.score,
            hangar: self.hangar,
            units: self.places().map(unit).collect(),
            home: self.home,
        }
    }
}
