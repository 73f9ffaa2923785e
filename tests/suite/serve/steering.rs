//! What a daemon is asked for.

use std::fs;

use super::{Daemon, thunder, wait_until};

#[test]
fn a_pause_survives_a_restart_and_nothing_is_played_until_resume() {
    let mut daemon = Daemon::up();
    daemon.simdrop(&["pause"]).exits(0);
    daemon.drop_file("1.in", thunder(1));
    let is_taken = "SELECT count(*) FROM runs WHERE state = 2 AND put_away";
    wait_until("it is taken in", || daemon.ask(is_taken) == 1);
    daemon.stop();
    daemon.start();
    daemon.drop_file("2.in", thunder(2));
    wait_until("it is taken in", || daemon.ask(is_taken) == 2);
    let status = daemon.wait_for_status("it is seen", |status| status["queued_normal"] == 2);
    assert_eq!(status["paused"], true);
    assert_eq!(daemon.ask("SELECT ifnull(sum(attempts), 0) FROM cases"), 0);
    daemon.simdrop(&["status"]).exits(0).says("paused");
    daemon.simdrop(&["resume"]).exits(0);
    daemon.wait_for_runs(2);
    assert_eq!(daemon.status()["paused"], false);
    daemon.stop();
}

#[test]
fn status_is_0_when_it_is_well_and_4_without_a_daemon() {
    let mut daemon = Daemon::down();
    daemon.simdrop(&["status"]).exits(4);
    daemon.start();
    let status = daemon.status();
    assert_eq!(status["schema"], 1);
    assert_eq!(status["pid"], daemon.pid());
    for key in
        ["paused", "stopping", "workers", "queued_high", "queued_normal", "done", "per_second"]
    {
        assert!(!status[key].is_null(), "{key}: {status}");
    }
    let status =
        daemon.wait_for_status("it was looked at", |status| status["inboxes"][0].is_object());
    let inbox = &status["inboxes"][0];
    assert_eq!(inbox["path"], daemon.inbox("").to_str().expect("text").trim_end_matches('/'));
    assert!(inbox["watch"].is_string() && inbox["settling"]["count"] == 0, "{status}");
    daemon.simdrop(&["status"]).exits(0).says("well");
    daemon.place.simdrop(["doctor"]).exits(0).says("is well");
    daemon.stop();
    daemon.simdrop(&["status"]).exits(4);
    for args in [&["pause"][..], &["resume"], &["cancel", "1"]] {
        daemon.simdrop(args).exits(4);
    }
    daemon.start();
    daemon.kill();
    daemon.simdrop(&["status"]).exits(4);
}

#[test]
fn wait_ends_with_the_exit_code_of_the_run() {
    let daemon = Daemon::up();
    daemon.drop_file("1.in", thunder(1));
    daemon.drop_folder("bad", &[("1.in", &thunder(1)), ("1.ans", "wrong\n")]);
    daemon.wait_for_runs(2);
    let bad = daemon.ask("SELECT id FROM runs WHERE wa = 1");
    daemon.simdrop(&["wait", &bad.to_string()]).exits(1).says("WA");
    daemon.simdrop(&["wait", &(3 - bad).to_string()]).exits(0).says("NOREF");
    daemon.simdrop(&["wait", "7"]).exits(3);
}

#[test]
fn a_cancelled_run_and_its_cases_are_cancelled_and_a_run_that_is_over_is_not() {
    let mut daemon = Daemon::up();
    daemon.simdrop(&["pause"]).exits(0);
    daemon.drop_folder("data", &[("1.in", &thunder(1)), ("2.in", &thunder(2))]);
    wait_until("it is taken in", || daemon.ask("SELECT count(*) FROM runs WHERE state = 2") == 1);
    daemon.simdrop(&["wait", "1", "--timeout", "10ms"]).exits(8);
    daemon.simdrop(&["cancel", "1"]).exits(0).says("2 cases taken back");
    daemon.wait_for_runs(1);
    assert_eq!(daemon.run(1)["state"], "cancelled");
    assert_eq!(daemon.run(1)["verdicts"]["CANCELLED"], 2);
    daemon.simdrop(&["wait", "1"]).exits(1);
    daemon.simdrop(&["cancel", "1"]).exits(1).complains("over");
    daemon.simdrop(&["cancel", "9"]).exits(3);
    daemon.simdrop(&["resume"]).exits(0);
    daemon.drop_folder("again", &[("1.in", &thunder(1))]);
    daemon.wait_for_runs(2);
    assert_eq!(daemon.ask("SELECT ifnull(sum(attempts), 0) FROM cases WHERE run = 1"), 0);
    daemon.stop();
}

