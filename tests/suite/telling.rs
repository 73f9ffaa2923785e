//! What the daemon tells: its log and its numbers.

#![cfg(feature = "faults")]

mod journal;
mod logs;
mod metrics;
mod page;
mod stalled;

use std::process::Command;

use crate::harness::Place;

/// The usual daemon of a place, to be started.
fn serve(place: &Place, more: &[&str]) -> Command {
    let mut command = place.command(["serve", "--config", "short.toml", "-v"]);
    command.args(more);
    command
}
