//! Where settings come from, and which wins.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use serde_json::json;
use simdrop::config::Key;

use crate::harness::{Place, Ran, thunder};

/// The store that a run makes, with these variables and arguments.
fn store_of(variables: &[(&str, &str)], args: &[&str]) -> PathBuf {
    let place = Place::new();
    place.file("data/1.in", thunder(1)).file("named.toml", "state = \"by-file\"\n");
    place.file(".config/simdrop/config.toml", "jobs = 1\n");
    let mut command = place.command(["run", "data"].iter().chain(args));
    command.env_remove("SIMDROP_STATE").envs(variables.iter().copied());
    Ran::of(&mut command).exits(0);
    let mut folders = vec![place.path("")];
    while let Some(folder) = folders.pop() {
        if folder.join("store.db").exists() {
            return folder.strip_prefix(place.path("")).expect("below").to_owned();
        }
        let entries = folder.read_dir().expect("a folder").flatten();
        folders.extend(entries.map(|entry| entry.path()).filter(|path| path.is_dir()));
    }
    PathBuf::from("nowhere")
}

#[test]
fn the_store_is_where_the_first_that_says_so_puts_it() {
    let all = [
        ("SIMDROP_STATE", "by-variable"),
        ("STATE_DIRECTORY", "by-systemd:another"),
        ("XDG_STATE_HOME", "xdg"),
    ];
    let flags = ["--state", "by-flag", "--config", "named.toml"];
    for (variables, args, place) in [
        (&all[..], &flags[..], "by-flag"),
        (&all, &flags[2..], "by-variable"),
        (&all[1..], &flags[2..], "by-file"),
        (&all[1..], &[], "by-systemd"),
        (&all[2..], &[], "xdg/simdrop"),
        (&[], &[], ".local/state/simdrop"),
    ] {
        assert_eq!(store_of(variables, args), PathBuf::from(place));
    }
}

#[test]
fn a_wrong_setting_is_refused_with_its_file_line_and_column() {
    let place = Place::new();
    for (text, complaint) in [
        ("jobs = 1\n  job = 2\n", "line 2, column 3: unknown key \"job\"; did you mean \"jobs\"?"),
        ("threads = 2\n", "the keys are state, jobs, log_format, [limits], [engine]"),
        ("max_games = 2\n", "unknown key \"max_games\"; did you mean \"limits.max_games\"?"),
        (
            "[engine]\ncolour = 1\n",
            "the keys are engine.backstop, engine.grace, engine.suspect_bytes",
        ),
        ("[limit]\n", "line 1, column 2: unknown section \"limit\"; did you mean \"limits\"?"),
        ("[colours]\n", "unknown section \"colours\"; the sections are limits, engine"),
        ("limits = 5\n", "limits is a section: write [limits]"),
        ("jobs = \"many\"\n", "line 1, column 8: jobs: found \"many\", expected a whole number"),
        ("jobs = 1025\n", "jobs: found 1025, expected a whole number, at most 1024"),
        ("state = 5\n", "state: found 5, expected a path"),
        ("limits.max_games = 0\n", "limits.max_games: found 0, expected a whole number above 0"),
        ("limits.max_zip_bytes = \"5 MB\"\n", "found \"5 MB\", expected a size"),
        ("engine.grace = 10\n", "line 1, column 16: engine.grace: found 10, say the unit"),
        ("jobs = 1\njobs = 2\n", "line 2, column 1: duplicate key"),
        ("jobs = [\n", "wrong.toml: line "),
    ] {
        place.file("wrong.toml", text);
        let ran = place.simdrop(["list", "--config", "wrong.toml"]).exits(2);
        ran.complains("wrong.toml: line ").complains(complaint);
    }
    place.simdrop(["list", "--config", "missing.toml"]).exits(2).complains("missing.toml");
    place.file(".config/simdrop/config.toml", "threads = 2\n");
    place.simdrop(["list"]).exits(2).complains(".config/simdrop/config.toml");
}

/// The program's configuration with this variable.
fn with_variable(name: &str, value: &[u8]) -> Ran {
    let place = Place::new();
    let mut command = place.command(["doctor", "--config"]);
    Ran::of(command.env("SIMDROP_STATE", "state").env(name, OsStr::from_bytes(value)))
}

