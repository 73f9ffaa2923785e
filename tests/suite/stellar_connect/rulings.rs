//! Rounds, actions, hits and the end. Each expected number follows from the rule by hand.
//!
//! Two single characters that attack each other gain 3 energy a round each: 1 for the attack, 1 at
//! the end of the action, 1 for being hit.

use simdrop::sim::stellar_connect::Event;
use simdrop::sim::stellar_connect::Player::{Alice, Bob};

use super::{Change, play, who};

#[test]
fn alice_acts_first() {
    let game = play([who(1, 9, 1, 0)], [who(1, 9, 1, 0)]);
    assert_eq!(game.out, "1\nAlice\n1\n");
    assert_eq!((game.outcome().winner, game.outcome().length), (Some(1), Some(1)));
}

#[test]
fn bob_acts_in_the_same_round() {
    let game = play([who(1, 9, 1, 0)], [who(2, 9, 1, 0)]);
    assert_eq!(game.out, "1\nBob\n1\n");
    assert_eq!(game.outcome().winner, Some(2));
}

#[test]
fn the_highest_skill_casts_before_a_higher_index() {
    let ready = |skill| who(9, 1, 1, 0).skill(skill, 0, 0, 0);
    let idle = who(9, 99, 1, 9);
    let game = play([ready(2), ready(0), ready(0)], [idle.clone(), idle.clone(), idle]);
    assert_eq!(game.casts(Alice)[0], (2, 1, 2));
}

#[test]
fn among_equal_skills_the_highest_index_casts() {
    let ready = || who(9, 1, 1, 0).skill(2, 0, 0, 0);
    let idle = who(9, 99, 1, 9);
    let game = play([ready(), ready(), who(9, 1, 1, 0)], [idle.clone(), idle.clone(), idle]);
    assert_eq!(game.casts(Alice)[0], (2, 2, 2));
}

#[test]
fn others_who_are_full_cast_in_the_next_actions() {
    // The first is full from the start and waits while the second casts; it stays full.
    let game = play(
        [who(9, 1, 1, 0), who(9, 5, 1, 0).skill(2, 0, 0, 0)],
        [who(99, 99, 1, 99), who(99, 99, 1, 99)],
    );
    // The second gains 2 in round 1, then 1 a round: full after round 4.
    assert_eq!(game.casts(Alice)[..5], [(2, 1, 0), (3, 1, 0), (4, 1, 0), (5, 2, 2), (6, 1, 0)]);
}

#[test]
fn the_target_with_the_most_hp_is_attacked() {
    let attackers = || [who(50, 99, 5, 0).order([1, 2]), who(50, 99, 5, 0).order([2, 1])];
    let game = play(attackers(), [who(9, 99, 1, 0), who(8, 99, 1, 0)]);
    assert_eq!(game.attacks(Alice)[0], (1, 1));
    // 4 hp are left of the first, so the second has more now.
    assert_eq!(game.attacks(Alice)[1], (2, 2));
}

#[test]
fn ties_of_hp_are_broken_by_the_loss_after_defence() {
    let attackers = [who(50, 99, 5, 0).order([1, 2]), who(50, 99, 6, 0).order([2, 1])];
    let game = play(attackers, [who(9, 99, 1, 0), who(9, 99, 1, 3)]);
    assert_eq!(game.attacks(Alice)[0], (1, 1));
}

#[test]
fn ties_of_hp_are_broken_by_the_loss_after_halving() {
    let attackers =
        [who(50, 99, 6, 0).talent(4, 0, 0).order([1, 2]), who(50, 99, 4, 0).order([2, 1])];
    let bob = [who(9, 99, 1, 0).talent(1, 0, 0), who(9, 99, 1, 0)];
    // 6 true damage take 3, the other takes 4.
    assert_eq!(play(attackers, bob).attacks(Alice)[0], (2, 2));
}

#[test]
fn the_loss_is_not_capped_by_the_hp() {
    let attackers = [who(50, 99, 9, 0).order([1, 2]), who(50, 99, 5, 0).order([2, 1])];
    let game = play(attackers, [who(3, 99, 1, 0), who(3, 99, 1, 0)]);
    assert_eq!(game.attacks(Alice)[0], (1, 1));
}

#[test]
fn full_ties_are_broken_by_the_larger_index() {
    let attackers = [who(50, 99, 5, 0).order([1, 2]), who(50, 99, 5, 0).order([2, 1])];
    let game = play(attackers, [who(9, 99, 1, 0), who(9, 99, 1, 0)]);
    assert_eq!(game.attacks(Alice)[0], (2, 2));
}

