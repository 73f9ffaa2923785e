//! What each skill does, and how long it lasts. A single character whose `MP` is 3 is full after each
//! round, so it attacks in round 1 and casts from round 2 on.

use simdrop::sim::stellar_connect::Event;
use simdrop::sim::stellar_connect::Player::{Alice, Bob};

use super::{Change, play, who};

#[test]
fn skill_0_does_nothing_but_spend_the_energy() {
    let game = play([who(90, 3, 1, 0)], [who(90, 99, 1, 0)]);
    assert_eq!(game.casts(Alice)[0], (2, 1, 0));
    assert_eq!(game.hits(Bob)[0], (1, 1));
    assert_eq!(game.standing(9)[1].hp, [89]);
}

#[test]
fn skill_1_hits_before_it_takes_a_tenth_of_the_energy() {
    // Bob has 9 after three rounds: the hit makes it 10, and a tenth of that is 1.
    let game = play([who(90, 9, 1, 0).skill(1, 5, 0, 0)], [who(90, 99, 1, 2)]);
    assert_eq!(game.casts(Alice)[0], (4, 1, 1));
    assert_eq!(game.hits(Bob)[3], (1, 3));
    assert!(game.events.contains(&Event::Drain { player: Bob, mp: vec![9] }));
    // His own attack and its end add 2.
    assert_eq!(game.standing(4)[1].mp, [11]);
}

#[test]
fn skill_2_deals_true_damage_to_all() {
    let bob = [who(90, 99, 1, 50), who(90, 99, 1, 50).talent(1, 0, 0)];
    let game = play([who(90, 99, 1, 0), who(90, 2, 5, 0).skill(2, 0, 0, 0)], bob);
    assert_eq!(game.hits(Bob)[1..3], [(1, 5), (2, 3)]);
}

#[test]
fn skill_3_goes_by_the_maximum_hp() {
    // 1 hp of 100 is gone, and still a tenth is 10, less 2 for the defence.
    let game = play([who(90, 3, 3, 0).skill(3, 9, 0, 0)], [who(100, 99, 1, 2)]);
    assert_eq!(game.hits(Bob)[..2], [(1, 1), (1, 8)]);
    assert_eq!(game.standing(2)[1].hp, [91]);
}

#[test]
fn skill_3_is_bounded_by_the_attack() {
    let game = play([who(90, 3, 3, 0).skill(3, 2, 0, 0)], [who(100, 99, 1, 0)]);
    assert_eq!(game.hits(Bob)[1], (1, 6));
}

#[test]
fn skill_4_counts_at_the_end_of_its_own_action_and_ends_in_time() {
    for (rounds, after) in [(1, [8, 9, 10]), (2, [8, 14, 15])] {
        // The second attacks in round 1 and is full. Bob hits the first for 1 energy a round.
        let alice = [who(90, 99, 1, 0), who(90, 2, 1, 0).skill(4, rounds, 5, 0)];
        let bob = [who(90, 99, 1, 0).order([2, 1]), who(90, 99, 1, 0).order([2, 1])];
        let game = play(alice, bob);
        assert_eq!(game.casts(Alice)[0], (2, 2, 4));
        assert_eq!(game.standing(1)[0].mp[0], 1);
        let first = game.events.iter().find_map(|event| match event {
            Event::EffectStart { last, .. } => Some(*last),
            _ => None,
        });
        assert_eq!(first, Some(1 + u64::try_from(rounds).expect("small")));
        // It casts again in each round, so only the first cast is looked at: 1 + 1 + 5.
        assert_eq!(game.standing(2)[0].mp[0], after[0] - 1);
    }
}

#[test]
fn effects_stack_each_with_its_own_end() {
    let game = play([who(900, 3, 5, 0).skill(7, 3, 10, 1)], [who(900, 99, 1, 0)]);
    // One cast in each round from the second on, each for three rounds.
    let bonuses: Vec<_> = (1..=7).map(|round| game.standing(round)[0].attack_bonus).collect();
    assert_eq!(bonuses, [0, 10, 20, 20, 20, 20, 20]);
    let last: Vec<_> = (game.events.iter())
        .filter_map(|event| match event {
            Event::EffectStart { last, .. } => Some(*last),
            _ => None,
        })
        .collect();
    assert_eq!(last[..3], [4, 5, 6]);
}

