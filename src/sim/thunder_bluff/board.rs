//! The board, which the statement shows as a picture: a ring of 52 cells, and a Final Stretch of
//! seven cells for each player.
//!
//! All players see the same board, a quarter turned. So a *place* is relative to its owner: how
//! many cells it is from Launch by the way pieces take. Place 0 is Launch, 1 the first ring cell,
//! 50 the outermost cell of the Final Stretch, 56 its innermost one, home. The distance to home is
//! `56 - place`.

use serde::Serialize;

use super::PLAYERS;
use super::dice::Die;

/// Launched pieces wait here for their first move.
pub(super) const LAUNCH: usize = 0;
/// The outermost cell of the own Final Stretch; the places before it are on the ring.
pub(super) const OUTERMOST: usize = 50;
/// The innermost cell of the own Final Stretch.
pub(super) const HOME: usize = 56;
/// More than there are places, and a power of two: an index of that many bits is in bounds.
pub(super) const PLACES: usize = 64;

/// The cells of the ring.
const RING: usize = 52;
/// From one player's first cell to the next player's.
const QUARTER: usize = RING / PLAYERS;
/// The own jump point.
const JUMP_POINT: usize = 18;
/// How far a shortcut leads.
const SHORTCUT: usize = 12;
/// How far a combo leads: to the next cell of the same colour.
const COMBO: usize = 4;
/// The places from Launch to home, and those that a die counts beyond.
const REACHED: usize = PLACES + 6;

/// A small number as a byte.
#[expect(clippy::cast_possible_truncation, reason = "no place, cell or player reaches 256")]
pub(super) const fn byte(number: usize) -> u8 {
    number as u8
}

/// How a move goes on where the die's steps end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Flight {
    /// The piece stays there.
    Direct,
    /// The steps lead past home, so the piece turns back for the rest of them.
    Bounce,
    /// Its own colour: four cells on.
    Combo,
    /// The own jump point: by the shortcut, then a combo.
    ShortcutCombo,
    /// A combo to the own jump point: by the shortcut, and no combo there.
    ComboShortcut,
}

/// How a piece flies on that its die's steps bring to a place, and where it lands (rulings 1, 2).
pub(super) const fn fly(reached: usize) -> (Flight, usize) {
    const BEFORE_JUMP_POINT: usize = JUMP_POINT - COMBO;
    const PAST_HOME: usize = HOME + 1;
    match reached {
        OUTERMOST..=HOME => (Flight::Direct, reached),
        PAST_HOME.. => (Flight::Bounce, (2 * HOME).saturating_sub(reached)),
        JUMP_POINT => (Flight::ShortcutCombo, JUMP_POINT + SHORTCUT + COMBO),
        BEFORE_JUMP_POINT => (Flight::ComboShortcut, JUMP_POINT + SHORTCUT),
        _ if reached % COMBO == JUMP_POINT % COMBO => (Flight::Combo, reached + COMBO),
        _ => (Flight::Direct, reached),
    }
}

/// The places where a piece that its die's steps bring to a place goes on, or turns back.
pub(super) fn stops(reached: usize) -> Vec<usize> {
    match fly(reached).0 {
        Flight::Direct => Vec::new(),
        Flight::Bounce => vec![HOME],
        Flight::Combo => vec![reached],
        Flight::ShortcutCombo => vec![reached, reached + SHORTCUT],
        Flight::ComboShortcut => vec![reached, reached + COMBO],
    }
}

/// What moves look up: all in one place, so that one register leads to it.
struct Tables {
    /// Where a piece lands that its die's steps bring to a place.
    landings: [u8; REACHED],
    /// How much farther than its die's steps that is, plus `HOME`, so that no bounce is below 0.
    flights: [u8; REACHED],
    /// For each of the next three players and each place, that player's place on the same ring
    /// cell, as a set of one bit; empty where either player would be on the Final Stretch.
    meetings: [[u64; PLACES]; PLAYERS - 1],
}

static TABLES: Tables = {
    let mut landings = [0; REACHED];
    let mut flights = [0; REACHED];
    let mut reached = 0;
    while reached < REACHED {
        let (_, landing) = fly(reached);
        landings[reached] = byte(landing);
        flights[reached] = byte(HOME + landing - reached);
        reached += 1;
    }
    Tables { landings, flights, meetings: all_meetings() }
};

const fn all_meetings() -> [[u64; PLACES]; PLAYERS - 1] {
    let mut meetings = [[0; PLACES]; PLAYERS - 1];
    let mut ahead = 1;
    while ahead < PLAYERS {
        let mut place = 1;
        while place < OUTERMOST {
            let theirs = (place + RING - ahead * QUARTER) % RING;
            if 0 < theirs && theirs < OUTERMOST {
                meetings[ahead - 1][place] = 1 << theirs;
            }
            place += 1;
        }
        ahead += 1;
    }
    meetings
}

/// Where a piece lands that moves by a die.
#[inline]
pub(super) fn landing(from: usize, die: Die) -> usize {
    usize::from(TABLES.landings[from % PLACES + die.steps()])
}

/// How far a piece gets that moves by a die, to compare the moves that one die allows: all are off
/// by the same number.
#[inline]
pub(super) fn reach(from: usize, die: Die) -> u8 {
    TABLES.flights[from % PLACES + die.steps()]
}

/// Where the player who is `ahead` turns later has pieces that stand on the ring cell of a place:
/// a set of at most one of that player's places.
#[inline]
pub(super) fn meeting(place: usize, ahead: usize) -> u64 {
    TABLES.meetings[ahead - 1][place % PLACES]
}

/// A spot on the board, as people see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "on", content = "cell", rename_all = "kebab-case")]
pub enum Spot {
    /// Launch.
    Launch,
    /// A cell of the ring, 1 to 52, clockwise.
    Ring(u8),
    /// A cell of the own Final Stretch, from 0, the outermost one, inwards.
    Stretch(u8),
    /// Home: face down in the hangar.
    Home,
}

impl Spot {
    /// The spot of a player's place.
    pub(super) const fn of(player: usize, place: usize) -> Self {
        match place {
            LAUNCH => Self::Launch,
            HOME.. => Self::Home,
            OUTERMOST.. => Self::Stretch(byte(place - OUTERMOST)),
            _ => Self::Ring(byte((player * QUARTER + place - 1) % RING + 1)),
        }
    }
}
