//! Putting away.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};

use simdrop::domain::RunId;
use simdrop::ingest::{AsideError, Put, cut_name, mark_done, overlaps, probe, put_away};

use super::{Tray, as_nobody, is_root, skipped};
use crate::harness::Place;

/// A directory on another file system, if there is one.
pub(crate) fn elsewhere(place: &Place, test: &str) -> Option<tempfile::TempDir> {
    let there = tempfile::tempdir_in("/dev/shm").ok();
    let device = |path: &Path| fs::metadata(path).expect("a folder").dev();
    let there = there.filter(|there| device(there.path()) != device(&place.path("")));
    if there.is_none() {
        skipped(&format!("{test}: /dev/shm is no other file system"));
    }
    there
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("a name").file_name().to_string_lossy().into()).collect();
    names.sort();
    names
}

#[test]
fn what_is_put_away_is_moved_and_a_second_call_finds_it_done() {
    let place = Place::new();
    place.file("in/set/1.in", "1\n").file("in/set/a/2.in", "1\n").file("done/x", "");
    let (from, to) = (place.path("in/set"), place.path("done/7-set"));
    for _ in 0..2 {
        assert_eq!(put_away(&from, &to).expect("away"), Put::Away);
        assert_eq!(names(&to), ["1.in", "a"]);
    }
    let nothing = put_away(&place.path("in/never"), &place.path("done/8-never"));
    assert!(matches!(nothing, Err(AsideError::Missing(path)) if path == place.path("in/never")));
    // A new folder of the old name is not the one that was put away.
    place.file("in/set/3.in", "1\n");
    assert_eq!(put_away(&from, &to).expect("away"), Put::WithRest);
    assert_eq!((names(&from), names(&to)), (vec!["3.in".into()], vec!["1.in".into(), "a".into()]));
}

// A12
#[test]
fn across_file_systems_what_is_put_away_is_copied_and_then_removed() {
    let place = Place::new();
    let Some(there) = elsewhere(&place, "across_file_systems") else { return };
    place.file("in/set/1.in", "1\n").file("in/set/a/b/2.in", "2\n").file("in/file", "3\n");
    fs::create_dir(place.path("in/set/empty")).expect("a folder");
    symlink("/etc/passwd", place.path("in/set/link")).expect("a link");
    let modified =
        |path: &Path| fs::metadata(path).and_then(|file| file.modified()).expect("a time");
    let time = modified(&place.path("in/set/1.in"));
    for name in ["set", "file"] {
        let to = there.path().join(format!("7-{name}"));
        assert_eq!(put_away(&place.path("in").join(name), &to).expect("away"), Put::Away);
    }
    assert!(names(&place.path("in")).is_empty());
    assert_eq!(names(there.path()), ["7-file", "7-set"]);
    let set = there.path().join("7-set");
    assert_eq!(names(&set), ["1.in", "a", "empty", "link"]);
    assert_eq!(fs::read(set.join("a/b/2.in")).expect("a file"), b"2\n");
    assert_eq!(fs::read_link(set.join("link")).expect("a link"), Path::new("/etc/passwd"));
    assert_eq!(modified(&set.join("1.in")), time);
}

// A12
#[test]
fn a_move_across_file_systems_goes_on_after_any_crash_and_loses_nothing() {
    let place = Place::new();
    let Some(there) = elsewhere(&place, "a_move_goes_on_after_any_crash") else { return };
    let to = there.path().join("7-set");
    let files = |place: &Place| {
        place.file("in/set/1.in", "1\n").file("in/set/a/2.in", "2\n");
    };
    // Killed while copying: half a copy lies there.
    files(&place);
    fs::create_dir(there.path().join(".simdrop-moving-7-set")).expect("a folder");
    fs::write(there.path().join(".simdrop-moving-7-set/1.in"), "").expect("a file");
    assert_eq!(put_away(&place.path("in/set"), &to).expect("away"), Put::Away);
    assert_eq!(names(there.path()), ["7-set"]);
    // Killed while removing: some of the originals are still there, and one came late.
    fs::create_dir(place.path("in/set")).expect("a folder");
    let copied = fs::metadata(to.join("1.in")).and_then(|file| file.modified()).expect("a time");
    place.file("in/set/1.in", "1\n").file("in/set/late.in", "3\n").file("in/set/a/2.in", "4\n");
    let one = fs::File::options().write(true).open(place.path("in/set/1.in")).expect("a file");
    one.set_modified(copied).expect("a time");
    assert_eq!(put_away(&place.path("in/set"), &to).expect("away"), Put::WithRest);
    assert_eq!(names(&place.path("in/set")), ["a", "late.in"]);
    assert_eq!(fs::read(place.path("in/set/a/2.in")).expect("a file"), b"4\n");
    assert_eq!(fs::read(to.join("a/2.in")).expect("a file"), b"2\n");
}

// A14
#[test]
fn a_link_is_moved_as_a_link() {
    let place = Place::new();
    place.file("secret/s", "1\n").file("in/x", "").file("done/x", "");
    symlink(place.path("secret"), place.path("in/l")).expect("a link");
    symlink("nowhere", place.path("in/broken")).expect("a link");
    for name in ["l", "broken"] {
        let to = place.path("done").join(name);
        put_away(&place.path("in").join(name), &to).expect("away");
        assert!(fs::symlink_metadata(to).expect("a link").is_symlink());
    }
    assert!(place.path("secret/s").exists());
    assert_eq!(names(&place.path("in")), ["x"]);
}

