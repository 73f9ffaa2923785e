//! One character, and the arithmetic of a hit.
//!
//! Who attacks whom, who restores what: many places refer to a character for long. So the characters
//! stay where they are made, and what changes about one is in cells.

use std::cell::Cell;

use super::energy::DEAD;
use super::input::{Character, Skill};

/// Flesh and Blood: immune to half of true damage.
const FLESH_AND_BLOOD: i64 = 1;
/// Stellar Power Projection: `x` true damage on top of a normal attack.
const STELLAR_POWER_PROJECTION: i64 = 2;
/// Mind Over Matter: `x` hp and `y` energy after each allied action.
const MIND_OVER_MATTER: i64 = 3;
/// Transcendence: a normal attack deals true damage only.
const TRANSCENDENCE: i64 = 4;
/// Technology Above All: `x` hp after a normal attack, `y` energy after a cast.
const TECHNOLOGY_ABOVE_ALL: i64 = 5;

/// A character in the game.
pub(super) struct Fighter<'a> {
    /// Its index on its side, from 0.
    pub(super) index: usize,
    /// Current hp; 0 is dead.
    pub(super) hp: Cell<u64>,
    pub(super) max_hp: u64,
    /// How much energy it lacks, without what its side has shared out (see `energy`).
    pub(super) lack: Cell<u64>,
    pub(super) max_mp: u64,
    /// Its normal attack, as base attack and bonus make it.
    pub(super) blow: Cell<Blow>,
    /// Base defence and own bonus.
    own_defence: Cell<i128>,
    /// Talent 1.
    halves_true_damage: bool,
    /// The last round in which `D` was evaluated and above 0.
    pub(super) guarded: Cell<u64>,
    /// Talent 3: hp after each allied action.
    pub(super) hp_after_action: u64,
    /// Talent 3: energy after each allied action.
    pub(super) energy_after_action: u64,
    /// Talent 5: hp after a normal attack.
    pub(super) hp_after_attack: u64,
    /// Energy after a cast, with talent 5 in it.
    pub(super) energy_after_cast: u64,
    pub(super) skill: Cell<Skill>,
    /// The enemies it attacks, from 1, in that order.
    order: &'a [usize],
    /// Where in its order the first living enemy was last found.
    front: Cell<usize>,
    /// Base attack.
    pub(super) attack: Cell<i64>,
    /// Base defence.
    pub(super) defence: Cell<i64>,
    /// What its defence bonus is above that of its side: skill 5 lowers it.
    pub(super) own_defence_bonus: Cell<i128>,
    /// Talent 4.
    transcends: bool,
    /// Talent 2: true damage on top of a normal attack.
    projection: u64,
    pub(super) casts: Cell<u64>,
    pub(super) attacks: Cell<u64>,
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
    pub(super) fn new((index, character): (usize, &'a Character)) -> Self {
        let &Character { hp, mp, attack, defence, talent, skill, .. } = character;
        let when = |id, value: i64| if talent.id == id { value.cast_unsigned() } else { 0 };
        let fighter = Self {
            index,
            hp: Cell::new(hp.cast_unsigned()),
            max_hp: hp.cast_unsigned(),
            lack: Cell::new(mp.cast_unsigned()),
            max_mp: mp.cast_unsigned(),
            blow: Cell::new(Blow { damage: 0, true_damage: 0 }),
            own_defence: Cell::new(i128::from(defence)),
            halves_true_damage: talent.id == FLESH_AND_BLOOD,
            guarded: Cell::new(0),
            hp_after_action: when(MIND_OVER_MATTER, talent.x),
            energy_after_action: when(MIND_OVER_MATTER, talent.y),
            hp_after_attack: when(TECHNOLOGY_ABOVE_ALL, talent.x),
            energy_after_cast: when(TECHNOLOGY_ABOVE_ALL, talent.y) + 1,
            skill: Cell::new(skill),
            order: &character.order,
            front: Cell::new(0),
            attack: Cell::new(attack),
            defence: Cell::new(defence),
            own_defence_bonus: Cell::new(0),
            transcends: talent.id == TRANSCENDENCE,
            projection: when(STELLAR_POWER_PROJECTION, talent.x),
            casts: Cell::new(0),
            attacks: Cell::new(0),
        };
        fighter.arm(0);
        fighter
    }

    pub(super) const fn lives(&self) -> bool {
        self.hp.get() > 0
    }

    /// The living enemy that comes first in its order.
    pub(super) fn target<'e>(&self, enemies: &'e [Fighter<'e>]) -> &'e Fighter<'e> {
        loop {
            let target = &enemies[self.order[self.front.get()] - 1];
            if target.lives() {
                return target;
            }
            self.front.update(|front| front + 1);
        }
    }

    /// `A = max(atk + bonus, 1)`.
    pub(super) fn power(&self, bonus: i64) -> u64 {
        self.attack.get().cast_unsigned().saturating_add_signed(bonus).max(1)
    }

    /// Base attack or bonus changed.
    pub(super) fn arm(&self, bonus: i64) {
        self.blow.set(match self.power(bonus) {
            true_damage if self.transcends => Blow { damage: 0, true_damage },
            damage => Blow { damage, true_damage: self.projection },
        });
    }

    /// Base defence or own bonus changed.
    pub(super) fn protect(&self) {
        self.own_defence.set(i128::from(self.defence.get()) + self.own_defence_bonus.get());
    }

    /// Its protection; `bonus` is its side's defence bonus.
    #[inline(always)]
    pub(super) fn guard(&self, bonus: i128) -> Guard {
        // Below 2^64.
        let defence = u64::try_from(self.own_defence.get() + bonus).unwrap_or(0);
        Guard { defence, halves_true_damage: self.halves_true_damage }
    }

    /// Loses hp by a blow in this round; returns how many it would lose if it had them.
    #[inline(always)]
    pub(super) fn endure(&self, blow: Blow, bonus: i128, round: u64) -> u128 {
        let guard = self.guard(bonus);
        if guard.matters(blow) {
            self.guarded.set(round);
        }
        let loss = guard.loss(blow);
        self.hp.set(self.hp.get().saturating_sub(lost(loss)));
        loss
    }

    /// Restores hp; both are below 2^63.
    #[inline(always)]
    pub(super) fn heal(&self, amount: u64) {
        self.hp.set((self.hp.get() + amount).min(self.max_hp));
    }

    /// Is dead from now on, with the defence bonus it has.
    pub(super) fn die(&self, bonus: i128) {
        self.own_defence_bonus.update(|own| own + bonus);
        self.lack.set(DEAD);
    }

    /// Whether it is known to be dead.
    pub(super) const fn is_buried(&self) -> bool {
        self.lack.get() == DEAD
    }

    /// Whether it has talent 3.
    pub(super) const fn mends(&self) -> bool {
        self.hp_after_action > 0 || self.energy_after_action > 0
    }

    /// The defence bonus, with that of its side; the dead keep theirs.
    pub(super) fn defence_bonus(&self, bonus: i128) -> i128 {
        self.own_defence_bonus.get() + if self.is_buried() { 0 } else { bonus }
    }

    /// Whether its attacks take at least as much as another's, whatever the bonuses and the victim.
    pub(super) fn attacks_no_worse_than(&self, other: &Self) -> bool {
        self.transcends == other.transcends
            && self.attack >= other.attack
            && self.projection >= other.projection
    }
}

impl Guard {
    /// What is taken off damage.
    pub(super) const fn defence(self) -> u64 {
        self.defence
    }

    /// What is taken off true damage.
    #[inline(always)]
    pub(super) const fn immune(self, true_damage: u64) -> u64 {
        if self.halves_true_damage { true_damage / 2 } else { 0 }
    }

    /// The hp that are lost by a blow, however many there are.
    #[inline(always)]
    pub(super) fn loss(self, Blow { damage, true_damage }: Blow) -> u128 {
        let immune = self.immune(true_damage);
        u128::from(damage.saturating_sub(self.defence)) + u128::from(true_damage - immune)
    }

    /// Whether `D` is evaluated for a blow, and above 0.
    #[inline(always)]
    pub(super) const fn matters(self, blow: Blow) -> bool {
        self.defence > 0 && blow.damage > 0
    }
}

/// A loss as hp, of which nobody has 2^63.
#[inline(always)]
pub(super) fn lost(loss: u128) -> u64 {
    u64::try_from(loss).unwrap_or(u64::MAX)
}
