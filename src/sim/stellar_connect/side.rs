//! One player's characters: what they are at the moment, and what happens to one or all of them.
//!
//! Every effect touches all living characters of a side, and nobody returns to life. So the attack
//! bonus and the additional energy are the same for all the living, and are kept once a side.
//! Defence bonuses differ: skill 5 lowers those of single characters.

use super::super::{Observer, Stop};
use super::aim::Aims;
use super::battle::Over;
use super::effects::Stat;
use super::energy::Energies;
use super::fighter::{Blow, Fighter, Guard, MIND_OVER_MATTER};
use super::input::Character;
use super::trace::{Event, Narrator, Player, Standing};

/// One player's characters, each by its index from 0.
pub(super) struct Side<'a> {
    pub(super) player: Player,
    /// Current hp; 0 is dead.
    pub(super) hp: Vec<u64>,
    pub(super) energies: Energies,
    /// Normal attacks, as base values and bonuses make them.
    pub(super) blows: Vec<Blow>,
    /// Protections, as base values and bonuses make them.
    pub(super) guards: Vec<Guard>,
    /// The last round in which `D` was evaluated and above 0.
    pub(super) guarded: Vec<u64>,
    pub(super) attack_bonus: i64,
    pub(super) defence_bonus: Vec<i64>,
    /// The additional energy at the end of each allied action.
    pub(super) energy_bonus: i64,
    pub(super) fighters: Vec<Fighter<'a>>,
    /// The living with talent 3.
    menders: Vec<Mender>,
    pub(super) living: usize,
    pub(super) aims: Aims,
}

/// A living character with talent 3, and what it restores after each allied action.
struct Mender {
    index: usize,
    hp: u64,
    max_hp: u64,
    energy: i64,
}

impl Mender {
    fn new((index, character): (usize, &Character)) -> Option<Self> {
        let &Character { hp, talent, .. } = character;
        let [max_hp, hp] = [hp, talent.x].map(i64::cast_unsigned);
        (talent.id == MIND_OVER_MATTER).then_some(Self { index, hp, max_hp, energy: talent.y })
    }
}

impl<'a> Side<'a> {
    pub(super) fn new(player: Player, characters: &'a [Character]) -> Self {
        let fighters: Vec<_> = characters.iter().map(Fighter::new).collect();
        Self {
            player,
            hp: fighters.iter().map(|fighter| fighter.max_hp).collect(),
            energies: Energies::new(&fighters),
            blows: fighters.iter().map(|fighter| fighter.blow(0)).collect(),
            guards: fighters.iter().map(|fighter| fighter.guard(0)).collect(),
            guarded: vec![0; characters.len()],
            attack_bonus: 0,
            defence_bonus: vec![0; characters.len()],
            energy_bonus: 0,
            menders: characters.iter().enumerate().filter_map(Mender::new).collect(),
            living: characters.len(),
            aims: Aims::default(),
            fighters,
        }
    }

    /// Current energy.
    pub(super) fn mp(&self, index: usize) -> i64 {
        match self.hp[index] {
            0 => 0,
            _ => self.fighters[index].max_mp + self.energies.charge(index),
        }
    }

    /// A skill hits one character.
    pub(super) fn struck<O: Observer<Event>>(
        &mut self,
        index: usize,
        blow: Blow,
        round: u64,
        see: &mut Narrator<'_, O>,
    ) -> Result<(), Over> {
        let guard = self.guards[index];
        if guard.matters(blow) {
            self.guarded[index] = round;
        }
        self.hit(index, blow, guard.loss(blow), see)
    }

