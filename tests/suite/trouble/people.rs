//! Other people: whoever drops, and whoever looks.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::daemon::{
    Daemon, Somebody, drop_in, listed, names, open_to_all, skipped, status, wait_for_runs,
};
use crate::harness::{Place, Ran, thunder, wait_until};

const GROUP: u32 = 4_200;
const OWNER: Somebody = Somebody { uid: 4_201, gid: GROUP, also: GROUP };
const DROPPER: Somebody = Somebody { uid: 4_202, gid: 4_202, also: GROUP };

/// A place whose state belongs to the owner, with a copy of the program for all; `None` if we may not
/// become somebody else.
fn shared(what: &str) -> Option<Place> {
    let place = Place::new();
    open_to_all(&place);
    if Ran::of(&mut OWNER.command("true")).code != Some(0) {
        skipped(&format!("{what}: setpriv is not allowed"));
        return None;
    }
    let program = program(&place);
    if fs::hard_link(env!("CARGO_BIN_EXE_simdrop"), &program).is_err() {
        fs::copy(env!("CARGO_BIN_EXE_simdrop"), &program).expect("a copy");
    }
    fs::create_dir(place.state()).expect("a folder");
    fs::set_permissions(place.state(), fs::Permissions::from_mode(0o2750)).expect("permissions");
    chown(place.state(), Some(OWNER.uid), Some(GROUP)).expect("root");
    fs::create_dir(place.path("people")).expect("a folder");
    chown(place.path("people"), Some(DROPPER.uid), Some(DROPPER.gid)).expect("root");
    Some(place)
}

fn program(place: &Place) -> PathBuf {
    place.path("simdrop")
}

/// The program as somebody.
fn simdrop(place: &Place, who: Somebody, args: &[&str]) -> Command {
    let mut command = who.command(program(place));
    command.args(args).current_dir(place.path("")).stdin(Stdio::null());
    command.env("SIMDROP_STATE", place.state()).env("HOME", "/nonexistent");
    command
}

fn start(place: &Place) -> Daemon {
    let args = ["serve", "--config", "short.toml", "-v"];
    Daemon::of(place, &mut simdrop(place, OWNER, &args))
}

#[test]
fn a_folder_of_another_user_is_evaluated_and_marked_where_it_cannot_be_moved() {
    let Some(place) = shared("another user's folder") else { return };
    place.file("data/1.in", thunder(1)).file("data/below/2.in", thunder(2));
    let mut daemon = start(&place);
    DROPPER.does(&place, "umask 022; cp -r data \"$STATE/inbox/copied\"");
    wait_for_runs(&place, 1);
    let move_in = "umask 022; cp -r data people/moved; mv people/moved \"$STATE/inbox/moved\"";
    DROPPER.does(&place, move_in);
    wait_for_runs(&place, 2);
    let marked = [".simdrop-done-1", ".simdrop-done-2"];
    let inbox = place.state().join("inbox");
    assert_eq!(listed(&inbox), marked);
    assert_eq!(listed(inbox.join(marked[0])), ["1.in", "below"]);
    assert_eq!(listed(place.state().join("out/2-moved")), ["1.out", "below", "summary.json"]);
    wait_until("status counts them", || names(&place, "aside") == 2);
    assert!(status(&place)["inboxes"][0]["aside"]["first"].to_string().contains(marked[0]));
    let told = Ran::of(&mut simdrop(&place, OWNER, &["doctor"])).exits(1);
    told.says(".simdrop-done-1, of 4202").says("run 2 is done").says("sudo rm -r -- ");
    assert_eq!(place.ask::<i64>("SELECT count(*) FROM cases WHERE state = 3 AND NOT cached"), 2);

    daemon.stop();
    let mut daemon = start(&place);
    DROPPER.does(&place, "umask 022; echo 0 3 >\"$STATE/inbox/new.in\"");
    wait_for_runs(&place, 3);
    wait_until("a scan has counted them", || names(&place, "aside") == 2);
    assert_eq!(listed(&inbox), marked);
    assert_eq!(listed(place.state().join("done")), ["3-new.in"]);
    daemon.stop();
}

// A16
#[test]
fn what_cannot_be_read_is_blocked_and_is_taken_once_it_can_be_read() {
    let Some(place) = shared("files that may not be read") else { return };
    place.file("data/1.in", thunder(1));
    let mut daemon = start(&place);
    DROPPER.does(&place, "umask 077; cp data/1.in \"$STATE/inbox/file.in\"");
    DROPPER.does(&place, "umask 022; cp -r data people/folder; chmod 0 people/folder/1.in");
    DROPPER.does(&place, "mv people/folder \"$STATE/inbox\"; mkdir -m 700 \"$STATE/inbox/shut\"");
    wait_until("all are blocked", || names(&place, "blocked") == 3);
    let blocked = status(&place)["inboxes"][0]["blocked"]["first"].to_string();
    assert_eq!(blocked.matches("Permission denied").count(), 3, "{blocked}");
    place.simdrop(["status"]).exits(0).says("blocked  3");
    let open = "cd \"$STATE/inbox\"; chmod 644 file.in folder/1.in; rmdir shut";
    DROPPER.does(&place, open);
    wait_for_runs(&place, 2);
    wait_until("nothing is blocked", || names(&place, "blocked") == 0);
    assert_eq!(place.ask::<i64>("SELECT count(*) FROM cases WHERE verdict = 4"), 2);
    daemon.stop();
}

// C7
#[test]
fn the_group_reads_while_the_daemon_serves_and_after_it_was_stopped_or_killed() {
    let Some(place) = shared("readers of the group") else { return };
    let list = || Ran::of(&mut simdrop(&place, DROPPER, &["list"]));
    for (run, kills) in [(1, false), (2, true), (3, false)] {
        let mut daemon = start(&place);
        place.file("a.in", thunder(run));
        drop_in(&place, "a.in");
        wait_for_runs(&place, run.into());
        list().exits(0).says("NOREF");
        Ran::of(&mut simdrop(&place, DROPPER, &["status"])).exits(0).says("well");
        if kills {
            daemon.kill();
        } else {
            daemon.stop();
        }
        list().exits(0).says("NOREF");
        let shown = Ran::of(&mut simdrop(&place, DROPPER, &["show", &format!("{run}/1")]));
        shown.exits(0);
        Ran::of(&mut simdrop(&place, DROPPER, &["status"])).exits(4).complains("simdrop serve");
    }
}
