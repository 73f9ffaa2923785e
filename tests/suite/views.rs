//! The views that other programs read: their columns, their words, and the queries of the manual.

use std::process::Command;

use rusqlite::Connection;
use rusqlite::types::Value;
use simdrop::domain::{
    CaseState, Class, CompareMode, Ending, RuleSet, RunState, SimulatorId, Verdict,
};

use crate::harness::{Place, thunder};

/// Every view with its columns. They are only ever added to.
const COLUMNS: [(&str, &str); 3] = [
    (
        "v_runs",
        "run label state source sources_blob compare class of_run taken_in_at taken_in_us finished_at
         finished_us cases done cached ac pe wa noref badin limits crash cancelled tags",
    ),
    (
        "v_cases",
        "id run rank name name_blob simulator rules version state verdict cached attempts suspect result
         games input_hash input_bytes output_hash output_bytes queued_at queued_us wait_us parse_us
         play_us compare_us store_us difference error warnings",
    ),
    (
        "v_games",
        "result game simulator rules version ending winner winner_number length alice_total_hp
         alice_survivors alice_total_casts alice_total_attacks bob_total_hp bob_survivors bob_total_casts
         bob_total_attacks alice bob carol david battles shot_down launches pity_launches skips moves
         home longest_streak leads lead_changes passes straights groups longest_straight largest_group
         longest_trick largest_hand winner_plays winner_favour lists",
    ),
];

/// The simulators of a release, with their codes in the store.
fn simulators() -> impl Iterator<Item = (i64, SimulatorId)> {
    (1..).zip([SimulatorId::StellarConnect, SimulatorId::ThunderBluff, SimulatorId::Mtj])
}

fn with_a_run() -> Place {
    let place = Place::new();
    place.file("data/1.in", thunder(1)).file("data/2.in", "1\n1 2 3 x\n");
    place.file("data/3.in", "2 10 4 41\n3 -1 2 0\n1 2 3 4 1 1 2 2 3 3\n");
    place.simdrop(["run", "data", "--label", "week 3", "--tag", "course=a"]).exits(1);
    place
}

/// The store of a place, free to be changed into what no program writes.
fn database(place: &Place) -> Connection {
    let db = Connection::open(place.state().join("store.db")).expect("a store");
    db.execute_batch("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON")
        .expect("a setting");
    db
}

fn one<T: rusqlite::types::FromSql>(db: &Connection, sql: &str) -> T {
    db.query_row(sql, [], |row| row.get(0)).expect(sql)
}

/// The words that a column has for the codes from 1 on.
fn words(db: &Connection, change: &str, view: &str, column: &str) -> Vec<String> {
    let count: i64 = one(db, &format!("SELECT count(*) FROM {view}"));
    assert_ne!(count, 0);
    let mut words = Vec::new();
    loop {
        let next = words.len() + 1;
        db.execute(&format!("UPDATE {change}"), [next]).expect("a change");
        match one::<Option<String>>(db, &format!("SELECT max({column}) FROM {view}")) {
            Some(word) if word != next.to_string() => words.push(word),
            _ => return words,
        }
    }
}

#[test]
fn the_views_have_the_columns_that_people_rely_on() {
    let place = with_a_run();
    for (view, columns) in COLUMNS {
        let found: String =
            place.ask(&format!("SELECT group_concat(name, ' ') FROM pragma_table_info('{view}')"));
        assert_eq!(found, columns.split_whitespace().collect::<Vec<_>>().join(" "), "{view}");
    }
}

#[test]
fn a_run_a_case_and_a_game_read_in_the_views_as_they_are() {
    let place = with_a_run();
    let db = database(&place);
    let run =
        "SELECT label || ' ' || state || ' ' || cases || ' ' || badin || ' ' || tags FROM v_runs";
    assert_eq!(one::<String>(&db, run), "week 3 done 3 1 {\"course\":\"a\"}");
    let source = place.path("data");
    assert_eq!(one::<String>(&db, "SELECT source FROM v_runs"), source.to_str().expect("a text"));
    let times = "SELECT count(*) FROM v_runs
                 WHERE taken_in_at GLOB '20[0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]*Z'
                     AND round((julianday(taken_in_at) - 2440587.5) * 86400e3) = round(taken_in_us / 1e3)";
    assert_eq!(one::<i64>(&db, times), 1);
    let cases = "SELECT group_concat(name || ' ' || verdict || ' ' || coalesce(simulator, '?') || ' '
                     || coalesce(games, 0) || ' ' || length(input_hash), ', ' ORDER BY rank) FROM v_cases";
    assert_eq!(
        one::<String>(&db, cases),
        "1 NOREF thunder-bluff 1 64, 2 BADIN ? 0 64, 3 NOREF mtj 1 64"
    );
    let shown = place.json(["show", "1/1#1", "--json"]);
    let game = "SELECT json_object('winner', winner, 'length', length, 'battles', battles)
                FROM v_games WHERE simulator = 'thunder-bluff'";
    let game: serde_json::Value = serde_json::from_str(&one::<String>(&db, game)).expect("JSON");
    assert_eq!(game["winner"], shown["winner"]);
    assert_eq!(game["length"], shown["length"]);
    assert_eq!(game["battles"], shown["metrics"]["battles"]);
    assert_eq!(one::<i64>(&db, "SELECT count(*) FROM v_games"), 2);
}

