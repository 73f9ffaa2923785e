//! One player's characters: what happens to one or all of them.
//!
//! Every effect touches all living characters of a side, and nobody returns to life. So what effects
//! add to a bonus is the same for all the living, and is kept once a side. Defence bonuses differ
//! beyond that: skill 5 lowers those of single characters.

use super::super::{Observer, Stop};
use super::aim::Aims;
use super::battle::Over;
use super::effects::Stat;
use super::energy::Energies;
use super::fighter::{Blow, Fighter, lost};
use super::trace::{Event, Mended, Narrator, Player, Standing};

/// One player's characters, each by its index from 0.
pub(super) struct Side<'a> {
    pub(super) player: Player,
    pub(super) fighters: &'a [Fighter<'a>],
    pub(super) energies: Energies,
    pub(super) attack_bonus: i64,
    /// The defence bonus of those whom no skill 5 hit.
    pub(super) defence_bonus: i128,
    /// No own defence bonus is lower.
    lowest_own_defence_bonus: i128,
    /// The additional energy at the end of each allied action.
    pub(super) energy_bonus: i64,
    /// The living with talent 3.
    menders: Vec<&'a Fighter<'a>>,
    pub(super) living: usize,
    pub(super) aims: Aims<'a>,
}

impl<'a> Side<'a> {
    pub(super) fn new(player: Player, fighters: &'a [Fighter<'a>]) -> Self {
        Self {
            player,
            fighters,
            energies: Energies::new(),
            attack_bonus: 0,
            defence_bonus: 0,
            lowest_own_defence_bonus: 0,
            energy_bonus: 0,
            menders: fighters.iter().filter(|fighter| fighter.mends()).collect(),
            living: fighters.len(),
            aims: Aims::default(),
        }
    }

    /// Current energy.
    pub(super) fn mp(&self, fighter: &Fighter<'_>) -> i64 {
        if fighter.lives() { self.energies.mp(fighter) } else { 0 }
    }

    pub(super) fn living_fighters(&self) -> impl Iterator<Item = &'a Fighter<'a>> + use<'a> {
        self.fighters.iter().filter(|fighter| fighter.lives())
    }

    /// A character is hit: it first gains 1 energy, then loses hp.
    #[inline(always)]
    pub(super) fn struck<O: Observer<Event>>(
        &mut self,
        victim: &Fighter<'_>,
        blow: Blow,
        round: u64,
        see: &mut Narrator<'_, O>,
    ) -> Result<(), Over> {
        self.energies.gain(victim, 1);
        let loss = victim.endure(blow, self.defence_bonus, round);
        see.tell(|| self.hit_event(victim, blow, loss));
        if victim.lives() { Ok(()) } else { self.bury(see) }
    }

    /// A skill hits all living characters in the order of their index; `blow` is given their maximum
    /// hp. Who dies by it is seen to at the end: that changes nothing for the others.
    #[inline]
    pub(super) fn all_struck<O: Observer<Event>>(
        &mut self,
        blow: impl Fn(u64) -> Blow,
        round: u64,
        see: &mut Narrator<'_, O>,
    ) -> Result<(), Over> {
        self.energies.all_gain(1);
        let bonus = self.defence_bonus;
        let mut dead = false;
        for fighter in self.living_fighters() {
            fighter.endure(blow(fighter.max_hp), bonus, round);
            dead |= !fighter.lives();
        }
        if O::ON {
            self.tell_hits(blow, see);
        }
        if dead { self.bury(see) } else { Ok(()) }
    }

    /// Those who have no hp any more are dead from now on.
    #[cold]
    fn bury<O: Observer<Event>>(&mut self, see: &mut Narrator<'_, O>) -> Result<(), Over> {
        for fighter in self.fighters {
            if !fighter.lives() && !fighter.is_buried() {
                fighter.die(self.defence_bonus);
                self.living -= 1;
                see.tell(|| Event::Death { player: self.player, character: fighter.index + 1 });
            }
        }
        self.menders.retain(|mender| mender.lives());
        if self.living == 0 { Err(Over) } else { Ok(()) }
    }

    /// All die: the doom of skill 10.
    pub(super) fn perish(&mut self) -> Over {
        for fighter in self.fighters {
            fighter.hp.set(0);
        }
        self.living = 0;
        Over
    }

    /// Restores hp of one character.
    #[inline(always)]
    pub(super) fn heal<O: Observer<Event>>(
        &self,
        fighter: &Fighter<'_>,
        amount: u64,
        see: &mut Narrator<'_, O>,
    ) {
        fighter.heal(amount);
        let (player, character, hp) = (self.player, fighter.index + 1, fighter.hp.get());
        see.tell(|| Event::Heal { player, character, amount, hp });
    }

    /// The end of this side's action: energy for all the living, and what talent 3 restores.
    #[inline(always)]
    pub(super) fn end_action(&mut self) {
        // The additional energy is not negative.
        self.energies.all_gain(self.energy_bonus.cast_unsigned() + 1);
        for &mender in &self.menders {
            mender.heal(mender.hp_after_action);
            self.energies.gain(mender, mender.energy_after_action);
        }
    }

    /// Raises or lowers a bonus of all the living.
    pub(super) fn shift(&mut self, stat: Stat, by: i64) -> Result<(), Stop> {
        let characters = |what| format!("the {what} of {}'s characters", self.player);
        match stat {
            Stat::Life => {}
            Stat::Attack => {
                self.attack_bonus = sum(self.attack_bonus, by, || characters("attack bonus"))?;
                for fighter in self.fighters {
                    fighter.arm(self.attack_bonus);
                }
            }
            Stat::Defence => {
                self.defence_bonus += i128::from(by);
                if !self.defence_bonuses_fit() {
                    return Err(Stop::OutOfRange(characters("defence bonus")));
                }
            }
            Stat::Energy => {
                self.energy_bonus = sum(self.energy_bonus, by, || characters("additional energy"))?;
            }
        }
        Ok(())
    }

    /// Whether the defence bonuses of all the living are within 64 bits. The bounds of all tell that
    /// nearly always.
    fn defence_bonuses_fit(&self) -> bool {
        let fits = |own: i128| i64::try_from(self.defence_bonus + own).is_ok();
        (fits(0) && fits(self.lowest_own_defence_bonus))
            || self.living_fighters().all(|fighter| fits(fighter.own_defence_bonus.get()))
    }

    /// Lowers the defence bonus of one character for good; returns what it is now.
    pub(super) fn cut_defence(&mut self, fighter: &Fighter<'_>, amount: i64) -> Result<i64, Stop> {
        let own = fighter.own_defence_bonus.get() - i128::from(amount);
        fighter.own_defence_bonus.set(own);
        fighter.protect();
        self.lowest_own_defence_bonus = self.lowest_own_defence_bonus.min(own);
        let bonus = i64::try_from(self.defence_bonus + own);
        bonus.map_err(|_| Stop::OutOfRange(self.name("defence bonus", fighter)))
    }

    /// Skill 10: doubles a character's base attack and defence, and lifts its hp and energy to at
    /// least half, rounded down.
    pub(super) fn burst<O: Observer<Event>>(
        &mut self,
        fighter: &Fighter<'_>,
        see: &mut Narrator<'_, O>,
    ) -> Result<(), Stop> {
        for (what, base) in [("base attack", &fighter.attack), ("base defence", &fighter.defence)] {
            base.set(sum(base.get(), base.get(), || self.name(what, fighter))?);
        }
        fighter.arm(self.attack_bonus);
        fighter.protect();
        fighter.hp.update(|hp| hp.max(fighter.max_hp / 2));
        self.energies.lift(fighter);
        see.tell(|| Event::Burst {
            player: self.player,
            character: fighter.index + 1,
            attack: fighter.attack.get(),
            defence: fighter.defence.get(),
            hp: fighter.hp.get(),
            mp: self.mp(fighter),
        });
        Ok(())
    }

    /// What a value is called that left its range.
    fn name(&self, what: &str, fighter: &Fighter<'_>) -> String {
        format!("the {what} of {}'s character {}", self.player, fighter.index + 1)
    }
}

