//! Where settings come from, and which wins.

use std::path::PathBuf;

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
        ("STATE_DIRECTORY", "by-systemd"),
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
        ("jobs = 1\n  threads = 2\n", "line 2, column 3: unknown field `threads`"),
        ("jobs = \"many\"\n", "line 1, column 8: invalid type"),
        ("jobs = [\n", "wrong.toml: line "),
    ] {
        place.file("wrong.toml", text);
        let ran = place.simdrop(["list", "--config", "wrong.toml"]).exits(2);
        ran.complains("wrong.toml").complains(complaint);
    }
    place.simdrop(["list", "--config", "missing.toml"]).exits(2).complains("missing.toml");
    place.file(".config/simdrop/config.toml", "threads = 2\n");
    place.simdrop(["list"]).exits(2).complains(".config/simdrop/config.toml");
}

#[test]
fn the_readme_lists_every_exit_code() {
    let readme = include_str!("../../README.md");
    for code in [0, 1, 2, 3, 4, 5, 6, 7, 8] {
        assert!(readme.contains(&format!("\n| {code} | ")), "{code}");
    }
    assert!(readme.contains("| 130, 143 |"));
}
