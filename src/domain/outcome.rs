//! How one game went.

use super::Warning;

/// How many single-number metrics a simulator may have: the columns that the store keeps for them.
pub const METRICS_MAX: usize = 12;

/// The longest list that is kept as a metric; a longer one (only inputs far outside the statements
/// have them) is left out.
pub const LIST_MAX: usize = 1024;

/// How a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ending {
    /// Somebody won.
    Ended,
    /// It is proved that the game never ends.
    Endless,
    /// The step limit passed without an end or a proof.
    Undecided,
}

impl Ending {
    /// Every ending.
    pub const ALL: [Self; 3] = [Self::Ended, Self::Endless, Self::Undecided];

    /// The name the store and people see.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ended => "ended",
            Self::Endless => "endless",
            Self::Undecided => "undecided",
        }
    }
}

/// How one game went: what the store keeps of it besides the output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// The winner's number, from 1; `None` unless the game ended.
    pub winner: Option<u32>,
    /// Rounds, rolls or plays, as the simulator counts; `None` for a game without an end.
    pub length: Option<u64>,
    /// Single-number metrics, in the order of the simulator's names; the rest is 0.
    pub metrics: [i64; METRICS_MAX],
    /// Named lists of numbers, such as one number per character or player.
    pub lists: Vec<(&'static str, Vec<i64>)>,
    /// What was odd about the game itself.
    pub warnings: Vec<Warning>,
}

impl Outcome {
    /// A game that ended, with its winner (from 1), its length and no metrics yet.
    #[must_use]
    pub fn ended(winner: u32, length: u64) -> Self {
        Self { winner: Some(winner), length: Some(length), ..Self::open(Ending::Ended) }
    }

    /// A game without a winner.
    #[must_use]
    pub const fn open(ending: Ending) -> Self {
        Self {
            ending,
            winner: None,
            length: None,
            metrics: [0; METRICS_MAX],
            lists: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Adds a list, unless it is longer than [`LIST_MAX`].
    pub fn list(&mut self, name: &'static str, values: impl ExactSizeIterator<Item = i64>) {
        if values.len() <= LIST_MAX {
            self.lists.push((name, values.collect()));
        }
    }
}
