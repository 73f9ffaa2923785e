//! The four players at the board: battles, coming home, and the strategies by which they choose.

use super::PLAYERS;
use super::board::{HOME, LAUNCH, Spot, byte, landing, place_of, ways};
use super::cells::{Cells, Stand};
use super::dice::Die;
use super::player::{PIECES, Player};
use super::trace::{Battle, Choice, Home, Seat, Unit, Wish};
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
    pub(super) battles: u32,
    pub(super) shot_down: u32,
    pub(super) launches: u32,
    pub(super) pity_launches: u32,
    pub(super) skips: u32,
    /// The longest streak's rolls after the first one.
    pub(super) most_again: u32,
}

/// A player's unit landed where an opponent's pieces stood (ruling 4).
#[derive(Debug, Clone, Copy)]
pub(super) struct Fight {
    unit: Stand,
    stand: Stand,
}

impl Fight {
    fn defenders_lost(self) -> u8 {
        self.unit.pieces().min(self.stand.pieces())
    }

    fn attackers_lost(self) -> u8 {
        self.unit.pieces().min(self.stand.pieces() - 1)
    }

    fn attacker_points(self) -> i64 {
        DEFENDER_POINTS * i64::from(self.defenders_lost())
    }

    fn defender_points(self) -> i64 {
        ATTACKER_POINTS * i64::from(self.attackers_lost())
    }

    /// What people see of it.
    pub(super) fn battle(self, to: usize) -> Battle {
        Battle {
            at: Spot::of(self.unit.player(), to),
            defender: number(self.stand.player()),
            arrive: self.unit.pieces(),
            stand: self.stand.pieces(),
            defenders_lost: self.defenders_lost(),
            attackers_lost: self.attackers_lost(),
            attacker_points: self.attacker_points(),
            defender_points: self.defender_points(),
        }
    }
}

/// The four players.
#[derive(Debug)]
pub(super) struct Table {
    cells: Cells,
    pub(super) players: [Player; PLAYERS],
    pub(super) counts: Counts,
}

impl Table {
    pub(super) fn new() -> Self {
        Self {
            cells: Cells::new(),
            players: std::array::from_fn(|_| Player::new()),
            counts: Counts::default(),
        }
    }

    /// What people see of the players.
    pub(super) fn seats(&self) -> [Seat; PLAYERS] {
        std::array::from_fn(|index| {
            let Player { hangar, home, score, .. } = self.players[index];
            let unit =
                |place| Unit { spot: Spot::of(index, place), pieces: self.pieces(index, place) };
            Seat { score, hangar, units: self.players[index].places().map(unit).collect(), home }
        })
    }

    /// How many pieces a player has on a place.
    fn pieces(&self, player: usize, place: usize) -> u8 {
        let stand = self.cells.at(player, place);
        match place {
            LAUNCH => self.players[player].launch,
            _ if stand.player() == player => stand.pieces(),
            _ => 0,
        }
    }

    /// How many pieces move together from a place that holds some (ruling 3).
    fn unit(&self, player: usize, place: usize) -> u8 {
        if place == LAUNCH { 1 } else { self.pieces(player, place) }
    }

    /// Takes the unit that moves off a place that holds pieces (ruling 3).
    #[inline(always)]
    pub(super) fn lift<const ME: usize>(&mut self, from: usize) -> Stand {
        let player = &mut self.players[ME];
        if from == LAUNCH {
            player.leave_launch();
            return Stand::single(ME);
        }
        player.units &= !(1 << from);
        std::mem::replace(self.cells.at_mut(ME, from), Stand::NOBODY)
    }

    /// Puts a unit on a place; if opponents stand there they fight.
    #[inline(always)]
    pub(super) fn land<const ME: usize>(&mut self, to: usize, unit: Stand) -> Option<Fight> {
        let stand = self.cells.at_mut(ME, to);
        if *stand == Stand::NOBODY {
            *stand = unit;
            self.players[ME].units |= 1 << to;
        } else if stand.player() == ME {
            *stand = stand.and(unit);
        } else {
            return Some(self.fight(ME, to, unit));
        }
        None
    }

    /// A player's unit lands where an opponent's pieces stand; when they have fought one player is
    /// left there (ruling 4).
    #[cold]
    fn fight(&mut self, me: usize, to: usize, unit: Stand) -> Fight {
        let cell = self.cells.at_mut(me, to);
        let fight = Fight { unit, stand: *cell };
        let (attackers, defenders) = (fight.attackers_lost(), fight.defenders_lost());
        let opponent = &mut self.players[fight.stand.player()];
        opponent.hangar += defenders;
        opponent.score += fight.defender_points();
        if defenders == fight.stand.pieces() {
            *cell = unit.without(attackers);
            opponent.units &= !(1 << place_of(fight.stand.player(), me, to));
            self.players[me].units |= 1 << to;
        } else {
            *cell = cell.without(defenders);
        }
        self.players[me].hangar += attackers;
        self.players[me].score += fight.attacker_points();
        self.counts.battles += 1;
        self.counts.shot_down += u32::from(attackers + defenders);
        fight
    }

    /// A player's unit comes home; each of its pieces earns points (ruling 5).
    #[inline(never)]
    pub(super) fn come_home(&mut self, me: usize, unit: Stand) -> Home {
        let pieces = unit.pieces();
        let away = |player: &Player| PIECES - player.home;
        let others = self.players.iter().map(away).sum::<u8>() - away(&self.players[me]);
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
        match self.cells.at(BOB, landing(from, die)) {
            own if own.player() == BOB => 0,
            opponents => self.unit(BOB, from).min(opponents.pieces()),
        }
    }

    /// Carol maximises how much nearer home the unit gets, nearest home first.
    #[inline(always)]
    fn longest_way(&self, die: Die) -> usize {
        let carol = &self.players[CAROL];
        let units = ways(die).map(|places| carol.units & places);
        let longest = units.into_iter().find(|&units| units != 0);
        // Without any of these all bounce, the farthest from home least.
        longest.map_or_else(|| carol.farthest(), |units| units.ilog2() as usize)
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
        let to = landing(from, die);
        match me {
            ALICE => (Wish::Stack, i64::from(self.unit(me, from) + self.pieces(me, to))),
            BOB if rules == RuleSet::Judge && from == LAUNCH => (Wish::Shots, 0),
            BOB => (Wish::Shots, i64::from(self.shots(from, die))),
            CAROL => (Wish::Way, i64::from(byte(to)) - i64::from(byte(from))),
            _ => (Wish::Distance, i64::from(byte(HOME - from))),
        }
    }
}
