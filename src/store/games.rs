//! Games in blocks, made by whoever played them so that the writer only writes.
//!
//! A game as a row of its own costs more to write than most games cost to play, so up to
//! [`GAMES_IN_A_BLOCK`] are one row. What a block looks like is said where its table is made.

mod scan;

use std::fmt;

use rusqlite::{Row, params};
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

pub(super) use scan::Scan;

use super::StoreError;
use super::codes::{Code, member};
use super::counts::{Counts, Kind};
use super::query::Column;
use super::write::{ResultKey, Statements, from_json, json};
use crate::domain::{Ending, METRICS_MAX, Outcome, ResultId};

/// How many games a row holds at most: few enough that one of them is found fast.
pub(super) const GAMES_IN_A_BLOCK: usize = 256;

/// Games of a result, ready to be stored.
#[derive(Debug, Default)]
pub struct GameBlocks {
    blocks: Vec<String>,
    games: usize,
    endless: bool,
    counts: Counts,
}

/// A game that was read from a block.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Element<L>", bound(deserialize = "L: Deserialize<'de>"))]
pub(super) struct Game<L> {
    pub(super) ending: Ending,
    /// From 1.
    pub(super) winner: Option<u32>,
    /// Rounds, rolls or plays.
    pub(super) length: Option<i64>,
    pub(super) metrics: [i64; METRICS_MAX],
    pub(super) lists: Option<L>,
}

/// A game whose lists nobody wants.
pub(super) type Numbers = Game<IgnoredAny>;

/// Games as the elements of a block.
struct Block<'a>(&'a [Outcome]);

/// An element of a block: ending, winner, length, metrics, lists.
#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "L: Deserialize<'de>"))]
struct Element<L>(
    i64,
    Option<u32>,
    Option<i64>,
    Metrics,
    #[serde(default = "Option::default", skip_serializing_if = "Option::is_none")] Option<L>,
);

/// The numbers of a game, without noughts at the end.
struct Metrics([i64; METRICS_MAX]);

/// The lists of a game as one JSON object.
struct Lists<'a>(&'a [(&'static str, Vec<i64>)]);

impl<L> Game<L> {
    /// A number of it, if it has it.
    pub(super) fn value(&self, column: Column) -> Option<i64> {
        match column {
            Column::Length => self.length,
            Column::Metric(place) => self.metrics.get(place).copied(),
        }
    }
}

impl GameBlocks {
    /// Puts games of a result with this key into blocks.
    #[must_use]
    pub fn new(key: ResultKey, games: &[Outcome]) -> Self {
        let mut counts = Counts::default();
        for Outcome { ending, winner, length, .. } in games {
            counts.add_game(key.into(), *ending, *winner, length.map(signed), 1);
        }
        Self {
            blocks: games.chunks(GAMES_IN_A_BLOCK).map(|games| json(&Block(games))).collect(),
            games: games.len(),
            endless: matches!(games, [game] if game.ending == Ending::Endless),
            counts,
        }
    }

    /// What the counters get for them.
    #[must_use]
    pub const fn counts(&self) -> &Counts {
        &self.counts
    }

    /// How many there are.
    pub(super) const fn len(&self) -> usize {
        self.games
    }

    /// Whether the only one never ends, so that any emoticon is right.
    pub(super) const fn is_endless(&self) -> bool {
        self.endless
    }

    /// Adds them to a result, numbered from `first`.
    pub(super) fn add(
        &self,
        db: &mut Statements<'_>,
        to: ResultId,
        first: i64,
    ) -> Result<(), StoreError> {
        let statement =
            db.of("INSERT INTO game_blocks (id, games) VALUES ((?1 << 32) + ?2, ?3)")?;
        for (first, games) in (first..).step_by(GAMES_IN_A_BLOCK).zip(&self.blocks) {
            statement.execute(params![to.0, first, games])?;
        }
        Ok(())
    }
}

/// The text of a block in a column.
pub(super) fn block<'a>(row: &'a Row<'_>, column: usize) -> Result<&'a str, StoreError> {
    Ok(row.get_ref(column)?.as_str().map_err(rusqlite::Error::from)?)
}

/// Adds the games of a block so many times to what is counted.
pub(super) fn count(
    block: &str,
    kind: Kind,
    times: i64,
    counts: &mut Counts,
) -> Result<usize, StoreError> {
    let mut games = 0;
    for game in Scan::new(block) {
        let Game { ending, winner, length, .. } = game?;
        counts.add_game(kind, ending, winner, length, times);
        games += 1;
    }
    Ok(games)
}

/// The game of a block at a place, from 0, with its lists.
pub(super) fn at(block: &str, place: usize) -> Result<Option<Game<serde_json::Value>>, StoreError> {
    let mut games = Scan::new(block);
    for _ in 0..place {
        if games.next().transpose()?.is_none() {
            return Ok(None);
        }
    }
    games.next_text()?.map(from_json).transpose()
}

fn element(game: &Outcome) -> Element<Lists<'_>> {
    Element(
        Code(game.ending).number(),
        game.winner,
        game.length.map(signed),
        Metrics(game.metrics),
        (!game.lists.is_empty()).then_some(Lists(&game.lists)),
    )
}

fn signed(length: u64) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

impl<L> TryFrom<Element<L>> for Game<L> {
    type Error = StoreError;

    fn try_from(element: Element<L>) -> Result<Self, StoreError> {
        let Element(ending, winner, length, Metrics(metrics), lists) = element;
        Ok(Self { ending: member(ending)?, winner, length, metrics, lists })
    }
}

impl Serialize for Block<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(element))
    }
}

impl Serialize for Metrics {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let used = self.0.iter().rposition(|&metric| metric != 0).map_or(0, |last| last + 1);
        self.0[..used].serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Metrics {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_seq(Self([0; METRICS_MAX]))
    }
}

impl<'de> Visitor<'de> for Metrics {
    type Value = Self;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "up to {METRICS_MAX} numbers")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut numbers: A) -> Result<Self, A::Error> {
        for metric in &mut self.0 {
            let Some(number) = numbers.next_element()? else { break };
            *metric = number;
        }
        Ok(self)
    }
}

impl Serialize for Lists<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, values)| (name, values)))
    }
}
