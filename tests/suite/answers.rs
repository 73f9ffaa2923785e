//! `simdrop answers`: reference outputs beside their inputs.

use std::fs;
use std::os::unix::fs::symlink;

use simdrop::domain::{RuleSet, SimulatorId};

use crate::harness::{Place, Ran, thunder};
use crate::ingest::zips::zip;
use crate::vectors::{play, tree};

fn answer(number: u32) -> Vec<u8> {
    play(thunder(number).as_bytes(), SimulatorId::ThunderBluff, RuleSet::Judge)
}

/// Inputs of these names in `data`, the first made of seed 1.
fn inputs(names: &[&str]) -> Place {
    let place = Place::new();
    for (name, seed) in names.iter().zip(1..) {
        place.file(format!("data/{name}"), thunder(seed));
    }
    place
}

fn answers(place: &Place, more: &[&str]) -> Ran {
    place.simdrop([&["answers", "data"], more].concat())
}

#[track_caller]
fn has(place: &Place, below: &str, bytes: &[u8]) {
    let file = fs::read(place.path("data").join(below));
    assert_eq!(file.ok().as_deref(), Some(bytes), "{below}");
}

#[test]
fn every_answer_is_written_once_and_a_run_finds_them_right() {
    let place = inputs(&["1.in", "2.in", "a/10.in"]);
    assert_eq!(answers(&place, &[]).exits(0).stdout, "3 written, 0 already there\n");
    has(&place, "1.ans", &answer(1));
    has(&place, "a/10.ans", &answer(3));
    let time = || place.path("data/1.ans").metadata().and_then(|file| file.modified()).ok();
    let before = time();
    assert_eq!(answers(&place, &[]).exits(0).stdout, "0 written, 3 already there\n");
    assert_eq!(time(), before);
    assert_eq!(tree(&place.path("data")).len(), 5, "nothing else is left there");
    place.simdrop(["run", "data"]).exits(0).says("AC");
    assert_eq!(place.ask::<i64>("SELECT count(*) FROM results"), 3);
}

#[test]
fn a_file_that_says_something_else_is_refused_and_the_others_are_written() {
    let place = inputs(&["1.in", "2.in"]);
    place.file("data/1.ans", "mine\n");
    let ran = answers(&place, &[]).exits(1);
    let said = "refused 1.ans: another file is there; --force replaces it\n\
                1 written, 0 already there, 1 refused\n";
    assert_eq!(ran.stdout, said);
    has(&place, "1.ans", b"mine\n");
    has(&place, "2.ans", &answer(2));
    assert_eq!(answers(&place, &["--force"]).exits(0).stdout, "1 written, 1 already there\n");
    has(&place, "1.ans", &answer(1));
}

#[test]
fn nothing_is_written_through_a_link_or_over_anything_but_a_file() {
    let place = inputs(&["1.in", "2.in", "in/3.in", "4.in"]);
    place.file("mine", "mine").file("data/2.ans/x", "").file("elsewhere/x", "");
    symlink(place.path("mine"), place.path("data/1.ans")).expect("a link");
    symlink(place.path("elsewhere"), place.path("data/out")).expect("a link");
    symlink(place.path("nowhere"), place.path("data/4.ans")).expect("a link");
    let ran = answers(&place, &["--force"]).exits(1);
    ran.says("refused 1.ans: a link or no regular file is there")
        .says("refused 2.ans: a link or no regular file is there")
        .says("refused 4.ans: a link or no regular file is there")
        .says("1 written, 0 already there, 3 refused");
    assert_eq!(fs::read(place.path("mine")).expect("a file"), b"mine");
    assert_eq!(tree(&place.path("elsewhere")).len(), 1);
    assert!(!place.path("nowhere").exists());
    has(&place, "in/3.ans", &answer(3));
}

#[test]
fn a_case_without_an_output_says_why() {
    let place = inputs(&["1.in"]);
    place.file("data/2.in", "1 2 x\n");
    let ran = answers(&place, &[]).exits(1);
    ran.says("no output of 2: BADIN  line 1, column 5: found \"x\", expected an integer\n")
        .says("1 written, 0 already there, 1 without an output\n");
    assert_eq!(tree(&place.path("data")).len(), 3);
}

