//! What `config/` has for systemd, held against systemd itself and against what the program does.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::harness::{Place, Ran, files_below, skipped, thunder};

const SERVICES: [&str; 2] = ["simdrop.service", "simdrop-verify.service"];

fn config(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("config").join(name)
}

fn text(name: &str) -> String {
    fs::read_to_string(config(name)).expect("a unit")
}

/// The values of a key of a unit, in order.
fn values(unit: &str, key: &str) -> Vec<String> {
    let value = |line: &str| line.strip_prefix(key)?.strip_prefix('=').map(str::to_owned);
    text(unit).lines().filter_map(value).collect()
}

/// The only value of a key of a unit.
#[track_caller]
fn value(unit: &str, key: &str) -> String {
    let [value] = values(unit, key).try_into().expect(key);
    value
}

/// The units in a place, with the program where it is here.
fn units_in(place: &Place) -> bool {
    let program = env!("CARGO_BIN_EXE_simdrop");
    for unit in ["simdrop.service", "simdrop-verify.service", "simdrop-verify.timer"] {
        place.file(unit, text(unit).replace("/usr/bin/simdrop", program));
    }
    place.file(
        "user/simdrop.service",
        text("user/simdrop.service").replace("/usr/bin/simdrop", program),
    );
    let version = Command::new("systemd-analyze").arg("--version").output();
    version.is_ok_and(|version| version.status.success())
}

fn analyze(place: &Place, args: &[&str]) -> Ran {
    let mut command = Command::new("systemd-analyze");
    command.args(args).current_dir(place.path("")).env("XDG_RUNTIME_DIR", place.path(""));
    Ran::of(&mut command)
}

// E7
#[test]
fn systemd_finds_nothing_wrong_with_the_units_and_their_exposure_is_below_1() {
    let place = Place::new();
    if !units_in(&place) {
        return skipped("no systemd-analyze here, so it was not asked about the units");
    }
    let verify = ["verify", "--man=no", "--recursive-errors=no"];
    let units = ["./simdrop.service", "./simdrop-verify.service", "./simdrop-verify.timer"];
    for (args, units) in
        [(&verify[..], &units[..]), (&["verify", "--user", "--man=no"], &["user/simdrop.service"])]
    {
        let ran = analyze(&place, &[args, units].concat()).exits(0);
        assert_eq!(ran.stderr, "", "{ran:?}");
    }
    for service in SERVICES {
        let unit = format!("./{service}");
        let ran = analyze(&place, &["security", "--offline=true", "--no-pager", &unit]).exits(0);
        let exposure = ran.stdout.lines().find_map(|line| line.split_once("exposure level for "));
        let (_, exposure) = exposure.expect("a figure");
        let exposure: f64 =
            exposure.split_whitespace().nth(1).expect("a figure").parse().expect("a figure");
        assert!(exposure < 1.0, "{service}: {exposure}");
    }
}

