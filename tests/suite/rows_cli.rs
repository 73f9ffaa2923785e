//! What each command promises to shells, scripts and terminals.
//!
//! The letters are rows of the table of failures that simdrop is held against.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::harness::{Place, Ran, thunder};

/// A run with a right, a wrong and a bad case.
fn with_a_run() -> Place {
    let place = Place::new();
    place.file("data/1.in", thunder(1)).file("data/2.in", thunder(2)).file("data/2.ans", "x\n");
    place.file("data/3.in", "3 3 3\n");
    place.simdrop(["run", "data"]).exits(1);
    place
}

/// Commands that print something, with the code they end with when all of it is read.
const PRINTING: [(&[&str], i32); 18] = [
    (&["run", "data"], 1),
    (&["run", "data", "--json"], 1),
    (&["rerun", "1", "--verdict", "WA"], 1),
    (&["sim", "thunder-bluff", "data/1.in"], 0),
    (&["sim", "thunder-bluff", "data/1.in", "--trace", "jsonl"], 0),
    (&["list"], 0),
    (&["list", "games", "-o", "jsonl"], 0),
    (&["list", "cases", "-o", "csv"], 0),
    (&["completions", "bash"], 0),
    (&["show", "1"], 0),
    (&["show", "1/2", "--log"], 0),
    (&["show", "1", "--failed"], 0),
    (&["compare", "1", "2"], 0),
    (&["show", "1/2", "--input"], 0),
    (&["trace", "1/1"], 0),
    (&["doctor", "--config"], 0),
    (&["doctor"], 0),
    (&["--help"], 0),
];

// F1
#[test]
fn every_command_ends_quietly_when_nobody_reads_and_with_4_when_the_device_is_full() {
    let place = with_a_run();
    let full = fs::File::options().write(true).open("/dev/full").expect("a full device");
    for (args, code) in PRINTING {
        let ran = Ran::of(place.command(args).stdout(full.try_clone().expect("a copy")));
        assert_eq!(ran.code, Some(4), "{args:?} {ran:?}");
        let mut command = place.command(args);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("one");
        drop(child.stdout.take());
        let ran = Ran::from(child.wait_with_output().expect("an end"));
        assert_eq!((ran.code, &ran.stderr[..]), (Some(code), ""), "{args:?}");
    }
}

/// A command of these arguments on a terminal, with more in its environment; `None` without `script`.
fn on_a_terminal(place: &Place, more: &[(&str, &str)], args: &str) -> Option<String> {
    let mut command = Command::new("script");
    let line = format!("'{}' {args}", env!("CARGO_BIN_EXE_simdrop"));
    command.args(["-qec", &line, "/dev/null"]).current_dir(place.path("")).stdin(Stdio::null());
    command.env_clear().env("SIMDROP_STATE", place.state()).env("HOME", place.path(""));
    command.env("PATH", "/usr/bin:/bin").env("TERM", "xterm").envs(more.iter().copied());
    let ran = Ran::from(command.output().ok()?);
    assert!(ran.stdout.contains("BADIN"), "{ran:?}");
    Some(ran.stdout)
}

// F3
#[test]
fn color_beats_no_color_beats_a_dumb_terminal_beats_a_terminal() {
    let place = with_a_run();
    for (more, args, colored) in [
        (&[][..], "show 1", true),
        (&[("NO_COLOR", "")], "show 1", true),
        (&[("NO_COLOR", "1")], "show 1", false),
        (&[("TERM", "dumb")], "show 1", false),
        (&[], "show 1 --color never", false),
        (&[("NO_COLOR", "1"), ("TERM", "dumb")], "show 1 --color always", true),
        (&[], "show 1/3 --json --color always", false),
    ] {
        let Some(shown) = on_a_terminal(&place, more, args) else {
            eprintln!("SKIPPED: there is no `script`, so colour was not tried on a terminal");
            break;
        };
        assert_eq!(shown.contains("\x1b["), colored, "{more:?} {args}: {shown:?}");
    }
    for (variable, value) in [("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")] {
        let mut command = place.command(["show", "1", "--color", "always"]);
        assert!(Ran::of(command.env(variable, value)).stdout.contains("\x1b["), "{variable}");
        let mut command = place.command(["show", "1", "--color", "never"]);
        assert!(!Ran::of(command.env(variable, value)).stdout.contains("\x1b["), "{variable}");
    }
}

