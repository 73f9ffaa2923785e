use jiff::Timestamp;
use jiff::tz::TimeZone;
use proptest::prelude::*;

use super::{KEYS, QueryError, keys, parse, shield};
use crate::domain::{Ending, RuleSet, RunState, SimulatorId, TimestampUs, Verdict};
use crate::store::{Bound, Column, Relation, Term, Test};

fn read(text: &str) -> Result<Vec<Term>, QueryError> {
    let now = Timestamp::from_second(1_000_000_000).expect("a moment");
    Ok(parse(text, now, &TimeZone::UTC)?.terms)
}

/// A query of one term that is not negated.
fn one(text: &str) -> Test {
    let mut terms = read(text).expect(text);
    let term = terms.pop().expect(text);
    assert!(terms.is_empty() && !term.negated, "{text}");
    term.test
}

fn message(text: &str) -> String {
    let error = read(text).expect_err(text);
    let [line, pointer] = error.lines();
    assert_eq!(line, format!("  {text}"));
    assert_eq!(pointer.len(), error.column() + 2, "{error}");
    error.to_string()
}

#[test]
fn each_key_is_a_test() {
    let bound = |relation, than| Bound { relation, than };
    for (text, test) in [
        ("run:12", Test::Run(bound(Relation::Equal, 12))),
        ("run>=12", Test::Run(bound(Relation::AtLeast, 12))),
        ("state:taking-in", Test::State(RunState::TakingIn)),
        ("label:week", Test::Label("week".to_owned())),
        ("tag:k", Test::Tag("k".to_owned(), None)),
        ("tag:k=v=w", Test::Tag("k".to_owned(), Some("v=w".to_owned()))),
        ("since:2h", Test::Since(TimestampUs(999_992_800_000_000))),
        ("until:2001-09-09", Test::Until(TimestampUs(999_993_600_000_000))),
        ("since:2001-09-09 00:30", Test::Since(TimestampUs(999_995_400_000_000))),
        ("took>1.5ms", Test::Took(bound(Relation::More, 1_500))),
        ("took<=2 s", Test::Took(bound(Relation::AtMost, 2_000_000))),
        ("sim:MTJ", Test::Simulator(SimulatorId::Mtj)),
        ("rules:statement", Test::Rules(RuleSet::Statement)),
        ("verdict:WA", Test::Verdict(vec![Verdict::Wa])),
        ("verdict:wa, CRASH", Test::Verdict(vec![Verdict::Wa, Verdict::Crash])),
        ("cached", Test::Cached),
        ("cached:yes", Test::Cached),
        ("name:big/*", Test::Name("big/*".to_owned())),
        ("ending:endless", Test::Ending(Ending::Endless)),
    ] {
        assert_eq!(one(text), test, "{text}");
    }
    assert_eq!(one("cases>1,000"), Test::Cases(Bound { relation: Relation::More, than: 1_000 }));
    assert_eq!(one("games=2k"), Test::Games(Bound { relation: Relation::Equal, than: 2_000 }));
    assert_eq!(one("input<1MiB"), Test::Input(Bound { relation: Relation::Less, than: 1 << 20 }));
}

#[test]
fn winners_and_numbers_of_games_are_those_of_the_simulators_that_have_them() {
    let [stellar, thunder, mtj] =
        [SimulatorId::StellarConnect, SimulatorId::ThunderBluff, SimulatorId::Mtj];
    assert_eq!(one("winner:bob"), Test::Winner(vec![(stellar, 2), (thunder, 2)]));
    assert_eq!(one("winner:Carol"), Test::Winner(vec![(thunder, 3)]));
    let Test::Winner(third) = one("winner:3") else { panic!("no winner") };
    assert!(third.contains(&(mtj, 3)) && third.contains(&(thunder, 3)));
    let more = Bound { relation: Relation::More, than: 1_000 };
    assert_eq!(one("rounds>1000"), Test::Value(vec![(stellar, Column::Length)], more));
    assert_eq!(one("battles>1k"), Test::Value(vec![(thunder, Column::Metric(4))], more));
    let Test::Value(all, _) = one("length>1000") else { panic!("no value") };
    assert_eq!(all.len(), SimulatorId::ALL.len());
}

#[test]
fn terms_are_negated_by_a_dash_and_values_end_before_the_next_term() {
    let terms =
        read("  sim:mtj -verdict:WA -cached cached:no  label:week 3 of  5  took>2s").expect("one");
    let negated: Vec<bool> = terms.iter().map(|term| term.negated).collect();
    assert_eq!(negated, [false, true, true, true, false, false]);
    assert_eq!(terms[4].test, Test::Label("week 3 of  5".to_owned()));
    assert_eq!(read(""), Ok(Vec::new()));
}

