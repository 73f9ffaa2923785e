//! The store among many processes, on full and read-only disks, and with damage.
//!
//! The letters are rows of the table of failures that simdrop is held against.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use rusqlite::Connection;
use rusqlite::config::DbConfig;

use crate::harness::{Place, Ran, thunder, wait_until};

/// A folder of so many cases of one game, not yet played.
fn folder(cases: u32) -> Place {
    let place = Place::new();
    for number in 1..=cases {
        place.file(format!("data/{number}.in"), thunder(number));
    }
    place
}

fn open(place: &Place) -> Connection {
    Connection::open(place.state().join("store.db")).expect("a store")
}

fn wal_bytes(place: &Place) -> u64 {
    place.state().join("store.db-wal").metadata().map_or(0, |metadata| metadata.len())
}

/// Every file of the state directory with its bytes, but for those that any reader may touch; a WAL
/// without bytes is as good as none.
fn files(place: &Place) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(place.state()).expect("a state directory");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let kept =
        paths.filter(|path| !path.ends_with("store.db-shm") && !path.ends_with("store.lock"));
    let read = kept.map(|path| (path.clone(), fs::read(path).expect("a file")));
    read.filter(|(path, bytes)| !path.ends_with("store.db-wal") || !bytes.is_empty()).collect()
}

/// Says why a test could not be made, where it is seen.
#[expect(clippy::print_stderr, reason = "whoever runs the tests has to see it")]
fn skipped(why: &str) {
    eprintln!("SKIPPED: {why}");
}

// C1
#[test]
fn many_readers_beside_a_writer_never_hear_of_a_lock() {
    let place = folder(600);
    let mut writer = place.command(["run", "data", "--fresh"]);
    let mut writer = writer.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("a run");
    wait_until("there is a run", || place.simdrop(["show", "1"]).code == Some(0));
    let read = |commands: [&[&str]; 3]| {
        for args in commands.into_iter().cycle().take(12) {
            let ran = place.simdrop(args).exits(0);
            assert_eq!(ran.stderr, "", "{args:?}");
        }
    };
    let readers = || read([&["list"], &["show", "latest"], &["list", "cases", "--json"]]);
    thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(readers))));
    let mut said = String::new();
    writer.stderr.take().expect("a pipe").read_to_string(&mut said).expect("a text");
    assert!(writer.wait().expect("an end").success() && !said.contains("lock"), "{said}");
}

// C1
#[test]
fn many_readers_at_once_recover_what_a_killed_writer_left() {
    let place = folder(2_000);
    let mut command = place.command(["run", "data"]);
    let mut writer = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a run");
    wait_until("there is a run", || place.simdrop(["show", "1"]).code == Some(0));
    writer.kill().expect("a kill");
    writer.wait().expect("an end");
    let read = || drop(place.simdrop(["list"]).exits(0).says("data"));
    thread::scope(|scope| (0..8).for_each(|_| drop(scope.spawn(read))));
}

// C2
#[test]
fn a_reader_that_stays_makes_the_wal_grow_only_as_long_as_it_stays() {
    let place = folder(50);
    place.simdrop(["run", "data"]).exits(0);
    let pin = open(&place);
    pin.execute_batch("BEGIN; SELECT count(*) FROM runs").expect("a read");
    pin.query_row("SELECT count(*) FROM runs", [], |row| row.get::<_, i64>(0)).expect("a read");
    place.simdrop(["run", "data", "--fresh"]).exits(0);
    assert!(wal_bytes(&place) > 0, "the reader pins nothing");
    drop(pin);
    place.simdrop(["run", "data", "--fresh"]).exits(0);
    assert_eq!(wal_bytes(&place), 0);
}

// C2
#[test]
fn a_list_into_a_pipe_that_nobody_reads_pins_nothing() {
    let place = folder(1_000);
    place.simdrop(["run", "data"]).exits(0);
    let mut command = place.command(["list", "cases", "--limit", "0", "-o", "jsonl"]);
    let mut list = command.stdout(Stdio::piped()).spawn().expect("a list");
    let mut pipe = list.stdout.take().expect("a pipe");
    // It has begun to print, and what is left is more than a pipe holds.
    pipe.read_exact(&mut [0]).expect("a byte");
    let db = open(&place);
    db.execute_batch("CREATE TABLE more (x); INSERT INTO more VALUES (1)").expect("a write");
    let busy = db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
    assert_eq!((busy.expect("a checkpoint"), wal_bytes(&place)), (0, 0));
    assert!(list.try_wait().expect("a child").is_none(), "the list does not wait for its reader");
    drop(pipe);
    assert!(list.wait().expect("an end").success());
}

