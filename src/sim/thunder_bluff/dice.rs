//! The dice, and the points for rolling the same again and again.

/// The highest a die shows: it launches a piece, and another roll follows.
pub(super) const SIX: Die = Die(6);

/// What a die shows, 1 to 6.
///
/// It is kept as a code that takes least to find, and looked up by that code: 0 to 2 for 1 to 3, and
/// 4 to 6 for themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Die(u8);

impl Die {
    /// More than the codes.
    pub(super) const CODES: usize = 8;

    /// The die of a random number, as the statement's `GetDice` makes it: the remainder of 6,
    /// plus 1.
    #[must_use]
    #[inline]
    pub const fn of(random: u32) -> Self {
        // The low half of this product is the fraction of the quotient, in sixths (Lemire, Kaser,
        // Kurz: "Faster remainder by direct computation"). Its eighths tell the sixths apart.
        const RECIPROCAL: u64 = u64::MAX / 6 + 1;
        let fraction = RECIPROCAL.wrapping_mul(random as u64);
        Self((fraction >> 61) as u8)
    }

    /// What it shows, 1 to 6.
    #[must_use]
    pub const fn value(self) -> u8 {
        self.0 + 1 - self.0 / 4
    }

    /// Where tables have it.
    #[inline]
    pub(super) const fn code(self) -> usize {
        self.0 as usize % Self::CODES
    }

    /// How many cells it moves a piece.
    pub(super) const fn steps(self) -> usize {
        self.value() as usize
    }

    /// How many cells the die of a code moves a piece.
    pub(super) const fn steps_of(code: usize) -> usize {
        code + 1 - code / 4
    }
}

/// The dice of the statement: `Xor128` on unsigned numbers of 32 bits.
#[derive(Debug, Clone)]
pub struct Dice {
    /// The generator's `x y z w`.
    words: [u32; 4],
}

impl Dice {
    /// The dice with the seeds `x y z w`.
    #[must_use]
    pub const fn new(seeds: [u32; 4]) -> Self {
        Self { words: seeds }
    }
}

impl Iterator for Dice {
    type Item = Die;

    /// Rolls one die; there is always another one.
    #[inline]
    fn next(&mut self) -> Option<Die> {
        let [x, y, z, w] = self.words;
        let t = x ^ (x << 11);
        let next = w ^ (w >> 19) ^ (t ^ (t >> 8));
        self.words = [y, z, w, next];
        Some(Die::of(next))
    }
}

/// Equal rolls of one player, without another roll of that player between them.
///
/// One number holds both, so that the usual roll, another one, is a single store: the die, and in the
/// bits above it how many came after the first one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Streak(u32);

impl Streak {
    /// Before the first roll: no die is like this.
    pub(super) const NONE: Self = Self(0xFF);

    /// Adds a roll; whether it is equal to the last one. If not, a new streak begins.
    #[inline]
    pub(super) const fn continues(&mut self, die: Die) -> bool {
        let equal = self.0 & 0xFF == die.0 as u32;
        self.0 = if equal { self.0 + 0x100 } else { die.0 as u32 };
        equal
    }

    /// How many rolls came after the first one.
    pub(super) const fn again(self) -> u32 {
        self.0 >> 8
    }

    /// The points that its last roll adds, unless that is its first one.
    ///
    /// A streak of `y` rolls of `x` earns `(6 - x)(y - 1)^2` when the game ends (ruling 8). Nobody
    /// looks at points before that, so each roll may earn what it adds to the square.
    pub(super) fn points(self) -> i64 {
        let added = 2 * i64::from(self.again()) - 1;
        let die = Die((self.0 & 0xFF) as u8);
        i64::from(6 - die.value()) * added
    }
}