#[test]
fn a_wrong_variable_is_refused_by_its_name() {
    for (name, value, complaint) in [
        ("SIMDROP_JOBS", &b"many"[..], "SIMDROP_JOBS: found \"many\", expected a whole number"),
        ("SIMDROP_JOBS", b"\xff", "SIMDROP_JOBS: not UTF-8"),
        ("SIMDROP_ENGINE__GRACE", b"10", "SIMDROP_ENGINE__GRACE: found 10, say the unit"),
        (
            "SIMDROP_LIMITS__MAX_GAME",
            b"1",
            "GAME: no such setting; did you mean SIMDROP_LIMITS__MAX_GAMES?",
        ),
        ("SIMDROP_LIMIT__MAX_GAMES", b"1", "did you mean SIMDROP_LIMITS__MAX_GAMES?"),
        ("SIMDROP_limits__max_games", b"1", "did you mean SIMDROP_LIMITS__MAX_GAMES?"),
        ("SIMDROP__JOBS", b"1", "did you mean SIMDROP_JOBS?"),
        (
            "SIMDROP_ENGINE__COLOUR",
            b"1",
            "there are SIMDROP_ENGINE__BACKSTOP, SIMDROP_ENGINE__GRACE",
        ),
    ] {
        with_variable(name, value)
            .exits(2)
            .complains(&format!("error: {name}: "))
            .complains(complaint);
    }
}

#[test]
fn an_empty_variable_is_not_set_and_names_of_others_are_left_alone() {
    for (name, value) in [
        ("SIMDROP_JOBS", &b""[..]),
        ("SIMDROP_LIMITS__COLOUR", b""),
        ("SIMDROP_OFFICIAL", b"cases"),
        ("SIMDROPS__JOBS", b"1"),
    ] {
        with_variable(name, value)
            .exits(0)
            .says("\njobs                       0         default\n");
    }
}

#[test]
fn a_variable_says_what_a_file_says_without_the_quotes() {
    for (name, value, row) in [
        ("SIMDROP_LIMITS__MAX_GAMES", "1_000", "limits.max_games           1000 "),
        ("SIMDROP_LIMITS__MAX_ZIP_BYTES", "5 GiB", "limits.max_zip_bytes       5 GiB "),
        ("SIMDROP_LIMITS__MAX_ZIP_BYTES", "2048", "limits.max_zip_bytes       2 KiB "),
        ("SIMDROP_ENGINE__BACKSTOP", "50 ms", "engine.backstop            50 ms "),
    ] {
        with_variable(name, value.as_bytes()).exits(0).says(row).says(&format!(" {name}\n"));
    }
    with_variable("SIMDROP_STATE", b"\xff").exits(0).says(" SIMDROP_STATE\n");
}

#[test]
fn the_doctor_shows_each_setting_where_it_came_from_and_the_files() {
    let place = Place::new();
    place.file(".config/simdrop/config.toml", "jobs = 2\n\n[engine]\ngrace = \"5s\"\n");
    place.file("named.toml", "[engine]\nbackstop = \"90s\"\n");
    let doctor = ["doctor", "--config", "named.toml", "--state", "here"];
    let mut command = place.command(doctor);
    let ran = Ran::of(command.env("SIMDROP_LIMITS__MAX_GAMES", "7")).exits(0);
    let home = place.path("").display().to_string();
    let golden = "\
KEY                        VALUE    FROM
state                      here     --state
jobs                       2        HOME.config/simdrop/config.toml, line 1
log_format                 auto     default
limits.max_input_bytes     256 MiB  default
limits.max_output_bytes    1 GiB    default
limits.max_games           7        SIMDROP_LIMITS__MAX_GAMES
limits.max_folder_files    1000000  default
limits.max_zip_entries     1000000  default
limits.max_zip_bytes       16 GiB   default
limits.max_zip_ratio       200      default
engine.backstop            90 s     named.toml, line 2
engine.grace               5 s      HOME.config/simdrop/config.toml, line 4
engine.suspect_bytes       2 GiB    default
inbox.dir                  -        -
inbox.quiet_file           1 s      default
inbox.quiet_folder         5 s      default
inbox.empty_file           10 s     default
inbox.rescan               1 min    default
inbox.poll                 2 s      default
inbox.watch                auto     default
retention.outputs_max_age  -        -
retention.max_age          -        -
retention.max_runs         -        -
retention.max_bytes        -        -
retention.every            1 h      default
serve.out                  true     default
serve.drain                20 s     default
serve.probe                30 s     default
serve.metrics_file         -        -
serve.metrics_every        15 s     default

files:
  not there     /etc/simdrop/config.toml
  read          HOME.config/simdrop/config.toml
  read          named.toml
";
    assert_eq!(ran.stdout.replace(&home, "HOME"), golden);
}

