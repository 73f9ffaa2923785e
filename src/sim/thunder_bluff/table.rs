//! The four players at the board: battles, coming home, and the strategies by which they choose.

use super::PLAYERS;
use super::board::{HOME, LAUNCH, Spot, byte, landing, meeting, reach};
use super::dice::Die;
use super::player::{PIECES, Player};
use super::trace::{Battle, Choice, Home, Seat, Wish};
use crate::domain::RuleSet;

/// The players' indices, from the first turn to the last.
pub(super) const ALICE: usize = 0;
pub(super) const BOB: usize = 1;
pub(super) const CAROL: usize = 2;
pub(super) const DAVID: usize = 3;

/// The number people call a player by, from 1.
pub(super) fn number(player: usize) -> u32 {
    u32::from(byte(player)) + 1
}

/// Points of an attacker for each defender it shoots down (ruling 4).
const DEFENDER_POINTS: i64 = 5;
/// Points of a defender for each attacker it shoots down (ruling 4).
const ATTACKER_POINTS: i64 = 2;
/// Points of a piece that comes home for each piece of the others that is not (ruling 5).
const HOME_POINTS: i64 = 5;

/// What happened so far, counted.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) rolls: u32,
    pub(super) battles: u32,
    pub(super) shot_down: u32,
    pub(super) launches: u32,
    pub(super) pity_launches: u32,
    pub(super) skips: u32,
    /// The longest streak's rolls after the first one.
    pub(super) most_again: u32,
}

/// The four players.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) players: [Player; PLAYERS],
    pub(super) counts: Counts,
}

/// An opponent's pieces on a ring cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct Opponent {
    /// Whose they are.
    pub(super) player: usize,
    /// The place of the cell as that player counts.
    pub(super) place: usize,
}

impl Table {
    pub(super) fn new() -> Self {
        Self { players: std::array::from_fn(|_| Player::new()), counts: Counts::default() }
    }

    /// What people see of the players.
    pub(super) fn seats(&self) -> [Seat; PLAYERS] {
        std::array::from_fn(|player| self.players[player].seat(player))
    }

    /// The opponent whose pieces stand on a ring cell. There is never more than one: whoever lands
    /// there fights until one player is left.
    #[inline(always)]
    pub(super) fn opponent(&self, me: usize, place: usize) -> Option<Opponent> {
        let stands = |ahead| {
            let player = (me + ahead) % PLAYERS;
            let meeting = meeting(place, ahead);
            let place = meeting.trailing_zeros() as usize;
            (self.players[player].units & meeting != 0).then_some(Opponent { player, place })
        };
        stands(1).or_else(|| stands(2)).or_else(|| stands(3))
    }

    /// A player's unit lands where an opponent's pieces stand (ruling 4).
    #[cold]
    pub(super) fn battle(&mut self, me: usize, to: usize, arrive: u8, at: Opponent) -> Battle {
        let defender = &mut self.players[at.player];
        let stand = defender.pieces(at.place);
        let defenders_lost = arrive.min(stand);
        let attackers_lost = arrive.min(stand - 1);
        let attacker_points = DEFENDER_POINTS * i64::from(defenders_lost);
        let defender_points = ATTACKER_POINTS * i64::from(attackers_lost);
        defender.shot_down(at.place, defenders_lost);
        defender.score += defender_points;
        self.players[me].shot_down(to, attackers_lost);
        self.players[me].score += attacker_points;
        self.counts.battles += 1;
        self.counts.shot_down += u32::from(defenders_lost + attackers_lost);
        Battle {
            at: Spot::of(me, to),
            defender: number(at.player),
            arrive,
            stand,
            defenders_lost,
            attackers_lost,
            attacker_points,
            defender_points,
        }
    }

    /// A player's unit comes home; each of its pieces earns points (ruling 5).
    #[inline(never)]
    pub(super) fn come_home(&mut self, me: usize, pieces: u8) -> Home {
        let others = self.players.iter().enumerate().filter(|&(player, _)| player != me);
        let others = others.map(|(_, other)| PIECES - other.home).sum();
        let points = HOME_POINTS * i64::from(others) * i64::from(pieces);
        let player = &mut self.players[me];
        player.home += pieces;
        player.score += points;
        Home { pieces, others, points }
    }

    /// The place whose unit a player moves, by the player's strategy; there is at least one unit.
    #[inline(always)]
    pub(super) fn choose<const ME: usize>(&self, die: Die, rules: RuleSet) -> usize {
        match ME {
            ALICE => self.biggest_stack(die),
            BOB if rules == RuleSet::Statement => self.most_shots(die),
            BOB => self.players[BOB].nearest(),
            CAROL => self.longest_way(die),
            _ => self.players[DAVID].farthest(),
        }
    }

    /// Alice maximises the unit's size plus her pieces on the landing cell, nearest home first.
    ///
    /// A piece on Launch counts 1 and no unit counts less, so she never has more than one unit
    /// beyond Launch: she moves that one, unless a piece from Launch would land on it.
    #[inline(always)]
    fn biggest_stack(&self, die: Die) -> usize {
        let alice = &self.players[ALICE];
        let joins = 1 << LAUNCH | 1 << landing(LAUNCH, die);
        if alice.units == joins { LAUNCH } else { alice.nearest() }
    }

    /// Bob maximises the opponents shot down, nearest home first.
    ///
    /// This is the statement's Bob. For the judge's a piece on Launch counts 0 and no unit counts
    /// less, so he never has more than one unit beyond Launch, and moves the nearest.
    fn most_shots(&self, die: Die) -> usize {
        // The last one of equals is the nearest.
        let places = self.players[BOB].places();
        places.max_by_key(|&from| self.shots(from, die)).unwrap_or(LAUNCH)
    }

    /// How many opponents Bob's unit would shoot down.
    fn shots(&self, from: usize, die: Die) -> u8 {
        match self.opponent(BOB, landing(from, die)) {
            Some(Opponent { player, place }) => {
                self.players[BOB].unit(from).min(self.players[player].pieces(place))
            }
            None => 0,
        }
    }

    /// Carol maximises how much nearer home the unit gets, nearest home first.
    #[inline(always)]
    fn longest_way(&self, die: Die) -> usize {
        let way = |&from: &usize| reach(from, die);
        self.players[CAROL].places().max_by_key(way).unwrap_or(LAUNCH)
    }
}

/// What people see of a choice.
impl Table {
    /// Why a player moves the unit of a place; `None` if it is the only one.
    pub(super) fn choice(
        &self,
        me: usize,
        die: Die,
        rules: RuleSet,
        from: usize,
    ) -> Option<Choice> {
        let worth = |from| self.worth(me, die, rules, from);
        let (most, value) = worth(from);
        let units = self.players[me].units.count_ones();
        let equal = self.players[me].places().filter(|&place| worth(place).1 == value).count();
        let equal = u32::from(byte(equal));
        (units > 1).then_some(Choice { most, value, units, equal })
    }

    /// What a player wants most of, and how much of it the unit of a place would bring.
    fn worth(&self, me: usize, die: Die, rules: RuleSet, from: usize) -> (Wish, i64) {
        let (player, to) = (&self.players[me], landing(from, die));
        match me {
            ALICE => (Wish::Stack, i64::from(player.unit(from) + player.pieces(to))),
            BOB if rules == RuleSet::Judge && from == LAUNCH => (Wish::Shots, 0),
            BOB => (Wish::Shots, i64::from(self.shots(from, die))),
            CAROL => (Wish::Way, i64::from(byte(to)) - i64::from(byte(from))),
            _ => (Wish::Distance, i64::from(byte(HOME - from))),
        }
    }
}
