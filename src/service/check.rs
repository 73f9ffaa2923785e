//! Outputs of several people against the same inputs: a run for each of them.

use super::floor::Progress;
use super::{Plan, Request, RunReport, ServiceError, Session};
use crate::config::Limits;
use crate::domain::{RunId, Verdict};
use crate::ingest::{self, IngestError, Listing, Origin, Person};
use crate::store::Reader;

/// How many cases are read at a time.
const PAGE: u32 = 256;

/// The inputs that people have outputs for.
#[derive(Debug)]
pub struct Check {
    plan: Plan,
    label: Option<String>,
    tags: Vec<(String, String)>,
    ranks: Vec<u32>,
    /// The names of the cases, in their order.
    pub cases: Vec<Vec<u8>>,
}

/// What was found about somebody.
#[derive(Debug)]
pub struct Checked {
    /// Whose outputs they are.
    pub person: Vec<u8>,
    /// The run that holds them; `None` for somebody without any.
    pub run: Option<RunId>,
    /// The verdict on each case, in the order of the cases; `None` where there is no file.
    pub verdicts: Vec<Option<Verdict>>,
}

impl Check {
    /// Lists the inputs, whose own answers do not count, and the people who have outputs for them, in
    /// natural order.
    ///
    /// # Errors
    /// [`IngestError`].
    pub fn new(
        request: &Request,
        outputs: &Origin,
        limits: &Limits,
    ) -> Result<(Self, Vec<Person>), IngestError> {
        let mut plan = Plan::new(request, limits)?;
        plan.forget_origin();
        let people = ingest::people(outputs, &plan.listing, request.pair.as_ref(), limits)?;
        let entries = &plan.listing.entries;
        let check = Self {
            ranks: entries.iter().map(|entry| entry.rank).collect(),
            cases: entries.iter().map(|entry| entry.name().into_owned()).collect(),
            label: plan.label.take(),
            tags: std::mem::take(&mut plan.tags),
            plan,
        };
        Ok((check, people))
    }

    /// Runs the cases that a person has files for; `None` if there are none.
    ///
    /// # Errors
    /// As [`Session::run`].
    pub fn run(
        &mut self,
        person: &Person,
        session: &Session,
        watch: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Option<RunReport>, ServiceError> {
        let has_file = |entry: &&ingest::Entry| entry.compared.is_some();
        let entries: Vec<_> = person.entries.iter().filter(has_file).cloned().collect();
        if entries.is_empty() {
            return Ok(None);
        }
        let name = String::from_utf8_lossy(&person.name).into_owned();
        let label = |before: &String| format!("{before}: {name}");
        self.plan.label = Some(self.label.as_ref().map_or_else(|| name.clone(), label));
        self.plan.tags = self.tags.clone();
        self.plan.listing = Listing { skipped: person.unused.clone(), ..Listing::of(entries) };
        self.plan.tags.push(("person".to_owned(), name));
        session.run(&self.plan, watch).map(Some)
    }

    /// The verdicts of a person's run, as the store has them.
    ///
    /// # Errors
    /// [`ServiceError::Store`].
    pub fn checked(
        &self,
        person: &Person,
        run: Option<RunId>,
        reader: &Reader,
    ) -> Result<Checked, ServiceError> {
        let mut verdicts = vec![None; self.ranks.len()];
        let page = |after| run.map_or(Ok(Vec::new()), |run| reader.cases_of(run, after, PAGE));
        let mut cases = page(0)?;
        while let Some(last) = cases.last().map(|case| case.id.rank) {
            for case in cases {
                if let Ok(at) = self.ranks.binary_search(&case.id.rank) {
                    verdicts[at] = case.verdict;
                }
            }
            cases = page(last)?;
        }
        Ok(Checked { person: person.name.clone(), run, verdicts })
    }
}

impl Checked {
    /// How many cases are right.
    #[must_use]
    pub fn right(&self) -> usize {
        self.verdicts.iter().filter(|verdict| **verdict == Some(Verdict::Ac)).count()
    }
}
