//! `simdrop.toml` in a folder and in a zip.

use std::error::Error;
use std::os::unix::fs::symlink;

use simdrop::domain::{CompareMode, RuleSet, SimulatorId};
use simdrop::ingest::{Choices, Origin, list};

use super::zips::{self, zip};
use super::{folder, lines, listed};
use crate::harness::LIMITS;

const MANIFEST: &str = "simulator = 'mtj'\nrules = 'statement'\nlabel = 'week 3'\ncompare = 'exact'\n\
    pair = '*.in:*.right'\n[tags]\nweek = '3'\n";

/// Why a folder with this manifest cannot be listed.
fn complaint(manifest: impl AsRef<[u8]>) -> String {
    let (place, origin) = folder(&["1.in"]);
    place.file("data/simdrop.toml", manifest);
    let listed = list(&origin, &Choices::default(), &LIMITS);
    let error = listed.expect_err("a complaint");
    let source = error.source().map(|source| format!(": {source}")).unwrap_or_default();
    let text = format!("{error}{source}");
    text.replace(&format!("{}/", place.path("data").display()), "")
}

#[test]
fn a_manifest_says_its_words_and_is_neither_case_nor_skipped() {
    let (place, origin) = folder(&["1.in", "1.ans", "1.right"]);
    place.file("data/simdrop.toml", MANIFEST);
    let in_zip = zips::origin(
        &place,
        &zip(&[
            ("root/simdrop.toml", MANIFEST.as_bytes()),
            ("root/1.in", b"text"),
            ("root/1.ans", b"text"),
            ("root/1.right", b"text"),
        ]),
    );
    for origin in [origin, in_zip] {
        let listing = listed(&origin);
        assert_eq!(lines(&listing.entries), ["1: 1.in > 1.right"]);
        assert_eq!(listing.skipped, [b"1.ans"]);
        let manifest = &listing.manifest;
        assert_eq!(manifest.simulator, Some(SimulatorId::Mtj));
        assert_eq!(manifest.rules, Some(RuleSet::Statement));
        assert_eq!(manifest.label.as_deref(), Some("week 3"));
        assert_eq!(manifest.compare, Some(CompareMode::Exact));
        assert_eq!(manifest.tags.get("week").map(String::as_str), Some("3"));
    }
}

#[test]
fn a_pair_pattern_that_is_given_beats_the_manifest() {
    let (place, origin) = folder(&["1.in", "1.ans", "1.right"]);
    place.file("data/simdrop.toml", MANIFEST);
    let pair = Some("*.in:*.ans".parse().expect("a pattern"));
    let listing = list(&origin, &Choices { pair, ..Choices::default() }, &LIMITS);
    assert_eq!(lines(&listing.expect("a listing").entries), ["1: 1.in > 1.ans"]);
}

#[test]
fn a_wrong_manifest_says_where_and_what() {
    let said = complaint("\nlable = 'x'\n");
    let begin = "simdrop.toml: line 2, column 1: unknown key `lable`, did you mean `label`?";
    assert!(said.starts_with(begin), "{said}");
    let said = complaint("label = 'x'\nsimulator = 'go'\n");
    assert!(
        said.starts_with("simdrop.toml: line 2, column 13: unknown simulator \"go\""),
        "{said}"
    );
    let said = complaint("pair = '*.in'");
    assert!(said.starts_with("simdrop.toml: line 1, column 8: expected INPUT:ANSWER"), "{said}");
    assert!(complaint("tags = 3").starts_with("simdrop.toml: line 1, column 8: "));
}

#[test]
fn a_manifest_that_is_huge_or_no_file_is_refused() {
    assert!(complaint(vec![b'#'; (64 << 10) + 1]).contains("larger than 65536 bytes"));
    let (place, origin) = folder(&["1.in"]);
    symlink("1.in", place.path("data/simdrop.toml")).expect("a link");
    let error = list(&origin, &Choices::default(), &LIMITS).unwrap_err();
    assert_eq!(error.source().map(ToString::to_string).as_deref(), Some("a link"));
}

#[test]
fn names_of_folders_and_zips_are_hints_and_the_nearest_counts() {
    let (place, _) = folder(&[]);
    place.file("mtj/1.in", "x").file("mtj/thunder-bluff/2.in", "x");
    let hints = |origin: &Origin| -> Vec<_> {
        listed(origin).entries.iter().map(|entry| entry.hint).collect()
    };
    let (mtj, thunder) = (Some(SimulatorId::Mtj), Some(SimulatorId::ThunderBluff));
    assert_eq!(hints(&Origin::Folder(place.path("mtj"))), [mtj, thunder]);
    assert_eq!(hints(&Origin::Files(vec![place.path("mtj/1.in")])), [mtj]);
    let zip = zip(&[("mtj/1.in", b"x"), ("mtj/thunder-bluff/2.in", b"x")]);
    assert_eq!(hints(&zips::origin(&place, &zip)), [mtj, thunder]);
    let flat = zips::zip(&[("1.in", b"x")]);
    place.file("thunder-bluff.zip", flat);
    assert_eq!(hints(&Origin::Zip(place.path("thunder-bluff.zip"))), [thunder]);
}
