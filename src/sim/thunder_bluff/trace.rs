//! What the tracing observer sees: every roll and what came of it.

use std::fmt;

use serde::Serialize;

use super::board::{Flight, Spot};
use super::table::{Table, number};
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
    /// The spots where a moving unit went on by a combo or a shortcut, or turned back, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub via: Vec<Spot>,
    /// Why this unit moved, if there were several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<Choice>,
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

/// How a player chose a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Choice {
    /// What the player wants most of.
    pub most: Wish,
    /// How much of it the move brings.
    pub value: i64,
    /// How many units there were, at least 2; a piece on Launch is one.
    pub units: u32,
    /// How many of them bring as much, at least 1; the one nearest home moves.
    pub equal: u32,
}

/// What a player wants most of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wish {
    /// Alice: pieces that are together then.
    Stack,
    /// Bob: opponents shot down.
    Shots,
    /// Carol: cells nearer home.
    Way,
    /// David: cells from home before the move.
    Distance,
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

impl Seat {
    /// Adds a unit that lands with `behind` others farther from home, unless it is home.
    pub(super) fn land(&mut self, behind: usize, unit: Unit) {
        match self.units.get_mut(behind) {
            _ if unit.spot == Spot::Home => {}
            Some(known) if known.spot == unit.spot => known.pieces += unit.pieces,
            _ => self.units.insert(behind, unit),
        }
    }
}

/// The name of player `number`, from 1.
fn name(number: u32) -> &'static str {
    let index = (number as usize).wrapping_sub(1);
    NAMES.get(index).copied().unwrap_or("nobody")
}

impl Event {
    /// What a player did, and the table after it.
    pub(super) fn new(table: &Table, roll: u32, me: usize, action: Action) -> Self {
        let player = number(me);
        Self { roll, player, action, via: Vec::new(), choice: None, seats: table.seats() }
    }

    /// The players whose pieces or points the step changed.
    fn concerns(&self, player: u32) -> bool {
        match self.action {
            Action::Roll { points: 0, .. } | Action::Skip { .. } => false,
            Action::Battle(Battle { defender, .. }) => player == self.player || player == defender,
            Action::Win { .. } => true,
            _ => player == self.player,
        }
    }
}

impl Event {
    /// How a unit went on where the die's steps ended.
    fn fmt_way(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Action::Move { flight, to, .. } = &self.action else { return Ok(()) };
        match (flight, &self.via[..]) {
            (Flight::Bounce, _) => f.write_str(", past home and back"),
            (Flight::Combo, [own]) => write!(f, ": {own}, combo to {to}"),
            (Flight::ShortcutCombo, [jump, end]) => {
                write!(f, ": {jump}, shortcut to {end}, combo to {to}")
            }
            (Flight::ComboShortcut, [own, jump]) => {
                write!(f, ": {own}, combo to {jump}, shortcut to {to}")
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "roll {}: {} ", self.roll, name(self.player))?;
        self.action.fmt(f)?;
        self.fmt_way(f)?;
        if let Some(choice) = &self.choice {
            choice.fmt(f)?;
        }
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
            Self::PityLaunch => f.write_str("gets a piece on Launch for ten skips in a row"),
            Self::Move { pieces, from, to, .. } => write!(f, "moves {pieces} from {from} to {to}"),
            Self::Battle(battle) => battle.fmt(f),
            Self::Home(Home { pieces, others, points }) => {
                write!(f, "brings {pieces} home while {others} of the others are not (+{points})")
            }
            Self::Win { points } => write!(f, "wins with all pieces home (+{points})"),
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
            Self::Stretch(cell) => write!(f, "stretch {cell} of 6"),
            Self::Home => f.write_str("home"),
        }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { most, value, units, equal } = self;
        match most {
            Wish::Stack => write!(f, " (of {units} units the largest stack: {value}")?,
            Wish::Shots if *value == 0 => write!(f, " (of {units} units none shoots anybody down")?,
            Wish::Shots => write!(f, " (of {units} units the one that shoots down most: {value}")?,
            Wish::Way => write!(f, " (of {units} units the longest way: {value}")?,
            Wish::Distance => write!(f, " (of {units} units the farthest from home: {value}")?,
        }
        match equal {
            1 => f.write_str(")"),
            _ => write!(f, ", the nearest home of {equal})"),
        }
    }
}
