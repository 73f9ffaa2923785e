//! Walks against plain looks at every row.

use std::fmt::Debug;

use rusqlite::{Connection, StatementStatus, params_from_iter};
use tempfile::TempDir;

use super::super::terms::fits;
use super::driver::{CaseDriver, Order, RunDriver, Runs};
use super::{Clause, Level};
use crate::domain::{CaseId, Ending, RunId, RunState, SimulatorId, TimestampUs, Verdict};
use crate::store::query::{Bound, Column, Query, Reach, Relation, Term, Test, Walk};
use crate::store::{IfHeld, Reader, Store};

fn every_test() -> Vec<Test> {
    let more = Bound { relation: Relation::More, than: 3 };
    vec![
        Test::Run(Bound { relation: Relation::Equal, than: 12 }),
        Test::Run(Bound { relation: Relation::Less, than: 9 }),
        Test::State(RunState::Done),
        Test::Label("week 3".to_owned()),
        Test::Tag("k".to_owned(), Some("v".to_owned())),
        Test::Tag("k".to_owned(), None),
        Test::Since(TimestampUs(6)),
        Test::Until(TimestampUs(9)),
        Test::Cases(Bound { relation: Relation::More, than: 2 }),
        Test::Took(more),
        Test::Simulator(SimulatorId::Mtj),
        Test::Verdict(vec![Verdict::Wa, Verdict::Crash]),
        Test::Cached,
        Test::Name("a*".to_owned()),
        Test::Input(Bound { relation: Relation::AtMost, than: 7 }),
        Test::Ending(Ending::Endless),
        Test::Winner(vec![(SimulatorId::Mtj, 2)]),
        Test::Value(vec![(SimulatorId::Mtj, Column::Metric(0))], more),
    ]
}

/// Each term alone, its opposite, and each two of them.
fn queries() -> Vec<Query> {
    let term = |test: &Test, negated| Term { negated, test: test.clone() };
    let mut queries = vec![Query::default()];
    for one in &every_test() {
        queries.push(Query { terms: vec![term(one, false)] });
        queries.push(Query { terms: vec![term(one, true)] });
        for other in &every_test() {
            queries.push(Query { terms: vec![term(one, false), term(other, false)] });
            queries.push(Query { terms: vec![term(one, true), term(other, false)] });
        }
    }
    queries
}

/// A store with 20 runs of up to five cases of up to three games, whose clock goes back now and then.
fn store() -> (TempDir, Reader) {
    let state = TempDir::new().expect("a temporary directory");
    let store = Store::open(state.path(), IfHeld::Refuse, TimestampUs(0)).expect("a store");
    store.close().expect("a clean end");
    let db = Connection::open(state.path().join("store.db")).expect("a database");
    db.execute_batch(FILL).expect("rows");
    drop(db);
    let reader = Reader::open(state.path()).expect("a store").expect("a store");
    (state, reader)
}

const FILL: &str = "
    PRAGMA foreign_keys = OFF;
    CREATE TEMP TABLE n AS WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 20)
        SELECT n FROM n;
    INSERT INTO contents (id, hash, bytes, coding, data)
        SELECT n, randomblob(32), n, 1, x'' FROM n;
    INSERT INTO runs (id, state, label, source, asked, compare, class, taken_in_us, finished_us, total)
        SELECT n, 2 + n % 2, CASE n % 3 WHEN 0 THEN 'week 3' END, x'', '{}', 1, 1, n - n % 4 * 2,
            CASE n % 2 WHEN 1 THEN 99 END, n % 6 FROM n;
    INSERT INTO run_spans SELECT id >> 10, min(taken_in_us), max(taken_in_us) FROM runs GROUP BY 1;
    INSERT INTO tags SELECT n, 'k', iif(n % 3, 'v', 'w') FROM n WHERE n % 4 > 0;
    INSERT INTO cases (id, name, simulator, rules, content, compared, result, state, verdict, cached, queued_us,
            parse_us, play_us, compare_us)
        SELECT r.n << 32 | c.n, CAST(iif(c.n % 2, 'a', 'b') || c.n AS BLOB), nullif((r.n + c.n) % 4, 0), 1, c.n, NULL,
            CASE WHEN (r.n + c.n) % 4 > 0 AND r.n % 5 > 0 AND (r.n * 5 + c.n * 3) % 8 NOT IN (4, 6, 7) THEN r.n END, iif(r.n % 7, 3, 1 + c.n % 2),
            iif(r.n % 7, 1 + (r.n * 5 + c.n * 3) % 8, NULL), c.n % 2, 0, c.n, 0, 0
        FROM n r JOIN n c ON c.n <= r.n % 6 WHERE r.n % 7 > 0 OR (r.n + c.n) % 4 > 0;
    INSERT INTO results (id, content, simulator, rules, version, games, endless, output_hash, output_bytes, coding)
        SELECT n, n, 3, 1, 1, n % 4, 0, randomblob(32), 1, 1 FROM n;
    INSERT INTO game_blocks (id, games)
        SELECT (r.n << 32) + min(g.n), json_group_array(json_array(iif(g.n % 2, 1, 2), iif(g.n % 2, 1 + r.n % 2, NULL), g.n,
            json_array(r.n)))
        FROM n r JOIN n g ON g.n <= r.n % 4 GROUP BY r.n, g.n / 3;
    INSERT OR IGNORE INTO run_has SELECT 1, simulator, run FROM cases WHERE simulator IS NOT NULL;
    INSERT OR IGNORE INTO run_has SELECT 2, verdict, run FROM cases WHERE verdict IS NOT NULL;
    UPDATE runs SET (wa, crash) = (SELECT count(*) FILTER (WHERE verdict = 3), count(*) FILTER (WHERE verdict = 7) FROM cases WHERE run = runs.id),
        done = (SELECT count(*) FILTER (WHERE verdict IN (3, 7)) FROM cases WHERE run = runs.id) WHERE total > 0;
