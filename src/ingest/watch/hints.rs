//! What was said of names in one directory.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// What may be said of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hint {
    /// Something happened to it.
    Touched,
    /// It was closed after writing.
    Closed,
    /// It was renamed into the directory, so it is complete.
    RenamedIn,
}

/// What was said of names in one directory, at most of [`HINTS_MOST`].
#[derive(Debug, Default)]
pub struct Hints {
    names: BTreeMap<OsString, Hint>,
    overflow: bool,
}

/// More names than this are not worth looking at one by one.
pub const HINTS_MOST: usize = 4096;

impl Hints {
    /// Something was said of a name; what comes last holds.
    pub fn add(&mut self, name: &OsStr, hint: Hint) {
        if let Some(known) = self.names.get_mut(name) {
            // Permissions may change without making a file less complete.
            *known = if hint == Hint::Touched { *known } else { hint };
        } else if self.names.len() == HINTS_MOST {
            self.overflow();
        } else if !self.overflow {
            self.names.insert(name.to_owned(), hint);
        }
    }

    /// It changed, so that what was said of it does not hold any more.
    pub(super) fn weaken(&mut self, name: &OsStr) {
        if let Some(hint) = self.names.get_mut(name) {
            *hint = Hint::Touched;
        }
    }

    /// Something was lost: everything must be looked at, and nothing that was said counts.
    pub fn overflow(&mut self) {
        self.names.clear();
        self.overflow = true;
    }

    /// Whether everything must be looked at.
    #[must_use]
    pub const fn is_overflow(&self) -> bool {
        self.overflow
    }

    /// Whether nothing was said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && !self.overflow
    }

    /// The names of which something was said.
    #[must_use]
    pub fn names(&self) -> Vec<OsString> {
        self.names.keys().cloned().collect()
    }

    /// What was said of a name, once.
    pub(in super::super) fn remove(&mut self, name: &OsStr) -> Option<Hint> {
        self.names.remove(name)
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::{HINTS_MOST, Hint, Hints};

    #[test]
    fn what_comes_last_holds_and_a_change_takes_it_back() {
        let name = OsStr::new("a");
        let mut hints = Hints::default();
        hints.weaken(name);
        assert!(hints.is_empty());
        for (said, holds) in [
            (Hint::Touched, Hint::Touched),
            (Hint::Closed, Hint::Closed),
            (Hint::Touched, Hint::Closed),
            (Hint::RenamedIn, Hint::RenamedIn),
        ] {
            hints.add(name, said);
            assert_eq!(hints.names.get(name), Some(&holds));
        }
        hints.weaken(name);
        assert_eq!(hints.remove(name), Some(Hint::Touched));
        assert_eq!(hints.remove(name), None);
    }

    #[test]
    fn more_names_than_the_bound_are_forgotten_together() {
        let mut hints = Hints::default();
        for number in 0..=HINTS_MOST {
            assert!(!hints.is_overflow());
            hints.add(OsStr::new(&number.to_string()), Hint::RenamedIn);
        }
        hints.add(OsStr::new("late"), Hint::RenamedIn);
        assert!(hints.is_overflow() && hints.names().is_empty() && !hints.is_empty());
    }
}