/// How the side looks to people.
impl Side<'_> {
    /// All characters' hp.
    pub(super) fn all_hp(&self) -> Vec<u64> {
        self.fighters.iter().map(|fighter| fighter.hp.get()).collect()
    }

    /// All characters' energy.
    pub(super) fn all_mp(&self) -> Vec<i64> {
        self.fighters.iter().map(|fighter| self.mp(fighter)).collect()
    }

    /// All characters' defence bonuses; the dead keep their last.
    pub(super) fn defence_bonuses(&self) -> impl Iterator<Item = i64> {
        // Those that leave 64 bits end the game.
        let bonuses = self.fighters.iter().map(|fighter| fighter.defence_bonus(self.defence_bonus));
        bonuses.map(|bonus| i64::try_from(bonus).unwrap_or(i64::MAX))
    }

    pub(super) fn standing(&self) -> Standing {
        Standing {
            hp: self.all_hp(),
            mp: self.all_mp(),
            attack: self.fighters.iter().map(|fighter| fighter.attack.get()).collect(),
            attack_bonus: self.attack_bonus,
            defence: self.fighters.iter().map(|fighter| fighter.defence.get()).collect(),
            defence_bonus: self.defence_bonuses().collect(),
            additional_energy: self.energy_bonus,
        }
    }

    fn hit_event(&self, victim: &Fighter<'_>, blow: Blow, loss: u128) -> Event {
        let Blow { damage, true_damage } = blow;
        let (hp, mp) = (victim.hp.get(), self.mp(victim));
        let (player, character, loss) = (self.player, victim.index + 1, lost(loss));
        let guard = victim.guard(self.defence_bonus);
        let (defence, immune) = (guard.defence(), guard.immune(true_damage));
        Event::Hit { player, character, damage, true_damage, defence, immune, loss, hp, mp }
    }

    /// A character gained energy for what it did.
    pub(super) fn energy_event(&self, fighter: &Fighter<'_>, amount: u64) -> Event {
        let (player, character) = (self.player, fighter.index + 1);
        Event::Energy { player, character, amount, mp: self.mp(fighter), max_mp: fighter.max_mp }
    }

    /// This side's action ended.
    pub(super) fn action_end(&self) -> Event {
        let mended = self.menders.iter().map(|mender| Mended {
            character: mender.index + 1,
            hp: mender.hp_after_action,
            mp: mender.energy_after_action,
        });
        Event::ActionEnd {
            player: self.player,
            gain: self.energy_bonus.saturating_add(1),
            mended: mended.collect(),
            hp: self.all_hp(),
            mp: self.all_mp(),
        }
    }

    /// Tells of a skill that hit all who are not buried.
    fn tell_hits<O: Observer<Event>>(&self, blow: impl Fn(u64) -> Blow, see: &mut Narrator<'_, O>) {
        for fighter in self.fighters.iter().filter(|fighter| !fighter.is_buried()) {
            let blow = blow(fighter.max_hp);
            let loss = fighter.guard(self.defence_bonus).loss(blow);
            see.tell(|| self.hit_event(fighter, blow, loss));
        }
    }
}

/// A stored value and a change of it; a sum that leaves 64 bits ends the case.
fn sum(value: i64, by: i64, name: impl FnOnce() -> String) -> Result<i64, Stop> {
    value.checked_add(by).ok_or_else(|| Stop::OutOfRange(name()))
}
