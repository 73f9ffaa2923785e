//! What all cases and games come to, on one page.

mod form;

use std::cmp::Reverse;
use std::io::Write;

use super::columns::{Column, Fact, Rows};
use super::grouped::{interval, player, won};
use super::summary::{Summary, Unit};
use super::{By, fold, row_of};
use crate::cli::render::{self, RowFormat};
use crate::cli::{CliError, Out};
use crate::domain::{Ending, SimulatorId, Verdict};
use crate::store::{Cell, Tally};

/// How many winners of a simulator are shown: some games have thousands of players.
const WINNERS_MOST: usize = 10;

pub(super) fn print(tally: Tally, format: RowFormat, out: &mut Out) -> Result<(), CliError> {
    let each = fold(tally, |key| row_of(key, Some(By::Sim), true));
    let all = fold(each.clone(), |key| row_of(key, None, false));
    let all = all.into_values().next().unwrap_or_default();
    let simulators: Vec<(SimulatorId, Cell)> =
        each.into_iter().filter_map(|(key, cell)| Some((key.simulator?, cell))).collect();
    if format != RowFormat::Table {
        return Ok(render::json_line(out, &form::Overview::new(&all, &simulators))?);
    }
    verdicts(&all).print(format, out)?;
    times(&all, out)?;
    simulators.iter().try_for_each(|(id, cell)| games(*id, cell, out))
}

fn verdicts(all: &Cell) -> Rows {
    let cases = all.cases();
    let row = |name: Fact, count| vec![name, Fact::count(count), Fact::share(count, cases)];
    let counts = Verdict::ALL.into_iter().zip(all.verdicts).filter(|(_, count)| *count > 0);
    let mut rows: Vec<_> =
        counts.map(|(verdict, count)| row(Fact::verdict(verdict), count)).collect();
    rows.push(row(Fact::text("all"), cases));
    rows.push(row(Fact::text("cached"), all.cached));
    let number = Column::number;
    Rows { columns: vec![Column::text("", ""), number("CASES", ""), number("SHARE", "")], rows }
}

fn times(all: &Cell, out: &mut Out) -> Result<(), CliError> {
    let times = Summary::new(&all.times, Unit::Micros);
    if times.n() > 0 {
        let cases = render::plural(times.n(), "case was", "cases were");
        writeln!(out, "\n{cases} played, in {}", times.words([50, 90, 99]))?;
    }
    Ok(())
}

/// How the games of a simulator ended, who won them, and how long they were.
fn games(id: SimulatorId, cell: &Cell, out: &mut Out) -> Result<(), CliError> {
    let all = cell.games();
    if all == 0 {
        return Ok(());
    }
    writeln!(out, "\n{id}: {}", render::plural(all, "game", "games"))?;
    let (winners, others) = winners(cell);
    outcomes(id, cell, &winners).print(RowFormat::Table, out)?;
    if others > 0 {
        let winners = render::plural(others, "more winner", "more winners");
        writeln!(out, "  and {winners}: --by winner")?;
    }
    let lengths = Summary::new(&cell.values, Unit::One);
    if lengths.n() > 0 {
        let (mean, rest) = (lengths.mean(), lengths.words([5, 50, 95]));
        writeln!(out, "  {}: mean {}, {rest}", id.length_name(), mean.shown())?;
    }
    Ok(())
}

/// Those who won, and how many are left out because they won least.
fn winners(cell: &Cell) -> (Vec<(Option<u32>, u64)>, u64) {
    let mut winners = won(&cell.endings);
    winners.retain(|(winner, _)| winner.is_some());
    let others = winners.len().saturating_sub(WINNERS_MOST);
    if others > 0 {
        winners.sort_by_key(|&(winner, games)| (Reverse(games), winner));
        winners.truncate(WINNERS_MOST);
    }
    (winners, others as u64)
}

fn outcomes(id: SimulatorId, cell: &Cell, winners: &[(Option<u32>, u64)]) -> Rows {
    let all = cell.games();
    let row = |name: &str, games, [low, high]: [Fact; 2]| {
        let name = Fact::text(&format!("  {name}"));
        vec![name, Fact::count(games), Fact::share(games, all), low, high]
    };
    let ended = Ending::ALL.map(|ending| (ending, cell.ended(ending)));
    let ended = ended.into_iter().filter(|(_, games)| *games > 0);
    let no_ends = || [Fact::text(""), Fact::text("")];
    let mut rows: Vec<_> =
        ended.map(|(ending, games)| row(ending.name(), games, no_ends())).collect();
    rows.extend(winners.iter().map(|&(winner, games)| {
        let name = format!("won by {}", player(Some(id), winner).shown());
        row(&name, games, interval(games, all))
    }));
    let numbers = ["GAMES", "SHARE", "LOW", "HIGH"].map(|heading| Column::number(heading, ""));
    let mut columns = vec![Column::text("", "")];
    columns.extend(numbers);
    Rows { columns, rows }
}
