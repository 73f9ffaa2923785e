//! The numbers for monitoring.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use super::page::{Family, read};
use super::serve;
use crate::harness::{Place, thunder, wait_until};
use crate::trouble::daemon::{Daemon, drop_in, listed, skipped, wait_for_runs};

/// A daemon that writes its numbers often, whatever its mask is.
fn start(place: &Place) -> Daemon {
    fs::create_dir_all(place.path("numbers")).expect("a folder");
    let mut command = Command::new("sh");
    command.args(["-c", "umask 077; exec \"$0\" \"$@\""]).arg(env!("CARGO_BIN_EXE_simdrop"));
    command.args(serve(place, &[]).get_args()).current_dir(place.path(""));
    command.env("SIMDROP_STATE", place.state()).env("HOME", place.path(""));
    command.env("SIMDROP_SERVE__METRICS_FILE", place.path("numbers/simdrop.prom"));
    command.env("SIMDROP_ENGINE__BACKSTOP", "200 ms");
    Daemon::of(place, command.env("SIMDROP_SERVE__METRICS_EVERY", "50 ms"))
}

fn page(place: &Place) -> String {
    fs::read_to_string(place.path("numbers/simdrop.prom")).unwrap_or_default()
}

/// A number of a page.
#[track_caller]
fn number(families: &BTreeMap<String, Family>, sample: &str) -> f64 {
    let of_all = families.values().find_map(|family| family.samples.get(sample));
    *of_all.ok_or_else(|| format!("{sample} in {families:?}")).expect("a sample")
}

/// Waits until a number is so much at least.
#[track_caller]
fn wait_for(place: &Place, sample: &str, least: f64) {
    wait_until(sample, || {
        let page = page(place);
        !page.is_empty() && number(&read(&page), sample) >= least
    });
}

/// The number of cases of a simulator with a verdict that there are rows of.
fn rows(place: &Place, simulator: i64, verdict: i64) -> f64 {
    let sql = format!(
        "SELECT count(*) FROM cases
         WHERE state = 3 AND ifnull(simulator, 0) = {simulator} AND verdict = {verdict}"
    );
    f64::from(place.ask::<i32>(&sql))
}

/// A folder of cases with many verdicts, and some that are known then.
fn with_cases(place: &Place) -> Daemon {
    for number in 1..=20 {
        place.file(format!("first/{number}.in"), thunder(number));
        place.file(format!("second/{number}.in"), thunder(number));
    }
    place
        .file("first/1.ans", "wrong\n")
        .file("first/bad.in", "1 2 x\n")
        .file("first/p.in", "3 1\n");
    place.file("first/slow.in", "8 1\n");
    let daemon = start(place);
    drop_in(place, "first");
    wait_for_runs(place, 1);
    drop_in(place, "second");
    wait_for_runs(place, 2);
    daemon
}

#[test]
fn the_numbers_are_those_of_the_store_and_stay_when_runs_are_removed() {
    let place = Place::new();
    let mut daemon = with_cases(&place);
    wait_for(&place, "simdrop_cached_cases_total{simulator=\"thunder-bluff\"}", 20.0);
    let families = read(&page(&place));
    let simulators =
        [(0, "unknown"), (1, "stellar-connect"), (2, "thunder-bluff"), (1000, "faults")];
    let verdicts = ["AC", "PE", "WA", "NOREF", "BADIN", "LIMIT", "CRASH", "CANCELLED"];
    for (code, simulator) in simulators {
        for (verdict, name) in (1..).zip(verdicts) {
            let sample =
                format!("simdrop_cases_total{{simulator=\"{simulator}\",verdict=\"{name}\"}}");
            assert_eq!(number(&families, &sample), rows(&place, code, verdict), "{sample}");
        }
    }
    let played: i32 = place.ask("SELECT count(*) FROM cases WHERE NOT cached AND result > 0");
    let played_by = |simulator| {
        number(&families, &format!("simdrop_play_seconds_count{{simulator=\"{simulator}\"}}"))
    };
    assert_eq!(played_by("thunder-bluff") + played_by("faults"), f64::from(played));
    assert_eq!(number(&families, "simdrop_take_in_seconds_count"), 2.0);
    assert!(number(&families, "simdrop_commit_seconds_count") >= 2.0);
    assert!(number(&families, "simdrop_rescans_total") >= 1.0);
    assert!(number(&families, "simdrop_panics_total") >= 1.0);
    assert_eq!(number(&families, "simdrop_suspects_total"), 1.0);
    assert_eq!(number(&families, "simdrop_log_lost_lines_total"), 0.0);
    assert!(number(&families, "simdrop_store_bytes") > 4096.0);
    let success = number(&families, "simdrop_last_success_timestamp_seconds");
    let finished: f64 = place.ask("SELECT max(finished_us) / 1e6 FROM runs");
    assert!((success - finished).abs() < 5.0, "{success} {finished}");
    // What is removed was done all the same.
    place.simdrop(["store", "prune", "run:1", "--yes"]).exits(0);
    daemon.stop();
    let after = read(&page(&place));
    let of = |families: &BTreeMap<String, Family>| families["simdrop_cases_total"].samples.clone();
    assert_eq!(of(&after), of(&families));
    assert!(rows(&place, 2, 3) < number(&after, WRONG));
    // Nor does a new start forget.
    let mut daemon = start(&place);
    wait_for(&place, "simdrop_rescans_total", 1.0);
    daemon.stop();
    assert_eq!(of(&read(&page(&place))), of(&families));
}

