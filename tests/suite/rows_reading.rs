//! What people and systems hand over that is no plain file, and what happens to a file while it is read.
//!
//! The letters are rows of the table of failures that simdrop is held against.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::os::unix::net::UnixListener;
use std::process::Command;

use rustix::fs::{Mode, OFlags, mkdirat, open, openat};
use simdrop::ingest::{Cap, Choices, FileRef, Origin, Seen, list};

use crate::harness::{LIMITS, Place, thunder};

/// One good case called `good` and whatever a test adds.
fn with_a_good_case() -> Place {
    let place = Place::new();
    place.file("data/good.in", thunder(1));
    place
}

/// How many cases of the newest run have a verdict.
fn count(place: &Place, verdict: &str) -> i64 {
    place.json(["show", "latest", "--json"])["verdicts"][verdict].as_i64().unwrap_or(0)
}

/// The only input in a folder that is large enough to be read in several parts.
fn large() -> (Place, FileRef) {
    let place = Place::new();
    place.file("data/1.in", vec![b'1'; 3 << 20]);
    let listing = list(&Origin::Folder(place.path("data")), &Choices::default(), &LIMITS);
    let file = listing.expect("a listing").entries.remove(0).input;
    (place, file)
}

const CAP: Cap = Cap { bytes: 4 << 20, key: "max_input_bytes" };

// A13
#[test]
fn a_file_that_is_cut_short_while_it_is_read_is_void() {
    let (place, file) = large();
    let mut cut = |_: &[u8]| {
        let file = File::options().write(true).open(place.path("data/1.in")).expect("a file");
        file.set_len(1 << 20).expect("a cut");
    };
    assert_eq!(file.read(CAP, &mut cut), Ok(Seen::Changed));
}

// A13
#[test]
fn a_file_that_grows_while_it_is_read_is_never_read_beyond_the_limit() {
    let (place, file) = large();
    let mut seen = 0;
    let mut grow = |part: &[u8]| {
        seen += part.len();
        let file = File::options().append(true).open(place.path("data/1.in")).expect("a file");
        file.set_len(1 << 40).expect("a hole");
    };
    let error = file.read(CAP, &mut grow).expect_err("too large");
    assert_eq!(error.message, "larger than 4194304 bytes (max_input_bytes)");
    assert!(seen <= 4 << 20, "{seen} bytes were handed on");
}

// A13
#[test]
fn a_file_that_is_replaced_while_it_is_read_is_void_or_wholly_the_old_one() {
    let (place, file) = large();
    place.file("new", vec![b'2'; 3 << 20]);
    let mut bytes = Vec::new();
    let mut replace = |part: &[u8]| {
        bytes.extend_from_slice(part);
        let _ = fs::rename(place.path("new"), place.path("data/1.in"));
    };
    let seen = file.read(CAP, &mut replace).expect("a file");
    assert!(seen == Seen::Changed || bytes == vec![b'1'; 3 << 20]);
}

// A14
#[test]
fn links_in_a_circle_end_and_what_a_link_points_at_is_neither_read_nor_removed() {
    let place = with_a_good_case();
    place.file("secret/1.in", thunder(2));
    for (to, link) in [("..", "loop"), (".", "here"), ("self", "self"), ("../secret", "folder")] {
        symlink(to, place.path("data").join(link)).expect("a link");
    }
    symlink("a.in", place.path("data/b.in")).expect("a link");
    symlink("b.in", place.path("data/a.in")).expect("a link");
    symlink("gone.in", place.path("data/dangling.in")).expect("a link");
    place.simdrop(["run", "data"]).exits(1).says("1/1  a  BADIN  a link");
    assert_eq!((count(&place, "NOREF"), count(&place, "BADIN")), (1, 3));
    assert_eq!(fs::read_to_string(place.path("secret/1.in")).expect("a file"), thunder(2));
}

// A15
#[test]
fn sockets_pipes_and_devices_are_refused_and_block_nobody() {
    let place = with_a_good_case();
    let _listener = UnixListener::bind(place.path("data/socket.in")).expect("a socket");
    let pipe = Command::new("mkfifo").arg(place.path("data/pipe.in")).status();
    assert!(pipe.expect("mkfifo").success());
    // An endless one; only root may make it.
    let zero = place.path("data/zero.in");
    let _ = Command::new("mknod").arg(&zero).args(["c", "1", "5"]).output();
    let device = fs::symlink_metadata(&zero).is_ok_and(|data| data.file_type().is_char_device());
    if !device {
        eprintln!("SKIPPED: no device could be made, so only /dev/zero by its name was tried");
    }
    place.simdrop(["run", "data"]).exits(1).says("not a regular file");
    assert_eq!((count(&place, "NOREF"), count(&place, "BADIN")), (1, 2 + i64::from(device)));
    for special in ["/dev/zero", "/dev/null", "data/pipe.in", "data/socket.in"] {
        place.simdrop(["run", special]).exits(1).complains("not a regular file");
    }
    place.file("answers/1.in", thunder(1));
    let pipe = Command::new("mkfifo").arg(place.path("answers/1.ans")).status();
    assert!(pipe.expect("mkfifo").success());
    place.simdrop(["run", "answers"]).exits(1).says("its answer: not a regular file");
}

