//! Two runs side by side.

use serde::Serialize;

use super::{Case, Named, Run, SCHEMA};
use crate::domain::Change;
use crate::store::{self, Comparison, RunRecord};

/// How two runs differ.
#[derive(Debug, Serialize)]
pub(in crate::cli) struct Compared {
    schema: u32,
    a: Run,
    b: Run,
    unchanged: u64,
    changed: Named<u64>,
}

impl Compared {
    pub(in crate::cli) fn new([a, b]: &[RunRecord; 2], comparison: &Comparison) -> Self {
        let counts = Change::ALL.map(|change| (change.name(), comparison.count(change)));
        Self {
            schema: SCHEMA,
            a: Run::from(a),
            b: Run::from(b),
            unchanged: comparison.same(),
            changed: Named(counts.to_vec()),
        }
    }
}

/// A case that differs between two runs.
#[derive(Debug, Serialize)]
pub(in crate::cli) struct Changed {
    schema: u32,
    change: Change,
    a: Option<Case>,
    b: Option<Case>,
}

impl From<&store::Changed> for Changed {
    fn from(case: &store::Changed) -> Self {
        let [a, b] = [&case.a, &case.b].map(|case| case.as_ref().map(Case::from));
        Self { schema: SCHEMA, change: case.change, a, b }
    }
}
