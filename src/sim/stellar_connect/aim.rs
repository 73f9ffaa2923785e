//! Who attacks whom.
//!
//! Whose priority target somebody is changes with deaths only, so that is kept until somebody dies.
//! What is left for an attack is to look up the hp of those who are a target, and to compare the
//! few who attack the one with the highest.

use super::fighter::Fighter;
use super::side::Side;

/// The enemies that are somebody's priority target, each with those whose it is.
#[derive(Default)]
pub(super) struct Aims<'a> {
    targets: Vec<Target<'a>>,
    /// The attackers but the last, one target's after the other's, each backwards. Those are left
    /// out who never attack it because a later one always takes as much from it.
    others: Vec<&'a Fighter<'a>>,
    /// How many characters lived when this was found out; with more deaths it is out of date.
    living: usize,
}

/// An enemy that is somebody's priority target.
struct Target<'a> {
    victim: &'a Fighter<'a>,
    /// The last of its attackers.
    attacker: &'a Fighter<'a>,
    /// Where its other attackers start and end.
    start: usize,
    end: usize,
}

/// A normal attack.
#[derive(Clone, Copy)]
pub(super) struct Aim<'a> {
    pub(super) attacker: &'a Fighter<'a>,
    pub(super) victim: &'a Fighter<'a>,
}

impl<'a> Side<'a> {
    /// The normal attack of this action: on the priority target with the highest hp; ties by the
    /// larger loss, then by the larger index of the attacker.
    #[inline(always)]
    pub(super) fn choose(&mut self, enemies: &Side<'a>, round: u64) -> Aim<'a> {
        if self.aims.living != self.living + enemies.living {
            self.aim(enemies);
        }
        let targets = self.aims.targets.as_slice();
        // `tied` is the highest hp that was met again.
        let (mut top, mut tied) = (&targets[0], 0);
        let mut most = top.victim.hp.get();
        for target in &targets[1..] {
            let hp = target.victim.hp.get();
            if hp == most {
                tied = hp;
            }
            if hp >= most {
                (top, most) = (target, hp);
            }
        }
        let attacker = match (tied == most, top.start < top.end) {
            (true, _) => return self.choose_among(most, enemies.defence_bonus, round),
            (false, true) => self.best_attack(top, enemies.defence_bonus, round).1,
            (false, false) => top.attacker,
        };
        Aim { attacker, victim: top.victim }
    }

    /// The best attack on all targets with `hp`.
    #[cold]
    #[inline(never)]
    fn choose_among(&self, hp: u64, bonus: i128, round: u64) -> Aim<'a> {
        let top = &self.aims.targets[0];
        let (mut aim, mut best) = (Aim { attacker: top.attacker, victim: top.victim }, (0, 0));
        for target in self.aims.targets.iter().filter(|target| target.victim.hp.get() == hp) {
            let (loss, attacker) = self.best_attack(target, bonus, round);
            if (loss, attacker.index) >= best {
                best = (loss, attacker.index);
                aim = Aim { attacker, victim: target.victim };
            }
        }
        aim
    }

    /// The largest loss of a target, and the last attacker that brings it.
    #[inline(never)]
    fn best_attack(&self, target: &Target<'a>, bonus: i128, round: u64) -> (u128, &'a Fighter<'a>) {
        let mut best = target.attacker;
        let mut blow = best.blow.get();
        let guard = target.victim.guard(bonus);
        let (mut most, mut matters) = (guard.loss(blow), guard.matters(blow));
        for &attacker in &self.aims.others[target.start..target.end] {
            blow = attacker.blow.get();
            matters |= guard.matters(blow);
            let loss = guard.loss(blow);
            if loss > most {
                (best, most) = (attacker, loss);
            }
        }
        if matters {
            target.victim.guarded.set(round);
        }
        (most, best)
    }

    /// Finds out whose priority target is who.
    #[cold]
    fn aim(&mut self, enemies: &Side<'a>) {
        let living = self.fighters.iter().filter(|fighter| fighter.lives());
        let mut pairs: Vec<_> =
            living.map(|fighter| (fighter.target(enemies.fighters), fighter)).collect();
        pairs.sort_by_key(|(victim, _)| victim.index);
        let Aims { targets, others, living } = &mut self.aims;
        targets.clear();
        others.clear();
        for pairs in pairs.chunk_by(|(victim, _), (other, _)| victim.index == other.index) {
            let start = others.len();
            let (victim, attacker) = pairs[pairs.len() - 1];
            for &(_, fighter) in pairs.iter().rev().skip(1) {
                let outdone = |later: &&Fighter<'_>| later.attacks_no_worse_than(fighter);
                if !outdone(&attacker) && !others[start..].iter().any(outdone) {
                    others.push(fighter);
                }
            }
            targets.push(Target { victim, attacker, start, end: others.len() });
        }
        *living = self.living + enemies.living;
    }
}
