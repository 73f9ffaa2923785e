//! One test for each ruling, with games small enough to play by hand.

use simdrop::sim::mtj::Event;

use super::{game, play, plays, steps};

/// A ring of few values, and one of so many that nobody looks at all of them.
const RINGS: [u32; 2] = [9, 50];

/// All likes are 0.
const NO_LIKES: &[i64] = &[];

/// Turn and limit: five cards, and one more for each `lim` of favour, counted after the play.
#[test]
fn the_limit_counts_the_favour_after_the_play() {
    // 9 9 earns 20 and raises the limit to 7, so two cards are replaced by four at once, ...
    let input = game(9, 10, &[0, 0, 0, 0, 0, 0, 0, 0, 10], &[[9, 9, 1, 3, 5]], &[7, 7, 7, 7, 2]);
    // ... and 7 7 7 7 is the largest group; then the 2 makes 1 2 3 of 1 3 5.
    assert_eq!(plays(&input), ["1:9 9", "1:7 7 7 7", "1:1 2 3", "1:5"]);
}

#[test]
fn the_limit_rises_only_with_a_whole_lim() {
    let likes = &[0, 0, 0, 0, 0, 0, 0, 0, 19];
    let input = game(9, 20, likes, &[[9, 1, 3, 5, 7]], &[7, 7, 7, 7]);
    // 9 earns 19 of 20: the limit stays 5, so one 7 is drawn, and 7 7 is the largest group.
    assert_eq!(plays(&input)[..2], ["1:9", "1:7 7"]);
}

#[test]
fn a_hand_above_a_fallen_limit_is_kept() {
    // Two 9 earn 60: limit 11, so eight cards are drawn. Then 1 costs 60: the limit is 5 again, but
    // nothing is discarded and nothing is drawn until the hand is below 5.
    let likes = &[-60, 0, 0, 0, 0, 0, 0, 0, 30];
    let drawn = &[1, 1, 1, 1, 3, 3, 3, 5, 3];
    let input = game(9, 10, likes, &[[9, 9, 5, 7, 7]], drawn);
    // 9 9, then 1 1 1 1 with the limit at 5 and seven cards held: the last 3 stays in the deck.
    assert_eq!(plays(&input)[..3], ["1:9 9", "1:1 1 1 1", "1:3 3 3"]);
    // 5 5 7 7 is below 5, so now the 3 is drawn.
    assert_eq!(plays(&input)[3..], ["1:7 7", "1:5 5", "1:3"]);
}

#[test]
fn a_pass_draws_nothing() {
    // Player 2 passes while the deck has cards, and plays when it has none.
    let input = game(9, 41, NO_LIKES, &[[1, 1, 1, 4, 7], [5, 5, 5, 5, 5]], &[3, 3, 3, 3]);
    assert_eq!(plays(&input), ["1:1 1 1", "1:3 3 3", "1:7", "1:4", "2:5", "2:5 5 5 5"]);
    let draws = |step: &Event| matches!(step, Event::Draw { player: 2, .. });
    assert!(!steps(&input).iter().any(draws));
}

#[test]
fn a_lead_prefers_a_straight_to_a_larger_group() {
    let hands = &[[2, 3, 4, 4, 4], [7, 7, 7, 7, 7]];
    assert_eq!(plays(&game(9, 41, NO_LIKES, hands, &[]))[..2], ["1:2 3 4", "1:4 4"]);
}

#[test]
fn a_lead_prefers_the_longer_straight_to_the_larger_first_card() {
    let input = game(9, 10, &[0, 0, 0, 0, 30], &[[5, 5, 5, 5, 5]], &[1, 2, 3, 4, 7, 8, 9, 6, 6, 6]);
    // The draws bring 1 2 3 4 7 8 9 6 6 6 together, a run across the end: 6 7 8 9 1 2 3 4.
    assert_eq!(plays(&input), ["1:5 5 5 5 5", "1:6 7 8 9 1 2 3 4", "1:6 6"]);
    let input = game(12, 10, &[0, 0, 0, 0, 30], &[[5, 5, 5, 5, 5]], &[1, 2, 3, 4, 9, 10, 11]);
    assert_eq!(plays(&input), ["1:5 5 5 5 5", "1:1 2 3 4", "1:9 10 11"]);
}

#[test]
fn among_straights_as_long_the_larger_first_card_leads() {
    for k in RINGS {
        let likes = &[0, 0, 0, 0, 30];
        let input = game(k, 10, likes, &[[5, 5, 5, 5, 5]], &[1, 2, 3, 6, 7, 8]);
        assert_eq!(plays(&input), ["1:5 5 5 5 5", "1:6 7 8", "1:1 2 3"]);
        let input = game(k, 10, likes, &[[5, 5, 5, 5, 5]], &[2, 3, 4, 6, 7, 8]);
        assert_eq!(plays(&input), ["1:5 5 5 5 5", "1:6 7 8", "1:2 3 4"]);
    }
}

