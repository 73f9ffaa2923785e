//! What runs, cases and games have in common as rows of a list.

use serde::Serialize;

use super::columns::Column;
use crate::cli::json;
use crate::cli::reference::Reference;
use crate::domain::{CaseId, RunId, SimulatorId};
use crate::store::{
    CaseChoice, CaseRecord, GameRecord, Query, Reach, Reader, RunChoice, RunRecord, StoreError,
    Walk,
};

/// A kind of row.
pub(super) trait Row: Clone {
    /// What one is called.
    const ONE: &'static str;
    /// What several are called.
    const MANY: &'static str;
    /// What a row is found by.
    type Key: Copy;
    type Json: for<'a> From<&'a Self> + Serialize;

    /// Its columns, if all rows are of a simulator, or of any.
    fn columns(only: Option<SimulatorId>) -> Vec<Column<Self>>;

    fn find(
        reader: &Reader,
        query: &Query,
        before: Option<Self::Key>,
        reach: Reach,
    ) -> Result<Walk<Self::Key>, StoreError>;

    /// The row of a key; `None` if it is gone by now.
    fn fetch(reader: &Reader, key: Self::Key) -> Result<Option<Self>, StoreError>;

    /// How many rows fit a query, if a counter knows it.
    fn count(reader: &Reader, query: &Query) -> Result<Option<u64>, StoreError>;

    fn write_key(key: Self::Key) -> String;

    fn read_key(text: &str) -> Result<Self::Key, String>;

    fn simulator(&self) -> Option<SimulatorId>;
}

impl Row for RunRecord {
    const ONE: &'static str = "run";
    const MANY: &'static str = "runs";
    type Key = RunId;
    type Json = json::Run;

    fn columns(_: Option<SimulatorId>) -> Vec<Column<Self>> {
        super::columns::of_runs()
    }

    fn find(
        reader: &Reader,
        query: &Query,
        before: Option<RunId>,
        reach: Reach,
    ) -> Result<Walk<RunId>, StoreError> {
        reader.find_runs(query, before, reach)
    }

    fn fetch(reader: &Reader, key: RunId) -> Result<Option<Self>, StoreError> {
        reader.run(&RunChoice::Id(key))
    }

    fn count(reader: &Reader, query: &Query) -> Result<Option<u64>, StoreError> {
        if query.terms.is_empty() { Ok(Some(reader.totals()?.runs)) } else { Ok(None) }
    }

    fn write_key(key: RunId) -> String {
        key.to_string()
    }

    fn read_key(text: &str) -> Result<RunId, String> {
        match Reference::numbers(text) {
            Some((run, None, None)) => Ok(run),
            _ => Err(wrong_key(text, "a run is its number, such as 12")),
        }
    }

    fn simulator(&self) -> Option<SimulatorId> {
        None
    }
}

impl Row for CaseRecord {
    const ONE: &'static str = "case";
    const MANY: &'static str = "cases";
    type Key = CaseId;
    type Json = json::Case;

    fn columns(_: Option<SimulatorId>) -> Vec<Column<Self>> {
        super::columns::of_cases()
    }

    fn find(
        reader: &Reader,
        query: &Query,
        before: Option<CaseId>,
        reach: Reach,
    ) -> Result<Walk<CaseId>, StoreError> {
        reader.find_cases(query, before, reach)
    }

    fn fetch(reader: &Reader, key: CaseId) -> Result<Option<Self>, StoreError> {
        reader.case(key.run, &CaseChoice::Rank(key.rank))
    }

    fn count(reader: &Reader, query: &Query) -> Result<Option<u64>, StoreError> {
        super::count::cases(reader, query)
    }

    fn write_key(key: CaseId) -> String {
        key.to_string()
    }

    fn read_key(text: &str) -> Result<CaseId, String> {
        match Reference::numbers(text) {
            Some((run, Some(rank), None)) => Ok(CaseId { run, rank }),
            _ => Err(wrong_key(text, "a case is RUN/RANK, such as 12/7")),
        }
    }

    fn simulator(&self) -> Option<SimulatorId> {
        self.simulator
    }
}

impl Row for GameRecord {
    const ONE: &'static str = "game";
    const MANY: &'static str = "games";
    type Key = (CaseId, u64);
    type Json = json::Game;

    fn columns(only: Option<SimulatorId>) -> Vec<Column<Self>> {
        super::columns::of_games(only)
    }

    fn find(
        reader: &Reader,
        query: &Query,
        before: Option<Self::Key>,
        reach: Reach,
    ) -> Result<Walk<Self::Key>, StoreError> {
        reader.find_games(query, before, reach)
    }

    fn fetch(reader: &Reader, (case, number): Self::Key) -> Result<Option<Self>, StoreError> {
        reader.game(case, number)
    }

    fn count(_: &Reader, _: &Query) -> Result<Option<u64>, StoreError> {
        Ok(None)
    }

    fn write_key((case, number): Self::Key) -> String {
        format!("{case}#{number}")
    }

    fn read_key(text: &str) -> Result<Self::Key, String> {
        match Reference::numbers(text) {
            Some((run, Some(rank), Some(game))) => Ok((CaseId { run, rank }, game)),
            _ => Err(wrong_key(text, "a game is RUN/RANK#GAME, such as 12/7#3")),
        }
    }

    fn simulator(&self) -> Option<SimulatorId> {
        Some(self.simulator)
    }
}

fn wrong_key(text: &str, wanted: &str) -> String {
    format!("--after {text}: {wanted}")
}
