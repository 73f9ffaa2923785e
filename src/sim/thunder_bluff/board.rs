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
/// More than there are places: any byte is one, so no bounds are checked.
const PLACES: usize = 256;

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
/// More than there are cells; any byte is one.
pub(super) const CELLS: usize = 256;
/// The cells of a Final Stretch.
const STRETCH: usize = HOME - OUTERMOST + 1;

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
    /// For each die and each place, where a piece lands.
    landings: [[u8; PLACES]; Die::CODES],
    /// For each die the places from which it leads farthest, by a shortcut; next farthest, by a
    /// combo; and by its own steps. From other places pieces bounce.
    ways: [[u64; 3]; Die::CODES],
    /// For each player and each place but Launch its cell: on the ring, which all share, or the
    /// player's own.
    cells: [[u8; PLACES]; PLAYERS],
}

static TABLES: Tables = Tables { landings: all_landings(), ways: all_ways(), cells: all_cells() };

const fn all_landings() -> [[u8; PLACES]; Die::CODES] {
    let mut landings = [[0; PLACES]; Die::CODES];
    let mut index = 0;
    while index < Die::CODES * HOME {
        let (code, place) = (index / HOME, index % HOME);
        let (_, landing) = fly(place + Die::steps_of(code));
        landings[code][place] = byte(landing);
        index += 1;
    }
    landings
}

const fn all_ways() -> [[u64; 3]; Die::CODES] {
    let mut ways = [[0; 3]; Die::CODES];
    let mut index = 0;
    while index < Die::CODES * HOME {
        let (code, place) = (index / HOME, index % HOME);
        let (flight, _) = fly(place + Die::steps_of(code));
        if let Some(way) = way(flight) {
            ways[code][way] |= 1 << place;
        }
        index += 1;
    }
    ways
}

const fn all_cells() -> [[u8; PLACES]; PLAYERS] {
    let mut cells = [[0; PLACES]; PLAYERS];
    let mut index = 0;
    while index < PLAYERS * PLACES {
        let (player, place) = (index / PLACES, index % PLACES);
        cells[player][place] = byte(match place {
            1..OUTERMOST => (player * QUARTER + place - 1) % RING,
            OUTERMOST..=HOME => RING + player * STRETCH + place - OUTERMOST,
            // Nobody stands there.
            _ => CELLS - 1,
        });
        index += 1;
    }
    cells
}

/// The rank of a flight by how far it leads; a bounce has none.
const fn way(flight: Flight) -> Option<usize> {
    match flight {
        Flight::ShortcutCombo | Flight::ComboShortcut => Some(0),
        Flight::Combo => Some(1),
        Flight::Direct => Some(2),
        Flight::Bounce => None,
    }
}

/// Where a piece lands that moves by a die.
#[inline]
pub(super) fn landing(from: usize, die: Die) -> usize {
    usize::from(TABLES.landings[die.code()][from % PLACES])
}

/// The places from which a die leads farthest, next farthest, and without a flight.
#[inline]
pub(super) fn ways(die: Die) -> [u64; 3] {
    TABLES.ways[die.code()]
}

/// The cell of a player's place.
#[inline]
pub(super) fn cell(player: usize, place: usize) -> usize {
    usize::from(TABLES.cells[player % PLAYERS][place % PLACES])
}

/// A player's place on the ring cell of another player's place.
pub(super) const fn place_of(player: usize, other: usize, place: usize) -> usize {
    (place + (PLAYERS + other - player) * QUARTER - 1) % RING + 1
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
