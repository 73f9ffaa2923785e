//! What is dropped, and what comes of it.

use std::fs;
use std::io::Write;
use std::process::Command;

use super::{Daemon, thunder, wait_until};

#[test]
fn a_folder_that_is_renamed_in_is_evaluated_once_put_away_and_written_out() {
    let mut daemon = Daemon::up();
    let inputs = [thunder(1), thunder(2)];
    let files = [("1.in", &inputs[0][..]), ("1.ans", "wrong\n"), ("deep/2.in", &inputs[1])];
    daemon.drop_folder("data", &files);
    daemon.wait_for_runs(1);
    assert!(daemon.names("inbox").is_empty());
    for (name, text) in files {
        assert_eq!(daemon.read(&format!("done/1-data/{name}")), text);
    }
    assert_eq!(daemon.names("out/1-data"), ["1.out", "deep", "summary.json"]);
    assert_eq!(daemon.read("out/1-data/1.out"), daemon.output_of(&inputs[0]));
    assert_eq!(daemon.read("out/1-data/deep/2.out"), daemon.output_of(&inputs[1]));
    let summary: serde_json::Value =
        serde_json::from_str(&daemon.read("out/1-data/summary.json")).expect("JSON");
    assert_eq!((&summary["schema"], &summary["run"]), (&1.into(), &1.into()));
    assert_eq!(summary["verdicts"], serde_json::json!({"WA": 1, "NOREF": 1}));
    assert_eq!(summary["cases"][1]["output"], "deep/2.out");
    let run = daemon.run(1);
    assert_eq!((&run["state"], &run["total"]), (&"done".into(), &2.into()));
    daemon.stop();
}

#[test]
fn a_folder_that_is_copied_slowly_is_taken_when_it_holds_still() {
    let daemon = Daemon::up();
    fs::create_dir(daemon.inbox("slow")).expect("a folder");
    let mut file = fs::File::create(daemon.inbox("slow/1.in")).expect("a file");
    let text = thunder(1);
    for byte in text.bytes() {
        file.write_all(&[byte]).expect("a byte");
    }
    drop(file);
    fs::write(daemon.inbox("slow/2.in"), thunder(2)).expect("a file");
    // A pause longer than the quiet time may split a copy, but loses nothing of it.
    wait_until("both are done", || {
        daemon.ask("SELECT ifnull(sum(done), 0) FROM runs WHERE state = 3") == 2
    });
    assert!(daemon.ask("SELECT count(*) FROM results") == 2);
}

#[test]
fn a_folder_with_the_marker_is_taken_at_once_and_the_marker_is_no_case() {
    let mut daemon = Daemon::down();
    let slow = super::SETTINGS.replace("quiet_folder = \"50 ms\"", "quiet_folder = \"1 h\"");
    daemon.place.file("serve.toml", slow);
    daemon.start();
    fs::create_dir(daemon.inbox("set")).expect("a folder");
    fs::write(daemon.inbox("set/1.in"), thunder(1)).expect("a file");
    let settling = |status: &serde_json::Value| status["inboxes"][0]["settling"]["count"] == 1;
    daemon.wait_for_status("it settles", settling);
    assert_eq!(daemon.ask("SELECT count(*) FROM runs"), 0);
    fs::write(daemon.inbox("set/.ready"), "").expect("a file");
    daemon.wait_for_runs(1);
    assert_eq!(daemon.run(1)["total"], 1);
}

#[test]
fn a_zip_is_a_run() {
    let daemon = Daemon::up();
    daemon.place.file("making/1.in", thunder(1)).file("making/2.in", thunder(2));
    let made = Command::new("python3")
        .args(["-m", "zipfile", "-c", "set.zip", "1.in", "2.in"])
        .current_dir(daemon.place.path("making"))
        .status();
    if !made.is_ok_and(|status| status.success()) {
        println!("SKIPPED: python3 is not here to make a zip");
        return;
    }
    daemon.rename_in(&daemon.place.path("making/set.zip"));
    daemon.wait_for_runs(1);
    assert_eq!(daemon.names("done"), ["1-set.zip"]);
    assert_eq!(daemon.names("out/1-set.zip"), ["1.out", "2.out", "summary.json"]);
    assert_eq!(daemon.read("out/1-set.zip/2.out"), daemon.output_of(&thunder(2)));
}

