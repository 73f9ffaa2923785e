//! Numbers as the judge prints them.

/// Numbers below this are looked up.
const SHORT: usize = 1000;

/// Numbers with what follows them in the output.
#[derive(Debug)]
pub(super) struct Labels {
    end: &'static str,
    /// The text of each short number from the lowest byte on; the highest says how many bits it has.
    short: [u64; SHORT],
}

/// `1:`, before the cards of player 1.
pub(super) static PLAYERS: Labels = Labels::new(":");

/// `1 `, a card of value 1.
pub(super) static CARDS: Labels = Labels::new(" ");

/// The last card of a play.
static LAST_CARDS: Labels = Labels::new(" \n");

/// How far the number of bits is shifted up in a text.
const LENGTH_SHIFT: u32 = 56;

impl Labels {
    const fn new(end: &'static str) -> Self {
        let mut short = [0; SHORT];
        let mut number = 0;
        while number < SHORT {
            let mut text = 0;
            let mut at = end.len();
            while at > 0 {
                at -= 1;
                text = (text << 8) | end.as_bytes()[at] as u64;
            }
            let (mut rest, mut length) = (number as u64, end.len() as u64);
            while rest > 0 || length == end.len() as u64 {
                text = (text << 8) | (b'0' as u64 + rest % 10);
                rest /= 10;
                length += 1;
            }
            short[number] = ((8 * length) << LENGTH_SHIFT) | text;
            number += 1;
        }
        Self { end, short }
    }

    /// Appends a number and what follows it.
    #[inline]
    pub(super) fn push(&self, out: &mut Vec<u8>, number: u32) {
        match self.short.get(number as usize) {
            Some(&text) => push_text(out, text, text >> LENGTH_SHIFT),
            None => {
                push_long(out, i64::from(number));
                out.extend_from_slice(self.end.as_bytes());
            }
        }
    }
}

/// Appends the line of a play of a single card.
#[inline]
pub(super) fn push_single(out: &mut Vec<u8>, player: u32, card: u32) {
    let labels = (PLAYERS.short.get(player as usize), LAST_CARDS.short.get(card as usize));
    if let (Some(&player), Some(&card)) = labels {
        let bits = (player >> LENGTH_SHIFT) + (card >> LENGTH_SHIFT);
        if bits <= 64 {
            let name = player & !(u64::MAX << LENGTH_SHIFT);
            let text = name | (card << (player >> LENGTH_SHIFT));
            return push_text(out, text, bits);
        }
    }
    push_long_single(out, player, card);
}

#[cold]
#[inline(never)]
fn push_long_single(out: &mut Vec<u8>, player: u32, card: u32) {
    PLAYERS.push(out, player);
    LAST_CARDS.push(out, card);
}

/// Appends the text in the lowest bits.
#[inline]
fn push_text(out: &mut Vec<u8>, text: u64, bits: u64) {
    // All bytes at once, and then those too many are taken back.
    let kept = out.len() + (bits / 8) as usize;
    out.extend_from_slice(&text.to_le_bytes());
    out.truncate(kept);
}

/// Appends any number.
#[cold]
#[inline(never)]
pub(super) fn push_long(out: &mut Vec<u8>, number: i64) {
    if number < 0 {
        out.push(b'-');
    }
    let start = out.len();
    let mut rest = number.unsigned_abs();
    loop {
        // A remainder below 10 fits a byte.
        out.push(b'0' + u8::try_from(rest % 10).unwrap_or_default());
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out[start..].reverse();
}
