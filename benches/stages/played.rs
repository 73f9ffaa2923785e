//! An input with all that playing it gives.

use std::sync::atomic::AtomicBool;

use simdrop::domain::{Outcome, SimulatorId};
use simdrop::sim::{self, Input};

/// What playing all games of an input gave.
pub(crate) struct Played {
    pub(crate) games: Vec<Outcome>,
    pub(crate) output: Vec<u8>,
}

impl Played {
    /// Plays by the rules of the judge.
    pub(crate) fn new(input: &Input) -> Self {
        let (rules, never) = (input.simulator().rules_or_default(None), AtomicBool::new(false));
        let mut output = Vec::new();
        let games = (0..input.games())
            .map(|game| input.play(game, rules, &never, &mut output).expect("a game that ends"))
            .collect();
        Self { games, output }
    }

    /// What a text gives that is an input of a simulator.
    pub(crate) fn text(text: &[u8], simulator: SimulatorId) -> Self {
        Self::new(&read(text, simulator))
    }

    /// How many rolls, rounds or plays there were.
    pub(crate) fn steps(&self) -> u64 {
        self.games.iter().filter_map(|game| game.length).sum()
    }
}

/// Reads an input that is a good one.
pub(crate) fn read(text: &[u8], simulator: SimulatorId) -> Input {
    sim::read(text, Some(simulator)).expect("a good input").input
}
