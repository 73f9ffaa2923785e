//! The inbox: what is noticed, when it is taken, and where it goes. Times are made up: nothing waits.

mod folders;
pub(crate) mod moving;
mod pairs;
mod trouble;
mod watching;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use simdrop::domain::Class;
use simdrop::ingest::{
    Counts, Dropped, Found, HINTS_MOST, Hint, Hints, Inbox, InboxError, InboxSettings, Origin,
    READY_MOST, Tally,
};

use crate::harness::{LIMITS, Place, thunder};

/// An inbox in a place of its own, and a clock that is made up.
struct Tray {
    place: Place,
    inbox: Inbox,
    start: Instant,
}

const SETTINGS: InboxSettings = InboxSettings {
    quiet_file: Duration::from_secs(1),
    quiet_folder: Duration::from_secs(5),
    empty_file: Duration::from_secs(10),
    limits: LIMITS,
};

impl Tray {
    fn new() -> Self {
        let place = Place::new();
        fs::create_dir(place.path("in")).expect("a folder");
        let inbox = Inbox::attach(place.path("in"), SETTINGS).expect("an inbox");
        Self { place, inbox, start: Instant::now() }
    }

    fn path(&self, name: impl AsRef<OsStr>) -> PathBuf {
        self.place.path("in").join(name.as_ref())
    }

    fn file(&self, name: &str, text: impl AsRef<[u8]>) -> &Self {
        self.place.file(format!("in/{name}"), text);
        self
    }

    fn append(&self, name: &str, text: &str) {
        let file = fs::OpenOptions::new().append(true).open(self.path(name));
        file.and_then(|mut file| file.write_all(text.as_bytes())).expect("a file");
    }

    fn at(&self, seconds: f64) -> Instant {
        self.start + Duration::from_secs_f64(seconds)
    }

    /// A scan so many seconds after the start.
    fn scan(&mut self, seconds: f64) -> Found {
        let now = self.at(seconds);
        self.inbox.scan(now, &mut Hints::default()).expect("a scan")
    }

    /// A look at names of which something was said.
    fn hear(&mut self, seconds: f64, said: &[(&str, Hint)]) -> Found {
        let mut hints = Hints::default();
        said.iter().for_each(|(name, hint)| hints.add(OsStr::new(name), *hint));
        let now = self.at(seconds);
        self.inbox.look(&hints.names(), now, &mut hints).expect("a look")
    }

    /// The names of the drops that a scan hands on.
    fn ready(&mut self, seconds: f64) -> Vec<String> {
        names(&self.scan(seconds))
    }
}

/// The names of each drop, in order.
fn names(found: &Found) -> Vec<String> {
    let text = |dropped: &Dropped| {
        let names = dropped.names.iter().map(|name| name.to_string_lossy().into_owned());
        names.collect::<Vec<_>>().join(" ")
    };
    let mut names: Vec<String> = found.ready.iter().map(text).collect();
    names.sort();
    names
}

fn shown(tally: &Tally) -> Vec<String> {
    tally.first.iter().map(|shown| shown.name.to_string_lossy().into_owned()).collect()
}

#[expect(clippy::print_stderr, reason = "a test that proves nothing must say so")]
fn skipped(why: &str) {
    eprintln!("SKIPPED: {why}");
}

/// Whether a test that needs root can run; says so loudly if it cannot.
fn is_root(what: &str) -> bool {
    let root = rustix::process::geteuid().is_root();
    if !root {
        skipped(&format!("{what}: needs root"));
    }
    root
}

/// Whether a command can be run to its end; says so loudly if it cannot.
fn can_run(what: &str, command: &mut Command) -> bool {
    let runs = command.output().is_ok_and(|output| output.status.success());
    if !runs {
        skipped(&format!("{what}: {command:?} does not work here"));
    }
    runs
}

/// Runs one test again as a user who may read less, and tells it of a place; says so loudly if that cannot be done, and returns false.
fn as_nobody(test: &str, place: &Path) -> bool {
    let nobody = || {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
        command
    };
    let exe = std::env::current_exe().expect("the tests");
    if !can_run(test, nobody().arg(&exe).arg("--list")) {
        return false;
    }
    let ran = nobody()
        .arg(exe)
        .args(["--exact", test])
        .env("TMPDIR", "/tmp")
        .env("SIMDROP_PLACE", place)
        .output();
    let ran = ran.expect("the tests");
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(ran.status.success() && said.contains("1 passed"), "{said}");
    true
}

// A1
#[test]
fn a_file_is_taken_once_when_it_held_still() {
    let mut tray = Tray::new();
    for (round, at) in [(0, 0.0), (1, 0.9), (2, 1.8)] {
        fs::OpenOptions::new().create(true).append(true).open(tray.path("a")).expect("a file");
        tray.append("a", &format!("part {round}\n"));
        assert!(tray.ready(at).is_empty());
    }
    assert!(tray.ready(2.7).is_empty());
    assert_eq!(tray.ready(2.8), ["a"]);
    assert!(tray.ready(9.0).is_empty() && tray.inbox.counts() == Counts::default());
}

