//! The course of a game: the deal, the tricks, the end.
//!
//! A trick is what follows from one lead: the lead itself, and answers until everybody but the last
//! one who played passes. That player leads the next trick.

use super::digits::{CARDS, PLAYERS, push_long, push_single};
use super::hands::Hands;
use super::input::{DEALT, Input};
use super::large::LargeHands;
use super::play::{Kind, Play, Ring};
use super::small::{self, SmallHands};
use super::trace::{Event, Held, Role, SHOWN_HANDS};
use crate::domain::Outcome;
use crate::sim::{Budget, Observer, Stop};

/// The metrics of a game, in the order of [`Tally::metrics`].
pub(super) const METRICS: [&str; 11] = [
    "leads",
    "lead-changes",
    "passes",
    "straights",
    "groups",
    "longest-straight",
    "largest-group",
    "longest-trick",
    "largest-hand",
    "winner-plays",
    "winner-favour",
];

/// Plays the game of an input.
pub(super) fn play<O: Observer<Event>>(
    input: &Input,
    observer: &mut O,
    budget: &mut Budget<'_>,
    out: &mut Vec<u8>,
) -> Result<Outcome, Stop> {
    let ring = Ring { values: u32::try_from(input.likes.len()).unwrap_or(u32::MAX) };
    if input.players <= small::PLAYERS_MOST && ring.values <= small::VALUES_MOST {
        Game::<SmallHands>::deal(input, ring, observer, out).run(observer, budget, out)
    } else {
        Game::<LargeHands>::deal(input, ring, observer, out).run(observer, budget, out)
    }
}

/// The state of one game.
#[derive(Debug)]
struct Game<'a, H> {
    /// How many players there are.
    seats: u32,
    ring: Ring,
    lim: i64,
    likes: &'a [i64],
    /// The cards that are left in the deck, the top one last.
    deck: &'a [u32],
    players: Vec<Player>,
    hands: H,
    tally: Tally,
}

/// What a player has besides the values of the cards.
#[derive(Debug, Clone, Copy)]
struct Player {
    /// At most 2^30 cards of likes up to 10^9 either way, so within 2^60.
    favour: i64,
    /// The limit up to which the player draws; a hand that is above it stays as it is.
    limit: usize,
    /// Cards in the hand.
    cards: usize,
    plays: u32,
}

/// What the metrics are made of.
#[derive(Debug, Default)]
struct Tally {
    leads: u32,
    lead_changes: u32,
    passes: u64,
    straights: u32,
    groups: u32,
    longest_straight: u32,
    largest_group: u32,
    longest_trick: u32,
    largest_hand: usize,
}

impl<'a, H: Hands> Game<'a, H> {
    /// Deals five cards to everybody, one at a time and in turn.
    fn deal<O: Observer<Event>>(
        input: &'a Input,
        ring: Ring,
        observer: &mut O,
        out: &[u8],
    ) -> Self {
        let hand = DEALT as usize;
        let player = Player { favour: 0, limit: hand, cards: hand, plays: 0 };
        let mut game = Self {
            seats: input.players,
            ring,
            lim: input.lim,
            likes: &input.likes,
            deck: &input.cards,
            players: vec![player; input.players as usize],
            hands: H::new(input.players, ring, &input.cards),
            tally: Tally { largest_hand: hand, ..Tally::default() },
        };
        for _ in 0..DEALT {
            (0..input.players).for_each(|player| game.draw_card(player));
        }
        for player in 0..input.players {
            observer
                .step(out.len(), || Event::Deal { player: player + 1, hand: game.hand(player) });
        }
        game
    }

    /// Plays until somebody wins.
    fn run<O: Observer<Event>>(
        mut self,
        observer: &mut O,
        budget: &mut Budget<'_>,
        out: &mut Vec<u8>,
    ) -> Result<Outcome, Stop> {
        let mut player = 0;
        loop {
            let leader = player;
            let won;
            (player, won) = self.trick(leader, observer, budget, out)?;
            if won {
                let favour = self.players[player as usize].favour;
                self.print_end(player, out);
                observer.step(out.len(), || Event::Win { player: player + 1, favour });
                return Ok(self.outcome(player));
            }
            self.tally.lead_changes += u32::from(player != leader);
        }
    }

