//! `simdrop sim`: a filter that can stand in for a solution.

use std::fs::File;
use std::io::Write;
use std::process::Command;

use serde_json::Value;

use crate::harness::{Place, Ran, thunder};

const SAMPLE: &str = "1\n1 1 1 1\n";
const SAMPLE_OUTPUT: &str = "Bob win!\nBob: 269\nAlice: 213\nCarol: 118\nDavid: 99\n";

#[test]
fn a_file_a_dash_and_standard_input_are_the_same() {
    let place = Place::new();
    place.file("1.in", SAMPLE);
    let input = || File::open(place.path("1.in")).expect("an input");
    assert_eq!(place.simdrop(["sim", "thunder-bluff", "1.in"]).exits(0).stdout, SAMPLE_OUTPUT);
    for args in [&["sim", "thunder-bluff"][..], &["sim", "thunder-bluff", "-"]] {
        assert_eq!(Ran::of(place.command(args).stdin(input())).exits(0).stdout, SAMPLE_OUTPUT);
    }
}

#[test]
fn a_filter_needs_no_place_for_a_store() {
    let place = Place::new();
    place.file("1.in", SAMPLE);
    let mut command = place.command(["sim", "thunder-bluff", "1.in"]);
    assert_eq!(Ran::of(command.env_clear()).exits(0).stdout, SAMPLE_OUTPUT);
    let mut command = place.command(["list"]);
    Ran::of(command.env_clear()).exits(2).complains("no place for the store");
}

#[test]
fn a_refused_input_is_1_with_the_reason_and_no_output() {
    let place = Place::new();
    for (input, reason) in [
        ("", "the input is empty"),
        ("0\n", "line 1, column 1: found \"0\""),
        ("1000000000\n1 2 3 4\n", "after 5 numbers, expected 4000000001"),
        ("1\n1 2 3 4 5\n", "line 2, column 9: found \"5\" left over"),
        ("1\n1 2 3 4294967296\n", "line 2, column 7: found \"4294967296\""),
        ("1\n1 2 3 999999999999999999999999999999\n", "line 2, column 7"),
        ("1\n1 2 3 -1\n", "line 2, column 7: found \"-1\""),
        ("1\n1 2 3 4\0\n", "line 2, column 8: found byte 0x00"),
        ("1\n1 2 3 4e\n", "line 2, column 7: found \"4e\", expected an integer"),
        ("\u{feff}x\n", "line 1, column 1: found \"x\""),
    ] {
        place.file("1.in", input);
        let ran = place.simdrop(["sim", "thunder-bluff", "1.in"]).exits(1).complains(reason);
        assert_eq!(ran.stdout, "", "{input:?}");
    }
}

#[test]
fn odd_text_is_played_with_a_warning() {
    let place = Place::new();
    place.file("1.in", "\u{feff}01\r\n1 1 1 1");
    let ran = place.simdrop(["sim", "thunder-bluff", "1.in"]).exits(0).complains("byte order mark");
    let ran = ran.complains("CR LF").complains("leading zeros").complains("no newline at the end");
    assert_eq!(ran.stdout, SAMPLE_OUTPUT);
}

#[test]
fn the_rule_sets_differ() {
    let place = Place::new();
    let seeds: String = (1..=20).map(|seed| thunder(seed)[2..].to_owned()).collect();
    place.file("1.in", format!("20\n{seeds}"));
    let play = |rules| place.simdrop(["sim", "thunder-bluff", "1.in", "--rules", rules]).stdout;
    assert_ne!(play("judge"), play("statement"));
    assert_eq!(play("judge"), place.simdrop(["sim", "thunder-bluff", "1.in"]).stdout);
}

#[test]
fn a_trace_is_lines_for_people_or_json_that_ends_with_the_output() {
    let place = Place::new();
    let vector = |name: &str| format!("{}/tests/vectors/{name}/001.in", env!("CARGO_MANIFEST_DIR"));
    for name in ["stellar-connect", "thunder-bluff", "mtj"] {
        let input = vector(name);
        let text = place.simdrop(["sim", name, &input, "--trace", "text"]).exits(0).stdout;
        let json = place.simdrop(["sim", name, &input, "--trace", "jsonl"]).exits(0).stdout;
        let steps: Vec<Value> =
            json.lines().map(|line| serde_json::from_str(line).expect("a step")).collect();
        assert!(steps.len() > 1 && text.lines().count() >= steps.len(), "{name}");
        assert!(
            steps.iter().all(|step| step["schema"] == 1 && step["event"].is_string()),
            "{name}"
        );
        let last = steps.iter().rfind(|step| step["game"] == 1).expect("a step");
        let bytes = last["output_bytes"].as_u64().expect("a number");
        let output = place.simdrop(["sim", name, &input]).exits(0).stdout;
        assert!(bytes > 0 && bytes <= output.len() as u64, "{name}: {bytes}");
    }
}

/// The program on a file, in an address space of so many kilobytes.
fn bounded(place: &Place, kilobytes: u32, args: &str) -> Ran {
    let program = env!("CARGO_BIN_EXE_simdrop");
    let script = format!("ulimit -v {kilobytes}; exec '{program}' {args}");
    Ran::of(Command::new("sh").arg("-c").arg(script).current_dir(place.path("")))
}

#[test]
fn many_seeds_are_played_in_memory_for_the_input_alone() {
    let place = Place::new();
    let mut file = File::create(place.path("1.in")).expect("a file");
    let games = 100_000_u32;
    writeln!(file, "{games}").expect("a line");
    for seed in 0..games {
        file.write_all(&thunder(seed).as_bytes()[2..]).expect("a line");
    }
    let ran = bounded(&place, 60_000, "sim thunder-bluff 1.in").exits(0);
    assert_eq!(ran.stdout.lines().count(), 500_000);
}

#[test]
fn a_huge_file_is_refused_in_bounded_memory() {
    let place = Place::new();
    let line = File::create(place.path("line.in")).expect("a file");
    line.set_len(3 << 30).expect("a hole");
    bounded(&place, 60_000, "sim mtj line.in --config small.toml").exits(2);
    place.file("small.toml", "limits.max_input_bytes = 1000000\n");
    let ran = bounded(&place, 60_000, "sim mtj line.in --config small.toml").exits(1);
    ran.complains("larger than 1000000 bytes");
}
