//! Inputs: what is read, refused and warned of, and what the trace looks like.

use std::sync::atomic::AtomicBool;

use proptest::prelude::{ProptestConfig, any, prop, prop_assert_eq, proptest};
use serde_json::json;
use simdrop::domain::{ErrorCode, RuleSet, SimulatorId};
use simdrop::sim::thunder_bluff::{Input, ThunderBluff};
use simdrop::sim::{self, Simulator};

use super::{play_seeds, script};
use crate::vectors;

const SEEDS: &str = "1\n1 1 1 1\n";

fn read(text: &str) -> Result<sim::Reading, sim::Refused> {
    sim::read(text.as_bytes(), Some(SimulatorId::ThunderBluff))
}

/// The error code and the text of an input that is refused.
fn refused(text: &str) -> (ErrorCode, String) {
    let error = read(text).expect_err("a refusal").error;
    (error.code, error.to_string())
}

#[test]
fn the_sample_is_the_statement_s() {
    let sample = b"Bob win!\nBob: 269\nAlice: 213\nCarol: 118\nDavid: 99\n";
    for rules in RuleSet::ALL {
        assert_eq!(vectors::play(SEEDS.as_bytes(), SimulatorId::ThunderBluff, rules), sample);
    }
}

#[test]
fn an_input_is_recognised_without_a_hint() {
    let reading = sim::read(SEEDS.as_bytes(), None).expect("a valid input");
    assert_eq!(reading.input.simulator(), SimulatorId::ThunderBluff);
}

#[test]
fn each_game_has_its_own_dice() {
    let both = vectors::play(b"2\n0 0 0 0\n1 1 1 1\n", SimulatorId::ThunderBluff, RuleSet::Judge);
    let one_by_one = [[0; 4], [1; 4]].map(|seeds| play_seeds(seeds, RuleSet::Judge).out);
    assert_eq!(both, one_by_one.concat().into_bytes());
}

#[test]
fn the_rule_sets_differ_on_a_known_input() {
    let seeds = [738_980_608, 966_121_897, 1_559_989_081, 3_149_903_571];
    let [judge, statement] = RuleSet::ALL.map(|rules| play_seeds(seeds, rules).out);
    assert_eq!(judge, "Alice win!\nAlice: 306\nCarol: 188\nBob: 168\nDavid: 117\n");
    assert_eq!(statement, "Alice win!\nAlice: 277\nBob: 162\nDavid: 119\nCarol: 105\n");
}

#[test]
fn fewer_games_than_one_are_refused() {
    let (code, text) = refused("0\n");
    assert_eq!(code, ErrorCode::OutOfBounds);
    let expected = "line 1, column 1: found \"0\", expected the number of games: at least 1";
    assert_eq!(text, expected);
    assert_eq!(refused("-1\n").0, ErrorCode::OutOfBounds);
    assert_eq!(refused("0\n1 1 1 1\n").0, ErrorCode::TokenLeftOver);
}

#[test]
fn a_seed_beyond_32_bits_is_refused_at_its_place() {
    let (code, text) = refused("2\n1 1 1 1\n1 1 4294967296 -1\n");
    assert_eq!(code, ErrorCode::OutOfBounds);
    let expected = "line 3, column 5: found \"4294967296\", expected a seed: 0 to 4294967295";
    assert_eq!(text, expected);
    assert_eq!(refused("1\n1 1 1 -1\n").0, ErrorCode::OutOfBounds);
    assert!(read("1\n0 4294967295 0 0\n").is_ok());
}

#[test]
fn seeds_missing_or_left_over_are_refused() {
    assert_eq!(refused("2\n1 1 1 1\n1 1 1\n").0, ErrorCode::TokenMissing);
    assert_eq!(refused("1\n1 1 1 1\n5\n").0, ErrorCode::TokenLeftOver);
    assert_eq!(refused("9223372036854775807\n1 1 1 1\n").0, ErrorCode::TokenMissing);
}

#[test]
fn more_than_50_games_are_a_warning() {
    let warnings = |games: usize| {
        let text = format!("{games}\n{}", "1 2 3 4\n".repeat(games));
        read(&text).expect("a valid input").warnings
    };
    assert_eq!(warnings(50), []);
    let [warning] = &warnings(51)[..] else { panic!("one warning") };
    assert_eq!((warning.code.as_str(), warning.line, warning.count), ("many-games", Some(1), 1));
}

#[test]
fn a_game_that_is_not_there_is_no_panic() {
    let reading = read(SEEDS).expect("a valid input");
    let never = AtomicBool::new(false);
    for game in [1, u64::MAX] {
        assert!(reading.input.play(game, RuleSet::Judge, &never, &mut Vec::new()).is_err());
    }
    assert_eq!(ThunderBluff::games(&Input { seeds: Vec::new() }), 0);
}

