//! The energy of one side's characters.
//!
//! All living characters gain the same at the end of an action, and when a skill hits them all. So
//! that is kept once for all of them, and an action touches few characters.

use super::fighter::Fighter;

/// What a side's characters have in common about their energy.
///
/// A character is full when it lacks no more than `shared`. Energy is cut at `MP`; as long as it only
/// grows that can wait.
pub(super) struct Energies {
    /// What all the living gained since the lacks were last settled.
    shared: u64,
    /// No living character lacks less.
    least: u64,
}

/// The energy that the dead lack. The living lack less.
pub(super) const DEAD: u64 = u64::MAX;

/// The most that is shared when a side casts: then `MP` more than that is less than what the dead lack.
const SHARED_MAX: u64 = i64::MAX as u64;

impl Energies {
    /// Nobody has gained any energy.
    pub(super) const fn new() -> Self {
        Self { shared: 0, least: 0 }
    }

    /// The current energy of a living character.
    pub(super) const fn mp(&self, fighter: &Fighter<'_>) -> i64 {
        (fighter.max_mp - fighter.lack.get().saturating_sub(self.shared)).cast_signed()
    }

    /// A living character gains energy.
    #[inline(always)]
    pub(super) fn gain(&mut self, fighter: &Fighter<'_>, energy: u64) {
        self.set_lack(fighter, fighter.lack.get().saturating_sub(energy));
    }

    /// All living characters gain energy.
    #[inline(always)]
    pub(super) const fn all_gain(&mut self, energy: u64) {
        // If the sum is cut everybody is full, and so it would be without.
        self.shared = self.shared.saturating_add(energy);
    }

    /// Finds who casts (among the full the highest skill, then the highest index) and takes all its
    /// energy.
    #[inline(always)]
    pub(super) fn spend<'a>(&mut self, fighters: &'a [Fighter<'a>]) -> Option<&'a Fighter<'a>> {
        if self.least > self.shared { None } else { self.find(fighters) }
    }

    #[inline(never)]
    fn find<'a>(&mut self, fighters: &'a [Fighter<'a>]) -> Option<&'a Fighter<'a>> {
        self.settle(fighters);
        let (shared, mut least) = (self.shared, DEAD);
        let (mut caster, mut skill): (Option<&Fighter<'_>>, _) = (None, 0);
        for fighter in fighters {
            let lack = fighter.lack.get();
            if lack > shared {
                least = least.min(lack);
                continue;
            }
            if caster.is_some() {
                least = shared;
            }
            if fighter.skill.get().id >= skill {
                (caster, skill) = (Some(fighter), fighter.skill.get().id);
            }
        }
        self.least = least;
        if let Some(caster) = caster {
            self.set_lack(caster, caster.max_mp + shared);
        }
        caster
    }

    /// Takes what is shared off the lacks before it grows too large.
    #[inline]
    fn settle(&mut self, fighters: &[Fighter<'_>]) {
        if self.shared > SHARED_MAX {
            for fighter in fighters.iter().filter(|fighter| !fighter.is_buried()) {
                fighter.lack.update(|lack| lack.saturating_sub(self.shared));
            }
            self.shared = 0;
        }
    }

    /// All living characters lose a tenth of their energy, rounded down.
    pub(super) fn drain(&mut self, fighters: &[Fighter<'_>]) {
        self.settle(fighters);
        self.least = DEAD;
        for fighter in fighters.iter().filter(|fighter| !fighter.is_buried()) {
            let lack = fighter.lack.get().saturating_sub(self.shared);
            self.set_lack(fighter, lack + (fighter.max_mp - lack) / 10 + self.shared);
        }
    }

    /// A living character's energy is at least half, rounded down. Its side is casting, so what is
    /// shared is settled.
    pub(super) fn lift(&mut self, fighter: &Fighter<'_>) {
        let half = fighter.max_mp - fighter.max_mp / 2;
        self.set_lack(fighter, fighter.lack.get().min(half + self.shared));
    }

    #[inline(always)]
    fn set_lack(&mut self, fighter: &Fighter<'_>, lack: u64) {
        fighter.lack.set(lack);
        self.least = self.least.min(lack);
    }
}