    /// A character is hit: it first gains 1 energy, then loses hp.
    #[inline(always)]
    pub(super) fn hit<O: Observer<Event>>(
        &mut self,
        index: usize,
        blow: Blow,
        loss: u128,
        see: &mut Narrator<'_, O>,
    ) -> Result<(), Over> {
        self.energies.gain(index, 1);
        let hp = &mut self.hp[index];
        *hp = hp.saturating_sub(lost(loss));
        let dead = *hp == 0;
        see.tell(|| self.hit_event(index, blow, loss));
        if dead { self.bury(see) } else { Ok(()) }
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
        let mut dead = false;
        let guards = self.guards.iter().zip(&mut self.guarded);
        for ((hp, fighter), (guard, guarded)) in self.hp.iter_mut().zip(&self.fighters).zip(guards)
        {
            if *hp > 0 {
                let blow = blow(fighter.max_hp);
                if guard.matters(blow) {
                    *guarded = round;
                }
                *hp = hp.saturating_sub(lost(guard.loss(blow)));
                dead |= *hp == 0;
            }
        }
        if O::ON {
            self.tell_hits(blow, see);
        }
        if dead { self.bury(see) } else { Ok(()) }
    }

    /// Those who have no hp any more are dead from now on.
    #[cold]
    fn bury<O: Observer<Event>>(&mut self, see: &mut Narrator<'_, O>) -> Result<(), Over> {
        for index in 0..self.hp.len() {
            if self.hp[index] == 0 && self.energies.die(index) {
                self.menders.retain(|mender| mender.index != index);
                self.living -= 1;
                see.tell(|| Event::Death { player: self.player, character: index + 1 });
            }
        }
        if self.living == 0 { Err(Over) } else { Ok(()) }
    }

    /// All die: the doom of skill 10.
    pub(super) fn perish(&mut self) -> Over {
        self.hp.fill(0);
        self.living = 0;
        Over
    }

    /// Restores hp of one character.
    #[inline(always)]
    pub(super) fn heal<O: Observer<Event>>(
        &mut self,
        index: usize,
        amount: u64,
        see: &mut Narrator<'_, O>,
    ) {
        // Both are below 2^63.
        let hp = (self.hp[index] + amount).min(self.fighters[index].max_hp);
        self.hp[index] = hp;
        let (player, character) = (self.player, index + 1);
        see.tell(|| Event::Heal { player, character, amount, hp });
    }

    /// Restores hp of all the living.
    pub(super) fn heal_all<O: Observer<Event>>(&mut self, amount: u64, see: &mut Narrator<'_, O>) {
        for (index, (hp, fighter)) in self.hp.iter_mut().zip(&self.fighters).enumerate() {
            if *hp > 0 {
                *hp = (*hp + amount).min(fighter.max_hp);
                let (player, hp) = (self.player, *hp);
                see.tell(|| Event::Heal { player, character: index + 1, amount, hp });
            }
        }
    }

    /// The end of this side's action: energy for all the living, and what talent 3 restores.
    #[inline(always)]
    pub(super) fn end_action(&mut self) {
        self.energies.all_gain(self.energy_bonus.saturating_add(1));
        let hp = self.hp.as_mut_slice();
        self.energies.some_gain(self.menders.iter().map(|mender| {
            let hp = &mut hp[mender.index];
            *hp = (*hp + mender.hp).min(mender.max_hp);
            (mender.index, mender.energy)
        }));
    }

    /// Raises or lowers a bonus of all the living.
    pub(super) fn shift(&mut self, stat: Stat, by: i64) -> Result<(), Stop> {
        let characters = |what| format!("the {what} of {}'s characters", self.player);
        match stat {
            Stat::Life => {}
            Stat::Attack => {
                self.attack_bonus = sum(self.attack_bonus, by, || characters("attack bonus"))?;
                for (blow, fighter) in self.blows.iter_mut().zip(&self.fighters) {
                    *blow = fighter.blow(self.attack_bonus);
                }
            }
            Stat::Defence => {
                let fighters = self.fighters.iter().zip(&self.hp);
                let bonuses = self.defence_bonus.iter_mut().zip(&mut self.guards);
                for ((bonus, guard), (fighter, &hp)) in bonuses.zip(fighters) {
                    if hp > 0 {
                        *bonus = sum(*bonus, by, || characters("defence bonus"))?;
                        *guard = fighter.guard(*bonus);
                    }
                }
            }
            Stat::Energy => {
                self.energy_bonus = sum(self.energy_bonus, by, || characters("additional energy"))?;
            }
        }
        Ok(())
    }

