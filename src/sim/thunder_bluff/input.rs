//! What an input says: one line of seeds for each game.

use std::fmt;

use crate::domain::CaseError;
use crate::sim::Numbers;

/// The most games an input of the contest has.
const GAMES_USUAL: i64 = 50;

/// The seeds of the dice, four for each game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// `x y z w` of each game, at least one game.
    pub seeds: Vec<[u32; 4]>,
}

/// Reads the number of games and the seeds.
pub(super) fn parse(numbers: &mut Numbers<'_>) -> Result<Input, CaseError> {
    let games = numbers.within("the number of games", 1, i64::MAX)?;
    if games > GAMES_USUAL {
        numbers.warn("many-games", "more games than the 50 of the statement");
    }
    // The text has four tokens for each game, so no claim of the input alone sizes this.
    let mut seeds = Vec::with_capacity(usize::try_from(games).unwrap_or(0));
    for _ in 0..games {
        seeds.push([seed(numbers)?, seed(numbers)?, seed(numbers)?, seed(numbers)?]);
    }
    Ok(Input { seeds })
}

#[inline]
fn seed(numbers: &mut Numbers<'_>) -> Result<u32, CaseError> {
    let seed = numbers.within("a seed", 0, i64::from(u32::MAX))?;
    Ok(u32::try_from(seed).unwrap_or_default())
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.seeds.len())?;
        self.seeds.iter().try_for_each(|[x, y, z, w]| writeln!(f, "{x} {y} {z} {w}"))
    }
}
