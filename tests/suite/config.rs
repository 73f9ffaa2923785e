//! Where settings come from, and which wins.

use std::path::PathBuf;

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
        ("threads = 2\n", "the keys are state, jobs, [limits], [engine]"),
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
