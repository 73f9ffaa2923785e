//! What a query says of one game, asked of games as blocks hold them.

use std::error::Error;
use std::sync::Arc;

use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::ValueRef;
use serde::{Deserialize, Serialize};

use crate::domain::SimulatorId;
use crate::store::StoreError;
use crate::store::codes::Code;
use crate::store::games::{Numbers, Scan};
use crate::store::query::{Bound, Column, Query, Term, Test};
use crate::store::write::{from_json, json};

/// Terms that must all hold of a game.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct GameFilter(Vec<GameTerm>);

#[derive(Debug, Clone, Serialize, Deserialize)]
struct GameTerm {
    negated: bool,
    test: GameTest,
}

/// A test of a game, with codes for what they stand for: a simulator's code stands beside what only its games have.
#[derive(Debug, Clone, Serialize, Deserialize)]
enum GameTest {
    Ending(i64),
    Winner(Vec<(i64, u32)>),
    Value(Vec<(i64, Column)>, Bound<i64>),
}

impl GameFilter {
    /// All that a query says of games.
    pub(super) fn of(query: &Query) -> Self {
        let term = |Term { negated, test }: &Term| GameTerm::new(*negated, test);
        Self(query.terms.iter().filter_map(term).collect())
    }

    /// What must hold of one game, and what is not to hold of any.
    pub(super) fn one_and_none(query: &Query) -> (Option<Self>, Vec<Self>) {
        let (none, one): (Vec<_>, Vec<_>) =
            Self::of(query).0.into_iter().partition(|term| term.negated);
        let none = none
            .into_iter()
            .map(|GameTerm { test, .. }| Self(vec![GameTerm { negated: false, test }]));
        ((!one.is_empty()).then_some(Self(one)), none.collect())
    }

    /// Tests that must all hold.
    pub(super) fn all<'a>(tests: impl IntoIterator<Item = &'a Test>) -> Self {
        Self(tests.into_iter().filter_map(|test| GameTerm::new(false, test)).collect())
    }

    /// Whether a game of a simulator with this code fits.
    pub(super) fn fits(&self, simulator: Option<i64>, game: &Numbers) -> bool {
        self.0.iter().all(|term| term.test.holds(simulator, game) != term.negated)
    }

    /// Whether one of the games of a block fits.
    pub(super) fn fits_one(&self, simulator: Option<i64>, block: &str) -> Result<bool, StoreError> {
        for game in Scan::new(block) {
            if self.fits(simulator, &game?) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// As the last argument of the function that [`teach`] adds.
    pub(super) fn argument(&self) -> String {
        json(self)
    }
}

impl GameTerm {
    fn new(negated: bool, test: &Test) -> Option<Self> {
        Some(Self { negated, test: GameTest::new(test)? })
    }
}

impl GameTest {
    /// `None`: it is not about games.
    fn new(test: &Test) -> Option<Self> {
        Some(match test {
            Test::Ending(ending) => Self::Ending(Code(*ending).number()),
            Test::Winner(players) => Self::Winner(coded(players)),
            Test::Value(columns, bound) => Self::Value(coded(columns), *bound),
            _ => return None,
        })
    }

    fn holds(&self, simulator: Option<i64>, game: &Numbers) -> bool {
        match self {
            Self::Ending(ending) => Code(game.ending).number() == *ending,
            Self::Winner(players) => players
                .iter()
                .any(|&(id, player)| Some(id) == simulator && game.winner == Some(player)),
            Self::Value(columns, bound) => {
                let has =
                    |column: Column| game.value(column).is_some_and(|value| bound.holds(value));
                columns.iter().any(|&(id, column)| Some(id) == simulator && has(column))
            }
        }
    }
}

fn coded<T: Copy>(all: &[(SimulatorId, T)]) -> Vec<(i64, T)> {
    all.iter().map(|&(id, what)| (Code(id).number(), what)).collect()
}

/// Teaches a connection `has_game(block, simulator, filter)`: whether a game of the block fits.
pub(super) fn teach(db: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_DIRECTONLY;
    db.create_scalar_function("has_game", 3, flags, |context| {
        // A statement has the same filter for all its rows.
        let filter: Arc<GameFilter> = context.get_or_create_aux(2, filter)?;
        let found = filter.fits_one(context.get(1)?, context.get_raw(0).as_str()?);
        found.map_err(|error| rusqlite::Error::UserFunctionError(error.into()))
    })
}

fn filter(argument: ValueRef<'_>) -> Result<GameFilter, Box<dyn Error + Send + Sync>> {
    Ok(from_json(argument.as_str()?)?)
}
