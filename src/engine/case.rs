//! A case from its bytes to its verdict.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::flights::{Flights, Recall};
use super::judge::{KnownOutput, without_output};
use crate::domain::{
    Body, CaseError, CaseId, Class, CompareMode, Difference, Ending, ErrorCode, Outcome, RuleSet,
    SimulatorId, Verdict, Warning, catching,
};
use crate::sim::{self, Input, Reading, Stop};

/// What is to be evaluated.
#[derive(Debug)]
pub struct Job {
    /// Which case it is.
    pub case: CaseId,
    /// How urgent it is.
    pub class: Class,
    /// The simulator.
    pub simulator: SimulatorId,
    /// The rules.
    pub rules: RuleSet,
    /// The input; not looked at if the result is known.
    pub input: Body,
    /// The file to compare with.
    pub compared: Option<Body>,
    /// How to compare.
    pub mode: CompareMode,
    /// The result, if it is known.
    pub known: Option<KnownOutput>,
    /// The most games that are played.
    pub max_games: u64,
    /// The most bytes of output.
    pub max_output_bytes: u64,
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
    /// How long reading the input took.
    pub parse: Duration,
    /// How long playing took, over all threads.
    pub play: Duration,
    /// How long comparing took.
    pub compare: Duration,
}

impl Evaluation {
    /// A verdict without anything that was played or compared for it.
    const fn new(verdict: Verdict, parse: Duration) -> Self {
        Self {
            verdict,
            difference: None,
            played: None,
            error: None,
            parse,
            play: Duration::ZERO,
            compare: Duration::ZERO,
        }
    }

    fn failed(verdict: Verdict, error: CaseError, parse: Duration) -> Self {
        Self { error: Some(error), ..Self::new(verdict, parse) }
    }

    fn panicked(message: String, parse: Duration) -> Self {
        let error = CaseError::new(ErrorCode::Panic, message);
        Self::failed(Verdict::Crash, error, parse)
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
    input: Input,
    rules: RuleSet,
    mode: CompareMode,
    pub(super) compared: Option<Body>,
    pub(super) max_output_bytes: u64,
    pub(super) warnings: Vec<Warning>,
    pub(super) recall: Arc<Recall>,
    flights: Arc<Flights>,
    pub(super) parse: Duration,
}

/// Some games of a case, in order.
#[derive(Debug)]
pub struct Slice {
    /// The number of the first one, from 0.
    pub first: u64,
    /// How they went.
    pub games: Vec<Outcome>,
    /// Their output.
    pub output: Vec<u8>,
    /// Why one of them has no output.
    pub(super) error: Option<CaseError>,
    pub(super) warnings: Vec<Warning>,
    pub(super) play: Duration,
}

/// Why a slice gave nothing.
pub(super) enum Failure {
    Stopped { game: u64, stop: Stop },
    OutputTooLarge,
    Panicked(String),
}

impl Playing {
    /// Reads a case; an evaluation if there is nothing to play.
    pub(super) fn begin(
        job: Job,
        flights: Arc<Flights>,
    ) -> io::Result<Result<Self, Box<Evaluation>>> {
        let begun = Instant::now();
        if let Some(known) = &job.known {
            return answer(known, job.compared.as_ref(), job.mode)
                .map(|evaluation| Err(Box::new(evaluation)));
        }
        let recall = Arc::new(Recall::new(job.case));
        let landing = flights.begin(&recall);
        if recall.flag().load(Ordering::Relaxed) {
            let cancelled = Evaluation::new(Verdict::Cancelled, Duration::ZERO);
            return Ok(Err(Box::new(cancelled)));
        }
        let input = job.input.into_bytes()?;
        let read = catching(|| sim::read(&input, Some(job.simulator)));
        drop((input, landing));
        let parse = begun.elapsed();
        let (rules, mode, compared) = (job.rules, job.mode, job.compared);
        let max_output_bytes = job.max_output_bytes;
        let over = |evaluation| Ok(Err(Box::new(evaluation)));
        match read {
            Ok(Ok(Reading { input, .. })) if input.games() > job.max_games => {
                let error = too_many_games(input.games(), job.max_games);
                over(Evaluation::failed(Verdict::BadIn, error, parse))
            }
            Ok(Ok(Reading { input, warnings })) => Ok(Ok(Self {
                input,
                rules,
                mode,
                compared,
                max_output_bytes,
                warnings,
                recall,
                flights,
                parse,
            })),
            Ok(Err(refused)) => over(Evaluation::failed(Verdict::BadIn, refused.error, parse)),
            Err(message) => over(Evaluation::panicked(message, parse)),
        }
    }

    pub(super) fn games(&self) -> u64 {
        self.input.games()
    }

