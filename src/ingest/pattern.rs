//! A pair of names with a hole in each: how `--pair` says what belongs together.

use std::fmt;
use std::str::FromStr;

/// The hole, and its short form.
const HOLES: [&str; 2] = ["{name}", "*"];

/// Says which file answers which input: `{name}.in:{name}.ans`. `{name}`, or `*`, stands for any text
/// that is not empty, folders included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    input: Side,
    answer: Side,
}

/// What stands before and after the hole.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Side {
    before: String,
    after: String,
}

impl Side {
    fn parse(text: &str) -> Result<Self, PatternError> {
        let wrong = || PatternError::Holes { side: text.to_owned() };
        let mut splits = HOLES.into_iter().filter_map(|hole| text.split_once(hole));
        let (before, after) = splits.next().ok_or_else(wrong)?;
        if HOLES.into_iter().any(|hole| before.contains(hole) || after.contains(hole)) {
            return Err(wrong());
        }
        Ok(Self { before: before.to_owned(), after: after.to_owned() })
    }

    /// What fills the hole.
    fn name<'a>(&self, path: &'a [u8]) -> Option<&'a [u8]> {
        let rest = path.strip_prefix(self.before.as_bytes())?;
        rest.strip_suffix(self.after.as_bytes()).filter(|name| !name.is_empty())
    }

    fn fill(&self, name: &[u8]) -> Vec<u8> {
        [self.before.as_bytes(), name, self.after.as_bytes()].concat()
    }

    /// How much it demands: the longer side knows better.
    const fn weight(&self) -> usize {
        self.before.len() + self.after.len()
    }
}

impl Pattern {
    /// The path of the file that answers this one, if it has the shape of an input.
    pub(super) fn answer(&self, path: &[u8]) -> Option<Vec<u8>> {
        Some(self.answer.fill(self.input.name(path)?))
    }

    /// Whether a path has the shape of an input, and not better that of an answer.
    pub(super) fn is_input(&self, path: &[u8]) -> bool {
        self.input.name(path).is_some()
            && (self.answer.name(path).is_none() || self.input.weight() >= self.answer.weight())
    }

    /// Whether a path has the shape of an answer, and not better that of an input.
    pub(super) fn is_answer(&self, path: &[u8]) -> bool {
        self.answer.name(path).is_some() && !self.is_input(path)
    }
}

impl FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        let (input, answer) = text.split_once(':').ok_or(PatternError::Sides)?;
        if answer.contains(':') {
            return Err(PatternError::Sides);
        }
        let (input, answer) = (Side::parse(input)?, Side::parse(answer)?);
        if input == answer {
            return Err(PatternError::Same);
        }
        Ok(Self { text: text.to_owned(), input, answer })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

/// Why a text is no pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// Not two sides.
    #[error("expected INPUT:ANSWER with one colon, such as {{name}}.in:{{name}}.ans")]
    Sides,
    /// A side without the hole, or with several.
    #[error("{side:?}: expected exactly one {{name}} (or *) on each side of the colon")]
    Holes {
        /// The side.
        side: String,
    },
    /// Both sides name the same file.
    #[error("both sides name the same file")]
    Same,
}

#[cfg(test)]
mod tests {
    use super::{Pattern, PatternError};

    fn pattern(text: &str) -> Pattern {
        text.parse().expect("a pattern")
    }

    #[test]
    fn the_hole_is_any_text_that_is_not_empty_folders_included() {
        for text in ["t/{name}.in:t/{name}.ans", "t/*.in:t/*.ans"] {
            let pattern = pattern(text);
            assert_eq!(pattern.answer(b"t/a/1.in"), Some(b"t/a/1.ans".to_vec()));
            assert_eq!((pattern.answer(b"t/.in"), pattern.answer(b"1.in")), (None, None));
            assert_eq!(pattern.to_string(), text);
        }
    }

    #[test]
    fn a_path_of_both_shapes_is_what_demands_more_of_it() {
        let pattern = pattern("{name}:{name}.a");
        assert!(pattern.is_input(b"01") && !pattern.is_answer(b"01"));
        assert!(!pattern.is_input(b"01.a") && pattern.is_answer(b"01.a"));
    }

    #[test]
    fn a_malformed_pattern_says_why() {
        let error = |text: &str| text.parse::<Pattern>().unwrap_err();
        assert_eq!(error("{name}.in"), PatternError::Sides);
        assert_eq!(error("*:*.a:*.b"), PatternError::Sides);
        assert_eq!(error("*.in:*.in"), PatternError::Same);
        for (text, side) in [("x.in:*.ans", "x.in"), ("*.in:**", "**"), ("{name}*:*.a", "{name}*")]
        {
            assert_eq!(error(text), PatternError::Holes { side: side.to_owned() });
        }
    }
}
