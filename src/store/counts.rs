//! What the store counts of all its cases and results, so that nobody counts rows.
//!
//! Changes are gathered in memory and written by the transaction of the transition they tell of. What was
//! added is taken back by a negative number.

use std::collections::BTreeMap;

use rusqlite::{Connection, Row, ToSql, params, params_from_iter};

use super::StoreError;
use super::codes::Code;
use super::games;
use super::write::{ResultKey, Statements};
use crate::domain::{Ending, RuleSet, SimulatorId};

/// What cases and games are counted apart by: the codes of a simulator and its rules, 0 if not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Kind {
    pub(super) simulator: i64,
    pub(super) rules: i64,
}

impl Kind {
    pub(super) fn new(simulator: Option<SimulatorId>, rules: Option<RuleSet>) -> Self {
        Self {
            simulator: simulator.map_or(0, |simulator| Code(simulator).number()),
            rules: rules.map_or(0, |rules| Code(rules).number()),
        }
    }

    /// From two columns.
    pub(super) fn read(row: &Row<'_>, first: usize) -> rusqlite::Result<Self> {
        let code = |column| row.get::<_, Option<i64>>(column).map(|code| code.unwrap_or(0));
        Ok(Self { simulator: code(first)?, rules: code(first + 1)? })
    }
}

impl From<ResultKey> for Kind {
    fn from(key: ResultKey) -> Self {
        Self::new(Some(key.simulator), Some(key.rules))
    }
}

/// What is to be added to the counters, or what they say.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// By verdict: how many cases, and how many of them are cached.
    pub(super) cases: BTreeMap<(Kind, i64), [i64; 2]>,
    /// By ending and winner, 0 for none.
    pub(super) games: BTreeMap<(Kind, i64, i64), i64>,
    /// By what it is and how much.
    pub(super) values: BTreeMap<(Kind, i64, i64), i64>,
    /// Contents and finished results themselves.
    pub(super) contents: i64,
    pub(super) results: i64,
}

impl Counts {
    /// Adds what others are.
    pub fn add(&mut self, others: &Self) {
        for (key, [all, cached]) in &others.cases {
            let counted = self.cases.entry(*key).or_default();
            *counted = [counted[0] + all, counted[1] + cached];
        }
        for (mine, others) in [(&mut self.games, &others.games), (&mut self.values, &others.values)]
        {
            others.iter().for_each(|(key, count)| *mine.entry(*key).or_default() += count);
        }
        self.contents += others.contents;
        self.results += others.results;
    }

    /// Adds a game so many times.
    pub(super) fn add_game(
        &mut self,
        kind: Kind,
        ending: Ending,
        winner: Option<u32>,
        length: Option<i64>,
        times: i64,
    ) {
        let key = (kind, Code(ending).number(), winner.map_or(0, i64::from));
        *self.games.entry(key).or_default() += times;
        if let Some(length) = length {
            self.add_value(kind, LENGTH, length, times);
        }
    }

    /// Adds cases that are done, by the code of their verdict.
    pub(super) fn add_cases(&mut self, kind: Kind, verdict: i64, cached: bool, times: i64) {
        let [all, from_store] = self.cases.entry((kind, verdict)).or_default();
        *all += times;
        *from_store += times * i64::from(cached);
    }

    /// Adds the time a case was played that has a result and is not cached.
    pub(super) fn add_time(&mut self, kind: Kind, play_us: i64, times: i64) {
        self.add_value(kind, TIME, play_us, times);
    }

    fn add_value(&mut self, kind: Kind, what: i64, value: i64, times: i64) {
        *self.values.entry((kind, what, three_digits(value))).or_default() += times;
    }

    /// Adds the cases with keys from `first` to `last` so many times each, as the writer does when they end.
    pub(super) fn add_case_rows(
        &mut self,
        db: &Connection,
        [first, last]: [i64; 2],
        times: i64,
    ) -> Result<(), StoreError> {
        let sql = "SELECT simulator, rules, verdict, cached,
                       CASE WHEN result IS NOT NULL AND NOT cached THEN play_us END
                   FROM cases NOT INDEXED WHERE id BETWEEN ?1 AND ?2 AND state = 3";
        each(db, sql, &[first, last], |row| {
            let kind = Kind::read(row, 0)?;
            self.add_cases(kind, row.get(2)?, row.get(3)?, times);
            if let Some(play_us) = row.get(4)? {
                self.add_time(kind, play_us, times);
            }
            Ok(())
        })
    }

    /// Adds the games of the results with ids from `first` to `last` so many times each, as the writer does
    /// when a result is finished.
    pub(super) fn add_result_rows(
        &mut self,
        db: &Connection,
        [first, last]: [i64; 2],
        times: i64,
    ) -> Result<(), StoreError> {
        let sql = "SELECT r.simulator, r.rules, b.games
                   FROM results r CROSS JOIN game_blocks b
                       ON b.id >= r.id << 32 AND b.id < (r.id + 1) << 32
                   WHERE r.id BETWEEN ?1 AND ?2 AND r.unfinished <= 0";
        each(db, sql, &[first, last], |row| {
            games::count(games::block(row, 2)?, Kind::read(row, 0)?, times, self)?;
            Ok(())
        })
    }

