//! Every simulator behind one closed enum, and the choice of one for an input.

use std::fmt;
use std::sync::atomic::AtomicBool;

use serde::Serialize;

#[cfg(feature = "faults")]
use super::faults::{self, Faults};
use super::mtj::{self, Mtj};
use super::stellar_connect::{self, StellarConnect};
use super::thunder_bluff::{self, ThunderBluff};
use super::{Budget, Observer, Silent, Simulator, Stop, Text, Tracing};
use crate::domain::{CaseError, Ending, ErrorCode, Outcome, RuleSet, SimulatorId, Warning};

/// An input of one of the simulators.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// For Stellar Connect.
    StellarConnect(stellar_connect::Input),
    /// For Thunder Bluff.
    ThunderBluff(thunder_bluff::Input),
    /// For MTJ.
    Mtj(mtj::Input),
    /// What fails on purpose.
    #[cfg(feature = "faults")]
    Faults(faults::Input),
}

/// A step of a game of one of the simulators.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Step {
    /// Of Stellar Connect.
    StellarConnect(stellar_connect::Event),
    /// Of Thunder Bluff.
    ThunderBluff(thunder_bluff::Event),
    /// Of MTJ.
    Mtj(mtj::Event),
    /// Of what fails on purpose.
    #[cfg(feature = "faults")]
    Faults(faults::Event),
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StellarConnect(event) => event.fmt(f),
            Self::ThunderBluff(event) => event.fmt(f),
            Self::Mtj(event) => event.fmt(f),
            #[cfg(feature = "faults")]
            Self::Faults(event) => event.fmt(f),
        }
    }
}

/// An input that was read, with what is odd about it.
#[derive(Debug)]
pub struct Reading {
    /// The input.
    pub input: Input,
    /// What is odd about it.
    pub warnings: Vec<Warning>,
}

/// An input that cannot be played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The simulator it is for, if that is known.
    pub simulator: Option<SimulatorId>,
    /// Why it cannot be played.
    pub error: CaseError,
}

/// Evaluates `$body` with `$S` standing for the simulator behind an id.
macro_rules! with_simulator {
    ($id:expr, $S:ident => $body:expr) => {
        match $id {
            SimulatorId::StellarConnect => {
                type $S = StellarConnect;
                $body
            }
            SimulatorId::ThunderBluff => {
                type $S = ThunderBluff;
                $body
            }
            SimulatorId::Mtj => {
                type $S = Mtj;
                $body
            }
            #[cfg(feature = "faults")]
            SimulatorId::Faults => {
                type $S = Faults;
                $body
            }
        }
    };
}

impl SimulatorId {
    /// The version of its rules as code; part of a result's identity.
    #[must_use]
    pub const fn version(self) -> u32 {
        with_simulator!(self, S => S::VERSION)
    }

    /// The rule sets it can play by, the default first.
    #[must_use]
    pub const fn rule_sets(self) -> &'static [RuleSet] {
        with_simulator!(self, S => S::RULE_SETS)
    }

    /// What a game's length counts.
    #[must_use]
    pub const fn length_name(self) -> &'static str {
        with_simulator!(self, S => S::LENGTH)
    }

    /// The step limit of one game.
    #[must_use]
    pub const fn step_limit(self) -> u64 {
        with_simulator!(self, S => S::STEP_LIMIT)
    }

    /// The names of a game's single-number metrics.
    #[must_use]
    pub const fn metrics(self) -> &'static [&'static str] {
        with_simulator!(self, S => S::METRICS)
    }

    /// What people call player `number` (from 1).
    #[must_use]
    pub fn player(self, number: u32) -> String {
        with_simulator!(self, S => S::player(number))
    }

    /// `rules` where this simulator has them, else its default.
    #[must_use]
    pub fn rules_or_default(self, rules: Option<RuleSet>) -> RuleSet {
        let sets = self.rule_sets();
        rules.filter(|rules| sets.contains(rules)).unwrap_or(sets[0])
    }

    pub(super) fn expected_tokens(self, head: [Option<i64>; 3]) -> Option<i128> {
        with_simulator!(self, S => S::expected_tokens(head))
    }

    fn parse(self, text: &Text<'_>) -> Result<Reading, CaseError> {
        let mut numbers = text.numbers(self.expected_tokens(text.head()))?;
        let input = match self {
            Self::StellarConnect => Input::StellarConnect(StellarConnect::parse(&mut numbers)?),
            Self::ThunderBluff => Input::ThunderBluff(ThunderBluff::parse(&mut numbers)?),
            Self::Mtj => Input::Mtj(Mtj::parse(&mut numbers)?),
            #[cfg(feature = "faults")]
            Self::Faults => Input::Faults(Faults::parse(&mut numbers)?),
        };
        Ok(Reading { input, warnings: numbers.into_warnings() })
    }
}