#[test]
fn the_best_of_several_attackers_of_one_target_depends_on_its_defence() {
    let attackers = || {
        [who(50, 99, 9, 0), who(50, 99, 4, 0).talent(2, 4, 0), who(50, 99, 7, 0).talent(4, 0, 0)]
    };
    let bob = |defence| [0; 3].map(|_| who(90, 99, 1, defence));
    // Without defence 9, 8 and 7; behind 4 of it 5, 4 and 7; behind 9 of it 0, 4 and 7.
    assert_eq!(play(attackers(), bob(0)).attacks(Alice)[0], (1, 1));
    assert_eq!(play(attackers(), bob(4)).attacks(Alice)[0], (3, 1));
    let [first, second, _] = attackers();
    // Nobody takes anything from defence 20 but the second; behind 99 two equals tie.
    let game = play([first.clone(), second, first.clone()], bob(20));
    assert_eq!(game.attacks(Alice)[0], (2, 1));
    let game = play([first, who(50, 99, 1, 0), who(50, 99, 4, 0)], bob(99));
    assert_eq!(game.attacks(Alice)[0], (3, 1));
}

#[test]
fn neither_true_damage_nor_damage_is_always_better() {
    let both =
        |plain: i64, pierce: i64| [who(50, 99, plain, 0), who(50, 99, pierce, 0).talent(4, 0, 0)];
    let bob = |defence| [0; 2].map(|_| who(90, 99, 1, defence).talent(1, 0, 0));
    // Halved, 7 true damage takes 4.
    assert_eq!(play(both(6, 7), bob(0)).attacks(Alice)[0], (1, 1));
    assert_eq!(play(both(6, 7), bob(5)).attacks(Alice)[0], (2, 1));
    let [plain, pierce] = both(7, 6);
    assert_eq!(play([pierce.clone(), plain.clone()], bob(5)).attacks(Alice)[0], (1, 1));
    assert_eq!(play([pierce, plain], bob(0)).attacks(Alice)[0], (2, 1));
}

#[test]
fn the_next_in_order_is_attacked_when_the_first_is_dead() {
    let attackers = [who(50, 99, 9, 0).order([2, 1]), who(50, 99, 9, 0).order([2, 1])];
    let game = play(attackers, [who(5, 99, 1, 0), who(5, 99, 1, 0)]);
    assert_eq!(game.attacks(Alice), [(2, 2), (2, 1)]);
    assert_eq!(game.out, "2\nAlice\n49 50\n");
}

#[test]
fn a_cast_empties_the_energy_then_gives_1_and_talent_5_more() {
    let alice = who(90, 3, 1, 0).talent(5, 1, 4);
    let game = play([who(90, 20, 1, 0)], [alice]);
    let energy = game
        .events
        .iter()
        .position(|event| matches!(event, Event::Cast { player: Bob, .. }).then_some(()).is_some());
    let after = &game.events[energy.expect("a cast") + 1];
    // 1 + 4 are cut at 3.
    let gained = Event::Energy { player: Bob, character: 1, amount: 5, mp: 3, max_mp: 3 };
    assert_eq!(after, &gained);
    let game = play([who(90, 9, 1, 0).talent(5, 1, 4)], [who(90, 99, 1, 0)]);
    // Full after round 3, so the cast of round 4 leaves 5, the action's end 1, the hit 1.
    assert_eq!(game.casts(Alice)[0].0, 4);
    assert_eq!(game.standing(4)[0].mp, [7]);
}

#[test]
fn an_attack_gives_1_energy_and_talent_5_hp() {
    let game = play([who(20, 99, 1, 0).talent(5, 3, 1)], [who(90, 99, 5, 0)]);
    // Round 1: nothing to restore, then 5 are lost. Round 2: 3 are restored, 5 lost.
    assert_eq!(game.standing(1)[0].hp, [15]);
    assert_eq!(game.standing(2)[0].hp, [13]);
    assert_eq!(game.standing(1)[0].mp, [3]);
}

#[test]
fn talent_2_adds_to_normal_attacks_only() {
    let game = play([who(900, 3, 1, 0).talent(2, 100, 0).skill(2, 0, 0, 0)], [who(900, 99, 1, 0)]);
    assert_eq!(game.hits(Bob)[..3], [(1, 101), (1, 1), (1, 1)]);
}

#[test]
fn talent_4_pierces_with_normal_attacks_only() {
    let game = play([who(900, 3, 4, 0).talent(4, 0, 0).skill(8, 1, 1, 0)], [who(900, 99, 1, 5)]);
    assert_eq!(game.hits(Bob)[..2], [(1, 4), (1, 0)]);
}

#[test]
fn the_two_parts_of_a_talent_2_attack_are_one_hit() {
    let game = play([who(900, 99, 2, 0).talent(2, 3, 0)], [who(900, 99, 1, 0)]);
    // 1 for the hit, 1 for the own attack, 1 at the end of the action.
    assert_eq!(game.standing(1)[1].mp, [3]);
    assert_eq!(game.standing(1)[1].hp, [895]);
}

