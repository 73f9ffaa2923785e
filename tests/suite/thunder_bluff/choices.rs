//! How the players choose, in games with given dice.

use simdrop::domain::RuleSet;
use simdrop::sim::thunder_bluff::Spot;

use super::{ALICE, BOB, CAROL, DAVID, on, script, script_by};

#[test]
fn alice_lets_a_piece_from_launch_join_her_unit() {
    assert_eq!(script("A663 A3").seat(ALICE).units, [on(Spot::Ring(3), 2)]);
    // By the combo from ring 2.
    assert_eq!(script("A662 A2").seat(ALICE).units, [on(Spot::Ring(6), 2)]);
}

#[test]
fn a_piece_on_launch_counts_1_for_alice_and_ties_go_to_the_nearest() {
    let units = [on(Spot::Launch, 1), on(Spot::Ring(8), 1)];
    assert_eq!(script("A663 A5").seat(ALICE).units, units);
}

#[test]
fn alice_prefers_a_bigger_unit_to_a_piece_on_launch() {
    let units = [on(Spot::Launch, 1), on(Spot::Ring(8), 2)];
    assert_eq!(script("A6663 A3 A5").seat(ALICE).units, units);
}

/// Alice comes to ring 17; Bob has a piece on 16 and one on Launch, four cells before hers.
const ALICE_BEFORE_BOBS_LAUNCH: &str = "A63 A5 A5 B663 A4 B4";

#[test]
fn a_piece_on_launch_counts_nothing_for_bob() {
    let played = script(ALICE_BEFORE_BOBS_LAUNCH);
    assert_eq!(played.battles(), []);
    assert_eq!(played.seat(BOB).units, [on(Spot::Launch, 1), on(Spot::Ring(20), 1)]);
}

#[test]
fn a_piece_on_launch_counts_1_for_bob_by_the_statement() {
    let played = script_by(RuleSet::Statement, ALICE_BEFORE_BOBS_LAUNCH);
    assert_eq!(played.battles().len(), 1);
    assert_eq!(played.seat(BOB).units, [on(Spot::Ring(16), 1), on(Spot::Ring(17), 1)]);
}

#[test]
fn bob_moves_the_nearest_if_nothing_shoots() {
    for rules in RuleSet::ALL {
        let played = script_by(rules, "B663 B1");
        assert_eq!(played.seat(BOB).units, [on(Spot::Launch, 1), on(Spot::Ring(17), 1)]);
    }
}

#[test]
fn carol_maximises_the_distance_with_jumps() {
    // From Launch two cells and a combo are six; from ring 29 two cells are two.
    let units = [on(Spot::Ring(29), 1), on(Spot::Ring(32), 1)];
    assert_eq!(script("C663 C2").seat(CAROL).units, units);
}

#[test]
fn carol_moves_the_nearest_of_equals() {
    let units = [on(Spot::Launch, 1), on(Spot::Ring(34), 1)];
    assert_eq!(script("C663 C5").seat(CAROL).units, units);
}

#[test]
fn a_bounce_is_a_negative_distance_for_carol() {
    // Her piece on stretch 4 would bounce one cell back, so the one on Launch goes five.
    let units = [on(Spot::Ring(31), 1), on(Spot::Stretch(4), 1)];
    assert_eq!(script("C63 C5 C5 C5 C5 C5 C5 C5 C65").seat(CAROL).units, units);
}

#[test]
fn david_moves_the_piece_farthest_from_home() {
    let units = [on(Spot::Ring(40), 1), on(Spot::Ring(42), 1)];
    assert_eq!(script("D663 D1").seat(DAVID).units, units);
    let units = [on(Spot::Ring(42), 1), on(Spot::Ring(44), 1)];
    assert_eq!(script("D663 D1 D4").seat(DAVID).units, units);
}
