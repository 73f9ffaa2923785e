//! Golden files: what the reading commands answer, word for word.
//!
//! `tests/golden/NAME` has one command after another with its exit code, standard output, and after `--`
//! standard error. What differs from one time to the next is masked by [`masked`], and runs of blanks are
//! two, since columns are as wide as what is masked. `SIMDROP_BLESS=1` writes the files anew.

use std::fmt::Write as _;
use std::fs;

use crate::harness::{Place, Ran, thunder};

/// Holds what commands answer against `tests/golden/NAME`.
#[track_caller]
pub(crate) fn golden(name: &str, place: &Place, commands: &[&[&str]]) {
    let path = format!("{}/tests/golden/{name}", env!("CARGO_MANIFEST_DIR"));
    let root = place.path("").to_string_lossy().into_owned();
    let got: String =
        commands.iter().map(|args| said(args, &place.simdrop(*args), &root)).collect();
    if std::env::var_os("SIMDROP_BLESS").is_some() {
        fs::write(&path, &got).expect("a golden file");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(got == expected, "{path}\nexpected:\n{expected}\ngot:\n{got}");
}

/// A command and what it said.
fn said(args: &[&str], ran: &Ran, root: &str) -> String {
    let mut text = format!("$ simdrop {}\nexit {}\n", args.join(" "), ran.code.unwrap_or(-1));
    text += &masked(&ran.stdout.replace(root, "PLACE/"));
    if !ran.stderr.is_empty() {
        let _ = write!(text, "--\n{}", masked(&ran.stderr.replace(root, "PLACE/")));
    }
    // The simulator of the feature `faults` is in no release.
    let of_faults =
        [", faults expects 2", ", faults 1", ",{\"simulator\":\"faults\",\"version\":1}"];
    let text = of_faults.iter().fold(text, |text, of_faults| text.replace(of_faults, ""));
    let text = text.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    let mut text = text.replace(rusqlite::version(), "VERSION");
    for kind in ["btrfs", "ext4", "overlay", "tmpfs", "xfs"] {
        text = text.replace(&format!(" is on {kind}"), " is on KIND");
    }
    text + "\n"
}

/// A text without moments, durations, rates and decimals, and with two blanks where there were more.
fn masked(text: &str) -> String {
    let mut masked = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if !first.is_ascii_alphanumeric() {
            let blanks = masked.ends_with("  ") && first == ' ';
            masked.extend((!blanks).then_some(first));
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let word = rest.find(|c: char| !is_of_word(c)).unwrap_or(rest.len());
        let is_size = SIZES.iter().any(|key| masked.ends_with(key));
        let (mask, length) =
            if is_size { ("SIZE", word) } else { mask(&rest[..word], &rest[word..]) };
        masked += mask;
        rest = &rest[length..];
    }
    masked
}

const DURATIONS: &[&str] = &[" us", " µs", " ms", " s", " min"];
const BYTES: &[&str] = &[" KiB", " MiB"];

/// What the file of a database has is not what this program decides alone.
const SIZES: [&str; 3] = ["\"database_bytes\":", "\"free_bytes\":", "\"wal_bytes\":"];

fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, ':' | '.' | '+' | '-')
}

