//! The two proofs that a game never ends.
//!
//! What happens in a round depends only on the state at its start. So a game never ends if at the
//! end of a round
//!
//! 1. the state equals an earlier one, with the same rounds left for every running effect; or
//! 2. it does so except that some defence bonuses are lower, and since then `D` of those characters
//!    was 0 whenever it was evaluated. Skill 5 lowers a bonus without bound. Lower still, `D` is 0
//!    at the same moments again, so everything happens again.
//!
//! One earlier state is kept, that of the last round that is a power of two (Brent's method): a
//! period that starts by then and is no longer is found within it.

use std::collections::VecDeque;

use super::effects::Effects;
use super::fighter::Fighter;
use super::side::Side;
use super::trace::Event;

/// The state of an earlier round, and the search for it in later ones.
pub(super) struct Watch<'a> {
    /// The round of the earlier state.
    since: u64,
    /// The round whose state is kept next.
    next: u64,
    sides: [Face; 2],
    /// By caster: the last rounds of the effects that ran then.
    lasts: Vec<VecDeque<u64>>,
    /// A character whose hp differed when all was last compared, and its hp then: mostly it still
    /// does.
    probe: Option<(&'a Fighter<'a>, u64)>,
}

/// A proof that the game never ends.
#[derive(Debug)]
pub(super) struct Proof {
    /// At the end of which round the state was the same.
    pub(super) since: u64,
    /// Whether defence bonuses are lower than then.
    pub(super) falling_defence: bool,
}

impl Proof {
    /// The proof as people see it, found at the end of a round.
    pub(super) const fn event(&self, round: u64) -> Event {
        Event::Endless { round, since: self.since, falling_defence: self.falling_defence }
    }
}

/// What can change about a side in rounds that may come again. The base values and skills change
/// with skill 10 only; its doom is a running effect, so no state after that is like another.
#[derive(Default)]
struct Face {
    hp: Vec<u64>,
    mp: Vec<i64>,
    defence_bonus: Vec<i64>,
    attack_bonus: i64,
    energy_bonus: i64,
}

impl<'a> Watch<'a> {
    /// A watch that keeps the state before the first round.
    pub(super) fn new(sides: &[Side<'a>; 2], effects: &Effects) -> Self {
        let faces = Default::default();
        let lasts = effects.lasts().cloned().collect();
        let mut watch = Self { since: 0, next: 0, sides: faces, lasts, probe: None };
        watch.keep(0, sides, effects);
        watch
    }

    /// Looks at the end of a round.
    #[inline]
    pub(super) fn look(
        &mut self,
        round: u64,
        sides: &[Side<'a>; 2],
        effects: &Effects,
    ) -> Option<Proof> {
        let differs = self.probe.is_some_and(|(fighter, then)| fighter.hp.get() != then);
        if !differs && !effects.outlast_all_games() {
            let proof = self.compare(round, sides, effects);
            if proof.is_some() {
                return proof;
            }
        }
        if round == self.next {
            self.keep(round, sides, effects);
        }
        None
    }

    fn keep(&mut self, round: u64, sides: &[Side<'a>; 2], effects: &Effects) {
        for (face, side) in self.sides.iter_mut().zip(sides) {
            face.hp.clear();
            face.hp.extend(side.fighters.iter().map(|fighter| fighter.hp.get()));
            face.mp.clear();
            face.mp.extend(side.fighters.iter().map(|fighter| side.mp(fighter)));
            face.defence_bonus.clear();
            face.defence_bonus.extend(side.defence_bonuses());
            face.attack_bonus = side.attack_bonus;
            face.energy_bonus = side.energy_bonus;
        }
        for (then, now) in self.lasts.iter_mut().zip(effects.lasts()) {
            then.clone_from(now);
        }
        let probe = self.probe.map(|(fighter, _)| fighter).or(sides[0].fighters.first());
        self.probe = probe.map(|fighter| (fighter, fighter.hp.get()));
        self.since = round;
        self.next = (2 * round).max(1);
    }

    /// Compares all, cheap things first.
    fn compare(&mut self, round: u64, sides: &[Side<'a>; 2], effects: &Effects) -> Option<Proof> {
        let mut pairs = self.sides.iter().zip(sides);
        if !pairs.clone().all(|(then, now)| then.has_bonuses_of(now)) {
            return None;
        }
        let differing = pairs.clone().find_map(|(then, now)| then.differing(now));
        if differing.is_some() {
            self.probe = differing;
            return None;
        }
        let same = pairs.clone().all(|(then, now)| then.has_energy_of(now))
            && pairs.all(|(then, now)| then.guards_like(now, self.since))
            && self.has_effects_of(effects, round - self.since);
        same.then(|| Proof { since: self.since, falling_defence: self.falling(sides) })
    }

    /// Whether the effects have as many rounds left as those `rounds` ago.
    fn has_effects_of(&self, now: &Effects, rounds: u64) -> bool {
        self.lasts.iter().zip(now.lasts()).all(|(then, now)| {
            then.len() == now.len() && then.iter().zip(now).all(|(then, now)| then + rounds == *now)
        })
    }

    fn falling(&self, sides: &[Side<'a>; 2]) -> bool {
        let mut pairs = self.sides.iter().zip(sides);
        pairs.any(|(then, now)| now.defence_bonuses().ne(then.defence_bonus.iter().copied()))
    }
}

impl Face {
    /// Bonuses are sums of running effects; comparing them first settles most rounds at once.
    fn has_bonuses_of(&self, now: &Side<'_>) -> bool {
        self.attack_bonus == now.attack_bonus && self.energy_bonus == now.energy_bonus
    }

    /// A character whose hp differs, and its hp then.
    fn differing<'a>(&self, now: &Side<'a>) -> Option<(&'a Fighter<'a>, u64)> {
        let mut pairs = now.fighters.iter().zip(self.hp.iter().copied());
        pairs.find(|(fighter, then)| fighter.hp.get() != *then)
    }

    fn has_energy_of(&self, now: &Side<'_>) -> bool {
        self.mp.iter().zip(now.fighters).all(|(&then, fighter)| then == now.mp(fighter))
    }

    /// Whether each defence bonus is as it was, or lower where it has not mattered since.
    fn guards_like(&self, now: &Side<'_>, since: u64) -> bool {
        let bonuses = self.defence_bonus.iter().zip(now.defence_bonuses());
        bonuses.zip(now.fighters).all(|((&then, now), fighter)| {
            now == then || (now < then && fighter.guarded.get() <= since)
        })
    }
}
