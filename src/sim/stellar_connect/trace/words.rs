//! The steps as sentences.

use std::fmt;

use super::super::effects::Stat;
use super::super::input::{Skill, Talent};
use super::{Event, Mended, Standing};

/// The names of the talents, by id.
const TALENTS: [&str; 6] = [
    "I Shut Down",
    "Flesh and Blood",
    "Stellar Power Projection",
    "Mind Over Matter",
    "Transcendence",
    "Technology Above All",
];

/// The names of the skills, by id.
const SKILLS: [&str; 11] = [
    "Mind Broken",
    "Green Explosion",
    "Sun Rise Rain",
    "Heavenly Tower Overlord Severing Sword",
    "The Show Begins",
    "Heavenly Wolf Devouring Slash",
    "Earth Blue Azure Flash Lightning",
    "Aurora Bloom",
    "Meteor",
    "Elf's Blessing",
    "The End of Samsara",
];

/// The name of what has an id.
fn name<'a>(names: &[&'a str], id: i64) -> &'a str {
    usize::try_from(id).ok().and_then(|id| names.get(id)).copied().unwrap_or("unknown")
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Attack { round, player, character, target, target_hp } => {
                let enemy = player.rival();
                write!(f, "round {round}: {player} {character} attacks {enemy} {target}, ")?;
                write!(f, "the target with the most hp, {target_hp}")
            }
            Self::Cast { round, player, character, skill } => {
                let name = name(&SKILLS, *skill);
                write!(
                    f,
                    "round {round}: {player} {character} has full energy and casts {name} ({skill})"
                )
            }
            Self::Hit { player, character, loss, hp, mp, .. } => {
                write!(f, "  {player} {character} loses {loss} hp (")?;
                self.fmt_loss(f)?;
                write!(f, "): {hp} hp, {mp} energy")
            }
            Self::Death { player, character } => write!(f, "  {player} {character} dies"),
            Self::Heal { player, character, amount, hp } => {
                write!(f, "  {player} {character} restores up to {amount} hp: {hp} hp")
            }
            Self::Energy { player, character, amount, mp, max_mp } => {
                write!(f, "  {player} {character} gains {amount} energy: {mp} of {max_mp}")
            }
            Self::DefenceCut { .. }
            | Self::Burst { .. }
            | Self::Drain { .. }
            | Self::EffectStart { .. }
            | Self::EffectEnd { .. }
            | Self::Doom { .. } => self.fmt_change(f),
            Self::Enter { .. }
            | Self::ActionEnd { .. }
            | Self::RoundEnd { .. }
            | Self::Win { .. }
            | Self::Endless { .. } => self.fmt_sides(f),
        }
    }
}

