//! QUERY: how people say which runs, cases or games they mean.

mod flags;
mod lexer;

use std::str::FromStr;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use unicode_width::UnicodeWidthStr;

use super::number::{self, BYTES, COUNTS, DURATIONS, Units};
use super::{render, when};
use crate::config::suggestion;
use crate::domain::{SimulatorId, UnknownName, Verdict};
use crate::store::{Bound, Column, Query, Relation, Term, Test};

pub(super) use flags::{QueryArgs, shield};
use lexer::{Piece, pieces};

/// What commands say of a query in their help.
pub(super) const HELP: &str = "QUERY: terms that must all hold; - before one negates it. Of runs: \
run:12 state:done label:\"week 3\" tag:k=v since:2h until:yesterday cases>100; of cases: sim:mtj rules:judge \
verdict:WA,CRASH cached name:big/* games>1 input>1MiB took>2s; of games: ending:endless winner:Bob, and each \
number of a simulator, such as rounds>1000. A run has what one of its cases has. Moments: 2h, 7d, 3w ago, today, \
yesterday, 2026-10-25, \"2026-10-25 02:30\" or RFC 3339.";

/// The properties that have a name of their own; the others are numbers of games.
const KEYS: [&str; 17] = [
    "run", "state", "label", "tag", "since", "until", "cases", "took", "sim", "rules", "verdict",
    "cached", "name", "games", "input", "ending", "winner",
];

/// The most players whose names are known.
const PLAYERS_MOST: u32 = 4;

/// Why a query cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("column {}: {message}", self.column())]
pub(super) struct QueryError {
    text: String,
    /// The byte of the text from which on it cannot be read.
    at: usize,
    message: String,
}

impl QueryError {
    /// The column, from 1, in characters.
    fn column(&self) -> usize {
        self.text[..self.at].chars().count() + 1
    }

    /// The query, and a line that points at the column.
    pub(super) fn lines(&self) -> [String; 2] {
        let before = render::printable(&self.text.as_bytes()[..self.at]).width();
        [format!("  {}", self.text), format!("  {}^", " ".repeat(before))]
    }
}

/// Reads a query.
pub(super) fn parse(text: &str, now: Timestamp, zone: &TimeZone) -> Result<Query, QueryError> {
    let fail = |(at, message)| QueryError { text: text.to_owned(), at, message };
    let pieces = pieces(text).map_err(fail)?;
    let terms = pieces.iter().map(|piece| term(piece, now, zone).map_err(fail));
    Ok(Query { terms: terms.collect::<Result<_, _>>()? })
}

/// What a piece says, or what is wrong with it and where.
fn term(piece: &Piece<'_>, now: Timestamp, zone: &TimeZone) -> Result<Term, (usize, String)> {
    let test = test(piece, now, zone)?;
    let negated = match (&test, &piece.value[..]) {
        (Test::Cached, "no") => !piece.negated,
        _ => piece.negated,
    };
    Ok(Term { negated, test })
}

fn test(piece: &Piece<'_>, now: Timestamp, zone: &TimeZone) -> Result<Test, (usize, String)> {
    let value = &piece.value[..];
    let at_value = |message: String| (piece.value_at, message);
    let moment = || when::parse(value, now, zone).map_err(at_value);
    let test = match piece.key {
        "run" => Test::Run(piece.bound(&COUNTS)?),
        "cases" => Test::Cases(piece.size(&COUNTS)?),
        "took" => Test::Took(piece.bound(&DURATIONS)?),
        "games" => Test::Games(piece.size(&COUNTS)?),
        "input" => Test::Input(piece.size(&BYTES)?),
        key if !KEYS.contains(&key) => Test::Value(columns(piece)?, piece.bound(&COUNTS)?),
        key if piece.relation != Relation::Equal => {
            return Err((piece.value_at, format!("{key} is not a number: write {key}:{value}")));
        }
        "state" => Test::State(member(value).map_err(at_value)?),
        "label" => Test::Label(value.to_owned()),
        "tag" => tag(value),
        "since" => Test::Since(moment()?),
        "until" => Test::Until(moment()?),
        "sim" => Test::Simulator(member(value).map_err(at_value)?),
        "rules" => Test::Rules(member(value).map_err(at_value)?),
        "verdict" => Test::Verdict(verdicts(value).map_err(at_value)?),
        "cached" if matches!(value, "yes" | "no") => Test::Cached,
        "cached" => return Err(at_value("expected yes or no".to_owned())),
        "name" => Test::Name(value.to_owned()),
        "ending" => Test::Ending(member(value).map_err(at_value)?),
        _ => Test::Winner(winner(value).map_err(at_value)?),
    };
    Ok(test)
}

