//! Taking in: what is listed of a folder, of files, of standard input and of seeds.

mod manifests;
mod pairing;
mod people;
mod placing;
pub(crate) mod zips;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use simdrop::config::Limits;
use simdrop::domain::{CaseError, ErrorCode, SimulatorId, natural};
use simdrop::ingest::{
    Cap, Choices, Entry, FileRef, IngestError, Listing, Origin, PairRule, Seen, list,
};

use crate::harness::{LIMITS, Place, thunder};

const CAP: Cap = Cap { bytes: 1 << 20, key: "max_input_bytes" };

/// Lists an origin by the built-in rules.
fn listed(origin: &Origin) -> Listing {
    list(origin, &Choices::default(), &LIMITS).expect("a listing")
}

/// The folder `data` of a place with these files, each with a text that is nobody's input.
fn folder(names: &[&str]) -> (Place, Origin) {
    let place = Place::new();
    for name in names {
        place.file(format!("data/{name}"), "text\n");
    }
    let origin = Origin::Folder(place.path("data"));
    (place, origin)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("a text")
}

fn texts(paths: &[Vec<u8>]) -> Vec<String> {
    let mut paths = paths.to_vec();
    paths.sort_by(|left, right| natural(left, right));
    paths.iter().map(|path| text(path)).collect()
}

/// `name: input > compared` for each entry.
fn lines(entries: &[Entry]) -> Vec<String> {
    let line = |entry: &Entry| {
        let compared = entry.compared.as_ref().map_or("-".to_owned(), |file| text(file.path()));
        format!("{}: {} > {compared}", text(&entry.name()), text(entry.input.path()))
    };
    entries.iter().map(line).collect()
}

/// The rules that paired something, with how often.
fn rules(listing: &Listing) -> Vec<(PairRule, u64)> {
    let counted = PairRule::ALL.into_iter().zip(listing.rules);
    counted.filter(|(_, count)| *count > 0).collect()
}

fn bytes(file: &FileRef) -> Result<Vec<u8>, CaseError> {
    let mut bytes = Vec::new();
    let seen = file.read(CAP, &mut |part| bytes.extend_from_slice(part))?;
    assert_eq!(seen, Seen::Whole);
    Ok(bytes)
}

#[test]
fn junk_is_counted_and_neither_case_nor_orphan_nor_skipped() {
    let (_place, origin) = folder(&[
        "1.in",
        ".2.in",
        ".git/3.in",
        "__MACOSX/4.in",
        "Thumbs.db",
        "desktop.ini",
        "5.in~",
        "#6.in#",
        "7.in.swp",
        "8.ans.bak",
        "9.in.part",
        "a/10.out.tmp",
    ]);
    let listing = listed(&origin);
    assert_eq!(lines(&listing.entries), ["1: 1.in > -"]);
    assert_eq!((listing.junk, listing.orphans.len(), listing.skipped.len()), (11, 0, 0));
}

#[test]
fn files_that_no_rule_names_are_told_by_their_content() {
    let (place, origin) = folder(&["notes.md", "1.in"]);
    place.file("data/seven", thunder(7)).file("data/some.txt", "1 2 3\n").file("data/empty", "");
    place.file("data/mtj/seven", thunder(7));
    let listing = listed(&origin);
    assert_eq!(lines(&listing.entries), ["1: 1.in > -", "seven: seven > -"]);
    assert_eq!(texts(&listing.skipped), ["empty", "mtj/seven", "notes.md", "some.txt"]);
    assert_eq!(listing.unanswered, 2);
    let mtj = Choices { simulator: Some(SimulatorId::Mtj), ..Choices::default() };
    let listing = list(&origin, &mtj, &LIMITS).expect("a listing");
    assert_eq!(lines(&listing.entries), ["1: 1.in > -"]);
}

