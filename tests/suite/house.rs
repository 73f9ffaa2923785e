//! The shape of the program: who may use whom, and how long a file may be.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::harness::files_below;

/// Each room with the rooms it may use.
const ROOMS: [(&str, &[&str]); 13] = [
    ("main", &["cli", "exit"]),
    ("domain", &[]),
    ("compare", &["domain"]),
    ("sim", &["domain"]),
    ("config", &[]),
    ("store", &["domain"]),
    ("ingest", &["domain", "sim", "config"]),
    ("engine", &["domain", "sim", "compare"]),
    ("service", &["domain", "sim", "compare", "config", "store", "ingest", "engine"]),
    (
        "cli",
        &["domain", "config", "sim", "compare", "store", "service", "ingest", "exit", "logging"],
    ),
    ("exit", &[]),
    ("logging", &["domain"]),
    ("fuzzing", &["domain", "sim", "compare", "config", "ingest", "service", "cli"]),
];

/// What only one room may touch.
const OWNERS: [(&str, &str); 11] = [
    ("blake3", "domain"),
    ("toml", "config"),
    ("std::env", "config"),
    ("rusqlite", "store"),
    ("zstd", "store"),
    ("notify", "ingest"),
    ("zip", "ingest"),
    ("rayon", "engine"),
    ("tokio", "service"),
    ("prometheus", "service"),
    ("clap", "cli"),
];

/// Names that say nothing.
const BANNED: [&str; 6] = ["mod", "utils", "common", "helpers", "types", "prelude"];

const LINES_MOST: usize = 400;

/// Every source file: its room, its path and its text.
fn sources() -> Vec<(String, PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let source = |path: PathBuf| {
        let below = path.strip_prefix(&root).expect("below the root");
        let first = below.components().next().expect("a name").as_os_str();
        let room = Path::new(first).file_stem().expect("a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("a text");
        (room, path, text)
    };
    files_below(&root).into_iter().map(source).collect()
}

/// The text without comments.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(|line| line.split("//").next().unwrap_or_default())
}

/// The words that stand after a prefix.
fn words_after<'a>(line: &'a str, prefix: &'a str) -> impl Iterator<Item = &'a str> {
    line.match_indices(prefix).map(|(at, _)| {
        let rest = &line[at + prefix.len()..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        &rest[..end]
    })
}

#[test]
fn each_room_uses_only_the_rooms_it_may() {
    let mut seen = BTreeSet::new();
    for (room, path, text) in sources() {
        if room == "lib" {
            continue;
        }
        let (_, allowed) = ROOMS.iter().find(|(name, _)| *name == room).expect("a known room");
        for line in code(&text) {
            for used in words_after(line, "crate::").chain(words_after(line, "simdrop::")) {
                let fine = used == room || allowed.contains(&used);
                assert!(fine, "{} uses {used}: {line}", path.display());
            }
        }
        seen.insert(room);
    }
    assert_eq!(seen.len(), ROOMS.len(), "a room is gone: {seen:?}");
}

#[test]
fn each_library_with_an_owner_is_touched_by_it_alone() {
    for (room, path, text) in sources() {
        for (library, owner) in OWNERS {
            let prefix = format!("{library}::");
            let own = |line: &str| {
                line.match_indices(&prefix).any(|(at, _)| {
                    !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':')
                })
            };
            let used = room != owner && room != "main" && code(&text).any(own);
            assert!(!used, "{} uses {library}, which is {owner}'s", path.display());
        }
    }
}

// E5
#[test]
fn nobody_but_the_log_and_commands_at_a_terminal_writes_to_standard_error() {
    let writes = |line: &str| line.contains("eprint") || line.contains("stderr()");
    for (room, path, text) in sources() {
        let is_daemon =
            !["cli", "logging"].contains(&room.as_str()) || path.ends_with("cli/serve.rs");
        let written = is_daemon && code(&text).any(writes);
        assert!(!written, "{}: say it by a tracing event", path.display());
    }
}

#[test]
fn files_are_short_and_have_names_that_say_something() {
    for (_, path, text) in sources() {
        let lines = text.lines().count();
        assert!(lines <= LINES_MOST, "{} has {lines} lines", path.display());
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        assert!(!BANNED.contains(&name.as_str()), "{}", path.display());
    }
}

/// What a lock file says the program needs.
fn locked(path: &str) -> BTreeSet<String> {
    let lock =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("a lock");
    let ours = lock.split("[[package]]").find(|package| package.contains("\nname = \"simdrop\"\n"));
    let needs = ours.expect("simdrop").lines().filter_map(|line| line.strip_prefix(" \""));
    needs.map(|line| line.trim_end_matches("\",").to_owned()).collect()
}

#[test]
fn the_lock_of_the_fuzz_targets_knows_all_that_the_program_needs() {
    let mut needed = locked("Cargo.lock");
    for ours in ["proptest", "divan"] {
        assert!(needed.remove(ours), "tests or benches need {ours}, and targets do not");
    }
    assert_eq!(locked("fuzz/Cargo.lock"), needed);
}