/// Runs a shell script as root of name spaces of its own, with `$S` the program and `$SIMDROP_STATE` the
/// state directory; `None` where that is not allowed.
fn in_name_spaces(place: &Place, script: &str) -> Option<Ran> {
    let run = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["-Urm", "sh", "-c", script]).current_dir(place.path(""));
        command.env("S", env!("CARGO_BIN_EXE_simdrop")).env("SIMDROP_STATE", place.state());
        command.env("HOME", place.path("")).stdin(Stdio::null());
        command.output().ok().map(Ran::from)
    };
    fs::create_dir_all(place.state()).expect("a folder");
    let mounted = run("mount -t tmpfs t \"$SIMDROP_STATE\"")?;
    if mounted.code == Some(0) { run(script) } else { None }
}

/// Bytes that do not pack, the same each time.
fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state.to_be_bytes()[0]
    };
    (0..length).map(|_| next()).collect()
}

// C4
#[test]
fn a_full_disk_ends_a_run_with_4_and_with_space_again_rerun_finishes_it() {
    let place = folder(200);
    for number in 1..=200_u32 {
        place.file(format!("data/{number}.ans"), noise(number.into(), 100_000));
    }
    let script = "mount -t tmpfs -o size=8m t \"$SIMDROP_STATE\" || exit 99
        \"$S\" run data >full 2>&1; echo \"run $?\"
        \"$S\" show 1 >/dev/null; echo \"show $?\"
        mount -o remount,size=200m \"$SIMDROP_STATE\" || exit 99
        \"$S\" rerun 1 >again 2>&1; echo \"rerun $?\"
        \"$S\" show 1 --json";
    let Some(ran) = in_name_spaces(&place, script) else {
        return skipped("no name spaces here, so a full disk was not tried");
    };
    let full = fs::read_to_string(place.path("full")).expect("a text");
    let again = fs::read_to_string(place.path("again")).expect("a text");
    let ran = ran.says("run 4\nshow 0\nrerun 1\n").exits(0);
    assert!(full.contains("full") && full.contains("simdrop rerun 1"), "{full}");
    assert!(again.contains("run 1, done"), "{again}");
    let ran = ran.says(r#""state":"done""#).says(r#""WA":200"#);
    assert_eq!(ran.stderr, "");
}

// C4
#[test]
fn a_disk_that_is_full_from_the_start_is_4_and_leaves_nothing_half_made() {
    let place = folder(2);
    let script = "mount -t tmpfs -o size=64k t \"$SIMDROP_STATE\" || exit 99
        cat /dev/zero >\"$SIMDROP_STATE/fill\" 2>/dev/null
        \"$S\" run data >/dev/null; echo \"run $?\"
        \"$S\" list >/dev/null; echo \"list $?\"
        mount -o remount,size=20m \"$SIMDROP_STATE\" || exit 99
        \"$S\" run data >/dev/null; echo \"run $?\"";
    match in_name_spaces(&place, script) {
        Some(ran) => drop(ran.exits(0).says("run 4\nlist 0\nrun 0\n").complains("No space left")),
        None => skipped("no name spaces here, so a full disk was not tried"),
    }
}

// C4, C7
#[test]
fn a_file_system_for_reading_only_is_4_for_a_run_and_0_for_a_list() {
    let place = folder(2);
    let script = "mount -t tmpfs t \"$SIMDROP_STATE\" || exit 99
        \"$S\" run data >/dev/null; echo \"run $?\"
        mount -o remount,ro \"$SIMDROP_STATE\" || exit 99
        \"$S\" run data >/dev/null; echo \"run $?\"
        \"$S\" show 1/2 >/dev/null; echo \"show $?\"";
    match in_name_spaces(&place, script) {
        Some(ran) => drop(ran.says("run 0\nrun 4\nshow 0\n").complains("Read-only file system")),
        None => skipped("no name spaces here, so a read-only file system was not tried"),
    }
}

// C6
#[test]
fn only_the_writing_thread_writes_to_disk_and_it_commits_many_cases_at_once() {
    let place = folder(2_000);
    let mut command = Command::new("strace");
    command.args(["-f", "-o", "calls", "-e", "trace=fdatasync,fsync,pwrite64"]);
    command.arg(env!("CARGO_BIN_EXE_simdrop")).args(["run", "data"]).current_dir(place.path(""));
    command.env("SIMDROP_STATE", place.state()).env("HOME", place.path(""));
    match command.output().map(Ran::from) {
        Ok(ran) if ran.code == Some(0) => {}
        _ => return skipped("`strace` is not allowed, so writing to disk was not watched"),
    }
    let calls = fs::read_to_string(place.path("calls")).expect("a text");
    let is_call = |line: &&str| line.contains("pwrite64(") || line.contains("sync(");
    let lines = || calls.lines().filter(is_call);
    let threads: BTreeSet<&str> = lines().filter_map(|line| line.split(' ').next()).collect();
    // The main thread opens the store and makes its tables.
    assert!((1..=2).contains(&threads.len()), "{threads:?}");
    let syncs = lines().filter(|line| line.contains("sync(")).count();
    assert!((1..500).contains(&syncs), "{syncs} for 2,000 cases");
}

/// The program as somebody else, in a group; `None` if we are not root.
fn as_nobody(place: &Place, group: &str, args: &[&str]) -> Option<Ran> {
    let open_to_all = fs::Permissions::from_mode(0o755);
    fs::set_permissions(place.path(""), open_to_all).expect("permissions");
    let program = place.path("simdrop");
    let original = Path::new(env!("CARGO_BIN_EXE_simdrop"));
    if !program.exists() && fs::hard_link(original, &program).is_err() {
        fs::copy(original, &program).expect("a copy");
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", &format!("--regid={group}"), "--clear-groups"]);
    command.arg(program).args(args).current_dir(place.path("")).stdin(Stdio::null());
    command.env_clear().env("SIMDROP_STATE", place.state()).env("HOME", "/nonexistent");
    command.env("PATH", "/usr/bin:/bin");
    let ran = Ran::from(command.output().ok()?);
    (!ran.stderr.contains("setpriv: ")).then_some(ran)
}

// C7
#[test]
fn the_group_can_read_when_nobody_runs_and_others_are_told_4_and_nothing_is_made() {
    let place = folder(2);
    place.simdrop(["run", "data"]).exits(0);
    let before = files(&place);
    // The group of what root makes.
    let Some(ran) = as_nobody(&place, "0", &["list"]) else {
        return skipped("setpriv is not allowed, so reading as somebody else was not tried");
    };
    ran.exits(0).says("NOREF");
    let other = |args: &[&str]| as_nobody(&place, "65534", args).expect("setpriv");
    other(&["list"]).exits(4).complains("Permission denied");
    as_nobody(&place, "0", &["run", "data"]).expect("setpriv").exits(4).complains("store");
    assert_eq!(files(&place), before);
    place.file("home/.keep", "");
    let fresh = place.path("home/state");
    let fresh = fresh.to_str().expect("a text");
    other(&["run", "data", "--state", fresh]).exits(4).complains("Permission denied");
    assert!(!Path::new(fresh).exists());
}

/// Every command that opens the store.
const OPENING: [&[&str]; 6] = [
    &["list"],
    &["show", "1"],
    &["show", "1/1", "--input"],
    &["trace", "1/1"],
    &["run", "data"],
    &["rerun", "1"],
];

// C8
#[test]
fn damage_in_the_middle_is_7_for_whoever_meets_it_and_changes_nothing() {
    let place = folder(3);
    place.simdrop(["run", "data"]).exits(0);
    let path = place.state().join("store.db");
    let mut bytes = fs::read(&path).expect("a store");
    let garbage = b"garbage ".iter().cycle();
    bytes[4_096..].iter_mut().zip(garbage).for_each(|(byte, other)| *byte = *other);
    fs::write(&path, bytes).expect("damage");
    let before = files(&place);
    for args in OPENING {
        let ran = place.simdrop(args);
        assert_eq!(ran.code, Some(7), "{args:?} {ran:?}");
        ran.complains("the store is damaged").complains("restore a backup");
        assert!(files(&place) == before, "{args:?} changed something");
    }
}

// C8
#[test]
fn a_store_that_was_cut_short_is_7_and_changes_nothing() {
    let place = folder(3);
    place.simdrop(["run", "data"]).exits(0);
    let path = place.state().join("store.db");
    fs::File::options().write(true).open(&path).and_then(|file| file.set_len(100)).expect("a cut");
    let before = files(&place);
    for args in OPENING {
        let ran = place.simdrop(args);
        assert_eq!(ran.code, Some(7), "{args:?} {ran:?}");
        assert!(files(&place) == before, "{args:?} changed something");
    }
}

// C8
#[test]
fn no_store_is_made_beside_the_wal_of_one_that_is_gone() {
    let place = folder(300);
    let mut command = place.command(["run", "data"]);
    let mut writer = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a run");
    wait_until("something is in the WAL", || wal_bytes(&place) > 0);
    writer.kill().expect("a kill");
    writer.wait().expect("an end");
    fs::write(place.state().join("store.db-wal"), noise(1, 50_000)).expect("a WAL");
    fs::remove_file(place.state().join("store.db")).expect("a removal");
    let before = files(&place);
    for args in [&["run", "data"][..], &["list"]] {
        place.simdrop(args).exits(7).complains("store.db is missing");
        assert!(files(&place) == before, "{args:?} changed something");
    }
}

// C9
#[test]
fn a_newer_store_is_6_for_every_command_and_stays_as_it_is() {
    let place = folder(3);
    place.simdrop(["run", "data"]).exits(0);
    let db = open(&place);
    db.pragma_update(None, "user_version", 9_999).expect("a version");
    // The newer program has died: what it wrote last is in the WAL alone.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).expect("a setting");
    drop(db);
    assert!(wal_bytes(&place) > 0);
    let before = files(&place);
    for args in OPENING {
        let ran = place.simdrop(args);
        assert_eq!(ran.code, Some(6), "{args:?} {ran:?}");
        ran.complains("schema 9999").complains("use a newer simdrop");
        assert!(files(&place) == before, "{args:?} changed something");
    }
}
