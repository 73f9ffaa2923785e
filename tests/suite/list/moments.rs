//! Times that are read and shown: zones, gaps and overlaps.

use crate::harness::{Place, Ran, thunder};

// As rules, so that no machine needs a database of zones.
const BERLIN: &str = "CET-1CEST,M3.5.0,M10.5.0/3";
const ZONES: [&str; 4] =
    ["UTC0", BERLIN, "<+1245>-12:45<+1345>,M9.5.0/2:45,M4.1.0/3:45", "EST5EDT,M3.2.0,M11.1.0"];

/// Runs that were taken in at these moments, in UTC.
fn with_runs_at(moments: &[&str]) -> Place {
    let place = Place::new();
    place.file("data/1.in", thunder(1));
    for _ in moments {
        place.simdrop(["run", "data"]).exits(0);
    }
    let db = rusqlite::Connection::open(place.state().join("store.db")).expect("a store");
    for (at, run) in moments.iter().zip(1..) {
        let sql = "UPDATE runs SET taken_in_us = unixepoch(?1) * 1000000,
                   finished_us = unixepoch(?1) * 1000000 + 1500 WHERE id = ?2";
        assert_eq!(db.execute(sql, (at, run)).expect("a run"), 1);
    }
    db.execute("UPDATE run_spans SET first_us = 0", ()).expect("spans");
    place
}

fn in_zone(place: &Place, zone: &str, args: &[&str]) -> Ran {
    Ran::of(place.command(args).env("TZ", zone)).exits(0)
}

// F5
#[test]
fn json_and_csv_are_utc_in_every_zone_and_tables_have_the_offset_of_their_own_day() {
    let place = with_runs_at(&["2026-01-15T12:00:00Z", "2026-07-15T12:00:00Z"]);
    for form in ["json", "csv"] {
        let utc = place.simdrop(["list", "-o", form]).exits(0).says("2026-07-15T12:00:00Z").stdout;
        for zone in ZONES {
            assert_eq!(in_zone(&place, zone, &["list", "-o", form]).stdout, utc, "{zone}");
            assert_eq!(in_zone(&place, zone, &["list", "-o", form, "--utc"]).stdout, utc, "{zone}");
        }
    }
    in_zone(&place, BERLIN, &["list"])
        .says("2026-01-15 13:00:00+01:00")
        .says("2026-07-15 14:00:00+02:00");
    in_zone(&place, ZONES[2], &["list"]).says("2026-07-16 00:45:00+12:45");
    in_zone(&place, BERLIN, &["list", "--utc"]).says("2026-07-15 12:00:00+00:00");
    in_zone(&place, BERLIN, &["--utc", "show", "1", "--log"]).says("+00:00");
}

// F5
#[test]
fn local_times_in_an_overlap_are_the_earlier_and_in_a_gap_the_change() {
    let place = with_runs_at(&[
        "2026-03-29T00:59:59Z",
        "2026-03-29T01:00:00Z",
        "2026-10-25T00:29:59Z",
        "2026-10-25T00:30:00Z",
        "2026-10-25T01:30:00Z",
    ]);
    let runs = |zone: &str, args: &[&str]| -> String {
        let all: Vec<&str> =
            ["list", "-o", "csv", "--columns", "run"].iter().chain(args).copied().collect();
        in_zone(&place, zone, &all).stdout.lines().skip(1).collect()
    };
    for (args, wanted) in [
        (&["--since", "2026-10-25 02:30"][..], "54"),
        (&["since:2026-10-25 02:30"], "54"),
        (&["since:\"2026-10-25 02:30\"", "until:\"2026-10-25 03:00\""], "54"),
        (&["since:2026-03-29T02:30", "until:2026-10-25"], "2"),
        (&["until:2026-03-29 02:00"], "1"),
        (&["-since:2026-03-29 02:59"], "1"),
        (&["since:2026-10-25 02:30", "--utc"], ""),
        (&["since:2026-10-25T02:30:00+02:00"], "54"),
        (&["since:2026-10-25", "until:2026-10-26"], "543"),
    ] {
        assert_eq!(runs(BERLIN, args), wanted, "{args:?}");
    }
    assert_eq!(runs("UTC0", &["--since", "2026-10-25 01:00"]), "5");
}

// F5
#[test]
fn a_zone_is_found_by_its_name() {
    let place = with_runs_at(&["2026-07-15T12:00:00Z"]);
    if !std::path::Path::new("/usr/share/zoneinfo/Pacific/Chatham").exists() {
        eprintln!("SKIPPED: this machine has no database of zones");
        return;
    }
    in_zone(&place, "Pacific/Chatham", &["list"]).says("2026-07-16 00:45:00+12:45");
}