#[test]
fn among_groups_as_large_the_larger_value_leads() {
    for k in RINGS {
        let input = game(k, 41, NO_LIKES, &[[1, 1, 4, 4, 8]], &[]);
        assert_eq!(plays(&input), ["1:4 4", "1:1 1", "1:8"]);
    }
}

#[test]
fn two_cards_in_a_row_are_no_straight() {
    let input = game(9, 41, NO_LIKES, &[[1, 2, 4, 5, 8]], &[]);
    assert_eq!(plays(&input), ["1:8", "1:5", "1:4", "1:2", "1:1"]);
}

#[test]
fn a_straight_wraps_from_k_to_1() {
    for k in RINGS {
        let input = game(k, 41, NO_LIKES, &[[1, 2, k - 1, k, 5]], &[]);
        assert_eq!(plays(&input), [&format!("1:{} {k} 1 2", k - 1), "1:5"]);
    }
}

#[test]
fn a_straight_that_lost_its_middle_is_two_runs() {
    for k in RINGS {
        // 2 answers 3 with the 4 of 2 3 4 5 6, and has no straight then.
        let hands = &[[3, 1, 8, 8, 8], [2, 3, 4, 5, 6]];
        let all = plays(&game(k, 41, NO_LIKES, hands, &[]));
        assert_eq!(all, ["1:8 8 8", "1:3", "2:4", "2:6", "2:5", "2:3", "2:2"]);
        // With 7 as well, the upper part is a straight.
        let hands = &[[3, 1, 9, 9, 9], [3, 4, 5, 6, 7]];
        let all = plays(&game(k, 41, NO_LIKES, hands, &[]));
        assert_eq!(all, ["1:9 9 9", "1:3", "2:4", "2:5 6 7", "2:3"]);
    }
}

#[test]
fn a_group_that_lost_cards_is_a_smaller_group() {
    for k in RINGS {
        // 4 4 4 gives two cards to answer 3 3; then 6 6 is larger than the 4 that is left.
        let hands = &[[3, 3, 1, 9, 7], [4, 4, 4, 6, 6]];
        let all = plays(&game(k, 41, NO_LIKES, hands, &[]));
        assert_eq!(all, ["1:3 3", "2:4 4", "2:6 6", "2:4"]);
    }
}

#[test]
fn a_straight_goes_several_laps() {
    // The statement's: 4 5 6 1 2 3 4 5 6 1 2 3 of k = 6; 6 6 6 6 6 draws all of it and one 6 more.
    let drawn = &[1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 4];
    let input = game(6, 1, &[0, 0, 0, 0, 0, 2], &[[6, 6, 6, 6, 6]], drawn);
    // Two laps and one more 4, so it starts at 4.
    assert_eq!(plays(&input), ["1:6 6 6 6 6", "1:4 5 6 1 2 3 4 5 6 1 2 3 4"]);
}

#[test]
fn a_straight_goes_on_after_a_lap_of_many_values() {
    let mut likes = [0; 41];
    likes[40] = 10;
    // 41 five times raises the limit to 55; then every value is held, and 40, 41 and 1 twice.
    let drawn: Vec<u32> = (1..=41).chain([40, 41, 1]).collect();
    let all = plays(&game(41, 1, &likes, &[[41; 5]], &drawn));
    let values = (40..=41).chain(1..=41).chain([1]);
    let straight: Vec<String> = values.map(|value| value.to_string()).collect();
    assert_eq!(all, ["1:41 41 41 41 41".to_owned(), format!("1:{}", straight.join(" "))]);
}

#[test]
fn whole_laps_start_at_the_largest_value() {
    let input = game(3, 41, NO_LIKES, &[[1, 2, 3, 1, 2]], &[3]);
    // Five cards: one lap, then 1 2 once more. The 3 comes after it, alone.
    assert_eq!(plays(&input), ["1:1 2 3 1 2", "1:3"]);
    let input = game(5, 41, NO_LIKES, &[[1, 2, 3, 4, 5]], &[]);
    assert_eq!(plays(&input), ["1:5 1 2 3 4"]);
}

#[test]
fn one_two_one_is_a_straight_if_k_is_2() {
    assert_eq!(plays(&game(2, 41, NO_LIKES, &[[1, 1, 2, 1, 1]], &[])), ["1:1 2 1", "1:1 1"]);
    // 2 2 1 1 has two laps, and the third 2 goes on.
    assert_eq!(plays(&game(2, 41, NO_LIKES, &[[2, 2, 1, 1, 2]], &[])), ["1:2 1 2 1 2"]);
}

