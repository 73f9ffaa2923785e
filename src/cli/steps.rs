//! The steps of games, printed: all of them or some.

use std::io::Write;
use std::str::FromStr;
use std::sync::atomic::AtomicBool;

use clap::ValueEnum;

use super::{CliError, Out, json, render};
use crate::domain::{Outcome, RuleSet};
use crate::sim::{Input, Step, Stop};

/// In which form steps are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum TraceForm {
    /// Lines for people
    Text,
    /// One JSON object a step
    Jsonl,
}

/// The steps of each game that are wanted, numbered from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StepRange {
    first: u64,
    /// The step after the last one; `None`: to the end.
    end: Option<u64>,
}

impl Default for StepRange {
    fn default() -> Self {
        Self { first: 1, end: None }
    }
}

impl FromStr for StepRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || "expected A..B, A.. or ..B: steps count from 1, and B is the first one left out";
        let (first, end) = text.split_once("..").ok_or_else(wrong)?;
        let number = |digits: &str| match digits {
            "" => Ok(None),
            digits => digits.parse().map(Some).map_err(|_| wrong()),
        };
        let range = Self { first: number(first)?.unwrap_or(1), end: number(end)? };
        let some = range.first > 0 && range.end.is_none_or(|end| range.first < end);
        some.then_some(range).ok_or_else(|| wrong().to_owned())
    }
}

impl StepRange {
    fn contains(self, step: u64) -> bool {
        self.first <= step && self.end.is_none_or(|end| step < end)
    }
}

/// How steps are printed, and which.
#[derive(Debug, Clone, Copy)]
pub(super) struct Steps {
    pub(super) form: TraceForm,
    pub(super) range: StepRange,
    /// Whether a line of text says which game it is.
    pub(super) headed: bool,
}

impl Steps {
    /// Plays a game (from 0) and prints its steps; the inner result is how the game went.
    pub(super) fn print(
        &self,
        input: &Input,
        game: u64,
        rules: RuleSet,
        out: &mut Out,
    ) -> Result<Result<Outcome, Stop>, CliError> {
        let number = game + 1;
        if self.headed && self.form == TraceForm::Text {
            writeln!(out, "game {number}")?;
        }
        let (mut step, mut printed) = (0, Ok(()));
        let see = |output_bytes, event: Step| {
            step += 1;
            if printed.is_ok() && self.range.contains(step) {
                printed = match self.form {
                    TraceForm::Text => writeln!(out, "{event}"),
                    TraceForm::Jsonl => {
                        let line = json::Step::new(number, step, output_bytes, &event);
                        render::json_line(out, &line)
                    }
                };
            }
        };
        let never = AtomicBool::new(false);
        let ended = input.trace(game, rules, &never, &mut Vec::new(), see);
        printed?;
        Ok(ended)
    }
}

#[cfg(test)]
mod tests {
    use super::StepRange;

    #[test]
    fn steps_are_a_half_open_range_from_1() {
        let range =
            |text: &str| text.parse::<StepRange>().ok().map(|range| (range.first, range.end));
        assert_eq!(range("10..20"), Some((10, Some(20))));
        assert_eq!(range("10.."), Some((10, None)));
        assert_eq!(range("..20"), Some((1, Some(20))));
        assert_eq!(range(".."), Some((1, None)));
        for wrong in ["", "7", "0..3", "5..5", "7..3", "a..b", "1...3", "-1..3", "1..2..3"] {
            assert_eq!(range(wrong), None, "{wrong:?}");
        }
    }
}
