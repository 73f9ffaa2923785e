//! The rulings 1 to 9, each in games with given dice.

use std::sync::atomic::AtomicBool;

use simdrop::domain::RuleSet;
use simdrop::sim::thunder_bluff::{Action, Battle, Flight, Home, Input, Spot, ThunderBluff};
use simdrop::sim::{Budget, Silent, Simulator, Stop};

use super::{ALICE, BOB, CAROL, DAVID, die, on, play_seeds, script};

/// Alice's way to ring 49, one cell before her stretch, without a launch of another piece:
/// ring 3, 8, 13, by the shortcut to 34, 39, 44, 49.
const TO_49: &str = "A63 A5 A5 A5 A5 A5 A5";

#[test]
fn the_first_move_goes_to_the_first_cell_plus_the_roll_less_one() {
    for (player, letter, first) in [(0, 'A', 1), (1, 'B', 14), (2, 'C', 27), (3, 'D', 40)] {
        for (roll, beyond) in [(1, 0), (3, 2), (4, 3), (5, 4)] {
            let played = script(&format!("{letter}6{roll}"));
            assert_eq!(played.seat(player).units, [on(Spot::Ring(first + beyond), 1)]);
        }
    }
}

#[test]
fn the_outermost_stretch_cell_turns_a_piece_in() {
    let units = |roll| script(&format!("{TO_49} A{roll}")).seat(ALICE).units.clone();
    assert_eq!(units(1), [on(Spot::Stretch(0), 1)]);
    assert_eq!(units(4), [on(Spot::Stretch(3), 1)]);
}

#[test]
fn the_ring_goes_on_after_cell_52() {
    // David's ring 40, 44, 49, and by the combo 53, that is 1.
    assert_eq!(script("D61 D4 D5").seat(DAVID).units, [on(Spot::Ring(1), 1)]);
}

#[test]
fn overshooting_home_bounces() {
    // Stretch 4 and five steps: 5, home, 5, 4, 3.
    let played = script(&format!("{TO_49} A5 A5"));
    let moved = Action::Move {
        pieces: 1,
        from: Spot::Stretch(4),
        flight: Flight::Bounce,
        to: Spot::Stretch(3),
    };
    assert_eq!(*played.last(), moved);
}

#[test]
fn an_own_colour_is_a_combo_of_four_cells_and_no_second_one() {
    // Ring 2 is yellow, and so is 6.
    let played = script("A62");
    let to = Spot::Ring(6);
    let moved = Action::Move { pieces: 1, from: Spot::Launch, flight: Flight::Combo, to };
    assert_eq!(*played.last(), moved);
}

#[test]
fn another_colour_is_no_combo() {
    // Ring 14 is yellow, and Bob's first cell.
    assert_eq!(script("B61").seat(BOB).units, [on(Spot::Ring(14), 1)]);
}

#[test]
fn the_own_jump_point_leads_by_the_shortcut_to_one_combo() {
    // Alice's jump point 18 leads to 30, and the combo to 34.
    let played = script("A63 A5 A5 A5");
    let (from, to) = (Spot::Ring(13), Spot::Ring(34));
    let moved = Action::Move { pieces: 1, from, flight: Flight::ShortcutCombo, to };
    assert_eq!(*played.last(), moved);
}

#[test]
fn a_combo_onto_the_jump_point_takes_the_shortcut_and_stays() {
    // Ring 14, by the combo 18, by the shortcut 30, which is yellow, too.
    let played = script("A63 A5 A5 A1");
    let (from, to) = (Spot::Ring(13), Spot::Ring(30));
    let moved = Action::Move { pieces: 1, from, flight: Flight::ComboShortcut, to };
    assert_eq!(*played.last(), moved);
}

#[test]
fn a_combo_onto_the_outermost_stretch_cell_enters_the_stretch() {
    // Ring 44, two steps to 46, and the combo.
    let played = script("A63 A5 A5 A5 A5 A5 A2");
    assert_eq!(played.seat(ALICE).units, [on(Spot::Stretch(0), 1)]);
}