    /// Raises or lowers the defence bonus of one character.
    pub(super) fn shift_defence(&mut self, index: usize, by: i64) -> Result<(), Stop> {
        let bonus = &mut self.defence_bonus[index];
        *bonus = sum(*bonus, by, || {
            format!("the defence bonus of {}'s character {}", self.player, index + 1)
        })?;
        self.guards[index] = self.fighters[index].guard(*bonus);
        Ok(())
    }

    /// Skill 10: doubles a character's base attack and defence, and lifts its hp and energy to at
    /// least half, rounded down.
    pub(super) fn burst<O: Observer<Event>>(
        &mut self,
        index: usize,
        see: &mut Narrator<'_, O>,
    ) -> Result<(), Stop> {
        let name = |what| format!("the {what} of {}'s character {}", self.player, index + 1);
        let fighter = &mut self.fighters[index];
        fighter.attack = sum(fighter.attack, fighter.attack, || name("base attack"))?;
        fighter.defence = sum(fighter.defence, fighter.defence, || name("base defence"))?;
        self.blows[index] = fighter.blow(self.attack_bonus);
        self.guards[index] = fighter.guard(self.defence_bonus[index]);
        self.hp[index] = self.hp[index].max(fighter.max_hp / 2);
        self.energies.lift(index, fighter);
        see.tell(|| Event::Burst {
            player: self.player,
            character: index + 1,
            attack: self.fighters[index].attack,
            defence: self.fighters[index].defence,
            hp: self.hp[index],
            mp: self.mp(index),
        });
        Ok(())
    }
}

/// How the side looks to people.
impl Side<'_> {
    /// All characters' energy.
    pub(super) fn all_mp(&self) -> Vec<i64> {
        (0..self.hp.len()).map(|index| self.mp(index)).collect()
    }

    pub(super) fn standing(&self) -> Standing {
        Standing {
            hp: self.hp.clone(),
            mp: self.all_mp(),
            attack: self.fighters.iter().map(|fighter| fighter.attack).collect(),
            attack_bonus: self.attack_bonus,
            defence: self.fighters.iter().map(|fighter| fighter.defence).collect(),
            defence_bonus: self.defence_bonus.clone(),
            additional_energy: self.energy_bonus,
        }
    }

    fn hit_event(&self, index: usize, blow: Blow, loss: u128) -> Event {
        let Blow { damage, true_damage } = blow;
        let (hp, mp) = (self.hp[index], self.mp(index));
        let (player, character, loss) = (self.player, index + 1, lost(loss));
        Event::Hit { player, character, damage, true_damage, loss, hp, mp }
    }

    /// Tells of a skill that hit all who are not buried.
    fn tell_hits<O: Observer<Event>>(&self, blow: impl Fn(u64) -> Blow, see: &mut Narrator<'_, O>) {
        for (index, fighter) in self.fighters.iter().enumerate() {
            if self.energies.lives(index) {
                let blow = blow(fighter.max_hp);
                see.tell(|| self.hit_event(index, blow, self.guards[index].loss(blow)));
            }
        }
    }
}

/// A loss as hp, of which nobody has 2^63.
#[inline(always)]
fn lost(loss: u128) -> u64 {
    u64::try_from(loss).unwrap_or(u64::MAX)
}

/// A stored value and a change of it; a sum that leaves 64 bits ends the case.
fn sum(value: i64, by: i64, name: impl FnOnce() -> String) -> Result<i64, Stop> {
    value.checked_add(by).ok_or_else(|| Stop::OutOfRange(name()))
}
