//! Stellar Connect: the rulings, what an input may be, the proofs that a game never ends.

use std::sync::atomic::AtomicBool;

use simdrop::domain::{Outcome, RuleSet};
use simdrop::sim::stellar_connect::{
    Character, Event, Input, Player, Skill, Standing, StellarConnect, Talent,
};
use simdrop::sim::{Budget, Simulator, Stop, Tracing};

mod endless;
mod inputs;
mod properties;
mod rulings;
mod skills;
mod steps;

/// A character whose order is 1, 2, 3 ... and who has neither talent nor skill.
fn who(hp: i64, mp: i64, attack: i64, defence: i64) -> Character {
    let (talent, skill) = (Talent { id: 0, x: 0, y: 0 }, Skill { id: 0, x: 0, y: 0, z: 0 });
    Character { hp, mp, attack, defence, order: Vec::new(), talent, skill }
}

trait Change: Sized {
    fn talent(self, id: i64, x: i64, y: i64) -> Self;
    fn skill(self, id: i64, x: i64, y: i64, z: i64) -> Self;
    fn order<const N: usize>(self, order: [usize; N]) -> Self;
}

impl Change for Character {
    fn talent(self, id: i64, x: i64, y: i64) -> Self {
        Self { talent: Talent { id, x, y }, ..self }
    }

    fn skill(self, id: i64, x: i64, y: i64, z: i64) -> Self {
        Self { skill: Skill { id, x, y, z }, ..self }
    }

    fn order<const N: usize>(self, order: [usize; N]) -> Self {
        Self { order: order.to_vec(), ..self }
    }
}

/// What happened in a game.
struct Game {
    out: String,
    result: Result<Outcome, Stop>,
    events: Vec<Event>,
}

fn input<const N: usize>(alice: [Character; N], bob: [Character; N]) -> Input {
    let ordered = |side: [Character; N]| {
        let fill = |character: Character| match character.order.is_empty() {
            true => Character { order: (1..=N).collect(), ..character },
            false => character,
        };
        side.map(fill).to_vec()
    };
    Input { alice: ordered(alice), bob: ordered(bob) }
}

/// Plays at most `rounds` rounds.
fn play_rounds(input: &Input, rounds: u64) -> Game {
    let (never, mut out, mut events) = (AtomicBool::new(false), Vec::new(), Vec::new());
    let mut observer = Tracing(|_, event| events.push(event));
    let mut budget = Budget::new(rounds, &never);
    let result =
        StellarConnect::play(input, 0, RuleSet::Judge, &mut observer, &mut budget, &mut out);
    Game { out: String::from_utf8(out).expect("ASCII"), result, events }
}

/// Plays to the end, or 1000 rounds.
fn play<const N: usize>(alice: [Character; N], bob: [Character; N]) -> Game {
    play_rounds(&input(alice, bob), 1000)
}

impl Game {
    fn outcome(&self) -> &Outcome {
        self.result.as_ref().expect("no stop")
    }

    /// The sides at the end of a round.
    fn standing(&self, round: u64) -> &[Standing; 2] {
        let end = self.events.iter().find_map(|event| match event {
            Event::RoundEnd { round: ended, sides } if *ended == round => Some(&**sides),
            _ => None,
        });
        end.expect("such a round")
    }

    /// Who attacks whom: the attacker and the target.
    fn attacks(&self, by: Player) -> Vec<(usize, usize)> {
        let attack = |event: &Event| match *event {
            Event::Attack { player, character, target, .. } if player == by => {
                Some((character, target))
            }
            _ => None,
        };
        self.events.iter().filter_map(attack).collect()
    }

    /// Who casts what: the round, the caster and the skill.
    fn casts(&self, by: Player) -> Vec<(u64, usize, i64)> {
        let cast = |event: &Event| match *event {
            Event::Cast { round, player, character, skill } if player == by => {
                Some((round, character, skill))
            }
            _ => None,
        };
        self.events.iter().filter_map(cast).collect()
    }

    /// The hits on a player's characters: the victim, and the hp it loses.
    fn hits(&self, on: Player) -> Vec<(usize, u64)> {
        let hit = |event: &Event| match *event {
            Event::Hit { player, character, loss, .. } if player == on => Some((character, loss)),
            _ => None,
        };
        self.events.iter().filter_map(hit).collect()
    }
}