// F6
#[test]
fn standard_output_is_json_alone_however_much_is_said_beside_it() {
    let place = with_a_run();
    place.file("data/9.ans", "an answer without an input\n");
    for args in [
        &["run", "data", "--json"][..],
        &["run", "data", "data", "--json"],
        &["rerun", "1", "--verdict", "WA", "--json"],
        &["list", "-o", "jsonl"],
        &["list", "cases", "-o", "jsonl"],
        &["list", "games", "-o", "jsonl"],
        &["show", "1", "--json"],
        &["show", "1/2", "--json"],
        &["show", "1/2#1", "--json"],
        &["show", "1", "--log", "-o", "jsonl"],
        &["trace", "1/1", "-o", "jsonl"],
    ] {
        let all = args.iter().chain(&["-v", "-v", "--color", "always"]);
        let ran = place.simdrop(all);
        assert!(!ran.stdout.is_empty(), "{args:?} {ran:?}");
        for line in ran.stdout.lines() {
            let value: Result<Value, _> = serde_json::from_str(line);
            let first = line.starts_with(r#"{"schema":1,"#);
            assert!(value.is_ok() && first, "{args:?}: {line}");
        }
    }
}

// F7
#[test]
fn every_command_tells_wrong_usage_from_what_is_missing() {
    let place = with_a_run();
    for (args, code) in [
        (&["run"][..], 2),
        (&["run", "gone"], 3),
        (&["run", "data", "--only", "77"], 3),
        (&["rerun"], 2),
        (&["rerun", "77"], 3),
        (&["sim", "chess"], 2),
        (&["sim", "mtj", "gone"], 3),
        (&["sim", "mtj", "data/1.in"], 1),
        (&["list", "--limit", "x"], 2),
        (&["show"], 2),
        (&["show", "77"], 3),
        (&["show", "1/77"], 3),
        (&["show", "1/1#77"], 3),
        (&["trace", "77/1"], 3),
        (&["trace", "1/1#77"], 3),
        (&["doctor", "--nonsense"], 2),
        (&["nonsense"], 2),
        (&[], 2),
        (&["--version"], 0),
    ] {
        let ran = place.simdrop(args);
        assert_eq!(ran.code, Some(code), "{args:?} {ran:?}");
        assert_eq!(ran.stderr.is_empty(), code == 0, "{args:?} {ran:?}");
    }
}

// F7
#[test]
fn the_readme_lists_every_exit_code() {
    let readme = include_str!("../../README.md");
    for code in ["0", "1", "2", "3", "4", "5", "6", "7", "8", "130, 143"] {
        assert!(readme.contains(&format!("\n| {code} | ")), "{code}");
    }
}

// F8
#[test]
fn programs_get_the_same_bytes_in_every_locale_and_people_only_what_their_terminal_can_show() {
    let place = with_a_run();
    for args in [
        &["list"][..],
        &["list", "cases"],
        &["list", "cases", "--json"],
        &["list", "cases", "-o", "csv"],
        &["show", "1"],
        &["show", "1/2"],
    ] {
        let plain = place.simdrop(args).exits(0).stdout;
        for (variable, value, is_utf8) in [
            ("LANG", "C", false),
            ("LC_ALL", "POSIX", false),
            ("LC_CTYPE", "de_DE.ISO-8859-1", false),
            ("LC_ALL", "de_DE.UTF-8", true),
            ("LANG", "C.utf8", true),
        ] {
            let mut command = place.command(args);
            let shown = Ran::of(command.env(variable, value)).stdout;
            assert!(is_utf8 || shown.is_ascii(), "{variable}={value}: {shown}");
            // A table is as wide with the one as with the other.
            assert_eq!(shown.replace('µ', "u"), plain, "{variable}={value}");
        }
    }
}

// F8
#[test]
fn arguments_that_are_no_utf_8_are_never_a_panic() {
    let place = with_a_run();
    let odd = OsString::from(OsStr::from_bytes(b"\xff\xfe"));
    for args in [
        &["run"][..],
        &["run", "data", "--label"],
        &["run", "data", "--tag"],
        &["run", "data", "--only"],
        &["run", "data", "--sim"],
        &["run", "data", "--pair"],
        &["rerun"],
        &["sim"],
        &["sim", "mtj"],
        &["list"],
        &["list", "--limit"],
        &["show"],
        &["trace"],
        &["doctor"],
        &["list", "--config"],
        &[],
    ] {
        let all = args.iter().map(OsString::from).chain([odd.clone()]);
        let ran = place.simdrop(all);
        assert!(matches!(ran.code, Some(2 | 3)), "{args:?} {ran:?}");
        assert!(!ran.stderr.contains("panicked"), "{ran:?}");
    }
    let mut command = place.command(["list"]);
    assert_eq!(Ran::of(command.env("SIMDROP_STATE", &odd).env("NO_COLOR", &odd)).code, Some(0));
}
