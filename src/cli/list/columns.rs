//! The columns that runs, cases and games have.

use super::row::Row;
use crate::cli::cell::Cell;
use crate::cli::{CliError, json, render};
use crate::config::suggestion;
use crate::domain::{SimulatorId, Verdict};
use crate::store::{CaseRecord, GameRecord, RunRecord, Timings};

/// Where a column stands unless columns are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In tables.
    Table,
    /// In CSV.
    Csv,
    /// In both.
    Both,
    /// In none.
    Nowhere,
}

/// A column of rows.
pub(super) struct Column<T> {
    /// What people call it.
    pub(super) name: &'static str,
    /// What it is called in CSV; a number with a unit says which.
    pub(super) csv: &'static str,
    /// Whether it stands to the right.
    pub(super) is_number: bool,
    place: Place,
    /// The value of a row, by the name of the column where several columns differ in that alone.
    cell: fn(&T, &str) -> Cell,
}

impl<T> Column<T> {
    const fn text(
        name: &'static str,
        csv: &'static str,
        place: Place,
        cell: fn(&T, &str) -> Cell,
    ) -> Self {
        Self { name, csv, is_number: false, place, cell }
    }

    const fn number(
        name: &'static str,
        csv: &'static str,
        place: Place,
        cell: fn(&T, &str) -> Cell,
    ) -> Self {
        Self { name, csv, is_number: true, place, cell }
    }

    pub(super) fn cell(&self, row: &T) -> Cell {
        (self.cell)(row, self.name)
    }
}

/// The columns of these names, or those of a place if none are asked for.
pub(super) fn chosen<T: Row>(
    names: &[String],
    place: Place,
    only: Option<SimulatorId>,
) -> Result<Vec<Column<T>>, CliError> {
    if names.is_empty() {
        let mut columns = T::columns(only);
        columns.retain(|column| column.place == place || column.place == Place::Both);
        return Ok(columns);
    }
    names.iter().map(|name| find(name.trim())).collect()
}

/// The column of a name.
pub(super) fn find<T: Row>(name: &str) -> Result<Column<T>, CliError> {
    let mut columns = T::columns(None);
    let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
    let unknown = || {
        let near = suggestion(name, &names).map(|near| format!("; did you mean {near}?"));
        let near = near.unwrap_or_else(|| ";".to_owned());
        let what = T::MANY;
        let names = names.join(", ");
        CliError::Usage(format!("unknown column {name:?}{near} the columns of {what} are {names}"))
    };
    let at = columns.iter().position(|column| column.name == name).ok_or_else(unknown)?;
    Ok(columns.swap_remove(at))
}

pub(super) fn of_runs() -> Vec<Column<RunRecord>> {
    use Place::{Both, Csv, Table};
    let mut columns: Vec<Column<RunRecord>> = vec![
        Column::number("run", "run", Both, |run, _| Cell::Number(run.id.0)),
        Column::text("state", "state", Both, |run, _| Cell::word(&run.state)),
        Column::text("taken-in", "taken_in_at", Both, |run, _| Cell::Moment(run.taken_in_at)),
        Column::text("finished", "finished_at", Csv, |run, _| {
            Cell::of(run.finished_at, Cell::Moment)
        }),
        Column::number("cases", "cases", Both, |run, _| Cell::Count(run.total)),
        Column::number("done", "done", Csv, |run, _| Cell::Count(run.done)),
        Column::number("cached", "cached", Both, |run, _| Cell::Count(run.cached)),
        Column::number("time", "seconds", Both, |run, _| {
            Cell::of(run.finished_at, |end| Cell::Took(end.0 - run.taken_in_at.0))
        }),
        Column::text("verdicts", "verdicts", Table, |run, _| Cell::Text(render::verdicts(run))),
    ];
    columns.extend(VERDICTS.map(|name| Column::number(name, name, Csv, verdict_count)));
    columns.append(&mut vec![
        Column::text("label", "label", Both, |run, _| Cell::of(run.label.clone(), Cell::name)),
        Column::text("tags", "tags", Csv, |run, _| Cell::of(tags(run), Cell::name)),
        Column::text("compare", "compare", Csv, |run, _| Cell::word(&run.compare)),
        Column::number("of", "of", Csv, |run, _| Cell::of(run.of, |run| Cell::Number(run.0))),
        Column::text("source", "source", Both, |run, _| Cell::Text(render::sources(run))),
    ]);
    columns
}