#[test]
fn the_own_outermost_stretch_cell_is_no_combo() {
    assert_eq!(script(&format!("{TO_49} A1")).seat(ALICE).units, [on(Spot::Stretch(0), 1)]);
}

#[test]
fn nothing_is_hit_on_the_way() {
    // Bob stands on Alice's jump point 18, and she flies over it.
    let played = script("A63 A5 A5 B65 A5");
    assert_eq!(played.seat(ALICE).units, [on(Spot::Ring(34), 1)]);
    assert_eq!(played.seat(BOB).units, [on(Spot::Ring(18), 1)]);
    assert_eq!(played.battles(), []);
}

#[test]
fn pieces_on_one_cell_move_together() {
    let stacked = script("A663 A3");
    assert_eq!(stacked.seat(ALICE).units, [on(Spot::Ring(3), 2)]);
    let moved = script("A663 A3 A5");
    assert_eq!(moved.seat(ALICE).units, [on(Spot::Ring(8), 2)]);
}

#[test]
fn pieces_on_a_stretch_cell_move_together() {
    // Two pieces as one unit to ring 49, stretch 0 and stretch 4.
    let played = script("A663 A3 A5 A5 A5 A5 A5 A5 A1 A4");
    assert_eq!(played.seat(ALICE).units, [on(Spot::Stretch(4), 2)]);
}

#[test]
fn pieces_on_launch_move_one_by_one() {
    let units = [on(Spot::Launch, 2), on(Spot::Ring(1), 1)];
    assert_eq!(script("A6661").seat(ALICE).units, units);
}

/// The battle that a script ends with: arrive, stand, lost by the defender, lost by the attacker.
fn battle(text: &str) -> [u8; 4] {
    let battle = script(text).battles().pop().expect("a battle");
    let Battle { arrive, stand, defenders_lost, attackers_lost, .. } = battle;
    assert_eq!(battle.attacker_points, 5 * i64::from(defenders_lost));
    assert_eq!(battle.defender_points, 2 * i64::from(attackers_lost));
    [arrive, stand, defenders_lost, attackers_lost]
}

#[test]
fn one_attacker_shoots_down_one_defender() {
    // Bob's ring 17 is Alice's, too.
    let text = "A63 A5 A5 B64 A4";
    assert_eq!(battle(text), [1, 1, 1, 0]);
    let played = script(text);
    assert_eq!(played.seat(ALICE).units, [on(Spot::Ring(17), 1)]);
    assert_eq!((played.seat(BOB).hangar, played.seat(BOB).units.len()), (4, 0));
    // Alice's streak of two fives is worth 1, Bob has none.
    assert_eq!((played.seat(ALICE).score, played.seat(BOB).score), (5 + 1, 0));
}

#[test]
fn min_a_d_defenders_and_min_a_d_less_1_attackers_are_shot_down() {
    // Alice's pieces are on ring 3, 16 cells from David's Launch; his way there is 3, 8, 13 and 16.
    assert_eq!(battle("D63 D5 D5 A63 D3"), [1, 1, 1, 0]);
    assert_eq!(battle("D63 D5 A663 D5 A3 D3"), [1, 2, 1, 1]);
    assert_eq!(battle("D663 D3 D5 D5 A63 D3"), [2, 1, 1, 0]);
    assert_eq!(battle("D663 D3 D5 A663 D5 A3 D3"), [2, 2, 2, 1]);
    assert_eq!(battle("D663 D3 A6663 D5 A3 D5 A3 D3"), [2, 3, 2, 2]);
}

