//! Keeping the store itself, while nobody serves it.

mod checking;
mod pruning;
mod sweeping;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use rusqlite::Connection;

use crate::harness::{Place, thunder, wait_until};

/// A folder of so many cases of one game, not yet played.
fn folder(cases: u32) -> Place {
    let place = Place::new();
    for number in 1..=cases {
        place.file(format!("data/{number}.in"), thunder(number));
    }
    place
}

/// A store with a run of so many cases.
fn with_a_run(cases: u32) -> Place {
    let place = folder(cases);
    place.simdrop(["run", "data"]).exits(0);
    place
}

fn open(place: &Place) -> Connection {
    Connection::open(place.state().join("store.db")).expect("a store")
}

/// What must hold of a store that nobody writes to.
#[track_caller]
fn is_sound(place: &Place) {
    place.simdrop(["store", "check"]).exits(0).says("sound");
}

#[test]
fn info_says_how_much_there_is() {
    let place = with_a_run(3);
    place.simdrop(["run", "data", "--label", "again"]).exits(0);
    let ran = place.simdrop(["store", "info"]).exits(0);
    ran.says("runs        2\n").says("cases       6\n").says("newest      run 2, ");
    let info = place.json(["store", "info", "--json"]);
    assert_eq!(info["schema"], 1);
    for (key, number) in [("runs", 2), ("cases", 6), ("contents", 3), ("results", 3), ("games", 3)]
    {
        assert_eq!(info[key], number, "{key}: {info}");
    }
    assert_eq!(info["store_schema"], simdrop::store::SCHEMA_VERSION);
    assert_eq!((&info["oldest"]["id"], &info["newest"]["id"]), (&1.into(), &2.into()));
    assert_eq!(info["simulators"][1]["simulator"], "thunder-bluff");
    let file = place.state().join("store.db").metadata().expect("a file").len();
    assert_eq!(info["database_bytes"], file);
}

#[test]
fn without_a_store_there_is_nothing_to_keep() {
    let place = Place::new();
    for command in ["info", "check", "vacuum"] {
        place.simdrop(["store", command]).exits(3).complains("no store in");
    }
    place.simdrop(["store", "backup", "copy.db"]).exits(3).complains("no store in");
    place.simdrop(["store", "edit", "1", "--label", "x"]).exits(3);
    place.simdrop(["store", "prune", "run:1", "--yes"]).exits(3);
    assert!(!place.state().exists());
}

#[test]
fn a_backup_is_a_store() {
    let place = with_a_run(3);
    fs::create_dir(place.path("kept")).expect("a folder");
    place.simdrop(["store", "backup", "kept/store.db"]).exits(0).says("kept/store.db");
    let mode = place.path("kept/store.db").metadata().expect("a file").permissions().mode();
    assert_eq!(mode & 0o7777, 0o640);
    let listed = |state: &str| place.simdrop(["list", "cases", "--json", "--state", state]).stdout;
    assert_eq!(listed("kept"), listed("state"));
    place.simdrop(["store", "check", "--state", "kept"]).exits(0);
    place.simdrop(["run", "data", "--state", "kept"]).exits(0).says("cached");
    let auto: i64 = Connection::open(place.path("kept/store.db"))
        .and_then(|db| db.query_row("PRAGMA auto_vacuum", [], |row| row.get(0)))
        .expect("a number");
    assert_eq!(auto, 2);
}

#[test]
fn a_backup_overwrites_nothing_that_is_in_use() {
    let place = with_a_run(1);
    place.file("copy.db", "precious");
    let backup = |args: &[&str]| place.simdrop(["store", "backup"].iter().chain(args));
    backup(&["copy.db"]).exits(1).complains("--force");
    assert_eq!(fs::read(place.path("copy.db")).expect("a file"), b"precious");
    backup(&["copy.db", "--force"]).exits(0);
    backup(&["copy.db", "--force"]).exits(0);
    let own = backup(&["state/store.db", "--force"]).exits(4);
    own.complains("the place of the store itself");
    backup(&["data", "--force"]).exits(4);
    place.file("other.db-wal", "frames");
    backup(&["other.db"]).exits(4).complains("other.db-wal belongs to a database here");
    backup(&["nowhere/copy.db"]).exits(4).complains("nowhere");
    // What an interrupted one has left is no obstacle.
    place.file(".later.db.partial", vec![1; 100_000]);
    backup(&["later.db"]).exits(0);
    let names = fs::read_dir(place.path("")).expect("a folder");
    let partial = names.filter(|name| {
        let name = name.as_ref().expect("an entry").file_name();
        name.to_string_lossy().ends_with(".partial")
    });
    assert_eq!(partial.count(), 0);
    is_sound(&place);
}

