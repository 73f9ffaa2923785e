//! What each skill does.

use super::super::{Observer, Stop};
use super::battle::{Battle, Halt, Over};
use super::effects::{Effect, Stat};
use super::fighter::{Blow, Fighter};
use super::input::Skill;
use super::trace::{Event, Player};

/// Mind Broken: nothing. What skill 10 turns into once it is cast.
const MIND_BROKEN: i64 = 0;
/// Green Explosion: `x` damage to all enemies, then a tenth of their energy.
const GREEN_EXPLOSION: i64 = 1;
/// Sun Rise Rain: `A` true damage to all enemies.
const SUN_RISE_RAIN: i64 = 2;
/// Heavenly Tower Overlord Severing Sword: `min(HP / 10, x * A)` damage to all enemies.
const SEVERING_SWORD: i64 = 3;
/// The Show Begins: `y` additional energy for `x` rounds.
const SHOW_BEGINS: i64 = 4;
/// Heavenly Wolf Devouring Slash: `x` off the target's defence bonus, then `A` true damage to it.
const DEVOURING_SLASH: i64 = 5;
/// Earth Blue Azure Flash Lightning: `A` true damage to the target, then `y` off the enemies' attack
/// bonuses for `x` rounds.
const FLASH_LIGHTNING: i64 = 6;
/// Aurora Bloom: `z` hp for the ally with the lowest, then `y` on the allies' attack bonuses for `x`
/// rounds.
const AURORA_BLOOM: i64 = 7;
/// Meteor: `A` damage to all enemies, then `y` off their defence bonuses for `x` rounds.
const METEOR: i64 = 8;
/// Elf's Blessing: `z` hp for all allies, then `y` on their defence bonuses for `x` rounds.
const ELFS_BLESSING: i64 = 9;
/// The End of Samsara: twice the base values, at least half of hp and energy, 1 additional energy for
/// `x` rounds; then all allies die.
const END_OF_SAMSARA: i64 = 10;

/// What lasts of a skill that `player` casts: for `x` rounds with that of the cast.
pub(super) fn effect_of(player: Player, skill: Skill) -> Option<Effect> {
    let (player, stat, amount) = match skill.id {
        SHOW_BEGINS => (player, Stat::Energy, skill.y),
        FLASH_LIGHTNING => (player.rival(), Stat::Attack, -skill.y),
        AURORA_BLOOM => (player, Stat::Attack, skill.y),
        METEOR => (player.rival(), Stat::Defence, -skill.y),
        ELFS_BLESSING => (player, Stat::Defence, skill.y),
        END_OF_SAMSARA => (player, Stat::Life, 0),
        _ => return None,
    };
    Some(Effect { player, stat, amount })
}