// A16
#[test]
fn a_folder_of_another_user_that_cannot_be_moved_is_marked_where_it_is() {
    const TEST: &str =
        "inbox::moving::a_folder_of_another_user_that_cannot_be_moved_is_marked_where_it_is";
    if rustix::process::geteuid().is_root() {
        as_nobody(TEST, "".as_ref());
        return;
    }
    // The system refuses a new parent where the folder itself cannot be written, whoever owns it.
    let place = Place::new();
    place.file("in/set/1.in", "1\n").file("in/more/1.in", "1\n").file("done/x", "");
    for name in ["set", "more"] {
        let folder = place.path("in").join(name);
        fs::set_permissions(folder, fs::Permissions::from_mode(0o555)).expect("a mode");
    }
    let error = put_away(&place.path("in/set"), &place.path("done/7-set")).expect_err("refused");
    assert!(error.is_forbidden(), "{error}");
    let mark = |name: &str| mark_done(&place.path("in"), OsStr::new(name), RunId(7));
    assert_eq!(mark("set").expect("a mark"), ".simdrop-done-7");
    assert_eq!(mark("set").expect("a mark"), ".simdrop-done-7");
    assert_eq!(mark("more").expect("a mark"), ".simdrop-done-7-2");
    assert_eq!(names(&place.path("in")), [".simdrop-done-7", ".simdrop-done-7-2"]);
    assert_eq!(names(&place.path("done")), ["x"]);
    for name in [".simdrop-done-7", ".simdrop-done-7-2"] {
        let folder = place.path("in").join(name);
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).expect("a mode");
    }
}

// A16
#[test]
fn a_folder_of_another_user_in_a_sticky_inbox_of_ours_is_marked() {
    const TEST: &str =
        "inbox::moving::a_folder_of_another_user_in_a_sticky_inbox_of_ours_is_marked";
    if !is_root(TEST) {
        // The daemon's part, in the place that root has made.
        let Some(place) = std::env::var_os("SIMDROP_PLACE").map(PathBuf::from) else { return };
        let (inbox, to) = (place.join("in"), place.join("done/7-set"));
        let error = put_away(&inbox.join("set"), &to).expect_err("refused");
        assert!(error.is_forbidden(), "{error}");
        mark_done(&inbox, OsStr::new("set"), RunId(7)).expect("a mark");
        return put_away(&inbox.join("file"), &place.join("done/7-file")).map(drop).expect("away");
    }
    let tray = Tray::new();
    tray.file("set/1.in", "1\n").file("file", "1\n");
    fs::create_dir(tray.place.path("done")).expect("a folder");
    let (daemon, other) = (65_534, 65_533);
    for (name, user) in
        [("", daemon), ("in", daemon), ("done", daemon), ("in/set", other), ("in/file", other)]
    {
        chown(tray.place.path(name), Some(user), Some(user)).expect("an owner");
    }
    fs::set_permissions(tray.path(""), fs::Permissions::from_mode(0o3770)).expect("a mode");
    if as_nobody(TEST, &tray.place.path("")) {
        assert_eq!(names(&tray.path("")), [".simdrop-done-7"]);
        assert_eq!(names(&tray.place.path("done")), ["7-file"]);
    }
}

#[test]
fn a_name_is_cut_between_two_characters() {
    let cut = |name: &str, most| cut_name(OsStr::new(name), most);
    assert_eq!(cut("name", 200), "name");
    assert_eq!(cut("name", 2), "na");
    assert_eq!(cut("aé", 2), "a");
    assert_eq!(cut("日本", 5), "日");
    let bytes = OsStr::from_bytes(b"a\xff\xfe");
    assert_eq!(cut_name(bytes, 2), OsString::from(OsStr::from_bytes(b"a\xff")));
}

// A12
#[test]
fn a_probe_says_whether_a_rename_works_and_leaves_nothing() {
    let place = Place::new();
    place.file("a/x", "").file("b/y", "");
    assert!(probe(&place.path("a"), &place.path("b")).expect("a probe"));
    assert!(probe(&place.path("a"), &place.path("nowhere")).is_err());
    if let Some(there) = elsewhere(&place, "a_probe_says_whether_a_rename_works") {
        assert!(!probe(&place.path("a"), there.path()).expect("a probe"));
        assert!(names(there.path()).is_empty());
    }
    assert_eq!(
        (names(&place.path("a")), names(&place.path("b"))),
        (vec!["x".into()], vec!["y".into()])
    );
}

// A25
#[test]
fn a_directory_inside_an_inbox_is_told_even_through_a_link_and_before_it_is_there() {
    let place = Place::new();
    place.file("in/a/b/x", "").file("out/x", "");
    symlink(place.path("in/a"), place.path("sneaky")).expect("a link");
    symlink(place.path("in"), place.path("same")).expect("a link");
    let inbox = place.path("same");
    for (name, inside) in [
        ("in", true),
        ("in/a/b", true),
        ("in/not/yet/there", true),
        ("sneaky/b", true),
        ("sneaky/not/yet", true),
        ("in/../in/a", true),
        ("out", false),
        ("out/not/yet", false),
        ("", false),
        ("inner", false),
    ] {
        assert_eq!(overlaps(&inbox, &place.path(name)), inside, "{name}");
    }
}
