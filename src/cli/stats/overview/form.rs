//! The overview as JSON.

use serde::Serialize;

use crate::cli::json::{Named, SCHEMA};
use crate::cli::stats::columns::Fact;
use crate::cli::stats::grouped::{interval, player, won};
use crate::cli::stats::summary::{Summary, Unit};
use crate::domain::{Ending, SimulatorId, Verdict};
use crate::store::Cell;

#[derive(Serialize)]
pub(super) struct Overview {
    schema: u32,
    cases: u64,
    cached: u64,
    verdicts: Named<u64>,
    time: Named<Fact>,
    simulators: Vec<Simulator>,
}

#[derive(Serialize)]
struct Simulator {
    simulator: SimulatorId,
    cases: u64,
    games: u64,
    endings: Named<u64>,
    winners: Vec<Winner>,
    length_name: &'static str,
    length: Named<Fact>,
}

#[derive(Serialize)]
struct Winner {
    winner: Fact,
    games: u64,
    share: Fact,
    low: Fact,
    high: Fact,
}

impl Overview {
    pub(super) fn new(all: &Cell, simulators: &[(SimulatorId, Cell)]) -> Self {
        let counts = Verdict::ALL.iter().zip(all.verdicts);
        Self {
            schema: SCHEMA,
            cases: all.cases(),
            cached: all.cached,
            verdicts: Named(counts.map(|(verdict, count)| (verdict.name(), count)).collect()),
            time: Summary::new(&all.times, Unit::Micros).named(),
            simulators: simulators.iter().map(|(id, cell)| Simulator::new(*id, cell)).collect(),
        }
    }
}

impl Simulator {
    fn new(id: SimulatorId, cell: &Cell) -> Self {
        let winners = won(&cell.endings).into_iter().filter(|(winner, _)| winner.is_some());
        let endings = Ending::ALL.iter().map(|ending| (ending.name(), cell.ended(*ending)));
        Self {
            simulator: id,
            cases: cell.cases(),
            games: cell.games(),
            endings: Named(endings.collect()),
            winners: winners.map(|(player, won)| Winner::new(id, player, won, cell)).collect(),
            length_name: id.length_name(),
            length: Summary::new(&cell.values, Unit::One).named(),
        }
    }
}

impl Winner {
    fn new(id: SimulatorId, winner: Option<u32>, games: u64, of: &Cell) -> Self {
        let [low, high] = interval(games, of.games());
        let (winner, share) = (player(Some(id), winner), Fact::share(games, of.games()));
        Self { winner, games, share, low, high }
    }
}