#[test]
fn one_value_makes_groups_and_straights_alike() {
    let (out, outcome) = play(&game(1, 41, NO_LIKES, &[[1; 5], [1; 5]], &[1]));
    // Player 1 puts down five cards and draws the last; player 2 answers with five and wins.
    assert_eq!(out, "1:1 1 1 1 1 \n2:1 1 1 1 1 \n2 is winner!\n1:(1) 1 \n2:(0) \n0 0 \n");
    assert_eq!(outcome.winner, Some(2));
    assert_eq!(plays(&game(1, 41, NO_LIKES, &[[1; 5]], &[1, 1])), ["1:1 1 1 1 1", "1:1 1"]);
}

#[test]
fn an_answer_has_as_many_cards_one_point_higher() {
    // 4 4: player 2 has 6 6 6 and 5; player 3 answers 5 5.
    let hands = &[[4, 4, 1, 8, 2], [6, 6, 6, 5, 1], [5, 5, 5, 1, 3]];
    assert_eq!(plays(&game(9, 41, NO_LIKES, hands, &[]))[..2], ["1:4 4", "3:5 5"]);
}

#[test]
fn fewer_cards_are_no_answer() {
    for k in RINGS {
        let hands = &[[4, 4, 4, 1, 8], [5, 5, 3, 3, 7]];
        assert_eq!(plays(&game(k, 41, NO_LIKES, hands, &[]))[..2], ["1:4 4 4", "1:8"]);
    }
}

#[test]
fn the_next_who_can_answers_however_far_away() {
    for players in [2, 64, 65, 256, 257, 300, 1000, 2000] {
        // The last five players can answer 4 4 4 (or all others, if they are fewer).
        let mut hands = vec![[7, 7, 7, 9, 9]; players];
        hands[0] = [1, 4, 4, 4, 6];
        let nearest = players.saturating_sub(5).max(1);
        hands[nearest..].fill([5, 5, 5, 8, 8]);
        let input = game(9, 41, NO_LIKES, &hands, &[]);
        assert_eq!(plays(&input)[..2], ["1:4 4 4".to_owned(), format!("{}:5 5 5", nearest + 1)]);
    }
}

#[test]
fn a_group_that_lost_cards_between_two_leads_is_a_smaller_group() {
    // 31 31 raises the limit to 7, so 2 draws 7 7 7 40 and leads; then it answers 3 with one of
    // 4 4 4, and leads 4 4.
    let mut likes = [0; 50];
    likes[30] = 10;
    let hands = &[[30, 30, 8, 3, 1], [31, 31, 4, 4, 4]];
    let all = plays(&game(50, 10, &likes, hands, &[8, 8, 7, 7, 7, 40]));
    let wanted = ["1:30 30", "2:31 31", "2:7 7 7", "1:8 8 8", "1:3", "2:4", "2:4 4", "2:40"];
    assert_eq!(all, wanted);
}

#[test]
fn one_answers_k() {
    let hands = &[[9, 9, 1, 3, 5], [1, 1, 4, 6, 8]];
    assert_eq!(plays(&game(9, 41, NO_LIKES, hands, &[]))[..2], ["1:9 9", "2:1 1"]);
    // A straight that starts at k is answered by one that starts at 1.
    let hands = &[[9, 1, 2, 4, 6], [1, 2, 3, 5, 7]];
    assert_eq!(plays(&game(9, 41, NO_LIKES, hands, &[]))[..2], ["1:9 1 2", "2:1 2 3"]);
}

#[test]
fn an_answer_may_need_rare_and_common_values() {
    // Among 1000 players 2 and 3 are common, also with the first; 4 has the last only, or the last
    // five.
    for (common, rare) in [(500, 999), (995, 995)] {
        let mut hands = vec![[7, 7, 7, 9, 9]; 1000];
        hands[0] = [1, 2, 2, 3, 3];
        hands[common..].fill([2, 2, 3, 3, 9]);
        hands[rare..].fill([2, 3, 4, 8, 8]);
        let input = game(9, 41, NO_LIKES, &hands, &[]);
        assert_eq!(plays(&input)[..2], ["1:1 2 3".to_owned(), format!("{}:2 3 4", rare + 1)]);
    }
}

#[test]
fn groups_do_not_answer_straights() {
    // 1 2 3 is not answered by 2 2 2, nor 3 3 3 by 4 5 6.
    let hands = &[[1, 2, 3, 6, 8], [2, 2, 2, 6, 9]];
    assert_eq!(plays(&game(9, 41, NO_LIKES, hands, &[]))[..2], ["1:1 2 3", "1:8"]);
    let hands = &[[3, 3, 3, 1, 8], [4, 5, 6, 1, 9]];
    assert_eq!(plays(&game(9, 41, NO_LIKES, hands, &[]))[..2], ["1:3 3 3", "1:8"]);
}

