//! What a drop can make simdrop spend has an end; the other caps are tested where they belong.

use std::fs;

use simdrop::config::Limits;
use simdrop::ingest::{Choices, IngestError, Origin, list};

use crate::harness::{LIMITS, Place, Ran, thunder, wait_until};
use crate::ingest::zips::zip;
use crate::serve::Daemon;

#[test]
fn a_folder_of_more_files_than_may_be_is_rejected_by_run_and_by_a_daemon() {
    let place = Place::new();
    for name in ["1.in", "a/2.in", "a/b/3.in"] {
        place.file(format!("data/{name}"), thunder(1));
    }
    let listed = |most| {
        let limits = Limits { max_folder_files: most, ..LIMITS };
        list(&Origin::Folder(place.path("data")), &Choices::default(), &limits)
    };
    assert_eq!(listed(3).expect("a listing").entries.len(), 3);
    assert!(matches!(listed(2), Err(IngestError::TooMany { most: 2, .. })));
    let mut run = place.command(["run", "data"]);
    let ran = Ran::of(run.env("SIMDROP_LIMITS__MAX_FOLDER_FILES", "2")).exits(1);
    ran.says("data: more than 2 files (max_folder_files)");

    let daemon = Daemon::up_with(("SIMDROP_LIMITS__MAX_FOLDER_FILES", "2"));
    daemon.drop_folder("many", &[("1.in", "x"), ("2.in", "x"), ("3.in", "x")]);
    daemon.drop_folder("few", &[("1.in", &thunder(1)), ("2.in", &thunder(2))]);
    daemon.wait_for_runs(2);
    let rejected = daemon.names("rejected");
    assert!(rejected.len() == 1 && rejected[0].ends_with("-many"), "{rejected:?}");
    assert_eq!(daemon.names("done").len(), 1);
}

#[test]
fn a_zip_whose_directory_is_padded_is_rejected() {
    let name = format!("{}/1.in", "x".repeat(2_000));
    let files: [(&str, &[u8]); 3] = [(&name, b"1"), ("2.in", b"2"), ("3.in", b"3")];
    let place = Place::new();
    place.file("some.zip", zip(&files));
    let listed = |most| {
        let limits = Limits { max_zip_entries: most, ..LIMITS };
        list(&Origin::Zip(place.path("some.zip")), &Choices::default(), &limits)
    };
    assert!(listed(16).is_ok());
    let said = listed(4).expect_err("a rejection").to_string();
    assert!(said.ends_with("more than 256 bytes for each of max_zip_entries"), "{said}");
}

#[test]
fn a_flood_of_requests_is_answered_while_games_are_played_and_does_not_fill_the_store() {
    let daemon = Daemon::up();
    let requests = daemon.place.state().join("requests");
    for number in 0..1_200 {
        fs::write(requests.join(format!("{number}")), "nonsense").expect("a request");
    }
    daemon.drop_file("1.in", thunder(1));
    daemon.wait_for_runs(1);
    wait_until("all are answered", || daemon.names("requests").is_empty());
    assert_eq!(daemon.ask("SELECT count(*) FROM requests"), 1_000);
}

#[test]
fn what_is_rejected_and_called_as_the_reason_is_rejected_once() {
    let mut daemon = Daemon::up();
    fs::write(daemon.inbox("REASON.txt"), "").expect("a file");
    daemon.wait_for_runs(1);
    assert_eq!(daemon.names("rejected/1-REASON.txt"), ["REASON.txt", "REASON.txt.txt"]);
    assert!(daemon.read("rejected/1-REASON.txt/REASON.txt.txt").contains("empty"));
    daemon.drop_file("1.in", thunder(1));
    daemon.wait_for_runs(2);
    daemon.stop();
    assert_eq!(daemon.ask("SELECT count(*) FROM runs"), 2);
}
