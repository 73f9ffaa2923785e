//! A referee who knows the rules by the cells of the picture, and follows random games.

use std::collections::BTreeMap;

use proptest::prelude::{ProptestConfig, prop, proptest};
use simdrop::domain::RuleSet;
use simdrop::sim::thunder_bluff::{
    Action, Battle, Choice, Dice, Event, Flight, Home, NAMES, Seat, Spot, Unit,
};

use super::{ALICE, BOB, CAROL, Played, play_seeds};

const FIRST: [u8; 4] = [1, 14, 27, 40];
const JUMP_POINT: [u8; 4] = [18, 31, 44, 5];
const SHORTCUT_END: [u8; 4] = [30, 43, 4, 17];
const OUTERMOST: [u8; 4] = [50, 11, 24, 37];

fn onwards(cell: u8, cells: u8) -> u8 {
    (cell - 1 + cells) % 52 + 1
}

fn is_own_colour(player: usize, cell: u8) -> bool {
    (usize::from(cell) + 2) % 4 == player
}

/// One cell on, for a piece that may turn back.
fn step(player: usize, spot: Spot, back: &mut bool) -> Spot {
    match spot {
        Spot::Launch => Spot::Ring(FIRST[player]),
        Spot::Ring(cell) if onwards(cell, 1) == OUTERMOST[player] => Spot::Stretch(0),
        Spot::Ring(cell) => Spot::Ring(onwards(cell, 1)),
        Spot::Stretch(cell) if *back => Spot::Stretch(cell - 1),
        Spot::Stretch(5) => Spot::Home,
        Spot::Stretch(cell) => Spot::Stretch(cell + 1),
        Spot::Home => {
            *back = true;
            Spot::Stretch(5)
        }
    }
}

fn fly(player: usize, from: Spot, die: u8) -> (Flight, Spot) {
    let mut back = false;
    let reached = (0..die).fold(from, |spot, _| step(player, spot, &mut back));
    let Spot::Ring(cell) = reached else {
        return (if back { Flight::Bounce } else { Flight::Direct }, reached);
    };
    let (flight, end) = if cell == JUMP_POINT[player] {
        (Flight::ShortcutCombo, onwards(SHORTCUT_END[player], 4))
    } else if is_own_colour(player, cell) && onwards(cell, 4) == JUMP_POINT[player] {
        (Flight::ComboShortcut, SHORTCUT_END[player])
    } else if is_own_colour(player, cell) {
        (Flight::Combo, onwards(cell, 4))
    } else {
        (Flight::Direct, cell)
    };
    (flight, if end == OUTERMOST[player] { Spot::Stretch(0) } else { Spot::Ring(end) })
}

fn distance(player: usize, spot: Spot) -> i32 {
    let mut at = spot;
    let steps = std::iter::from_fn(|| {
        let on_the_way = at != Spot::Home;
        at = if on_the_way { step(player, at, &mut false) } else { at };
        on_the_way.then_some(())
    });
    i32::try_from(steps.count()).expect("a short way")
}

fn pieces(seat: &Seat, spot: Spot) -> u8 {
    seat.units.iter().filter(|unit| unit.spot == spot).map(|unit| unit.pieces).sum()
}

fn size(unit: Unit) -> u8 {
    if unit.spot == Spot::Launch { 1 } else { unit.pieces }
}

/// Who stands on a ring cell besides the player, and with how many pieces.
fn defenders(seats: &[Seat; 4], player: usize, spot: Spot) -> Option<(usize, u8)> {
    let Spot::Ring(_) = spot else { return None };
    let others = (0..4).filter(|&other| other != player);
    let mut standing = others.map(|other| (other, pieces(&seats[other], spot)));
    standing.find(|&(_, pieces)| pieces > 0)
}

