//! A case before it is written: its input, what playing gives, and what the compared file is worth.

use std::cell::OnceCell;
use std::sync::atomic::AtomicBool;

use simdrop::compare::{Expected, compare};
use simdrop::domain::{
    Body, CaseError, CompareMode, Difference, Outcome, RuleSet, SimulatorId, Verdict,
};
use simdrop::sim::{self, Input};
use simdrop::store::{Bytes, GameBlocks, NewCase, NewResult, Packed, ResultKey, Taken};

use crate::chance::Chance;
use crate::history::History;
use crate::inputs::Made;

pub(super) struct Prepared {
    pub(super) rank: u32,
    pub(super) name: String,
    pub(super) judgement: (Verdict, Option<Difference>),
    rules: RuleSet,
    made: Made,
    read: Result<sim::Reading, CaseError>,
    played: OnceCell<Played>,
    compared: Option<Vec<u8>>,
}

#[derive(Default)]
struct Played {
    games: Vec<Outcome>,
    output: Vec<u8>,
    error: Option<CaseError>,
}

impl Prepared {
    /// A case by the place of its run in the history and its rank.
    pub(super) fn new(history: &History, run: usize, rank: u64) -> Self {
        let made = Made::of(history, run, rank);
        let planned = &history.runs[run];
        let read = sim::read(&made.text, Some(made.simulator)).map_err(|refused| refused.error);
        let mut chance = Chance::of(&[history.seed, 4, run as u64, rank]);
        let mut case = Self {
            rank: rank as u32,
            name: format!("{}/{rank}", ["small", "medium", "large"][(rank % 3) as usize]),
            judgement: (Verdict::NoRef, None),
            rules: made.simulator.rules_or_default(Some(planned.rules)),
            made,
            read,
            played: OnceCell::new(),
            compared: None,
        };
        if case.read.is_ok() && planned.answered {
            case.compare(&mut chance);
        }
        // A repeated input is very likely known.
        if !case.made.repeats {
            case.judge();
        }
        case
    }

    pub(super) fn new_case(&self) -> NewCase {
        NewCase {
            rank: self.rank,
            name: self.name.clone().into_bytes(),
            compared: self.compared.as_deref().map(|file| Bytes::Packed(Packed::new(file))),
            taken: self.taken(),
        }
    }

    pub(super) fn simulator(&self) -> SimulatorId {
        self.made.simulator
    }

    /// Makes the file it is compared with, mostly a right one.
    fn compare(&mut self, chance: &mut Chance) {
        let Played { output, error: None, .. } = self.played() else { return };
        let mut file = output.clone();
        match chance.within(1, 1000) {
            1..=40 => {
                let digit = file.iter().position(u8::is_ascii_digit).unwrap_or(0);
                file[digit] = if file[digit] == b'7' { b'3' } else { b'7' };
            }
            41..=44 => file.insert(0, b' '),
            _ => {}
        }
        let expected = Body::Bytes(output.clone());
        let judged = if file == *output {
            (Verdict::Ac, None)
        } else {
            compare(Expected::Text(&expected), &Body::Bytes(file.clone()), CompareMode::Lines)
                .unwrap_or((Verdict::Ac, None))
        };
        (self.judgement, self.compared) = (judged, Some(file));
    }

    /// A game without an end has no output.
    fn judge(&mut self) {
        if self.played().error.is_some() {
            self.judgement = (Verdict::Limit, None);
        }
    }

    fn taken(&self) -> Taken {
        let input = Bytes::Packed(Packed::new(&self.made.text));
        let simulator = self.simulator();
        match &self.read {
            Ok(_) => Taken::Queued { simulator, rules: self.rules, input },
            Err(error) => Taken::Refused {
                simulator: Some(simulator),
                input: Some(input),
                error: error.clone(),
            },
        }
    }

    pub(super) fn games(&self) -> u64 {
        self.read.as_ref().map_or(0, |reading| reading.input.games())
    }

    pub(super) fn result(&self, key: ResultKey) -> NewResult {
        let Played { games, output, error } = self.played();
        NewResult {
            games: GameBlocks::new(key, games),
            output: error.is_none().then(|| Packed::new(output)),
            error: error.clone(),
            warnings: self.read.as_ref().map_or(Vec::new(), |reading| reading.warnings.clone()),
        }
    }

    fn played(&self) -> &Played {
        self.played.get_or_init(|| match &self.read {
            Ok(reading) => play(&reading.input, self.rules),
            Err(_) => Played::default(),
        })
    }
}

fn play(input: &Input, rules: RuleSet) -> Played {
    let never = AtomicBool::new(false);
    let mut played = Played::default();
    for game in 0..input.games() {
        let ended = input.play(game, rules, &never, &mut played.output);
        played.error = played.error.or_else(|| input.no_output(game, ended.as_ref()));
        match ended {
            Ok(outcome) => played.games.push(outcome),
            Err(_) => {
                played.games.clear();
                break;
            }
        }
    }
    played
}