// A2
#[test]
fn a_file_that_grows_for_hours_is_settling_and_never_given_up() {
    let mut tray = Tray::new();
    tray.file("slow", "");
    for minute in 0..240 {
        tray.append("slow", "x\n");
        assert!(tray.ready(f64::from(minute) * 60.0).is_empty());
        let settling = tray.inbox.counts().settling;
        assert_eq!(shown(&settling), ["slow"]);
        assert_eq!(settling.first[0].since, tray.at(f64::from(minute) * 60.0));
    }
    assert_eq!(tray.ready(240.0 * 60.0), ["slow"]);
}

// A3
#[test]
fn what_was_handed_on_is_not_handed_on_again_until_it_is_forgotten() {
    let mut tray = Tray::new();
    tray.file("a", "text\n");
    tray.scan(0.0);
    let first = tray.scan(1.0);
    assert_eq!(names(&first), ["a"]);
    fs::set_permissions(tray.path("a"), fs::Permissions::from_mode(0o640)).expect("a mode");
    let said = [("a", Hint::RenamedIn)];
    assert!(tray.hear(1.1, &said).ready.is_empty() && tray.scan(9.0).ready.is_empty());
    // As after a crash between the commit and the move: the store knows it by its identity.
    tray.inbox.forget(&first.ready[0].names);
    tray.scan(10.0);
    let second = tray.scan(11.0);
    assert_eq!(second.ready[0].identity, first.ready[0].identity);
    tray.append("a", "more\n");
    tray.inbox.forget(&first.ready[0].names);
    tray.scan(12.0);
    assert_ne!(tray.scan(13.0).ready[0].identity, first.ready[0].identity);
}

// A4
#[test]
fn a_download_that_goes_on_is_nobodys_and_its_last_name_is_new() {
    let mut tray = Tray::new();
    for name in ["x.filepart", ".x.AbC123", "y~", "z.crdownload", "w.tmp", "v.part"] {
        tray.file(name, "1\n");
    }
    fs::create_dir(tray.path(".~tmp~")).expect("a folder");
    tray.file(".~tmp~/x", "1\n");
    assert!(tray.ready(0.0).is_empty() && tray.ready(60.0).is_empty());
    assert_eq!(tray.inbox.counts(), Counts::default());
    fs::rename(tray.path("x.filepart"), tray.path("x")).expect("a rename");
    assert_eq!(names(&tray.hear(61.0, &[("x", Hint::RenamedIn)])), ["x"]);
}

// A6
#[test]
fn what_nobody_told_of_is_found_by_a_scan() {
    let mut tray = Tray::new();
    tray.file("before", "1\n").file("set/1.in", "1\n");
    tray.scan(0.0);
    assert_eq!(tray.inbox.next_look(), Some(tray.at(1.0)));
    let found = tray.hear(1.0, &[]);
    assert_eq!(names(&found), ["before"]);
    assert_eq!(tray.inbox.next_look(), Some(tray.at(5.0)));
    assert_eq!(names(&tray.hear(5.0, &[])), ["set"]);
    assert_eq!(tray.inbox.next_look(), None);
}

// A7
#[test]
fn a_burst_larger_than_the_hints_is_found_whole_and_handed_on_in_parts() {
    let mut tray = Tray::new();
    let mut hints = Hints::default();
    let many = HINTS_MOST + 100;
    for number in 0..many {
        tray.file(&number.to_string(), "1\n");
        hints.add(OsStr::new(&number.to_string()), Hint::RenamedIn);
    }
    assert!(hints.is_overflow() && hints.names().is_empty());
    let now = tray.at(0.0);
    assert!(tray.inbox.scan(now, &mut hints).expect("a scan").ready.is_empty());
    let mut all = names(&tray.hear(1.0, &[]));
    assert_eq!(all.len(), READY_MOST);
    while tray.inbox.next_look().is_some_and(|at| at <= tray.at(1.0)) {
        all.extend(names(&tray.hear(1.0, &[])));
    }
    all.sort();
    all.dedup();
    assert_eq!(all.len(), many);
}

// A11
#[test]
fn an_inbox_that_was_made_again_is_gone_and_can_be_attached_again() {
    let mut tray = Tray::new();
    tray.file("a", "1\n");
    tray.scan(0.0);
    fs::rename(tray.place.path("in"), tray.place.path("old")).expect("a rename");
    let now = tray.at(1.0);
    let scan = |tray: &mut Tray| tray.inbox.scan(now, &mut Hints::default());
    assert!(matches!(scan(&mut tray), Err(InboxError::Gone { .. })));
    fs::create_dir(tray.place.path("in")).expect("a folder");
    assert!(matches!(scan(&mut tray), Err(InboxError::Gone { .. })));
    fs::remove_dir(tray.place.path("in")).expect("a folder");
    fs::rename(tray.place.path("old"), tray.place.path("in")).expect("a rename");
    // Mounted again: the same directory, and nothing was forgotten.
    assert_eq!(names(&scan(&mut tray).expect("a scan")), ["a"]);
    assert!(Inbox::attach(tray.path("nowhere"), SETTINGS).is_err());
    assert!(Inbox::attach(tray.path("a"), SETTINGS).is_err());
}

