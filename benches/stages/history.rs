//! A store that some runs filled, for whoever asks it.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use simdrop::store::Reader;
use tempfile::TempDir;

use crate::place::{fill, place};
use crate::program::simdrop;

/// How many runs there are of inputs that the benches make, and how many cases each has.
pub(crate) const RUNS: u64 = 10;
const CASES: u64 = 500;

/// How many games the one case of the run of seeds has.
const SEEDS: u64 = 50_000;

/// The store, once somebody asked it.
static FILLED: Mutex<Option<TempDir>> = Mutex::new(None);

/// Opens it for reading; for the first one it is made.
pub(crate) fn reader() -> Reader {
    let mut filled = FILLED.lock().unwrap_or_else(PoisonError::into_inner);
    let state = filled.get_or_insert_with(make).path();
    Reader::open(state).expect("a store that reads").expect("a store")
}

/// Removes it.
pub(crate) fn forget() {
    drop(FILLED.lock().unwrap_or_else(PoisonError::into_inner).take());
}

/// The program fills it, so rows, indexes and counters are those of a real one, whatever they become.
fn make() -> TempDir {
    let (state, inputs) = (place(), place());
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    for game in ["stellar-connect", "mtj"] {
        simdrop(state.path(), [OsStr::new("run"), vectors.join(game).as_os_str()]);
    }
    let seeds = ["--seeds", &format!("0..{SEEDS}"), "--sim", "thunder-bluff", "--label", "seeds"];
    simdrop(state.path(), ["run"].into_iter().chain(seeds));
    for run in 0..RUNS {
        add_run(state.path(), &inputs.path().join(run.to_string()), run);
    }
    state
}

/// Adds a run of cases, half of which the run before it has, too.
fn add_run(state: &Path, folder: &Path, run: u64) {
    let first = run * CASES / 2 + 1;
    fill(folder, first..first + CASES);
    let (label, tag) = (format!("week {}", run % 5), format!("person=s{run}"));
    let said = ["--label", &label, "--tag", &tag].map(OsStr::new);
    simdrop(state, [OsStr::new("run"), folder.as_os_str()].into_iter().chain(said));
}