/// The verdicts as columns, in the order of [`Verdict::ALL`].
const VERDICTS: [&str; Verdict::ALL.len()] =
    ["ac", "pe", "wa", "noref", "badin", "limit", "crash", "cancelled"];

fn verdict_count(run: &RunRecord, name: &str) -> Cell {
    let counts = VERDICTS.iter().zip(run.verdicts);
    Cell::of(counts.into_iter().find(|(verdict, _)| **verdict == name), |(_, n)| Cell::Count(n))
}

/// The tags as a JSON object, if there are any.
fn tags(run: &RunRecord) -> Option<String> {
    if run.tags.is_empty() { None } else { serde_json::to_string(&run.tags).ok() }
}

pub(super) fn of_cases() -> Vec<Column<CaseRecord>> {
    use Place::{Both, Csv, Table};
    vec![
        Column::text("case", "ref", Table, |case, _| Cell::word(&case.id)),
        Column::number("run", "run", Csv, |case, _| Cell::Number(case.id.run.0)),
        Column::number("rank", "rank", Csv, |case, _| Cell::Count(case.id.rank.into())),
        Column::text("name", "name", Both, |case, _| Cell::Name(case.name.clone())),
        Column::text("name-b64", "name_b64", Csv, |case, _| name_b64(&case.name)),
        Column::text("simulator", "simulator", Both, |case, _| {
            Cell::of(case.simulator, |it| Cell::word(&it))
        }),
        Column::text("rules", "rules", Both, |case, _| Cell::of(case.rules, |it| Cell::word(&it))),
        Column::number("version", "version", Csv, |case, _| {
            Cell::of(case.version, |version| Cell::Count(version.into()))
        }),
        Column::text("state", "state", Csv, |case, _| Cell::word(&case.state)),
        Column::text("verdict", "verdict", Both, |case, _| {
            case.verdict.map_or(Cell::Pending(case.state.name()), Cell::Verdict)
        }),
        Column::text("cached", "cached", Both, |case, _| Cell::Flag(case.cached)),
        Column::number("attempts", "attempts", Csv, |case, _| Cell::Count(case.attempts.into())),
        Column::number("games", "games", Both, |case, _| Cell::of(case.games, Cell::Count)),
        Column::number("input", "input_bytes", Both, |case, _| {
            Cell::of(case.input, |input| Cell::Bytes(input.bytes))
        }),
        Column::text("input-hash", "input_hash", Csv, |case, _| {
            Cell::of(case.input, |input| Cell::word(&input.hash))
        }),
        Column::number("output", "output_bytes", Csv, |case, _| {
            Cell::of(case.output, |output| Cell::Bytes(output.bytes))
        }),
        Column::text("output-hash", "output_hash", Csv, |case, _| {
            Cell::of(case.output, |output| Cell::word(&output.hash))
        }),
        Column::number("wait", "wait_seconds", Csv, |case, _| took(case, |t| t.wait_us)),
        Column::number("parse", "parse_seconds", Csv, |case, _| took(case, |t| t.parse_us)),
        Column::number("play", "play_seconds", Both, |case, _| took(case, |t| t.play_us)),
        Column::number("compare", "compare_seconds", Csv, |case, _| took(case, |t| t.compare_us)),
        Column::number("store", "store_seconds", Csv, |case, _| took(case, |t| t.store_us)),
        Column::number("took", "took_seconds", Csv, |case, _| {
            took(case, |t| t.parse_us + t.play_us + t.compare_us)
        }),
        Column::number("line", "line", Csv, |case, _| {
            Cell::of(case.difference.as_ref(), |difference| Cell::Count(difference.line))
        }),
        Column::number("column", "column", Csv, |case, _| {
            Cell::of(case.difference.as_ref(), |difference| Cell::Count(difference.column))
        }),
        Column::text("error", "error", Csv, |case, _| {
            Cell::of(case.error.as_ref(), |error| Cell::name(error.to_string()))
        }),
    ]
}

