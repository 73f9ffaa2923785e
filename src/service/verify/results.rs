//! The results that are to be played again: those of the cases that a query is about, newest first, each
//! once.

use super::{Given, Verify};
use crate::domain::{Body, CaseId, ContentHash, ContentHasher, ResultId, chain};
use crate::store::{Query, Reach, Reader, ResultKey, ResultRecord, StoreError};

/// How far one page goes.
const PAGE: Reach = Reach { found: 512, looked_at: 65_536 };

/// A part of the results that is chosen by chance, and by a number that repeats the choice.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    /// What is below it is in.
    below: u64,
    seed: u64,
}

impl Sample {
    /// A share of the results, from 0 to 1; another seed gives others.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
    pub fn new(share: f64, seed: u64) -> Self {
        Self { below: (share * 2_f64.powi(64)) as u64, seed }
    }

    fn has(self, result: ResultId) -> bool {
        let numbers = [self.seed.to_be_bytes(), result.0.to_be_bytes()];
        ContentHash::of(numbers.as_flattened()).prefix().cast_unsigned() < self.below
    }
}

/// A result as it is stored, with the newest case that has it.
#[derive(Debug, Clone)]
pub(super) struct Stored {
    pub(super) case: CaseId,
    pub(super) key: ResultKey,
    pub(super) given: Given,
}

/// A result with its input, or the case where the store is damaged, and how.
type Found = Result<(Stored, Body), (CaseId, String)>;

pub(super) struct Results<'a> {
    reader: &'a Reader,
    query: &'a Query,
    sample: Option<Sample>,
    /// Cases that are found and not looked at, the newest last.
    page: Vec<CaseId>,
    seen: Seen,
    is_last_page: bool,
    /// How many cases were looked at.
    pub(super) cases: u64,
    /// The last one.
    pub(super) reached: Option<CaseId>,
}

impl<'a> Results<'a> {
    pub(super) fn new(reader: &'a Reader, Verify { query, sample }: &'a Verify) -> Self {
        Self {
            reader,
            query,
            sample: *sample,
            page: Vec::new(),
            seen: Seen::default(),
            is_last_page: false,
            cases: 0,
            reached: None,
        }
    }

    pub(super) const fn is_over(&self) -> bool {
        self.is_last_page && self.page.is_empty()
    }

    /// The next result; `None` if there is none on this page, and the next one is to be looked at.
    pub(super) fn next(&mut self) -> Result<Option<Found>, StoreError> {
        if self.page.is_empty() {
            let walk = self.reader.find_cases(self.query, self.reached, PAGE)?;
            self.page = walk.found;
            self.page.reverse();
            self.is_last_page = walk.reached.is_none();
            if self.page.is_empty() {
                self.reached = walk.reached;
            }
        }
        while let Some(case) = self.page.pop() {
            self.cases += 1;
            self.reached = Some(case);
            if let Some(found) = self.unseen(case)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The result of a case, unless it was seen or is not in the sample.
    fn unseen(&mut self, case: CaseId) -> Result<Option<Found>, StoreError> {
        let Some(id) = self.reader.result_of(case)? else { return Ok(None) };
        if !self.seen.add(id) || self.sample.is_some_and(|sample| !sample.has(id)) {
            return Ok(None);
        }
        match self.stored(case, id) {
            Ok(found) => Ok(found.map(Ok)),
            Err(StoreError::Damaged(reason)) => Ok(Some(Err((case, reason)))),
            Err(error) => Err(error),
        }
    }

    fn stored(&self, case: CaseId, id: ResultId) -> Result<Option<(Stored, Body)>, StoreError> {
        // Somebody may have removed it meanwhile.
        let Some(ResultRecord { key, given }) = self.reader.result(id)? else { return Ok(None) };
        let (hash, input) = self.reader.content(key.content)?;
        let found = hash_of(&input).map_err(|error| StoreError::Damaged(chain(&error)))?;
        if found != hash {
            let reason = "the bytes of the input are not those that were stored".to_owned();
            return Err(StoreError::Damaged(reason));
        }
        Ok(Some((Stored { case, key, given }, input)))
    }
}

fn hash_of(body: &Body) -> std::io::Result<ContentHash> {
    let mut hasher = ContentHasher::new();
    let mut reading = body.open()?;
    loop {
        let part = std::io::BufRead::fill_buf(&mut reading)?;
        if part.is_empty() {
            return Ok(hasher.finish());
        }
        hasher.update(part);
        let read = part.len();
        std::io::BufRead::consume(&mut reading, read);
    }
}

/// Which results were seen: a bit for each.
#[derive(Default)]
struct Seen(Vec<u64>);

impl Seen {
    /// Whether it is the first time.
    fn add(&mut self, result: ResultId) -> bool {
        let number = usize::try_from(result.0).unwrap_or(0);
        let (word, bit) = (number / 64, 1 << (number % 64));
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        let is_new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        is_new
    }
}
