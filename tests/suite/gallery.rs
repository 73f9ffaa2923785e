//! The gallery: for each convention and each kind of damage a folder or a zip, with all that `run` says.
//!
//! `tests/gallery/NAME` or `tests/gallery/NAME.zip` is handed to `simdrop run` on an empty store;
//! `NAME.expected` is the exit code, standard output, and after `--` standard error, without the path of
//! the clone and how long it took.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;

use crate::harness::{Place, Ran};

const GALLERY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/gallery");

/// What the gallery shows, in order.
fn exhibits() -> Vec<PathBuf> {
    let entries = fs::read_dir(GALLERY).expect("the gallery");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| {
        let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes()[0] == b'.');
        !is_hidden && path.extension() != Some(OsStr::new("expected"))
    });
    paths.sort();
    paths
}

/// What was said, in the form of an `.expected`.
fn said(ran: &Ran) -> String {
    let mut text = format!("exit {}\n", ran.code.unwrap_or(-1));
    for line in ran.stdout.lines() {
        let line = match line.split_once(" in ") {
            Some((cases, rate)) if rate.ends_with("cases/s") => format!("{cases} in TIME"),
            _ => line.to_owned(),
        };
        text += &(line + "\n");
    }
    if !ran.stderr.is_empty() {
        text += &format!("--\n{}", ran.stderr);
    }
    // The simulator of the feature `faults` is in no release.
    let text = text.replace(", faults expects 2", "").replace(", faults\n", "\n");
    text.replace(concat!(env!("CARGO_MANIFEST_DIR"), "/"), "")
}

#[test]
fn each_exhibit_of_the_gallery_is_answered_as_it_should_be() {
    let mut wrong = String::new();
    for path in exhibits() {
        let place = Place::new();
        let got = said(&place.simdrop([OsStr::new("run"), path.as_os_str()]));
        let expected = fs::read_to_string(path.with_extension("expected"));
        let expected = expected.unwrap_or_else(|error| format!("{error}\n"));
        if got != expected {
            wrong += &format!("{}\nexpected:\n{expected}got:\n{got}\n", path.display());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn each_expected_text_of_the_gallery_has_its_exhibit() {
    let shown: Vec<PathBuf> =
        exhibits().iter().map(|path| path.with_extension("expected")).collect();
    for entry in fs::read_dir(GALLERY).expect("the gallery") {
        let path = entry.expect("an entry").path();
        if path.extension() == Some(OsStr::new("expected")) {
            assert!(shown.contains(&path), "{} belongs to nothing", path.display());
        }
    }
    assert!(shown.len() > 60, "the gallery has lost something");
}
