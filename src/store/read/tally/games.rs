//! What a query says of the games of cases, asked of many results at once.

use std::collections::HashSet;

use rusqlite::params_from_iter;
use rusqlite::types::Value;

use super::pass::Done;
use crate::domain::SimulatorId;
use crate::store::StoreError;
use crate::store::query::Query;
use crate::store::read::Reader;
use crate::store::read::terms::{Clause, of_its_games};

/// Results with no larger gaps between their numbers are read at once.
const GAP_MOST: i64 = 8;

/// How many results one read goes over.
const RESULTS_AT_A_TIME: usize = 1_024;

/// Terms about games.
pub(super) struct OfGames {
    /// What one game of a case must be.
    one: Option<Clause>,
    /// What none may be.
    none: Vec<Clause>,
}

impl OfGames {
    pub(super) fn of(query: &Query) -> Self {
        let (one, none) = of_its_games(query);
        Self { one, none }
    }

    /// Keeps the cases that fit.
    pub(super) fn keep(&self, reader: &Reader, cases: &mut Vec<Done>) -> Result<(), StoreError> {
        if self.one.is_none() && self.none.is_empty() {
            return Ok(());
        }
        let mut results: Vec<_> =
            cases.iter().filter_map(|case| Some((case.result?, case.simulator))).collect();
        results.sort_unstable_by_key(|&(result, _)| result);
        results.dedup();
        let with = |game: &Clause| with_a_game(reader, &results, game);
        if let Some(one) = &self.one {
            let fit = with(one)?;
            cases.retain(|case| case.result.is_some_and(|result| fit.contains(&result)));
        }
        for none in &self.none {
            let unfit = with(none)?;
            cases.retain(|case| case.result.is_none_or(|result| !unfit.contains(&result)));
        }
        Ok(())
    }
}

/// Which of some results have such a game.
fn with_a_game(
    reader: &Reader,
    results: &[(i64, Option<SimulatorId>)],
    game: &Clause,
) -> Result<HashSet<i64>, StoreError> {
    let mut found = HashSet::new();
    for near in neighbours(results, |&result| result) {
        let (Some(&(first, simulator)), Some(&(last, _))) = (near.first(), near.last()) else {
            continue;
        };
        let sql = "SELECT DISTINCT g.result FROM games g WHERE g.result BETWEEN ? AND ? AND ";
        let select = Clause::new(sql, [first, last].map(Value::from))
            .then(&game.clone().with_simulator(simulator));
        let mut statement = reader.db.prepare_cached(&select.sql)?;
        let mut rows = statement.query(params_from_iter(select.values))?;
        while let Some(row) = rows.next()? {
            found.insert(row.get(0)?);
        }
    }
    Ok(found)
}

/// Results in order, cut into some that are near each other and of one simulator.
pub(super) fn neighbours<T>(
    results: &[T],
    of: impl Fn(&T) -> (i64, Option<SimulatorId>) + Copy,
) -> impl Iterator<Item = &[T]> {
    let are_near = move |a: &T, b: &T| {
        let ((a, of_a), (b, of_b)) = (of(a), of(b));
        of_a == of_b && b - a <= GAP_MOST
    };
    results.chunks(RESULTS_AT_A_TIME).flat_map(move |some| some.chunk_by(are_near))
}
