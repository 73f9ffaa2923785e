//! Games without an end, and the limits of numbers.

use std::sync::atomic::AtomicBool;

use simdrop::domain::{Ending, RuleSet, SimulatorId};
use simdrop::sim::stellar_connect::{Character, Event};
use simdrop::sim::{self, Stop};

use super::{Change, Game, play, who};

fn proof(game: &Game) -> Option<(u64, u64, bool)> {
    match game.events.last() {
        Some(&Event::Endless { round, since, falling_defence }) => {
            Some((round, since, falling_defence))
        }
        _ => None,
    }
}

#[test]
fn a_state_that_comes_again_is_endless() {
    let game = play([who(9, 1, 1, 5)], [who(9, 1, 1, 5)]);
    assert_eq!(game.out, "(=^_^=)\n");
    let outcome = game.outcome();
    assert_eq!(outcome.ending, Ending::Endless);
    assert_eq!((outcome.winner, outcome.length), (None, None));
    assert_eq!(outcome.warnings[0].code, "long-game");
    // From the end of round 1 on both are full, and cast skill 0 in each round.
    assert_eq!(proof(&game), Some((2, 1, false)));
}

#[test]
fn defence_that_falls_where_it_no_longer_counts_is_endless() {
    // Skill 5 takes 1 hp, talent 3 restores it. `D` is never evaluated after round 1.
    let game = play([who(9, 1, 1, 9).skill(5, 3, 0, 0)], [who(9, 1, 1, 4).talent(3, 1, 1)]);
    assert_eq!(game.out, "(=^_^=)\n");
    assert_eq!(proof(&game), Some((2, 1, true)));
}

#[test]
fn falling_defence_that_is_evaluated_at_0_is_endless() {
    // Skill 1 evaluates `D` in each round, of one who has none.
    let alice = || [who(9, 1, 1, 9).skill(5, 3, 0, 0), who(9, 2, 1, 9).skill(1, 1, 0, 0)];
    let bob = |defence| [who(90, 1, 1, defence).talent(3, 9, 1), who(90, 1, 1, 9).talent(3, 9, 1)];
    let game = play(alice(), bob(0));
    assert!(proof(&game).is_some_and(|(_, _, falling)| falling));
}

#[test]
fn falling_defence_that_still_counts_is_no_proof() {
    // Alice attacks twice, then takes 1 of 40 defence, again and again. Bob restores 5 hp after each
    // action, and from some round on that is too little.
    let game = play([who(9, 6, 20, 9).skill(5, 1, 0, 0)], [who(100, 99, 1, 40).talent(3, 15, 1)]);
    assert_eq!(game.outcome().ending, Ending::Ended);
    assert_eq!(game.outcome().winner, Some(1));
    assert!(game.outcome().length.is_some_and(|rounds| rounds > 60));
}

#[test]
fn a_doom_that_still_runs_is_part_of_the_state() {
    // From round 3 on nothing changes but the rounds that are left.
    let game = play([who(9, 1, 1, 5).skill(10, 60, 0, 0)], [who(9, 1, 1, 5)]);
    assert_eq!(game.out, "61\nBob\n9\n");
}

#[test]
fn the_rounds_an_effect_has_left_are_part_of_the_state() {
    // Alice's first deals 60 to all from round 2 on. Bob's second adds 50 to the defence for rounds 2
    // to 31, with 1 hp for all, and dies in round 3: 5 of its 65 hp are left, then 6, and it takes 10. Nothing changes until
    // his first, 49 of 900 hp down behind a defence of 60, is left with 10: 50 a round from round 32.
    let alice = [who(9, 1, 1, 9).skill(1, 60, 0, 0), who(9, 1, 1, 9)];
    let bob = [who(900, 1, 1, 10), who(65, 1, 1, 0).skill(9, 30, 50, 1)];
    assert_eq!(play(alice, bob).out, "49\nAlice\n9 9\n");
}

#[test]
fn effects_that_start_as_others_end_are_endless() {
    // After three rounds one effect starts in each round and one ends.
    let game = play([who(9, 1, 1, 9).skill(9, 3, 2, 1)], [who(9, 1, 1, 9)]);
    assert_eq!(proof(&game), Some((5, 4, false)));
}

#[test]
fn a_game_that_ends_within_the_promise_has_no_warning() {
    let game = play([who(9, 9, 9, 0)], [who(9, 9, 9, 0)]);
    assert_eq!(game.outcome().warnings, []);
}

/// Plays a whole input under the step limit.
fn sim(text: &str) -> (Result<Ending, Stop>, Vec<u8>) {
    let reading =
        sim::read(text.as_bytes(), Some(SimulatorId::StellarConnect)).expect("a valid input");
    let (never, mut out) = (AtomicBool::new(false), Vec::new());
    let played = reading.input.play(0, RuleSet::Judge, &never, &mut out);
    (played.map(|outcome| outcome.ending), out)
}

