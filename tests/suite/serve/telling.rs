//! What whoever started the daemon is told of it.

use super::supervisor::Supervisor;
use super::{Daemon, thunder, wait_until};

/// Starts a daemon that knows who started it.
fn start(daemon: &mut Daemon, supervisor: &Supervisor, more: &[(&str, &str)]) {
    let mut command = daemon.command(&[]);
    supervisor.starts(&mut command).envs(more.iter().copied());
    daemon.spawn(&mut command);
}

// E1, E2
#[test]
fn it_is_ready_once_when_everything_is_watched_and_says_when_it_stops() {
    for is_abstract in [false, true] {
        let mut daemon = Daemon::down();
        let supervisor = if is_abstract {
            Supervisor::abstract_of(&format!("simdrop-test-{}", std::process::id()))
        } else {
            Supervisor::at(&daemon.place.path("notify"))
        };
        start(&mut daemon, &supervisor, &[]);
        supervisor.wait_for("READY=1", 1);
        daemon.drop_file("1.in", thunder(1));
        daemon.wait_for_runs(1);
        supervisor.wait_to_hear("STATUS=serving");
        daemon.stop();
        let messages = supervisor.messages();
        let at = |begin: &str| messages.iter().position(|message| message.starts_with(begin));
        assert!(at("STATUS=opening the store") < at("READY=1"), "{messages:?}");
        assert!(at("EXTEND_TIMEOUT_USEC=") < at("READY=1"), "{messages:?}");
        assert!(at("READY=1") < at("STOPPING=1"), "{messages:?}");
        assert_eq!((supervisor.count("READY=1"), supervisor.count("STOPPING=1")), (1, 1));
        // `drain` is 10 s here.
        let time = messages.iter().rev().find_map(|text| text.strip_prefix("EXTEND_TIMEOUT_USEC="));
        let time: u64 = time.expect("more time").parse().expect("a number");
        assert!(time > 20_000_000, "{time}");
        let is_assignment = |line: &str| {
            line.split_once('=').is_some_and(|(name, _)| {
                name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
            })
        };
        assert!(messages.iter().flat_map(|message| message.lines()).all(is_assignment));
        let mut statuses: Vec<&String> =
            messages.iter().filter(|message| message.starts_with("STATUS=")).collect();
        let all = statuses.len();
        statuses.dedup();
        assert_eq!(statuses.len(), all, "said again though nothing had changed: {messages:?}");
    }
}

#[test]
fn why_it_does_not_serve_is_its_status() {
    let first = Daemon::up();
    let place = &first.place;
    let supervisor = Supervisor::at(&place.path("notify"));
    let mut second = first.command(&[]);
    let ended = supervisor.starts(&mut second).output().expect("an end");
    assert_eq!(ended.status.code(), Some(5));
    supervisor.wait_to_hear(&format!("is held by process {}", first.pid()));
    assert_eq!(supervisor.count("READY=1"), 0);
    // Only a daemon speaks.
    let heard = supervisor.messages().len();
    let mut run = place.command(["run", "--here", "serve.toml"]);
    supervisor.starts(&mut run).output().expect("an end");
    assert_eq!(supervisor.messages().len(), heard);
}

// E1
#[test]
fn a_start_that_takes_long_asks_for_time_and_survives_being_told_to_reload() {
    let mut daemon = Daemon::up();
    daemon.simdrop(&["pause"]).exits(0);
    daemon.drop_file("1.in", thunder(1));
    wait_until("it is taken in", || daemon.ask("SELECT count(*) FROM runs WHERE put_away") == 1);
    daemon.stop();
    // Putting back what a dead process had takes seconds here.
    let db = rusqlite::Connection::open(daemon.place.path("state/store.db")).expect("a store");
    db.execute_batch(
        "UPDATE cases SET state = 2, attempts = 1;
         CREATE VIEW slow AS
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000000)
             SELECT count(*) AS c FROM n;
         CREATE TRIGGER slow AFTER UPDATE ON cases BEGIN SELECT c FROM slow; END;",
    )
    .expect("a slow store");
    drop(db);
    let supervisor = Supervisor::at(&daemon.place.path("notify"));
    start(&mut daemon, &supervisor, &[]);
    supervisor.wait_for("EXTEND_TIMEOUT_USEC=", 1);
    daemon.signal("-HUP");
    supervisor.wait_for("EXTEND_TIMEOUT_USEC=", 3);
    assert_eq!(supervisor.count("READY=1"), 0, "it was over too soon to be slow");
    supervisor.wait_for("READY=1", 2);
    let messages = supervisor.messages();
    let order =
        messages.iter().filter(|text| text.contains("READY=1") || text.contains("RELOADING=1"));
    let order: Vec<&str> = order.filter_map(|text| text.lines().next()).collect();
    assert_eq!(order, ["READY=1", "RELOADING=1", "READY=1"]);
    daemon.kill();
}