";

/// Rows of keys, in two columns.
fn look(reader: &Reader, Clause { sql, values }: Clause) -> Vec<(i64, i64)> {
    let mut all = reader.db.prepare(&sql).expect(&sql);
    let rows = all.query_map(params_from_iter(values), |row| Ok((row.get(0)?, row.get(1)?)));
    rows.expect(&sql).collect::<Result<_, _>>().expect("rows")
}

fn every_row(row: Level, query: &Query) -> Clause {
    let (above, of_games) = query.split(Level::Game);
    let (keys, rows, Clause { mut sql, values }) = match row {
        Level::Run => ("r.id, 0", "runs r", fits(row, query)),
        Level::Case => ("c.id, 0", "cases c", fits(row, query)),
        Level::Game => {
            let rows = "cases c JOIN games g ON g.result = c.result";
            ("c.id, g.number", rows, fits(Level::Case, &above))
        }
    };
    if row == Level::Game {
        of_games.terms.iter().for_each(|term| sql.push_str(&of_a_game(term)));
    }
    Clause::new(format!("SELECT {keys} FROM {rows} WHERE {sql} ORDER BY 1 DESC, 2 DESC"), values)
}

/// What a term says of a row of the view `games`.
fn of_a_game(term: &Term) -> String {
    let test = match term.test {
        Test::Ending(Ending::Endless) => "g.ending = 2",
        Test::Winner(_) => "c.simulator = 3 AND g.winner = 2",
        Test::Value(..) => "c.simulator = 3 AND g.m1 > 3",
        _ => unreachable!("{term:?}"),
    };
    format!(" AND ({test}) IS {}", if term.negated { "NOT TRUE" } else { "TRUE" })
}

/// Walks in steps, each from where the last one ended.
fn steps<K: Copy + Debug + PartialEq>(
    reach: Reach,
    find: impl Fn(Option<K>, Reach) -> Walk<K>,
) -> Vec<K> {
    let (mut found, mut before) = (Vec::new(), None);
    loop {
        let walk = find(before, reach);
        found.extend(walk.found);
        if walk.reached.is_none() {
            return found;
        }
        assert_ne!(walk.reached, before, "it goes on where it began");
        before = walk.reached;
    }
}

#[test]
fn a_walk_in_steps_finds_what_a_look_at_every_row_finds() {
    let (_state, reader) = store();
    for query in &queries() {
        for (found, looked_at) in [(1_000, 1_000), (1_000, 1), (2, 3)] {
            let reach = Reach { found, looked_at };
            let runs = steps(reach, |before: Option<RunId>, reach| {
                reader.find_runs(query, before, reach).expect("runs")
            });
            let cases = steps(reach, |before: Option<CaseId>, reach| {
                reader.find_cases(query, before, reach).expect("cases")
            });
            let games = steps(reach, |before: Option<(CaseId, u64)>, reach| {
                reader.find_games(query, before, reach).expect("games")
            });
            let runs: Vec<_> = runs.iter().map(|run| (run.0, 0)).collect();
            let cases: Vec<_> = cases.iter().map(|case| (case.key(), 0)).collect();
            let games: Vec<_> =
                games.iter().map(|&(case, number)| (case.key(), number.cast_signed())).collect();
            for (row, rows) in [(Level::Run, runs), (Level::Case, cases), (Level::Game, games)] {
                let all = look(&reader, every_row(row, query));
                assert_eq!(rows, all, "{row:?}, {reach:?}, {query:?}");
            }
        }
    }
}

#[test]
fn no_walk_scans_or_sorts() {
    let (_state, reader) = store();
    let plan = |Clause { sql, values }: Clause| {
        let mut explain = reader.db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect(&sql);
        let steps = explain.query_map(params_from_iter(values), |row| row.get(3));
        steps.expect(&sql).collect::<Result<Vec<String>, _>>().expect("a plan")
    };
    let runs = Runs { from: 1, to: 1_000 };
    for query in queries() {
        let before = RunId(256).head();
        let of_runs = |order| RunDriver::of(&query).walk(&query, runs, order);
        let of_cases = CaseDriver::of(&query).walk(&query, runs, before);
        for sql in [of_runs(Order::NewestFirst), of_runs(Order::OldestFirst), of_cases] {
            let text = sql.sql.clone();
            for step in plan(sql) {
                let bad = step.contains("SCAN") || step.contains("TEMP B-TREE");
                assert!(!bad, "{step}\n{text}\n{query:?}");
            }
        }
    }
}

#[test]
fn a_walk_that_goes_on_walks_over_nothing_that_is_behind_it() {
    let (_state, reader) = store();
    let steps = |query: &Query, to: i64| {
        let runs = Runs { from: 1, to };
        let Clause { sql, values } = CaseDriver::of(query).walk(query, runs, RunId(2).head());
        let mut statement = reader.db.prepare(&sql).expect(&sql);
        let rows = statement.query_map(params_from_iter(values), |_| Ok(())).expect(&sql);
        assert!(rows.count() < 2);
        statement.get_status(StatementStatus::VmStep)
    };
    for query in queries() {
        let (nothing, one_case) = (steps(&query, 0), steps(&query, 1_000));
        assert!(one_case < nothing + 60, "{one_case} steps for one case: {query:?}");
    }
}
