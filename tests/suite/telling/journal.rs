//! The log of a service, whose standard error is the system's journal.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixDatagram;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::harness::{Place, wait_until};
use crate::trouble::daemon::{Daemon, SHORT, drop_in, skipped, wait_for_runs};

/// Everything that a journal of ours was sent.
fn received(journal: &UnixDatagram) -> Vec<String> {
    let mut fields = Vec::new();
    let mut bytes = vec![0; 1 << 16];
    journal.set_read_timeout(Some(Duration::from_millis(10))).expect("a timeout");
    while let Ok(length) = journal.recv(&mut bytes) {
        fields.push(String::from_utf8_lossy(&bytes[..length]).into_owned());
    }
    fields
}

#[test]
fn a_journal_that_is_attached_is_sent_fields_and_one_that_is_not_a_line() {
    let place = Place::new();
    fs::create_dir_all(place.path("journal")).expect("a folder");
    place.file("short.toml", SHORT).file("bad\nfolder/only.ans", "x\n");
    let journal = UnixDatagram::bind(place.path("journal/socket")).expect("a socket");
    let unshare = |script: &str| {
        let mut command = Command::new("unshare");
        let first = "mount -t tmpfs t /run && mkdir -p /run/systemd/journal && \
                     mount --bind journal /run/systemd/journal";
        command.args(["-Urm", "sh", "-c", &format!("{first} && {script}")]);
        command.arg(env!("CARGO_BIN_EXE_simdrop")).current_dir(place.path(""));
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("SIMDROP_STATE", place.state()).env("HOME", place.path(""));
        command.stdin(Stdio::null());
        command
    };
    if !unshare("true").output().is_ok_and(|tried| tried.status.success()) {
        return skipped("no name spaces here, so the journal's protocol was not tried");
    }
    let script = "exec \"$0\" serve -v --config short.toml";
    let log = File::create(place.path("attached")).expect("a file");
    let ours = log.metadata().expect("a file");
    let stream = format!("{}:{}", ours.dev(), ours.ino());
    let mut command = unshare(script);
    let mut child = command.env("JOURNAL_STREAM", &stream).stderr(log).spawn().expect("a daemon");
    let mut sent = Vec::new();
    wait_until("it serves", || {
        sent.extend(received(&journal));
        sent.iter().any(|fields| fields.starts_with("MESSAGE=serving\nPRIORITY=6\n"))
    });
    drop_in(&place, "bad\nfolder");
    wait_for_runs(&place, 1);
    wait_until("it says so", || {
        sent.extend(received(&journal));
        sent.iter().any(|fields| fields.contains("\nSIMDROP_RUN=1\n"))
    });
    let rejected = sent.iter().find(|fields| fields.contains("\nSIMDROP_RUN=1\n")).expect("fields");
    // A value of several lines has its length before it.
    let message =
        "bad\nfolder is rejected: no input in it, neither by a rule nor by what a file holds";
    let length = String::from_utf8_lossy(&(message.len() as u64).to_le_bytes()).into_owned();
    assert!(rejected.starts_with(&format!("MESSAGE\n{length}{message}\n")), "{rejected:?}");
    assert!(rejected.contains("\nSYSLOG_IDENTIFIER=simdrop\n"), "{rejected:?}");
    child.kill().expect("a kill");
    child.wait().expect("an end");
    assert_eq!(fs::read_to_string(place.path("attached")).expect("a file"), "");
    // Another file than the one that the variable names.
    let mut command = unshare(script);
    let mut daemon = Daemon::of(&place, command.env("JOURNAL_STREAM", &stream));
    daemon.stop();
    assert_eq!(received(&journal), [""; 0]);
}
