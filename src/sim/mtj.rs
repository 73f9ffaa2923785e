//! MTJ: players shed a deck of cards by groups and straights.
//!
//! Everybody is dealt five cards. Who leads puts down the longest straight, else the largest group;
//! the others, in order, answer with as many cards one point higher, or pass. When everybody else
//! has passed, the last one who played leads again. Each card played adds its like to the player's
//! favour, which raises the limit up to which the player draws after a play. Who empties the hand
//! when the deck is empty wins.
//!
//! `lead` says what is led, `play` what answers it, `game` how turns follow one another. `hands` is
//! what that needs to know of the cards: who leads what, and who can answer, so that nobody is asked
//! who would pass. `small` does this for the sizes of the statement; `large`, `wide` and `holders`
//! for any.

mod digits;
mod game;
mod hands;
mod holders;
mod input;
mod large;
mod lead;
mod play;
mod small;
mod trace;
mod wide;

pub use input::Input;
pub use play::Kind;
pub use trace::{Event, Held, Role};

use super::{Budget, Numbers, Observer, Simulator, Stop};
use crate::domain::{CaseError, Outcome, RuleSet, SimulatorId};

/// The game MTJ.
#[derive(Debug)]
pub struct Mtj;

impl Simulator for Mtj {
    type Input = Input;
    type Event = Event;
    const ID: SimulatorId = SimulatorId::Mtj;
    const VERSION: u32 = 1;
    const RULE_SETS: &'static [RuleSet] = &[RuleSet::Judge];
    const LENGTH: &'static str = "plays";
    const METRICS: &'static [&'static str] = &game::METRICS;
    /// Every play sheds a card and no card comes back, so every game ends.
    const STEP_LIMIT: u64 = u64::MAX;

    /// `n m k lim`, `k` likes and `m` cards.
    fn expected_tokens([_, m, k]: [Option<i64>; 3]) -> Option<i128> {
        Some(4 + i128::from(m?) + i128::from(k?))
    }

    fn parse(numbers: &mut Numbers<'_>) -> Result<Input, CaseError> {
        input::parse(numbers)
    }

    fn games(_: &Input) -> u64 {
        1
    }

    /// The statement calls players by their numbers.
    fn player(number: u32) -> String {
        number.to_string()
    }

    fn play<O: Observer<Event>>(
        input: &Input,
        _: u64,
        _: RuleSet,
        observer: &mut O,
        budget: &mut Budget<'_>,
        out: &mut Vec<u8>,
    ) -> Result<Outcome, Stop> {
        game::play(input, observer, budget, out)
    }
}