impl<O: Observer<Event>> Battle<'_, O> {
    /// A character spends its energy, its skill happens, and it gains energy again.
    #[inline(never)]
    pub(super) fn cast(&mut self, player: Player, caster: &Fighter<'_>) -> Result<(), Halt> {
        let round = self.round;
        caster.casts.update(|casts| casts + 1);
        let skill = caster.skill.get();
        let character = caster.index + 1;
        self.see.tell(|| Event::Cast { round, player, character, skill: skill.id });
        self.happen(player, caster, skill)?;
        let side = &mut self.sides[player.index()];
        side.energies.gain(caster, caster.energy_after_cast);
        self.see.tell(|| side.energy_event(caster, caster.energy_after_cast));
        Ok(())
    }

    fn happen(&mut self, player: Player, caster: &Fighter<'_>, skill: Skill) -> Result<(), Halt> {
        let Skill { id, x, z, .. } = skill;
        let enemy = player.rival();
        let power = caster.power(self.sides[player.index()].attack_bonus);
        let damage = |damage| Blow { damage, true_damage: 0 };
        let true_damage = Blow { damage: 0, true_damage: power };
        match id {
            GREEN_EXPLOSION => {
                self.strike_all(enemy, |_| damage(x.cast_unsigned()))?;
                self.drain(enemy);
            }
            SUN_RISE_RAIN => self.strike_all(enemy, |_| true_damage)?,
            SEVERING_SWORD => {
                let most = power.saturating_mul(x.cast_unsigned());
                self.strike_all(enemy, |max_hp| damage((max_hp / 10).min(most)))?;
            }
            SHOW_BEGINS => self.affect(player, caster, skill)?,
            DEVOURING_SLASH => {
                self.cut_defence(player, caster, x)?;
                self.strike_target(player, caster, true_damage)?;
            }
            FLASH_LIGHTNING => {
                self.strike_target(player, caster, true_damage)?;
                self.affect(player, caster, skill)?;
            }
            AURORA_BLOOM => {
                self.heal_lowest(player, z.cast_unsigned());
                self.affect(player, caster, skill)?;
            }
            METEOR => {
                self.strike_all(enemy, |_| damage(power))?;
                self.affect(player, caster, skill)?;
            }
            ELFS_BLESSING => {
                self.heal_all(player, z.cast_unsigned());
                self.affect(player, caster, skill)?;
            }
            END_OF_SAMSARA => self.end_samsara(player, caster, skill)?,
            // Mind Broken.
            _ => {}
        }
        Ok(())
    }

    /// Hits all living enemies in the order of their index; `blow` is given their maximum hp.
    fn strike_all(&mut self, enemy: Player, blow: impl Fn(u64) -> Blow) -> Result<(), Over> {
        self.sides[enemy.index()].all_struck(blow, self.round, &mut self.see)
    }

    fn strike_target(
        &mut self,
        player: Player,
        caster: &Fighter<'_>,
        blow: Blow,
    ) -> Result<(), Over> {
        let theirs = &mut self.sides[player.rival().index()];
        theirs.struck(caster.target(theirs.fighters), blow, self.round, &mut self.see)
    }

    /// For good, and before the hit.
    fn cut_defence(
        &mut self,
        player: Player,
        caster: &Fighter<'_>,
        amount: i64,
    ) -> Result<(), Stop> {
        let theirs = &mut self.sides[player.rival().index()];
        let target = caster.target(theirs.fighters);
        let defence_bonus = theirs.cut_defence(target, amount)?;
        let (player, character) = (theirs.player, target.index + 1);
        self.see.tell(|| Event::DefenceCut { player, character, amount, defence_bonus });
        Ok(())
    }

    /// Starts what lasts of a skill: `x` rounds with this one.
    fn affect(&mut self, player: Player, caster: &Fighter<'_>, skill: Skill) -> Result<(), Stop> {
        let Some(Effect { player: whose, stat, amount }) = effect_of(player, skill) else {
            return Ok(());
        };
        self.sides[whose.index()].shift(stat, amount)?;
        let last = self.effects.start(player, caster.index, self.round, skill.x.cast_unsigned());
        self.see.tell(|| Event::EffectStart { player: whose, stat, amount, last });
        Ok(())
    }

    /// Heals the living ally with the lowest hp; ties by the smallest index.
    fn heal_lowest(&mut self, player: Player, amount: u64) {
        let side = &self.sides[player.index()];
        if let Some(lowest) = side.living_fighters().min_by_key(|fighter| fighter.hp.get()) {
            side.heal(lowest, amount, &mut self.see);
        }
    }

    fn heal_all(&mut self, player: Player, amount: u64) {
        let side = &self.sides[player.index()];
        for fighter in side.living_fighters() {
            side.heal(fighter, amount, &mut self.see);
        }
    }

    fn drain(&mut self, enemy: Player) {
        let side = &mut self.sides[enemy.index()];
        side.energies.drain(side.fighters);
        self.see.tell(|| Event::Drain { player: enemy, mp: side.all_mp() });
    }

    fn end_samsara(
        &mut self,
        player: Player,
        caster: &Fighter<'_>,
        skill: Skill,
    ) -> Result<(), Stop> {
        for fighter in self.sides.iter().flat_map(|side| side.fighters) {
            if fighter.skill.get().id == END_OF_SAMSARA {
                fighter.skill.update(|skill| Skill { id: MIND_BROKEN, ..skill });
            }
        }
        let side = &mut self.sides[player.index()];
        for fighter in side.living_fighters() {
            side.burst(fighter, &mut self.see)?;
        }
        // Never undone: when the effect ends they die.
        side.shift(Stat::Energy, 1)?;
        self.affect(player, caster, skill)
    }
}
