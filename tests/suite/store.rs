//! The store as a file: settings, integrity, and what a reader may rely on.

use simdrop::store::{LEAST_SQLITE, SCHEMA_VERSION};

use crate::harness::{Place, thunder};

fn with_a_run() -> Place {
    let place = Place::new();
    place.file("data/1.in", thunder(1)).file("data/2.in", thunder(2));
    place.simdrop(["run", "data"]).exits(0);
    place
}

#[test]
fn the_linked_sqlite_has_the_fix_for_the_wal_reset_race() {
    assert!(rusqlite::version_number() >= LEAST_SQLITE);
}

#[test]
fn the_settings_that_must_come_before_the_first_table_are_there() {
    let place = with_a_run();
    assert_eq!(place.ask::<i64>("PRAGMA auto_vacuum"), 2);
    assert_eq!(place.ask::<String>("PRAGMA journal_mode"), "wal");
    assert_eq!(place.ask::<i64>("PRAGMA user_version"), SCHEMA_VERSION);
    assert_eq!(place.ask::<String>("PRAGMA integrity_check"), "ok");
    assert_eq!(place.ask::<i64>("SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

#[test]
fn a_closed_store_has_an_empty_wal() {
    let place = with_a_run();
    let wal = place.state().join("store.db-wal").metadata().expect("a side file");
    assert_eq!(wal.len(), 0);
}

#[test]
fn every_case_has_a_log_line_and_its_timings() {
    let place = with_a_run();
    let lines: String = place.ask("SELECT message FROM logs WHERE id & 0xffffffff = 1");
    assert_eq!(lines, "NOREF, played 1 game by thunder-bluff");
    let timed = "SELECT count(*) FROM cases WHERE wait_us >= 0 AND parse_us >= 0 AND play_us >= 0
                 AND compare_us >= 0 AND store_us >= 0";
    assert_eq!(place.ask::<i64>(timed), 2);
}
