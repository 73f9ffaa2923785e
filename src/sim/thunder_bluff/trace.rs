//! What the tracing observer sees: every roll and what came of it.

use std::fmt;

use serde::Serialize;

use super::board::{Flight, Spot};
use super::{NAMES, PLAYERS};

/// One step of a game, and the players after it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Event {
    /// Which roll of the game it belongs to, from 1.
    pub roll: u32,
    /// Who rolled, 1 for Alice to 4 for David.
    pub player: u32,
    /// What happened.
    #[serde(flatten)]
    pub action: Action,
    /// The players after it, from Alice to David.
    pub seats: [Seat; PLAYERS],
}

/// What happened in a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Action {
    /// The player rolled a die.
    Roll {
        /// What it shows, 1 to 6.
        die: u8,
        /// How many equal rolls of this player it ends, at least 1.
        in_a_row: u32,
        /// Points that it adds for these.
        points: i64,
    },
    /// A six put a piece from the hangar on Launch.
    Launch,
    /// There was nothing to move.
    Skip {
        /// How many skips of this player it ends, 1 to 10.
        in_a_row: u8,
    },
    /// The tenth skip in a row put a piece from the hangar on Launch.
    PityLaunch,
    /// A unit moved.
    Move {
        /// The pieces in it.
        pieces: u8,
        /// Where it was.
        from: Spot,
        /// How it went on where the die's steps ended.
        flight: Flight,
        /// Where it landed.
        to: Spot,
    },
    /// A unit landed on a cell where an opponent's pieces stood.
    Battle(Battle),
    /// A unit came home.
    Home(Home),
    /// All pieces of the player are home, which ends the game.
    Win {
        /// The winner's points.
        points: i64,
    },
}

/// A unit landed on a cell where an opponent's pieces stood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Battle {
    /// The ring cell.
    pub at: Spot,
    /// Whose pieces stood there, 1 to 4.
    pub defender: u32,
    /// How many pieces arrived.
    pub arrive: u8,
    /// How many pieces stood there.
    pub stand: u8,
    /// How many of those that stood there returned to the hangar.
    pub defenders_lost: u8,
    /// How many of those that arrived returned to the hangar.
    pub attackers_lost: u8,
    /// The points of the player who arrived.
    pub attacker_points: i64,
    /// The points of the player who stood there.
    pub defender_points: i64,
}

/// A unit came home.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Home {
    /// The pieces in it.
    pub pieces: u8,
    /// How many pieces of the other players were not home.
    pub others: u8,
    /// The points for it.
    pub points: i64,
}

/// A player's pieces and points.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Seat {
    /// The points so far.
    pub score: i64,
    /// The pieces face up in the hangar.
    pub hangar: u8,
    /// The pieces between the hangar and home, from the one farthest from home.
    pub units: Vec<Unit>,
    /// The pieces that are home.
    pub home: u8,
}

/// A player's pieces on one spot. Those on Launch move one by one, all others together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Unit {
    /// Where they are.
    #[serde(flatten)]
    pub spot: Spot,
    /// How many they are.
    pub pieces: u8,
}

/// The name of player `number`, from 1.
fn name(number: u32) -> &'static str {
    let index = (number as usize).wrapping_sub(1);
    NAMES.get(index).copied().unwrap_or("nobody")
}

impl Event {
    /// The players whose pieces or points the step changed.
    fn concerns(&self, player: u32) -> bool {
        match self.action {
            Action::Battle(Battle { defender, .. }) => player == self.player || player == defender,
            Action::Win { .. } => true,
            _ => player == self.player,
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "roll {}: {} ", self.roll, name(self.player))?;
        self.action.fmt(f)?;
        for (player, seat) in (1..).zip(&self.seats) {
            if self.concerns(player) {
                write!(f, " | {} {seat}", name(player))?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Roll { die, in_a_row: 1, .. } => write!(f, "rolls {die}"),
            Self::Roll { die, in_a_row, points } => {
                write!(f, "rolls {die}, {in_a_row} in a row (+{points})")
            }
            Self::Launch => f.write_str("launches a piece"),
            Self::Skip { in_a_row } => write!(f, "has no piece to move, skip {in_a_row} in a row"),
            Self::PityLaunch => f.write_str("gets a piece on Launch out of pity"),
            Self::Move { pieces, from, flight, to } => {
                write!(f, "moves {pieces} from {from} to {to}{flight}")
            }
            Self::Battle(battle) => battle.fmt(f),
            Self::Home(Home { pieces, others, points }) => {
                write!(f, "brings {pieces} home, {others} of the others are not (+{points})")
            }
            Self::Win { points } => write!(f, "wins (+{points})"),
        }
    }
}

impl fmt::Display for Battle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (at, defender) = (self.at, name(self.defender));
        write!(f, "fights with {} on {at} against {} of {defender}, ", self.arrive, self.stand)?;
        write!(f, "shoots down {} (+{}), ", self.defenders_lost, self.attacker_points)?;
        write!(f, "loses {} (+{} for {defender})", self.attackers_lost, self.defender_points)
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} points, {} in the hangar", self.score, self.hangar)?;
        for unit in &self.units {
            write!(f, ", {} on {}", unit.pieces, unit.spot)?;
        }
        write!(f, ", {} home", self.home)
    }
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Launch => f.write_str("Launch"),
            Self::Ring(cell) => write!(f, "ring {cell}"),
            Self::Stretch(cell) => write!(f, "stretch {cell}"),
            Self::Home => f.write_str("home"),
        }
    }
}

impl fmt::Display for Flight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Direct => "",
            Self::Bounce => " after a bounce",
            Self::Combo => " with a combo",
            Self::ShortcutCombo => " by shortcut and combo",
            Self::ComboShortcut => " by combo and shortcut",
        })
    }
}