// E2, E4, E9
#[test]
fn the_unit_restarts_for_ever_what_may_pass_and_waits_longer_than_a_stop_takes() {
    for unit in ["simdrop.service", "user/simdrop.service"] {
        for (key, wanted) in [
            ("Type", "notify"),
            ("Restart", "on-failure"),
            ("RestartSec", "5"),
            ("StartLimitIntervalSec", "0"),
            ("RestartPreventExitStatus", "2 5 6 7"),
            ("KillMode", "mixed"),
            ("UMask", "0027"),
        ] {
            assert_eq!(value(unit, key), wanted, "{unit}: {key}");
        }
        let settings = text("default.toml");
        let drain = settings.lines().find_map(|line| line.strip_prefix("drain = \""));
        let drain: u64 = drain.expect("a key").trim_end_matches("s\"").parse().expect("seconds");
        let stop: u64 = value(unit, "TimeoutStopSec").parse().expect("seconds");
        assert!(stop > drain + 10, "{unit}: {stop}");
    }
    assert_eq!(value("simdrop.service", "StateDirectoryMode"), "2750");
    let made: Vec<String> = text("tmpfiles.conf")
        .lines()
        .filter(|line| line.starts_with('d'))
        .map(|line| line.split_whitespace().take(3).collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(
        made,
        [
            "d /var/lib/simdrop 2750",
            "d /var/lib/simdrop/inbox 3770",
            "d /var/lib/simdrop/requests 3770",
        ]
    );
}

// E10
#[test]
fn no_unit_takes_in_by_a_path_unit() {
    for path in files_below(&config("")) {
        let text = fs::read_to_string(&path).expect("a text");
        for word in ["PathExists", "PathChanged", "PathModified", "DirectoryNotEmpty"] {
            assert!(!text.contains(word), "{}: {word}", path.display());
        }
        assert_ne!(path.extension().and_then(|ending| ending.to_str()), Some("path"));
    }
}

// E9
#[test]
fn each_fault_that_does_not_pass_ends_with_a_code_that_is_not_restarted() {
    let prevented = value("simdrop.service", "RestartPreventExitStatus");
    let prevented: Vec<i32> =
        prevented.split(' ').map(|code| code.parse().expect("a code")).collect();
    let place = || {
        let place = Place::new();
        place.file("data/1.in", thunder(1)).simdrop(["run", "data"]).exits(0);
        place
    };
    let mut codes = Vec::new();
    let mut ends = |place: &Place, code: i32, why: &str| {
        place.simdrop(["serve", "--once", "--config", "serve.toml"]).exits(code).complains(why);
        codes.push(code);
    };
    let wrong = place();
    wrong.file("serve.toml", "garbage = [");
    ends(&wrong, 2, "serve.toml: line 1");
    let held = place();
    held.file("serve.toml", "");
    let lock = fs::File::options().append(true).open(held.state().join("store.lock"));
    let lock = lock.expect("a lock file");
    lock.lock().expect("the lock");
    ends(&held, 5, "is held by process");
    drop(lock);
    let newer = place();
    newer.file("serve.toml", "");
    let db = rusqlite::Connection::open(newer.state().join("store.db")).expect("a store");
    db.pragma_update(None, "user_version", 9_999).expect("a version");
    drop(db);
    ends(&newer, 6, "schema 9999");
    let damaged = place();
    damaged.file("serve.toml", "");
    for side in ["store.db-wal", "store.db-shm"] {
        fs::remove_file(damaged.state().join(side)).expect("a side file");
    }
    fs::write(damaged.state().join("store.db"), b"garbage ".repeat(1_000)).expect("damage");
    ends(&damaged, 7, "damaged");
    assert_eq!(codes, prevented);
}

// E7
#[test]
fn under_the_unit_no_directory_is_made_with_bits_that_it_may_not_set() {
    let place = Place::new();
    let trace = place.path("trace");
    let mut command = Command::new("strace");
    command.args(["-f", "-e", "trace=mkdir,mkdirat,chmod,fchmod,fchmodat", "-o"]).arg(&trace);
    // As the filter of the unit does it.
    command.args(["-e", "inject=chmod,fchmod,fchmodat:error=EPERM"]);
    command
        .arg(env!("CARGO_BIN_EXE_simdrop"))
        .args(["serve", "--once"])
        .current_dir(place.path(""));
    command.env_clear().env("SIMDROP_STATE", place.state()).env("HOME", place.path(""));
    fs::create_dir(place.state()).expect("a folder");
    let Ok(ran) = command.output() else {
        return skipped("no strace here, so the system calls of a start were not looked at");
    };
    let ran = Ran::from(ran);
    if ran.stderr.contains("strace: ") {
        return skipped(
            "strace is not allowed here, so the system calls of a start were not looked at",
        );
    }
    let ran = ran.exits(0);
    let trace = fs::read_to_string(trace).expect("a trace");
    let mut made = 0;
    for line in trace.lines().filter(|line| line.contains("mkdir")) {
        let mode = line.rsplit(", ").next().and_then(|end| end.split(')').next()).expect("a mode");
        let mode = u32::from_str_radix(mode, 8).expect("a mode");
        assert_eq!(mode & 0o6000, 0, "{line}");
        made += 1;
    }
    assert!(made >= 5, "{trace}");
    ran.complains("systemd-tmpfiles --create");
}
