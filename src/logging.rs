//! What the program says of itself while it runs: tracing events, on standard error.

use std::io;

use tracing::level_filters::LevelFilter;
use tracing_subscriber::fmt;

/// Starts logging at a level: warnings, with one `-v` what happens, with two every case. Whether there
/// is `color` is decided by who knows the terminal.
///
/// Does nothing if somebody started it before.
pub fn start(verbose: u8, color: bool) {
    let level = match verbose {
        0 => LevelFilter::WARN,
        1 => LevelFilter::INFO,
        _ => LevelFilter::DEBUG,
    };
    let subscriber =
        fmt().with_max_level(level).with_writer(io::stderr).with_target(false).with_ansi(color);
    let _ = subscriber.try_init();
}
