//! Names, labels, tags and contents that would drive a terminal.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

use crate::harness::{Place, Ran, thunder};
use crate::serve::Daemon;

/// Colours, a title, a bell, C1 controls as Unicode and as bytes, a line of its own, and what turns text around or
/// hides it.
const EVIL: &[u8] = b"x\x1b[31m\x1b]0;owned\x07\xc2\x9b2J\x9b2J\nFORGED \r\x7f\x08\
    \xe2\x80\xae\xe2\x81\xa6\xd8\x9c\xe2\x80\x8b\xf3\xa0\x81\x81y";

/// The same as text, which a label is.
fn evil_text() -> String {
    String::from_utf8_lossy(EVIL).into_owned()
}

fn evil_name(ending: &str) -> std::path::PathBuf {
    OsStr::from_bytes(&[EVIL, ending.as_bytes()].concat()).into()
}

/// Demands that nothing a person sees can do more than be seen.
#[track_caller]
fn is_tame(what: &str, text: &str) {
    let is_wild = |c: char| match c {
        '\n' => false,
        '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' => true,
        '\u{2060}'..='\u{206f}' | '\u{e0000}'..='\u{e007f}' => true,
        c => c.is_control(),
    };
    let wild: Vec<char> = text.chars().filter(|c| is_wild(*c)).collect();
    assert!(wild.is_empty(), "{what} shows {wild:?} in {text:?}");
    assert!(!text.lines().any(|line| line.trim_start().starts_with("FORGED")), "{what}: {text}");
}

/// Runs the program and demands that both its outputs are tame.
#[track_caller]
fn tame(place: &Place, args: &[&str]) -> Ran {
    let ran = place.simdrop(args);
    is_tame(&format!("{args:?}"), &ran.stdout);
    is_tame(&format!("{args:?}"), &ran.stderr);
    ran
}

/// A folder of evil names and contents: right, wrong, refused, skipped, without an input, a link.
fn with_data() -> Place {
    let place = Place::new();
    let name = |ending: &str| std::path::Path::new("data").join(evil_name(ending));
    place.file(name(".in"), thunder(1)).file(name(".ans"), EVIL);
    place.file(name("-wrong.in"), [b"1\n1 2 ", EVIL, b" 3\n"].concat());
    place.file(name("-number.in"), [b"1\n1 2 3 ", &EVIL[..6], b"\n"].concat());
    place.file(name("-orphan.ans"), "x\n").file(name(".txt"), EVIL);
    place.file(std::path::Path::new("outputs").join(evil_name("")).join("x.out"), EVIL);
    symlink("/etc/passwd", place.path(name("-link.in"))).expect("a link");
    place
}

#[test]
fn no_table_lets_a_name_a_label_or_a_file_drive_a_terminal() {
    let place = with_data();
    let (label, tag) = (evil_text(), format!("k={}", evil_text()));
    let run = ["run", "data", "--sim", "thunder-bluff", "--label", &label, "--tag", &tag, "-vv"];
    tame(&place, &run).exits(1);
    let by_label = format!("label:{label}");
    let named = format!("latest/{}", evil_text());
    let query = format!("label:\"{label}\"");
    for args in [
        &["list"][..],
        &["list", "-o", "table", &query],
        &["list", "cases"],
        &["list", "games"],
        &["list", "runs", &by_label],
        &["show", "latest"],
        &["show", &by_label],
        &["show", "latest", "--failed"],
        &["show", "latest", "--log"],
        &["show", "latest/1"],
        &["show", "latest/2"],
        &["show", "latest/3"],
        &["show", "latest/4"],
        &["show", &named],
        &["show", "latest/1", "--diff"],
        &["show", "latest/1", "--log"],
        &["trace", "latest/1"],
        &["trace", "latest/2"],
        &["trace", &named],
        &["compare", "1", "1"],
        &["compare", &by_label, "latest", "--all"],
        &["stats"],
        &["stats", "--by", "label"],
        &["stats", "--by", "run"],
        &["rerun", "latest", "--label", &label],
        &["verify"],
        &["store", "info"],
        &["store", "check"],
        &["store", "edit", "latest", "--label", &label, "--tag", &tag],
        &["store", "prune", &query, "--dry-run"],
        &["doctor"],
        &["status"],
        &["wait", "latest"],
        &["lint", "data"],
        &["lint", "data", "--sim", "thunder-bluff"],
        &["check", "outputs", "--against", "data"],
        &["answers", "data", "--sim", "thunder-bluff"],
        &["sim", "thunder-bluff", &label],
        &["run", &label],
        &["--config", &label, "list"],
        &["list", &label],
        &["show", &label],
    ] {
        tame(&place, args);
    }
    // Everything was shown, and shown spelt.
    tame(&place, &["show", "latest"]).says(r"\u{1b}[31m").says(r"\u{202e}");
}

#[test]
fn a_daemon_lets_no_name_drive_a_terminal_either() {
    let mut daemon = Daemon::up();
    fs::write(daemon.inbox(evil_name(".ans")), "waits\n").expect("a file");
    symlink("/etc/passwd", daemon.inbox(evil_name("-link.in"))).expect("a link");
    let making = daemon.place.path("making").join(evil_name("-folder"));
    fs::create_dir_all(&making).expect("a folder");
    fs::write(making.join(evil_name(".in")), thunder(1)).expect("a file");
    fs::write(making.join(evil_name("-late.ans")), "x\n").expect("a file");
    daemon.rename_in(&making);
    fs::write(daemon.inbox(evil_name("-bad.zip")), "PK\x03\x04 and no more").expect("a file");
    daemon.wait_for_runs(3);
    daemon
        .wait_for_status("an answer waits", |status| status["inboxes"][0]["waiting"]["count"] == 1);
    for args in [&["status"][..], &["doctor"], &["list"], &["show", "1"], &["show", "2", "--log"]] {
        tame(&daemon.place, args);
    }
    daemon.stop();
    is_tame("the log", &daemon.log());
}
