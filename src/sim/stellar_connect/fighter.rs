//! One character's own values, and the arithmetic of a hit.

use super::input::{Character, Skill};

/// Flesh and Blood: immune to half of true damage.
const FLESH_AND_BLOOD: i64 = 1;
/// Stellar Power Projection: `x` true damage on top of a normal attack.
const STELLAR_POWER_PROJECTION: i64 = 2;
/// Mind Over Matter: `x` hp and `y` energy after each allied action.
pub(super) const MIND_OVER_MATTER: i64 = 3;
/// Transcendence: a normal attack deals true damage only.
const TRANSCENDENCE: i64 = 4;
/// Technology Above All: `x` hp after a normal attack, `y` energy after a cast.
const TECHNOLOGY_ABOVE_ALL: i64 = 5;

/// What changes rarely about a character.
pub(super) struct Fighter<'a> {
    pub(super) max_hp: u64,
    pub(super) max_mp: i64,
    /// Base attack.
    pub(super) attack: i64,
    /// Base defence.
    pub(super) defence: i64,
    pub(super) skill: Skill,
    /// The enemies it attacks, from 1, in that order.
    pub(super) order: &'a [usize],
    /// Where in its order the first living enemy was last found.
    pub(super) front: usize,
    /// Talent 1.
    halves_true_damage: bool,
    /// Talent 4.
    transcends: bool,
    /// Talent 2: true damage on top of a normal attack.
    projection: u64,
    /// Talent 5: hp after a normal attack.
    pub(super) hp_after_attack: u64,
    /// Energy after a cast, with talent 5 in it.
    pub(super) energy_after_cast: i64,
    pub(super) casts: u64,
    pub(super) attacks: u64,
}

/// What a hit brings, before the victim's defence and talent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Blow {
    pub(super) damage: u64,
    pub(super) true_damage: u64,
}

/// What protects a victim.
#[derive(Debug, Clone, Copy)]
pub(super) struct Guard {
    /// `D = max(def + bonus, 0)`.
    defence: u64,
    /// Talent 1.
    halves_true_damage: bool,
}

impl<'a> Fighter<'a> {
    pub(super) fn new(character: &'a Character) -> Self {
        let &Character { hp, mp, attack, defence, talent, skill, .. } = character;
        let when = |id, value| if talent.id == id { value } else { 0 };
        Self {
            max_hp: hp.cast_unsigned(),
            max_mp: mp,
            attack,
            defence,
            skill,
            order: &character.order,
            front: 0,
            halves_true_damage: talent.id == FLESH_AND_BLOOD,
            transcends: talent.id == TRANSCENDENCE,
            projection: when(STELLAR_POWER_PROJECTION, talent.x).cast_unsigned(),
            hp_after_attack: when(TECHNOLOGY_ABOVE_ALL, talent.x).cast_unsigned(),
            energy_after_cast: when(TECHNOLOGY_ABOVE_ALL, talent.y).saturating_add(1),
            casts: 0,
            attacks: 0,
        }
    }

    /// `A = max(atk + bonus, 1)`.
    pub(super) fn power(&self, bonus: i64) -> u64 {
        self.attack.cast_unsigned().saturating_add_signed(bonus).max(1)
    }

    /// A normal attack.
    pub(super) fn blow(&self, bonus: i64) -> Blow {
        match self.power(bonus) {
            true_damage if self.transcends => Blow { damage: 0, true_damage },
            damage => Blow { damage, true_damage: self.projection },
        }
    }

    /// Its protection.
    pub(super) fn guard(&self, bonus: i64) -> Guard {
        Guard {
            defence: self.defence.cast_unsigned().saturating_add_signed(bonus),
            halves_true_damage: self.halves_true_damage,
        }
    }

    /// Whether its attacks take at least as much as another's, whatever the bonuses and the victim.
    pub(super) fn attacks_no_worse_than(&self, other: &Self) -> bool {
        self.transcends == other.transcends
            && self.attack >= other.attack
            && self.projection >= other.projection
    }
}

impl Guard {
    /// The hp that are lost by a blow, however many there are.
    #[inline(always)]
    pub(super) fn loss(self, Blow { damage, true_damage }: Blow) -> u128 {
        let immune = if self.halves_true_damage { true_damage / 2 } else { 0 };
        u128::from(damage.saturating_sub(self.defence)) + u128::from(true_damage - immune)
    }

    /// Whether `D` is evaluated for a blow, and above 0.
    #[inline(always)]
    pub(super) const fn matters(self, blow: Blow) -> bool {
        self.defence > 0 && blow.damage > 0
    }
}
