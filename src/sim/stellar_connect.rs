//! Stellar Connect (THUPC 2021, P7610): two sides of `n` characters fight in rounds until one side is
//! dead.
//!
//! A game goes on for at most [`StellarConnect::STEP_LIMIT`] rounds. Many inputs that no contest
//! would use never end; most of those are proved endless long before (see `endless`).
//!
//! | file | what it holds |
//! | --- | --- |
//! | `input` | what an input says |
//! | `fighter` | one character, and the arithmetic of a hit |
//! | `energy` | the energy of one side's characters |
//! | `side` | one player's characters, and what happens to them |
//! | `aim` | who attacks whom |
//! | `battle` | rounds, actions and their ends |
//! | `skills` | what each skill does |
//! | `effects` | what is undone at the end of a later round |
//! | `endless` | the two proofs that a game never ends |
//! | `trace` | the steps as people see them |

mod aim;
mod battle;
mod effects;
mod endless;
mod energy;
mod fighter;
mod input;
mod side;
mod skills;
mod trace;

pub use effects::Stat;
pub use input::{Character, Input, Skill, Talent};
pub use trace::{Event, Mended, Player, Standing};

use super::{Budget, Numbers, Observer, Simulator, Stop};
use crate::domain::{CaseError, Ending, METRICS_MAX, Outcome, RuleSet, SimulatorId, Warning};
use battle::{Battle, Halt};
use fighter::Fighter;
use side::Side;

/// The contest promises that a game ends within this many rounds (statement).
const PROMISED_ROUNDS: u64 = 23_333;

/// What is printed for a game that is proved endless. The judge takes any emoticon (ruling).
const ENDLESS: &[u8] = b"(=^_^=)\n";

/// The step limit in rounds; an end in the last one counts (ruling).
const ROUNDS_MAX: u64 = 1_000_000;

/// Stellar Connect: player 1 is Alice, player 2 is Bob.
#[derive(Debug)]
pub struct StellarConnect;

impl Simulator for StellarConnect {
    type Input = Input;
    type Event = Event;
    const ID: SimulatorId = SimulatorId::StellarConnect;
    const VERSION: u32 = 1;
    const RULE_SETS: &'static [RuleSet] = &[RuleSet::Judge];
    const LENGTH: &'static str = "rounds";
    /// At the end of the game: the hp a side has left in all, and how many of it live. Of the whole
    /// game: what it cast and how often it attacked. A game without an end has none of these.
    const METRICS: &'static [&'static str] = &[
        "alice-total-hp",
        "alice-survivors",
        "alice-total-casts",
        "alice-total-attacks",
        "bob-total-hp",
        "bob-survivors",
        "bob-total-casts",
        "bob-total-attacks",
    ];
    const STEP_LIMIT: u64 = ROUNDS_MAX;

    fn expected_tokens(head: [Option<i64>; 3]) -> Option<i128> {
        head[0].map(input::tokens)
    }

    fn parse(numbers: &mut Numbers<'_>) -> Result<Input, CaseError> {
        Input::parse(numbers)
    }

    fn games(_: &Input) -> u64 {
        1
    }

    fn player(number: u32) -> String {
        let known = [Player::Alice, Player::Bob].into_iter().find(|who| who.number() == number);
        known.map_or_else(|| number.to_string(), |who| who.to_string())
    }

    fn play<O: Observer<Event>>(
        input: &Input,
        _: u64,
        _: RuleSet,
        observer: &mut O,
        budget: &mut Budget<'_>,
        out: &mut Vec<u8>,
    ) -> Result<Outcome, Stop> {
        enter(input, observer, out.len());
        let fighters = [&input.alice, &input.bob]
            .map(|side| side.iter().enumerate().map(Fighter::new).collect::<Vec<_>>());
        let mut battle = Battle::new(&fighters, observer, out.len());
        let mut outcome = match battle.run(budget) {
            Halt::Stop(Stop::Undecided) => Outcome::open(Ending::Undecided),
            Halt::Stop(stop) => return Err(stop),
            Halt::Endless(proof) => {
                out.extend_from_slice(ENDLESS);
                battle.tell_end(out.len(), |round, _| proof.event(round));
                Outcome::open(Ending::Endless)
            }
            Halt::Over => {
                let winner = battle.winner();
                print(battle.round, winner, &battle.sides[winner.index()], out);
                battle.tell_end(out.len(), |round, sides| {
                    let hp = sides[winner.index()].all_hp();
                    Event::Win { round, player: winner, hp }
                });
                ended(battle.round, winner, &battle.sides)
            }
        };
        if outcome.length.is_none_or(|rounds| rounds > PROMISED_ROUNDS) {
            outcome.warnings.push(long_game());
        }
        Ok(outcome)
    }
}