// E4
#[test]
fn a_watchdog_is_fed_only_while_the_writer_answers() {
    let mut daemon = Daemon::down();
    let supervisor = Supervisor::at(&daemon.place.path("notify"));
    start(&mut daemon, &supervisor, &[("WATCHDOG_USEC", "300000")]);
    supervisor.wait_for("WATCHDOG=1", 3);
    let db = rusqlite::Connection::open(daemon.place.path("state/store.db")).expect("a store");
    db.execute_batch("BEGIN IMMEDIATE").expect("the lock of a writer");
    supervisor.wait_for_silence("WATCHDOG=1", std::time::Duration::from_secs(1));
    let fed = supervisor.count("WATCHDOG=1");
    db.execute_batch("ROLLBACK").expect("an end");
    supervisor.wait_for("WATCHDOG=1", fed + 3);
    daemon.stop();
    // Somebody else's watchdog is not ours.
    start(&mut daemon, &supervisor, &[("WATCHDOG_USEC", "300000"), ("WATCHDOG_PID", "1")]);
    let fed = supervisor.count("WATCHDOG=1");
    supervisor.wait_for("READY=1", 2);
    daemon.drop_file("1.in", thunder(1));
    daemon.wait_for_runs(1);
    daemon.stop();
    assert_eq!(supervisor.count("WATCHDOG=1"), fed);
}

#[cfg(feature = "faults")]
mod faults {
    use std::fs;
    use std::process::Command;
    use std::time::Duration;

    use super::super::SETTINGS;
    use super::{Daemon, Supervisor, start, wait_until};

    // E4
    #[test]
    fn a_watchdog_is_fed_while_a_long_case_is_played_and_not_when_no_thread_comes_back() {
        let mut daemon = Daemon::down();
        let patient = SETTINGS.replace("grace = \"1 s\"", "grace = \"1 h\"");
        daemon.place.file("serve.toml", format!("jobs = 2\n{patient}"));
        let supervisor = Supervisor::at(&daemon.place.path("notify"));
        start(&mut daemon, &supervisor, &[("WATCHDOG_USEC", "300000")]);
        supervisor.wait_for("READY=1", 1);
        // Both threads are busy for less than the backstop of 2 s.
        daemon.drop_file("1.in", "2 1500\n");
        daemon.drop_file("2.in", "2 1501\n");
        daemon.wait_for_playing(2);
        let fed = supervisor.count("WATCHDOG=1");
        daemon.wait_for_runs(2);
        assert!(
            supervisor.count("WATCHDOG=1") >= fed + 5,
            "a healthy daemon was not said to be so"
        );
        // One that does not come back is not all of them.
        daemon.drop_file("3.in", "5 0\n");
        daemon.wait_for_playing(1);
        let fed = supervisor.count("WATCHDOG=1");
        // Longer than the backstop, three times in 300 ms.
        supervisor.wait_for("WATCHDOG=1", fed + 30);
        daemon.drop_file("4.in", "5 1\n");
        daemon.wait_for_playing(2);
        supervisor.wait_for_silence("WATCHDOG=1", Duration::from_secs(1));
        daemon.kill();
    }

    /// The environment of the children of a process.
    fn environments_of_children(pid: u32) -> Vec<String> {
        let listed = Command::new("ps").args(["-o", "pid=", "--ppid", &pid.to_string()]).output();
        let listed = String::from_utf8_lossy(&listed.expect("ps").stdout).into_owned();
        let environment = |pid: &str| fs::read_to_string(format!("/proc/{pid}/environ")).ok();
        listed.split_whitespace().filter_map(environment).collect()
    }

    #[test]
    fn a_child_that_plays_a_suspect_cannot_speak_for_the_daemon() {
        let mut daemon = Daemon::down();
        daemon.drop_file("1.in", "8 0\n");
        daemon.start_and_die_at("after-claim");
        let supervisor = Supervisor::at(&daemon.place.path("notify"));
        start(&mut daemon, &supervisor, &[("WATCHDOG_USEC", "300000"), ("HOME", "/nowhere")]);
        let mut children = Vec::new();
        wait_until("the suspect is played", || {
            children = environments_of_children(daemon.pid());
            children.iter().any(|child| child.contains("HOME=/nowhere"))
        });
        for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC"] {
            assert!(children.iter().all(|child| !child.contains(name)), "{children:?}");
        }
        daemon.wait_for_runs(1);
        daemon.stop();
    }
}