#[test]
fn requests_of_garbage_are_answered_or_removed_and_the_daemon_goes_on() {
    let mut daemon = Daemon::up();
    let requests = daemon.place.path("state/requests");
    fs::write(requests.join("garbage"), "{{{").expect("a file");
    fs::write(requests.join("bytes"), b"\xff\xfe\0").expect("a file");
    fs::write(requests.join("empty"), "").expect("a file");
    fs::write(requests.join("unknown"), r#"{"kind":"explode"}"#).expect("a file");
    fs::write(requests.join("run"), r#"{"kind":"cancel","run":-9223372036854775808}"#)
        .expect("a file");
    fs::write(requests.join("large"), vec![b'x'; 1 << 20]).expect("a file");
    fs::create_dir_all(requests.join("folder/deep")).expect("a folder");
    std::os::unix::fs::symlink("/etc/passwd", requests.join("link")).expect("a link");
    wait_until("they are gone", || daemon.names("requests").iter().all(|name| name == "folder"));
    wait_until("they are refused", || {
        daemon.ask("SELECT count(*) FROM requests WHERE state = 3") == 5
    });
    // What cannot be removed is complained of once.
    let complaints = daemon.log().matches("requests/folder").count();
    assert!(complaints <= 1, "{}", daemon.log());
    daemon.drop_file("1.in", thunder(1));
    daemon.wait_for_runs(1);
    daemon.stop();
}

#[test]
fn a_request_is_carried_out_once_however_busy_the_daemon_is() {
    let mut daemon = Daemon::up();
    let inputs: Vec<(String, String)> =
        (1..=300).map(|number| (format!("{number}.in"), thunder(number))).collect();
    let files: Vec<(&str, &str)> =
        inputs.iter().map(|(name, text)| (&name[..], &text[..])).collect();
    daemon.drop_folder("data", &files);
    daemon.wait_for_runs(1);
    daemon.drop_folder("data", &files);
    let again = r#"{"kind":"rerun","run":1,"again":{"verdicts":["NOREF"],"fresh":false,"compare":null,"label":null,"tags":[]}}"#;
    let making = daemon.place.path("state/requests/.t1");
    fs::write(&making, again).expect("a file");
    fs::rename(making, daemon.place.path("state/requests/t1")).expect("a rename");
    wait_until("it is answered", || {
        daemon.ask("SELECT count(*) FROM requests WHERE token = 't1'") == 1
    });
    let answered = "SELECT state FROM requests WHERE token = 't1'";
    assert_eq!(
        daemon.ask(answered),
        2,
        "{}",
        daemon.place.ask::<String>("SELECT answer FROM requests")
    );
    daemon.wait_for_runs(3);
    daemon.stop();
    // A crash before the file was removed changes nothing.
    fs::write(daemon.place.path("state/requests/t1"), again).expect("a file");
    daemon.start();
    wait_until("it is removed", || daemon.names("requests").is_empty());
    daemon.stop();
    assert_eq!(daemon.ask("SELECT count(*) FROM runs"), 3);
}

#[cfg(feature = "faults")]
mod faults {
    use super::super::SETTINGS;
    use super::{Daemon, thunder, wait_until};

    #[test]
    fn what_is_handed_over_does_not_wait_behind_the_slow_cases_of_a_dropped_folder() {
        let mut daemon = Daemon::down();
        daemon.place.file("serve.toml", format!("jobs = 1\n{SETTINGS}"));
        daemon.start();
        for number in 1..=600 {
            daemon.place.file(format!("making/slow/{number}.in"), format!("2 {}\n", 500 + number));
        }
        daemon.rename_in(&daemon.place.path("making/slow"));
        // Five minutes of games; the one thread is free every half second.
        daemon.wait_for_playing(512);
        daemon.place.file("data/1.in", "0 1\n").file("data/2.in", "9 5000\n");
        daemon.simdrop(&["run", "data"]).exits(0).says("run 2");
        let done = daemon.ask("SELECT done FROM runs WHERE id = 1");
        assert!(done < 256, "{done} cases of the folder were played before");
        daemon.kill();
        daemon.is_sound();
    }

    #[test]
    fn a_pause_takes_back_what_is_played_and_with_drain_lets_it_end() {
        let mut daemon = Daemon::up();
        daemon.drop_file("1.in", "2 1500\n");
        daemon.wait_for_playing(1);
        daemon.simdrop(&["pause"]).exits(0);
        wait_until("it is taken back", || {
            daemon.ask("SELECT count(*) FROM cases WHERE state = 1") == 1
        });
        daemon.simdrop(&["resume"]).exits(0);
        daemon.wait_for_playing(1);
        daemon.simdrop(&["pause", "--drain"]).exits(0);
        assert_eq!(daemon.ask("SELECT count(*) FROM cases WHERE state = 3"), 1);
        daemon.stop();
    }

    #[test]
    fn a_run_that_is_cancelled_while_it_is_played_is_cancelled() {
        let mut daemon = Daemon::up();
        daemon.drop_file("1.in", "2 1500\n");
        daemon.wait_for_playing(1);
        daemon.simdrop(&["cancel", "1"]).exits(0).says("1 case taken back");
        daemon.wait_for_runs(1);
        assert_eq!(daemon.run(1)["state"], "cancelled");
        daemon.drop_file("2.in", thunder(2));
        daemon.wait_for_runs(2);
        daemon.stop();
        assert_eq!(daemon.ask("SELECT done FROM runs WHERE id = 1"), 1);
    }

    #[test]
    fn term_lets_what_is_played_end_and_a_second_one_leaves_at_once() {
        let mut daemon = Daemon::up();
        daemon.drop_file("1.in", "2 700\n");
        daemon.wait_for_playing(1);
        daemon.stop();
        assert_eq!(daemon.ask("SELECT count(*) FROM cases WHERE state = 3"), 1);
        daemon.start();
        // The pool sees no cancel flag here.
        daemon.drop_file("2.in", "5 0\n");
        daemon.wait_for_playing(1);
        daemon.signal("-TERM");
        daemon.wait_for_status("it stops", |status| status["stopping"] == true);
        daemon.signal("-TERM");
        assert_eq!(daemon.wait().code(), Some(143));
        daemon.is_sound();
    }
}
