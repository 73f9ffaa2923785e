//! One game: turns, launches, moves, battles and points.

use super::board::{HOME, Spot, fly, landing, stops};
use super::dice::{Die, SIX};
use super::player::PIECES;
use super::standings;
use super::table::{ALICE, BOB, CAROL, Counts, DAVID, Table, number};
use super::trace::{Action, Choice, Event, Unit};
use crate::domain::{Outcome, RuleSet};
use crate::sim::{Budget, Observer, Stop};

/// The names of the metrics: the four scores, then what happened to all players together. `home`
/// are the pieces that came home; every roll is a launch, a skip or a move.
pub(super) const METRICS: [&str; 12] = [
    "alice",
    "bob",
    "carol",
    "david",
    "battles",
    "shot-down",
    "launches",
    "pity-launches",
    "skips",
    "moves",
    "home",
    "longest-streak",
];

/// Points of the winner (ruling 9).
const WINNER_POINTS: i64 = 50;
/// So many skips in a row put a piece on Launch (ruling 7).
const PITY_SKIPS: u8 = 10;

/// Plays one game and appends the judge's output to `out`.
#[inline]
pub(super) fn play<O: Observer<Event>>(
    dice: impl Iterator<Item = Die>,
    rules: RuleSet,
    observer: &mut O,
    budget: &mut Budget<'_>,
    out: &mut Vec<u8>,
) -> Result<Outcome, Stop> {
    // Apart from the rest of the game, so that the dice stay in registers.
    let table = &mut Table::new();
    let steps = budget.left();
    let mut game = Game { table, dice, rules, observer, budget, steps, out };
    let winner = loop {
        if game.turn::<ALICE>()? {
            break ALICE;
        }
        if game.turn::<BOB>()? {
            break BOB;
        }
        if game.turn::<CAROL>()? {
            break CAROL;
        }
        if game.turn::<DAVID>()? {
            break DAVID;
        }
    };
    Ok(game.end(winner))
}

/// A game in progress.
struct Game<'a, 'b, D, O> {
    table: &'a mut Table,
    dice: D,
    rules: RuleSet,
    observer: &'a mut O,
    budget: &'a mut Budget<'b>,
    /// The budget before the first roll; each roll spends a step.
    steps: u64,
    out: &'a mut Vec<u8>,
}

impl<D: Iterator<Item = Die>, O: Observer<Event>> Game<'_, '_, D, O> {
    /// A player's roll, and those that follow its sixes; whether it won.
    #[inline(always)]
    fn turn<const ME: usize>(&mut self) -> Result<bool, Stop> {
        loop {
            self.budget.spend()?;
            let Some(die) = self.dice.next() else {
                return Err(Stop::Undecided);
            };
            self.roll::<ME>(die);
            let player = &self.table.players[ME];
            if die != SIX {
                if player.units == 0 {
                    self.skip::<ME>();
                    return Ok(false);
                }
                return Ok(self.advance::<ME>(die));
            }
            if player.hangar > 0 {
                self.launch::<ME>();
            } else if self.advance::<ME>(die) {
                return Ok(true);
            }
        }
    }

    /// A roll continues the player's streak (ruling 8) or begins another one.
    #[inline(always)]
    fn roll<const ME: usize>(&mut self, die: Die) {
        let Table { players, counts, .. } = &mut *self.table;
        let player = &mut players[ME];
        let mut points = 0;
        if player.streak.continues(die) {
            points = player.streak.points();
            player.score += points;
            counts.most_again = counts.most_again.max(player.streak.again());
        }
        let in_a_row = player.streak.again() + 1;
        self.see(ME, || Action::Roll { die: die.value(), in_a_row, points });
    }

    /// A six puts a piece from the hangar on Launch (ruling 6).
    #[inline(always)]
    fn launch<const ME: usize>(&mut self) {
        self.table.players[ME].launch();
        self.table.counts.launches += 1;
        self.see(ME, || Action::Launch);
    }

    /// A roll that can do nothing; the tenth in a row puts a piece on Launch (ruling 7).
    #[inline(always)]
    fn skip<const ME: usize>(&mut self) {
        let player = &mut self.table.players[ME];
        player.skips += 1;
        let in_a_row = player.skips;
        self.table.counts.skips += 1;
        self.see(ME, || Action::Skip { in_a_row });
        if in_a_row == PITY_SKIPS {
            self.table.players[ME].launch();
            self.table.counts.pity_launches += 1;
            self.see(ME, || Action::PityLaunch);
        }
    }

    /// Moves the unit that the player chooses; whether the player won.
    #[inline(always)]
    fn advance<const ME: usize>(&mut self, die: Die) -> bool {
        let from = self.table.choose::<ME>(die, self.rules);
        let choice = if O::ON { self.table.choice(ME, die, self.rules, from) } else { None };
        let to = landing(from, die);
        // A move ends the skips in a row, too (ruling 7); but a launch or the pity did so before.
        let unit = self.table.lift::<ME>(from);
        self.see_move(ME, unit.pieces(), from, die, choice);
        if to == HOME {
            let home = self.table.come_home(ME, unit);
            self.see(ME, || Action::Home(home));
            return self.table.players[ME].home == PIECES;
        }
        if let Some(fight) = self.table.land::<ME>(to, unit) {
            self.see(ME, || Action::Battle(fight.battle(to)));
        }
        false
    }

    /// The winner's points (ruling 9), and the output.
    fn end(mut self, winner: usize) -> Outcome {
        self.table.players[winner].score += WINNER_POINTS;
        let scores = self.table.players.each_ref().map(|player| player.score);
        standings::write(winner, scores, self.out);
        self.see(winner, || Action::Win { points: WINNER_POINTS });

        let rolls = self.rolls();
        let Counts { battles, shot_down, launches, pity_launches, skips, .. } = self.table.counts;
        let [alice, bob, carol, david] = scores;
        let mut outcome = Outcome::ended(number(winner), rolls.into());
        outcome.metrics = [
            alice,
            bob,
            carol,
            david,
            battles.into(),
            shot_down.into(),
            launches.into(),
            pity_launches.into(),
            skips.into(),
            (rolls - skips - launches).into(),
            self.table.players.iter().map(|player| i64::from(player.home)).sum(),
            (self.table.counts.most_again + 1).into(),
        ];
        outcome
    }

    /// How many rolls there were.
    fn rolls(&self) -> u32 {
        // The step limit is far below 2^32.
        u32::try_from(self.steps - self.budget.left()).unwrap_or(u32::MAX)
    }

    /// Shows the observer a move. The unit is off the board, but people see it where it lands.
    #[inline(always)]
    fn see_move(&mut self, me: usize, pieces: u8, from: usize, die: Die, choice: Option<Choice>) {
        let (table, roll) = (&*self.table, self.rolls());
        self.observer.step(self.out.len(), || {
            let reached = from + die.steps();
            let (flight, to) = fly(reached);
            let via = stops(reached).into_iter().map(|place| Spot::of(me, place)).collect();
            let behind = table.players[me].places().filter(|&place| place < to).count();
            let [from, to] = [from, to].map(|place| Spot::of(me, place));
            let action = Action::Move { pieces, from, flight, to };
            let mut event = Event { via, choice, ..Event::new(table, roll, me, action) };
            event.seats[me].land(behind, Unit { spot: to, pieces });
            event
        });
    }

    /// Shows the observer, if there is one, what a player did.
    #[inline(always)]
    fn see(&mut self, me: usize, action: impl FnOnce() -> Action) {
        let (table, roll) = (&*self.table, self.rolls());
        self.observer.step(self.out.len(), || Event::new(table, roll, me, action()));
    }
}
