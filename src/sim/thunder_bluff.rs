//! Thunder Bluff: airplane chess with stacks, combos, shortcuts and battles.
//!
//! Alice, Bob, Carol and David each bring four pieces from the hangar over Launch and around a ring
//! of 52 cells to the end of their own Final Stretch. Nobody decides anything: every player has a
//! strategy, so the seeds of the dice settle the game. One input holds many games.
//!
//! Where the contest's judge and the statement differ (what a piece on Launch counts for Bob), the
//! rule set says whom to follow; about 70% of all games come out differently.

mod board;
mod cells;
mod dice;
mod game;
mod input;
mod player;
mod standings;
mod table;
mod trace;

pub use board::{Flight, Spot};
pub use dice::{Dice, Die};
pub use input::Input;
pub use trace::{Action, Battle, Choice, Event, Home, Seat, Unit, Wish};

use std::sync::atomic::AtomicBool;

use super::{Budget, Numbers, Observer, Simulator, Stop};
use crate::domain::{CaseError, Outcome, RuleSet, SimulatorId};

/// How many play, in this order: Alice, Bob, Carol and David.
pub const PLAYERS: usize = 4;

/// What the players are called; in the order of the alphabet, which settles ties of scores.
pub const NAMES: [&str; PLAYERS] = ["Alice", "Bob", "Carol", "David"];

/// Thunder Bluff.
#[derive(Debug)]
pub struct ThunderBluff;

impl ThunderBluff {
    /// Plays one game with the given dice, one after another, and appends the judge's output for it
    /// to `out`.
    ///
    /// # Errors
    /// [`Stop`], and [`Stop::Undecided`] if the dice run out; what was appended to `out` is then
    /// meaningless.
    pub fn play_dice<O: Observer<Event>>(
        dice: impl IntoIterator<Item = Die>,
        rules: RuleSet,
        observer: &mut O,
        cancel: &AtomicBool,
        out: &mut Vec<u8>,
    ) -> Result<Outcome, Stop> {
        let mut budget = Budget::new(Self::STEP_LIMIT, cancel);
        game::play(dice.into_iter(), rules, observer, &mut budget, out)
    }
}

impl Simulator for ThunderBluff {
    type Input = Input;
    type Event = Event;
    const ID: SimulatorId = SimulatorId::ThunderBluff;
    const VERSION: u32 = 1;
    const RULE_SETS: &'static [RuleSet] = &RuleSet::ALL;
    const LENGTH: &'static str = "rolls";
    const METRICS: &'static [&'static str] = &game::METRICS;
    const STEP_LIMIT: u64 = 1_000_000;

    fn expected_tokens([games, ..]: [Option<i64>; 3]) -> Option<i128> {
        games.map(|games| 1 + 4 * i128::from(games))
    }

    fn parse(numbers: &mut Numbers<'_>) -> Result<Input, CaseError> {
        input::parse(numbers)
    }

    fn games(input: &Input) -> u64 {
        input.seeds.len() as u64
    }

    fn player(number: u32) -> String {
        let index = number.checked_sub(1).and_then(|index| usize::try_from(index).ok());
        let name = index.and_then(|index| NAMES.get(index));
        name.map_or_else(|| format!("player {number}"), |&name| name.to_owned())
    }

    fn play<O: Observer<Event>>(
        input: &Input,
        game: u64,
        rules: RuleSet,
        observer: &mut O,
        budget: &mut Budget<'_>,
        out: &mut Vec<u8>,
    ) -> Result<Outcome, Stop> {
        let seeds = usize::try_from(game).ok().and_then(|game| input.seeds.get(game));
        let Some(&seeds) = seeds else {
            return Err(Stop::OutOfRange(format!("game {game} of {}", input.seeds.len())));
        };
        game::play(Dice::new(seeds), rules, observer, budget, out)
    }
}
