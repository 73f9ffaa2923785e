//! The judge's output of a game: the winner, then the scores from high to low.

use super::{NAMES, PLAYERS};

/// More bytes than a name with what follows it.
const NAMED: usize = 16;
/// More bytes than the output has: four lines of a name and up to 20 digits, and the winner's.
const MOST: usize = PLAYERS * (NAMED + 20 + 1) + NAMED;

/// A short text at the end of a fixed number of bytes, and its length: copied as a whole it is
/// cheaper than as what it is.
type Ending = ([u8; NAMED], usize);

const WINNERS: [Ending; PLAYERS] = endings(" win!\n");
const LABELS: [Ending; PLAYERS] = endings(": ");

/// Each name, with what follows it.
const fn endings(follows: &str) -> [Ending; PLAYERS] {
    let mut endings = [([0; NAMED], 0); PLAYERS];
    let mut player = 0;
    while player < PLAYERS {
        let (name, follows) = (NAMES[player].as_bytes(), follows.as_bytes());
        let length = name.len() + follows.len();
        let mut at = 0;
        while at < length {
            let byte = if at < name.len() { name[at] } else { follows[at - name.len()] };
            endings[player].0[NAMED - length + at] = byte;
            at += 1;
        }
        endings[player].1 = length;
        player += 1;
    }
    endings
}

/// Appends the winner and the scores; equal scores in the order of the names (ruling 9).
pub(super) fn write(winner: usize, scores: [i64; PLAYERS], out: &mut Vec<u8>) {
    let mut text = Text { bytes: [0; MOST], start: MOST };
    for player in ranked(scores).into_iter().rev() {
        text.put_number(scores[player].unsigned_abs());
        text.put(&LABELS[player]);
    }
    text.put(&WINNERS[winner]);
    out.extend_from_slice(&text.bytes[text.start..]);
}

/// The players from the highest score to the lowest.
fn ranked(scores: [i64; PLAYERS]) -> [usize; PLAYERS] {
    const COUNT: u64 = PLAYERS as u64;
    // Of equal scores the first one's key is the highest; no score comes near 2^60.
    let key = |player: usize| scores[player].unsigned_abs() * COUNT + (COUNT - 1 - player as u64);
    let mut keys: [u64; PLAYERS] = std::array::from_fn(key);
    for (high, low) in [(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)] {
        (keys[high], keys[low]) = (keys[high].max(keys[low]), keys[high].min(keys[low]));
    }
    keys.map(|key| PLAYERS - 1 - usize::try_from(key % COUNT).unwrap_or_default())
}

/// A text that is written from its end.
struct Text {
    bytes: [u8; MOST],
    start: usize,
}

impl Text {
    /// Puts a text before what there is.
    fn put(&mut self, (bytes, length): &Ending) {
        self.bytes[self.start - NAMED..self.start].copy_from_slice(bytes);
        self.start -= length;
    }

    /// Puts a number and the line's end before what there is.
    fn put_number(&mut self, mut number: u64) {
        self.start -= 1;
        self.bytes[self.start] = b'\n';
        loop {
            self.start -= 1;
            self.bytes[self.start] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                break;
            }
        }
    }
}