#[test]
fn the_survivors_of_a_battle_stay_on_the_cell() {
    let played = script("D663 D3 D5 A663 D5 A3 D3");
    assert_eq!(played.seat(DAVID).units, [on(Spot::Ring(3), 1)]);
    assert_eq!((played.seat(ALICE).hangar, played.seat(DAVID).hangar), (4, 3));
    let played = script("D663 D3 A6663 D5 A3 D5 A3 D3");
    assert_eq!(played.seat(ALICE).units, [on(Spot::Ring(3), 1)]);
    assert_eq!((played.seat(ALICE).hangar, played.seat(DAVID).hangar), (3, 4));
}

#[test]
fn a_piece_on_its_outermost_stretch_cell_is_out_of_the_ring() {
    // Ring 50 is Alice's stretch 0. First she is there and David arrives, then the other way round.
    let she_first = script("A63 A5 A5 A5 A5 A5 D63 A5 D5 A1 D3");
    let he_first = script("A63 A5 A5 A5 A5 D63 A5 D5 A5 D3 A1");
    for played in [she_first, he_first] {
        assert_eq!(played.seat(ALICE).units, [on(Spot::Stretch(0), 1)]);
        assert_eq!(played.seat(DAVID).units, [on(Spot::Ring(50), 1)]);
        assert_eq!(played.battles(), []);
    }
}

#[test]
fn each_piece_that_comes_home_earns_5_points_for_each_piece_of_the_others_not_home() {
    let one = script(&format!("{TO_49} A5 A2"));
    assert_eq!(*one.last(), Action::Home(Home { pieces: 1, others: 12, points: 60 }));
    // Seven fives in a row are worth 36 more.
    assert_eq!((one.seat(ALICE).score, one.seat(ALICE).home), (60 + 36, 1));
    let two = script("A663 A3 A5 A5 A5 A5 A5 A5 A5 A2");
    assert_eq!(*two.last(), Action::Home(Home { pieces: 2, others: 12, points: 120 }));
    assert_eq!(two.seat(ALICE).home, 2);
}

#[test]
fn a_six_launches_a_piece_and_another_roll_follows() {
    let alice = script("A6666");
    assert_eq!(
        (alice.seat(ALICE).hangar, &alice.seat(ALICE).units[..]),
        (0, &[on(Spot::Launch, 4)][..])
    );
    // There is no choice: the piece on the ring stays.
    let units = [on(Spot::Launch, 1), on(Spot::Ring(3), 1)];
    assert_eq!(script("A63 A6").seat(ALICE).units, units);
}

#[test]
fn a_six_is_a_move_with_an_empty_hangar_and_another_roll_follows() {
    // From Launch six cells to ring 6, by the combo to 10, and one cell more.
    let units = [on(Spot::Launch, 3), on(Spot::Ring(11), 1)];
    assert_eq!(script("A666661").seat(ALICE).units, units);
}

#[test]
fn the_tenth_skip_in_a_row_puts_a_piece_on_launch() {
    let nine = script("D1 D2 D1 D2 D1 D2 D1 D2 D1");
    assert_eq!(*nine.last(), Action::Skip { in_a_row: 9 });
    let ten = script("D1 D2 D1 D2 D1 D2 D1 D2 D1 D2");
    assert_eq!(*ten.last(), Action::PityLaunch);
    for player in [ALICE, BOB, CAROL, DAVID] {
        assert_eq!(ten.seat(player).units, [on(Spot::Launch, 1)]);
        assert_eq!(ten.seat(player).hangar, 3);
    }
}

#[test]
fn a_launch_ends_the_skips_in_a_row() {
    // Bob skips twice, launches, loses the piece to Alice, and skips again.
    let played = script("A63 A5 A5 B64 A4 B1");
    assert_eq!(*played.last(), Action::Skip { in_a_row: 1 });
}

#[test]
fn the_skips_count_from_one_after_the_tenth() {
    // Bob skips ten times; his piece of pity moves to ring 17, where Alice comes from 13; he skips.
    let played = script("A1 A2 A1 A2 A1 A2 A1 A2 A63 A5 A5 B4 A4 B1");
    assert_eq!(*played.last(), Action::Skip { in_a_row: 1 });
    assert_eq!(played.battles().len(), 1);
}

