//! The energy of one side's characters.
//!
//! All living characters gain the same at the end of an action, and when a skill hits them all. So
//! that is kept once for all of them, and an action touches few characters.

use super::fighter::Fighter;

/// Energy by character, as its distance from full: `mp - MP`, so 0 is full.
///
/// Energy is cut at `MP`. As long as it only grows that can wait: whatever is above 0 is 0.
pub(super) struct Energies {
    /// The distances, without `shared`.
    charges: Vec<i64>,
    /// What all the living gained since the charges were last settled; not negative.
    shared: i64,
    /// The most `shared` at which every distance less `shared` stays within 64 bits.
    shared_max: i64,
    /// No charge is higher.
    highest: i64,
}

/// The charge of the dead. That of the living is higher.
const DEAD: i64 = i64::MIN;

impl Energies {
    /// No energy at all.
    pub(super) fn new(fighters: &[Fighter<'_>]) -> Self {
        let charges: Vec<_> = fighters.iter().map(|fighter| -fighter.max_mp).collect();
        let shared_max = charges.iter().fold(i64::MAX, |most, charge| most.min(i64::MAX + charge));
        Self { charges, shared: 0, shared_max, highest: 0 }
    }

    /// The distance of a living character from full.
    pub(super) fn charge(&self, index: usize) -> i64 {
        self.charges[index].saturating_add(self.shared).min(0)
    }

    /// A living character gains energy.
    #[inline(always)]
    pub(super) fn gain(&mut self, index: usize, energy: i64) {
        self.some_gain([(index, energy)]);
    }

    /// Some living characters gain energy.
    #[inline(always)]
    pub(super) fn some_gain(&mut self, gains: impl IntoIterator<Item = (usize, i64)>) {
        let charges = self.charges.as_mut_slice();
        let mut highest = self.highest;
        for (index, energy) in gains {
            let charge = &mut charges[index];
            // From 0 on it is full whatever is shared.
            *charge += if *charge < 0 { energy } else { 0 };
            highest = highest.max(*charge);
        }
        self.highest = highest;
    }

    /// All living characters gain energy.
    #[inline(always)]
    pub(super) fn all_gain(&mut self, energy: i64) {
        // Neither is negative. If the sum is cut everybody is full, and so it would be without.
        let sum = self.shared.cast_unsigned() + energy.cast_unsigned();
        self.shared = sum.min(i64::MAX.cast_unsigned()).cast_signed();
    }

    /// Whether a character is alive here.
    pub(super) fn lives(&self, index: usize) -> bool {
        self.charges[index] != DEAD
    }

    /// A character is dead; whether that is news.
    pub(super) fn die(&mut self, index: usize) -> bool {
        std::mem::replace(&mut self.charges[index], DEAD) != DEAD
    }

    /// Finds who casts (among the full the highest skill, then the highest index) and takes all its
    /// energy.
    #[inline(always)]
    pub(super) fn spend(&mut self, fighters: &[Fighter<'_>]) -> Option<usize> {
        if self.highest < -self.shared { None } else { self.find(fighters) }
    }

    fn find(&mut self, fighters: &[Fighter<'_>]) -> Option<usize> {
        self.settle();
        let full_from = -self.shared;
        let (mut caster, mut skill, mut full) = (None, 0, 0);
        self.highest = DEAD;
        for (index, &charge) in self.charges.iter().enumerate() {
            if charge < full_from {
                self.highest = self.highest.max(charge);
                continue;
            }
            full += 1;
            if fighters[index].skill.id >= skill {
                (caster, skill) = (Some(index), fighters[index].skill.id);
            }
        }
        if full > 1 {
            self.highest = full_from;
        }
        if let Some(caster) = caster {
            self.charges[caster] = -fighters[caster].max_mp - self.shared;
        }
        caster
    }

    /// Puts what is shared into the charges before it grows too large.
    #[inline]
    fn settle(&mut self) {
        if self.shared > self.shared_max {
            for charge in self.charges.iter_mut().filter(|charge| **charge != DEAD) {
                *charge = charge.saturating_add(self.shared).min(0);
            }
            self.shared = 0;
        }
    }

    /// All living characters lose a tenth of their energy, rounded down.
    pub(super) fn drain(&mut self, fighters: &[Fighter<'_>]) {
        self.settle();
        self.highest = DEAD;
        for (charge, fighter) in self.charges.iter_mut().zip(fighters) {
            if *charge != DEAD {
                let distance = charge.saturating_add(self.shared).min(0);
                *charge = distance - (fighter.max_mp + distance) / 10 - self.shared;
                self.highest = self.highest.max(*charge);
            }
        }
    }

    /// A living character's energy is at least half, rounded down. Its side is casting, so what is
    /// shared is settled.
    pub(super) fn lift(&mut self, index: usize, fighter: &Fighter<'_>) {
        let half = fighter.max_mp / 2 - fighter.max_mp - self.shared;
        self.charges[index] = self.charges[index].max(half);
        self.highest = self.highest.max(half);
    }
}
