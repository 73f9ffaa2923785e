//! What is undone, or strikes, at the end of a later round.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use serde::Serialize;

use super::ROUNDS_MAX;
use super::side::Side;
use super::skills::effect_of;
use super::trace::Player;

/// What an effect changes for a whole side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stat {
    /// The attack bonus.
    Attack,
    /// The defence bonus.
    Defence,
    /// The additional energy at the end of each allied action.
    Energy,
    /// Life: when the effect ends, they die.
    Life,
}

/// What a skill changes until its last round is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Effect {
    /// Whose living characters it touches.
    pub(super) player: Player,
    pub(super) stat: Stat,
    pub(super) amount: i64,
}

/// The running effects.
///
/// Up to two start in each round and may last for any time, so nothing here walks over all of them in
/// a round. All effects of one caster are the same and last equally long: they end in the order they
/// started, and only the first of each caster can be the next to end.
pub(super) struct Effects {
    casters: Vec<Caster>,
    /// The end of each caster's first effect, the earliest on top.
    firsts: BinaryHeap<Reverse<End>>,
    /// The round of the earliest, or 0.
    next: u64,
    /// Whether an effect runs for as many rounds as a game may have. Those never end, so they are not
    /// kept.
    outlasting: bool,
}

/// What a character casts, and the last rounds of its running effects.
struct Caster {
    effect: Option<Effect>,
    lasts: VecDeque<u64>,
}

/// When an effect ends and whose it is, as one number: earlier rounds are smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct End(u64);

impl End {
    const CASTER_BITS: u32 = 32;

    const fn new(last: u64, caster: usize) -> Self {
        Self(last << Self::CASTER_BITS | caster as u64)
    }

    const fn last(self) -> u64 {
        self.0 >> Self::CASTER_BITS
    }

    const fn caster(self) -> usize {
        (self.0 & ((1 << Self::CASTER_BITS) - 1)) as usize
    }
}

impl Effects {
    /// None yet, of both sides' characters.
    pub(super) fn new(sides: &[Side<'_>; 2]) -> Self {
        let casters = sides.iter().flat_map(|side| {
            side.fighters.iter().map(|fighter| Caster {
                effect: effect_of(side.player, fighter.skill.get()),
                lasts: VecDeque::new(),
            })
        });
        let casters = casters.collect();
        Self { casters, firsts: BinaryHeap::new(), next: 0, outlasting: false }
    }

    /// Starts the effect of a character's skill, for `rounds` with this one; returns its last round.
    pub(super) fn start(
        &mut self,
        player: Player,
        character: usize,
        round: u64,
        rounds: u64,
    ) -> u64 {
        // Both are far below 2^63.
        let last = round - 1 + rounds;
        match rounds {
            ..ROUNDS_MAX => self.keep(player, character, last),
            _ => self.outlasting = true,
        }
        last
    }

    fn keep(&mut self, player: Player, character: usize, last: u64) {
        let caster = player.index() * self.casters.len() / 2 + character;
        let lasts = &mut self.casters[caster].lasts;
        lasts.push_back(last);
        if lasts.len() == 1 {
            self.firsts.push(Reverse(End::new(last, caster)));
            self.find_next();
        }
    }

    /// Whether an effect ends in this round.
    #[inline]
    pub(super) const fn end_in(&self, round: u64) -> bool {
        self.next == round
    }

    /// Takes an effect that ends in this round.
    pub(super) fn take(&mut self, round: u64) -> Option<Effect> {
        if !self.end_in(round) {
            return None;
        }
        let index = self.firsts.peek()?.0.caster();
        let caster = &mut self.casters[index];
        caster.lasts.pop_front();
        match caster.lasts.front() {
            Some(&last) => *self.firsts.peek_mut()? = Reverse(End::new(last, index)),
            None => _ = self.firsts.pop(),
        }
        let effect = caster.effect;
        self.find_next();
        effect
    }

    fn find_next(&mut self) {
        self.next = self.firsts.peek().map_or(0, |Reverse(end)| end.last());
    }

    /// The last rounds of all running effects, by caster.
    pub(super) fn lasts(&self) -> impl Iterator<Item = &VecDeque<u64>> {
        self.casters.iter().map(|caster| &caster.lasts)
    }

    /// Whether an effect runs that no game sees the end of. It has fewer rounds left every round and
    /// such effects only become more, so no state is like an earlier one.
    #[inline]
    pub(super) const fn outlast_all_games(&self) -> bool {
        self.outlasting
    }
}