const WRONG: &str = "simdrop_cases_total{simulator=\"thunder-bluff\",verdict=\"WA\"}";

#[test]
fn what_waits_is_counted_with_how_long() {
    let place = Place::new();
    let mut daemon = start(&place);
    place.simdrop(["pause"]).exits(0);
    place.file("data/1.in", thunder(1)).file("data/2.in", thunder(2));
    drop_in(&place, "data");
    wait_for(&place, "simdrop_queue_cases{class=\"normal\"}", 2.0);
    wait_for(&place, "simdrop_queue_oldest_seconds{class=\"normal\"}", 0.05);
    assert_eq!(number(&read(&page(&place)), "simdrop_queue_oldest_seconds{class=\"high\"}"), 0.0);
    place.simdrop(["resume"]).exits(0);
    wait_for_runs(&place, 1);
    daemon.stop();
    let families = read(&page(&place));
    assert_eq!(number(&families, "simdrop_queue_cases{class=\"normal\"}"), 0.0);
    assert_eq!(number(&families, "simdrop_queue_oldest_seconds{class=\"normal\"}"), 0.0);
}

#[test]
fn a_collector_of_another_user_can_read_them_and_never_sees_half() {
    let place = Place::new();
    let mut daemon = start(&place);
    wait_until("there are numbers", || !page(&place).is_empty());
    let mode = fs::metadata(place.path("numbers/simdrop.prom")).expect("a file").permissions();
    assert_eq!(mode.mode() & 0o777, 0o644);
    for _ in 0..200 {
        read(&page(&place));
    }
    // A folder that is gone for a while ends nothing.
    fs::rename(place.path("numbers"), place.path("away")).expect("a rename");
    place.file("data/1.in", thunder(1));
    drop_in(&place, "data");
    wait_for_runs(&place, 1);
    wait_until("a page could not be written", || {
        daemon.log().contains("simdrop.prom: No such file or directory")
    });
    fs::rename(place.path("away"), place.path("numbers")).expect("a rename");
    wait_for(&place, "simdrop_take_in_seconds_count", 1.0);
    daemon.stop();
    assert_eq!(listed(place.path("numbers")), ["simdrop.prom"]);
}

#[test]
fn nothing_is_written_if_nobody_says_where() {
    let place = Place::new();
    let mut daemon = Daemon::start(&place, &[]);
    daemon.stop();
    assert_eq!(listed(place.path("")), ["log", "short.toml", "state"]);
}

#[test]
fn the_table_of_the_manual_is_what_a_page_says() {
    let place = Place::new();
    let mut daemon = start(&place);
    daemon.stop();
    let manual = include_str!("../../../docs/operators.md");
    let rows = manual.lines().filter(|line| line.starts_with("| `simdrop_"));
    let told: Vec<String> = rows.map(str::to_owned).collect();
    let row = |(name, family): (&String, &Family)| {
        let sample = family.samples.keys().next().expect("a sample");
        let labels = sample.split_once('{').map_or("", |(_, labels)| labels.trim_end_matches('}'));
        let names = labels.split(',').filter_map(|label| label.split('=').next());
        let names: Vec<&str> = names.filter(|name| !["", "le"].contains(name)).collect();
        format!("| `{name}` | {} | {} | {} |", family.kind, names.join(", "), family.help)
    };
    let written: Vec<String> = read(&page(&place)).iter().map(row).collect();
    assert_eq!(told, written, "the table should be:\n{}", written.join("\n"));
}

#[test]
fn another_reader_of_the_format_reads_the_same() {
    let place = Place::new();
    let mut daemon = with_cases(&place);
    daemon.stop();
    let script = "
import sys
from prometheus_client.parser import text_string_to_metric_families
families = text_string_to_metric_families(sys.stdin.read())
print(sum(len(family.samples) for family in families if family.documentation))";
    let mut command = Command::new("python3");
    command
        .args(["-c", script])
        .stdin(fs::File::open(place.path("numbers/simdrop.prom")).expect("a page"));
    let Some(ran) = command.output().ok().filter(|ran| ran.status.success()) else {
        return skipped("no prometheus_client for python3, so no other reader was asked");
    };
    let samples: usize = read(&page(&place)).values().map(|family| family.samples.len()).sum();
    assert_eq!(String::from_utf8_lossy(&ran.stdout).trim(), samples.to_string());
}
