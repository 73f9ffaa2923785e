//! Who can answer: for each value and each number of cards, the players who hold so many.

use super::play::{Play, Ring};

/// Players in one word of a set.
const WORD: u32 = u64::BITS;

/// The most words of the needed sets that are looked at together.
const BLOCK: usize = 128;

/// A set becomes bits when it has more than one in so many players. Then four words for each card
/// that came in hold the bits of all sets, and the members of other sets are few enough to go
/// through.
const SPARSE: u32 = 256;

/// For each value, and each number of cards that somebody holds of it, the set of those who hold at
/// least so many.
#[derive(Debug)]
pub(super) struct Holders {
    players: u32,
    /// Words in a set that is [`Set::Many`].
    words: u32,
    ring: Ring,
    /// Where the sets of a value start in `sets`: first those who hold one card, then those who hold
    /// two, up to all that the deck has.
    first_set: Vec<usize>,
    sets: Vec<Set>,
    /// The members of the sets that are [`Set::Few`], ascending.
    few: Vec<Vec<u32>>,
    /// The bits of the sets that are [`Set::Many`], one set after another.
    many: Vec<u64>,
    needed: Needed,
}

/// Where the members of a set are.
#[derive(Debug, Clone, Copy)]
enum Set {
    /// Nowhere: it never had a member.
    Nobody,
    /// In this one of the short lists.
    Few(u32),
    /// In the bits that start at this word.
    Many(u32),
}

/// The sets somebody must be in to make a play.
#[derive(Debug, Default)]
struct Needed {
    few: Vec<u32>,
    many: Vec<u32>,
}

impl Holders {
    /// Nobody holds any of these cards, whose values are from 1, yet.
    pub(super) fn new(players: u32, ring: Ring, cards: &[u32]) -> Self {
        let mut first_set = vec![0; ring.values as usize + 1];
        cards.iter().for_each(|&card| first_set[card as usize] += 1);
        let mut start = 0;
        for first in &mut first_set {
            start += *first;
            *first = start;
        }
        Self {
            players,
            words: players.div_ceil(WORD),
            ring,
            first_set,
            sets: vec![Set::Nobody; cards.len()],
            few: Vec::new(),
            many: Vec::new(),
            needed: Needed::default(),
        }
    }

    /// A player who held one card less of a value holds `count` now.
    pub(super) fn insert(&mut self, value: u32, count: u32, player: u32) {
        let set = self.set(value, count);
        if let Set::Many(start) = self.sets[set] {
            self.many[word(start, player)] |= bit(player);
        } else {
            self.insert_in_few(set, player);
        }
    }

    /// A player who held `count` cards of a value holds one less now.
    pub(super) fn remove(&mut self, value: u32, count: u32, player: u32) {
        match self.sets[self.set(value, count)] {
            Set::Many(start) => self.many[word(start, player)] &= !bit(player),
            Set::Few(few) => self.remove_from_few(few, player),
            Set::Nobody => {}
        }
    }

    /// The next one after a player, and other than that player, who can make a play.
    pub(super) fn next_after(&mut self, player: u32, play: Play) -> Option<u32> {
        self.needed.few.clear();
        self.needed.many.clear();
        for (value, count) in play.needs(self.ring) {
            match self.set_if_any(value, count) {
                Set::Nobody => return None,
                Set::Few(few) => self.needed.few.push(few),
                Set::Many(start) => self.needed.many.push(start),
            }
        }
        if self.needed.few.is_empty() {
            self.next_of_many(player)
        } else {
            self.next_of_few(player)
        }
    }

    /// The next one after a player who is in all needed sets, all of which are bits.
    fn next_of_many(&self, player: u32) -> Option<u32> {
        let next = self.first_of_many(player + 1);
        next.or_else(|| self.first_of_many(0).filter(|&first| first != player))
    }

    /// The first one from a player on who is in all needed sets, all of which are bits.
    fn first_of_many(&self, from: u32) -> Option<u32> {
        let (mut both, mut mask) = ([0; BLOCK], u64::MAX << (from % WORD));
        let (mut word, mut length) = ((from / WORD) as usize, 4);
        while word < self.words as usize {
            let both = &mut both[..length.min(self.words as usize - word)];
            both.fill(u64::MAX);
            both[0] = std::mem::replace(&mut mask, u64::MAX);
            let mut any = 0;
            for &start in &self.needed.many {
                any = 0;
                let bits = &self.many[start as usize + word..][..both.len()];
                for (both, bits) in both.iter_mut().zip(bits) {
                    *both &= bits;
                    any |= *both;
                }
                if any == 0 {
                    break;
                }
            }
            if any != 0 {
                let found = (word..).zip(&*both).find(|(_, bits)| **bits != 0);
                return found.map(|(word, bits)| index(word) * WORD + bits.trailing_zeros());
            }
            word += both.len();
            length = BLOCK;
        }
        None
    }

    /// The next one after a player who is in all needed sets, at least one of which is a short list.
    fn next_of_few(&self, player: u32) -> Option<u32> {
        let lists = || self.needed.few.iter().map(|&few| &self.few[few as usize]);
        let shortest = lists().min_by_key(|list| list.len())?;
        let (before, after) = shortest.split_at(shortest.partition_point(|&other| other <= player));
        let in_all = |&other: &u32| {
            let many = &mut self.needed.many.iter();
            many.all(|&start| self.many[word(start, other)] & bit(other) != 0)
                && lists().all(|list| list.binary_search(&other).is_ok())
        };
        after.iter().chain(before).copied().find(|other| *other != player && in_all(other))
    }

    /// Which of `sets` is for so many cards of a value.
    fn set(&self, value: u32, count: u32) -> usize {
        self.first_set[value as usize] + count as usize - 1
    }

    /// The set for so many cards of a value, of which the deck may have less.
    fn set_if_any(&self, value: u32, count: u32) -> Set {
        let set = self.set(value, count);
        if set < self.first_set[value as usize + 1] { self.sets[set] } else { Set::Nobody }
    }

    fn remove_from_few(&mut self, few: u32, player: u32) {
        let list = &mut self.few[few as usize];
        list.remove(list.partition_point(|&other| other < player));
    }

    /// Adds a player to a set that is no bits yet, and makes it bits if it has too many members.
    fn insert_in_few(&mut self, set: usize, player: u32) {
        let most = (self.players / SPARSE) as usize;
        let few = match self.sets[set] {
            Set::Few(few) => few as usize,
            _ if most == 0 => return self.make_many(set, &[player]),
            _ => {
                self.sets[set] = Set::Few(index(self.few.len()));
                self.few.push(Vec::new());
                self.few.len() - 1
            }
        };
        let list = &mut self.few[few];
        list.insert(list.partition_point(|&other| other < player), player);
        if list.len() > most {
            let list = std::mem::take(list);
            self.make_many(set, &list);
        }
    }

    fn make_many(&mut self, set: usize, members: &[u32]) {
        let start = index(self.many.len());
        self.sets[set] = Set::Many(start);
        self.many.resize(self.many.len() + self.words as usize, 0);
        for &player in members {
            self.many[word(start, player)] |= bit(player);
        }
    }
}

/// Where the word of a player is in bits that start at a word.
const fn word(start: u32, player: u32) -> usize {
    (start + player / WORD) as usize
}

/// The bit of a player in that word.
const fn bit(player: u32) -> u64 {
    1 << (player % WORD)
}

/// Four words for each card are less than 2^32.
fn index(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