/// What the player's strategy makes of moving a unit, then how near it is.
fn worth(rules: RuleSet, seats: &[Seat; 4], player: usize, unit: Unit, die: u8) -> (i32, i32) {
    let (_, to) = fly(player, unit.spot, die);
    let away = distance(player, unit.spot);
    let standing = defenders(seats, player, to).map_or(0, |(_, pieces)| pieces);
    match player {
        ALICE => (i32::from(size(unit) + pieces(&seats[player], to)), -away),
        BOB if rules == RuleSet::Judge && unit.spot == Spot::Launch => (0, -away),
        BOB => (i32::from(size(unit).min(standing)), -away),
        CAROL => (away - distance(player, to), -away),
        _ => (away, 0),
    }
}

fn long(count: usize) -> i64 {
    i64::try_from(count).expect("a count")
}

/// What the streaks of a player's rolls earn if the game ends now.
fn streak_points(rolls: &[u8]) -> i64 {
    let streaks = rolls.chunk_by(|a, b| a == b);
    streaks.map(|streak| i64::from(6 - streak[0]) * (long(streak.len()) - 1).pow(2)).sum()
}

/// Follows a game, and counts what it met.
struct Referee {
    rules: RuleSet,
    seats: [Seat; 4],
    skips: [u8; 4],
    rolls: [Vec<u8>; 4],
    met: BTreeMap<&'static str, u32>,
}

impl Referee {
    fn new(rules: RuleSet) -> Self {
        let seat = || Seat { score: 0, hangar: 4, units: Vec::new(), home: 0 };
        let seats = [seat(), seat(), seat(), seat()];
        Self { rules, seats, skips: [0; 4], rolls: Default::default(), met: BTreeMap::new() }
    }

    fn meet(&mut self, what: &'static str) {
        *self.met.entry(what).or_default() += 1;
    }

    fn add(&mut self, player: usize, spot: Spot, count: u8) {
        let seat = &mut self.seats[player];
        let unit = Unit { spot, pieces: pieces(seat, spot) + count };
        seat.units.retain(|unit| unit.spot != spot);
        seat.units.push(unit);
        seat.units.sort_by_key(|unit| -distance(player, unit.spot));
    }

    fn remove(&mut self, player: usize, spot: Spot, count: u8) {
        let seat = &mut self.seats[player];
        seat.units
            .iter_mut()
            .filter(|unit| unit.spot == spot)
            .for_each(|unit| unit.pieces -= count);
        seat.units.retain(|unit| unit.pieces > 0);
    }

    fn launch(&mut self, player: usize) {
        self.seats[player].hangar -= 1;
        self.skips[player] = 0;
        self.add(player, Spot::Launch, 1);
    }

    /// The actions that must follow a roll.
    fn roll(&mut self, player: usize, die: u8) -> Vec<Action> {
        let rolls = &mut self.rolls[player];
        let before = streak_points(rolls);
        rolls.push(die);
        let points = streak_points(rolls) - before;
        let in_a_row = rolls.chunk_by(|a, b| a == b).next_back().map_or(0, <[u8]>::len);
        self.seats[player].score += points;
        let in_a_row = u32::try_from(in_a_row).expect("a short streak");
        let mut actions = vec![Action::Roll { die, in_a_row, points }];
        if die == 6 && self.seats[player].hangar > 0 {
            self.launch(player);
            actions.push(Action::Launch);
        } else if self.seats[player].units.is_empty() {
            self.skip(player, die, &mut actions);
        } else {
            self.skips[player] = 0;
            self.advance(player, die, &mut actions);
        }
        actions
    }

    fn skip(&mut self, player: usize, die: u8, actions: &mut Vec<Action>) {
        assert_ne!(die, 6);
        self.skips[player] += 1;
        actions.push(Action::Skip { in_a_row: self.skips[player] });
        if self.seats[player].home > 0 {
            self.meet("a skip with pieces home");
        }
        if self.rolls[player].iter().rev().nth(1) == Some(&6) {
            self.meet("a skip on a bonus roll");
        }
        if self.skips[player] == 10 {
            self.launch(player);
            actions.push(Action::PityLaunch);
            self.meet("a launch out of pity");
        }
    }

