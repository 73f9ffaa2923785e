//! Rounds, actions and their ends.
//!
//! A round is: Alice's action and its end, Bob's action and its end, the end of the round. The moment
//! the last character of a side dies the game is over and nothing more is resolved: [`Over`] leaves
//! everything by `?`.

use super::super::{Budget, Observer, Stop};
use super::aim::Aim;
use super::effects::{Effect, Effects, Stat};
use super::endless::{Proof, Watch};
use super::fighter::Fighter;
use super::side::Side;
use super::trace::{Event, Narrator, Player};

/// A game that is being played.
pub(super) struct Battle<'a, O> {
    /// The current round, from 1.
    pub(super) round: u64,
    /// Alice's, then Bob's.
    pub(super) sides: [Side<'a>; 2],
    pub(super) effects: Effects,
    pub(super) see: Narrator<'a, O>,
    watch: Watch<'a>,
}

/// The last character of a side is dead.
#[derive(Debug)]
pub(super) struct Over;

/// Why no more is played.
#[derive(Debug)]
pub(super) enum Halt {
    /// A side is dead.
    Over,
    /// It is proved that the game never ends.
    Endless(Proof),
    /// The budget is spent, or a value left its range.
    Stop(Stop),
}

impl From<Over> for Halt {
    fn from(_: Over) -> Self {
        Self::Over
    }
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

impl<'a, O: Observer<Event>> Battle<'a, O> {
    /// A game before its first round, of Alice's and Bob's characters; `output_bytes` are printed
    /// already.
    pub(super) fn new(
        [alice, bob]: &'a [Vec<Fighter<'a>>; 2],
        observer: &'a mut O,
        output_bytes: usize,
    ) -> Self {
        let sides = [Side::new(Player::Alice, alice), Side::new(Player::Bob, bob)];
        let effects = Effects::new(&sides);
        let watch = Watch::new(&sides, &effects);
        let see = Narrator { observer, output_bytes };
        Self { round: 0, sides, effects, see, watch }
    }

    /// Plays to the end, to a proof that there is none, or to a stop.
    pub(super) fn run(&mut self, budget: &mut Budget<'_>) -> Halt {
        loop {
            if let Err(halt) = self.play_round(budget) {
                return halt;
            }
        }
    }

    /// Who has won a game that is over.
    pub(super) fn winner(&self) -> Player {
        if self.sides[0].living > 0 { Player::Alice } else { Player::Bob }
    }

    /// Tells of the end, when the output is written.
    pub(super) fn tell_end(
        &mut self,
        output_bytes: usize,
        event: impl FnOnce(u64, &[Side<'a>; 2]) -> Event,
    ) {
        self.see.output_bytes = output_bytes;
        self.see.tell(|| event(self.round, &self.sides));
    }

    fn play_round(&mut self, budget: &mut Budget<'_>) -> Result<(), Halt> {
        budget.spend()?;
        self.round += 1;
        self.act(Player::Alice)?;
        self.act(Player::Bob)?;
        if self.effects.end_in(self.round) {
            self.end_effects()?;
        }
        let round = self.round;
        let sides = &self.sides;
        self.see.tell(|| Event::RoundEnd {
            round,
            sides: Box::new(sides.each_ref().map(Side::standing)),
        });
        let proof = self.watch.look(round, &self.sides, &self.effects);
        proof.map_or(Ok(()), |proof| Err(Halt::Endless(proof)))
    }

    /// One action and its end.
    #[inline(always)] // Twice, each for a player that is known.
    fn act(&mut self, player: Player) -> Result<(), Halt> {
        let side = &mut self.sides[player.index()];
        match side.energies.spend(side.fighters) {
            Some(caster) => self.cast(player, caster)?,
            None => self.attack(player)?,
        }
        let side = &mut self.sides[player.index()];
        side.end_action();
        self.see.tell(|| side.action_end());
        Ok(())
    }

    #[inline(always)]
    fn attack(&mut self, player: Player) -> Result<(), Over> {
        let round = self.round;
        let (ours, theirs) = player.split(&mut self.sides);
        let Aim { attacker, victim } = ours.choose(theirs, round);
        let (character, target) = (attacker.index + 1, victim.index + 1);
        let target_hp = victim.hp.get();
        self.see.tell(|| Event::Attack { round, player, character, target, target_hp });
        attacker.attacks.update(|attacks| attacks + 1);
        theirs.struck(victim, attacker.blow.get(), round, &mut self.see)?;
        ours.energies.gain(attacker, 1);
        self.see.tell(|| ours.energy_event(attacker, 1));
        if attacker.hp_after_attack > 0 {
            ours.heal(attacker, attacker.hp_after_attack, &mut self.see);
        }
        Ok(())
    }

    /// Undoes the effects whose last round this is. A doom kills its side: the enemy lives, or the
    /// game would be over.
    #[cold]
    fn end_effects(&mut self) -> Result<(), Halt> {
        while let Some(Effect { player, stat, amount }) = self.effects.take(self.round) {
            let side = &mut self.sides[player.index()];
            if stat == Stat::Life {
                self.see.tell(|| Event::Doom { player });
                return Err(side.perish().into());
            }
            side.shift(stat, -amount)?;
            self.see.tell(|| Event::EffectEnd { player, stat, amount: -amount });
        }
        Ok(())
    }
}