#[test]
fn a_unit_shot_down_by_moving_a_six_leaves_a_skip() {
    let skip_after_six = |seeds| {
        let rolls = play_seeds(seeds, RuleSet::Judge).events;
        let rolls: Vec<_> = rolls
            .iter()
            .filter(|event| !matches!(event.action, Action::Move { .. } | Action::Battle(_)))
            .collect();
        rolls.windows(3).any(|three| {
            matches!(three[0].action, Action::Roll { die: 6, .. })
                && matches!(three[2].action, Action::Skip { .. })
                && three[0].player == three[2].player
        })
    };
    assert!(skip_after_six([1_077_270_908, 3_859_499_069, 3_307_043_158, 615_378_813]));
}

#[test]
fn y_equal_rolls_of_x_in_a_row_earn_6_less_x_times_the_square_of_y_less_1() {
    let score = |text| script(text).seat(ALICE).score;
    assert_eq!(score("A3 A3"), 3);
    assert_eq!(score("A3 A3 A3"), 3 * 4);
    assert_eq!(score("A1 A1 A1 A1"), 5 * 9);
    assert_eq!(score("A3 A3 A2 A3 A3"), 3 + 3);
    assert_eq!(score("A66"), 0);
}

#[test]
fn a_streak_is_over_the_players_own_rolls_with_bonus_rolls() {
    let score = |text| script(text).seat(ALICE).score;
    assert_eq!(score("A3 B3 C3 D3 A3 B3 C3 D3"), 3);
    assert_eq!(score("A63 A3"), 3);
    assert_eq!(score("A63 A63"), 0);
}

#[test]
fn the_winner_gets_50_more() {
    let played = play_seeds([1; 4], RuleSet::Judge);
    let [.., before, end] = &played.events[..] else { panic!("a short game") };
    assert_eq!((end.player, &end.action), (2, &Action::Win { points: 50 }));
    assert_eq!(end.seats[BOB].score, before.seats[BOB].score + 50);
    assert_eq!(played.outcome.expect("an end").winner, Some(2));
}

#[test]
fn scores_are_printed_from_high_to_low_and_ties_by_name() {
    let played = play_seeds([11, 11, 7, 17], RuleSet::Judge);
    assert_eq!(played.out, "Alice win!\nAlice: 236\nCarol: 159\nDavid: 159\nBob: 106\n");
}

#[test]
fn dice_of_ones_for_ever_end_after_541_rolls() {
    let played = play_seeds([0; 4], RuleSet::Judge);
    let outcome = played.outcome.expect("an end");
    assert_eq!((outcome.winner, outcome.length), (Some(1), Some(541)));
    assert_eq!(outcome.metrics[0], 91325);
    assert!(played.out.starts_with("Alice win!\nAlice: 91325\nBob: "));
}

#[test]
fn a_game_over_the_step_limit_is_undecided() {
    let input = Input { seeds: vec![[0; 4]] };
    let never = AtomicBool::new(false);
    let play = |rolls| {
        let (budget, out) = (&mut Budget::new(rolls, &never), &mut Vec::new());
        ThunderBluff::play(&input, 0, RuleSet::Judge, &mut Silent, budget, out)
    };
    assert_eq!(play(540), Err(Stop::Undecided));
    assert!(play(541).is_ok());
    assert_eq!(ThunderBluff::STEP_LIMIT, 1_000_000);
}

#[test]
fn a_game_that_never_ends_stops_at_the_step_limit() {
    // Everybody launches a piece, which comes to stretch 4 with fives, then bounces to 3 and back.
    let dice = [6, 3, 6, 3, 6, 3, 6, 3].into_iter().chain(std::iter::repeat(5)).map(die);
    let never = AtomicBool::new(false);
    let outcome =
        ThunderBluff::play_dice(dice, RuleSet::Judge, &mut Silent, &never, &mut Vec::new());
    assert_eq!(outcome, Err(Stop::Undecided));
}