    fn advance(&mut self, player: usize, die: u8, actions: &mut Vec<Action>) {
        let units = self.seats[player].units.clone();
        let worth = |unit: &&Unit| worth(self.rules, &self.seats, player, **unit, die);
        let unit = *units.iter().max_by_key(worth).expect("a unit");
        let (from, count) = (unit.spot, size(unit));
        let (flight, to) = fly(player, from, die);
        let defender = defenders(&self.seats, player, to);
        self.remove(player, from, count);
        if to == Spot::Home {
            self.seats[player].home += count;
        } else {
            self.add(player, to, count);
        }
        actions.push(Action::Move { pieces: count, from, flight, to });
        if to == Spot::Home {
            actions.push(self.come_home(player, count));
        }
        if let Some((them, stand)) = defender {
            actions.push(self.battle(player, to, count, them, stand));
        }
    }

    fn come_home(&mut self, player: usize, pieces: u8) -> Action {
        let home: u8 = self.seats.iter().map(|seat| seat.home).sum();
        let others = 12 - (home - self.seats[player].home);
        let points = 5 * i64::from(others) * i64::from(pieces);
        self.seats[player].score += points;
        self.meet(if pieces > 1 { "a unit home" } else { "a piece home" });
        Action::Home(Home { pieces, others, points })
    }

    fn battle(&mut self, player: usize, at: Spot, a: u8, them: usize, d: u8) -> Action {
        let (defenders_lost, attackers_lost) = (a.min(d), a.min(d - 1));
        for (player, lost) in [(them, defenders_lost), (player, attackers_lost)] {
            self.remove(player, at, lost);
            self.seats[player].hangar += lost;
        }
        let attacker_points = 5 * i64::from(defenders_lost);
        let defender_points = 2 * i64::from(attackers_lost);
        self.seats[player].score += attacker_points;
        self.seats[them].score += defender_points;
        self.meet(match (a, d) {
            (1, 1) => "one on one",
            (1, _) => "one on a stack",
            (_, 1) => "a stack on one",
            _ => "a stack on a stack",
        });
        Action::Battle(Battle {
            at,
            defender: [1, 2, 3, 4][them],
            arrive: a,
            stand: d,
            defenders_lost,
            attackers_lost,
            attacker_points,
            defender_points,
        })
    }

    /// Demands the right reason for the move of an event that must follow, if there is a choice.
    fn reason(&mut self, player: usize, die: u8, event: &Event) {
        let units = &self.seats[player].units;
        let worth = |unit: &Unit| worth(self.rules, &self.seats, player, *unit, die);
        let best = units.iter().map(worth).max().map_or(0, |(value, _)| value);
        let equal = units.iter().filter(|unit| worth(unit).0 == best).count();
        let wanted = (units.len() > 1).then_some((i64::from(best), units.len(), equal));
        let told = |choice: Choice| (choice.value, choice.units as usize, choice.equal as usize);
        assert_eq!(event.choice.map(told), wanted, "{event}");
    }

    /// Plays with the same dice, and demands the same steps.
    fn follow(&mut self, mut dice: Dice, played: &Played) {
        let mut events = played.events.iter();
        let (mut player, mut number) = (0, 0);
        loop {
            let die = dice.next().expect("a die").value();
            number += 1;
            if let [_, event, ..] = events.as_slice()
                && matches!(event.action, Action::Move { .. })
            {
                self.reason(player, die, event);
            }
            let mut last = None;
            for action in self.roll(player, die) {
                let event = events.next().expect("a step");
                assert_eq!((event.roll, event.player as usize), (number, player + 1), "{event}");
                assert_eq!(event.action, action, "{event}");
                last = Some(event);
            }
            assert_eq!(last.expect("a roll").seats, self.seats, "{}", last.expect("a roll"));
            if self.seats[player].home == 4 {
                return self.end(player, die, events.next(), played);
            }
            player = if die == 6 { player } else { (player + 1) % 4 };
        }
    }