#[test]
fn every_living_ally_gains_energy_at_the_end_of_an_action() {
    let game = play([who(90, 99, 1, 0), who(90, 99, 1, 0)], [who(90, 99, 1, 0), who(90, 99, 1, 0)]);
    // The second attacks and the first is hit.
    assert_eq!(game.standing(1)[0].mp, [2, 2]);
    assert_eq!(game.standing(2)[0].mp, [4, 4]);
}

#[test]
fn talent_3_restores_hp_and_energy_after_each_allied_action() {
    let game = play(
        [who(90, 99, 1, 0).talent(3, 2, 7), who(90, 99, 1, 0)],
        [who(90, 99, 5, 0), who(90, 99, 5, 0)],
    );
    // The second attacks; the first gains 8 a round and 1 for the hit, and restores 2 of 5 hp.
    assert_eq!(game.standing(1)[0].mp, [9, 2]);
    assert_eq!(game.standing(1)[0].hp, [85, 90]);
    assert_eq!(game.standing(2)[0].hp, [82, 90]);
}

#[test]
fn energy_is_cut_at_its_maximum() {
    let game = play([who(90, 99, 1, 0)], [who(90, 2, 1, 0)]);
    assert_eq!(game.standing(1)[1].mp, [2]);
}

#[test]
fn a_hit_for_nothing_gives_energy() {
    let game = play([who(90, 99, 1, 0), who(90, 99, 1, 0)], [who(90, 99, 1, 7), who(90, 99, 1, 7)]);
    assert_eq!(game.hits(Bob)[0], (1, 0));
    // The first is hit, the second attacks.
    assert_eq!(game.standing(1)[1].mp, [2, 2]);
}

#[test]
fn a_dead_character_gains_nothing_and_is_no_target() {
    let game = play(
        [who(90, 99, 3, 0), who(90, 99, 3, 0)],
        [who(3, 9, 1, 0).talent(3, 5, 5), who(90, 99, 1, 0)],
    );
    assert_eq!((game.standing(1)[1].hp[0], game.standing(1)[1].mp[0]), (0, 0));
    assert_eq!(game.standing(9)[1].hp[0], 0);
    assert_eq!(game.attacks(Alice)[1], (2, 2));
}

#[test]
fn talent_1_takes_the_larger_half_of_true_damage() {
    let game = play([who(90, 99, 5, 0).talent(4, 0, 0)], [who(90, 99, 1, 9).talent(1, 0, 0)]);
    assert_eq!(game.hits(Bob)[0], (1, 3));
}

#[test]
fn talent_1_takes_damage_in_full() {
    let game = play([who(90, 99, 5, 0).talent(2, 3, 0)], [who(90, 99, 1, 1).talent(1, 0, 0)]);
    assert_eq!(game.hits(Bob)[0], (1, 4 + 2));
}

#[test]
fn nothing_is_resolved_after_the_last_death() {
    for (talent, x, y) in [(5, 10, 1), (3, 10, 1)] {
        // Bob takes 4 hp in round 1 and is dead before talents restore them in round 2.
        let game = play([who(20, 99, 5, 0).talent(talent, x, y)], [who(10, 99, 4, 0)]);
        assert_eq!(game.out, "2\nAlice\n16\n");
        assert!(matches!(game.events[game.events.len() - 2], Event::Death { .. }));
    }
}

#[test]
fn attack_is_at_least_1_and_defence_at_least_0() {
    // The bonuses are far below zero.
    let alice = who(90, 3, 2, 0).skill(6, 99, 500, 0);
    let game = play([alice], [who(90, 99, 2, 0)]);
    assert_eq!(game.hits(Alice)[..3], [(1, 2), (1, 1), (1, 1)]);
    let game = play([who(90, 3, 2, 0).skill(8, 99, 500, 0)], [who(90, 99, 1, 1)]);
    assert_eq!(game.hits(Bob)[..3], [(1, 1), (1, 1), (1, 2)]);
}

#[test]
fn the_winners_hp_stand_in_order_with_0_for_the_dead() {
    let game = play([who(2, 99, 9, 0), who(30, 99, 9, 0)], [who(9, 99, 2, 0), who(9, 99, 2, 0)]);
    assert_eq!(game.out, "2\nAlice\n0 30\n");
    let outcome = game.outcome();
    assert_eq!(outcome.metrics[..8], [30, 1, 0, 2, 0, 0, 0, 1]);
    let list = |name| &outcome.lists.iter().find(|(known, _)| *known == name).expect("a list").1;
    assert_eq!((list("alice-hp"), list("alice-attacks")), (&vec![0, 30], &vec![0, 2]));
    assert_eq!((list("bob-hp"), list("bob-attacks")), (&vec![0, 0], &vec![0, 1]));
    assert_eq!((list("alice-casts"), list("bob-casts")), (&vec![0, 0], &vec![0, 0]));
}