impl Piece<'_> {
    fn bound(&self, units: &Units) -> Result<Bound<i64>, (usize, String)> {
        let than = number::parse(&self.value, units).map_err(|message| (self.value_at, message))?;
        Ok(Bound { relation: self.relation, than })
    }

    fn size(&self, units: &Units) -> Result<Bound<u64>, (usize, String)> {
        let Bound { relation, than } = self.bound(units)?;
        let than = u64::try_from(than)
            .map_err(|_| (self.value_at, "expected a number that is not negative".to_owned()))?;
        Ok(Bound { relation, than })
    }
}

/// A member of a closed set; capitals do not matter.
fn member<T: FromStr<Err = UnknownName>>(name: &str) -> Result<T, String> {
    let unknown = match name.parse() {
        Ok(member) => return Ok(member),
        Err(unknown) => unknown,
    };
    let known: Vec<&str> = unknown.known.split(", ").collect();
    if let Some(same) = known.iter().find(|known| known.eq_ignore_ascii_case(name)) {
        return same.parse().map_err(|error: UnknownName| error.to_string());
    }
    Err(format!("{unknown}{}", meant(suggestion(name, &known))))
}

fn meant(near: Option<String>) -> String {
    near.map(|near| format!("; did you mean {near}?")).unwrap_or_default()
}

fn verdicts(list: &str) -> Result<Vec<Verdict>, String> {
    list.split(',').map(|name| member(name.trim())).collect()
}

/// `KEY` or `KEY=VALUE`.
fn tag(text: &str) -> Test {
    match text.split_once('=') {
        Some((key, value)) => Test::Tag(key.to_owned(), Some(value.to_owned())),
        None => Test::Tag(text.to_owned(), None),
    }
}

/// The players of that name or number.
fn winner(name: &str) -> Result<Vec<(SimulatorId, u32)>, String> {
    if let Some(number) = name.parse().ok().filter(|number| *number > 0) {
        return Ok(SimulatorId::ALL.map(|id| (id, number)).to_vec());
    }
    let players = SimulatorId::ALL
        .into_iter()
        .flat_map(|id| (1..=PLAYERS_MOST).map(move |number| (id, number, id.player(number))));
    let players: Vec<_> = players.collect();
    let same = players.iter().filter(|(_, _, player)| player.eq_ignore_ascii_case(name));
    let same: Vec<_> = same.map(|&(id, number, _)| (id, number)).collect();
    let names: Vec<&str> = players.iter().map(|(_, _, player)| &player[..]).collect();
    let unknown = || {
        let near = meant(suggestion(name, &names));
        format!("expected the name or the number of a player, not {name:?}{near}")
    };
    if same.is_empty() { Err(unknown()) } else { Ok(same) }
}

/// Where the simulators keep a number of their games.
fn columns(piece: &Piece<'_>) -> Result<Vec<(SimulatorId, Column)>, (usize, String)> {
    let column = |id: SimulatorId| {
        let metric = id.metrics().iter().position(|name| *name == piece.key);
        let is_length = piece.key == "length" || piece.key == id.length_name();
        let column = if is_length { Some(Column::Length) } else { metric.map(Column::Metric) };
        column.map(|column| (id, column))
    };
    let columns: Vec<_> = SimulatorId::ALL.into_iter().filter_map(column).collect();
    if columns.is_empty() {
        let near = suggestion(piece.key, &keys().collect::<Vec<_>>());
        return Err((piece.key_at, format!("unknown key {:?}{}", piece.key, meant(near))));
    }
    Ok(columns)
}

/// Everything that a term may begin with.
fn keys() -> impl Iterator<Item = &'static str> {
    let numbers =
        |id: SimulatorId| id.metrics().iter().copied().chain([id.length_name(), "length"]);
    KEYS.into_iter().chain(SimulatorId::ALL.into_iter().flat_map(numbers))
}

#[cfg(test)]
mod tests;
