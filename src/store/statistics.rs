//! What many values come to: mean, quantiles, intervals and histograms. Nothing here knows of a store.

use std::collections::HashMap;

use super::counts::three_digits;

/// How often each value occurs, in any order.
#[derive(Debug, Clone, Default)]
pub struct Values {
    counts: HashMap<i64, u64>,
    rounded: bool,
}

impl Values {
    /// Adds a value that was kept to three digits, so many times.
    pub(super) fn keep(&mut self, value: i64, times: u64) {
        self.rounded |= value >= 1_000;
        *self.counts.entry(value).or_default() += times;
    }

    /// Adds a value; `true`: it is a new one.
    pub(super) fn add(&mut self, value: i64) -> bool {
        let value = if self.rounded { rounded(value) } else { value };
        let count = self.counts.entry(value).or_default();
        *count += 1;
        *count == 1
    }

    /// How many different values there are.
    pub(super) fn distinct(&self) -> usize {
        self.counts.len()
    }

    /// Rounds all values to three digits, from now on.
    pub(super) fn round(&mut self) {
        self.rounded = true;
        for (value, count) in std::mem::take(&mut self.counts) {
            *self.counts.entry(rounded(value)).or_default() += count;
        }
    }

    /// Adds what was gathered elsewhere.
    pub fn merge(&mut self, other: &Self) {
        if other.rounded && !self.rounded {
            self.round();
        }
        for (&value, count) in &other.counts {
            let value = if self.rounded { rounded(value) } else { value };
            *self.counts.entry(value).or_default() += count;
        }
    }

    /// Puts them in order.
    #[must_use]
    pub fn distribution(&self) -> Distribution {
        let mut sorted: Vec<_> =
            self.counts.iter().map(|(&value, &count)| (value, count)).collect();
        sorted.sort_unstable();
        Distribution {
            n: sorted.iter().map(|(_, count)| count).sum(),
            sorted,
            is_rounded: self.rounded,
        }
    }
}

fn rounded(value: i64) -> i64 {
    if value < 0 { -three_digits(value.saturating_neg()) } else { three_digits(value) }
}

/// Values in order, with how often each occurs.
#[derive(Debug, Clone)]
pub struct Distribution {
    sorted: Vec<(i64, u64)>,
    n: u64,
    /// Whether values of 1,000 and more were rounded to three digits.
    pub is_rounded: bool,
}

/// A range of values with how many are in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bin {
    /// The least value that belongs to it.
    pub from: i64,
    /// The least value that does not any more; `None`: all that are left belong to it.
    pub until: Option<i64>,
    /// How many.
    pub count: u64,
}

impl Distribution {
    /// How many values there are.
    #[must_use]
    pub const fn n(&self) -> u64 {
        self.n
    }

    /// The least and the greatest; `None`: there are no values.
    #[must_use]
    pub fn range(&self) -> Option<(i64, i64)> {
        Some((self.sorted.first()?.0, self.sorted.last()?.0))
    }

    /// The mean; `None`: there are no values.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        let sum: i128 = self.sorted.iter().map(|&(v, n)| i128::from(v) * i128::from(n)).sum();
        (self.n > 0).then(|| float(sum) / float(i128::from(self.n)))
    }

    /// The standard deviation of a sample: divided by one less than there are; `None`: there are not two.
    #[must_use]
    pub fn deviation(&self) -> Option<f64> {
        let mean = self.mean()?;
        let square = |&(value, count): &(i64, u64)| {
            (float(i128::from(value)) - mean).powi(2) * float(i128::from(count))
        };
        let squares: f64 = self.sorted.iter().map(square).sum();
        (self.n > 1).then(|| (squares / float(i128::from(self.n - 1))).sqrt())
    }

    /// The least value that at least so many percent of the values do not exceed (nearest rank); `None`:
    /// there are no values.
    #[must_use]
    pub fn percentile(&self, percent: u32) -> Option<i64> {
        let rank = (u128::from(self.n) * u128::from(percent)).div_ceil(100).max(1);
        let mut below = 0;
        let reaches = |&&(_, count): &&(i64, u64)| {
            below += u128::from(count);
            below >= rank
        };
        self.sorted.iter().find(reaches).map(|&(value, _)| value)
    }

    /// At most so many ranges of one width, which is 1, 2 or 5 with noughts. What is far above nearly all
    /// values is in the last one, which then has no end.
    #[must_use]
    pub fn histogram(&self, most: u32) -> Vec<Bin> {
        let (Some((least, greatest)), Some(high)) = (self.range(), self.percentile(99)) else {
            return Vec::new();
        };
        let most = i128::from(most.max(2));
        let end = if is_far(least, high, greatest) { high } else { greatest };
        let width = width(i128::from(least), i128::from(end), most);
        let first = i128::from(least).div_euclid(width) * width;
        let last = (i128::from(end) - first).div_euclid(width);
        let mut counts = vec![0; usize::try_from(last).unwrap_or(0) + 1];
        let mut above = 0;
        for &(value, count) in &self.sorted {
            let at = usize::try_from((i128::from(value) - first) / width);
            *at.ok().and_then(|at| counts.get_mut(at)).unwrap_or(&mut above) += count;
        }
        let edge = |at: i128| clamp(first + at * width);
        let bins = (0..).zip(counts).map(|(at, count)| Bin {
            from: edge(at),
            until: Some(edge(at + 1)),
            count,
        });
        let rest = Bin { from: edge(last + 1), until: None, count: above };
        bins.chain((above > 0).then_some(rest)).collect()
    }
}

