//! Games as rows, made by whoever played them so that the writer only writes.

use rusqlite::{Connection, params};
use serde::Serialize;

use super::codes::Code;
use super::{StoreError, write};
use crate::domain::{Ending, METRICS_MAX, Outcome, ResultId};

/// Games of a result, ready to be stored.
#[derive(Debug, Default)]
pub struct GameRows {
    rows: Vec<GameRow>,
    endless: bool,
}

#[derive(Debug)]
struct GameRow {
    ending: Ending,
    winner: Option<u32>,
    length: Option<i64>,
    metrics: [i64; METRICS_MAX],
    lists: Option<String>,
}

impl GameRows {
    /// Puts games into rows.
    #[must_use]
    pub fn new(games: &[Outcome]) -> Self {
        let endless = matches!(games, [game] if game.ending == Ending::Endless);
        Self { rows: games.iter().map(GameRow::new).collect(), endless }
    }

    /// How many there are.
    pub(super) const fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether the only one never ends, so that any emoticon is right.
    pub(super) const fn is_endless(&self) -> bool {
        self.endless
    }

    /// Hands out the ending, the winner and the length of each.
    pub(super) fn each(&self, mut see: impl FnMut(Ending, Option<u32>, Option<i64>)) {
        self.rows.iter().for_each(|game| see(game.ending, game.winner, game.length));
    }

    /// Adds them to a result, numbered from `first`.
    pub(super) fn add(&self, db: &Connection, to: ResultId, first: i64) -> Result<(), StoreError> {
        let mut statement = db.prepare_cached(
            "INSERT INTO games VALUES
                 (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)",
        )?;
        for (number, game) in (first..).zip(&self.rows) {
            let m = &game.metrics;
            statement.execute(params![
                to.0,
                number,
                Code(game.ending),
                game.winner,
                game.length,
                m[0],
                m[1],
                m[2],
                m[3],
                m[4],
                m[5],
                m[6],
                m[7],
                m[8],
                m[9],
                m[10],
                m[11],
                game.lists,
            ])?;
        }
        Ok(())
    }
}

impl GameRow {
    fn new(game: &Outcome) -> Self {
        Self {
            ending: game.ending,
            winner: game.winner,
            length: game.length.map(|length| i64::try_from(length).unwrap_or(i64::MAX)),
            metrics: game.metrics,
            lists: (!game.lists.is_empty()).then(|| write::json(&Lists(&game.lists))),
        }
    }
}

/// The lists of a game as one JSON object.
struct Lists<'a>(&'a [(&'static str, Vec<i64>)]);

impl Serialize for Lists<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, values)| (name, values)))
    }
}
