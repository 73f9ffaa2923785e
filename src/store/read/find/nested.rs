//! A walk over what belongs to others: cases run by run, games case by case.

use crate::store::StoreError;
use crate::store::query::{Reach, Walk};

/// How many owners are found at a time.
const OWNERS: usize = 256;

/// A key of something that belongs to something else.
pub(super) trait Owned: Copy + PartialEq {
    /// The key of what it belongs to.
    type Owner: Copy + PartialEq;

    fn owner(self) -> Self::Owner;

    /// The place that everything of an owner comes after, newest first: a walk goes on behind the owner.
    fn before_all_of(owner: Self::Owner) -> Self;

    /// The place of the next newer owner, so that a walk before it begins with this one.
    fn just_after(owner: Self::Owner) -> Self::Owner;

    /// The place from which a walk over owners goes on: with the owner, unless all that it has was seen.
    fn first_owner(self) -> Self::Owner {
        let owner = self.owner();
        if self == Self::before_all_of(owner) { owner } else { Self::just_after(owner) }
    }
}

/// A walk on its way.
pub(super) struct Nested<K> {
    /// Where it goes on.
    before: Option<K>,
    reach: Reach,
    walk: Walk<K>,
}

impl<K: Owned> Nested<K> {
    pub(super) const fn new(before: Option<K>, reach: Reach) -> Self {
        Self { before, reach, walk: Walk { found: Vec::new(), looked_at: 0, reached: before } }
    }

    /// Walks over owners, and in each over what belongs to it.
    pub(super) fn walk(
        mut self,
        owners: impl Fn(Option<K::Owner>, Reach) -> Result<Walk<K::Owner>, StoreError>,
        owned: impl Fn(K::Owner, Option<K>, Reach) -> Result<Walk<K>, StoreError>,
    ) -> Result<Walk<K>, StoreError> {
        let begun = self.before.map(K::owner);
        let mut last = self.before.map(K::first_owner);
        loop {
            let some = owners(last, Reach { found: OWNERS, ..self.left() })?;
            self.walk.looked_at += some.looked_at;
            for owner in some.found {
                let before = self.before.filter(|_| begun == Some(owner));
                let here = owned(owner, before, self.left())?;
                if !self.goes_on(owner, here) {
                    return Ok(self.walk);
                }
            }
            last = some.reached;
            self.walk.reached = last.map(K::before_all_of);
            if last.is_none() || self.is_late() {
                return Ok(self.walk);
            }
        }
    }

    /// Adds what belongs to an owner; whether there is time for the next one.
    fn goes_on(&mut self, owner: K::Owner, here: Walk<K>) -> bool {
        let is_whole = here.reached.is_none();
        self.walk.found.extend(here.found);
        self.walk.looked_at += here.looked_at;
        self.walk.reached = here.reached.or(Some(K::before_all_of(owner)));
        is_whole && !self.is_late()
    }

    const fn is_late(&self) -> bool {
        self.walk.looked_at >= self.reach.looked_at
    }

    /// How far it may go yet: a step in any case, so that it never ends where it began.
    fn left(&self) -> Reach {
        Reach {
            found: self.reach.found - self.walk.found.len(),
            looked_at: self.reach.looked_at.saturating_sub(self.walk.looked_at).max(1),
        }
    }
}
