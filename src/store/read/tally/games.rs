//! What a query says of the games of cases, asked of many results at once.

use std::sync::Mutex;

use super::pass::{Done, lock};
use super::seen::Seen;
use crate::domain::SimulatorId;
use crate::store::StoreError;
use crate::store::codes::Code;
use crate::store::games::block;
use crate::store::query::Query;
use crate::store::read::Reader;
use crate::store::read::filter::GameFilter;

/// Results with no larger gaps between their numbers are read at once.
const GAP_MOST: i64 = 8;

/// How many results one read goes over.
const RESULTS_AT_A_TIME: usize = 1_024;

/// Terms about games.
pub(super) struct OfGames(Vec<OfOneGame>);

/// What one game of a case must be, or none may be.
struct OfOneGame {
    game: GameFilter,
    wanted: bool,
    met: Mutex<Met>,
}

/// What is known of results: those that several cases have are asked about once.
#[derive(Default)]
struct Met {
    all: Seen,
    /// Those with such a game.
    with: Seen,
}

/// A result, and whose it is.
type Of = (Option<SimulatorId>, i64);

impl OfGames {
    pub(super) fn of(query: &Query) -> Self {
        let (one, none) = GameFilter::one_and_none(query);
        let of = |wanted| move |game| OfOneGame { game, wanted, met: Mutex::default() };
        Self(one.into_iter().map(of(true)).chain(none.into_iter().map(of(false))).collect())
    }

    /// Keeps the cases that fit.
    pub(super) fn keep(&self, reader: &Reader, cases: &mut Vec<Done>) -> Result<(), StoreError> {
        for of_one in &self.0 {
            of_one.ask(reader, cases)?;
            let met = lock(&of_one.met);
            let has = |result| met.with.has(result);
            cases.retain(|case| case.result.is_some_and(has) == of_one.wanted);
        }
        Ok(())
    }
}

impl OfOneGame {
    /// Asks about the results of cases that nobody met before.
    fn ask(&self, reader: &Reader, cases: &[Done]) -> Result<(), StoreError> {
        let mut results: Vec<Of> =
            cases.iter().filter_map(|case| Some((case.simulator, case.result?))).collect();
        results.sort_unstable();
        results.dedup();
        let met = lock(&self.met);
        results.retain(|&(_, result)| !met.all.has(result));
        drop(met);
        let with = with_a_game(reader, &results, &self.game)?;
        let mut met = lock(&self.met);
        for (_, result) in results {
            met.all.is_new(result);
        }
        for result in with {
            met.with.is_new(result);
        }
        Ok(())
    }
}

/// Which of some results have such a game.
fn with_a_game(reader: &Reader, results: &[Of], game: &GameFilter) -> Result<Vec<i64>, StoreError> {
    let mut found = Vec::new();
    for near in neighbours(results, |&result| result) {
        let (Some(&(simulator, first)), Some(&(_, last))) = (near.first(), near.last()) else {
            continue;
        };
        let simulator = simulator.map(|id| Code(id).number());
        blocks(reader, [first, last], |result, block| {
            // Between them are results of others, which are of another simulator.
            let is_asked = near.binary_search_by_key(&result, |&(_, result)| result).is_ok();
            if is_asked && found.last() != Some(&result) && game.fits_one(simulator, block)? {
                found.push(result);
            }
            Ok(())
        })?;
    }
    Ok(found)
}

/// Hands out the blocks of results between two numbers, in order.
pub(super) fn blocks(
    reader: &Reader,
    results: [i64; 2],
    mut see: impl FnMut(i64, &str) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let sql = "SELECT result, games FROM game_blocks
               WHERE id >= ?1 << 32 AND id < (?2 + 1) << 32 ORDER BY id";
    let mut statement = reader.db.prepare_cached(sql)?;
    let mut rows = statement.query(results)?;
    while let Some(row) = rows.next()? {
        see(row.get(0)?, block(row, 1)?)?;
    }
    Ok(())
}

/// Results in the order of simulators, cut into some that are near each other and of one simulator.
pub(super) fn neighbours<T>(
    results: &[T],
    of: impl Fn(&T) -> Of + Copy,
) -> impl Iterator<Item = &[T]> {
    let are_near = move |a: &T, b: &T| {
        let ((of_a, a), (of_b, b)) = (of(a), of(b));
        of_a == of_b && b - a <= GAP_MOST
    };
    results.chunks(RESULTS_AT_A_TIME).flat_map(move |some| some.chunk_by(are_near))
}
