//! Folders that become links to somewhere else while they are taken in.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use simdrop::ingest::{Cap, Choices, Origin, give_back, list, put_away};

use crate::harness::{LIMITS, Place, thunder, wait_until};
use crate::inbox::moving::elsewhere;

/// What lies outside, and nowhere in what is dropped.
const SECRET: &str = "1\n4242424242 1 2 3\n";

const CAP: Cap = Cap { bytes: 1 << 20, key: "max_input_bytes" };

/// An inbox with a folder `set` of the files `a/1.in` to `a/4.in` and `a/b/5.in`, a folder `outside` with files of
/// the same names, and a link to each folder outside, to be exchanged with the one inside.
fn place() -> Place {
    let place = Place::new();
    for name in ["1.in", "2.in", "3.in", "4.in", "b/5.in"] {
        place.file(Path::new("in/set/a").join(name), thunder(7));
        place.file(Path::new("outside/a").join(name), SECRET);
    }
    fs::create_dir(place.path("links")).expect("a folder");
    for folder in ["set", "set/a", "set/a/b"] {
        let outside = place.path("outside").join(folder.strip_prefix("set/").unwrap_or_default());
        symlink(outside, place.path("links").join(folder.replace('/', "-"))).expect("a link");
    }
    place
}

/// Exchanges a folder with a link for as long as something is done; how often. At the end it is a folder again.
fn swapping<T>(place: &Place, folder: &str, done: impl FnOnce() -> T) -> (T, u64) {
    let (link, folder) =
        (place.path("links").join(folder.replace('/', "-")), place.path("in").join(folder));
    let (over, swaps) = (AtomicBool::new(false), AtomicU64::new(0));
    let value = thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                let swapped = renameat_with(CWD, &link, CWD, &folder, RenameFlags::EXCHANGE);
                swaps.fetch_add(u64::from(swapped.is_ok()), Ordering::Relaxed);
            }
        });
        let value = done();
        over.store(true, Ordering::Relaxed);
        value
    });
    if folder.is_symlink() {
        let back = renameat_with(CWD, &link, CWD, &folder, RenameFlags::EXCHANGE);
        back.expect("the folder back in its place");
    }
    (value, swaps.into_inner())
}

/// Takes in a folder as often as said; how many bytes came from inside.
fn read_all(place: &Place, origin: &Origin, rounds: u32) -> usize {
    let choices = Choices { within: Some(place.path("in")), ..Choices::default() };
    let mut inside = 0;
    for _ in 0..rounds {
        let Ok(listing) = list(origin, &choices, &LIMITS) else { continue };
        for entry in &listing.entries {
            let mut bytes = Vec::new();
            if entry.input.read(CAP, &mut |part| bytes.extend_from_slice(part)).is_ok() {
                assert_ne!(bytes, SECRET.as_bytes(), "{origin:?}");
                inside += bytes.len();
            }
        }
    }
    inside
}

#[test]
fn no_byte_from_outside_is_read_while_a_folder_becomes_a_link_and_back() {
    let place = place();
    let folder = Origin::Folder(place.path("in/set"));
    let names = ["set/a/1.in", "set/a/2.in", "set/a/b/5.in"];
    let files = Origin::Files(names.iter().map(|name| place.path("in").join(name)).collect());
    for origin in [folder, files] {
        for swapped in ["set", "set/a", "set/a/b"] {
            let (mut inside, mut swaps) = (0, 0);
            wait_until("bytes from inside, and many swaps", || {
                let read = || read_all(&place, &origin, 500);
                let (bytes, times) = swapping(&place, swapped, read);
                (inside, swaps) = (inside + bytes, swaps + times);
                inside > 0 && swaps > 500
            });
        }
    }
}

#[test]
fn run_stores_no_byte_from_outside_what_it_was_given() {
    let place = place();
    let mut times = 0;
    wait_until("something is taken in", || {
        swapping(&place, "set/a", || place.simdrop(["run", "in/set"]));
        times += 1;
        times > 10 && place.ask::<i64>("SELECT count(*) FROM contents") > 0
    });
    assert_ne!(SECRET.len(), thunder(7).len());
    let stolen = format!("SELECT count(*) FROM contents WHERE bytes = {}", SECRET.len());
    assert_eq!(place.ask::<i64>(&stolen), 0);
}

/// The texts of all files in a folder, those behind links left out.
fn texts(folder: &Path) -> Vec<String> {
    let mut folders = vec![folder.to_owned()];
    let mut texts = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let entry = entry.expect("an entry");
            let kind = entry.file_type().expect("a kind");
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                texts.push(fs::read_to_string(entry.path()).expect("a text"));
            }
        }
    }
    texts
}

#[test]
fn what_is_moved_across_file_systems_leaves_alone_what_is_outside() {
    let what = "what_is_moved_across_file_systems_leaves_alone_what_is_outside";
    let Some(there) = elsewhere(&Place::new(), what) else { return };
    let outside = |place: &Place| texts(&place.path("outside")).len();
    for round in 0..100 {
        let place = place();
        let before = outside(&place);
        let to = there.path().join(format!("{round}-set"));
        // It may fail, and is tried again as after any other failure.
        let tries = || (0..3).any(|_| put_away(&place.path("in/set"), &to).is_ok());
        swapping(&place, "set/a", tries);
        assert_eq!(outside(&place), before, "something outside was removed");
        let copied = if to.is_dir() { texts(&to) } else { Vec::new() };
        assert!(!copied.iter().any(|text| text == SECRET), "something outside was copied");
    }
}

#[test]
fn late_files_go_back_to_the_inbox_and_through_no_link() {
    let place = Place::new();
    place.file("done/7-set/a/late.in", "late").file("done/7-set/b/late.in", "late");
    place.file("done/7-set/c/late.in", "late").file("outside/late.in", SECRET);
    place.file("in/set/c/late.in", "new");
    let outside = place.path("outside");
    symlink(&outside, place.path("in/set/b")).expect("a link");
    symlink(&outside, place.path("done/7-set/d")).expect("a link");
    let late = ["a/late.in", "b/late.in", "c/late.in", "d/late.in"];
    let moved = give_back(&place.path("done/7-set"), &place.path("in/set"), &late);
    assert_eq!(moved.expect("two folders"), 1);
    let read = |path: &str| fs::read_to_string(place.path(path)).expect("a file");
    assert_eq!(read("in/set/a/late.in"), "late");
    assert_eq!(read("in/set/c/late.in"), "new");
    assert_eq!(read("outside/late.in"), SECRET);
    assert_eq!(read("done/7-set/b/late.in"), "late");
    // Nor where the whole folder is a link.
    symlink(&outside, place.path("in/link")).expect("a link");
    assert!(give_back(&place.path("done/7-set"), &place.path("in/link"), &late).is_err());
    assert_eq!(fs::read_dir(&outside).expect("a folder").count(), 1);
}
