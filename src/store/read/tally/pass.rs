//! A pass over the cases that a query leaves, and over their games, on several threads.
//!
//! Each thread takes some cases at a time: a read of their rows, then reads of the games of those results
//! that nobody met before. No read is open for long, and what is kept is sums.

use std::collections::HashMap;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use rusqlite::params_from_iter;
use rusqlite::types::Value;

use super::cells::{Cells, Place};
use super::feed::{Feed, Range};
use super::games::{OfGames, blocks, neighbours};
use super::seen::Seen;
use super::{CellKey, Facet, Gather, Part, Tally};
use crate::domain::{RuleSet, SimulatorId, Verdict};
use crate::store::StoreError;
use crate::store::codes::Code;
use crate::store::games::Scan;
use crate::store::query::{Column, Query};
use crate::store::read::Reader;
use crate::store::read::filter::GameFilter;
use crate::store::read::records::coded;
use crate::store::read::terms::{Clause, Level, fits};

/// More threads read no faster than one disk.
const THREADS_MOST: usize = 4;

/// What all threads of a pass share.
struct Pass<'a> {
    facet: Facet<'a>,
    times: bool,
    games: Option<Wanted>,
    /// Whether a case fits what is said of cases.
    of_cases: Clause,
    /// What is said of its games.
    of_games: OfGames,
    feed: Mutex<Feed<'a>>,
    /// The results that were met in each part.
    seen: Mutex<HashMap<u32, Seen>>,
}

/// The games that are wanted.
struct Wanted {
    filter: GameFilter,
    /// The value of each simulator's games.
    columns: Vec<(SimulatorId, Column)>,
}

/// A case that is done.
pub(super) struct Done {
    pub(super) simulator: Option<SimulatorId>,
    rules: Option<RuleSet>,
    verdict: Verdict,
    cached: bool,
    pub(super) result: Option<i64>,
    /// How long it was played, if it was.
    play_us: Option<i64>,
    parts: Arc<[u32]>,
}

/// A result whose games are wanted, and the cell they belong to.
type Of = (i64, Place);

impl Reader {
    /// Goes over all cases that are done and fit a query, and over the games that fit it.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn tally(
        &self,
        query: &Query,
        facet: Facet<'_>,
        gather: &Gather,
    ) -> Result<Tally, StoreError> {
        let pass = Pass::new(self, query, facet, gather)?;
        let threads = thread::available_parallelism().map_or(1, usize::from).min(THREADS_MOST);
        let readers = (0..threads).map(|_| self.again()).collect::<Result<Vec<_>, _>>()?;
        let mut cells = Cells::default();
        thread::scope(|scope| {
            let pass = &pass;
            let work = |reader: Reader| scope.spawn(move || pass.work(&reader));
            let threads: Vec<_> = readers.into_iter().map(work).collect();
            threads.into_iter().try_for_each(|thread| {
                cells.merge(thread.join().unwrap_or_else(|panic| resume_unwind(panic))?);
                Ok::<_, StoreError>(())
            })
        })?;
        Ok(pass.name(cells))
    }
}

impl<'a> Pass<'a> {
    fn new(
        reader: &Reader,
        query: &Query,
        facet: Facet<'a>,
        gather: &Gather,
    ) -> Result<Self, StoreError> {
        let of_cases = query.terms.iter().filter(|term| term.test.level() == Level::Case);
        Ok(Self {
            facet,
            times: gather.times,
            games: gather
                .games
                .clone()
                .map(|columns| Wanted { filter: GameFilter::of(query), columns }),
            of_cases: fits(Level::Case, &Query { terms: of_cases.cloned().collect() }),
            of_games: OfGames::of(query),
            feed: Mutex::new(Feed::new(reader.again()?, query, facet)),
            seen: Mutex::default(),
        })
    }

    fn work(&self, reader: &Reader) -> Result<Cells, StoreError> {
        let mut cells = Cells::default();
        loop {
            let ranges = lock(&self.feed).next()?;
            if ranges.is_empty() {
                return Ok(cells);
            }
            // One for all these statements: each that has none makes its own, and asks the system for locks.
            let _read = reader.db.unchecked_transaction()?;
            let mut cases = Vec::new();
            for range in &ranges {
                self.read_cases(reader, range, &mut cases)?;
            }
            self.of_games.keep(reader, &mut cases)?;
            for case in &cases {
                self.count_case(case, &mut cells);
            }
            let Some(games) = &self.games else { continue };
            for near in
                neighbours(&self.unseen(&cases), |&(result, (simulator, ..))| (simulator, result))
            {
                self.count_games(reader, games, near, &mut cells)?;
            }
        }
    }