#[test]
fn who_can_answer_must_even_by_breaking_more() {
    // 8 breaks 9 9 9 9; 2 3 4 breaks 2 3 4 5 6.
    let hands = &[[8, 6, 4, 2, 1], [9, 9, 9, 9, 5]];
    assert_eq!(plays(&game(10, 41, NO_LIKES, hands, &[]))[..2], ["1:8", "2:9"]);
    let hands = &[[1, 2, 3, 6, 8], [3, 2, 5, 4, 6]];
    assert_eq!(plays(&game(9, 41, NO_LIKES, hands, &[]))[..2], ["1:1 2 3", "2:2 3 4"]);
}

#[test]
fn a_straight_of_laps_needs_each_value_often_enough() {
    // 1 2 3 1 needs 2 3 1 2 as an answer: player 2 has 2 only once, player 3 twice.
    let hands = &[[1, 1, 2, 3, 1], [2, 3, 3, 1, 1], [2, 2, 3, 1, 1]];
    let all = plays(&game(3, 41, NO_LIKES, hands, &[]));
    assert_eq!(all[..2], ["1:1 2 3 1", "3:2 3 1 2"]);
}

#[test]
fn the_last_one_who_played_leads_also_after_an_answer() {
    // 2 answers 3 with 4; nobody has a 5, so 2 leads and not 1.
    let hands = &[[3, 1, 1, 1, 9], [4, 8, 8, 6, 6], [7, 9, 9, 1, 1]];
    let all = plays(&game(9, 41, NO_LIKES, hands, &[]));
    // 1 leads 1 1 1 first, as the larger group; then 9, which nobody answers with 1 but player 3.
    assert_eq!(all[..4], ["1:1 1 1", "1:9", "3:1", "3:9 9"]);
    assert_eq!(all[4], "3:7");
    assert_eq!(all[5], "2:8");
    assert_eq!(all[6], "2:6 6");
}

#[test]
fn a_negative_favour_is_printed_and_keeps_the_limit_at_5() {
    let likes = &[-7, -7, -7, -7, -7, -7, -7, -7, -7];
    let (out, outcome) = play(&game(9, 1, likes, &[[2, 4, 6, 8, 1]], &[3]));
    // 8; draws the 3. 1 2 3 4 and 6 follow: six cards at -7.
    assert_eq!(out, "1:8 \n1:1 2 3 4 \n1:6 \n1 is winner!\n1:(0) \n-42 \n");
    assert_eq!(outcome.lists[0], ("favours", vec![-42]));
}

#[test]
fn the_winning_play_counts() {
    let (out, _) = play(&game(9, 1000, &[0, 0, 0, 0, 10], &[[5, 5, 5, 5, 5]], &[]));
    assert_eq!(out, "1:5 5 5 5 5 \n1 is winner!\n1:(0) \n50 \n");
}

#[test]
fn an_empty_hand_with_cards_in_the_deck_draws() {
    let hands = &[[5, 5, 5, 5, 5], [1, 1, 3, 3, 8]];
    assert_eq!(plays(&game(9, 41, NO_LIKES, hands, &[7])), ["1:5 5 5 5 5", "1:7",]);
}

#[test]
fn nobody_has_won_by_the_deal() {
    // The deck is empty at once, but so is no hand. Nobody answers 9 and 7; 6 answers 5.
    let input = game(9, 41, NO_LIKES, &[[1, 3, 5, 7, 9], [2, 2, 6, 6, 4]], &[]);
    assert_eq!(plays(&input), ["1:9", "1:7", "1:5", "2:6", "2:2 2", "2:6", "2:4"]);
}

#[test]
fn the_last_card_of_the_input_is_drawn_first_and_in_turn() {
    // From the end: 1 to player 1, 2 to player 2, 3 to player 1, and so on.
    let (out, _) = play("2 10 10 41\n0 0 0 0 0 0 0 0 0 0\n10 9 8 7 6 5 4 3 2 1\n");
    assert!(out.starts_with("1:9 \n2:10 \n"), "{out}");
}

#[test]
fn passes_are_many_and_cheap() {
    // Nobody but the first has what can be played, so all others pass each time.
    for players in [256, 20_000] {
        let mut hands = vec![[5, 5, 5, 5, 5]; players];
        hands[0] = [1, 1, 1, 1, 1];
        let drawn: Vec<u32> = (0..40_000).map(|at| if at % 2 == 0 { 1 } else { 7 }).collect();
        let (_, outcome) = play(&game(9, 41, NO_LIKES, &hands, &drawn));
        let passes = outcome.metrics[2];
        assert!(passes > 10_000 * i64::try_from(players).expect("small"), "{passes}");
    }
}
