//! `simdrop run`: a folder becomes verdicts and rows.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use simdrop::domain::{RuleSet, SimulatorId};

use crate::harness::{Place, thunder, wait_until};
use crate::vectors::{play, tree};

/// A folder of three Thunder Bluff cases with right answers.
fn three() -> Place {
    let place = Place::new();
    for number in [1, 2, 10] {
        let input = thunder(number);
        let answer = play(input.as_bytes(), SimulatorId::ThunderBluff, RuleSet::Judge);
        place.file(format!("data/{number}.in"), &input);
        place.file(format!("data/{number}.ans"), answer);
    }
    place
}

/// The answer of case 2 with its third line changed.
fn spoil(place: &Place) {
    let path = place.path("data/2.ans");
    let answer = fs::read_to_string(&path).expect("an answer");
    let mut lines: Vec<String> = answer.lines().map(str::to_owned).collect();
    lines[2].push('7');
    fs::write(path, lines.join("\n")).expect("an answer");
}

#[test]
fn right_answers_are_ac_and_exit_0() {
    let place = three();
    let ran = place.simdrop(["run", "data"]).exits(0);
    ran.says(&format!("run 1, done, from {}\n", place.path("data").display()))
        .says("AC")
        .says("3 cases in");
    let run = place.json(["show", "latest", "--json"]);
    assert_eq!((&run["verdicts"]["AC"], &run["total"]), (&3.into(), &3.into()));
}

#[test]
fn a_wrong_answer_is_wa_with_its_first_difference_and_exit_1() {
    let place = three();
    spoil(&place);
    let ran = place.simdrop(["run", "data"]).exits(1);
    let answer = fs::read_to_string(place.path("data/2.ans")).expect("an answer");
    let got = answer.lines().nth(2).expect("a line");
    let column = got.len();
    let expected = &got[..column - 1];
    let case = format!("1/2  2  WA  line 3, column {column}\n");
    ran.says(&case).says(&format!("expected  {expected}\n")).says(&format!("got       {got}\n"));
}

#[test]
fn the_second_run_of_a_folder_plays_nothing_and_says_cached() {
    let place = three();
    spoil(&place);
    place.simdrop(["run", "data"]).exits(1);
    place
        .simdrop(["run", "data"])
        .exits(1)
        .says("cached")
        .says("1/2  2  WA".replace('1', "2").as_str());
    let run = place.json(["show", "latest", "--json"]);
    assert_eq!(run["cached"], 3);
    assert_eq!(place.ask::<i64>("SELECT count(*) FROM results"), 3);
    assert_eq!(place.ask::<i64>("SELECT count(*) FROM games"), 3);
}

#[test]
fn the_rule_set_is_part_of_what_is_cached() {
    let place = three();
    place.simdrop(["run", "data"]).exits(0);
    place.simdrop(["run", "data", "--rules", "statement"]);
    assert_eq!(place.json(["show", "latest", "--json"])["cached"], 0);
    let case = place.json(["show", "latest/1", "--json"]);
    assert_eq!(case["rules"], "statement");
}

#[test]
fn an_input_that_stands_twice_in_a_folder_has_one_result() {
    let place = three();
    place.file("data/copy.in", thunder(2));
    place.simdrop(["run", "data"]).exits(0).says("NOREF");
    assert_eq!(place.ask::<i64>("SELECT count(*) FROM results"), 3);
    assert_eq!(place.ask::<i64>("SELECT count(*) FROM contents WHERE bytes < 45"), 3);
}

#[test]
fn cases_are_in_natural_order_and_sub_folders_give_names() {
    let place = three();
    place.file("data/a/3.in", thunder(3)).file("data/a/20.in", thunder(4));
    place.simdrop(["run", "data"]).exits(0);
    let names: Vec<String> = (1..=5)
        .map(|rank| place.json(["show", &format!("latest/{rank}"), "--json"])["name"].to_string())
        .collect();
    assert_eq!(names, ["\"1\"", "\"2\"", "\"10\"", "\"a/3\"", "\"a/20\""]);
}

#[test]
fn all_three_games_in_one_folder_are_recognised_and_right() {
    let place = Place::new();
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    for name in ["stellar-connect", "thunder-bluff", "mtj"] {
        symlink_free_copy(&vectors.join(name), &place.path("all").join(name));
    }
    place.simdrop(["run", "all"]).exits(0);
    let run = place.json(["show", "latest", "--json"]);
    assert_eq!(run["verdicts"]["AC"], run["total"]);
    assert_eq!(run["total"], 307);
}

fn symlink_free_copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for name in tree(from) {
        fs::copy(from.join(&name), to.join(&name)).expect("a copy");
    }
}

#[test]
fn the_folder_is_never_touched() {
    let place = three();
    spoil(&place);
    let look = || -> Vec<(PathBuf, Vec<u8>, std::time::SystemTime)> {
        let names = tree(&place.path("data")).into_iter();
        let path = |name: &PathBuf| place.path("data").join(name);
        names
            .map(|name| {
                let path = path(&name);
                let time = path.metadata().and_then(|metadata| metadata.modified());
                (name, fs::read(path).expect("a file"), time.expect("a time"))
            })
            .collect()
    };
    let before = look();
    place.simdrop(["run", "data"]);
    assert_eq!(before, look());
}

