//! The numbers of games, read from a block.
//!
//! A pass over millions of games reads nothing else, so this knows the form of a block to the byte, takes no
//! memory, and does not look into lists.

use super::Numbers;
use crate::domain::METRICS_MAX;
use crate::store::StoreError;
use crate::store::codes::member;

/// Reads a block from its beginning.
pub(in crate::store) struct Scan<'a> {
    block: &'a str,
    at: usize,
    is_over: bool,
}

impl<'a> Scan<'a> {
    pub(in crate::store) const fn new(block: &'a str) -> Self {
        Self { block, at: 0, is_over: false }
    }

    /// The next game, as its text.
    pub(super) fn next_text(&mut self) -> Result<Option<&'a str>, StoreError> {
        let begun = self.at + 1;
        Ok(self.next().transpose()?.and_then(|_| self.block.get(begun..self.at)))
    }

    /// Says where it stopped, and stops for good.
    fn damaged(&mut self) -> StoreError {
        let at = self.at + 1;
        self.is_over = true;
        StoreError::Damaged(format!("games do not read at byte {at}"))
    }

    fn byte(&self) -> Option<u8> {
        self.block.as_bytes().get(self.at).copied()
    }

    /// Takes a byte if it is the next one.
    fn takes(&mut self, byte: u8) -> bool {
        let is_next = self.byte() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn demands(&mut self, byte: u8) -> Option<()> {
        self.takes(byte).then_some(())
    }

    fn number(&mut self) -> Option<i64> {
        let is_negative = self.takes(b'-');
        let (mut number, begun) = (0_i64, self.at);
        while let Some(digit @ b'0'..=b'9') = self.byte() {
            // Below 0, where there is one number more.
            number = number.checked_mul(10)?.checked_sub(i64::from(digit - b'0'))?;
            self.at += 1;
        }
        (self.at > begun).then_some(())?;
        if is_negative { Some(number) } else { number.checked_neg() }
    }

    /// A number, or `null`.
    fn nullable(&mut self) -> Option<Option<i64>> {
        if self.byte() != Some(b'n') {
            return self.number().map(Some);
        }
        self.block.get(self.at..)?.strip_prefix("null")?;
        self.at += "null".len();
        Some(None)
    }

    fn metrics(&mut self) -> Option<[i64; METRICS_MAX]> {
        let mut metrics = [0; METRICS_MAX];
        self.demands(b'[')?;
        for metric in &mut metrics {
            if self.byte() == Some(b']') {
                break;
            }
            *metric = self.number()?;
            self.takes(b',');
        }
        self.demands(b']')?;
        Some(metrics)
    }

    fn game(&mut self) -> Option<Numbers> {
        self.demands(b'[')?;
        let ending = self.number()?;
        self.demands(b',')?;
        let winner = self.nullable()?;
        self.demands(b',')?;
        let length = self.nullable()?;
        self.demands(b',')?;
        let metrics = self.metrics()?;
        if self.takes(b',') {
            // The lists: arrays of numbers by plain names, so nothing in them ends as they do.
            self.at += self.block.get(self.at..)?.find('}')? + 1;
        }
        self.demands(b']')?;
        let winner = winner.map(u32::try_from).transpose().ok()?;
        Some(Numbers { ending: member(ending).ok()?, winner, length, metrics, lists: None })
    }

    /// The next game, or the end; `None`: neither.
    fn game_or_end(&mut self) -> Option<Option<Numbers>> {
        if self.is_over {
            return Some(None);
        }
        let is_first = self.takes(b'[');
        if self.takes(b']') {
            self.is_over = true;
            return (self.at == self.block.len()).then_some(None);
        }
        if !is_first {
            self.demands(b',')?;
        }
        self.game().map(Some)
    }
}

impl Iterator for Scan<'_> {
    type Item = Result<Numbers, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.game_or_end().map_or_else(|| Some(Err(self.damaged())), |game| game.map(Ok))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Block, Game, json};
    use super::Scan;
    use crate::domain::{Ending, Outcome};
    use crate::store::write::from_json;

    /// Games with all that a game may have.
    fn games() -> Vec<Outcome> {
        let metrics = [7, 0, -3, i64::MIN, i64::MAX, 0, 0, 0, 0, 0, 0, 12];
        let lists = vec![("hp", vec![1, -2]), ("casts", Vec::new())];
        vec![
            Outcome { metrics, lists, ..Outcome::ended(4, 203) },
            Outcome::open(Ending::Endless),
            Outcome { length: Some(10), ..Outcome::open(Ending::Undecided) },
            Outcome::ended(1, u64::from(u32::MAX)),
        ]
    }

    #[test]
    fn the_numbers_are_those_that_were_written() {
        let games = games();
        for some in [&games[..], &games[1..2], &[]] {
            let block = json(&Block(some));
            let read: Vec<_> = Scan::new(&block).collect::<Result<_, _>>().expect("games");
            let all: Vec<Game<serde_json::Value>> = from_json(&block).expect("games");
            let numbers = |game: &Outcome| (game.ending, game.winner, game.length, game.metrics);
            let written: Vec<_> = some.iter().map(numbers).collect();
            let length = |length: Option<i64>| length.map(i64::cast_unsigned);
            let read: Vec<_> =
                read.iter().map(|g| (g.ending, g.winner, length(g.length), g.metrics)).collect();
            let all: Vec<_> =
                all.iter().map(|g| (g.ending, g.winner, length(g.length), g.metrics)).collect();
            assert_eq!((&read, &all), (&written, &written), "{block}");
        }
    }

    #[test]
    fn a_game_at_a_place_has_its_lists() {
        let block = json(&Block(&games()));
        let game = super::super::at(&block, 0).expect("a block").expect("a game");
        assert_eq!(game.lists, Some(serde_json::json!({"hp": [1, -2], "casts": []})));
        let game = super::super::at(&block, 3).expect("a block").expect("a game");
        assert_eq!((game.winner, game.lists), (Some(1), None));
        assert!(super::super::at(&block, usize::MAX).expect("a block").is_none());
    }

    #[test]
    fn a_block_that_is_cut_or_changed_is_damaged_or_reads() {
        let block = json(&Block(&games()));
        for end in 0..block.len() {
            assert!(Scan::new(&block[..end]).any(|game| game.is_err()), "{end}");
            for byte in ["", "[", "]", ",", "9", "n", "-", "}", "\u{fc}"] {
                let changed = format!("{}{byte}{}", &block[..end], &block[end + 1..]);
                assert!(Scan::new(&changed).count() <= games().len() + 1, "{changed}");
            }
        }
    }
}
