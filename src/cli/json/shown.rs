//! A run by itself.

use serde::Serialize;

use super::{Case, Run, Seconds, base64, lossy, seconds};
use crate::cli::show::Outstanding;
use crate::store::{CaseRecord, RunRecord, Timings};

/// A run with what stands out in it.
#[derive(Debug, Serialize)]
pub(in crate::cli) struct ShownRun {
    #[serde(flatten)]
    run: Run,
    work: Work,
    slowest: Vec<Slow>,
    largest: Vec<Large>,
    failing: Vec<Case>,
}

impl ShownRun {
    pub(in crate::cli) fn new(
        run: &RunRecord,
        slowest: &[Outstanding],
        largest: &[Outstanding],
        failing: &[CaseRecord],
    ) -> Self {
        let slow = |it: &Outstanding| Slow { case: At::from(&it.case), seconds: seconds(it.value) };
        let large = |it: &Outstanding| Large { case: At::from(&it.case), bytes: it.value };
        Self {
            run: Run::from(run),
            work: Work::from(run.work),
            slowest: slowest.iter().map(slow).collect(),
            largest: largest.iter().map(large).collect(),
            failing: failing.iter().map(Case::from).collect(),
        }
    }
}

#[derive(Debug, Serialize)]
struct Slow {
    #[serde(flatten)]
    case: At,
    seconds: f64,
}

#[derive(Debug, Serialize)]
struct Large {
    #[serde(flatten)]
    case: At,
    bytes: i64,
}

/// Which case.
#[derive(Debug, Serialize)]
struct At {
    run: i64,
    rank: u32,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name_b64: Option<String>,
}

impl From<&CaseRecord> for At {
    fn from(case: &CaseRecord) -> Self {
        let (name, name_b64) = (lossy(&case.name), base64(&case.name));
        Self { run: case.id.run.0, rank: case.id.rank, name, name_b64 }
    }
}

/// How long the steps of all cases of a run took together.
#[derive(Debug, Serialize)]
struct Work {
    parse: f64,
    play: f64,
    compare: f64,
    store: f64,
}

impl From<Timings> for Work {
    fn from(timings: Timings) -> Self {
        let Seconds { parse, play, compare, store, .. } = Seconds::from(timings);
        Self { parse, play, compare, store }
    }
}
