//! What the player with the initiative puts down.

use super::play::{Kind, Play, Ring, STRAIGHT_LEAST};

/// The longest straight of a hand, the one with the larger first card among several; without a
/// straight the largest group, the one of the larger value among several. `counts` has the number
/// of cards of each value.
pub(super) fn lead(counts: &[u32], ring: Ring) -> Play {
    let straight = longest_straight(counts, ring);
    if straight.cards >= STRAIGHT_LEAST { straight } else { largest_group(counts) }
}

/// The longest row of cards, even if too short for a straight: as many laps as every value allows,
/// and then the longest run of the values that are held once more.
fn longest_straight(counts: &[u32], ring: Ring) -> Play {
    let laps = counts.iter().copied().min().unwrap_or_default();
    let (run, first) = longest_run(counts, ring, laps);
    Play { kind: Kind::Straight, first, cards: laps * ring.values + run }
}

/// Length and start of the longest run of values held more than `least` times, which is what some
/// value is held; of several the one that starts last. Without a run the largest value.
fn longest_run(counts: &[u32], ring: Ring, least: u32) -> (u32, u32) {
    let mut longest = (0, ring.values - 1);
    let mut run = (0, 0);
    // A run starts after a gap, so going round from a gap meets every run whole.
    let mut value = (0..ring.values).find(|&at| counts[at as usize] == least).unwrap_or_default();
    for _ in 0..ring.values {
        if counts[value as usize] > least {
            run.0 += 1;
            longest = longest.max(run);
        } else {
            run = (0, ring.after(value));
        }
        value = ring.after(value);
    }
    longest
}

fn largest_group(counts: &[u32]) -> Play {
    let (cards, first) = counts.iter().copied().zip(0..).max().unwrap_or_default();
    Play { kind: Kind::Group, first, cards }
}