#[test]
fn a_traced_game_is_the_game() {
    let reading = read(SEEDS).expect("a valid input");
    let never = AtomicBool::new(false);
    let (mut silent, mut traced) = (Vec::new(), Vec::new());
    let outcome = reading.input.play(0, RuleSet::Judge, &never, &mut silent);
    let mut places = Vec::new();
    let see = |at, _| places.push(at);
    assert_eq!(reading.input.trace(0, RuleSet::Judge, &never, &mut traced, see), outcome);
    assert_eq!(traced, silent);
    // The last step, the win, is the one with the output.
    assert_eq!(places.pop(), Some(silent.len()));
    assert!(places.iter().all(|&at| at == 0));
}

#[test]
fn steps_read_like_sentences() {
    let lines = |text| script(text).events.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(
        lines("A63 A3")[..5],
        [
            "roll 1: Alice rolls 6".to_owned(),
            "roll 1: Alice launches a piece | Alice 0 points, 3 in the hangar, 1 on Launch, 0 home"
                .to_owned(),
            "roll 2: Alice rolls 3".to_owned(),
            "roll 2: Alice moves 1 from Launch to ring 3 | \
             Alice 0 points, 3 in the hangar, 1 on ring 3, 0 home"
                .to_owned(),
            "roll 3: Bob rolls 1".to_owned(),
        ]
    );
    let sample = play_seeds([20, 11, 30, 4], RuleSet::Judge).events;
    let sample: Vec<String> = sample.iter().map(ToString::to_string).collect();
    for known in [
        "roll 30: Alice moves 1 from ring 12 to ring 30: ring 14, combo to ring 18, shortcut to \
         ring 30 (of 2 units the largest stack: 1, the nearest home of 2) | Alice 0 points,",
        "roll 31: Bob moves 1 from ring 27 to ring 47: ring 31, shortcut to ring 43, combo to \
         ring 47 (of 2 units none shoots anybody down, the nearest home of 2) | Bob 4 points,",
        "roll 28: Carol moves 1 from ring 32 to ring 40: ring 36, combo to ring 40 \
         (of 2 units the longest way: 8) | Carol 0 points,",
    ] {
        assert!(sample.iter().any(|line| line.starts_with(known)), "no {known}");
    }
    assert_eq!(
        lines("D63 D5 A663 D5 A3 D3").pop().expect("a step"),
        "roll 19: David fights with 1 on ring 3 against 2 of Alice, shoots down 1 (+5), \
         loses 1 (+2 for Alice) | Alice 5 points, 3 in the hangar, 1 on ring 3, 0 home | \
         David 6 points, 4 in the hangar, 0 home"
    );
}

#[test]
fn steps_are_tagged_json() {
    let played = script("A62");
    let seats = json!([
        {
            "score": 0,
            "hangar": 3,
            "units": [{ "on": "ring", "cell": 6, "pieces": 1 }],
            "home": 0,
        },
        { "score": 0, "hangar": 4, "units": [], "home": 0 },
        { "score": 0, "hangar": 4, "units": [], "home": 0 },
        { "score": 0, "hangar": 4, "units": [], "home": 0 },
    ]);
    let step = json!({
        "roll": 2,
        "player": 1,
        "event": "move",
        "pieces": 1,
        "from": { "on": "launch" },
        "flight": "combo",
        "via": [{ "on": "ring", "cell": 2 }],
        "to": { "on": "ring", "cell": 6 },
        "seats": seats,
    });
    assert_eq!(serde_json::to_value(played.events.last()).expect("JSON"), step);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn a_printed_input_reads_as_itself(seeds in prop::collection::vec(any::<[u32; 4]>(), 1..60)) {
        let input = sim::Input::ThunderBluff(Input { seeds });
        let reading = read(&input.to_string());
        prop_assert_eq!(reading.expect("a valid input").input, input);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
        let _ = sim::read(&bytes, Some(SimulatorId::ThunderBluff));
    }

    #[test]
    fn any_tokens_are_read_or_refused(
        games in -1_i64..4,
        tokens in prop::collection::vec("-?[0-9]{1,20}|x|\\n", 0..13),
    ) {
        let text = format!("{games} {}", tokens.join(" "));
        if let Ok(reading) = read(&text) {
            let never = AtomicBool::new(false);
            for game in 0..reading.input.games() {
                let played = reading.input.play(game, RuleSet::Judge, &never, &mut Vec::new());
                prop_assert_eq!(played.map(|outcome| outcome.winner.is_some()), Ok(true));
            }
        }
    }
}