impl Event {
    /// What a skill changes, and what is undone.
    fn fmt_change(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DefenceCut { player, character, amount, defence_bonus } => write!(
                f,
                "  {player} {character} loses {amount} defence for good: bonus {defence_bonus}"
            ),
            Self::Burst { player, character, attack, defence, hp, mp } => write!(
                f,
                "  {player} {character} bursts to twice the base values: attack {attack}, \
                 defence {defence}, {hp} hp, {mp} energy"
            ),
            Self::Drain { player, mp } => {
                write!(f, "  {player}'s characters lose a tenth of their energy: {}", List(mp))
            }
            Self::EffectStart { player, stat: Stat::Life, last, .. } => {
                write!(
                    f,
                    "  {player}'s additional energy +1, every End of Samsara is Mind Broken "
                )?;
                write!(f, "now, all of {player}'s characters die at the end of round {last}")
            }
            Self::EffectStart { player, stat, amount, last } => {
                write!(f, "  {player}'s {stat} {amount:+} to the end of round {last}")
            }
            Self::EffectEnd { player, stat, amount } => {
                write!(f, "  an effect ends: {player}'s {stat} {amount:+}")
            }
            Self::Doom { player } => {
                write!(f, "  The End of Samsara comes: all of {player}'s characters die")
            }
            _ => Ok(()),
        }
    }

    /// How the sides stand.
    fn fmt_sides(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Enter { player, character, hp, mp, attack, defence, order, talent, skill } => {
                write!(
                    f,
                    "{player} {character}: {hp} hp, casts with {mp} energy, attack {attack}, "
                )?;
                write!(f, "defence {defence}, attacks in the order {}", List(order))?;
                write!(f, "\n  talent {talent}\n  skill {skill}")
            }
            Self::ActionEnd { player, gain, mended, hp, mp } => {
                write!(f, "  {player}'s action ends, {gain:+} energy each")?;
                for Mended { character, hp, mp } in mended {
                    write!(f, ", {player} {character} {hp:+} hp {mp:+} energy by talent")?;
                }
                write!(f, ": hp {}, energy {}", List(hp), List(mp))
            }
            Self::RoundEnd { round, sides } => {
                let [alice, bob] = &**sides;
                write!(f, "round {round} ends\n  Alice: {alice}\n  Bob: {bob}")
            }
            Self::Win { round, player, hp } => {
                write!(f, "{player} wins in round {round} with hp {}", List(hp))
            }
            Self::Endless { round, since, falling_defence } => {
                let but =
                    if *falling_defence { ", but for defence that no longer counts" } else { "" };
                write!(f, "endless: round {round} ends as round {since} did{but}")
            }
            _ => Ok(()),
        }
    }

    /// What the hp that a hit takes are made of.
    fn fmt_loss(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Hit { damage, true_damage, defence, immune, .. } = self else { return Ok(()) };
        if *damage > 0 || *true_damage == 0 {
            write!(f, "{damage} damage - {defence} defence")?;
        }
        if *true_damage > 0 {
            let gap = if *damage > 0 { " + " } else { "" };
            write!(f, "{gap}{true_damage} true damage")?;
        }
        if *immune > 0 { write!(f, " - {immune} immune") } else { Ok(()) }
    }
}

/// Its name and what it does.
impl fmt::Display for Talent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, x, y } = self;
        write!(f, "{} ({id}): ", name(&TALENTS, *id))?;
        match id {
            1 => f.write_str("immune to half of true damage"),
            2 => write!(f, "{x} true damage more with each attack"),
            3 => write!(f, "{x} hp and {y} energy after each allied action"),
            4 => f.write_str("attacks with true damage"),
            5 => write!(f, "{x} hp after an attack, {y} energy after a cast"),
            _ => f.write_str("nothing"),
        }
    }
}

/// Its name and what it does.
impl fmt::Display for Skill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, x, y, z } = self;
        let rounds = Rounds(*x);
        write!(f, "{} ({id}): ", name(&SKILLS, *id))?;
        match id {
            1 => write!(f, "{x} damage to all enemies, a tenth off their energy"),
            2 => f.write_str("attack as true damage to all enemies"),
            3 => write!(f, "min(full hp / 10, {x} * attack) damage to each enemy"),
            4 => write!(f, "{y} more energy after each allied action for {rounds}"),
            5 => write!(f, "target's defence -{x} for good, attack as true damage to it"),
            6 => {
                write!(f, "attack as true damage to the target, enemies' attack -{y} for {rounds}")
            }
            7 => write!(f, "{z} hp for the weakest ally, allies' attack +{y} for {rounds}"),
            8 => write!(f, "attack as damage to all enemies, their defence -{y} for {rounds}"),
            9 => write!(f, "{z} hp for all allies, their defence +{y} for {rounds}"),
            10 => write!(f, "allies burst, 1 more energy after each action, all die in {rounds}"),
            _ => f.write_str("nothing"),
        }
    }
}

/// How long an effect lasts.
struct Rounds(i64);

impl fmt::Display for Rounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} round{}", self.0, if self.0 == 1 { "" } else { "s" })
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "hp {}, energy {}, attack {} ({:+} each), defence {} (bonuses {}), \
             {} additional energy",
            List(&self.hp),
            List(&self.mp),
            List(&self.attack),
            self.attack_bonus,
            List(&self.defence),
            List(&self.defence_bonus),
            self.additional_energy,
        )
    }
}

impl fmt::Display for Stat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Life => "life",
            Self::Attack => "attack",
            Self::Defence => "defence",
            Self::Energy => "additional energy",
        })
    }
}

/// Numbers with single spaces.
struct List<'a, T>(&'a [T]);

impl<T: fmt::Display> fmt::Display for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().enumerate().try_for_each(|(index, value)| match index {
            0 => value.fmt(f),
            _ => write!(f, " {value}"),
        })
    }
}