#[test]
fn an_answer_lies_where_a_run_looks_for_it() {
    let names = ["x.in", "a/input7.txt", "b/03", "in/1.txt", "c/in/1.in", "d/myinput.dat"];
    let place = inputs(&names);
    place.file("data/out/readme", "").file("data/c/out/readme", "");
    answers(&place, &["--sim", "thunder-bluff"]).exits(0).says("6 written");
    let paths = ["x.ans", "a/output7.txt", "b/03.a", "out/1.txt", "c/out/1.ans", "d/myoutput.dat"];
    for (path, seed) in paths.iter().zip(1..) {
        has(&place, path, &answer(seed));
    }
    let run = place.simdrop(["run", "data", "--json"]).exits(0);
    run.says("\"AC\":6").says("\"total\":6");
}

#[test]
fn an_ending_of_ones_own_and_a_pair_beat_the_rules() {
    let place = inputs(&["1.in", "2.txt", "in/3.in"]);
    place.file("data/out/readme", "").file("data/sol/readme", "");
    answers(&place, &["--ext", ".res"]).exits(0).says("3 written");
    for (path, seed) in ["1.res", "2.res", "out/3.res"].iter().zip(1..) {
        has(&place, path, &answer(seed));
    }
    answers(&place, &["--pair", "{name}.txt:sol/{name}.sol", "--only", "2.txt"]).exits(0);
    has(&place, "sol/2.sol", &answer(2));
    for pair in ["{name}.txt:../{name}.sol", "{name}.txt:none/{name}.sol"] {
        let ran = answers(&place, &["--pair", pair, "--only", "2.txt"]).exits(1);
        ran.says("its folder is missing or a link");
    }
    assert!(!place.path("2.sol").exists());
}

#[test]
fn no_input_is_ever_replaced_and_no_answer_is_written_twice() {
    let place = inputs(&["1.in", "1.txt", "1.dat"]);
    let ran = answers(&place, &["--ext", "txt", "--force", "--only", "1"]).exits(1);
    ran.says("refused 1.txt: it is an input\n");
    has(&place, "1.txt", thunder(2).as_bytes());
    let ran = answers(&place, &["--ext", "res"]).exits(1);
    ran.says("refused 1.res: it is the answer to another input, too").says("1 written");
}

#[test]
fn json_says_the_same() {
    let place = inputs(&["1.in", "2.in"]);
    place.file("data/1.ans", "mine\n").file("data/3.in", "1 2 x\n");
    let json = place.json(["answers", "data", "--json"]);
    assert_eq!(
        (&json["schema"], &json["written"], &json["there"]),
        (&1.into(), &1.into(), &0.into())
    );
    assert_eq!(
        (&json["refused"][0]["case"], &json["refused"][0]["path"]),
        (&"1".into(), &"1.ans".into())
    );
    assert_eq!(
        (&json["no_output"][0]["case"], &json["no_output"][0]["verdict"]),
        (&"3".into(), &"BADIN".into())
    );
}

#[test]
fn only_a_folder_can_get_answers() {
    let place = inputs(&["1.in"]);
    place.file("x.zip", zip(&[("1.in", thunder(1).as_bytes())])).file("empty/x", "text");
    for (path, code, said) in [
        ("x.zip", 2, "x.zip: only a folder has room for answers"),
        ("data/1.in", 2, "only a folder"),
        ("-", 2, "only a folder"),
        ("nowhere", 3, "nowhere: no such file or folder"),
        ("empty", 1, "empty: no input in it"),
    ] {
        place.simdrop(["answers", path]).exits(code).complains(said);
    }
    for ending in ["", ".", "a/b"] {
        answers(&place, &["--ext", ending]).exits(2).complains("expected the ending");
    }
    assert!(!place.state().exists());
}

#[test]
fn what_cannot_be_written_ends_with_4_and_names_the_file() {
    let place = inputs(&["1.in", "2.in"]);
    // No file can have such a name, not even root's.
    let ending = "x".repeat(300);
    let ran = answers(&place, &["--ext", &ending]).exits(4);
    ran.complains(&format!("data/1.{ending}: cannot be written: "));
    assert_eq!(tree(&place.path("data")).len(), 2);
}