    /// What the counters say.
    pub(super) fn stored(db: &Connection) -> Result<Self, StoreError> {
        let mut counts = Self::default();
        let sql =
            "SELECT simulator, rules, verdict, cases, cached FROM case_counts WHERE cases > 0";
        each(db, sql, &[], |row| {
            let key = (Kind::read(row, 0)?, row.get(2)?);
            counts.cases.insert(key, [row.get(3)?, row.get(4)?]);
            Ok(())
        })?;
        for (sql, counts) in [
            ("SELECT * FROM game_counts WHERE games > 0", &mut counts.games),
            ("SELECT * FROM value_counts WHERE count > 0", &mut counts.values),
        ] {
            each(db, sql, &[], |row| {
                let key = (Kind::read(row, 0)?, row.get(2)?, row.get(3)?);
                counts.insert(key, row.get(4)?);
                Ok(())
            })?;
        }
        Ok(counts)
    }

    /// The tables in which two of these differ.
    pub(super) fn differences(&self, other: &Self) -> Vec<&'static str> {
        let same = [
            ("case_counts", self.cases == other.cases),
            ("game_counts", self.games == other.games),
            ("value_counts", self.values == other.values),
        ];
        same.into_iter().filter(|(_, same)| !same).map(|(table, _)| table).collect()
    }

    /// Adds all of it to the counters.
    pub(super) fn write(&self, db: &Connection) -> Result<(), StoreError> {
        let statements = &mut Statements::new(db);
        for (&(Kind { simulator, rules }, verdict), [cases, cached]) in &self.cases {
            add(statements, CASES, params![simulator, rules, verdict, cases, cached])?;
        }
        for (&(Kind { simulator, rules }, ending, winner), games) in &self.games {
            add(statements, GAMES, params![simulator, rules, ending, winner, games])?;
        }
        for (&(Kind { simulator, rules }, what, value), count) in &self.values {
            add(statements, VALUES, params![simulator, rules, what, value, count])?;
        }
        let totals = [(3, self.contents), (4, self.results)];
        for (what, count) in totals.into_iter().filter(|&(_, count)| count != 0) {
            let sql = "UPDATE totals SET count = count + ?2 WHERE what = ?1";
            statements.of(sql)?.execute([what, count])?;
        }
        Ok(())
    }
}

/// What the values of `value_counts` are.
pub(super) const TIME: i64 = 1;
const LENGTH: i64 = 2;

/// The statement that adds to a counter, and the one that makes it. No upsert: what is to be inserted is
/// checked before it is found to be there, and no counter may be negative.
type Counter = [&'static str; 2];

const CASES: Counter = [
    "UPDATE case_counts SET cases = cases + ?4, cached = cached + ?5,
         removed = removed + max(-?4, 0), removed_cached = removed_cached + max(-?5, 0)
     WHERE simulator = ?1 AND rules = ?2 AND verdict = ?3",
    "INSERT INTO case_counts (simulator, rules, verdict, cases, cached)
     VALUES (?1, ?2, ?3, ?4, ?5)",
];
const GAMES: Counter = [
    "UPDATE game_counts SET games = games + ?5
     WHERE simulator = ?1 AND rules = ?2 AND ending = ?3 AND winner = ?4",
    "INSERT INTO game_counts VALUES (?1, ?2, ?3, ?4, ?5)",
];
const VALUES: Counter = [
    "UPDATE value_counts SET count = count + ?5
     WHERE simulator = ?1 AND rules = ?2 AND what = ?3 AND value = ?4",
    "INSERT INTO value_counts VALUES (?1, ?2, ?3, ?4, ?5)",
];

fn each(
    db: &Connection,
    sql: &str,
    keys: &[i64],
    mut see: impl FnMut(&Row<'_>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut statement = db.prepare_cached(sql)?;
    let mut rows = statement.query(params_from_iter(keys))?;
    while let Some(row) = rows.next()? {
        see(row)?;
    }
    Ok(())
}

fn add(
    db: &mut Statements<'_>,
    [update, insert]: Counter,
    values: &[&dyn ToSql],
) -> Result<(), StoreError> {
    if db.of(update)?.execute(values)? == 0 {
        db.of(insert)?.execute(values)?;
    }
    Ok(())
}

/// A number rounded to three digits, half a unit up; one below 1,000 stays as it is.
pub(super) const fn three_digits(value: i64) -> i64 {
    let mut unit = 1;
    while value / unit >= 1_000 {
        unit *= 10;
    }
    let below = value % unit;
    value - below + if below > 0 && below >= unit / 2 { unit } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::three_digits;

    #[test]
    fn values_are_kept_to_three_digits() {
        let pairs = [(0, 0), (7, 7), (999, 999), (1_004, 1_000), (1_005, 1_010), (9_994, 9_990)];
        let large = [(9_995, 10_000), (123_499, 123_000), (123_500, 124_000)];
        for (value, kept) in pairs.into_iter().chain(large) {
            assert_eq!(three_digits(value), kept, "{value}");
        }
        assert_eq!(three_digits(i64::MAX), 9_220_000_000_000_000_000);
    }
}
