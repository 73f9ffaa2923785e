//! A case from its bytes to its verdict.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::compare::{Expected, compare};
use crate::domain::{
    Body, CaseError, CompareMode, Difference, Ending, ErrorCode, Outcome, RuleSet, SimulatorId,
    Verdict, Warning, catching,
};
use crate::sim::{self, Input, Reading, Stop};

/// What is to be evaluated.
#[derive(Debug)]
pub struct Job {
    /// The simulator.
    pub simulator: SimulatorId,
    /// The rules.
    pub rules: RuleSet,
    /// The input; not looked at if the result is known.
    pub input: Vec<u8>,
    /// The file to compare with.
    pub compared: Option<Vec<u8>>,
    /// The result, if it is known.
    pub known: Option<KnownOutput>,
}

/// What is known of a result.
#[derive(Debug)]
pub struct KnownOutput {
    /// Its output, if it claims one.
    pub output: Option<Vec<u8>>,
    /// Whether any emoticon is right.
    pub endless: bool,
    /// Why it claims no output.
    pub error: Option<CaseError>,
}

/// What a case gave.
#[derive(Debug)]
pub struct Evaluation {
    /// The verdict.
    pub verdict: Verdict,
    /// Where the compared file differs.
    pub difference: Option<Difference>,
    /// The result, if it was played now.
    pub played: Option<Played>,
    /// Why there is no result.
    pub error: Option<CaseError>,
    /// When a thread began with it.
    pub begun: Instant,
    /// How long reading the input took.
    pub parse: Duration,
    /// How long playing took, over all threads.
    pub play: Duration,
    /// How long comparing took.
    pub compare: Duration,
}

impl Evaluation {
    /// A verdict without anything that was played or compared for it.
    const fn new(verdict: Verdict, begun: Instant, parse: Duration) -> Self {
        Self {
            verdict,
            difference: None,
            played: None,
            error: None,
            begun,
            parse,
            play: Duration::ZERO,
            compare: Duration::ZERO,
        }
    }
}

/// A result that was played now.
#[derive(Debug, Default)]
pub struct Played {
    /// How the games went.
    pub games: Vec<Outcome>,
    /// The judge's output of all games; `None` if none is claimed.
    pub output: Option<Vec<u8>>,
    /// Why no output is claimed.
    pub error: Option<CaseError>,
    /// What is odd about the input or its games, one per kind.
    pub warnings: Vec<Warning>,
}

/// A case while it is played.
pub(super) struct Playing {
    pub(super) input: Input,
    pub(super) rules: RuleSet,
    pub(super) cancel: Arc<AtomicBool>,
    compared: Option<Vec<u8>>,
    warnings: Vec<Warning>,
    begun: Instant,
    parse: Duration,
}

/// What a slice gave: the games from one number on.
pub(super) struct Slice {
    pub(super) games: Vec<Outcome>,
    pub(super) output: Vec<u8>,
    pub(super) play: Duration,
}

/// Why a slice gave nothing.
pub(super) enum Failure {
    Stopped { game: u64, stop: Stop },
    Panicked(String),
}

impl Playing {
    /// Reads a case; an evaluation if there is nothing to play.
    pub(super) fn begin(job: Job, cancel: Arc<AtomicBool>) -> Result<Self, Box<Evaluation>> {
        let begun = Instant::now();
        if let Some(known) = &job.known {
            let answered = catching(|| answer(known, job.compared.as_deref(), begun));
            let crash = |message| panicked(message, begun, Duration::ZERO);
            return Err(Box::new(answered.unwrap_or_else(crash)));
        }
        let read = catching(|| sim::read(&job.input, Some(job.simulator)));
        let parse = begun.elapsed();
        match read {
            Ok(Ok(Reading { input, warnings })) => {
                let Job { rules, compared, .. } = job;
                Ok(Self { input, rules, cancel, compared, warnings, begun, parse })
            }
            Ok(Err(refused)) => Err(Box::new(failed(Verdict::BadIn, refused.error, begun, parse))),
            Err(message) => Err(Box::new(panicked(message, begun, parse))),
        }
    }

    /// Plays games `from` up to but not including `to`.
    pub(super) fn play(&self, from: u64, to: u64) -> Result<Slice, Failure> {
        let begun = Instant::now();
        let mut slice = Slice { games: Vec::new(), output: Vec::new(), play: Duration::ZERO };
        for game in from..to {
            let play = || self.input.play(game, self.rules, &self.cancel, &mut slice.output);
            match catching(play) {
                Ok(Ok(outcome)) => slice.games.push(outcome),
                Ok(Err(stop)) => return Err(Failure::Stopped { game, stop }),
                Err(message) => return Err(Failure::Panicked(message)),
            }
        }
        slice.play = begun.elapsed();
        Ok(slice)
    }

