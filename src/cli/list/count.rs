//! How many cases fit a query, where a counter knows it.

use crate::store::{CellKey, Part, Query, Reader, RunChoice, StoreError, Term, Test};

/// How many cases fit a query; `None` if nobody has counted them.
pub(super) fn cases(reader: &Reader, query: &Query) -> Result<Option<u64>, StoreError> {
    match (&query.terms[..], query.run()) {
        ([], _) => Ok(Some(reader.totals()?.cases)),
        ([_], Some(run)) => Ok(reader.run(&RunChoice::Id(run))?.map(|run| run.total)),
        (terms, _) if is_counted(terms) => {
            let cells = reader.counted()?;
            let cells = cells.iter().filter(|(key, _)| terms.iter().all(|term| fits(term, key)));
            Ok(Some(cells.map(|(_, cell)| cell.cases()).sum()))
        }
        _ => Ok(None),
    }
}

/// Whether the terms are about what the counters tell apart. They know only cases that are done: those with
/// a verdict.
fn is_counted(terms: &[Term]) -> bool {
    let is_known =
        |term: &Term| matches!(term.test, Test::Simulator(_) | Test::Rules(_) | Test::Verdict(_));
    let is_of_done = |term: &Term| !term.negated && matches!(term.test, Test::Verdict(_));
    terms.iter().all(is_known) && terms.iter().any(is_of_done)
}

/// Whether what is counted apart has what a term asks for.
fn fits(term: &Term, key: &CellKey) -> bool {
    let has_it = match &term.test {
        Test::Simulator(id) => key.simulator == Some(*id),
        Test::Rules(rules) => key.rules == Some(*rules),
        Test::Verdict(list) => matches!(key.part, Part::Verdict(one) if list.contains(&one)),
        _ => false,
    };
    has_it != term.negated
}