#[test]
fn only_keeps_the_ranks_and_an_item_that_selects_nothing_is_named() {
    let (_place, origin) = folder(&["1.in", "2.in", "10.in", "a/3.in", "a/b/4.in"]);
    let only = |text: &str| {
        let only = Some(text.parse().expect("a selection"));
        list(&origin, &Choices { only, ..Choices::default() }, &LIMITS)
    };
    let ranks = |text: &str| -> Vec<u32> {
        only(text).expect("a listing").entries.iter().map(|entry| entry.rank).collect()
    };
    assert_eq!(ranks("2,4-5"), [2, 4, 5]);
    assert_eq!(ranks("a/*,1"), [1, 4, 5]);
    assert_eq!(ranks("3-"), [3, 4, 5]);
    assert_eq!(only("1").expect("a listing").unanswered, 1);
    let said = only("1,77,2").unwrap_err().to_string();
    assert_eq!(said, "--only 77: no such case");
}

#[test]
fn natural_order_is_kept_and_said_to_be_another_than_that_of_bytes() {
    let (_place, origin) = folder(&["1.in", "2.in", "10.in"]);
    let listing = listed(&origin);
    assert_eq!(lines(&listing.entries), ["1: 1.in > -", "2: 2.in > -", "10: 10.in > -"]);
    assert!(listing.unsorted);
    let (_place, origin) = folder(&["01.in", "02.in", "10.in"]);
    assert!(!listed(&origin).unsorted);
}

#[test]
fn folders_deeper_than_32_are_named_and_not_listed() {
    let place = Place::new();
    let deep = "d/".repeat(33);
    place.file("data/1.in", "x").file(format!("data/{deep}2.in"), "x");
    place.file(format!("data/{}3.in", &deep[2..]), "x");
    let listing = listed(&Origin::Folder(place.path("data")));
    assert_eq!(listing.entries.len(), 2);
    assert_eq!(texts(&listing.too_deep), [&deep[..deep.len() - 1]]);
}

#[test]
fn plain_files_are_one_origin_and_paired_among_themselves() {
    let place = Place::new();
    place.file("1.in", thunder(1)).file("1.ans", "x").file("2.in", "x").file("seven", "no input");
    place.file("9.ans", "x").file("d/1.in", "x").file("x.dat", "PK\x03\x04");
    let names = ["1.in", "d", "seven", "1.ans", "x.dat", "9.ans", "2.in", "nowhere", "1.in"];
    let paths: Vec<PathBuf> = names.iter().map(|name| place.path(name)).collect();
    let origins = Origin::sort(paths, &LIMITS);
    let [Ok(files), Ok(Origin::Folder(_)), Ok(Origin::Zip(_)), Err(IngestError::Missing(_))] =
        &origins[..]
    else {
        unreachable!("{origins:?}");
    };
    let listing = listed(files);
    let names: Vec<String> = listing.entries.iter().map(|entry| text(&entry.name())).collect();
    assert_eq!(names, ["1", "2", "seven"]);
    let compared = listing.entries[0].compared.as_ref().map(|file| text(file.path()));
    assert_eq!(compared.as_deref(), Some("1.ans"));
    assert_eq!(texts(&listing.orphans), ["9.ans"]);
    assert_eq!(bytes(&listing.entries[2].input).as_deref(), Ok(&b"no input"[..]));
    assert_eq!(listing.entries[1].input.on_disk(), Some(place.path("2.in")));
}

#[test]
fn a_link_or_a_pipe_that_is_named_is_rejected_and_a_link_to_a_folder_is_followed() {
    let place = Place::new();
    place.file("1.in", "x").file("data/1.in", "x");
    symlink(place.path("1.in"), place.path("link.in")).expect("a link");
    symlink(place.path("gone"), place.path("dangling")).expect("a link");
    symlink(place.path("data"), place.path("folder")).expect("a link");
    let made = std::process::Command::new("mkfifo").arg(place.path("pipe")).status();
    assert!(made.expect("mkfifo").success());
    let paths = ["link.in", "dangling", "pipe", "folder"].map(|name| place.path(name));
    let origins = Origin::sort(paths.to_vec(), &LIMITS);
    for (origin, what) in origins.iter().zip(["a link", "a link", "not a regular file"]) {
        let Err(IngestError::NoFile { source, .. }) = origin else { unreachable!("{origin:?}") };
        assert_eq!((source.code, &source.message[..]), (ErrorCode::NotAFile, what));
    }
    assert!(matches!(&origins[3], Ok(Origin::Folder(_))));
    assert_eq!(listed(origins[3].as_ref().expect("a folder")).entries.len(), 1);
}

