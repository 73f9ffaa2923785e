//! Cases and games, a row for each group.

use std::collections::BTreeMap;

use super::columns::{Column, Fact, Rows};
use super::{By, fold, row_of};
use crate::cli::render::RowFormat;
use crate::cli::{CliError, Out};
use crate::domain::{Ending, RuleSet, SimulatorId, Verdict};
use crate::store::{CellKey, Part, Tally, wilson};

/// The columns that say what a row is about.
pub(super) fn group_columns(by: Option<By>) -> Vec<Column> {
    let text = |heading, key| vec![Column::text(heading, key)];
    match by {
        None => Vec::new(),
        Some(By::Sim) => text("SIMULATOR", "simulator"),
        Some(By::Rules) => {
            vec![Column::text("SIMULATOR", "simulator"), Column::text("RULES", "rules")]
        }
        Some(By::Label) => text("LABEL", "label"),
        Some(By::Day) => text("DAY", "day"),
        Some(By::Winner) => text("WINNER", "winner"),
        Some(By::Verdict) => text("VERDICT", "verdict"),
        Some(By::Tag) => text("TAG", "tag"),
    }
}

/// What a row is about.
pub(super) fn group_facts(key: &CellKey, by: Option<By>) -> Vec<Fact> {
    let simulator = || Fact::maybe(key.simulator.map(SimulatorId::name));
    match (by, &key.part) {
        (None, _) => Vec::new(),
        (Some(By::Sim), _) => vec![simulator()],
        (Some(By::Rules), _) => {
            vec![simulator(), Fact::maybe(key.rules.map(RuleSet::name))]
        }
        (_, Part::Verdict(verdict)) => vec![Fact::verdict(*verdict)],
        (_, Part::Winner(winner)) => vec![player(key.simulator, *winner)],
        (_, Part::Name(name)) if !name.is_empty() => vec![Fact::text(name)],
        (_, Part::Name(_) | Part::All) => vec![Fact::none()],
    }
}

/// What people call a winner.
pub(super) fn player(simulator: Option<SimulatorId>, winner: Option<u32>) -> Fact {
    let name = simulator.zip(winner).map(|(simulator, winner)| simulator.player(winner));
    Fact::maybe(name.as_deref())
}

pub(super) fn cases(
    tally: Tally,
    by: By,
    format: RowFormat,
    out: &mut Out,
) -> Result<(), CliError> {
    let folded = fold(tally, |key| row_of(key, Some(by), false));
    let groups: Vec<_> = folded.iter().filter(|(_, cell)| cell.cases() > 0).collect();
    let all: u64 = groups.iter().map(|(_, cell)| cell.cases()).sum();
    let occurs = |verdict: &Verdict| {
        format != RowFormat::Table
            || groups.iter().any(|(_, cell)| cell.verdicts[*verdict as usize] > 0)
    };
    let verdicts: Vec<Verdict> = match by {
        By::Verdict => Vec::new(),
        _ => Verdict::ALL.into_iter().filter(occurs).collect(),
    };
    let mut rows = Rows { columns: group_columns(Some(by)), rows: Vec::new() };
    rows.columns.extend([Column::number("CASES", "cases"), Column::number("CACHED", "cached")]);
    if by == By::Verdict {
        rows.columns.push(Column::number("SHARE", "share"));
    }
    rows.columns.extend(verdicts.iter().map(|verdict| Column::verdict(*verdict)));
    for (key, cell) in groups {
        let mut row = group_facts(key, Some(by));
        row.extend([Fact::count(cell.cases()), Fact::count(cell.cached)]);
        if by == By::Verdict {
            row.push(Fact::share(cell.cases(), all));
        }
        row.extend(verdicts.iter().map(|verdict| Fact::count(cell.verdicts[*verdict as usize])));
        rows.rows.push(row);
    }
    rows.print(format, out)
}

/// Who won how many of each simulator's games.
pub(super) fn winners(tally: Tally, format: RowFormat, out: &mut Out) -> Result<(), CliError> {
    let columns = vec![
        Column::text("SIMULATOR", "simulator"),
        Column::text("WINNER", "winner"),
        Column::number("GAMES", "games"),
        Column::number("SHARE", "share"),
        Column::number("LOW", "low"),
        Column::number("HIGH", "high"),
    ];
    let mut rows = Rows { columns, rows: Vec::new() };
    for (key, cell) in fold(tally, |key| row_of(key, Some(By::Sim), true)) {
        let all = cell.games();
        for (winner, games) in won(&cell.endings) {
            let [low, high] = interval(games, all);
            let simulator = Fact::maybe(key.simulator.map(SimulatorId::name));
            let share = Fact::share(games, all);
            let winner = player(key.simulator, winner);
            rows.rows.push(vec![simulator, winner, Fact::count(games), share, low, high]);
        }
    }
    rows.print(format, out)
}

/// How many games each player won; nobody comes last.
pub(super) fn won(endings: &BTreeMap<(Ending, Option<u32>), u64>) -> Vec<(Option<u32>, u64)> {
    let mut won = BTreeMap::<_, u64>::new();
    for (&(_, winner), games) in endings {
        *won.entry((winner.is_none(), winner)).or_default() += games;
    }
    won.into_iter().map(|((_, winner), games)| (winner, games)).collect()
}

/// The 95 % interval of a share.
pub(super) fn interval(part: u64, whole: u64) -> [Fact; 2] {
    match wilson(part, whole) {
        Some((low, high)) => [low, high].map(Fact::fraction),
        None => [Fact::none(), Fact::none()],
    }
}