    fn select_cases(&self, keys: [i64; 2]) -> Clause {
        // An index on what the query asks for would have to be walked again for each range of keys.
        let head = "SELECT c.simulator, c.rules, c.verdict, c.cached, c.result,
                CASE WHEN c.result IS NOT NULL AND NOT c.cached THEN c.play_us END
            FROM cases c NOT INDEXED WHERE c.id BETWEEN ? AND ? AND c.state = 3 AND ";
        Clause::new(head, keys.map(Value::from)).then(&self.of_cases)
    }

    fn read_cases(
        &self,
        reader: &Reader,
        range: &Range,
        cases: &mut Vec<Done>,
    ) -> Result<(), StoreError> {
        let select = self.select_cases(range.keys);
        let mut statement = reader.db.prepare_cached(&select.sql)?;
        let mut rows = statement.query(params_from_iter(select.values))?;
        while let Some(row) = rows.next()? {
            let (simulator, rules) = (coded(row, 0)?, coded(row, 1)?);
            let Code(verdict) = row.get(2)?;
            let (cached, result, play_us) = (row.get(3)?, row.get(4)?, row.get(5)?);
            let parts = Arc::clone(&range.parts);
            cases.push(Done { simulator, rules, verdict, cached, result, play_us, parts });
        }
        Ok(())
    }

    fn count_case(&self, case: &Done, cells: &mut Cells) {
        for place in self.places(case) {
            cells.add_case(place, case.verdict, case.cached);
            if let Some(play_us) = case.play_us.filter(|_| self.times) {
                cells.add_time(place, play_us);
            }
        }
    }

    /// The cells of a case.
    fn places(&self, case: &Done) -> impl Iterator<Item = Place> {
        let part = |&part: &u32| self.part_of_case(case.verdict, part);
        case.parts.iter().map(part).map(|part| (case.simulator, case.rules, part))
    }

    /// The results that no thread met before, in the order of simulators.
    fn unseen(&self, cases: &[Done]) -> Vec<Of> {
        let results = cases.iter().filter_map(|case| Some((case, case.result?)));
        let all = results.flat_map(|(case, result)| self.places(case).map(move |at| (result, at)));
        let mut seen = lock(&self.seen);
        let mut wanted: Vec<Of> = all
            .filter(|&(result, (_, _, part))| seen.entry(part).or_default().is_new(result))
            .collect();
        drop(seen);
        wanted.sort_unstable_by_key(|&(result, (simulator, ..))| (simulator, result));
        wanted
    }

    /// Counts the games of results of one simulator that are near each other.
    fn count_games(
        &self,
        reader: &Reader,
        wanted: &Wanted,
        mut results: &[Of],
        cells: &mut Cells,
    ) -> Result<(), StoreError> {
        let (Some(&(first, (simulator, ..))), Some(&(last, _))) = (results.first(), results.last())
        else {
            return Ok(());
        };
        let (code, column) = wanted.of(simulator);
        blocks(reader, [first, last], |result, block| {
            results = &results[results.partition_point(|&(other, _)| other < result)..];
            let here = results.partition_point(|&(other, _)| other == result);
            if here == 0 {
                return Ok(());
            }
            for game in Scan::new(block) {
                let game = game?;
                if !wanted.filter.fits(code, &game) {
                    continue;
                }
                // A game without an end has a nought where others have a metric.
                let column = column.filter(|_| game.winner.is_some());
                let value = column.and_then(|column| game.value(column));
                for &(_, (simulator, rules, part)) in &results[..here] {
                    let place = (simulator, rules, self.part_of_game(game.winner, part));
                    cells.add_game(place, (game.ending, game.winner), value);
                }
            }
            Ok(())
        })
    }

    const fn part_of_case(&self, verdict: Verdict, part: u32) -> u32 {
        match self.facet {
            Facet::Verdict => verdict as u32,
            _ => part,
        }
    }

    fn part_of_game(&self, winner: Option<u32>, part: u32) -> u32 {
        match self.facet {
            Facet::Winner => winner.unwrap_or(0),
            _ => part,
        }
    }

    /// Puts names on the cells.
    fn name(self, cells: Cells) -> Tally {
        let names = self.feed.into_inner().unwrap_or_else(PoisonError::into_inner).into_names();
        let part = |part: u32| match self.facet {
            Facet::Nothing => Part::All,
            Facet::Verdict => Part::Verdict(Verdict::ALL[part as usize]),
            Facet::Winner => Part::Winner((part > 0).then_some(part)),
            Facet::Names(_) => Part::Name(Arc::clone(&names[part as usize])),
        };
        let key = |(simulator, rules, at): Place| CellKey { simulator, rules, part: part(at) };
        cells.into_cells().map(|(place, cell)| (key(place), cell)).collect()
    }
}

impl Wanted {
    /// The code of a simulator, and the value that is wanted of its games.
    fn of(&self, simulator: Option<SimulatorId>) -> (Option<i64>, Option<Column>) {
        let column = self.columns.iter().find(|(id, _)| Some(*id) == simulator);
        (simulator.map(|id| Code(id).number()), column.map(|&(_, column)| column))
    }
}

pub(super) fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
