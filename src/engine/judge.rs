//! The verdict on a result.

use std::io;

use crate::compare::{Expected, compare};
use crate::domain::{Body, CaseError, CompareMode, Difference, ErrorCode, Verdict};

/// What is known of a result.
#[derive(Debug)]
pub struct KnownOutput {
    /// Its output, if it claims one and there is a file to compare.
    pub output: Option<Body>,
    /// Whether the file to compare is its output, byte for byte.
    pub same: bool,
    /// Whether any emoticon is right.
    pub endless: bool,
    /// Why it claims no output.
    pub error: Option<CaseError>,
}

impl KnownOutput {
    /// The verdict on a file, and where it differs first.
    pub(super) fn judge(
        &self,
        compared: Option<&Body>,
        mode: CompareMode,
    ) -> io::Result<(Verdict, Option<Difference>)> {
        Ok(match (&self.error, &self.output, compared) {
            (Some(error), ..) => (without_output(error), None),
            (None, ..) if self.same => (Verdict::Ac, None),
            (None, Some(output), Some(got)) if self.endless => {
                compare(Expected::Emoticon(output), got, mode)?
            }
            (None, Some(output), Some(got)) => compare(Expected::Text(output), got, mode)?,
            (None, ..) => (Verdict::NoRef, None),
        })
    }
}

/// The verdict on a result that says why it claims no output.
pub(super) const fn without_output(error: &CaseError) -> Verdict {
    match error.code {
        ErrorCode::Undecided => Verdict::Limit,
        _ => Verdict::BadIn,
    }
}