    /// Puts the slices together, in order, and compares.
    pub(super) fn conclude(
        &self,
        slices: impl IntoIterator<Item = Result<Slice, Failure>>,
    ) -> Evaluation {
        let concluded = catching(|| self.conclude_or_panic(slices));
        concluded.unwrap_or_else(|message| panicked(message, self.begun, self.parse))
    }

    fn conclude_or_panic(
        &self,
        slices: impl IntoIterator<Item = Result<Slice, Failure>>,
    ) -> Evaluation {
        let (begun, parse) = (self.begun, self.parse);
        match self.merge(slices) {
            Ok((played, play)) => self.judge(played, play),
            Err(Failure::Panicked(message)) => panicked(message, begun, parse),
            Err(Failure::Stopped { game, stop }) => match self.input.no_output(game, Err(&stop)) {
                None => Evaluation::new(Verdict::Cancelled, begun, parse),
                error => {
                    let warnings = self.warnings.clone();
                    let played = Played { error, warnings, ..Played::default() };
                    self.judge(played, Duration::ZERO)
                }
            },
        }
    }

    fn merge(
        &self,
        slices: impl IntoIterator<Item = Result<Slice, Failure>>,
    ) -> Result<(Played, Duration), Failure> {
        let mut played = Played { warnings: self.warnings.clone(), ..Played::default() };
        let (mut output, mut play) = (Vec::new(), Duration::ZERO);
        for slice in slices {
            let mut slice = slice?;
            play += slice.play;
            append(&mut output, slice.output);
            played.games.append(&mut slice.games);
        }
        for game in &mut played.games {
            game.warnings.drain(..).for_each(|warning| add(&mut played.warnings, warning));
        }
        let games = (0..).zip(&played.games);
        played.error = games.filter_map(|(at, game)| self.input.no_output(at, Ok(game))).next();
        played.output = played.error.is_none().then_some(output);
        Ok((played, play))
    }

    fn judge(&self, played: Played, play: Duration) -> Evaluation {
        let begun = Instant::now();
        let endless = matches!(&played.games[..], [game] if game.ending == Ending::Endless);
        let output = played.output.as_deref();
        let (verdict, difference) =
            judge(output, endless, played.error.as_ref(), self.compared.as_deref());
        Evaluation {
            difference,
            play,
            compare: begun.elapsed(),
            played: Some(played),
            ..Evaluation::new(verdict, self.begun, self.parse)
        }
    }
}

/// Moves bytes to the end; the first ones are not copied.
fn append(output: &mut Vec<u8>, mut more: Vec<u8>) {
    if output.is_empty() {
        *output = more;
    } else {
        output.append(&mut more);
    }
}

/// Adds a warning, or counts it with the one of its kind.
fn add(warnings: &mut Vec<Warning>, warning: Warning) {
    match warnings.iter_mut().find(|known| known.code == warning.code) {
        Some(known) => known.count += warning.count,
        None => warnings.push(warning),
    }
}

/// The verdict for an output, or for the reason why there is none.
fn judge(
    output: Option<&[u8]>,
    endless: bool,
    error: Option<&CaseError>,
    compared: Option<&[u8]>,
) -> (Verdict, Option<Difference>) {
    match (output, compared) {
        (Some(_), None) => (Verdict::NoRef, None),
        (Some(output), Some(got)) => {
            let [output, got] = [output, got].map(|bytes| Body::Bytes(bytes.to_vec()));
            let expected = if endless { Expected::Emoticon } else { Expected::Text };
            compare(expected(&output), &got, CompareMode::default()).expect("bytes in memory")
        }
        (None, _) if error.is_some_and(|error| error.code == ErrorCode::Undecided) => {
            (Verdict::Limit, None)
        }
        (None, _) => (Verdict::BadIn, None),
    }
}

fn answer(known: &KnownOutput, compared: Option<&[u8]>, begun: Instant) -> Evaluation {
    let output = known.output.as_deref();
    let (verdict, difference) = judge(output, known.endless, known.error.as_ref(), compared);
    let compare = begun.elapsed();
    Evaluation { difference, compare, ..Evaluation::new(verdict, begun, Duration::ZERO) }
}

fn failed(verdict: Verdict, error: CaseError, begun: Instant, parse: Duration) -> Evaluation {
    Evaluation { error: Some(error), ..Evaluation::new(verdict, begun, parse) }
}

fn panicked(message: String, begun: Instant, parse: Duration) -> Evaluation {
    failed(Verdict::Crash, CaseError::new(ErrorCode::Panic, message), begun, parse)
}
