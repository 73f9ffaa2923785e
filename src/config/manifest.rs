//! `simdrop.toml`: what a folder or a zip says about itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use super::ConfigError;
use super::suggest::suggestion;

/// The keys there are.
const KEYS: [&str; 6] = ["simulator", "rules", "label", "tags", "compare", "pair"];

/// The file as serde reads it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    simulator: Option<Spanned<String>>,
    rules: Option<Spanned<String>>,
    label: Option<String>,
    #[serde(default)]
    tags: BTreeMap<String, String>,
    compare: Option<Spanned<String>>,
    pair: Option<Spanned<String>>,
}

/// A value with its place, for whoever knows what it may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The value.
    pub text: String,
    /// Its line, from 1.
    line: usize,
    /// Its column, from 1, in bytes.
    column: usize,
}

/// What a manifest says, word by word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// The file.
    path: PathBuf,
    /// The simulator of all inputs.
    pub simulator: Option<Word>,
    /// The rule set.
    pub rules: Option<Word>,
    /// What a run of it is called.
    pub label: Option<String>,
    /// Keys and values to find a run of it by.
    pub tags: BTreeMap<String, String>,
    /// How files are compared with outputs.
    pub compare: Option<Word>,
    /// How inputs and answers are paired.
    pub pair: Option<Word>,
}

impl Manifest {
    /// Reads the bytes of a manifest; `path` is for messages.
    ///
    /// # Errors
    /// [`ConfigError::Wrong`]: it is no TOML, it has an unknown key or a value of another kind.
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Self, ConfigError> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let place = place(&bytes[..error.valid_up_to()]);
            wrong(path, place, "a byte that is no UTF-8".to_owned())
        })?;
        let word = |value: Spanned<String>| {
            let (line, column) = place(&bytes[..value.span().start]);
            Word { text: value.into_inner(), line, column }
        };
        let keys: Keys = toml::from_str(text).map_err(|error| refused(text, path, &error))?;
        Ok(Self {
            path: path.to_owned(),
            simulator: keys.simulator.map(word),
            rules: keys.rules.map(word),
            label: keys.label,
            tags: keys.tags,
            compare: keys.compare.map(word),
            pair: keys.pair.map(word),
        })
    }

    /// The error of a word that is not what it should be.
    #[must_use]
    pub fn wrong(&self, word: &Word, message: String) -> ConfigError {
        wrong(&self.path, (word.line, word.column), message)
    }
}

fn wrong(path: &Path, (line, column): (usize, usize), message: String) -> ConfigError {
    ConfigError::Wrong { path: path.to_owned(), line, column, message }
}

/// The line and the column, from 1, after the bytes before.
fn place(before: &[u8]) -> (usize, usize) {
    let line = before.split(|&byte| byte == b'\n').count();
    let column = before.rsplit(|&byte| byte == b'\n').next().map_or(0, <[u8]>::len) + 1;
    (line, column)
}

/// Says what is wrong, and for an unknown key which one may be meant.
fn refused(text: &str, path: &Path, error: &toml::de::Error) -> ConfigError {
    let span = error.span().unwrap_or(0..0);
    let message = error.message();
    let key = message.strip_prefix("unknown field `").and_then(|rest| rest.split('`').next());
    let message = key.map_or_else(|| message.to_owned(), unknown);
    wrong(path, place(&text.as_bytes()[..span.start]), message)
}

fn unknown(key: &str) -> String {
    let meant = suggestion(key, &KEYS).map(|near| format!(", did you mean `{near}`?"));
    format!("unknown key `{key}`{} (known: {})", meant.unwrap_or_default(), KEYS.join(", "))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Manifest;

    fn complaint(text: &[u8]) -> String {
        Manifest::parse(text, Path::new("simdrop.toml")).unwrap_err().to_string()
    }

    #[test]
    fn an_unknown_key_is_refused_with_the_one_that_may_be_meant() {
        let said = complaint(b"label = \"x\"\nsimulater = \"mtj\"\n");
        let begin =
            "simdrop.toml: line 2, column 1: unknown key `simulater`, did you mean `simulator`?";
        assert!(said.starts_with(begin), "{said}");
        assert!(complaint(b"colour = 1").contains("unknown key `colour` (known: simulator, rules"));
    }

    #[test]
    fn a_value_of_another_kind_is_refused_with_its_place() {
        let said = complaint(b"label = \"x\"\npair = 3\n");
        assert!(said.starts_with("simdrop.toml: line 2, column 8: "), "{said}");
        let said = complaint(b"[tags]\nweek = 3\n");
        assert!(said.starts_with("simdrop.toml: line 2, column 8: "), "{said}");
        assert!(complaint(b"label = \"\xff\"").contains("line 1, column 10: a byte"));
    }

    #[test]
    fn a_word_knows_its_place() {
        let text = b"label = \"x\"\n\ncompare = \"lnies\"\n";
        let manifest = Manifest::parse(text, Path::new("m")).expect("a manifest");
        let word = manifest.compare.as_ref().expect("a word");
        let said = manifest.wrong(word, "no".to_owned()).to_string();
        assert_eq!(said, "m: line 3, column 11: no");
    }
}