fn name_b64(name: &[u8]) -> Cell {
    Cell::of(json::base64(name), Cell::Text)
}

fn took(case: &CaseRecord, micros: fn(Timings) -> i64) -> Cell {
    Cell::of(case.timings, |timings| Cell::Took(micros(timings)))
}

/// The columns of games: if all of them are of a simulator, with its own numbers.
pub(super) fn of_games(only: Option<SimulatorId>) -> Vec<Column<GameRecord>> {
    use Place::{Both, Csv, Nowhere, Table};
    let if_any = if only.is_none() { Table } else { Nowhere };
    let mut columns: Vec<Column<GameRecord>> = vec![
        Column::text("game", "ref", Table, |game, _| {
            Cell::Text(format!("{}#{}", game.case, game.number))
        }),
        Column::number("run", "run", Csv, |game, _| Cell::Number(game.case.run.0)),
        Column::number("rank", "rank", Csv, |game, _| Cell::Count(game.case.rank.into())),
        Column::text("name", "name", Both, |game, _| Cell::Name(game.name.clone())),
        Column::text("name-b64", "name_b64", Csv, |game, _| name_b64(&game.name)),
        Column::number("number", "game", Csv, |game, _| Cell::Count(game.number)),
        Column::text("simulator", "simulator", Both, |game, _| Cell::word(&game.simulator)),
        Column::text("ending", "ending", Both, |game, _| Cell::word(&game.ending)),
        Column::text("winner", "winner", Both, |game, _| {
            Cell::of(game.winner, |number| Cell::Text(game.simulator.player(number)))
        }),
        Column::number("length", "length", if only.is_none() { Both } else { Csv }, |game, _| {
            Cell::of(game.length, Cell::Count)
        }),
        Column::text("metrics", "metrics", if_any, |game, _| Cell::Text(metrics(game))),
    ];
    for id in SimulatorId::ALL {
        let is_only = only == Some(id);
        let name = id.length_name();
        columns.push(Column::number(name, name, if is_only { Table } else { Nowhere }, length_as));
        let place = match only {
            None => Csv,
            Some(_) if is_only => Both,
            Some(_) => Nowhere,
        };
        columns.extend(id.metrics().iter().map(|name| Column::number(name, name, place, metric)));
    }
    columns
}

/// All numbers of a game with their names.
fn metrics(game: &GameRecord) -> String {
    let metrics = game.simulator.metrics().iter().zip(game.metrics);
    metrics.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
}

/// The length of a game, if that is what its simulator calls it.
fn length_as(game: &GameRecord, name: &str) -> Cell {
    let length = game.length.filter(|_| game.simulator.length_name() == name);
    Cell::of(length, Cell::Count)
}

/// A number of a game, if its simulator has one of that name.
fn metric(game: &GameRecord, name: &str) -> Cell {
    let mut metrics = game.simulator.metrics().iter().zip(game.metrics);
    Cell::of(metrics.find(|(metric, _)| **metric == name), |(_, value)| Cell::Number(value))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Column, Row, VERDICTS};
    use crate::domain::{SimulatorId, Verdict};
    use crate::store::{CaseRecord, GameRecord, RunRecord};

    fn names<T: Row>(only: Option<SimulatorId>) -> Vec<&'static str> {
        T::columns(only).iter().map(|column: &Column<T>| column.name).collect()
    }

    #[test]
    fn no_two_columns_have_one_name() {
        let of_games = SimulatorId::ALL.map(Some).into_iter().chain([None]);
        let of_games = of_games.map(names::<GameRecord>);
        for names in of_games.chain([names::<RunRecord>(None), names::<CaseRecord>(None)]) {
            let each: BTreeSet<&str> = names.iter().copied().collect();
            assert_eq!(each.len(), names.len(), "{names:?}");
        }
    }

    #[test]
    fn each_verdict_is_a_column_of_runs() {
        let names = Verdict::ALL.map(|verdict| verdict.name().to_lowercase());
        assert_eq!(names, VERDICTS);
    }
}