#[test]
fn an_effect_for_one_round_lasts_to_the_end_of_this_round() {
    // Bob acts after the cast and feels it, but the round leaves nothing.
    let game = play([who(90, 3, 1, 0).skill(9, 1, 10, 1)], [who(90, 99, 5, 0)]);
    assert_eq!(game.hits(Alice)[..2], [(1, 5), (1, 0)]);
    assert_eq!(game.standing(2)[0].defence_bonus, [0]);
    // Alice acts before Bob's cast, so she never feels it.
    let game = play([who(90, 99, 5, 0)], [who(90, 3, 1, 0).skill(9, 1, 10, 1)]);
    assert_eq!(game.hits(Bob)[1..3], [(1, 5), (1, 5)]);
}

#[test]
fn skill_5_lowers_the_defence_for_good_and_before_the_hit() {
    // Full after two rounds: attacks in rounds 1, 2, casts in round 3, attacks in round 4.
    let game = play([who(90, 6, 7, 0).skill(5, 4, 0, 0)], [who(90, 99, 1, 10)]);
    assert_eq!(game.hits(Bob)[..4], [(1, 0), (1, 0), (1, 7), (1, 1)]);
    let cut = Event::DefenceCut { player: Bob, character: 1, amount: 4, defence_bonus: -4 };
    let at = game.events.iter().position(|event| *event == cut).expect("a cut");
    assert!(matches!(game.events[at + 1], Event::Hit { player: Bob, .. }));
    assert_eq!(game.standing(4)[1].defence_bonus, [-4]);
}

#[test]
fn skill_6_hits_the_target_then_lowers_all_attacks() {
    let alice = [who(90, 99, 1, 0), who(90, 2, 4, 0).skill(6, 1, 3, 0)];
    let bob = [who(90, 99, 5, 9).order([1, 2]), who(90, 99, 5, 9).order([1, 2])];
    let game = play(alice, bob);
    assert_eq!(game.hits(Bob)[1], (1, 4));
    // Only in the round of the cast.
    assert_eq!(game.hits(Alice)[..2], [(1, 5), (1, 2)]);
    assert_eq!(game.standing(2)[1].attack_bonus, 0);
}

#[test]
fn skill_7_heals_the_lowest_then_raises_the_attack() {
    let alice = [who(90, 99, 3, 0), who(90, 2, 3, 0).skill(7, 2, 10, 4)];
    let bob = [who(90, 99, 5, 0), who(90, 99, 5, 0)];
    let game = play(alice, bob);
    // The first was hit for 5.
    assert!(game.events.contains(&Event::Heal { player: Alice, character: 1, amount: 4, hp: 89 }));
    assert_eq!(game.standing(2)[0].attack_bonus, 10);
}

#[test]
fn skill_7_heals_the_smallest_index_among_equals() {
    let caster = |index: usize| {
        let other = who(50, 99, 3, 0);
        let mut side = [other.clone(), other.clone(), other];
        side[index] = who(50, 2, 3, 0).skill(7, 1, 1, 4);
        side
    };
    let idle = || [0; 3].map(|_| who(90, 99, 1, 9).order([3, 2, 1]));
    let game = play(caster(2), idle().map(|who| who.talent(4, 0, 0)));
    // The third lost 1 hp; with it healed in full, later casts meet three equals.
    let healed: Vec<_> = (game.events.iter())
        .filter_map(|event| match event {
            Event::Heal { player: Alice, character, .. } => Some(*character),
            _ => None,
        })
        .collect();
    assert_eq!(healed[0], 3);
    let game = play(caster(2), [0; 3].map(|_| who(90, 99, 1, 9)).map(|who| who.order([3, 1, 2])));
    let first = game.events.iter().find(|event| matches!(event, Event::Heal { .. }));
    assert!(matches!(first, Some(Event::Heal { character: 3, .. })));
    let full = play([who(50, 99, 3, 0), who(50, 2, 3, 9).skill(7, 1, 1, 4)], {
        [who(90, 99, 1, 9).order([2, 1]), who(90, 99, 1, 9).order([2, 1])]
    });
    let first = full.events.iter().find(|event| matches!(event, Event::Heal { .. }));
    assert!(matches!(first, Some(Event::Heal { character: 1, hp: 50, .. })));
}

#[test]
fn skill_8_hits_before_it_lowers_the_defence() {
    let game = play([who(90, 3, 7, 0).skill(8, 9, 4, 0)], [who(90, 99, 1, 5)]);
    assert_eq!(game.hits(Bob)[..3], [(1, 2), (1, 2), (1, 6)]);
}

