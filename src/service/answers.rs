//! Reference outputs beside their inputs.

use std::collections::HashMap;

use super::{Plan, Request, ServiceError, output_of};
use crate::config::Limits;
use crate::domain::{RunId, Verdict};
use crate::ingest::{self, FileRef, IngestError, Placed, Refusal};
use crate::store::{CaseChoice, CaseRecord, Reader};

/// Which answers are to be written, and where.
#[derive(Debug)]
pub struct Answers {
    plan: Plan,
    /// For each entry of the plan the path of its answer, or why there is none.
    paths: Vec<(Vec<u8>, Option<Refusal>)>,
}

/// What became of an answer.
#[derive(Debug)]
pub struct Answer {
    /// The name of its case.
    pub case: Vec<u8>,
    /// The path of its file, below the folder.
    pub path: Vec<u8>,
    /// What became of it.
    pub fate: Fate,
}

/// What became of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// It was written, or the same text was there, or the file was refused.
    Placed(Placed),
    /// The case has no output.
    NoOutput {
        /// Its verdict.
        verdict: Option<Verdict>,
        /// Why, in words.
        reason: String,
    },
}

impl Answers {
    /// Lists a folder, and says where the answers go: [`ingest::answer_path`].
    ///
    /// # Errors
    /// [`IngestError`].
    pub fn new(
        request: &Request,
        ending: Option<&str>,
        limits: &Limits,
    ) -> Result<Self, IngestError> {
        let mut plan = Plan::new(request, limits)?;
        plan.forget_origin();
        plan.label = None;
        // What is not wanted may still be an input that no answer may replace.
        let everything = || Plan::new(&Request { only: None, ..request.clone() }, limits);
        let all = request.only.is_some().then(everything).transpose()?;
        let inputs =
            all.as_ref().unwrap_or(&plan).listing.entries.iter().map(|entry| entry.input.path());
        let mut taken: HashMap<_, _> = inputs.map(|path| (path.to_vec(), Refusal::Input)).collect();
        let pattern = request.pair.as_ref().or(plan.listing.manifest.pair.as_ref());
        let mut path = |input: &FileRef| {
            let path = ingest::answer_path(input, pattern, ending).unwrap_or_default();
            let refusal = taken.insert(path.clone(), Refusal::Twice);
            (path, refusal)
        };
        let paths = plan.listing.entries.iter().map(|entry| path(&entry.input)).collect();
        plan.listing.entries.iter_mut().for_each(|entry| entry.compared = None);
        Ok(Self { plan, paths })
    }

    /// What is to be run before anything can be written.
    #[must_use]
    pub const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Writes the outputs of a run of the plan; `see` hears of each.
    ///
    /// # Errors
    /// [`ServiceError`]: a file cannot be written, or the store not be read.
    pub fn write(
        &self,
        run: RunId,
        reader: &Reader,
        force: bool,
        see: &mut dyn FnMut(Answer),
    ) -> Result<(), ServiceError> {
        for (entry, (path, refusal)) in self.plan.listing.entries.iter().zip(&self.paths) {
            let case = reader.case(run, &CaseChoice::Rank(entry.rank))?;
            let output = case.as_ref().map_or(Ok(None), |case| output_of(reader, case))?;
            let fate = match (output, refusal) {
                (None, _) => no_output(case.as_ref()),
                (Some(_), Some(refusal)) => Fate::Placed(Placed::Refused(*refusal)),
                (Some(text), None) => {
                    Fate::Placed(ingest::place(&entry.input, path, &text, force)?)
                }
            };
            see(Answer { case: entry.name().into_owned(), path: path.clone(), fate });
        }
        Ok(())
    }
}

fn no_output(case: Option<&CaseRecord>) -> Fate {
    let error = case.and_then(|case| case.error.as_ref());
    let reason = error.map_or_else(|| "it was not played".to_owned(), ToString::to_string);
    Fate::NoOutput { verdict: case.and_then(|case| case.verdict), reason }
}