#[test]
fn a_million_effects_that_never_end_are_no_trouble() {
    let input = "1 10 1 1 0 1 0 0 0 4 1000000000 1 0 10 1 1 0 1 0 0 0 4 1000000000 1 0\n";
    assert_eq!(sim(input), (Ok(Ending::Undecided), Vec::new()));
}

#[test]
fn half_a_million_effects_that_run_at_once_are_no_trouble() {
    let input = "1 10 1 1 0 1 0 0 0 4 500000 1 0 10 1 1 0 1 0 0 0 4 400000 1 0\n";
    let (played, out) = sim(input);
    assert_eq!((played, out.as_slice()), (Ok(Ending::Endless), &b"(=^_^=)\n"[..]));
}

#[test]
fn an_end_in_the_last_round_counts() {
    // The burst in round 2 lasts to the end of round 1,000,000, or of one more.
    let input = |rounds| format!("1 9 1 1 5 1 0 0 0 10 {rounds} 0 0 9 1 1 5 1 0 0 0 0 0 0 0\n");
    assert_eq!(sim(&input(999_999)), (Ok(Ending::Ended), b"1000000\nBob\n9\n".to_vec()));
    assert_eq!(sim(&input(1_000_000)), (Ok(Ending::Undecided), Vec::new()));
    assert_eq!(sim(&input(i64::MAX)), (Ok(Ending::Undecided), Vec::new()));
}

#[test]
fn a_long_game_that_ends_has_a_warning() {
    let doom = |rounds| play_long([who(9, 1, 1, 5).skill(10, rounds, 0, 0)], [who(9, 1, 1, 5)]);
    assert_eq!(doom(23_332), (Some(23_333), 0));
    assert_eq!(doom(23_333), (Some(23_334), 1));
}

fn play_long<const N: usize>(alice: [Character; N], bob: [Character; N]) -> (Option<u64>, usize) {
    let game = super::play_rounds(&super::input(alice, bob), 30_000);
    (game.outcome().length, game.outcome().warnings.len())
}

#[test]
fn a_stored_value_beyond_64_bits_ends_the_case() {
    const HUGE: i64 = 5_000_000_000_000_000_000;
    let stop = |alice: Character| {
        play([alice], [who(9, 99, 1, 0)]).result.err().map(|stop| match stop {
            Stop::OutOfRange(name) => name,
            other => format!("{other:?}"),
        })
    };
    let cast = |id, x, y, z| who(900, 3, 1, 9).skill(id, x, y, z);
    let named = |name: &str| Some(name.to_owned());
    assert_eq!(stop(cast(4, 9, HUGE, 0)), named("the additional energy of Alice's characters"));
    assert_eq!(stop(cast(7, 9, HUGE, 1)), named("the attack bonus of Alice's characters"));
    assert_eq!(stop(cast(9, 9, HUGE, 1)), named("the defence bonus of Alice's characters"));
    let strong = who(900, 3, HUGE, 9).skill(10, 9, 0, 0);
    let game = play([strong], [who(9, 99, 1, i64::MAX)]);
    let expected = Stop::OutOfRange("the base attack of Alice's character 1".to_owned());
    assert_eq!(game.result.err(), Some(expected));
}

#[test]
fn a_bonus_may_go_down_to_the_edge_of_64_bits() {
    let cut = |x| who(900, 3, 1, 9).skill(5, x, 0, 0);
    // Each cast takes 2^62; a third one leaves the range.
    let game = play([cut(1 << 62)], [who(900, 99, 1, 0)]);
    let expected = "the defence bonus of Bob's character 1".to_owned();
    assert_eq!(game.result.err(), Some(Stop::OutOfRange(expected)));
    let bonuses: Vec<_> = (2..=3).map(|round| game_bonus(&game.events, round)).collect();
    assert_eq!(bonuses, [-(1 << 62), i64::MIN]);
}

fn game_bonus(events: &[Event], of: u64) -> i64 {
    let bonus = events.iter().find_map(|event| match event {
        Event::RoundEnd { round, sides } if *round == of => Some(sides[1].defence_bonus[0]),
        _ => None,
    });
    bonus.expect("such a round")
}

#[test]
fn the_largest_values_are_played_exactly() {
    const MOST: i64 = i64::MAX;
    // Attack 2^64 - 2 against defence 0 and a true part of 2^63 - 1.
    let alice = [
        who(MOST, MOST, MOST, 0).talent(2, MOST, 0),
        who(MOST, 2, MOST, 0).skill(7, 9, MOST, MOST),
    ];
    let game = play(alice, [who(MOST, MOST, MOST, MOST), who(MOST, MOST, MOST, MOST)]);
    assert_eq!(game.attacks(super::Player::Alice)[0], (1, 1));
    let full = who(MOST, MOST, 1, 9).talent(3, MOST, MOST);
    let game = play([full.clone()], [full]);
    assert_eq!(game.outcome().ending, Ending::Endless);
}
