//! What holds for any input.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use proptest::collection::vec;
use proptest::prelude::*;
use simdrop::domain::{Ending, RuleSet, SimulatorId};
use simdrop::sim::stellar_connect::{
    Character, Event, Input, Player, Skill, Standing, Stat, StellarConnect, Talent,
};
use simdrop::sim::{self, Budget, Silent, Simulator, Stop};

use super::{Game, play_rounds};

/// How many rounds are played.
const ROUNDS: u64 = 600;

/// Numbers in which much happens: small ones, with few values.
fn small(most: i64) -> impl Strategy<Value = i64> + Clone {
    prop_oneof![3 => 1..=most.min(4), 1 => 1..=most]
}

fn talent() -> impl Strategy<Value = Talent> {
    (0..6_i64, small(30), small(5)).prop_map(|(id, x, y)| match id {
        2 => Talent { id, x, y: 0 },
        3 | 5 => Talent { id, x, y },
        _ => Talent { id, x: 0, y: 0 },
    })
}

fn skill() -> impl Strategy<Value = Skill> {
    (0..11_i64, small(12), small(30), small(30)).prop_map(|(id, x, y, z)| match id {
        0 | 2 => Skill { id, x: 0, y: 0, z: 0 },
        1 | 3 | 5 | 10 => Skill { id, x, y: 0, z: 0 },
        4 | 6 | 8 => Skill { id, x, y, z: 0 },
        _ => Skill { id, x, y, z },
    })
}

fn character(n: usize) -> impl Strategy<Value = Character> {
    let order = Just((1..=n).collect::<Vec<_>>()).prop_shuffle();
    let values = (1..100_i64, small(20), 1..12_i64, 0..16_i64);
    (values, order, talent(), skill()).prop_map(
        |((hp, mp, attack, defence), order, talent, skill)| Character {
            hp,
            mp,
            attack,
            defence,
            order,
            talent,
            skill,
        },
    )
}

fn input() -> impl Strategy<Value = Input> {
    (1..5_usize).prop_flat_map(|n| {
        let side = || vec(character(n), n);
        (side(), side()).prop_map(|(alice, bob)| Input { alice, bob })
    })
}

/// The whole state at the end of a round, but for the defence bonuses.
type State = (Vec<Standing>, Vec<(Player, Stat, i64, u64)>);

/// The ends of rounds as plain values: effects by their remaining rounds, nothing of the dead.
fn states(game: &Game) -> Vec<(State, Vec<i64>)> {
    let (mut effects, mut states) = (Vec::new(), Vec::new());
    for event in &game.events {
        match event {
            Event::EffectStart { player, stat, amount, last } => {
                effects.push((*player, *stat, *amount, *last));
            }
            Event::RoundEnd { round, sides } => {
                effects.retain(|effect| effect.3 > *round);
                let mut left: Vec<_> =
                    effects.iter().map(|&(a, b, c, last)| (a, b, c, last - round)).collect();
                left.sort_unstable_by_key(|&(player, stat, amount, last)| {
                    (last, player, stat as u8, amount)
                });
                let mut sides = sides.to_vec();
                states
                    .push(((Vec::new(), left), sides.iter_mut().flat_map(take_bonuses).collect()));
                states.last_mut().expect("just pushed").0.0 = sides;
            }
            _ => {}
        }
    }
    states
}

fn take_bonuses(side: &mut Standing) -> Vec<i64> {
    let mut bonuses = std::mem::take(&mut side.defence_bonus);
    for (bonus, &hp) in bonuses.iter_mut().zip(&side.hp) {
        *bonus *= i64::from(hp > 0);
    }
    bonuses
}

/// The first round whose state is as that of an earlier one.
fn first_repetition(states: &[(State, Vec<i64>)]) -> Option<u64> {
    let mut known = HashMap::new();
    let again = |(state, bonuses): &(State, Vec<i64>)| {
        let key = format!("{state:?}{bonuses:?}");
        known.insert(key, ()).is_some()
    };
    states.iter().position(again).map(|at| at as u64 + 1)
}

/// Checks a proof against the ends of the two rounds and every hit between them.
fn check_proof(game: &Game, states: &[(State, Vec<i64>)]) {
    let proof = game.events.last();
    let Some(&Event::Endless { round, since, falling_defence }) = proof else {
        unreachable!("{proof:?} instead of a proof");
    };
    let at = |round: u64| &states[usize::try_from(round).expect("small") - 1];
    let ((then, bonuses_then), (now, bonuses_now)) = (at(since.max(1)), at(round));
    if since > 0 {
        assert_eq!(then, now);
        assert_eq!(falling_defence, bonuses_then != bonuses_now);
    }
    for (index, (then, now)) in bonuses_then.iter().zip(bonuses_now).enumerate() {
        assert!(now <= then);
        if now < then {
            check_unguarded(game, index, since..round);
        }
    }
}

