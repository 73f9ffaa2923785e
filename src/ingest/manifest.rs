//! What a folder or a zip says about itself, in our own words.

use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;

use super::source::FileRef;
use super::{Cap, IngestError, Pattern};
use crate::config;
use crate::domain::{CompareMode, RuleSet, SimulatorId};

/// A larger manifest is none.
const BYTES_MOST: Cap = Cap { bytes: 64 << 10, key: "no manifest is so large" };

/// What a `simdrop.toml` says. Flags beat it, and it beats the names of folders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manifest {
    /// The simulator of all inputs.
    pub simulator: Option<SimulatorId>,
    /// The rule set, for the simulators that have it.
    pub rules: Option<RuleSet>,
    /// What a run of it is called.
    pub label: Option<String>,
    /// Keys and values to find a run of it by.
    pub tags: BTreeMap<String, String>,
    /// How files are compared with outputs.
    pub compare: Option<CompareMode>,
    /// How inputs and answers are paired.
    pub pair: Option<Pattern>,
}

impl Manifest {
    /// Reads a manifest; `path` is for messages.
    pub(super) fn read(file: &FileRef, path: &Path) -> Result<Self, IngestError> {
        let bytes = file.bytes(BYTES_MOST);
        let bytes =
            bytes.map_err(|source| IngestError::NoFile { path: path.to_owned(), source })?;
        let words = config::Manifest::parse(&bytes, path)?;
        Ok(Self {
            simulator: meant(&words, words.simulator.as_ref())?,
            rules: meant(&words, words.rules.as_ref())?,
            compare: meant(&words, words.compare.as_ref())?,
            pair: meant(&words, words.pair.as_ref())?,
            label: words.label,
            tags: words.tags,
        })
    }
}

/// What a word means.
fn meant<T: FromStr<Err: ToString>>(
    words: &config::Manifest,
    word: Option<&config::Word>,
) -> Result<Option<T>, IngestError> {
    let parse = |word: &config::Word| {
        word.text.parse().map_err(|error: T::Err| words.wrong(word, error.to_string()).into())
    };
    word.map(parse).transpose()
}
