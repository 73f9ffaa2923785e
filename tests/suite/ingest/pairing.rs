//! Which files belong together.

use simdrop::ingest::{Choices, Listing, Origin, PairRule, list};

use super::{folder, lines, listed, rules, texts};
use crate::harness::LIMITS;

/// Lists a folder with these files.
fn of(names: &[&str]) -> Listing {
    let (_place, origin) = folder(names);
    listed(&origin)
}

#[test]
fn name_in_is_compared_with_name_ans() {
    let listing = of(&["1.in", "1.ans", "a/2.in", "a/2.ans"]);
    assert_eq!(lines(&listing.entries), ["1: 1.in > 1.ans", "a/2: a/2.in > a/2.ans"]);
    assert_eq!(rules(&listing), [(PairRule::InAns, 2)]);
}

#[test]
fn name_in_is_compared_with_name_out_and_that_is_left_alone_beside_an_ans() {
    let listing = of(&["1.in", "1.out", "2.in", "2.out", "2.ans", "3.out"]);
    assert_eq!(lines(&listing.entries), ["1: 1.in > 1.out", "2: 2.in > 2.ans"]);
    assert_eq!(rules(&listing), [(PairRule::InAns, 1), (PairRule::InOut, 1)]);
    assert_eq!([texts(&listing.beside), texts(&listing.orphans)], [["2.out"], ["3.out"]]);
}

#[test]
fn in_x_is_compared_with_out_x() {
    let listing = of(&[
        "in/0001.txt",
        "out/0001.txt",
        "a/input/2",
        "a/output/2",
        "Input/b/3.in",
        "Output/b/3.out",
        "in/4.in",
        "out/4.ans",
        "in/in/5",
        "in/out/5",
        "in/6.txt",
    ]);
    let expected = [
        "0001.txt: in/0001.txt > out/0001.txt",
        "4: in/4.in > out/4.ans",
        "a/2: a/input/2 > a/output/2",
        "b/3: Input/b/3.in > Output/b/3.out",
        "in/5: in/in/5 > in/out/5",
    ];
    assert_eq!(lines(&listing.entries), expected);
    assert_eq!(rules(&listing), [(PairRule::Folders, 5)]);
    assert_eq!(texts(&listing.skipped), ["in/6.txt"]);
}

#[test]
fn input_n_txt_is_compared_with_output_n_txt() {
    let listing = of(&["input0.txt", "output0.txt", "input10.txt", "output2.txt"]);
    let expected = ["input0.txt: input0.txt > output0.txt", "input10.txt: input10.txt > -"];
    assert_eq!(lines(&listing.entries), expected);
    assert_eq!(rules(&listing), [(PairRule::InputTxt, 1)]);
    assert_eq!((listing.unanswered, texts(&listing.orphans)), (1, vec!["output2.txt".to_owned()]));
}

#[test]
fn a_number_is_compared_with_itself_and_a() {
    let listing = of(&["tests/01", "tests/01.a", "tests/x", "tests/x.a", "tests/02.a", "tests/03"]);
    assert_eq!(lines(&listing.entries), ["tests/01: tests/01 > tests/01.a"]);
    assert_eq!(rules(&listing), [(PairRule::Digits, 1)]);
    assert_eq!(texts(&listing.orphans), ["tests/02.a"]);
    assert_eq!(texts(&listing.skipped), ["tests/03", "tests/x", "tests/x.a"]);
}

#[test]
fn input_in_a_path_becomes_output_or_answer() {
    let listing = of(&[
        "input/input3.txt",
        "output/output3.txt",
        "x.input",
        "x.answer",
        "my-input-y",
        "my-output-z",
    ]);
    let expected =
        ["input/input3.txt: input/input3.txt > output/output3.txt", "x.input: x.input > x.answer"];
    assert_eq!(lines(&listing.entries), expected);
    assert_eq!(rules(&listing), [(PairRule::Replaced, 2)]);
    assert_eq!(texts(&listing.skipped), ["my-input-y", "my-output-z"]);
}

#[test]
fn a_file_that_answers_is_never_an_input_and_an_earlier_rule_wins() {
    let listing = of(&["input.in", "output.in", "output.ans"]);
    assert_eq!(lines(&listing.entries), ["input: input.in > -", "output: output.in > output.ans"]);
    let listing = of(&["input.in", "output.in"]);
    assert_eq!(lines(&listing.entries), ["input: input.in > output.in"]);
    let listing = of(&["in/1.in", "in/1.ans", "out/1.in"]);
    assert_eq!(lines(&listing.entries), ["in/1: in/1.in > in/1.ans", "out/1: out/1.in > -"]);
}

#[test]
fn two_cases_of_one_name_keep_their_paths() {
    let listing = of(&["in/1.in", "out/1.out", "1.in", "1.ans", "in/2.in", "out/2.out"]);
    let expected = ["1.in: 1.in > 1.ans", "2: in/2.in > out/2.out", "in/1.in: in/1.in > out/1.out"];
    let mut lines = lines(&listing.entries);
    lines.sort();
    assert_eq!(lines, expected);
}

#[test]
fn a_pair_pattern_replaces_the_rules() {
    let (_place, origin) =
        folder(&["a/1.input.txt", "a/1.right.txt", "2.input.txt", "3.right.txt", "4.in", "4.ans"]);
    let paired = |origin: &Origin, pair: &str| {
        let pair = Some(pair.parse().expect("a pattern"));
        let choices = Choices { pair, ..Choices::default() };
        list(origin, &choices, &LIMITS).expect("a listing")
    };
    for pair in ["{name}.input.txt:{name}.right.txt", "*.input.txt:*.right.txt"] {
        let listing = paired(&origin, pair);
        let expected =
            ["2.input.txt: 2.input.txt > -", "a/1.input.txt: a/1.input.txt > a/1.right.txt"];
        assert_eq!(lines(&listing.entries), expected);
        assert_eq!(rules(&listing), [(PairRule::Given, 1)]);
        assert_eq!(texts(&listing.orphans), ["3.right.txt"]);
        assert_eq!(texts(&listing.skipped), ["4.ans", "4.in"]);
    }
    let (_place, origin) = folder(&["1", "1.a", "1.a.a"]);
    let listing = paired(&origin, "{name}:{name}.a");
    assert_eq!(lines(&listing.entries), ["1: 1 > 1.a"]);
    assert_eq!(texts(&listing.orphans), ["1.a.a"]);
}