/// Finds the simulator an input is for without reading all of it: the hint, or the one its token count
/// is for.
///
/// # Errors
/// As [`read`], save for what is wrong with the values.
pub fn identify(bytes: &[u8], hint: Option<SimulatorId>) -> Result<SimulatorId, Refused> {
    if let Some(id) = hint {
        return Ok(id);
    }
    let refuse = |error| Refused { simulator: None, error };
    let text = Text::check(bytes).map_err(refuse)?;
    match candidates(&text)[..] {
        [] => Err(refuse(unrecognised(&text))),
        [id] => Ok(id),
        ref several => choose(&text, several).map(|reading| reading.input.simulator()),
    }
}

/// Reads an input: by the simulator of the hint, else by the one its token count is for.
///
/// # Errors
/// The first hard error. Without a hint an input that reads well for two simulators is
/// [`ErrorCode::Ambiguous`], and one that fits none is [`ErrorCode::Unrecognised`].
pub fn read(bytes: &[u8], hint: Option<SimulatorId>) -> Result<Reading, Refused> {
    let refuse = |simulator| move |error| Refused { simulator, error };
    let text = Text::check(bytes).map_err(refuse(hint))?;
    let candidates = hint.map_or_else(|| candidates(&text), |id| vec![id]);
    let mut reading = match candidates[..] {
        [] => Err(refuse(None)(unrecognised(&text))),
        [id] => id.parse(&text).map_err(refuse(Some(id))),
        _ => choose(&text, &candidates),
    }?;
    reading.warnings.splice(0..0, text.into_warnings());
    Ok(reading)
}

/// The simulators whose token count fits.
fn candidates(text: &Text<'_>) -> Vec<SimulatorId> {
    let (head, found) = (text.head(), i128::from(text.tokens()));
    let fits = |id: &SimulatorId| id.expected_tokens(head) == Some(found);
    SimulatorId::ALL.into_iter().filter(fits).collect()
}

/// Among several simulators whose count fits, the only one that reads the values.
fn choose(text: &Text<'_>, ids: &[SimulatorId]) -> Result<Reading, Refused> {
    let mut errors = Vec::new();
    let mut readings = Vec::new();
    for &id in ids {
        match id.parse(text) {
            Ok(reading) => readings.push(reading),
            Err(error) => errors.push(format!("as {id}: {error}")),
        }
    }
    let fail = |code, message: String| {
        Err(Refused { simulator: None, error: CaseError::new(code, message) })
    };
    match (readings.pop(), readings.is_empty()) {
        (None, _) => fail(ErrorCode::Unrecognised, errors.join("; ")),
        (Some(only), true) => Ok(only),
        _ => {
            let names = ids.iter().map(|id| id.name()).collect::<Vec<_>>().join(" and as ");
            fail(ErrorCode::Ambiguous, format!("reads well as {names}; name the simulator"))
        }
    }
}

fn unrecognised(text: &Text<'_>) -> CaseError {
    let head = text.head();
    let wanted = SimulatorId::ALL.map(|id| match id.expected_tokens(head) {
        Some(count) => format!("{id} expects {count}"),
        None => format!("{id} needs more to tell"),
    });
    let message = format!("{} numbers fit no simulator: {}", text.tokens(), wanted.join(", "));
    CaseError::new(ErrorCode::Unrecognised, message)
}

impl Input {
    /// The simulator it is for.
    #[must_use]
    pub const fn simulator(&self) -> SimulatorId {
        match self {
            Self::StellarConnect(_) => SimulatorId::StellarConnect,
            Self::ThunderBluff(_) => SimulatorId::ThunderBluff,
            Self::Mtj(_) => SimulatorId::Mtj,
            #[cfg(feature = "faults")]
            Self::Faults(_) => SimulatorId::Faults,
        }
    }

