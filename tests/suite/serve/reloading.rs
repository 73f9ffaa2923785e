//! Settings that are read anew by SIGHUP, and a status block by SIGUSR1.

use std::fs;

use serde_json::Value;

use super::supervisor::Supervisor;
use super::{Daemon, SETTINGS, thunder, wait_until};

/// A daemon with a supervisor, which serves.
fn up(settings: &str) -> (Daemon, Supervisor) {
    let mut daemon = Daemon::down();
    daemon.place.file("serve.toml", settings);
    let supervisor = Supervisor::at(&daemon.place.path("notify"));
    let mut command = daemon.command(&["-v"]);
    supervisor.starts(&mut command);
    daemon.spawn(&mut command);
    supervisor.wait_for("READY=1", 1);
    (daemon, supervisor)
}

/// Has other settings read, and waits until they hold or are refused.
fn reload(daemon: &Daemon, supervisor: &Supervisor, settings: &str) {
    let ready = supervisor.count("READY=1");
    daemon.place.file("serve.toml", settings);
    daemon.signal("-HUP");
    supervisor.wait_for("READY=1", ready + 1);
}

fn is_well(status: &Value) -> bool {
    status["config_error"].is_null() && status["degraded"].as_array().is_some_and(Vec::is_empty)
}

// E3
#[test]
fn a_reload_serves_by_the_new_settings_in_the_same_process() {
    let (mut daemon, supervisor) = up(&format!("jobs = 1\n{SETTINGS}"));
    daemon.drop_file("1.in", thunder(1));
    daemon.wait_for_runs(1);
    let pid = daemon.pid();
    let other = daemon.place.path("other");
    fs::create_dir(&other).expect("a folder");
    let settings = SETTINGS.replace("[inbox]", &format!("[inbox]\ndir = {other:?}"));
    reload(&daemon, &supervisor, &format!("jobs = 3\n{settings}"));
    let status = daemon.wait_for_status("it has other threads", |status| status["workers"] == 3);
    assert_eq!((&status["pid"], status["done"].as_u64()), (&pid.into(), Some(1)), "{status}");
    // What is in the old inbox is nobody's now.
    daemon.drop_file("2.in", thunder(2));
    fs::write(other.join("3.in"), thunder(3)).expect("a drop");
    daemon.wait_for_runs(2);
    assert_eq!(daemon.names("inbox"), ["2.in"]);
    let reloading = supervisor.messages();
    let reloading =
        reloading.iter().find_map(|text| text.strip_prefix("RELOADING=1\nMONOTONIC_USEC="));
    assert!(reloading.expect("a reload").trim().parse::<u64>().is_ok_and(|time| time > 0));
    assert_eq!((supervisor.count("RELOADING=1"), supervisor.count("READY=1")), (1, 2));
    daemon.stop();
}

// E3
#[test]
fn settings_that_are_wrong_change_nothing_and_are_said_until_they_are_right() {
    let (mut daemon, supervisor) = up(&format!("jobs = 1\n{SETTINGS}"));
    let elsewhere = format!("state = \"elsewhere\"\n{SETTINGS}");
    let inside = format!("{SETTINGS}\n[inbox]");
    let gone = SETTINGS.replace("[inbox]", "[inbox]\ndir = \"/not/there\"");
    for (wrong, said) in [
        (&format!("jobs = 7\n{SETTINGS}\ngarbage = ["), "serve.toml: line"),
        (&format!("jobs = 7\nthreads = 8\n{SETTINGS}"), "unknown key \"threads\""),
        (&inside, "serve.toml: line"),
        (&gone, "/not/there"),
    ] {
        reload(&daemon, &supervisor, wrong);
        let status = daemon.wait_for_status("it says so", |status| {
            status["config_error"].as_str().is_some_and(|error| error.contains(said))
        });
        assert_eq!(status["workers"], 1, "{status}");
        daemon.place.simdrop(["status"]).exits(1).says("degraded").says(said);
        assert!(daemon.log().contains("the settings stay as they were"), "{}", daemon.log());
        supervisor.wait_to_hear(said);
    }
    // The flag or the variable of the test says where the store is, so a file alone does not move it.
    reload(&daemon, &supervisor, &elsewhere);
    daemon.wait_for_status("it is well", is_well);
    daemon.drop_file("1.in", thunder(1));
    daemon.wait_for_runs(1);
    fs::remove_file(daemon.place.path("serve.toml")).expect("a file");
    daemon.signal("-HUP");
    daemon.wait_for_status("it misses the file", |status| !status["config_error"].is_null());
    reload(&daemon, &supervisor, &format!("jobs = 2\n{SETTINGS}"));
    daemon.wait_for_status("it is well", |status| is_well(status) && status["workers"] == 2);
    daemon.stop();
}

#[test]
fn the_store_stays_where_it_is_until_a_restart() {
    let mut daemon = Daemon::down();
    let at = |state: &str| format!("state = {:?}\n{SETTINGS}", daemon.place.path(state));
    let (here, there) = (at("state"), at("there"));
    daemon.place.file("serve.toml", &here);
    let supervisor = Supervisor::at(&daemon.place.path("notify"));
    let mut command = daemon.command(&[]);
    supervisor.starts(&mut command).env_remove("SIMDROP_STATE");
    daemon.spawn(&mut command);
    supervisor.wait_for("READY=1", 1);
    reload(&daemon, &supervisor, &there);
    supervisor.wait_to_hear("it has to be started again");
    assert!(!daemon.place.path("there").exists());
    reload(&daemon, &supervisor, &here);
    daemon.place.file("serve.toml", SETTINGS);
    daemon.wait_for_status("it is well", is_well);
    daemon.stop();
}