#[test]
fn an_answer_is_ans_else_out_else_there_is_none() {
    let place = three();
    place.file("data/2.out", "nonsense\n");
    fs::rename(place.path("data/1.ans"), place.path("data/1.out")).expect("a rename");
    fs::remove_file(place.path("data/10.ans")).expect("a removal");
    place.simdrop(["run", "data"]).exits(0);
    let run = place.json(["show", "latest", "--json"]);
    assert_eq!((&run["verdicts"]["AC"], &run["verdicts"]["NOREF"]), (&2.into(), &1.into()));
}

#[test]
fn white_space_alone_is_pe_and_trailing_blanks_are_nothing() {
    let place = three();
    let answer = fs::read_to_string(place.path("data/1.ans")).expect("an answer");
    place.file("data/1.ans", answer.replace('\n', " \r\n") + "\n\n");
    let answer = fs::read_to_string(place.path("data/2.ans")).expect("an answer");
    place.file("data/2.ans", answer.replace(": ", ":  "));
    place.simdrop(["run", "data"]).exits(1).says("PE");
    let run = place.json(["show", "latest", "--json"]);
    assert_eq!((&run["verdicts"]["AC"], &run["verdicts"]["PE"]), (&2.into(), &1.into()));
}

#[test]
fn any_emoticon_is_right_for_an_endless_game() {
    let place = Place::new();
    // Two who cannot hurt each other.
    let endless = "1\n5 9 1 9\n1\n0 0 0\n0 0 0 0\n5 9 1 9\n1\n0 0 0\n0 0 0 0\n";
    place.file("data/1.in", endless).file("data/1.ans", ">_<\n");
    place.file("data/2.in", endless).file("data/2.ans", "3\nAlice\n5\n");
    place.simdrop(["run", "data"]).exits(1);
    let run = place.json(["show", "latest", "--json"]);
    assert_eq!((&run["verdicts"]["AC"], &run["verdicts"]["WA"]), (&1.into(), &1.into()));
    let game = place.json(["show", "latest/1#1", "--json"]);
    assert_eq!((&game["ending"], &game["length"]), (&"endless".into(), &serde_json::Value::Null));
    // From the store it is the same.
    place.simdrop(["run", "data"]).exits(1);
    assert_eq!(place.json(["show", "latest", "--json"])["verdicts"]["AC"], 1);
}

#[test]
fn a_bad_input_is_badin_with_line_and_column_and_the_rest_goes_on() {
    let place = three();
    place
        .file("data/5.in", "2\n1 2 3 4\n1 x 3 4\n")
        .file("data/6.in", "")
        .file("data/7.in", "1 2\n");
    let ran = place.simdrop(["run", "data"]).exits(1);
    ran.says("BADIN  line 3, column 3: found \"x\", expected an integer")
        .says("the input is empty");
    let case = place.json(["show", "latest/3", "--json"]);
    assert_eq!(case["name"], "5");
    assert_eq!(case["error"]["code"], "not-a-number");
    assert_eq!((&case["error"]["line"], &case["error"]["column"]), (&3.into(), &3.into()));
    assert_eq!(place.json(["show", "latest", "--json"])["verdicts"]["AC"], 3);
}

#[test]
fn a_folder_named_after_a_simulator_is_a_hint_and_the_flag_beats_it() {
    let place = Place::new();
    place.file("data/mtj/1.in", thunder(1));
    place.simdrop(["run", "data"]).exits(1).says("BADIN");
    place.simdrop(["run", "data", "--sim", "thunder-bluff"]).exits(0).says("NOREF");
}

#[test]
fn an_input_for_two_simulators_asks_for_the_name() {
    let place = Place::new();
    let ambiguous = include_bytes!("../vectors/ambiguous/mtj-and-stellar.in");
    place.file("data/1.in", ambiguous);
    place.simdrop(["run", "data"]).exits(1).says("name the simulator");
    for name in ["mtj", "stellar-connect"] {
        place.simdrop(["run", "data", "--sim", name]).exits(0).says("NOREF");
    }
}

#[test]
fn links_and_pipes_are_not_followed_and_block_nobody() {
    let place = three();
    place.file("secret.in", thunder(9)).file("elsewhere/4.in", thunder(4));
    symlink(place.path("secret.in"), place.path("data/3.in")).expect("a link");
    symlink(place.path("elsewhere"), place.path("data/folder")).expect("a link");
    let pipe = place.path("data/4.in");
    let made = std::process::Command::new("mkfifo").arg(pipe).status().expect("mkfifo");
    assert!(made.success());
    place.simdrop(["run", "data"]).exits(1).says("a link").says("not a regular file");
    let run = place.json(["show", "latest", "--json"]);
    assert_eq!((&run["verdicts"]["AC"], &run["verdicts"]["BADIN"]), (&3.into(), &2.into()));
}