/// In all rounds after the first of these, the defence of a character took nothing from any hit.
fn check_unguarded(game: &Game, index: usize, rounds: std::ops::Range<u64>) {
    let n = game.events.iter().find_map(|event| match event {
        Event::RoundEnd { sides, .. } => Some(sides[0].hp.len()),
        _ => None,
    });
    let n = n.expect("a round");
    let victim = ([Player::Alice, Player::Bob][index / n], index % n + 1);
    let mut ended = 0;
    for event in &game.events {
        match *event {
            Event::RoundEnd { round, .. } => ended = round,
            Event::Hit { player, character, damage, loss, .. }
                if rounds.contains(&ended) && (player, character) == victim =>
            {
                assert!(loss >= damage);
            }
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// A game whose state comes again never ends, so one that ends has no state twice; and what is
    /// declared endless has one, as plain hashing of whole states sees it.
    #[test]
    fn proofs_agree_with_plain_hashing_of_whole_states(input in input()) {
        let game = play_rounds(&input, ROUNDS);
        let states = states(&game);
        let repeated = first_repetition(&states);
        match game.outcome().ending {
            Ending::Ended => prop_assert_eq!(repeated, None),
            Ending::Endless => check_proof(&game, &states),
            // The watch finds a repetition within three times its round.
            Ending::Undecided => prop_assert!(repeated.is_none_or(|round| 3 * round > ROUNDS)),
        }
        if let (Some(first), Some(Event::Endless { round, .. })) = (repeated, game.events.last()) {
            prop_assert!(*round <= 3 * first);
        }
    }

    /// Nobody looking changes nothing, and every event can be read by people and programs.
    #[test]
    fn a_trace_changes_nothing(input in input()) {
        let traced = play_rounds(&input, 60);
        let (never, mut out) = (AtomicBool::new(false), Vec::new());
        let mut budget = Budget::new(60, &never);
        let played = StellarConnect::play(&input, 0, RuleSet::Judge, &mut Silent, &mut budget, &mut out);
        prop_assert_eq!(&played, &traced.result);
        prop_assert_eq!(String::from_utf8_lossy(&out), traced.out.as_str());
        for event in &traced.events {
            prop_assert!(!event.to_string().is_empty());
            let json = serde_json::to_value(event).expect("JSON");
            prop_assert!(json["event"].is_string());
        }
    }

    #[test]
    fn a_printed_input_reads_as_the_same(input in input()) {
        let text = input.to_string();
        let reading = sim::read(text.as_bytes(), Some(SimulatorId::StellarConnect));
        prop_assert_eq!(reading.expect("a valid input").input, sim::Input::StellarConnect(input));
    }

    #[test]
    fn huge_values_never_panic(
        mut input in input(),
        huge in vec((0..8_usize, 0..9_usize, prop_oneof![Just(i64::MAX), Just(i64::MAX / 2 + 1), 1..i64::MAX]), 1..12),
    ) {
        for (at, field, value) in huge {
            let n = input.alice.len();
            let side = if at % 2 == 0 { &mut input.alice } else { &mut input.bob };
            let Character { hp, mp, attack, defence, talent, skill, .. } = &mut side[at / 2 % n];
            let fields = [hp, mp, attack, defence, &mut talent.x, &mut talent.y, &mut skill.x, &mut skill.y, &mut skill.z];
            let field = &mut *fields.into_iter().nth(field).expect("a field");
            if *field > 0 {
                *field = value;
            }
        }
        let game = play_rounds(&input, 200);
        prop_assert!(!matches!(game.result, Err(Stop::Cancelled)));
    }

    #[test]
    fn bytes_and_near_valid_tokens_never_panic(
        input in input(),
        bytes in vec(any::<u8>(), 0..60),
        changes in vec((0..200_usize, prop_oneof![Just(0), Just(-1), Just(11), any::<i64>()]), 0..4),
    ) {
        let _ = sim::read(&bytes, Some(SimulatorId::StellarConnect));
        let mut tokens: Vec<_> = input.to_string().split_whitespace().map(str::to_owned).collect();
        for (at, value) in changes {
            let at = at % tokens.len();
            tokens[at] = value.to_string();
        }
        if let Ok(reading) = sim::read(tokens.join(" ").as_bytes(), Some(SimulatorId::StellarConnect)) {
            let sim::Input::StellarConnect(input) = reading.input else { panic!("another input") };
            let _ = play_rounds(&input, 100);
        }
    }
}