#[test]
fn the_doctor_shows_which_variable_gave_the_state_its_place() {
    let place = Place::new();
    for (variables, row) in [
        (&[("STATE_DIRECTORY", "/a:/b"), ("XDG_STATE_HOME", "/c")][..], "/a STATE_DIRECTORY"),
        (&[("XDG_STATE_HOME", "/c")], "/c/simdrop XDG_STATE_HOME"),
        (&[("HOME", "/h")], "/h/.local/state/simdrop HOME"),
        (&[("HOME", "/dev/null")], "/dev/null/.local/state/simdrop HOME"),
        (&[], "- -"),
    ] {
        let mut command = place.command(["doctor", "--config"]);
        let ran = Ran::of(command.env_clear().envs(variables.iter().copied())).exits(0);
        let words: Vec<&str> = ran.stdout.split_whitespace().skip(3).take(3).collect();
        assert_eq!(words.join(" "), format!("state {row}"));
    }
}

#[test]
fn the_doctor_speaks_json() {
    let place = Place::new();
    place.file("named.toml", "[engine]\nbackstop = \"50 ms\"\n");
    let report = place.json(["--config", "named.toml", "doctor", "--json"]);
    assert_eq!(report["schema"], 1);
    let row = |key: &str| {
        let rows = report["settings"].as_array().expect("settings");
        rows.iter().find(|row| row["key"] == key).expect("a key").clone()
    };
    let from = json!({ "kind": "file", "path": "named.toml", "line": 2 });
    assert_eq!(
        row("engine.backstop"),
        json!({ "key": "engine.backstop", "value": 0.05, "from": from })
    );
    assert_eq!(row("limits.max_zip_ratio")["value"], 200);
    assert_eq!(row("state")["from"], json!({ "kind": "variable", "name": "SIMDROP_STATE" }));
    assert_eq!(report["files"][2], json!({ "path": "named.toml", "access": "read" }));
    let ran = place.simdrop(["doctor", "--config", "-o", "jsonl"]).exits(0);
    assert_eq!(ran.stdout.lines().count(), Key::ALL.len() + 2);
    assert!(ran.stdout.lines().all(|line| line.starts_with("{\"schema\":1,")), "{ran:?}");
}

#[test]
fn only_the_doctor_takes_config_without_a_file() {
    let place = Place::new();
    place.simdrop(["list", "--config"]).exits(2).complains("--config: name the file");
    place.simdrop(["doctor", "--config", "missing.toml"]).exits(2).complains("missing.toml");
}

#[test]
fn the_default_file_has_every_key_with_a_comment_and_nothing_else() {
    let (mut section, mut before, mut keys) = (String::new(), "", Vec::new());
    for line in include_str!("../../config/default.toml").lines() {
        let key = line.trim_start_matches("# ").split_once(" = ").map(|(name, _)| name);
        if let Some(name) = line.strip_prefix('[') {
            section = name.replace(']', ".");
        } else if let Some(name) = key {
            assert!(before.starts_with("# "), "no comment: {line}");
            keys.push(format!("{section}{name}"));
        } else {
            assert!(line.is_empty() || line.starts_with("# "), "{line}");
        }
        before = line;
    }
    assert_eq!(keys, Key::ALL.map(|key| key.to_string()));
}

#[test]
fn the_readme_lists_every_exit_code() {
    let readme = include_str!("../../README.md");
    for code in [0, 1, 2, 3, 4, 5, 6, 7, 8] {
        assert!(readme.contains(&format!("\n| {code} | ")), "{code}");
    }
    assert!(readme.contains("| 130, 143 |"));
}