#[test]
fn a_backup_of_a_store_that_is_written_to_is_a_prefix_of_its_history() {
    let place = folder(40);
    let mut writer = place.command(["run", "--fresh", "data/1.in"]);
    for number in 2..=40 {
        // Each plain file beside a folder would be one run; so are many folders.
        place.file(format!("d{number}/1.in"), thunder(number));
        writer.arg(format!("d{number}"));
    }
    let mut child = writer.stdout(Stdio::null()).spawn().expect("a run");
    let mut copies = 0;
    wait_until("it has ended", || {
        if place.state().join("store.db").exists() {
            let copy = format!("copy{copies}/store.db");
            fs::create_dir_all(place.path(format!("copy{copies}"))).expect("a folder");
            let ran = place.simdrop(["store", "backup", &copy]);
            copies += usize::from(ran.code == Some(0));
            assert!(matches!(ran.code, Some(0 | 3)), "{ran:?}");
        }
        child.try_wait().expect("a child").is_some()
    });
    assert!(copies > 0);
    let rows = |state: &str, newest: i64| {
        let db = Connection::open(place.path(state).join("store.db")).expect("a store");
        let sql = "SELECT group_concat(id || ' ' || verdict || ' ' || hex(name), '; ')
                   FROM (SELECT * FROM cases WHERE run < ?1 ORDER BY id)";
        db.query_row(sql, [newest], |row| row.get::<_, Option<String>>(0)).expect("rows")
    };
    for copy in 0..copies {
        let state = format!("copy{copy}");
        place.simdrop(["store", "check", "--state", &state]).exits(0);
        let db = Connection::open(place.path(&state).join("store.db")).expect("a store");
        let newest = db.query_row("SELECT ifnull(max(id), 0) FROM runs", [], |row| row.get(0));
        let newest: i64 = newest.expect("a number");
        assert_eq!(rows(&state, newest), rows("state", newest), "before run {newest}");
    }
}

#[test]
fn edit_changes_what_people_call_a_run() {
    let place = with_a_run(1);
    let edit = |args: &[&str]| place.simdrop(["store", "edit", "1"].iter().chain(args));
    let ran = edit(&["--label", "week 3", "--tag", "a=1", "--tag", "b=2"]).exits(0);
    ran.says("run 1 \"week 3\", tags: a=1, b=2\n");
    place.simdrop(["show", "label:week 3"]).exits(0).says("tags: a=1, b=2");
    edit(&["--untag", "a", "--tag", "b=3"]).exits(0).says("run 1 \"week 3\", tags: b=3\n");
    edit(&["--no-label"]).exits(0).says("run 1, tags: b=3\n");
    place.simdrop(["show", "label:week 3"]).exits(3);
    edit(&[]).exits(2);
    edit(&["--label", "x", "--no-label"]).exits(2);
    edit(&["--tag", "x"]).exits(2);
    place.simdrop(["store", "edit", "7", "--label", "x"]).exits(3);
    place.simdrop(["store", "edit", "1/1", "--label", "x"]).exits(2);
    is_sound(&place);
}

#[test]
fn vacuum_gives_free_pages_back() {
    for full in [false, true] {
        let place = with_a_run(400);
        let db = open(&place);
        db.execute_batch("CREATE TABLE waste (x); INSERT INTO waste VALUES (zeroblob(4 << 20))")
            .and_then(|()| db.execute_batch("DROP TABLE waste; PRAGMA wal_checkpoint(TRUNCATE)"))
            .expect("free pages");
        drop(db);
        let size = || place.state().join("store.db").metadata().expect("a file").len();
        assert!(size() > 4 << 20);
        let mut args = vec!["store", "vacuum"];
        args.extend(full.then_some("--full"));
        place.simdrop(args).exits(0).says("4.0 MiB given back");
        assert!(size() < 1 << 20, "{}", size());
        assert_eq!(place.ask::<i64>("PRAGMA freelist_count"), 0);
        is_sound(&place);
    }
}
