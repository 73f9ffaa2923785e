//! The judge's output of a game: the winner, then the scores from high to low.

use std::cmp::Reverse;

use super::{NAMES, PLAYERS};

/// As many bytes as the output has with scores of 16 digits.
const USUAL_BYTES: usize = 108;

/// Appends the winner and the scores; equal scores in the order of the names (ruling 9).
pub(super) fn write(winner: usize, scores: [i64; PLAYERS], out: &mut Vec<u8>) {
    let mut ranked: [usize; PLAYERS] = std::array::from_fn(|player| player);
    ranked.sort_by_key(|&player| Reverse(scores[player]));
    out.reserve(USUAL_BYTES);
    out.extend_from_slice(NAMES[winner].as_bytes());
    out.extend_from_slice(b" win!\n");
    for player in ranked {
        out.extend_from_slice(NAMES[player].as_bytes());
        write_score(scores[player].unsigned_abs(), out);
    }
}

/// Appends `: `, the digits and the line's end.
fn write_score(mut score: u64, out: &mut Vec<u8>) {
    /// The two bytes before the digits, the digits of the greatest number, and the line's end.
    const BYTES: usize = 2 + 20 + 1;
    let mut bytes = [b'\n'; BYTES];
    let mut start = BYTES - 1;
    loop {
        start -= 1;
        bytes[start] = b'0' + (score % 10) as u8;
        score /= 10;
        if score == 0 {
            break;
        }
    }
    start -= 2;
    bytes[start..start + 2].copy_from_slice(b": ");
    out.extend_from_slice(&bytes[start..]);
}
