//! The steps of a game as people see them.

mod words;

use std::fmt;

use serde::{Serialize, Serializer};

use super::super::Observer;
use super::effects::Stat;
use super::input::{Character, Skill, Talent};
use super::side::Side;

/// One of the two players.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Player {
    /// Player 1, who acts first.
    Alice,
    /// Player 2.
    Bob,
}

impl Player {
    /// The number people see: 1 or 2.
    #[must_use]
    pub const fn number(self) -> u32 {
        self as u32 + 1
    }

    /// The name the judge prints.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Alice => "Alice",
            Self::Bob => "Bob",
        }
    }

    pub(super) const fn index(self) -> usize {
        self as usize
    }

    pub(super) const fn rival(self) -> Self {
        match self {
            Self::Alice => Self::Bob,
            Self::Bob => Self::Alice,
        }
    }

    /// This player's side and the rival's.
    pub(super) fn split<'s, 'a>(
        self,
        [alice, bob]: &'s mut [Side<'a>; 2],
    ) -> (&'s mut Side<'a>, &'s mut Side<'a>) {
        match self {
            Self::Alice => (alice, bob),
            Self::Bob => (bob, alice),
        }
    }
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Player {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(self.number())
    }
}

/// One step. Players and characters are numbered from 1; `player` is whose character it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Event {
    /// A character as it enters the game.
    Enter {
        /// Whose character.
        player: Player,
        /// The character.
        character: usize,
        /// Its hp, at the start and at most.
        hp: i64,
        /// The energy it needs to cast, and its energy at most.
        mp: i64,
        /// Its base attack.
        attack: i64,
        /// Its base defence.
        defence: i64,
        /// The enemies in the order it attacks them.
        order: Vec<usize>,
        /// Its talent.
        talent: Talent,
        /// Its skill.
        skill: Skill,
    },
    /// A character attacks an enemy.
    Attack {
        /// The round.
        round: u64,
        /// Whose action it is.
        player: Player,
        /// The attacker.
        character: usize,
        /// The enemy.
        target: usize,
        /// The enemy's hp: no other priority target has more.
        target_hp: u64,
    },
    /// A character casts; its energy is 0 now.
    Cast {
        /// The round.
        round: u64,
        /// Whose action it is.
        player: Player,
        /// The caster.
        character: usize,
        /// The skill's id.
        skill: i64,
    },
    /// A character is hit: it gains 1 energy, then loses hp.
    Hit {
        /// Whose character.
        player: Player,
        /// The victim.
        character: usize,
        /// Damage, before defence.
        damage: u64,
        /// True damage, before talent 1.
        true_damage: u64,
        /// The defence that is taken off damage.
        defence: u64,
        /// How much of the true damage it is immune to: half with talent 1.
        immune: u64,
        /// The hp it would lose, however many it has.
        loss: u64,
        /// Its hp now.
        hp: u64,
        /// Its energy now.
        mp: i64,
    },
    /// A character is dead.
    Death {
        /// Whose character.
        player: Player,
        /// The character.
        character: usize,
    },
    /// A character restores hp by talent 5 or a skill.
    Heal {
        /// Whose character.
        player: Player,
        /// The character.
        character: usize,
        /// The hp that are restored, before the limit.
        amount: u64,
        /// Its hp now.
        hp: u64,
    },
    /// A character gains energy after its attack or cast.
    Energy {
        /// Whose character.
        player: Player,
        /// The character.
        character: usize,
        /// The energy that is restored, before the limit.
        amount: u64,
        /// Its energy now.
        mp: i64,
        /// Its energy at most.
        max_mp: u64,
    },
    /// Skill 5 lowers a defence bonus for good.
    DefenceCut {
        /// Whose character.
        player: Player,
        /// The character.
        character: usize,
        /// By how much.
        amount: i64,
        /// The bonus now.
        defence_bonus: i64,
    },
    /// Skill 10 doubles a character's base values for good, and lifts hp and energy to at least half.
    Burst {
        /// Whose character.
        player: Player,
        /// The character.
        character: usize,
        /// Its base attack now.
        attack: i64,
        /// Its base defence now.
        defence: i64,
        /// Its hp now.
        hp: u64,
        /// Its energy now.
        mp: i64,
    },
    /// Skill 1 takes a tenth of the energy of all the living.
    Drain {
        /// Whose characters.
        player: Player,
        /// Their energy now.
        mp: Vec<i64>,
    },
    /// An effect on all living characters of a side starts.
    EffectStart {
        /// Whose characters.
        player: Player,
        /// What changes; `life`: at its end they die.
        stat: Stat,
        /// By how much it is higher.
        amount: i64,
        /// The round at whose end it is undone.
        last: u64,
    },
    /// Effects on all living characters of a side are undone.
    EffectEnd {
        /// Whose characters.
        player: Player,
        /// What changes.
        stat: Stat,
        /// By how much it is higher now.
        amount: i64,
    },
    /// The doom of skill 10: all of a side die.
    Doom {
        /// Whose characters.
        player: Player,
    },
    /// An action ended: each living ally gained energy, and hp with talent 3.
    ActionEnd {
        /// Whose action it was.
        player: Player,
        /// The energy that each of the living gained.
        gain: i64,
        /// What talent 3 restored besides.
        mended: Vec<Mended>,
        /// Its characters' hp.
        hp: Vec<u64>,
        /// Their energy.
        mp: Vec<i64>,
    },
    /// A round ended.
    RoundEnd {
        /// The round.
        round: u64,
        /// Alice's side, then Bob's.
        sides: Box<[Standing; 2]>,
    },
    /// The game is over.
    Win {
        /// The last round.
        round: u64,
        /// The winner.
        player: Player,
        /// The hp of the winner's characters.
        hp: Vec<u64>,
    },
    /// The game never ends: the state is as it was at the end of an earlier round.
    Endless {
        /// The round that ended.
        round: u64,
        /// The earlier round; 0 is the start.
        since: u64,
        /// Whether some defence bonuses are lower than then, where that changes nothing.
        falling_defence: bool,
    },
}

/// What talent 3 restores of a character after an allied action, before the limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Mended {
    /// The character.
    pub character: usize,
    /// Hp.
    pub hp: u64,
    /// Energy.
    pub mp: u64,
}

impl Event {
    /// A character of a player as it enters the game; `index` is from 0.
    pub(super) fn enter(player: Player, index: usize, character: &Character) -> Self {
        let Character { hp, mp, attack, defence, order, talent, skill } = character.clone();
        let character = index + 1;
        Self::Enter { player, character, hp, mp, attack, defence, order, talent, skill }
    }
}

/// A side at the end of a round, by character where it is a list; the dead keep their last values.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Standing {
    /// Hp; 0 is dead.
    pub hp: Vec<u64>,
    /// Energy.
    pub mp: Vec<i64>,
    /// Base attack.
    pub attack: Vec<i64>,
    /// The attack bonus of all the living.
    pub attack_bonus: i64,
    /// Base defence.
    pub defence: Vec<i64>,
    /// Defence bonuses.
    pub defence_bonus: Vec<i64>,
    /// The additional energy of all the living.
    pub additional_energy: i64,
}

/// Tells an observer.
pub(super) struct Narrator<'a, O> {
    pub(super) observer: &'a mut O,
    /// How much is printed: nothing before the end of a game, so this changes only then.
    pub(super) output_bytes: usize,
}

impl<O: Observer<Event>> Narrator<'_, O> {
    #[inline(always)]
    pub(super) fn tell(&mut self, event: impl FnOnce() -> Event) {
        self.observer.step(self.output_bytes, event);
    }
}