// A24
#[test]
fn the_times_of_files_say_nothing_about_when_they_came() {
    let mut tray = Tray::new();
    for (name, year) in [("old", 5), ("new", 70)] {
        tray.file(name, "1\n");
        let time = std::time::UNIX_EPOCH + Duration::from_secs(year * 31_556_952);
        let file = fs::File::options().write(true).open(tray.path(name)).expect("a file");
        file.set_modified(time).expect("a time");
    }
    assert!(tray.ready(0.0).is_empty() && tray.ready(0.9).is_empty());
    // The bytes change and the time is put back: the change of the status tells.
    let kept = fs::metadata(tray.path("old")).and_then(|old| old.modified()).expect("a time");
    let mut file = fs::File::options().write(true).open(tray.path("old")).expect("a file");
    file.write_all(b"2").and_then(|()| file.set_modified(kept)).expect("a file");
    assert_eq!(tray.ready(1.0), ["new"]);
    assert_eq!(tray.ready(2.0), ["old"]);
    assert!(tray.ready(3.0).is_empty());
}

// A13
#[test]
fn what_vanishes_is_dropped_without_a_word() {
    let mut tray = Tray::new();
    tray.file("a", "1\n").file("b", "1\n").file("set/1.in", "1\n");
    tray.scan(0.0);
    fs::remove_file(tray.path("a")).expect("a file");
    fs::remove_dir_all(tray.path("set")).expect("a folder");
    let found = tray.hear(5.0, &[("never", Hint::RenamedIn)]);
    assert_eq!((names(&found), found.gone), (vec!["b".to_owned()], 2));
    assert!(found.refused.is_empty() && tray.inbox.counts() == Counts::default());
}

#[test]
fn a_file_closed_after_writing_is_taken_at_once_if_it_is_complete() {
    let mut tray = Tray::new();
    tray.file("whole", thunder(1)).file("cut", "2\n1 2 3 4\n").file("prose", "text\n");
    tray.file("line", thunder(2).trim_end()).file("1.ans", thunder(3));
    let said = ["whole", "cut", "prose", "line", "1.ans", "gone"].map(|name| (name, Hint::Closed));
    assert_eq!(names(&tray.hear(0.0, &said)), ["whole"]);
    assert_eq!(tray.ready(1.0), ["cut", "line", "prose"]);
}

#[test]
fn what_was_taken_and_left_is_counted_and_never_taken_again() {
    let mut tray = Tray::new();
    tray.file(".simdrop-done-7/1.in", "1\n").file(".simdrop-done-8", "1\n");
    tray.scan(0.0);
    assert!(tray.ready(60.0).is_empty());
    tray.hear(61.0, &[(".simdrop-done-8", Hint::RenamedIn)]);
    assert_eq!(shown(&tray.inbox.counts().aside), [".simdrop-done-7", ".simdrop-done-8"]);
}

#[test]
fn names_of_any_bytes_are_taken() {
    use std::os::unix::ffi::OsStringExt;
    let mut tray = Tray::new();
    let odd: Vec<OsString> = [&b"bad\xff\xfe"[..], b"nl\nx", b" lead", b"-rf", b"esc\x1b]0;x\x07"]
        .map(|name| OsString::from_vec(name.to_vec()))
        .to_vec();
    odd.iter().for_each(|name| fs::write(tray.path(name), "1\n").expect("a file"));
    tray.scan(0.0);
    let mut found: Vec<OsString> =
        tray.scan(1.0).ready.into_iter().flat_map(|dropped| dropped.names).collect();
    found.sort();
    let mut odd = odd;
    odd.sort();
    assert_eq!(found, odd);
}

#[test]
fn the_kind_of_a_drop_is_told_from_what_it_is() {
    let mut tray = Tray::new();
    tray.file("a.zip", "no zip").file("b", "PK\x03\x04").file("c", "1\n").file("d/1.in", "1\n");
    tray.file(".run-x/1.in", "1\n").file(".run-file", "1\n");
    let said = ["a.zip", "b", "c", "d", ".run-x", ".run-file"].map(|name| (name, Hint::RenamedIn));
    let found = tray.hear(0.0, &said);
    assert_eq!(names(&found), [".run-x", "a.zip", "b", "c", "d"]);
    for dropped in found.ready {
        let name = dropped.names[0].to_string_lossy().into_owned();
        let kind = match dropped.origin {
            Origin::Zip(_) => "zip",
            Origin::Folder(_) => "folder",
            _ => "files",
        };
        let expected = match &name[..] {
            "a.zip" | "b" => "zip",
            "c" => "files",
            _ => "folder",
        };
        assert_eq!(kind, expected, "{name}");
        let high = dropped.class == Class::High;
        assert_eq!(high, name == ".run-x");
    }
}
