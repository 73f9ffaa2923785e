//! The simulators: what one is, which there are, and which one an input is for.
//!
//! A simulator is pure: no I/O, clock, environment, logging or global state, and integers only. The
//! same bytes in give the same bytes out, on one thread and on sixteen. Adding one means: a module
//! here, a member of [`SimulatorId`], and an arm in each `match` of `registry`.

#[cfg(feature = "faults")]
pub mod faults;
pub mod mtj;
pub mod stellar_connect;
pub mod thunder_bluff;

mod budget;
mod census;
mod registry;
mod text;

pub use budget::{Budget, Stop};
pub use census::Census;
pub use registry::{Input, Reading, Refused, Step, identify, read};
pub use text::{Numbers, Place, Text};

use std::fmt;

use serde::Serialize;

use crate::domain::{CaseError, Outcome, RuleSet, SimulatorId};

/// One game's rules as code.
pub trait Simulator {
    /// What an input says, as plain values that can be edited; `Display` prints it as a judge's
    /// input, and reading that text gives the same value again.
    type Input: Clone + fmt::Debug + fmt::Display + PartialEq + Send + Sync;

    /// One step of a game: who did what, from where to where, how much, and the state after it.
    /// `Display` is a line (or a few) a person follows without the statement beside them.
    type Event: fmt::Debug + fmt::Display + Serialize;

    /// Which simulator this is.
    const ID: SimulatorId;

    /// Raised whenever a result may change; part of a result's identity.
    const VERSION: u32;

    /// The rule sets it can play by, the default first.
    const RULE_SETS: &'static [RuleSet];

    /// What [`Outcome::length`] counts: `rounds`, `rolls` or `plays`.
    const LENGTH: &'static str;

    /// The names of the single-number metrics, in the order of [`Outcome::metrics`].
    const METRICS: &'static [&'static str];

    /// The step limit of one game, a constant of the rules; `u64::MAX` if every game ends.
    const STEP_LIMIT: u64;

    /// How many tokens an input with these first three numbers has; `None` while a number that
    /// decides it is missing.
    fn expected_tokens(head: [Option<i64>; 3]) -> Option<i128>;

    /// Reads an input whose bytes, tokens and number of tokens are checked. Warnings go to
    /// [`Numbers::warn`].
    ///
    /// # Errors
    /// The first hard error among the values, in file order.
    fn parse(numbers: &mut Numbers<'_>) -> Result<Self::Input, CaseError>;

    /// How many games an input holds, at least 1.
    fn games(input: &Self::Input) -> u64;

    /// What people call player `number` (from 1).
    fn player(number: u32) -> String;

    /// Plays one game (`game` from 0) and appends the judge's output for it to `out`.
    ///
    /// # Errors
    /// [`Stop`]; what was appended to `out` is then meaningless.
    fn play<O: Observer<Self::Event>>(
        input: &Self::Input,
        game: u64,
        rules: RuleSet,
        observer: &mut O,
        budget: &mut Budget<'_>,
        out: &mut Vec<u8>,
    ) -> Result<Outcome, Stop>;
}

/// Sees the steps of a game.
pub trait Observer<E> {
    /// Whether anybody looks; `false` compiles every observation to nothing.
    const ON: bool;

    /// A step happened; by now `out` is `output_bytes` long, which ties a step to the
    /// output it caused. `event` is called only if somebody looks.
    fn step(&mut self, output_bytes: usize, event: impl FnOnce() -> E);
}

/// Nobody looks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl<E> Observer<E> for Silent {
    const ON: bool = false;

    #[inline(always)]
    fn step(&mut self, _: usize, _: impl FnOnce() -> E) {}
}

/// Hands every step to a function, with the length of the output so far.
pub struct Tracing<F>(pub F);

impl<E, F: FnMut(usize, E)> Observer<E> for Tracing<F> {
    const ON: bool = true;

    fn step(&mut self, output_bytes: usize, event: impl FnOnce() -> E) {
        (self.0)(output_bytes, event());
    }
}
