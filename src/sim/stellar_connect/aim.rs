//! Who attacks whom.
//!
//! Whose priority target somebody is changes with deaths only, so that is kept until somebody dies.
//! What is left for an attack is to look up the hp of those who are a target, and to compare the
//! few who attack the one with the highest.

use super::fighter::Blow;
use super::side::Side;

/// The enemies that are somebody's priority target, each with those whose it is.
#[derive(Default)]
pub(super) struct Aims {
    targets: Vec<Target>,
    /// The attackers but the last, one target's after the other's. Those are left out who never
    /// attack it because a later one always takes as much from it.
    others: Vec<usize>,
    /// How many characters lived when this was found out; with more deaths it is out of date.
    living: usize,
}

/// An enemy that is somebody's priority target.
#[derive(Debug, Clone, Copy)]
struct Target {
    enemy: usize,
    /// The last of its attackers.
    attacker: usize,
    /// Where its other attackers start and end.
    start: usize,
    end: usize,
}

/// A normal attack.
#[derive(Debug, Clone, Copy)]
pub(super) struct Aim {
    pub(super) target: usize,
    pub(super) attacker: usize,
    pub(super) blow: Blow,
    /// The hp the target would lose, however many it has.
    pub(super) loss: u128,
}

/// No attack: any other is better.
const NO_AIM: Aim =
    Aim { target: 0, attacker: 0, blow: Blow { damage: 0, true_damage: 0 }, loss: 0 };

impl Side<'_> {
    /// The living enemy that comes first in a character's order.
    pub(super) fn target(&mut self, index: usize, enemies: &Side<'_>) -> usize {
        let fighter = &mut self.fighters[index];
        loop {
            let target = fighter.order[fighter.front] - 1;
            if enemies.hp[target] > 0 {
                return target;
            }
            fighter.front += 1;
        }
    }

    /// The normal attack of this action: on the priority target with the highest hp; ties by the
    /// larger loss, then by the larger index of the attacker.
    #[inline(always)]
    pub(super) fn choose(&mut self, enemies: &mut Side<'_>, round: u64) -> Aim {
        if self.aims.living != self.living + enemies.living {
            self.aim(enemies);
        }
        let (targets, hp) = (&self.aims.targets, enemies.hp.as_slice());
        let (mut top, mut most, mut tied) = (&targets[0], 0, false);
        for target in targets {
            let hp = hp[target.enemy];
            if hp < most {
                continue;
            }
            tied = hp == most;
            (top, most) = (target, hp);
        }
        match tied {
            true => self.choose_among(most, enemies, round),
            false => self.best_attack(top, enemies, round),
        }
    }

    /// The best attack on all targets with `hp`.
    #[cold]
    #[inline(never)]
    fn choose_among(&self, hp: u64, enemies: &mut Side<'_>, round: u64) -> Aim {
        let mut best = NO_AIM;
        for target in &self.aims.targets {
            if enemies.hp[target.enemy] == hp {
                best = best.or(self.best_attack(target, enemies, round));
            }
        }
        best
    }

    /// The best attack on a target.
    #[inline(always)]
    fn best_attack(&self, target: &Target, enemies: &mut Side<'_>, round: u64) -> Aim {
        let &Target { enemy: target, attacker, start, end } = target;
        let guard = enemies.guards[target];
        let guarded = &mut enemies.guarded[target];
        let mut aim = |attacker: usize| {
            let blow = self.blows[attacker];
            if guard.matters(blow) {
                *guarded = round;
            }
            Aim { target, attacker, blow, loss: guard.loss(blow) }
        };
        let mut best = aim(attacker);
        for &attacker in &self.aims.others[start..end] {
            best = best.or(aim(attacker));
        }
        best
    }

    /// Finds out whose priority target is who.
    #[cold]
    fn aim(&mut self, enemies: &Side<'_>) {
        let mut pairs = Vec::with_capacity(self.living);
        for attacker in 0..self.hp.len() {
            if self.hp[attacker] > 0 {
                pairs.push((self.target(attacker, enemies), attacker));
            }
        }
        pairs.sort_unstable();
        let Aims { targets, others, living } = &mut self.aims;
        targets.clear();
        others.clear();
        for pairs in pairs.chunk_by(|(target, _), (other, _)| target == other) {
            let start = others.len();
            let (enemy, attacker) = pairs[pairs.len() - 1];
            for &(_, index) in pairs.iter().rev().skip(1) {
                let fighters = &self.fighters;
                let outdone =
                    |later: &usize| fighters[*later].attacks_no_worse_than(&fighters[index]);
                if !outdone(&attacker) && !others[start..].iter().any(outdone) {
                    others.push(index);
                }
            }
            targets.push(Target { enemy, attacker, start, end: others.len() });
        }
        *living = self.living + enemies.living;
    }
}

impl Aim {
    /// The better of two attacks on targets of equal hp: ties by the larger loss, then by the larger
    /// index of the attacker.
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        if (other.loss, other.attacker) >= (self.loss, self.attacker) { other } else { self }
    }
}