#[test]
fn skill_9_heals_all_then_raises_the_defence() {
    let alice = [who(90, 99, 1, 0), who(90, 5, 1, 0).skill(9, 1, 4, 3)];
    let bob = [who(90, 99, 5, 0).order([1, 2]), who(90, 99, 5, 0).order([1, 2])];
    let game = play(alice, bob);
    let heals = game.events.iter().filter(|event| matches!(event, Event::Heal { .. })).take(2);
    let healed: Vec<_> = heals.cloned().collect();
    // The second gains 2 a round: it casts in round 4, after three hits on the first.
    assert_eq!(game.casts(Alice)[0].0, 4);
    assert_eq!(healed[0], Event::Heal { player: Alice, character: 1, amount: 3, hp: 78 });
    assert_eq!(healed[1], Event::Heal { player: Alice, character: 2, amount: 3, hp: 90 });
    assert_eq!(game.hits(Alice)[3], (1, 1));
}

#[test]
fn effects_touch_only_those_alive_at_the_cast() {
    // Meteor kills the first of Bob's before it lowers defence.
    let game = play(
        [who(90, 99, 1, 0), who(90, 2, 9, 0).skill(8, 9, 4, 0)],
        [who(10, 99, 1, 0), who(90, 99, 1, 0)],
    );
    assert_eq!(game.standing(2)[1].hp[0], 0);
    assert_eq!(game.standing(2)[1].defence_bonus, [0, -4]);
}

#[test]
fn skill_10_doubles_base_values_lifts_to_half_and_kills_its_side_in_the_end() {
    let alice = who(9, 3, 1, 5).skill(10, 2, 0, 0);
    let game = play([alice], [who(100, 3, 12, 0).skill(10, 5, 0, 0)]);
    // 12 take 7 of Alice's 9 hp; half of 9 is 4, and half of 3 energy is 1.
    let burst = Event::Burst { player: Alice, character: 1, attack: 2, defence: 10, hp: 4, mp: 1 };
    assert!(game.events.contains(&burst));
    assert_eq!(game.standing(2)[0].additional_energy, 1);
    // Bob was full after round 1. Everybody's skill 10 is skill 0 now.
    assert_eq!(game.casts(Alice), [(2, 1, 10), (3, 1, 0)]);
    assert_eq!(game.casts(Bob), [(2, 1, 0)]);
    // In round 3 he attacks for 12 against 10, and Alice lives until the round ends.
    assert_eq!(game.hits(Alice), [(1, 7), (1, 2)]);
    assert!(game.events.contains(&Event::Doom { player: Alice }));
    assert_eq!(game.out, "3\nBob\n99\n");
}

#[test]
fn skill_10_doubles_no_bonus() {
    let alice = [who(90, 2, 3, 0).skill(7, 99, 10, 1), who(90, 8, 3, 0).skill(10, 99, 0, 0)];
    let game = play(alice, [who(900, 99, 1, 0), who(900, 99, 1, 0)]);
    let cast = game.casts(Alice).into_iter().find(|cast| cast.2 == 10).expect("a cast");
    let before = &game.standing(cast.0 - 1)[0];
    let after = &game.standing(cast.0)[0];
    assert!(before.attack_bonus > 0);
    assert_eq!((after.attack_bonus, &after.attack), (before.attack_bonus, &vec![6, 6]));
}

#[test]
fn a_side_that_wins_before_its_doom_has_won() {
    let game = play([who(90, 3, 5, 0).skill(10, 4, 0, 0)], [who(8, 99, 1, 0)]);
    // Attack for 5 in round 1, the burst in round 2, and from then on skill 0: nobody attacks.
    assert_eq!(game.out, "5\nBob\n3\n");
    // Three attacks leave 13; the burst in round 4 leaves half of 9 energy, 4, and 1 for the cast, 2
    // at the end, 1 for the hit: 8. In round 5 an attack for 10 leaves 3 and fills the energy, round
    // 6 casts skill 0, and in round 7 the second attack would win.
    let late = |rounds| play([who(90, 9, 5, 0).skill(10, rounds, 0, 0)], [who(28, 99, 1, 0)]).out;
    assert_eq!(late(3), "6\nBob\n3\n");
    assert_eq!(late(4), "7\nAlice\n84\n");
}