    /// How many games it holds.
    #[must_use]
    pub fn games(&self) -> u64 {
        match self {
            Self::StellarConnect(input) => StellarConnect::games(input),
            Self::ThunderBluff(input) => ThunderBluff::games(input),
            Self::Mtj(input) => Mtj::games(input),
            #[cfg(feature = "faults")]
            Self::Faults(input) => Faults::games(input),
        }
    }

    /// Plays one game (from 0), appends its output to `out`, and says how it went.
    ///
    /// # Errors
    /// [`Stop::Cancelled`] or [`Stop::OutOfRange`]; `out` is then as it was before. A game that
    /// passes the step limit is an outcome, without output.
    pub fn play(
        &self,
        game: u64,
        rules: RuleSet,
        cancel: &AtomicBool,
        out: &mut Vec<u8>,
    ) -> Result<Outcome, Stop> {
        match self {
            Self::StellarConnect(input) => {
                play::<StellarConnect, _>(input, game, rules, &mut Silent, cancel, out)
            }
            Self::ThunderBluff(input) => {
                play::<ThunderBluff, _>(input, game, rules, &mut Silent, cancel, out)
            }
            Self::Mtj(input) => play::<Mtj, _>(input, game, rules, &mut Silent, cancel, out),
            #[cfg(feature = "faults")]
            Self::Faults(input) => play::<Faults, _>(input, game, rules, &mut Silent, cancel, out),
        }
    }

    /// Why a game (from 0) that was played has no output; `None` if it has one, or was cancelled.
    #[must_use]
    pub fn no_output(&self, game: u64, played: Result<&Outcome, &Stop>) -> Option<CaseError> {
        let number = game + 1;
        match played {
            Ok(outcome) if outcome.ending != Ending::Undecided => None,
            Err(Stop::Cancelled) => None,
            Err(Stop::OutOfRange(what)) => {
                let message = format!("game {number}: {what} leaves 64 bits");
                Some(CaseError::new(ErrorCode::OutOfRange, message))
            }
            Ok(_) | Err(Stop::Undecided) => {
                let (limit, steps) =
                    (self.simulator().step_limit(), self.simulator().length_name());
                let message = format!("game {number} has no end within {limit} {steps}");
                Some(CaseError::new(ErrorCode::Undecided, message))
            }
        }
    }

    /// Like [`Input::play`], and hands every step to `see`, with the length of the output so far.
    ///
    /// # Errors
    /// As [`Input::play`].
    pub fn trace(
        &self,
        game: u64,
        rules: RuleSet,
        cancel: &AtomicBool,
        out: &mut Vec<u8>,
        mut see: impl FnMut(usize, Step),
    ) -> Result<Outcome, Stop> {
        match self {
            Self::StellarConnect(input) => {
                let mut observer = Tracing(|at, event| see(at, Step::StellarConnect(event)));
                play::<StellarConnect, _>(input, game, rules, &mut observer, cancel, out)
            }
            Self::ThunderBluff(input) => {
                let mut observer = Tracing(|at, event| see(at, Step::ThunderBluff(event)));
                play::<ThunderBluff, _>(input, game, rules, &mut observer, cancel, out)
            }
            Self::Mtj(input) => {
                let mut observer = Tracing(|at, event| see(at, Step::Mtj(event)));
                play::<Mtj, _>(input, game, rules, &mut observer, cancel, out)
            }
            #[cfg(feature = "faults")]
            Self::Faults(input) => {
                let mut observer = Tracing(|at, event| see(at, Step::Faults(event)));
                play::<Faults, _>(input, game, rules, &mut observer, cancel, out)
            }
        }
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StellarConnect(input) => input.fmt(f),
            Self::ThunderBluff(input) => input.fmt(f),
            Self::Mtj(input) => input.fmt(f),
            #[cfg(feature = "faults")]
            Self::Faults(input) => input.fmt(f),
        }
    }
}

fn play<S: Simulator, O: Observer<S::Event>>(
    input: &S::Input,
    game: u64,
    rules: RuleSet,
    observer: &mut O,
    cancel: &AtomicBool,
    out: &mut Vec<u8>,
) -> Result<Outcome, Stop> {
    let before = out.len();
    let mut budget = Budget::new(S::STEP_LIMIT, cancel);
    let played = S::play(input, game, rules, observer, &mut budget, out);
    if played.is_err() {
        out.truncate(before);
    }
    match played {
        Err(Stop::Undecided) => Ok(Outcome::open(Ending::Undecided)),
        other => other,
    }
}