// E3
#[test]
fn a_folder_that_is_taken_in_while_it_reloads_is_taken_in_once_and_as_a_whole() {
    let (mut daemon, supervisor) = up(SETTINGS);
    for number in 1..=3_000 {
        daemon.place.file(format!("making/data/{number}.in"), thunder(number));
    }
    daemon.rename_in(&daemon.place.path("making/data"));
    let mut reloads = 0;
    wait_until("cases are taken in", || daemon.ask("SELECT ifnull(sum(total), 0) FROM runs") > 0);
    while daemon.ask("SELECT count(*) FROM runs WHERE state = 1") == 1 && reloads < 5 {
        reloads += 1;
        reload(&daemon, &supervisor, &format!("jobs = {}\n{SETTINGS}", 1 + reloads % 2));
    }
    assert!(reloads > 0, "it was taken in before it was told anything");
    daemon.wait_for_runs(1);
    daemon.stop();
    let sums = "SELECT count(*) = 3000 AND sum(attempts) = 3000 AND sum(suspect) = 0 FROM cases";
    assert_eq!(daemon.ask(sums), 1, "something was played twice or not at all");
    assert_eq!(daemon.names("done"), ["1-data"]);
}

// E3
#[test]
fn a_reload_while_the_disk_is_in_trouble_is_no_end() {
    let (mut daemon, supervisor) = up(SETTINGS);
    let db = rusqlite::Connection::open(daemon.place.path("state/store.db")).expect("a store");
    db.execute_batch("BEGIN IMMEDIATE").expect("the lock of a writer");
    daemon.drop_file("1.in", thunder(1));
    wait_until("it is in trouble", || daemon.log().contains("database is locked"));
    daemon.signal("-HUP");
    supervisor.wait_for("RELOADING=1", 1);
    db.execute_batch("ROLLBACK").expect("an end");
    supervisor.wait_for("READY=1", 2);
    daemon.wait_for_runs(1);
    daemon.stop();
}

#[test]
fn usr1_writes_to_the_log_what_status_shows() {
    let mut daemon = Daemon::up();
    daemon.drop_file("1.in", thunder(1));
    daemon.wait_for_runs(1);
    daemon
        .wait_for_status("it has seen to it", |status| status["done"] == 1 && status["runs"] == 0);
    daemon.signal("-USR1");
    let inbox = daemon.inbox("");
    let inbox = inbox.to_str().expect("text").trim_end_matches('/');
    let wanted = [
        &format!("well, process {}", daemon.pid())[..],
        "queue    0 handed over, 0 dropped, 0 playing",
        "done     1 cases",
        &format!("inbox    {inbox}, "),
    ];
    wait_until("it is in the log", || wanted.iter().all(|line| daemon.log().contains(line)));
    daemon.stop();
}

#[cfg(feature = "faults")]
mod faults {
    use super::{SETTINGS, reload, up};

    const LEFT: &str =
        "SELECT count(*) FROM cases WHERE state = 1 AND attempts = 0 AND suspect = 0";

    // E3
    #[test]
    fn what_is_played_ends_before_other_settings_hold_unless_it_takes_longer_than_drain() {
        let (mut daemon, supervisor) = up(&format!("jobs = 1\n{SETTINGS}"));
        daemon.drop_file("1.in", "2 900\n");
        daemon.wait_for_playing(1);
        let short = SETTINGS.replace("drain = \"10 s\"", "drain = \"100 ms\"");
        let short = short.replace("backstop = \"2 s\"", "backstop = \"1 h\"");
        reload(&daemon, &supervisor, &format!("jobs = 2\n{short}"));
        assert_eq!(daemon.ask("SELECT count(*) FROM cases WHERE state = 3 AND attempts = 1"), 1);
        daemon.drop_file("2.in", "8 0\n");
        daemon.wait_for_playing(1);
        reload(&daemon, &supervisor, &format!("jobs = 1\n{short}"));
        daemon.wait_for_playing(1);
        let again = "SELECT count(*) FROM cases WHERE state = 2 AND attempts = 1 AND suspect = 0";
        assert_eq!(daemon.ask(again), 1, "it was not put back as it was");
        daemon.stop();
    }

    // E2
    #[test]
    fn what_does_not_end_within_drain_waits_as_it_was_and_the_wal_is_written_back() {
        let short = SETTINGS.replace("drain = \"10 s\"", "drain = \"300 ms\"");
        let short = short.replace("backstop = \"2 s\"", "backstop = \"1 h\"");
        let (mut daemon, supervisor) = up(&format!("jobs = 2\n{short}"));
        daemon.drop_file("1.in", "8 0\n");
        daemon.drop_file("2.in", "8 1\n");
        daemon.wait_for_playing(2);
        daemon.stop();
        assert_eq!(daemon.ask(LEFT), 2, "it was not put back as it was");
        assert_eq!(supervisor.count("STOPPING=1"), 1);
        let wal = daemon.place.path("state/store.db-wal");
        assert_eq!(wal.metadata().map(|wal| wal.len()).unwrap_or(0), 0);
    }
}
