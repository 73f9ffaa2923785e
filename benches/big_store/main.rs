//! Makes a store of the size of years: by default 10 million cases and 20 million games.
//!
//!     cargo bench --bench big_store -- DIR [--cases N] [--games N] [--runs N] [--years N] [--seed N]
//!
//! Everything goes through the store's own writer, so that each row, index and counter is one that it
//! made, and the games are really played, so that `verify` finds nothing. The same seed gives the same
//! runs; only their numbers may differ, because several are written at a time. Without DIR a small store is
//! made and thrown away.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "chances and shares of numbers that are far from any bound"
)]

mod chance;
mod history;
mod inputs;
mod writing;

use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use clap::Parser;
use simdrop::domain::TimestampUs;
use simdrop::store::{IfHeld, Store, database_path};

use history::{History, Shape};
use writing::Written;

/// Make a large store
#[derive(Parser)]
struct Args {
    /// The directory of the new store
    dir: Option<PathBuf>,
    /// How many cases
    #[arg(long, default_value_t = 10_000_000)]
    cases: u64,
    /// About how many games, over all results
    #[arg(long, default_value_t = 20_000_000)]
    games: u64,
    /// How many runs; a third of a thousandth of the cases if not given
    #[arg(long)]
    runs: Option<u64>,
    /// Over how many years, up to now
    #[arg(long, default_value_t = 3)]
    years: u64,
    /// What all chances come from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Cargo says so
    #[arg(long, hide = true)]
    bench: bool,
}

type Failed = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), Failed> {
    let args = Args::parse();
    match &args.dir {
        Some(dir) if database_path(dir).exists() => {
            Err(format!("{}: there is a store already", dir.display()).into())
        }
        Some(dir) => make(dir, &args),
        None => {
            let dir = tempfile::tempdir()?;
            make(dir.path(), &Args { cases: 20_000, games: 40_000, ..args })
        }
    }
}

fn make(dir: &Path, args: &Args) -> Result<(), Failed> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_micros();
    let now = TimestampUs(i64::try_from(now)?);
    let runs = args.runs.unwrap_or(args.cases / 333).clamp(1, args.cases);
    let shape = Shape { cases: args.cases, games: args.games, runs, years: args.years };
    let history = History::new(args.seed, shape, now);
    let begun = Instant::now();
    let store = Store::open(dir, IfHeld::Refuse, history.first())?;
    let written = writing::write(&history, &store.writer())?;
    store.close()?;
    report(&written, begun, fs::metadata(database_path(dir))?.len())
}

fn report(written: &Written, begun: Instant, bytes: u64) -> Result<(), Failed> {
    let Written { runs, cases, cached, games } = *written;
    let seconds = begun.elapsed().as_secs_f64();
    writeln!(
        io::stdout(),
        "{runs} runs, {cases} cases ({cached} cached), {games} games in {seconds:.1} s: \
         {:.0} cases/s, {bytes} bytes, {:.0} a case",
        cases as f64 / seconds,
        bytes as f64 / cases as f64,
    )?;
    Ok(())
}
