//! The inputs that are played, read and stored.

use std::fmt::Write;

use simdrop::domain::SimulatorId;

/// What each bench of a game goes through; without the simulator that fails on purpose.
pub(crate) const SIMULATORS: [SimulatorId; 3] =
    [SimulatorId::ThunderBluff, SimulatorId::StellarConnect, SimulatorId::Mtj];

/// A long input; the last two are the ones whose instructions are counted, too.
pub(crate) fn long(simulator: SimulatorId) -> Vec<u8> {
    match simulator {
        SimulatorId::StellarConnect => {
            include_bytes!("../../tests/vectors/stellar-connect/025.in").to_vec()
        }
        SimulatorId::Mtj => include_bytes!("../../tests/vectors/mtj/100.in").to_vec(),
        _ => seeds(1, 2_000),
    }
}

/// A small input of Thunder Bluff: one game, another one for each number.
pub(crate) fn small(number: u64) -> Vec<u8> {
    seeds(number, 1)
}

/// An input of Thunder Bluff with so many games.
pub(crate) fn seeds(first: u64, games: u64) -> Vec<u8> {
    let mut text = format!("{games}\n");
    for seed in first..first + games {
        // No two games of one input begin alike, and all numbers are of several digits.
        let [a, b, c, d] = [1, 7, 11, 13].map(|factor| (factor * (seed + 1_000)) & 0xffff_ffff);
        let _ = writeln!(text, "{a} {b} {c} {d}");
    }
    text.into_bytes()
}
