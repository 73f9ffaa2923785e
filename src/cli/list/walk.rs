//! Walking back through a store until there are enough rows.

use std::time::{Duration, Instant};

use super::row::Row;
use super::top::{Order, Top};
use crate::cli::CliError;
use crate::store::{Query, Reach, Reader, Walk};

/// How many rows are found at a time.
const FOUND: usize = 512;

/// How many rows are looked at at a time, so that the clock is seen often enough.
const LOOKED_AT: usize = 16_384;

/// How a walk ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End<K> {
    /// That was all.
    All,
    /// There may be more after this one.
    More(K),
    /// There was no time to look at more than those up to here.
    Late(K),
    /// The best of so many.
    Best {
        /// How many.
        of: u64,
    },
}

/// Somebody who looks for rows.
pub(super) struct Walker<'a, T: Row> {
    pub(super) reader: &'a Reader,
    pub(super) query: &'a Query,
    pub(super) after: Option<T::Key>,
}

impl<T: Row> Walker<'_, T> {
    /// Calls `see` with the newest rows.
    pub(super) fn newest(
        &self,
        limit: u64,
        patience: Option<Duration>,
        mut see: impl FnMut(&T) -> Result<(), CliError>,
    ) -> Result<End<T::Key>, CliError> {
        let begun = Instant::now();
        let is_late = || patience.is_some_and(|patience| begun.elapsed() >= patience);
        newest(
            self.after,
            limit,
            is_late,
            |before, reach| self.find(before, reach),
            |key| T::fetch(self.reader, key)?.map_or(Ok(()), |row| see(&row)),
        )
    }

    /// Calls `see` with the first rows in an order, after a look at all of them.
    pub(super) fn best(
        &self,
        order: &Order<T>,
        most: u64,
        mut see: impl FnMut(&T) -> Result<(), CliError>,
    ) -> Result<End<T::Key>, CliError> {
        let mut top = Top::new(order, most);
        newest(
            None,
            u64::MAX,
            || false,
            |before, reach| self.find(before, reach),
            |key| {
                if let Some(row) = T::fetch(self.reader, key)? {
                    top.add(key, &row);
                }
                Ok(())
            },
        )?;
        let of = top.seen();
        for key in top.keys() {
            T::fetch(self.reader, key)?.map_or(Ok(()), |row| see(&row))?;
        }
        Ok(End::Best { of })
    }

    fn find(&self, before: Option<T::Key>, reach: Reach) -> Result<Walk<T::Key>, CliError> {
        Ok(T::find(self.reader, self.query, before, reach)?)
    }
}

/// Calls `see` with up to `limit` keys after `after`, and looks for one more to know whether there is one.
fn newest<K: Copy>(
    after: Option<K>,
    limit: u64,
    is_late: impl Fn() -> bool,
    find: impl Fn(Option<K>, Reach) -> Result<Walk<K>, CliError>,
    mut see: impl FnMut(K) -> Result<(), CliError>,
) -> Result<End<K>, CliError> {
    let (mut left, mut before) = (limit, after);
    loop {
        let more = usize::try_from(left).unwrap_or(FOUND).min(FOUND) + 1;
        let walk = find(before, Reach { found: more, looked_at: LOOKED_AT })?;
        for &key in &walk.found {
            if left == 0 {
                return Ok(before.map_or(End::All, End::More));
            }
            see(key)?;
            left -= 1;
            before = Some(key);
        }
        match (walk.reached, before) {
            (None, _) => return Ok(End::All),
            (Some(_), Some(last)) if left == 0 => return Ok(End::More(last)),
            (Some(reached), _) if is_late() => return Ok(End::Late(reached)),
            (Some(reached), _) => before = Some(reached),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::{End, newest};
    use crate::cli::CliError;
    use crate::store::{Reach, Walk};

    /// Walks over 100 to 1, of which those fit that are divided by `step`; at most 10 are looked at at a
    /// time, and patience ends after so many times.
    fn walk(after: Option<u64>, limit: u64, step: u64, times: u32) -> (Vec<u64>, End<u64>) {
        let called = Cell::new(0);
        let find = |before: Option<u64>, reach: Reach| {
            called.set(called.get() + 1);
            let mut found = Vec::new();
            for (looked_at, key) in (1..before.unwrap_or(101)).rev().enumerate() {
                found.extend(key.is_multiple_of(step).then_some(key));
                if found.len() == reach.found || looked_at == 9 {
                    return Ok(Walk { found, looked_at, reached: Some(key) });
                }
            }
            Ok::<_, CliError>(Walk { found, looked_at: 0, reached: None })
        };
        let mut seen = Vec::new();
        let see = |key| {
            seen.push(key);
            Ok(())
        };
        let end = newest(after, limit, || called.get() >= times, find, see).expect("an end");
        (seen, end)
    }

    #[test]
    fn it_says_whether_there_is_more() {
        assert_eq!(walk(None, 3, 2, 99), (vec![100, 98, 96], End::More(96)));
        assert_eq!(walk(Some(96), 3, 2, 99), (vec![94, 92, 90], End::More(90)));
        assert_eq!(walk(Some(6), 2, 2, 99), (vec![4, 2], End::All));
        assert_eq!(walk(None, 2, 60, 99).1, End::All);
        assert_eq!(walk(None, 1, 60, 99), (vec![60], End::More(60)));
        assert_eq!(walk(None, u64::MAX, 30, 99), (vec![90, 60, 30], End::All));
    }

    #[test]
    fn who_is_late_gets_what_there_is_and_where_to_go_on() {
        assert_eq!(walk(None, 9, 85, 1), (vec![], End::Late(91)));
        assert_eq!(walk(None, 9, 85, 2), (vec![85], End::Late(81)));
        assert_eq!(walk(Some(81), 9, 85, 1), (vec![], End::Late(71)));
    }
}
