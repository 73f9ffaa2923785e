//! Zips: how they may be laid out, and what is rejected.

use std::io::{Cursor, Write};
use std::time::{Duration, Instant};

use simdrop::config::Limits;
use simdrop::domain::ErrorCode;
use simdrop::ingest::{Choices, Listing, Origin, list};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::{bytes, folder, lines, listed, texts};
use crate::harness::{LIMITS, Place};

/// A zip of these files, as they are.
pub(crate) fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    zip_with(files, SimpleFileOptions::default().compression_method(CompressionMethod::Stored))
}

fn zip_with(files: &[(&str, &[u8])], options: SimpleFileOptions) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(*name, options).expect("an entry");
        zip.write_all(bytes).expect("an entry");
    }
    zip.finish().expect("a zip").into_inner()
}

/// The zip `some.zip` in a place.
pub(super) fn origin(place: &Place, zip: &[u8]) -> Origin {
    place.file("some.zip", zip);
    Origin::Zip(place.path("some.zip"))
}

fn of(names: &[&str]) -> Listing {
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (*name, &b"text"[..])).collect();
    listed(&origin(&Place::new(), &zip(&files)))
}

/// Why a zip is rejected.
fn rejected(zip: &[u8], limits: &Limits) -> String {
    let place = Place::new();
    let listed = list(&origin(&place, zip), &Choices::default(), limits);
    let error = listed.expect_err("a rejection").to_string();
    error.replace(&format!("{}: ", place.path("some.zip").display()), "")
}

/// The bytes with all of one text replaced by another as long.
fn patched(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut bytes = bytes.to_vec();
    while let Some(at) = bytes.windows(from.len()).position(|window| window == from) {
        bytes[at..at + to.len()].copy_from_slice(to);
    }
    bytes
}

/// Where a zip's directory has its first entry.
fn directory(zip: &[u8]) -> usize {
    zip.windows(4).position(|window| window == b"PK\x01\x02").expect("a directory")
}

#[test]
fn a_flat_zip_is_listed_and_read_whether_stored_or_deflated() {
    let place = Place::new();
    let long = "1 2 3 4\n".repeat(100_000);
    let files = [("2.in", long.as_bytes()), ("2.ans", b"two"), ("10.in", b"ten")];
    for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
        let options = SimpleFileOptions::default().compression_method(method);
        let listing = listed(&origin(&place, &zip_with(&files, options)));
        assert_eq!(lines(&listing.entries), ["2: 2.in > 2.ans", "10: 10.in > -"]);
        let cap = super::Cap { bytes: 1 << 30, ..super::CAP };
        let mut input = Vec::new();
        let file = &listing.entries[0].input;
        file.read(cap, &mut |part| input.extend_from_slice(part)).expect("an input");
        assert!(input == long.as_bytes());
        assert_eq!(bytes(&listing.entries[1].input).as_deref(), Ok(&b"ten"[..]));
        assert_eq!((file.on_disk(), listing.layout), (None, None));
    }
}

#[test]
fn single_root_folders_are_taken_away_and_junk_does_not_count() {
    let listing = of(&["x/y/1.in", "x/y/1.ans", "x/y/a/2.in", "__MACOSX/x/._1.in", ".DS_Store"]);
    assert_eq!(lines(&listing.entries), ["1: 1.in > 1.ans", "a/2: a/2.in > -"]);
    assert_eq!(listing.layout.as_deref(), Some("one root folder x/, one root folder y/"));
    assert_eq!(listing.junk, 2);
    let listing = of(&["x/1.in", "x.in"]);
    assert_eq!((listing.entries.len(), listing.layout), (2, None));
}

#[test]
fn of_kattis_layout_only_data_counts_in_a_zip_and_in_a_folder() {
    let names = [
        "problem/problem.yaml",
        "problem/data/secret/g/1.in",
        "problem/data/secret/g/1.ans",
        "problem/data/sample/1.in",
        "problem/submissions/accepted/x.in",
    ];
    let expected = ["sample/1: sample/1.in > -", "secret/g/1: secret/g/1.in > secret/g/1.ans"];
    let listing = of(&names);
    assert_eq!(lines(&listing.entries), expected);
    assert_eq!(listing.layout.as_deref(), Some("one root folder problem/, data/"));
    let (place, _) = folder(&names);
    let listing = listed(&Origin::Folder(place.path("data/problem")));
    assert_eq!(lines(&listing.entries), expected);
    assert_eq!(listing.layout.as_deref(), Some("data/"));
    let file = listing.entries[0].input.on_disk();
    assert_eq!(file, Some(place.path("data/problem/data/sample/1.in")));
}