/// Shows the observer, if there is one, who takes part.
fn enter<O: Observer<Event>>(input: &Input, observer: &mut O, output_bytes: usize) {
    if !O::ON {
        return;
    }
    for (player, side) in [(Player::Alice, &input.alice), (Player::Bob, &input.bob)] {
        for (index, character) in side.iter().enumerate() {
            observer.step(output_bytes, || Event::enter(player, index, character));
        }
    }
}

/// The judge's output: the round, the winner, and the hp of the winner's characters.
fn print(round: u64, winner: Player, side: &Side<'_>, out: &mut Vec<u8>) {
    push_number(out, round);
    out.push(b'\n');
    out.extend_from_slice(winner.name().as_bytes());
    let mut gap = b'\n';
    for fighter in side.fighters {
        out.push(gap);
        push_number(out, fighter.hp.get());
        gap = b' ';
    }
    out.push(b'\n');
}

/// Appends a number in decimal.
fn push_number(out: &mut Vec<u8>, mut number: u64) {
    let start = out.len();
    loop {
        out.push(b'0' + (number % 10) as u8);
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out[start..].reverse();
}

/// What is kept of a game that ended.
fn ended(round: u64, winner: Player, sides: &[Side<'_>; 2]) -> Outcome {
    let [alice, bob] = sides;
    let mut outcome = Outcome::ended(winner.number(), round);
    let totals = totals(alice).into_iter().chain(totals(bob));
    for (metric, total) in outcome.metrics[..METRICS_MAX].iter_mut().zip(totals) {
        *metric = total;
    }
    outcome.list("alice-hp", alice.fighters.iter().map(|fighter| signed(fighter.hp.get())));
    outcome.list("alice-casts", alice.fighters.iter().map(|fighter| signed(fighter.casts.get())));
    outcome
        .list("alice-attacks", alice.fighters.iter().map(|fighter| signed(fighter.attacks.get())));
    outcome.list("bob-hp", bob.fighters.iter().map(|fighter| signed(fighter.hp.get())));
    outcome.list("bob-casts", bob.fighters.iter().map(|fighter| signed(fighter.casts.get())));
    outcome.list("bob-attacks", bob.fighters.iter().map(|fighter| signed(fighter.attacks.get())));
    outcome
}

/// The metrics of one side, in the order of their names.
fn totals(side: &Side<'_>) -> [i64; 4] {
    [
        signed(
            side.fighters.iter().fold(0, |sum: u64, fighter| sum.saturating_add(fighter.hp.get())),
        ),
        signed(side.living as u64),
        signed(side.fighters.iter().map(|fighter| fighter.casts.get()).sum()),
        signed(side.fighters.iter().map(|fighter| fighter.attacks.get()).sum()),
    ]
}

/// As a metric; only the sum of hp far outside the statement can be too large.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn long_game() -> Warning {
    Warning {
        code: "long-game".to_owned(),
        message: format!("no end within {PROMISED_ROUNDS} rounds"),
        line: None,
        column: None,
        count: 1,
    }
}