    /// Plays games `first` up to but not including `end`.
    pub(super) fn play(&self, first: u64, end: u64) -> Result<Slice, Failure> {
        let _landing = self.flights.begin(&self.recall);
        let begun = Instant::now();
        let (games, output) = (Vec::new(), Vec::new());
        let (warnings, play) = (Vec::new(), Duration::ZERO);
        let mut slice = Slice { first, games, output, error: None, warnings, play };
        let flag = self.recall.flag();
        for game in first..end {
            // A short game does not look for itself.
            if flag.load(Ordering::Relaxed) {
                return Err(Failure::Stopped { game, stop: Stop::Cancelled });
            }
            let play = || self.input.play(game, self.rules, flag, &mut slice.output);
            match catching(play) {
                Ok(Ok(outcome)) => self.note(&mut slice, game, outcome),
                Ok(Err(stop)) => return Err(Failure::Stopped { game, stop }),
                Err(message) => return Err(Failure::Panicked(message)),
            }
            if slice.output.len() as u64 > self.max_output_bytes {
                return Err(Failure::OutputTooLarge);
            }
        }
        slice.play = begun.elapsed();
        Ok(slice)
    }

    fn note(&self, slice: &mut Slice, game: u64, mut outcome: Outcome) {
        add_warnings(&mut slice.warnings, outcome.warnings.drain(..));
        if slice.error.is_none() {
            slice.error = self.input.no_output(game, Ok(&outcome));
        }
        slice.games.push(outcome);
    }

    /// Plays all games and compares.
    pub(super) fn play_all(self) -> io::Result<Evaluation> {
        match self.play(0, self.games()) {
            Ok(slice) => catching(|| self.judge(slice))
                .unwrap_or_else(|message| Ok(Evaluation::panicked(message, self.parse))),
            Err(failure) => Ok(self.fail(failure)),
        }
    }

    /// What a failure makes of the case.
    pub(super) fn fail(&self, failure: Failure) -> Evaluation {
        let parse = self.parse;
        match failure {
            Failure::Panicked(message) => Evaluation::panicked(message, parse),
            Failure::OutputTooLarge => {
                let error = output_too_large(self.max_output_bytes);
                Evaluation::failed(Verdict::BadIn, error, parse)
            }
            Failure::Stopped { game, stop } => match self.input.no_output(game, Err(&stop)) {
                Some(error) => self.without_output(error),
                None if self.recall.is_overdue() => {
                    let error = CaseError::new(ErrorCode::Overdue, "took longer than it should");
                    Evaluation::failed(Verdict::Cancelled, error, parse)
                }
                None => Evaluation::new(Verdict::Cancelled, parse),
            },
        }
    }

    /// A result that says why there is no output.
    fn without_output(&self, error: CaseError) -> Evaluation {
        let verdict = without_output(&error);
        let error = Some(error);
        let played = Played { error, warnings: self.warnings.clone(), ..Played::default() };
        Evaluation { played: Some(played), ..Evaluation::new(verdict, self.parse) }
    }

    fn judge(&self, slice: Slice) -> io::Result<Evaluation> {
        let begun = Instant::now();
        let Slice { games, output, error, warnings: odd, play, .. } = slice;
        let mut warnings = self.warnings.clone();
        add_warnings(&mut warnings, odd);
        let endless = matches!(&games[..], [game] if game.ending == Ending::Endless);
        let output = error.is_none().then_some(Body::Bytes(output));
        let known = KnownOutput { output, same: false, endless, error };
        let (verdict, difference) = known.judge(self.compared.as_ref(), self.mode)?;
        let KnownOutput { output, error, .. } = known;
        let output = output.map(Body::into_bytes).transpose()?;
        Ok(Evaluation {
            difference,
            play,
            compare: begun.elapsed(),
            played: Some(Played { games, output, error, warnings }),
            ..Evaluation::new(verdict, self.parse)
        })
    }
}

/// Adds warnings, each counted with the one of its kind.
pub(super) fn add_warnings(to: &mut Vec<Warning>, warnings: impl IntoIterator<Item = Warning>) {
    for warning in warnings {
        match to.iter_mut().find(|known| known.code == warning.code) {
            Some(known) => known.count += warning.count,
            None => to.push(warning),
        }
    }
}

/// The evaluation of a result that is known.
pub(super) fn answer(
    known: &KnownOutput,
    compared: Option<&Body>,
    mode: CompareMode,
) -> io::Result<Evaluation> {
    let begun = Instant::now();
    let judged = catching(|| known.judge(compared, mode));
    let crash = |message| Evaluation::panicked(message, Duration::ZERO);
    let (verdict, difference) = match judged {
        Ok(judged) => judged?,
        Err(message) => return Ok(crash(message)),
    };
    let compare = begun.elapsed();
    Ok(Evaluation { difference, compare, ..Evaluation::new(verdict, Duration::ZERO) })
}

pub(crate) fn too_many_games(games: u64, most: u64) -> CaseError {
    let message = format!("{games} games, expected at most {most} (max_games)");
    CaseError::new(ErrorCode::TooManyGames, message)
}

fn output_too_large(most: u64) -> CaseError {
    let message = format!("the output is larger than {most} bytes (max_output_bytes)");
    CaseError::new(ErrorCode::OutputTooLarge, message)
}
