//! Numbers as the judge prints them.

/// Numbers with what follows them in the output; those below `SHORT` are looked up.
#[derive(Debug)]
pub(super) struct Labels<const SHORT: usize> {
    end: &'static str,
    short: [Label; SHORT],
}

/// A text of at most four bytes, the first one lowest, and how many bits they have.
#[derive(Debug, Clone, Copy)]
struct Label {
    text: u32,
    bits: u32,
}

/// `1:`, before the cards of player 1.
pub(super) static PLAYERS: Labels<1000> = Labels::new(":");

/// `1 `, a card of value 1.
pub(super) static CARDS: Labels<100> = Labels::new(" ");

/// The last card of a play.
static LAST_CARDS: Labels<100> = Labels::new(" \n");

impl Label {
    /// A number, and what follows it.
    const fn new(number: u32, end: &str) -> Self {
        let (mut text, mut bits) = (0, 0);
        let mut at = end.len();
        while at > 0 {
            at -= 1;
            text = (text << 8) | end.as_bytes()[at] as u32;
            bits += 8;
        }
        let mut rest = number;
        loop {
            text = (text << 8) | (b'0' as u32 + rest % 10);
            bits += 8;
            rest /= 10;
            if rest == 0 {
                return Self { text, bits };
            }
        }
    }
}

impl<const SHORT: usize> Labels<SHORT> {
    const fn new(end: &'static str) -> Self {
        let mut short = [Label { text: 0, bits: 0 }; SHORT];
        let mut number = 0;
        while (number as usize) < SHORT {
            short[number as usize] = Label::new(number, end);
            number += 1;
        }
        Self { end, short }
    }

    /// Appends a number and what follows it.
    #[inline]
    pub(super) fn push(&self, out: &mut Vec<u8>, number: u32) {
        match self.short.get(number as usize) {
            Some(label) => push_text(out, label.text.into(), label.bits),
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
    match (PLAYERS.short.get(player as usize), LAST_CARDS.short.get(card as usize)) {
        (Some(player), Some(card)) => {
            let text = u64::from(player.text) | u64::from(card.text) << player.bits;
            push_text(out, text, player.bits + card.bits);
        }
        _ => push_long_single(out, player, card),
    }
}

#[cold]
#[inline(never)]
fn push_long_single(out: &mut Vec<u8>, player: u32, card: u32) {
    PLAYERS.push(out, player);
    LAST_CARDS.push(out, card);
}

/// Appends the text in the lowest bits.
#[inline]
fn push_text(out: &mut Vec<u8>, text: u64, bits: u32) {
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
