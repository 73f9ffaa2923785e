//! What is around a store: directories, disks, clock, watches, programs and the unit.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::{Place, Ran, thunder, with_a_run};
use crate::trouble::daemon::{Daemon, SHORT, drop_in, open_to_all, skipped, wait_for_runs};

/// What a check found that is not as it should be.
#[track_caller]
fn found(ran: &Ran, check: &str) -> Vec<Value> {
    let report: Value = serde_json::from_str(&ran.stdout).ok().ok_or(ran).expect("JSON");
    let is_bad = |finding: &&Value| finding["check"] == check && finding["level"] != "ok";
    report["findings"].as_array().expect("findings").iter().filter(is_bad).cloned().collect()
}

/// What the doctor says in name spaces of its own, after a line of shell; `None` where that is not allowed.
fn doctor_after(place: &Place, first: &str, variables: &[(&str, &Path)]) -> Option<Ran> {
    let unshare = |script: &str| {
        let mut command = Command::new("unshare");
        command.args([
            "-Urm",
            "sh",
            "-c",
            script,
            env!("CARGO_BIN_EXE_simdrop"),
            "doctor",
            "--json",
        ]);
        command.current_dir(place.path("")).stdin(Stdio::null());
        command.env("SIMDROP_STATE", place.state()).env("HOME", place.path(""));
        command.envs(variables.iter().copied());
        command
    };
    let tried = unshare("mount -t tmpfs t /tmp").output();
    if !tried.is_ok_and(|output| output.status.success()) {
        return None;
    }
    Some(Ran::of(&mut unshare(&format!("{first} && exec \"$0\" \"$@\""))))
}

/// A store with all its directories, and nobody who serves it.
fn served() -> Place {
    let place = Place::new();
    place.file("data/1.in", thunder(1));
    let mut daemon = Daemon::start(&place, &[]);
    drop_in(&place, "data");
    wait_for_runs(&place, 1);
    daemon.stop();
    place.simdrop(["doctor"]).exits(0).says("6 directories of the daemon can be used");
    place
}

const NO_NAME_SPACES: &str = "no name spaces here, so the doctor was not shown a sick system";

#[test]
fn a_directory_that_cannot_be_written_is_a_problem() {
    let place = served();
    let first = "mount --bind state/done state/done && mount -o remount,ro,bind state/done";
    let Some(ran) = doctor_after(&place, first, &[]) else { return skipped(NO_NAME_SPACES) };
    let found = found(&ran.exits(1), "directory");
    let done = place.path("state/done").display().to_string();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((&found[0]["level"], &found[0]["path"]), (&"problem".into(), &done.clone().into()));
    assert_eq!(found[0]["type"][0], format!("findmnt -T {done}"));
    assert_eq!(fs::read_dir(done).expect("a folder").count(), 1, "nothing is left");
}

#[test]
fn what_belongs_to_others_or_can_be_written_by_them_is_told() {
    let place = served();
    fs::set_permissions(place.state(), fs::Permissions::from_mode(0o2770)).expect("permissions");
    let ran = place.simdrop(["doctor", "--json"]).exits(1);
    let told = found(&ran, "directory");
    let line = told[0]["type"][0].as_str().expect("a command").to_owned();
    Ran::of(Command::new("sh").args(["-c", &line])).exits(0);
    place.simdrop(["doctor"]).exits(0);
    if !rustix::process::geteuid().is_root() {
        return skipped("only root can give files away, so those of others were not looked at");
    }
    std::os::unix::fs::chown(place.path("state/out"), Some(12_345), None).expect("another owner");
    let ran = place.simdrop(["doctor", "--json"]).exits(1);
    let told = found(&ran, "directory");
    let line = told[0]["type"][0].as_str().expect("a command").replace("sudo ", "");
    Ran::of(Command::new("sh").args(["-c", &line])).exits(0);
    place.simdrop(["doctor"]).exits(0);
}

#[test]
fn who_is_neither_the_daemon_nor_root_is_told_how_to_have_the_directories_tried() {
    if !rustix::process::geteuid().is_root() {
        return skipped("only root can be somebody else, so nobody else asked the doctor");
    }
    let place = served();
    open_to_all(&place);
    let mut command = Command::new("setpriv");
    command.args(["--reuid=12345", "--regid=0", "--clear-groups", env!("CARGO_BIN_EXE_simdrop")]);
    command.arg("doctor").env("SIMDROP_STATE", place.state()).env("HOME", place.path(""));
    Ran::of(&mut command).exits(0).says("was not tried").says("type: sudo -u root simdrop doctor");
}

#[test]
fn a_disk_without_room_is_told() {
    let place = served();
    let first = "mount -t tmpfs -o size=8m t state/inbox";
    let Some(ran) = doctor_after(&place, first, &[]) else { return skipped(NO_NAME_SPACES) };
    let ran = ran.exits(1).says("is another one than the store's: what is done is copied");
    let room = found(&ran, "room");
    assert!(room[0]["what"].as_str().expect("text").contains(" MiB free where "), "{room:?}");
    assert!(room[0]["type"][0].as_str().expect("text").starts_with("df -h -- "), "{room:?}");
}

#[test]
fn a_watch_that_is_forced_where_it_tells_little_is_told() {
    let place = served();
    fs::create_dir(place.path("over")).expect("a folder");
    let first = "mount -t tmpfs t over && mkdir over/up over/work over/low && mount -t overlay o \
                 -o lowerdir=over/low,upperdir=over/up,workdir=over/work,userxattr state/inbox";
    let Some(ran) = doctor_after(&place, first, &[("SIMDROP_INBOX__WATCH", Path::new("inotify"))])
    else {
        return skipped(NO_NAME_SPACES);
    };
    if ran.stdout.is_empty() {
        return skipped("no overlay file system here, so none was looked at");
    }
    let found = found(&ran, "file-system");
    assert!(
        found[0]["why"].as_str().expect("a reason").contains("set it to \"auto\""),
        "{found:?}"
    );
}