#[test]
fn the_first_of_several_sources_is_named_and_all_are_there_as_bytes() {
    let place = with_a_run();
    let db = database(&place);
    db.execute("UPDATE runs SET source = ?1", [b"/a/b\0/c"]).expect("a change");
    assert_eq!(one::<String>(&db, "SELECT source FROM v_runs"), "/a/b");
    assert_eq!(one::<Vec<u8>>(&db, "SELECT sources_blob FROM v_runs"), b"/a/b\0/c");
}

#[test]
fn the_words_in_the_views_are_those_of_the_program() {
    let place = with_a_run();
    let db = database(&place);
    let check = |change, view, column, names: &[&str]| {
        assert_eq!(words(&db, change, view, column), names, "{view}.{column}");
    };
    check("runs SET state = ?1", "v_runs", "state", &RunState::ALL.map(RunState::name));
    check("runs SET compare = ?1", "v_runs", "compare", &CompareMode::ALL.map(CompareMode::name));
    check("runs SET class = ?1", "v_runs", "class", &Class::ALL.map(Class::name));
    check("cases SET state = ?1", "v_cases", "state", &CaseState::ALL.map(CaseState::name));
    check("cases SET verdict = ?1", "v_cases", "verdict", &Verdict::ALL.map(Verdict::name));
    check("cases SET rules = ?1", "v_cases", "rules", &RuleSet::ALL.map(RuleSet::name));
    check(
        "game_blocks SET games = json_set(games, '$[0][0]', ?1)",
        "v_games",
        "ending",
        &Ending::ALL.map(Ending::name),
    );
    let names: Vec<_> = simulators().map(|(_, id)| id.name()).collect();
    check("cases SET simulator = ?1", "v_cases", "simulator", &names);
    // No two results may become one.
    db.execute("DELETE FROM results WHERE id > 1", []).expect("a change");
    check("results SET rules = ?1", "v_games", "rules", &RuleSet::ALL.map(RuleSet::name));
    check("results SET simulator = ?1", "v_games", "simulator", &names);
}

#[test]
fn the_players_in_the_views_are_those_of_the_simulators() {
    let place = with_a_run();
    let db = database(&place);
    for (code, id) in simulators() {
        for winner in 1..=6 {
            db.execute("UPDATE results SET simulator = ?1 WHERE id = 1", [code]).expect("a change");
            db.execute("UPDATE game_blocks SET games = json_set(games, '$[0][1]', ?1)", [winner])
                .expect("a change");
            let name: String = one(&db, "SELECT winner FROM v_games WHERE result = 1");
            // Nobody wins who does not play.
            let player = id.player(winner);
            assert!(name == player || player == format!("player {winner}"), "{id}: {name}");
            let number: u32 = one(&db, "SELECT winner_number FROM v_games WHERE result = 1");
            assert_eq!(number, winner);
        }
    }
}

#[test]
fn each_metric_of_a_simulator_is_a_column_of_its_own_and_null_for_the_others() {
    let place = with_a_run();
    let db = database(&place);
    let values: Vec<_> = (101..=112).collect();
    let sql = "UPDATE game_blocks SET games = json_set(games, '$[0][3]', json(?1))";
    db.execute(sql, [serde_json::json!(values).to_string()]).expect("a change");
    for (code, id) in simulators() {
        db.execute("UPDATE results SET simulator = ?1 WHERE id = 1", [code]).expect("a change");
        let mut statement = db.prepare("SELECT * FROM v_games WHERE result = 1").expect("a view");
        let columns: Vec<String> = statement.column_names().map(ToOwned::to_owned).collect();
        let from = columns.iter().position(|name| name == "length").expect("a length") + 1;
        let to = columns.iter().position(|name| name == "lists").expect("lists");
        let found = statement
            .query_row([], |row| {
                let value = |at: usize| Ok((columns[at].clone(), row.get::<_, Value>(at)?));
                (from..to).map(value).collect::<rusqlite::Result<Vec<_>>>()
            })
            .expect("a game");
        let found: Vec<_> = found.into_iter().filter(|(_, value)| *value != Value::Null).collect();
        let metrics = id.metrics().iter().map(|name| name.replace('-', "_"));
        let wanted: Vec<_> =
            metrics.zip(101..).map(|(name, value)| (name, Value::Integer(value))).collect();
        assert_eq!(found, wanted, "{id}");
    }
}

/// The queries of the manual.
fn documented() -> Vec<&'static str> {
    let page = include_str!("../../docs/sql.md");
    page.split("```sql\n").skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn the_queries_of_the_manual_run_in_any_sqlite() {
    let place = with_a_run();
    let queries = documented();
    assert!(queries.len() >= 3);
    for sql in &queries {
        let db = database(&place);
        let mut statement = db.prepare(sql).expect(sql);
        let mut rows = statement.query([]).expect(sql);
        assert!(rows.next().expect(sql).is_some(), "no row: {sql}");
    }
    let database = place.state().join("store.db");
    for sql in queries {
        let ran = Command::new("sqlite3").arg("-readonly").arg(&database).arg(sql).output();
        let Ok(ran) = ran else {
            eprintln!("SKIPPED: sqlite3 is not installed");
            return;
        };
        assert!(ran.status.success() && !ran.stdout.is_empty(), "{sql}: {ran:?}");
    }
}