#[test]
fn a_file_beyond_the_limit_is_not_read() {
    let place = three();
    place.file("small.toml", "limits.max_input_bytes = 1000\n");
    let file = fs::File::create(place.path("data/5.in")).expect("a file");
    file.set_len(200 << 30).expect("a hole");
    let ran = place.simdrop(["run", "data", "--config", "small.toml"]).exits(1);
    ran.says("larger than 1000 bytes (max_input_bytes)");
}

#[test]
fn an_answer_that_cannot_be_read_is_no_missing_answer() {
    let place = three();
    fs::remove_file(place.path("data/2.ans")).expect("a removal");
    symlink("1.ans", place.path("data/2.ans")).expect("a link");
    place.simdrop(["run", "data"]).exits(1).says("BADIN  its answer: a link");
}

#[test]
fn answers_without_input_and_other_files_are_reported() {
    let place = three();
    place.file("data/9.ans", "x").file("data/notes.md", "x").file("data/.hidden.in", "x");
    let ran = place.simdrop(["run", "data"]).exits(0);
    ran.says("1 answer without an input: 9.ans\n").says("1 other file skipped: notes.md\n");
    let message: String =
        place.ask("SELECT group_concat(message, ';') FROM logs WHERE id & 0xffffffff = 0");
    assert_eq!(
        message,
        "3 cases listed;9.ans: an answer without an input;notes.md: skipped, no rule names it and no simulator knows it"
    );
}

#[test]
fn a_folder_without_inputs_is_rejected() {
    let place = Place::new();
    place.file("data/readme.txt", "hello");
    place.simdrop(["run", "data"]).exits(1).says("rejected: no input in it");
    assert_eq!(place.json(["show", "latest", "--json"])["state"], "rejected");
}

#[test]
fn names_that_are_not_utf_8_or_drive_a_terminal_are_kept_and_made_harmless() {
    let place = Place::new();
    let name = OsStr::from_bytes(b"data/bad\xff\x1b]0;x\x07.in");
    place.file(name, thunder(1)).file("data/new\nline.in", "x");
    let ran = place.simdrop(["run", "data"]).exits(1).says("new\\nline");
    assert!(!ran.stdout.contains('\x1b'));
    let case = place.json(["show", "latest/1", "--json"]);
    assert_eq!(case["name"], "bad\u{fffd}\u{1b}]0;x\u{7}");
    assert_eq!(case["name_b64"], "YmFk/xtdMDt4Bw==");
    let list = place.simdrop(["list", "cases"]).exits(0);
    assert!(!list.stdout.contains('\x1b'));
    let reference = OsStr::from_bytes(b"latest/bad\xff\x1b]0;x\x07");
    place.simdrop([OsStr::new("show"), reference, OsStr::new("--json")]).exits(0);
}

#[test]
fn many_games_in_one_file_come_out_in_order_on_any_number_of_threads() {
    let place = Place::new();
    let games = 10_000;
    let seeds: String = (0..games).map(|seed| thunder(seed)[2..].to_owned()).collect();
    place.file("data/1.in", format!("{games}\n{seeds}"));
    let single = place.simdrop(["sim", "thunder-bluff", "data/1.in"]).exits(0).stdout;
    assert_eq!(single.lines().count(), 5 * games as usize);
    for jobs in ["1", "16"] {
        let place = Place::new();
        place.file("data/1.in", format!("{games}\n{seeds}")).file("data/1.ans", &single);
        place.simdrop(["run", "data", "--jobs", jobs]).exits(0).says("AC");
        let output = place.simdrop(["show", "latest/1", "--output"]).exits(0).stdout;
        assert!(output == single, "with {jobs} threads");
        assert_eq!(place.ask::<i64>("SELECT count(*) FROM games"), i64::from(games));
    }
}

#[test]
fn a_second_run_waits_for_the_first_and_no_wait_ends_with_5() {
    let place = three();
    fs::create_dir(place.state()).expect("a folder");
    let path = place.state().join("store.lock");
    let mut lock = fs::File::options().write(true).create_new(true).open(path).expect("a lock");
    std::io::Write::write_all(&mut lock, b"4711\n").expect("a holder");
    lock.lock().expect("a lock");
    place.simdrop(["run", "data", "--no-wait"]).exits(5).complains("held by process 4711");
    let log = fs::File::create(place.path("log")).expect("a file");
    let mut child = place.command(["run", "data"]);
    let mut child = child.stdout(Stdio::null()).stderr(log).spawn().expect("a run");
    wait_until("the second run says whom it waits for", || {
        fs::read_to_string(place.path("log")).is_ok_and(|text| text.contains("process 4711"))
    });
    drop(lock);
    assert_eq!(child.wait().expect("an end").code(), Some(0));
}

#[test]
fn the_database_is_for_its_owner_and_the_group_to_read() {
    let place = three();
    place.simdrop(["run", "data"]).exits(0);
    let mode = |below: &str| {
        let metadata = fs::metadata(place.state().join(below)).expect("a file");
        metadata.permissions().mode() & 0o777
    };
    assert_eq!((mode(""), mode("store.db")), (0o750, 0o640));
    // The side files stay for readers that may not make them.
    assert_eq!((mode("store.db-wal"), mode("store.db-shm")), (0o640, 0o640));
}