/// What stands for a word, and how many bytes it stands for.
fn mask<'a>(word: &'a str, after: &str) -> (&'a str, usize) {
    let has_form = |form: &str| {
        let fits = |(c, f): (char, char)| if f == '0' { c.is_ascii_digit() } else { c == f };
        word.len() >= form.len() && word.chars().zip(form.chars()).all(fits)
    };
    if has_form("0000-00-00") || has_form("00:00:00") {
        return ("TIME", word.len());
    }
    let is_number = word.starts_with(|c: char| c.is_ascii_digit());
    let has_unit = |units: &[&str]| {
        let ends = |rest: &str| !rest.starts_with(is_of_word);
        units
            .iter()
            .find(|unit| after.strip_prefix(**unit).is_some_and(ends))
            .map(|unit| unit.len())
    };
    for (what, units) in [("DURATION", DURATIONS), ("SIZE", BYTES)] {
        if let (true, Some(unit)) = (is_number, has_unit(units)) {
            return (what, word.len() + unit);
        }
    }
    if is_number && after.starts_with(" cases/s") {
        return ("RATE", word.len());
    }
    for left in [" watches left", " watchers left", " GiB free", " TiB free"] {
        if is_number && after.starts_with(left) {
            return ("MANY", word.len());
        }
    }
    let decimal = is_number && word.parse::<f64>().is_ok() && word.parse::<u64>().is_err();
    (if decimal { "DECIMAL" } else { word }, word.len())
}

#[test]
fn what_differs_from_one_time_to_the_next_is_masked() {
    for (text, without) in [
        ("2026-11-30 11:32:56+00:00  x", "TIME TIME  x"),
        ("\"at\":\"2026-11-30T11:32:56.5Z\",", "\"at\":\"TIME\","),
        ("play 12.5 ms,    wait 3 us", "play DURATION,  wait DURATION"),
        ("3 cases in 1.00 s, 3.0 cases/s", "3 cases in DURATION, RATE cases/s"),
        (
            "{\"wait\":1.2e-5,\"play\":1e-6,\"n\":12}",
            "{\"wait\":DECIMAL,\"play\":DECIMAL,\"n\":12}",
        ),
        ("12/7#3 data/1.in 7 sources", "12/7#3 data/1.in 7 sources"),
        ("164 KiB, 0 B of it", "SIZE, 0 B of it"),
        ("{\"wal_bytes\":12,\"input_bytes\":7}", "{\"wal_bytes\":SIZE,\"input_bytes\":7}"),
    ] {
        assert_eq!(masked(text), without);
    }
}

#[test]
fn lists_are_answered_as_written() {
    let place = Place::new();
    place.file("data/1.in", thunder(1)).file("data/2.in", thunder(2)).file("data/2.ans", "x\n");
    place.file("data/3.in", "3 3 3\n");
    place.simdrop(["run", "data", "--label", "week 3", "--tag", "by=ann"]).exits(1);
    let commands: &[&[&str]] = &[
        &["list"],
        &["list", "--json"],
        &["list", "cases"],
        &["list", "cases", "--json"],
        &["list", "games"],
        &["list", "games", "-o", "jsonl"],
        &["list", "-o", "csv"],
        &["list", "cases", "-o", "csv"],
        &["list", "games", "-o", "csv", "sim:thunder-bluff"],
        &["list", "cases", "verdict:WA,NOREF", "-cached", "--columns", "case,verdict,input"],
        &["list", "cases", "--limit", "1"],
        &["list", "games", "winner:david"],
        &["list", "cases", "verdct:WA"],
        &["list", "cases", "--columns", "verdct"],
    ];
    golden("list", &place, commands);
}

#[test]
fn what_keeps_a_store_answers_as_written() {
    let place = Place::new();
    place.file("data/1.in", thunder(1)).file("data/2.in", thunder(2));
    place.simdrop(["run", "data", "--label", "week 3"]).exits(0);
    let commands: &[&[&str]] = &[
        &["store", "info"],
        &["store", "info", "--json"],
        &["store", "check"],
        &["store", "check", "--json"],
        &["store", "edit", "1", "--label", "week 4", "--tag", "by=ann"],
        &["store", "edit", "1", "--tag", "no value"],
        &["store", "edit", "7", "--label", "x"],
        &["store", "backup", "copy.db"],
        &["store", "backup", "copy.db"],
        &["store", "prune"],
        &["store", "prune", "run:1", "--dry-run"],
        &["store", "prune", "run:1", "--dry-run", "--json"],
        &["store", "prune", "run:1"],
        &["store", "vacuum"],
    ];
    golden("store", &place, commands);
}