/// Whether the greatest value is so far above that the others would share a few ranges.
fn is_far(least: i64, high: i64, greatest: i64) -> bool {
    let [least, high, greatest] = [least, high, greatest].map(i128::from);
    greatest - least > 2 * (high - least)
}

/// The least width with which so many ranges reach from the one value to the other.
fn width(least: i128, end: i128, most: i128) -> i128 {
    let fits = |width: &i128| end.div_euclid(*width) - least.div_euclid(*width) < most;
    let widths = (0..19).flat_map(|zeros| [1, 2, 5].map(|digit| digit * 10_i128.pow(zeros)));
    widths.into_iter().find(fits).unwrap_or(10_i128.pow(19))
}

fn clamp(value: i128) -> i64 {
    i64::try_from(value).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX })
}

#[expect(clippy::cast_precision_loss, reason = "a mean has no more digits")]
const fn float(value: i128) -> f64 {
    value as f64
}

/// The 95 % interval of a share by Wilson's score (without correction for continuity): between which shares
/// the true one is, if `hits` of `n` were seen. `None`: nothing was seen.
#[must_use]
pub fn wilson(hits: u64, n: u64) -> Option<(f64, f64)> {
    const Z: f64 = 1.959_963_984_540_054;
    if n == 0 {
        return None;
    }
    let (hits, n) = (float(i128::from(hits)), float(i128::from(n)));
    let share = hits / n;
    let centre = share + Z * Z / (2.0 * n);
    let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let below = 1.0 + Z * Z / n;
    Some((((centre - half) / below).max(0.0), ((centre + half) / below).min(1.0)))
}

#[cfg(test)]
mod tests {
    use super::{Bin, Distribution, Values, wilson};

    fn values(values: &[i64]) -> Distribution {
        let mut gathered = Values::default();
        values.iter().for_each(|&value| _ = gathered.add(value));
        gathered.distribution()
    }

    fn close(found: Option<f64>, expected: f64) {
        let found = found.expect("a number");
        assert!((found - expected).abs() < 5e-5, "{found}, expected {expected}");
    }

    #[test]
    fn mean_and_deviation_are_those_of_a_sample() {
        let seen = values(&[2, 4, 4, 4, 5, 5, 7, 9]);
        close(seen.mean(), 5.0);
        close(seen.deviation(), 2.138_09);
        assert_eq!((values(&[3]).deviation(), values(&[]).mean()), (None, None));
    }

    #[test]
    fn a_percentile_is_the_value_of_the_nearest_rank() {
        let seen = values(&[15, 20, 35, 40, 50]);
        let found = [0, 5, 30, 40, 50, 100].map(|percent| seen.percentile(percent));
        assert_eq!(found, [15, 15, 20, 20, 35, 50].map(Some));
        assert_eq!(values(&[]).percentile(50), None);
    }

    /// The numbers of Newcombe (1998), table I, and two that are easily done by hand.
    #[test]
    fn the_interval_of_a_share_is_wilsons() {
        let known = [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
            (29, 29, 0.8830, 1.0),
        ];
        for (hits, n, low, high) in known {
            let found = wilson(hits, n);
            close(found.map(|(low, _)| low), low);
            close(found.map(|(_, high)| high), high);
        }
        assert_eq!(wilson(0, 0), None);
    }

    #[test]
    fn ranges_have_a_round_width_and_hold_every_value() {
        let seen = values(&[-3, 0, 1, 1, 7, 12]);
        let bins = seen.histogram(4);
        let expected = [(-5, 0, 1), (0, 5, 3), (5, 10, 1), (10, 15, 1)];
        let expected = expected.map(|(from, until, count)| Bin { from, until: Some(until), count });
        assert_eq!(bins, expected);
        assert_eq!(values(&[]).histogram(9), []);
        assert_eq!(values(&[5, 5]).histogram(9), [Bin { from: 5, until: Some(6), count: 2 }]);
        let ends = values(&[i64::MIN, i64::MAX]).histogram(9);
        assert_eq!(ends.iter().map(|bin| bin.count).sum::<u64>(), 2);
    }

    #[test]
    fn what_is_far_above_is_in_a_range_without_an_end() {
        let mut seen: Vec<i64> = (0..1_000).map(|value| value % 10).collect();
        seen.push(1_000_000);
        let bins = values(&seen).histogram(10);
        assert_eq!(bins.len(), 11);
        assert_eq!(bins[10], Bin { from: 10, until: None, count: 1 });
        assert!(bins[..10].iter().all(|bin| bin.count == 100));
    }

    #[test]
    fn rounded_values_are_told_from_exact_ones() {
        let mut one = Values::default();
        assert!([1, 1_234, -1_235].map(|value| one.add(value)) == [true; 3]);
        assert!(!one.distribution().is_rounded);
        one.round();
        one.add(1_233);
        let seen = one.distribution();
        assert!(seen.is_rounded);
        assert_eq!(seen.sorted, [(-1_240, 1), (1, 1), (1_230, 2)]);
        let mut other = Values::default();
        other.add(4_444);
        other.merge(&one);
        assert_eq!(other.distribution().n(), 5);
        assert!(other.distribution().is_rounded);
        let mut kept = Values::default();
        kept.keep(999, 3);
        assert!(!kept.distribution().is_rounded);
        kept.keep(1_000, 1);
        assert!(kept.distribution().is_rounded);
    }
}