#[test]
fn nested_folders_give_names_and_what_is_too_deep_is_named() {
    let deep = "d/".repeat(33);
    let listing = of(&["a/1.in", "b/c/2.in", "b/c/2.out", &format!("{deep}3.in")]);
    assert_eq!(lines(&listing.entries), ["a/1: a/1.in > -", "b/c/2: b/c/2.in > b/c/2.out"]);
    assert_eq!(texts(&listing.too_deep), [&deep[..deep.len() - 1]]);
}

#[test]
fn names_that_are_not_utf_8_are_kept() {
    let place = Place::new();
    let zip = patched(&zip(&[("b~~d.in", b"x")]), b"b~~d.in", b"b\xff\xfed.in");
    let listing = listed(&origin(&place, &zip));
    assert_eq!(listing.entries[0].name().as_ref(), b"b\xff\xfed");
}

#[test]
fn entries_that_lead_out_of_a_zip_reject_it() {
    for (name, why) in [
        ("/absolute.in", "has an absolute path"),
        ("a/../../x.in", "leaves the zip by `..`"),
        ("c:/x.in", "has an absolute path"),
    ] {
        let harmless = "x".repeat(name.len());
        let zip = zip(&[("1.in", b"x"), (&harmless, b"x")]);
        let zip = patched(&zip, harmless.as_bytes(), name.as_bytes());
        assert_eq!(rejected(&zip, &LIMITS), format!("the entry {name:?} {why}"));
    }
}

#[test]
fn links_pipes_and_doubles_reject_a_zip() {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.add_symlink("link.in", "/etc/passwd", SimpleFileOptions::default()).expect("a link");
    let linked = zip.finish().expect("a zip").into_inner();
    assert_eq!(rejected(&linked, &LIMITS), "the entry \"link.in\" is a link");
    // The upper half of the external attributes is the Unix mode.
    let mut pipe = linked.clone();
    let at = directory(&pipe) + 40;
    pipe[at..at + 2].copy_from_slice(&0o010_644_u16.to_le_bytes());
    let why = "the entry \"link.in\" is neither a file nor a folder";
    assert_eq!(rejected(&pipe, &LIMITS), why);
    let twice = patched(&super::zips::zip(&[("1.in", b"x"), ("2.in", b"x")]), b"2.in", b"1.in");
    assert_eq!(rejected(&twice, &LIMITS), "the entry \"1.in\" is there twice");
}

#[test]
fn encrypted_entries_and_other_methods_reject_a_zip() {
    let good = zip(&[("1.in", b"x")]);
    let mut bad = good.clone();
    bad[directory(&good) + 8] |= 1;
    assert_eq!(rejected(&bad, &LIMITS), "the entry \"1.in\" is encrypted");
    let mut bad = good.clone();
    bad[directory(&good) + 10] = 14;
    let said = rejected(&bad, &LIMITS);
    assert!(said.starts_with("the entry \"1.in\" is packed by "), "{said}");
}

#[test]
fn what_is_damaged_or_no_zip_is_rejected_with_the_reason() {
    let good = zip(&[("1.in", b"x"), ("2.in", b"x")]);
    let limits = LIMITS;
    let said = rejected(&good[..good.len() - 30], &limits);
    assert!(said.contains("truncated or damaged"), "{said}");
    let mut bad = good.clone();
    bad[directory(&good)] = b'X';
    let said = rejected(&bad, &limits);
    assert!(said.contains("truncated or damaged"), "{said}");
    assert_eq!(rejected(b"Rar!\x1a\x07\x00rest", &limits), "a RAR archive, not a zip");
    assert_eq!(rejected(b"7z\xbc\xaf\x27\x1crest", &limits), "a 7z archive, not a zip");
    assert!(!rejected(b"", &limits).is_empty());
}