#[test]
fn a_clock_that_was_set_back_is_told() {
    let place = with_a_run();
    let db = rusqlite::Connection::open(place.path("state/store.db")).expect("a store");
    let later = "UPDATE runs SET finished_us = finished_us + 3 * 86400000000";
    db.execute_batch(later).expect("a change");
    drop(db);
    let ran = place.simdrop(["doctor", "--json"]).exits(1);
    assert_eq!(found(&ran, "clock")[0]["type"][0], "timedatectl");
}

#[test]
fn a_wal_that_is_not_written_back_is_told() {
    let place = with_a_run();
    place.simdrop(["doctor"]).exits(0).says("and a WAL of 0 B");
    let wal = fs::OpenOptions::new().append(true).open(place.path("state/store.db-wal"));
    wal.expect("a WAL").set_len(65 << 20).expect("room");
    let ran = place.simdrop(["doctor", "--json"]).exits(1);
    assert_eq!(found(&ran, "size")[0]["type"][0], "simdrop store vacuum");
    place.simdrop(["store", "vacuum"]).exits(0);
    place.simdrop(["doctor"]).exits(0);
}

#[test]
fn limits_that_leave_no_watch_are_told() {
    let place = served();
    // Below `user` each user's name space has limits of its own.
    let first = "echo 0 > /proc/sys/user/max_inotify_watches";
    let Some(ran) = doctor_after(&place, first, &[]) else { return skipped(NO_NAME_SPACES) };
    if ran.stdout.is_empty() {
        return skipped("the limits of inotify cannot be changed here, so none was too low");
    }
    let found = found(&ran.exits(1), "watch");
    let line = found[0]["type"][0].as_str().expect("a command");
    assert_eq!(line, "sudo sysctl user.max_inotify_watches=128");
}

#[test]
fn a_daemon_of_another_version_or_of_a_program_that_was_replaced_is_told() {
    let place = Place::new();
    let program = place.path("simdrop");
    fs::copy(env!("CARGO_BIN_EXE_simdrop"), &program).expect("a program");
    fs::write(place.path("short.toml"), SHORT).expect("settings");
    let mut command = Command::new(&program);
    command.args(["serve", "--config", "short.toml"]).current_dir(place.path(""));
    command.env("SIMDROP_STATE", place.state()).env("HOME", place.path(""));
    let mut daemon = Daemon::of(&place, &mut command);
    place.simdrop(["doctor"]).exits(0).says("the daemon watches what can be watched");
    fs::remove_file(&program).expect("gone");
    let ran = place.simdrop(["doctor", "--json"]).exits(1);
    let told = found(&ran, "version");
    assert!(told[0]["what"].as_str().expect("text").contains("was replaced"), "{told:?}");
    assert_eq!(told[0]["type"][0], "sudo systemctl restart simdrop");
    daemon.stop();
}

#[test]
fn the_unit_is_held_against_the_one_of_this_program_and_the_settings() {
    let place = Place::new();
    place.file("units/simdrop.service", include_str!("../../../config/simdrop.service"));
    let installed = "mount --bind units /usr/lib/systemd/system";
    let doctor = |more: &str, args: &[(&str, &Path)]| {
        doctor_after(&place, &format!("{installed} && {more}"), args)
            .filter(|ran| !ran.stdout.is_empty())
    };
    let Some(ran) = doctor("mount -t tmpfs t /etc/systemd/system", &[]) else {
        return skipped("no name spaces or no systemd here, so no unit was looked at");
    };
    let ran = ran.exits(0).says("is the unit of this simdrop, and not enabled");
    ran.says("the unit keeps its store in /var/lib/simdrop").says("simdrop doctor --state");
    // Changed by hand.
    place.file("units/simdrop.service", "[Service]\nExecStart=/usr/bin/simdrop serve\n");
    let ran = doctor("mount -t tmpfs t /etc/systemd/system", &[]).expect("a doctor").exits(1);
    assert_eq!(found(&ran, "unit")[0]["type"][0], "systemctl cat simdrop.service");
    // An inbox that the unit cannot write in, and then can.
    place.file("units/simdrop.service", include_str!("../../../config/simdrop.service"));
    place.file("far/.keep", "").file("drop-in", "[Service]\nReadWritePaths=-PLACE/far\n");
    let drop_in = fs::read_to_string(place.path("drop-in")).expect("a text");
    let here = place.path("").display().to_string();
    place.file("drop-in", drop_in.replace("PLACE", here.trim_end_matches('/')));
    let state = "mount -t tmpfs t /etc/systemd/system && mount -t tmpfs t /var/lib && mkdir /var/lib/simdrop";
    let far = place.path("far");
    let args = [("SIMDROP_STATE", Path::new("/var/lib/simdrop")), ("SIMDROP_INBOX__DIR", &*far)];
    let ran = doctor(state, &args).expect("a doctor").exits(1);
    assert_eq!(found(&ran, "unit")[0]["type"][0], "sudo systemctl edit simdrop.service");
    let state = format!(
        "{state} && mkdir /etc/systemd/system/simdrop.service.d && \
         cp drop-in /etc/systemd/system/simdrop.service.d/inbox.conf"
    );
    let ran = doctor(&state, &args).expect("a doctor");
    assert_eq!(found(&ran, "unit"), [""; 0], "{ran:?}");
}