#[test]
fn loose_files_that_pair_are_one_run_and_a_loose_file_is_one_of_its_own() {
    let daemon = Daemon::up();
    let answer = daemon.output_of(&thunder(1));
    daemon.drop_file("1.ans", answer);
    let waiting = |status: &serde_json::Value| status["inboxes"][0]["waiting"]["count"] == 1;
    let status = daemon.wait_for_status("the answer waits", waiting);
    let shown = status["inboxes"][0]["waiting"]["first"][0].as_str().expect("a name");
    assert!(shown.starts_with("1.ans"), "{status}");
    daemon.simdrop(&["status"]).exits(0).says("waiting  1").says("1.ans");
    assert_eq!(daemon.ask("SELECT count(*) FROM runs"), 0);
    daemon.drop_file("1.in", thunder(1));
    daemon.wait_for_runs(1);
    assert_eq!(daemon.run(1)["verdicts"]["AC"], 1);
    assert_eq!(daemon.names("done"), ["1-1.ans", "1-1.in"]);
    daemon.drop_file("2.in", thunder(2));
    daemon.wait_for_runs(2);
    assert_eq!(daemon.names("out"), ["1-1.in", "2-2.in"]);
}

#[test]
fn an_answer_that_comes_too_late_is_rejected_and_names_the_run() {
    let daemon = Daemon::up();
    daemon.drop_file("1.in", thunder(1));
    daemon.wait_for_runs(1);
    daemon.drop_file("1.ans", "late\n");
    daemon.wait_for_runs(2);
    assert_eq!(daemon.names("rejected/2-1.ans"), ["1.ans", "REASON.txt"]);
    let reason = daemon.read("rejected/2-1.ans/REASON.txt");
    assert!(reason.contains("too late") && reason.contains("run 1"), "{reason}");
    daemon.place.simdrop(["show", "2"]).says("rejected").says("run 1");
}

#[test]
fn an_answer_that_comes_too_late_is_rejected_after_a_restart_too() {
    let mut daemon = Daemon::up();
    daemon.drop_file("1.in", thunder(1));
    daemon.wait_for_runs(1);
    daemon.stop();
    daemon.drop_file("1.ans", "late\n");
    daemon.start();
    daemon.wait_for_runs(2);
    assert!(daemon.read("rejected/2-1.ans/REASON.txt").contains("run 1"));
}

// A22
#[test]
fn a_folder_dropped_twice_is_two_runs_of_the_same_name_and_the_second_is_cached() {
    let daemon = Daemon::up();
    let files = [thunder(1), thunder(2)];
    let files = [("1.in", &files[0][..]), ("2.in", &files[1])];
    daemon.drop_folder("data", &files);
    daemon.wait_for_runs(1);
    daemon.drop_folder("data", &files);
    daemon.wait_for_runs(2);
    assert_eq!((&daemon.run(1)["cached"], &daemon.run(2)["cached"]), (&0.into(), &2.into()));
    assert_eq!(daemon.names("done"), ["1-data", "2-data"]);
    assert_eq!(daemon.names("out"), ["1-data", "2-data"]);
    assert_eq!(daemon.ask("SELECT count(*) FROM results"), 2);
}

// A22
#[test]
fn what_is_moved_back_from_done_is_a_run_again() {
    let daemon = Daemon::up();
    daemon.drop_folder("data", &[("1.in", &thunder(1))]);
    daemon.wait_for_runs(1);
    fs::rename(daemon.place.path("state/done/1-data"), daemon.inbox("data")).expect("a rename");
    daemon.wait_for_runs(2);
    assert_eq!(daemon.names("done"), ["2-data"]);
    assert_eq!(daemon.run(2)["cached"], 1);
}

// A26
#[test]
fn what_is_written_into_a_folder_after_its_list_was_made_is_a_run_of_its_own() {
    let daemon = Daemon::up();
    let inputs: Vec<(String, String)> =
        (1..=400).map(|number| (format!("{number}.in"), thunder(number))).collect();
    let files: Vec<(&str, &str)> =
        inputs.iter().map(|(name, text)| (&name[..], &text[..])).collect();
    daemon.drop_folder("data", &files);
    // Written while the folder is taken in, or after it has left: then it is gone or a late file.
    let mut late = 0;
    while late < 50
        && fs::write(daemon.inbox(format!("data/late{late}.in")), thunder(late + 1_000)).is_ok()
    {
        late += 1;
    }
    // A file that was being written when the list was made may be played as it was and as it is.
    let all = i64::from(late) + 400;
    wait_until("nothing is lost", || daemon.ask("SELECT count(*) FROM results") == all);
    wait_until("all is put away", || {
        daemon.names("inbox").is_empty()
            && daemon.ask("SELECT count(*) FROM runs WHERE state < 3 OR NOT put_away") == 0
    });
    let first = daemon.run(1)["total"].as_i64().expect("a number");
    if first < all {
        assert_eq!(daemon.run(2)["tags"]["late-of"], "1");
        daemon.place.simdrop(["show", "1", "--log"]).says("too late");
    }
}
