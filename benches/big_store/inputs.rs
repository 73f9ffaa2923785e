//! The inputs: what the judges' statements allow, of common sizes, and now and then one that is wrong.

use std::fmt::Write;

use simdrop::domain::SimulatorId;

use crate::chance::Chance;
use crate::history::{History, Planned};

/// The share of inputs that cannot be played.
const BAD: f64 = 0.004;

/// The share of inputs of Thunder Bluff that have very many games, and how many.
pub(crate) const MANY: (f64, u64) = (0.0002, 1000);

/// How often an older run of the same kind is looked for.
const TRIES: usize = 16;

/// An input and the simulator that plays it.
pub(crate) struct Made {
    pub(crate) simulator: SimulatorId,
    pub(crate) text: Vec<u8>,
    /// Whether an older run has it.
    pub(crate) repeats: bool,
}

impl Made {
    /// The input of a case, by its run's place in the history and its rank.
    pub(crate) fn of(history: &History, run: usize, rank: u64) -> Self {
        let planned = &history.runs[run];
        let mut chance = Chance::of(&[history.seed, 2, run as u64, rank]);
        if run > 0 && chance.happens(planned.repeats) {
            let mut older = (0..TRIES).map(|_| chance.within(0, run as u64 - 1) as usize);
            if let Some(older) = older.find(|&older| planned.is_like(&history.runs[older])) {
                let rank = chance.within(1, history.runs[older].cases);
                return Self { repeats: true, ..Self::of(history, older, rank) };
            }
        }
        Self::fresh(history, planned, &mut chance)
    }

    fn fresh(history: &History, planned: &Planned, chance: &mut Chance) -> Self {
        let any = [SimulatorId::ThunderBluff, SimulatorId::Mtj, SimulatorId::StellarConnect];
        let simulator = planned.simulator.unwrap_or_else(|| *chance.pick(&any));
        let mut text = String::new();
        match simulator {
            SimulatorId::ThunderBluff => thunder_bluff(&mut text, chance, history.thunder_games),
            SimulatorId::Mtj => mtj(&mut text, chance),
            _ => stellar_connect(&mut text, chance),
        }
        if chance.happens(BAD) {
            text.push_str("x\n");
        }
        Self { simulator, text: text.into_bytes(), repeats: false }
    }
}

fn thunder_bluff(text: &mut String, chance: &mut Chance, mean: f64) {
    let games = if chance.happens(MANY.0) { MANY.1 } else { chance.about(mean) };
    let _ = writeln!(text, "{games}");
    for _ in 0..games {
        let (first, second) = (chance.next(), chance.next());
        let [a, b, c, d] = [first >> 32, first & 0xffff_ffff, second >> 32, second & 0xffff_ffff];
        let _ = writeln!(text, "{a} {b} {c} {d}");
    }
}

fn mtj(text: &mut String, chance: &mut Chance) {
    let (players, values) = (chance.within(2, 6), chance.within(3, 10));
    let cards = players * 5 + chance.within(0, 20);
    let _ = writeln!(text, "{players} {cards} {values} {}", chance.within(41, 200));
    numbers(text, (0..values).map(|_| chance.within(0, 20).cast_signed() - 10));
    numbers(text, (0..cards).map(|_| chance.within(1, values).cast_signed()));
}

fn stellar_connect(text: &mut String, chance: &mut Chance) {
    let side = chance.within(1, 3);
    let _ = writeln!(text, "{side}");
    for _ in 0..2 * side {
        let [hp, mp] = [chance.within(50, 500), chance.within(3, 12)];
        let [attack, defence] = [chance.within(10, 60), chance.within(0, 9)];
        let _ = writeln!(text, "{hp} {mp} {attack} {defence}");
        let turn = chance.within(0, side - 1);
        numbers(text, (0..side).map(|at| ((at + turn) % side + 1).cast_signed()));
        numbers(text, parameters(chance, &[0, 0, 1, 2, 0, 2], 2));
        numbers(text, parameters(chance, &[0, 1, 0, 1, 2, 1, 2, 3, 2, 3, 1], 3));
    }
}

/// A talent or a skill: its id, the parameters it uses, and zeros up to `places`.
fn parameters(chance: &mut Chance, used: &[usize], places: usize) -> impl Iterator<Item = i64> {
    let id = chance.within(0, used.len() as u64 - 1) as usize;
    let mut values = vec![id.cast_signed() as i64];
    values.extend(
        (0..places).map(|at| if at < used[id] { chance.within(1, 9).cast_signed() } else { 0 }),
    );
    values.into_iter()
}

fn numbers(text: &mut String, numbers: impl Iterator<Item = i64>) {
    for (at, number) in numbers.enumerate() {
        let _ = write!(text, "{}{number}", if at == 0 { "" } else { " " });
    }
    text.push('\n');
}