#[test]
fn the_caps_of_entries_bytes_and_ratio_reject_a_zip() {
    let files: [(&str, &[u8]); 2] = [("1.in", b"12345"), ("2.in", b"12345")];
    let fine = Limits { max_zip_entries: 2, max_zip_bytes: 10, ..LIMITS };
    let place = Place::new();
    assert!(list(&origin(&place, &zip(&files)), &Choices::default(), &fine).is_ok());
    let said = rejected(&zip(&files), &Limits { max_zip_entries: 1, ..fine });
    assert_eq!(said, "2 entries, more than 1 (max_zip_entries)");
    let said = rejected(&zip(&files), &Limits { max_zip_bytes: 9, ..fine });
    assert_eq!(said, "unpacks to more than 9 bytes (max_zip_bytes)");
    let zeros = vec![b'0'; (64 << 20) + 1];
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let bomb = zip_with(&[("1.in", &zeros)], options);
    let said = rejected(&bomb, &LIMITS);
    assert!(said.ends_with("more than 200 times as many (max_zip_ratio)"), "{said}");
    let large = Limits { max_zip_ratio: 2_000, ..LIMITS };
    assert!(list(&origin(&place, &bomb), &Choices::default(), &large).is_ok());
}

#[test]
fn damaged_data_is_an_error_of_its_file_alone() {
    let place = Place::new();
    let good = zip(&[("1.in", b"first"), ("2.in", b"other")]);
    let at = good.windows(5).position(|window| window == b"first").expect("the data");
    let mut bad = good.clone();
    bad[at] = b'X';
    let listing = listed(&origin(&place, &bad));
    let code = |at: usize| bytes(&listing.entries[at].input).map_err(|error| error.code);
    assert_eq!((code(0), code(1)), (Err(ErrorCode::Unreadable), Ok(b"other".to_vec())));
    // A size that is not that of the data.
    let mut bad = good.clone();
    bad[directory(&good) + 24] = 4;
    let listing = listed(&origin(&place, &bad));
    let error = bytes(&listing.entries[0].input).unwrap_err();
    assert_eq!(error.code, ErrorCode::Unreadable);
}

#[test]
fn a_zip_cut_or_changed_at_any_byte_is_rejected_or_read_within_its_limits() {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let good = zip_with(&[("a/1.in", b"1 2 3 4 4 4 4 4 4"), ("a/1.ans", b"x")], options);
    let cut = (4..good.len()).map(|end| good[..end].to_vec());
    let flipped = (0..good.len()).flat_map(|at| {
        [0x01, 0x80, 0xff].map(|bits| {
            let mut bad = good.clone();
            bad[at] ^= bits;
            bad
        })
    });
    for bad in cut.chain(flipped) {
        let origin = Origin::spool(&mut &bad[..], &LIMITS).expect("an origin");
        let Ok(listing) = list(&origin, &Choices::default(), &LIMITS) else { continue };
        for entry in &listing.entries {
            // An error or bytes, but no panic and no more bytes than are let in.
            let read = bytes(&entry.input).map(|bytes| bytes.len() as u64);
            assert!(read.unwrap_or(0) <= super::CAP.bytes);
        }
    }
}

#[test]
fn a_zip_that_changes_after_it_was_listed_is_no_longer_read() {
    let place = Place::new();
    let listing = listed(&origin(&place, &zip(&[("1.in", b"first")])));
    place.file("some.zip", zip(&[("longer.in", b"other")]));
    let error = bytes(&listing.entries[0].input).unwrap_err();
    assert_eq!(error.message, "the zip changed after it was listed");
}

#[test]
fn a_zip_of_many_entries_is_listed_in_no_time() {
    let names: Vec<String> = (0..25_000)
        .flat_map(|number| ["in", "ans"].map(|end| format!("d/{}/{number}.{end}", number % 7)))
        .collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (&name[..], &b"x"[..])).collect();
    let place = Place::new();
    let origin = origin(&place, &zip(&files));
    let begun = Instant::now();
    assert_eq!(listed(&origin).rules[0], 25_000);
    // Anything quadratic takes minutes.
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}
