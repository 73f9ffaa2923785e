//! Chances that come from a seed: SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
//! Generators, 2014).

pub(crate) struct Chance(u64);

const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

impl Chance {
    /// What follows from some numbers.
    pub(crate) fn of(numbers: &[u64]) -> Self {
        let mut state = 0;
        for &number in numbers {
            state = Self(state ^ number.wrapping_mul(GAMMA)).next();
        }
        Self(state)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GAMMA);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// From 0 up to but not including 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn happens(&mut self, share: f64) -> bool {
        self.unit() < share
    }

    /// Evenly from `least` to `most`.
    pub(crate) fn within(&mut self, least: u64, most: u64) -> u64 {
        least + self.next() % (most - least + 1)
    }

    /// From 1 to `most`, each power of ten as often as the next.
    pub(crate) fn magnitude(&mut self, most: u64) -> u64 {
        (self.unit() * log(most)).exp() as u64
    }

    /// At least 1, this on average, small numbers far more often than large ones.
    pub(crate) fn about(&mut self, mean: f64) -> u64 {
        1 + ((mean - 1.0).max(0.0) * -(1.0 - self.unit()).ln()).round() as u64
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.next() as usize % from.len()]
    }
}

fn log(number: u64) -> f64 {
    (number.max(1) as f64).ln()
}