    /// Plays a lead and its answers; returns the last one who played, and whether that one won.
    fn trick<O: Observer<Event>>(
        &mut self,
        leader: u32,
        observer: &mut O,
        budget: &mut Budget<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(u32, bool), Stop> {
        let mut player = leader;
        let mut play = self.hands.lead(leader);
        let mut plays = 0;
        let won = loop {
            budget.spend()?;
            plays += 1;
            let (kept, drawn) = self.put_down(player, play, out);
            observer.step(out.len(), || {
                let role = if plays == 1 { Role::Lead } else { Role::Answer };
                self.seen(player, role, play)
            });
            if drawn > 0 {
                self.draw(player, drawn, observer, out);
            } else if kept == 0 {
                break true;
            }
            play = play.answer(self.ring);
            let next = self.hands.next_after(player, play);
            self.pass(player, next.unwrap_or(player), play, observer, out);
            let Some(next) = next else { break false };
            player = next;
        };
        self.tally.trick(play, plays);
        Ok((player, won))
    }

    /// Moves the cards of a play from a hand to the output, and their likes to the favour; returns
    /// how many cards the player keeps, and how many are drawn then: up to the limit, or all that
    /// the deck has. None of either is the end of the game.
    #[inline(always)]
    fn put_down(&mut self, player: u32, play: Play, out: &mut Vec<u8>) -> (usize, usize) {
        let earned = if play.cards == 1 {
            push_single(out, player + 1, play.first + 1);
            self.hands.take(player, play.first);
            self.likes[play.first as usize]
        } else {
            self.put_down_several(player, play, out)
        };
        let state = &mut self.players[player as usize];
        state.plays += 1;
        if earned != 0 {
            state.favour += earned;
            let more = state.favour.max(0) / self.lim;
            state.limit =
                usize::try_from(more).unwrap_or(usize::MAX).saturating_add(DEALT as usize);
        }
        let kept = state.cards - play.cards as usize;
        let drawn = state.limit.saturating_sub(kept).min(self.deck.len());
        state.cards = kept + drawn;
        (kept, drawn)
    }

    /// Moves the cards of a play from a hand to the output and returns the sum of their likes.
    #[inline(never)]
    fn put_down_several(&mut self, player: u32, play: Play, out: &mut Vec<u8>) -> i64 {
        PLAYERS.push(out, player + 1);
        let mut earned = 0;
        for value in play.values(self.ring) {
            CARDS.push(out, value + 1);
            self.hands.take(player, value);
            earned += self.likes[value as usize];
        }
        out.push(b'\n');
        earned
    }

    /// Moves so many cards, at least one and no more than the deck has, from its top to a hand.
    #[inline]
    fn draw<O: Observer<Event>>(
        &mut self,
        player: u32,
        cards: usize,
        observer: &mut O,
        out: &[u8],
    ) {
        let deck = self.deck;
        if cards == 1 {
            self.draw_card(player);
        } else {
            self.draw_several(player, cards);
        }
        observer.step(out.len(), || Event::Draw {
            player: player + 1,
            cards: deck.iter().rev().take(cards).copied().collect(),
            hand: self.hand(player),
            deck: self.deck.len(),
        });
    }

    #[inline(never)]
    fn draw_several(&mut self, player: u32, cards: usize) {
        (0..cards).for_each(|_| self.draw_card(player));
        let hand = self.players[player as usize].cards;
        self.tally.largest_hand = self.tally.largest_hand.max(hand);
    }

    /// Moves the top card of the deck, if there is one, to a hand.
    #[inline]
    fn draw_card(&mut self, player: u32) {
        if let Some((&card, deck)) = self.deck.split_last() {
            self.deck = deck;
            self.hands.add(player, card - 1);
        }
    }

    /// Everybody between two players passes for want of an answer; the second may be the first, after a
    /// full round.
    #[inline]
    fn pass<O: Observer<Event>>(
        &mut self,
        from: u32,
        to: u32,
        answer: Play,
        observer: &mut O,
        out: &[u8],
    ) {
        let players = if to > from { to - from - 1 } else { to + self.seats - from - 1 };
        self.tally.passes += u64::from(players);
        if players > 0 {
            observer.step(out.len(), || {
                let shown = if players > SHOWN_HANDS { 0 } else { players };
                let passing = (1..=shown).map(|ahead| (from + ahead) % self.seats);
                Event::Pass {
                    first: if from + 1 == self.seats { 1 } else { from + 2 },
                    last: if to == 0 { self.seats } else { to },
                    players,
                    wanted: answer.values(self.ring).map(|value| value + 1).collect(),
                    hands: passing.map(|player| self.hand(player)).collect(),
                }
            });
        }
    }

    /// The end as the judge prints it: the winner, the hands, the favours.
    fn print_end(&self, winner: u32, out: &mut Vec<u8>) {
        push_long(out, i64::from(winner) + 1);
        out.extend_from_slice(b" is winner!\n");
        for (player, state) in (0..).zip(&self.players) {
            PLAYERS.push(out, player + 1);
            out.push(b'(');
            push_long(out, saturated(state.cards));
            out.extend_from_slice(b") ");
            self.hands.each(player, |value, count| {
                (0..count).for_each(|_| CARDS.push(out, value + 1));
            });
            out.push(b'\n');
        }
        for state in &self.players {
            push_long(out, state.favour);
            out.push(b' ');
        }
        out.push(b'\n');
    }

    fn outcome(&self, winner: u32) -> Outcome {
        let state = self.players[winner as usize];
        let plays = u64::from(self.tally.straights) + u64::from(self.tally.groups);
        let mut outcome = Outcome::ended(winner + 1, plays);
        let metrics = self.tally.metrics(state);
        outcome.metrics[..metrics.len()].copy_from_slice(&metrics);
        outcome.list("favours", self.players.iter().map(|state| state.favour));
        outcome.list("hands", self.players.iter().map(|state| saturated(state.cards)));
        outcome
    }

    /// A play as an event.
    fn seen(&self, player: u32, role: Role, play: Play) -> Event {
        let values = || play.values(self.ring);
        Event::Play {
            player: player + 1,
            role,
            kind: play.kind,
            cards: values().map(|value| value + 1).collect(),
            earned: values().map(|value| self.likes[value as usize]).sum(),
            favour: self.players[player as usize].favour,
            limit: self.players[player as usize].limit,
            hand: self.hand(player),
        }
    }

    /// A hand as an event shows it.
    fn hand(&self, player: u32) -> Vec<Held> {
        let mut hand = Vec::new();
        let see = |value, count| hand.push(Held { value: value + 1, count });
        self.hands.each(player, see);
        hand
    }
}

impl Tally {
    /// Counts a trick; all its plays are as `play` in kind and number of cards.
    fn trick(&mut self, play: Play, plays: u32) {
        self.leads += 1;
        self.longest_trick = self.longest_trick.max(plays);
        let (count, largest) = match play.kind {
            Kind::Straight => (&mut self.straights, &mut self.longest_straight),
            Kind::Group => (&mut self.groups, &mut self.largest_group),
        };
        *count += plays;
        *largest = play.cards.max(*largest);
    }

    /// The metrics in the order of [`METRICS`].
    fn metrics(&self, winner: Player) -> [i64; METRICS.len()] {
        [
            i64::from(self.leads),
            i64::from(self.lead_changes),
            i64::try_from(self.passes).unwrap_or(i64::MAX),
            i64::from(self.straights),
            i64::from(self.groups),
            i64::from(self.longest_straight),
            i64::from(self.largest_group),
            i64::from(self.longest_trick),
            saturated(self.largest_hand),
            i64::from(winner.plays),
            winner.favour,
        ]
    }
}

/// A count as a number that may be negative; counts of cards are far below the largest.
fn saturated(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
