//! Some of the cases of a run: how `--only` says which.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use super::{Entry, IngestError};

/// Ranks and patterns of names, separated by commas: `1,3-5,20-,a/*`. In a pattern `*` stands for any
/// text, folders included, `?` for one character and `[ab]` for one of some.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    items: Vec<Item>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Item {
    text: String,
    wanted: Wanted,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Wanted {
    Ranks(RangeInclusive<u32>),
    Names(glob::Pattern),
}

impl Selection {
    /// Leaves the entries that some item wants, with the ranks they have.
    pub(super) fn apply(&self, entries: &mut Vec<Entry>) -> Result<(), IngestError> {
        let mut hits = vec![false; self.items.len()];
        entries.retain(|entry| {
            let name = entry.name();
            let name = String::from_utf8_lossy(&name);
            let wants = |(item, hit): (&Item, &mut bool)| {
                let wanted = item.wanted.has(entry.rank, &name);
                *hit |= wanted;
                wanted
            };
            // Each item is asked, to know of each whether it selects something.
            self.items.iter().zip(&mut hits).map(wants).fold(false, |any, wanted| any | wanted)
        });
        match hits.iter().position(|&hit| !hit) {
            Some(at) => Err(IngestError::NothingSelected { item: self.items[at].text.clone() }),
            None => Ok(()),
        }
    }
}

impl Wanted {
    fn has(&self, rank: u32, name: &str) -> bool {
        match self {
            Self::Ranks(ranks) => ranks.contains(&rank),
            Self::Names(pattern) => pattern.matches(name),
        }
    }
}

impl FromStr for Item {
    type Err = SelectionError;

    fn from_str(text: &str) -> Result<Self, SelectionError> {
        let wrong = |reason: String| SelectionError { item: text.to_owned(), reason };
        let is_number =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = |text: &str| match text.parse() {
            Ok(0) | Err(_) => Err(wrong("ranks are whole numbers from 1".to_owned())),
            Ok(rank) => Ok(rank),
        };
        let wanted = match text.split_once('-') {
            None if is_number(text) => Wanted::Ranks(number(text)?..=number(text)?),
            Some((from, "")) if is_number(from) => Wanted::Ranks(number(from)?..=u32::MAX),
            Some((from, to)) if is_number(from) && is_number(to) => {
                Wanted::Ranks(number(from)?..=number(to)?)
            }
            _ if text.is_empty() => return Err(wrong("a rank or a name is missing".to_owned())),
            _ => Wanted::Names(
                glob::Pattern::new(text).map_err(|error| wrong(error.msg.to_owned()))?,
            ),
        };
        if matches!(&wanted, Wanted::Ranks(ranks) if ranks.is_empty()) {
            return Err(wrong("the first rank is larger than the last".to_owned()));
        }
        Ok(Self { text: text.to_owned(), wanted })
    }
}

impl FromStr for Selection {
    type Err = SelectionError;

    fn from_str(text: &str) -> Result<Self, SelectionError> {
        Ok(Self {
            items: text.split(',').map(|item| item.trim().parse()).collect::<Result<_, _>>()?,
        })
    }
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, item) in self.items.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(f, "{comma}{}", item.text)?;
        }
        Ok(())
    }
}

/// Why a text is no selection.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{item:?}: {reason}; expected ranks and names such as 1,3-5,20-,a/*")]
pub struct SelectionError {
    /// The item.
    pub item: String,
    /// What is wrong with it.
    pub reason: String,
}

#[cfg(test)]
mod tests {
    use super::Selection;

    #[test]
    fn ranks_ranges_and_patterns_are_told_apart() {
        let selection: Selection = "1, 3-5,20-,a/*,x-1,-3".parse().expect("a selection");
        assert_eq!(selection.to_string(), "1,3-5,20-,a/*,x-1,-3");
        let wants = |item: usize, rank, name| selection.items[item].wanted.has(rank, name);
        assert!(wants(0, 1, "x") && !wants(0, 2, "1"));
        assert!(wants(1, 3, "x") && wants(1, 5, "x") && !wants(1, 6, "x"));
        assert!(wants(2, u32::MAX, "x") && !wants(2, 19, "x"));
        assert!(wants(3, 1, "a/b/c") && !wants(3, 1, "b/a/c"));
        assert!(wants(4, 9, "x-1") && wants(5, 9, "-3"));
    }

    #[test]
    fn a_malformed_selection_says_why() {
        for (text, reason) in [
            ("", "missing"),
            ("1,,2", "missing"),
            ("0", "from 1"),
            ("5-3", "larger than the last"),
            ("99999999999", "from 1"),
            ("a[", "invalid range"),
        ] {
            let said = text.parse::<Selection>().unwrap_err().to_string();
            assert!(said.contains(reason), "{said}");
        }
    }
}
