//! What a look at an inbox finds.

use std::ffi::{OsStr, OsString};
use std::time::Instant;

use super::super::{Frozen, Identity, Origin};
use crate::domain::Class;

/// What a look at an inbox finds.
#[derive(Debug, Default)]
pub struct Found {
    /// What can be taken, at most [`READY_MOST`] at once: if there is more, the next look is due now.
    pub ready: Vec<Dropped>,
    /// What can never be taken.
    pub refused: Vec<Refused>,
    /// Answers that have no input, told when they became ready and again by each scan. They wait without
    /// end.
    pub waiting: Vec<OsString>,
    /// Folders that a `run` fills to hand them over, or did until it was killed; told by scans.
    pub making: Vec<OsString>,
    /// How many names vanished since they were seen.
    pub gone: u64,
}

/// How many drops one look hands on at most, so that a million files never become a million drops.
pub const READY_MOST: usize = 1024;

/// Something that is complete and becomes a run. Whoever is done with it, put away or not, says so with
/// [`super::Inbox::forget`]; until then it is not handed on again.
#[derive(Debug)]
pub struct Dropped {
    /// Its names in the inbox: one folder, one zip, one file, or an input and its answer with the
    /// `.out` that may lie beside it.
    pub names: Vec<OsString>,
    /// What is taken in.
    pub origin: Origin,
    /// What it is known by.
    pub identity: Identity,
    /// Whether it goes first.
    pub class: Class,
    /// Its files, to be looked at again before the run is kept and after it was put away.
    pub listed: Frozen,
}

/// Something that can never be taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Its name in the inbox.
    pub name: OsString,
    /// Why.
    pub reason: String,
}

/// What lies in an inbox and is not taken.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// What is not known to be complete, or is complete and not handed on yet.
    pub settling: Tally,
    /// Answers without their inputs, and inputs whose answers are settling.
    pub waiting: Tally,
    /// What cannot be read.
    pub blocked: Tally,
    /// What can never be taken.
    pub refused: Tally,
    /// What was taken and could not be moved out of the inbox.
    pub aside: Tally,
}

/// How many there are, and the first of them in order of bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many there are.
    pub count: u64,
    /// The first of them.
    pub first: Vec<Shown>,
}

/// A name in an inbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The name.
    pub name: OsString,
    /// When it was first seen as it is now.
    pub since: Instant,
    /// Why it is not taken, if there is more to say.
    pub reason: Option<String>,
}

/// How many names a tally shows.
const SHOWN_MOST: usize = 20;

impl Tally {
    pub(super) fn add(&mut self, name: &OsStr, since: Instant, reason: Option<String>) {
        self.count += 1;
        // Most of a million come after the last one that is shown.
        let is_full = self.first.len() == SHOWN_MOST;
        if is_full && self.first.last().is_some_and(|last| name > last.name) {
            return;
        }
        let at = self.first.partition_point(|shown| shown.name.as_os_str() < name);
        self.first.truncate(SHOWN_MOST - 1);
        self.first.insert(at, Shown { name: name.to_owned(), since, reason });
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::time::Instant;

    use super::Tally;

    #[test]
    fn the_first_in_order_of_bytes_are_shown_in_whatever_order_they_come() {
        let names = |numbers: &mut dyn Iterator<Item = u32>| -> Vec<OsString> {
            numbers.map(|number| format!("{number:04}").into()).collect()
        };
        let ways: [Vec<OsString>; 3] = [
            names(&mut (0..1000)),
            names(&mut (0..1000).rev()),
            names(&mut (0..1000).map(|number| number * 7 % 1000)),
        ];
        for way in ways {
            let mut tally = Tally::default();
            way.iter().for_each(|name| tally.add(name, Instant::now(), None));
            let shown: Vec<OsString> = tally.first.into_iter().map(|shown| shown.name).collect();
            assert_eq!((tally.count, shown), (1000, names(&mut (0..20))));
        }
    }
}