#[test]
fn what_a_rule_names_in_a_folder_but_is_no_file_is_a_case_with_an_error() {
    let (place, origin) = folder(&["1.in"]);
    symlink(place.path("data/1.in"), place.path("data/2.in")).expect("a link");
    let made = std::process::Command::new("mkfifo").arg(place.path("data/3.in")).status();
    assert!(made.expect("mkfifo").success());
    let listing = listed(&origin);
    let codes: Vec<_> = listing.entries.iter().map(|entry| bytes(&entry.input)).collect();
    assert_eq!(codes[0].as_deref(), Ok(&b"text\n"[..]));
    assert_eq!(codes[1].as_ref().map_err(|error| error.code), Err(ErrorCode::NotAFile));
    assert_eq!(codes[2].as_ref().map_err(|error| error.code), Err(ErrorCode::NotAFile));
}

#[test]
fn a_file_that_changes_while_it_is_read_is_void_and_one_too_large_names_the_limit() {
    let (place, origin) = folder(&["1.in"]);
    place.file("data/1.in", vec![b'1'; 3 << 20]);
    let file = &listed(&origin).entries[0].input;
    let most = Cap { bytes: 4 << 20, key: "some_limit" };
    let mut parts = Vec::new();
    assert_eq!(file.read(most, &mut |part| parts.push(part.len())), Ok(Seen::Whole));
    assert_eq!(parts, [1 << 20; 3]);
    let mut write = |_: &[u8]| {
        place.file("data/1.in", vec![b'2'; 3 << 20]);
    };
    assert_eq!(file.read(most, &mut write), Ok(Seen::Changed));
    let error = file.read(Cap { bytes: 5, ..most }, &mut |_| {}).unwrap_err();
    assert_eq!(error.message, "larger than 5 bytes (some_limit)");
    fs::remove_file(place.path("data/1.in")).expect("a removal");
    assert_eq!(file.read(most, &mut |_| {}).unwrap_err().code, ErrorCode::Unreadable);
}

#[test]
fn standard_input_is_one_input_or_a_zip_and_kept_up_to_its_limit() {
    let limits = Limits { max_input_bytes: 10, ..LIMITS };
    let spool = |mut bytes: &[u8]| Origin::spool(&mut bytes, &limits).expect("an origin");
    let origin = spool(b"1\n1 2 3 4\n");
    let listing = listed(&origin);
    assert_eq!(lines(&listing.entries), ["stdin: stdin > -"]);
    assert_eq!(bytes(&listing.entries[0].input).as_deref(), Ok(&b"1\n1 2 3 4\n"[..]));
    let listing = listed(&spool(b"1\n1 2 3 4 and more"));
    let cap = Cap { bytes: 10, ..CAP };
    let error = listing.entries[0].input.read(cap, &mut |_| {}).unwrap_err();
    assert_eq!(error.code, ErrorCode::TooLarge);
    assert_eq!(listed(&spool(b"")).entries.len(), 1);
    let listing = listed(&spool(&zips::zip(&[("1.in", b"x"), ("1.ans", b"y")])));
    assert_eq!(lines(&listing.entries), ["1: 1.in > 1.ans"]);
}

#[test]
fn seeds_are_one_input_of_thunder_bluff() {
    let listing = listed(&Origin::Seeds(0..70_000));
    let [entry] = &listing.entries[..] else { unreachable!("one entry") };
    assert_eq!(text(&entry.name()), "seeds-0..70000");
    assert_eq!(entry.hint, Some(SimulatorId::ThunderBluff));
    let cap = Cap { bytes: 1 << 30, ..CAP };
    let mut input = Vec::new();
    entry.input.read(cap, &mut |part| input.extend_from_slice(part)).expect("an input");
    assert!(input.starts_with(b"70000\n3793791033 2065550767 1853398634 2713282036\n"));
    let reading = simdrop::sim::read(&input, None).expect("an input that reads well");
    assert_eq!(reading.input.games(), 70_000);
    assert_eq!(reading.input.simulator(), SimulatorId::ThunderBluff);
    let empty = list(&Origin::Seeds(5..5), &Choices::default(), &LIMITS);
    assert!(matches!(empty, Err(IngestError::NoSeeds(_))));
}
