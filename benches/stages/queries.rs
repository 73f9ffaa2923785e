//! What people ask of a store of some thousand cases. How it is with years in it, `benches/queries.sh` measures.

use divan::Bencher;
use divan::counter::ItemsCount;
use simdrop::domain::{CaseId, RunId, SimulatorId, Verdict};
use simdrop::store::{
    Bound, CaseChoice, Column, Facet, Gather, Query, Reach, Reader, Relation, RunChoice, Term, Test,
};

use crate::history::reader;

/// As `list` asks: a page, however many have to be looked at for it.
const PAGE: Reach = Reach { found: 50, looked_at: 100_000 };

/// A query of one term.
fn only(test: Test) -> Query {
    Query { terms: vec![Term { negated: false, test }] }
}

/// A page of runs with a label, with their records.
#[divan::bench]
fn runs_by_label(bencher: Bencher<'_, '_>) {
    let (reader, query) = (reader(), only(Test::Label("week 3".to_owned())));
    bencher.bench_local(|| {
        let runs = reader.find_runs(&query, None, PAGE).expect("runs").found;
        runs.into_iter().filter_map(|run| reader.run(&RunChoice::Id(run)).expect("a run")).count()
    });
}

/// The newest cases, with their records.
#[divan::bench]
fn cases(bencher: Bencher<'_, '_>) {
    let reader = reader();
    bencher.bench_local(|| page_of_cases(&reader, &Query::default()));
}

/// Cases that are found by an index.
#[divan::bench]
fn cases_by_verdict(bencher: Bencher<'_, '_>) {
    let (reader, query) = (reader(), only(Test::Verdict(vec![Verdict::Wa])));
    bencher.bench_local(|| page_of_cases(&reader, &query));
}

/// Cases that are found by looking at each, of which the oldest ones fit.
#[divan::bench]
fn cases_by_size(bencher: Bencher<'_, '_>) {
    let large = Bound { relation: Relation::AtLeast, than: 100_000 };
    let (reader, query) = (reader(), only(Test::Input(large)));
    bencher.bench_local(|| page_of_cases(&reader, &query));
}

/// A page of games somebody won, with their records.
#[divan::bench]
fn games_by_winner(bencher: Bencher<'_, '_>) {
    let (reader, query) = (reader(), only(Test::Winner(vec![(SimulatorId::ThunderBluff, 1)])));
    bencher.bench_local(|| page_of_games(&reader, &query));
}

/// Games of a length that no game has, so that each is looked at.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn games_by_length(bencher: Bencher<'_, '_>) {
    let long = Bound { relation: Relation::Less, than: 1 };
    let length = vec![(SimulatorId::ThunderBluff, Column::Length)];
    let (reader, query) = (reader(), only(Test::Value(length, long)));
    bencher.bench_local(|| page_of_games(&reader, &query));
}

/// One case by its name, with its input and its output.
#[divan::bench]
fn one_case(bencher: Bencher<'_, '_>) {
    let reader = reader();
    let run = newest(&reader);
    let name = reader.cases_of(run, 100, 1).expect("a case")[0].name.clone();
    bencher.bench_local(|| {
        let case = reader.case(run, &CaseChoice::Name(name.clone())).expect("a case");
        case.map(|case| (reader.input(&case).expect("bytes"), reader.output(&case).expect("bytes")))
    });
}

/// What two runs have in common and what not.
#[divan::bench]
fn compare_runs(bencher: Bencher<'_, '_>) {
    let reader = reader();
    let run = newest(&reader);
    bencher.bench_local(|| reader.compare(RunId(run.0 - 1), run).expect("a comparison"));
}

/// What `stats` says of everything: it has been counted.
#[divan::bench]
fn stats_from_counters(bencher: Bencher<'_, '_>) {
    let reader = reader();
    bencher.bench_local(|| reader.counted().expect("counters"));
}

/// A pass over all cases; items are cases.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn stats_pass_over_cases(bencher: Bencher<'_, '_>) {
    let reader = reader();
    let cases = ItemsCount::new(reader.totals().expect("totals").cases);
    let gather = Gather { times: true, games: None };
    let pass = || reader.tally(&Query::default(), Facet::Verdict, &gather).expect("sums");
    bencher.counter(cases).bench_local(pass);
}

/// A pass over all cases and the lengths of their games; items are games.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn stats_pass_over_games(bencher: Bencher<'_, '_>) {
    let reader = reader();
    let games = ItemsCount::new(reader.facts().expect("facts").games);
    let lengths = SimulatorId::ALL.map(|simulator| (simulator, Column::Length)).to_vec();
    let gather = Gather { times: false, games: Some(lengths) };
    let pass = || reader.tally(&Query::default(), Facet::Nothing, &gather).expect("sums");
    bencher.counter(games).bench_local(pass);
}

fn newest(reader: &Reader) -> RunId {
    reader.run(&RunChoice::Newest(0)).expect("a store that reads").expect("a run").id
}

fn page_of_cases(reader: &Reader, query: &Query) -> usize {
    let cases = reader.find_cases(query, None, PAGE).expect("cases").found;
    let record = |case: CaseId| reader.case(case.run, &CaseChoice::Rank(case.rank));
    cases.into_iter().filter_map(|case| record(case).expect("a case")).count()
}

fn page_of_games(reader: &Reader, query: &Query) -> usize {
    let games = reader.find_games(query, None, PAGE).expect("games").found;
    games
        .into_iter()
        .filter_map(|(case, number)| reader.game(case, number).expect("a game"))
        .count()
}
