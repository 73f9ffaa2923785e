//! What an input says: Alice's characters, then Bob's.

use std::fmt;

use serde::Serialize;

use super::super::Numbers;
use crate::domain::{CaseError, ErrorCode};

/// How many characters a side has at most (statement); more are played with a warning.
const PROMISED_CHARACTERS: i64 = 10;

/// No number is larger (statement); larger ones are played with a warning.
const PROMISED_NUMBER: i64 = 1_000_000_000;

/// How many parameters each talent uses, by id.
const TALENT_PARAMETERS: [usize; 6] = [0, 0, 1, 2, 0, 2];

/// How many parameters each skill uses, by id.
const SKILL_PARAMETERS: [usize; 11] = [0, 1, 0, 1, 2, 1, 2, 3, 2, 3, 1];

/// An input: the characters of both sides, equally many.
///
/// The values are plain and may be edited. What reading demands of them (bounds, attack orders that
/// are permutations) is demanded of edited ones too: print them and read that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// Alice's characters.
    pub alice: Vec<Character>,
    /// Bob's characters.
    pub bob: Vec<Character>,
}

/// A character as it enters the game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Character {
    /// `HP`: its hp at the start and at most; at least 1.
    pub hp: i64,
    /// `MP`: the energy it needs to cast, and its energy at most; at least 1.
    pub mp: i64,
    /// `atk`: its base attack; at least 0.
    pub attack: i64,
    /// `def`: its base defence; at least 0.
    pub defence: i64,
    /// The enemies, from 1, in the order it attacks them.
    pub order: Vec<usize>,
    /// Its talent.
    pub talent: Talent,
    /// Its skill.
    pub skill: Skill,
}

/// A talent with its parameters, named as in the statement; those it does not use are 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Talent {
    /// Which talent: 0 to 5.
    pub id: i64,
    /// The first parameter.
    pub x: i64,
    /// The second parameter.
    pub y: i64,
}

/// A skill with its parameters, named as in the statement; those it does not use are 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Skill {
    /// Which skill: 0 to 10.
    pub id: i64,
    /// The first parameter.
    pub x: i64,
    /// The second parameter.
    pub y: i64,
    /// The third parameter.
    pub z: i64,
}

/// How many numbers an input of `n` characters a side has; 0 for an `n` that is wrong itself.
pub(super) fn tokens(n: i64) -> i128 {
    match i128::from(n) {
        ..1 => 0,
        n => n.saturating_mul(n + 11).saturating_mul(2).saturating_add(1),
    }
}

impl Input {
    /// Reads an input whose number of tokens is checked.
    pub(super) fn parse(numbers: &mut Numbers<'_>) -> Result<Self, CaseError> {
        let n = numbers.within("n", 1, i64::MAX)?;
        if n > PROMISED_CHARACTERS {
            numbers.warn("many-characters", "more than 10 characters a side");
        }
        let n = usize::try_from(n)
            .map_err(|_| numbers.wrong(ErrorCode::OutOfBounds, "n that fits in memory"))?;
        let mut seen = vec![false; n];
        let mut side = || (0..n).map(|_| Character::parse(numbers, &mut seen)).collect();
        let alice: Result<_, CaseError> = side();
        Ok(Self { alice: alice?, bob: side()? })
    }
}

impl Character {
    /// Reads a character; `seen` has a place for each enemy.
    fn parse(numbers: &mut Numbers<'_>, seen: &mut [bool]) -> Result<Self, CaseError> {
        let hp = number(numbers, "HP", 1)?;
        let mp = number(numbers, "MP", 1)?;
        let attack = number(numbers, "atk", 0)?;
        if attack == 0 {
            numbers.warn("no-attack", "a base attack of 0");
        }
        let defence = number(numbers, "def", 0)?;
        let order = order(numbers, seen)?;
        let (id, used) = kind(numbers, "talent", &TALENT_PARAMETERS)?;
        let [x, y] = parameters(numbers, used)?;
        let talent = Talent { id, x, y };
        let (id, used) = kind(numbers, "skill", &SKILL_PARAMETERS)?;
        let [x, y, z] = parameters(numbers, used)?;
        Ok(Self { hp, mp, attack, defence, order, talent, skill: Skill { id, x, y, z } })
    }
}

/// Reads a number of at least `least`, and warns if it is larger than the statement promises.
fn number(numbers: &mut Numbers<'_>, what: &str, least: i64) -> Result<i64, CaseError> {
    let value = numbers.within(what, least, i64::MAX)?;
    if value > PROMISED_NUMBER {
        numbers.warn("large-number", "a number above 10^9");
    }
    Ok(value)
}

/// Reads an attack order: each enemy once.
fn order(numbers: &mut Numbers<'_>, seen: &mut [bool]) -> Result<Vec<usize>, CaseError> {
    seen.fill(false);
    let mut order = Vec::with_capacity(seen.len());
    for _ in 0..seen.len() {
        let enemy = usize::try_from(numbers.next()?).unwrap_or(0);
        match enemy.checked_sub(1).and_then(|index| seen.get_mut(index)) {
            Some(seen) if !*seen => *seen = true,
            _ => {
                let expected = format!("attack order: each of 1 to {} once", seen.len());
                return Err(numbers.wrong(ErrorCode::NotAPermutation, &expected));
            }
        }
        order.push(enemy);
    }
    Ok(order)
}

/// Reads the id of a talent or skill; returns it with the number of parameters it uses.
fn kind(
    numbers: &mut Numbers<'_>,
    what: &str,
    parameters: &[usize],
) -> Result<(i64, usize), CaseError> {
    let id = numbers.next()?;
    match usize::try_from(id).ok().and_then(|index| parameters.get(index)) {
        Some(&used) => Ok((id, used)),
        None => {
            let expected = format!("{what}: 0 to {}", parameters.len() - 1);
            Err(numbers.wrong(ErrorCode::UnknownId, &expected))
        }
    }
}

/// Reads `N` parameters: at least 1 for the first `used`, and 0 promised for the others.
fn parameters<const N: usize>(
    numbers: &mut Numbers<'_>,
    used: usize,
) -> Result<[i64; N], CaseError> {
    let mut values = [0; N];
    for (index, (value, what)) in values.iter_mut().zip(["x", "y", "z"]).enumerate() {
        *value = number(numbers, what, i64::from(index < used))?;
        if index >= used && *value > 0 {
            numbers.warn("unused-parameter", "a parameter that the talent or skill does not use");
        }
    }
    Ok(values)
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.alice.len())?;
        self.alice.iter().chain(&self.bob).try_for_each(|character| character.fmt(f))
    }
}

impl fmt::Display for Character {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { hp, mp, attack, defence, talent, skill, .. } = self;
        writeln!(f, "{hp} {mp} {attack} {defence}")?;
        for (index, enemy) in self.order.iter().enumerate() {
            write!(f, "{}{enemy}", if index == 0 { "" } else { " " })?;
        }
        writeln!(f, "\n{} {} {}", talent.id, talent.x, talent.y)?;
        writeln!(f, "{} {} {} {}", skill.id, skill.x, skill.y, skill.z)
    }
}
