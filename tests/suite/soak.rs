//! The short form of the long life of a daemon.

use std::path::Path;
use std::process::Command;

use crate::harness::{Ran, skipped};

#[test]
fn a_life_with_kills_reloads_a_full_disk_and_a_clock_that_jumps_loses_nothing_and_does_nothing_twice()
 {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/long/soak.sh");
    let life =
        Ran::of(Command::new("bash").arg(script).args([env!("CARGO_BIN_EXE_simdrop"), "10", "1"]));
    life.stdout.lines().filter_map(|line| line.strip_prefix("SKIPPED: ")).for_each(skipped);
    life.exits(0).says("none lost, none twice");
}