// A17, A18
#[test]
fn names_of_any_bytes_are_cases_that_can_be_named_and_cannot_drive_a_terminal() {
    let place = Place::new();
    let names: [&[u8]; 7] = [
        b"bad\xff\xfe",
        b"new\nline",
        b" lead",
        b"-rf",
        b"esc\x1b]0;pwn\x07",
        b"q'\"$(id)",
        "turn\u{202e}ed".as_bytes(),
    ];
    for (name, seed) in names.iter().zip(1..) {
        let path = [b"data/", *name, b".in"].concat();
        place.file(OsStr::from_bytes(&path), thunder(seed));
    }
    place.simdrop(["run", "data"]).exits(0);
    assert_eq!(count(&place, "NOREF"), 7);
    let table = place.simdrop(["list", "cases"]).exits(0).stdout;
    assert_eq!(table.lines().count(), 1 + 7 + 2, "{table}");
    assert!(!table.contains(['\x1b', '\x07', '\u{202e}']), "{table}");
    for name in names {
        let reference = OsString::from(OsStr::from_bytes(&[b"latest/", name].concat()));
        place.simdrop([OsStr::new("show"), &reference]).exits(0).says("NOREF");
    }
}

// A17, A18
#[test]
fn a_folder_of_any_name_is_read_and_its_name_is_printed_without_harm() {
    let place = Place::new();
    for name in [&b"-data"[..], b"bad\xff", b"esc\x1b[31m", b"two\nlines"] {
        let name = OsStr::from_bytes(name);
        place.file(std::path::Path::new(name).join("1.in"), thunder(1));
        let ran = place.simdrop([OsStr::new("run"), OsStr::new("--"), name]).exits(0);
        assert!(!ran.stdout.contains('\x1b'));
        assert_eq!(ran.stdout.lines().filter(|line| line.starts_with("run ")).count(), 1);
    }
    let missing = OsStr::from_bytes(b"gone\xff\x1b[31m\n");
    let ran = place.simdrop([OsStr::new("run"), missing]).exits(3);
    assert!(!ran.stderr.contains('\x1b') && ran.stderr.lines().count() == 1, "{ran:?}");
}

// A19
#[test]
fn a_tree_whose_paths_are_too_long_for_the_system_is_named_and_the_rest_is_played() {
    let place = with_a_good_case();
    let name = "d".repeat(250);
    let folder = OFlags::RDONLY | OFlags::DIRECTORY;
    let mut at = open(place.path("data"), folder, Mode::empty()).expect("a folder");
    for _ in 0..40 {
        mkdirat(&at, &name, Mode::RWXU).expect("a folder");
        at = openat(&at, &name, folder, Mode::empty()).expect("a folder");
    }
    let file = openat(&at, "1.in", OFlags::CREATE | OFlags::WRONLY, Mode::RUSR).expect("a file");
    rustix::io::write(&file, thunder(2).as_bytes()).expect("an input");
    place.simdrop(["run", "data"]).exits(0).says("1 folder too deep, left alone: ddd");
    assert_eq!(count(&place, "NOREF"), 1);
}

// A20
#[test]
fn two_hundred_gigabytes_are_refused_by_the_limits_as_they_come() {
    let place = with_a_good_case();
    place.file("data/2.in", thunder(2));
    for name in ["data/1.in", "data/2.ans"] {
        let file = File::create(place.path(name)).expect("a file");
        file.set_len(200 << 30).expect("a hole");
    }
    let ran = place.simdrop(["run", "data"]).exits(1);
    ran.says("1/1  1  BADIN  larger than 268435456 bytes (max_input_bytes)")
        .says("1/2  2  BADIN  its answer: larger than ");
    assert_eq!(count(&place, "NOREF"), 1);
}

// A21
#[test]
fn an_empty_folder_is_rejected_and_recorded() {
    let place = Place::new();
    fs::create_dir(place.path("data")).expect("a folder");
    let ran = place.simdrop(["run", "data"]).exits(1).says("rejected: no input in it");
    assert_eq!(ran.stderr, "");
    let ran = place.simdrop(["run", "data", "--json"]).exits(1);
    assert!(ran.stderr.starts_with("error: no input in it"), "{ran:?}");
    assert_eq!(place.json(["show", "latest", "--json"])["state"], "rejected");
}
