//! Which simulators a text may be for, told from its number of tokens while it streams by.

use crate::domain::SimulatorId;

/// Counts the tokens of a text that comes in parts, and keeps the first three.
///
/// It counts; whether the tokens are numbers is for whoever reads the text. A text whose first tokens are
/// no numbers is for nobody.
#[derive(Debug, Default)]
pub struct Census {
    tokens: u64,
    head: [Vec<u8>; 3],
    in_token: bool,
    begun: bool,
}

/// A longer token is no number, leading zeros aside.
const TOKEN_MOST: usize = 20;

impl Census {
    /// Takes note of the next part.
    pub fn feed(&mut self, part: &[u8]) {
        let part =
            if self.begun { part } else { part.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(part) };
        self.begun = true;
        let mut rest = part;
        while self.tokens < 4 {
            let Some((&byte, after)) = rest.split_first() else { return };
            rest = after;
            self.count(byte);
            self.keep(byte);
        }
        rest.iter().for_each(|&byte| self.count(byte));
    }

    fn count(&mut self, byte: u8) {
        let in_token = !byte.is_ascii_whitespace();
        self.tokens += u64::from(in_token && !self.in_token);
        self.in_token = in_token;
    }

    fn keep(&mut self, byte: u8) {
        let at = usize::try_from(self.tokens).ok().and_then(|tokens| tokens.checked_sub(1));
        if let Some(token) = at.and_then(|at| self.head.get_mut(at))
            && self.in_token
            && token.len() <= TOKEN_MOST
        {
            // However many zeros lead, it is the number that the reader makes of it.
            if byte.is_ascii_digit() && matches!(token[..], [b'0'] | [b'+' | b'-', b'0']) {
                token.pop();
            }
            token.push(byte);
        }
    }

    /// The simulators whose token count fits.
    #[must_use]
    pub fn candidates(&self) -> Vec<SimulatorId> {
        let number = |token: &Vec<u8>| std::str::from_utf8(token).ok()?.parse().ok();
        let head = self.head.each_ref().map(number);
        let fits = |id: &SimulatorId| id.expected_tokens(head) == Some(i128::from(self.tokens));
        SimulatorId::ALL.into_iter().filter(fits).collect()
    }
}