#[test]
fn quotes_keep_everything() {
    for (text, label) in [
        ("label:\"week 3\"", "week 3"),
        ("label:\"sim:mtj -cached\"", "sim:mtj -cached"),
        ("label:\"say \\\"x\\\" \\\\ y\"", "say \"x\" \\ y"),
        ("label:a\" b:c \"d", "a b:c d"),
        ("label:\"\"", ""),
    ] {
        assert_eq!(one(text), Test::Label(label.to_owned()), "{text}");
    }
    assert_eq!(one("tag:k=\"v w\""), Test::Tag("k".to_owned(), Some("v w".to_owned())));
}

#[test]
fn an_error_points_at_the_column_and_says_what_was_expected() {
    for (text, wanted) in [
        ("simm:mtj", "column 1: unknown key \"simm\"; did you mean sim?"),
        ("-verdit:WA", "column 2: unknown key \"verdit\"; did you mean verdict?"),
        ("sim:mtj rouds>3", "column 9: unknown key \"rouds\"; did you mean rounds?"),
        (
            "sim:mtk",
            "column 5: unknown simulator \"mtk\"; known: stellar-connect, thunder-bluff, mtj",
        ),
        (
            "verdict:WA,AX",
            "column 9: unknown verdict \"AX\"; known: AC, PE, WA, NOREF, BADIN, LIMIT, CRASH, CANCELLED; did you mean AC?",
        ),
        (
            "winner:Bib",
            "column 8: expected the name or the number of a player, not \"Bib\"; did you mean Bob?",
        ),
        ("took>2", "column 6: a number needs a unit: us, µs, ms, s, min, m, h"),
        ("cases>-1", "column 7: expected a number that is not negative"),
        ("label>x", "column 7: label is not a number: write label:x"),
        ("sim:", "column 5: sim has no value"),
        ("label: week", "column 7: label has no value"),
        ("label:\"x", "column 7: a quote that does not end"),
        (
            "since:whenever",
            "column 7: expected a moment: 2h, 7d or 3w ago, today, yesterday, 2026-10-25, ",
        ),
        ("WA", "column 1: expected a term: did you mean verdict:WA?"),
        ("mtj", "column 1: expected a term: did you mean sim:mtj?"),
        ("everything", "column 1: expected a term such as sim:mtj or took>2s, not \"everything\""),
        ("cached:maybe", "column 8: expected yes or no"),
        ("cached -", "column 8: expected a term such as sim:mtj or took>2s, not \"-\""),
    ] {
        let message = message(text);
        assert!(message.starts_with(wanted), "{text}: {message}");
    }
    let error = read("label:你好 simm:mtj").expect_err("a wrong key");
    assert_eq!(error.to_string(), "column 10: unknown key \"simm\"; did you mean sim?");
    assert_eq!(error.lines()[1], format!("  {}^", " ".repeat(11)));
}

#[test]
fn no_number_of_a_game_has_the_name_of_a_key() {
    let all: Vec<&str> = keys().collect();
    for key in KEYS {
        assert_eq!(all.iter().filter(|name| **name == key).count(), 1, "{key}");
    }
}

#[test]
fn negated_terms_are_told_from_flags() {
    let shielded = |argument: &str| {
        let all: Vec<_> = shield([argument.into()]).collect();
        all[0].to_string_lossy().starts_with(' ')
    };
    for term in ["-sim:mtj", "-cached", "-alice-total-hp>3", "-verdit:WA", "-took<=2s"] {
        assert!(shielded(term), "{term}");
    }
    for other in ["-v", "-o=json", "-ojson", "--sim=mtj", "-2", "-", "--", "sim:mtj", "-vo=json"] {
        assert!(!shielded(other), "{other}");
    }
    let all: Vec<_> = shield(["--".into(), "-sim:mtj".into()]).collect();
    assert_eq!(all[1], "-sim:mtj");
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in r#"([a-z:<>=" \\\-,.0-9µ你]|sim:|took>|label:|verdict:|since:|cached| -){0,12}"#) {
        if let Err(error) = read(&text) {
            let _ = (error.lines(), error.to_string());
        }
    }

    #[test]
    fn a_quoted_label_is_what_was_quoted(label in ".{0,20}") {
        let quoted = label.replace('\\', r"\\").replace('"', "\\\"");
        prop_assert_eq!(one(&format!("label:\"{quoted}\"")), Test::Label(label));
    }
}