    fn end(&mut self, winner: usize, die: u8, event: Option<&Event>, played: &Played) {
        self.seats[winner].score += 50;
        let event = event.expect("the end");
        assert_eq!((&event.action, &event.seats), (&Action::Win { points: 50 }, &self.seats));
        let scores = [0, 1, 2, 3].map(|player| self.seats[player].score);
        let mut ranked = [0, 1, 2, 3];
        ranked.sort_by(|&a, &b| scores[b].cmp(&scores[a]).then(NAMES[a].cmp(NAMES[b])));
        let lines = ranked.map(|player| format!("{}: {}\n", NAMES[player], scores[player]));
        assert_eq!(played.out, format!("{} win!\n{}", NAMES[winner], lines.concat()));
        if die == 6 {
            self.meet("a six that ends the game");
        }
        if ranked.windows(2).any(|two| scores[two[0]] == scores[two[1]]) {
            self.meet("equal scores");
        }
    }
}

/// Referees a game, and checks what the outcome says of it.
fn referee(seeds: [u32; 4], rules: RuleSet, met: &mut BTreeMap<&'static str, u32>) {
    let played = play_seeds(seeds, rules);
    let mut referee = Referee::new(rules);
    referee.follow(Dice::new(seeds), &played);
    let count = |is: fn(&Action) -> bool| {
        long(played.events.iter().filter(|event| is(&event.action)).count())
    };
    let shot_down = |battle: &Battle| i64::from(battle.defenders_lost + battle.attackers_lost);
    let streaks = referee.rolls.iter().flat_map(|rolls| rolls.chunk_by(|a, b| a == b));
    let outcome = played.outcome.as_ref().expect("an end");
    let home: u8 = referee.seats.iter().map(|seat| seat.home).sum();
    let [alice, bob, carol, david] = referee.seats.each_ref().map(|seat| seat.score);
    let metrics = [
        alice,
        bob,
        carol,
        david,
        count(|action| matches!(action, Action::Battle(_))),
        played.battles().iter().map(shot_down).sum(),
        count(|action| matches!(action, Action::Launch)),
        count(|action| matches!(action, Action::PityLaunch)),
        count(|action| matches!(action, Action::Skip { .. })),
        count(|action| matches!(action, Action::Move { .. })),
        i64::from(home),
        long(streaks.map(<[u8]>::len).max().unwrap_or(0)),
    ];
    assert_eq!(outcome.metrics, metrics);
    let rolls: usize = referee.rolls.iter().map(Vec::len).sum();
    assert_eq!(outcome.length, Some(rolls as u64));
    for (what, count) in referee.met {
        *met.entry(what).or_default() += count;
    }
}

#[test]
fn random_games_go_as_the_referee_says() {
    for rules in RuleSet::ALL {
        let mut met = BTreeMap::new();
        for game in 0..400 {
            referee([game, 1, 2, 3], rules, &mut met);
        }
        let met: Vec<_> = met.into_keys().collect();
        let all = [
            "a launch out of pity",
            "a piece home",
            "a six that ends the game",
            "a skip on a bonus roll",
            "a skip with pieces home",
            "a stack on a stack",
            "a stack on one",
            "a unit home",
            "equal scores",
            "one on a stack",
            "one on one",
        ];
        assert_eq!(met, all, "what random games meet by the rules of the {rules}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_game_goes_as_the_referee_says(seeds: [u32; 4], statement: bool) {
        referee(seeds, RuleSet::ALL[usize::from(statement)], &mut BTreeMap::new());
    }

    /// Small seeds and single bits start with long streaks.
    #[test]
    fn poor_seeds_make_games_that_go_as_the_referee_says(
        seeds in prop::array::uniform4(0_u32..3),
        bit in 0_u32..32,
    ) {
        referee(seeds.map(|seed| seed << bit), RuleSet::Judge, &mut BTreeMap::new());
    }
}
