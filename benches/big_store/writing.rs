//! Runs on their way into the store, many at a time, so that one commit serves them all.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use simdrop::domain::{
    CaseError, CompareMode, ErrorCode, LogLevel, RunId, SimulatorId, TimestampUs, Verdict,
};
use simdrop::store::{
    Claim, Claimed, Finished, LogLine, NewRun, StoreError, Timings, Writer, Yield,
};

use crate::Failed;
use crate::chance::Chance;
use crate::history::{History, Planned};
use prepared::Prepared;

mod prepared;

/// How many runs are written at a time.
const RUNS: usize = 16;

/// How many cases one request holds.
const CASES: u64 = 500;

/// The share of cases at which simdrop failed.
const CRASHES: f64 = 0.000_02;

/// How much was written.
#[derive(Default)]
pub(crate) struct Written {
    pub(crate) runs: u64,
    pub(crate) cases: u64,
    pub(crate) cached: u64,
    pub(crate) games: u64,
}

#[derive(Default)]
struct Counters {
    cases: AtomicU64,
    cached: AtomicU64,
    games: AtomicU64,
}

/// Writes the whole history.
pub(crate) fn write(history: &History, writer: &Writer) -> Result<Written, Failed> {
    let (next, counters) = (AtomicUsize::new(0), Counters::default());
    let work = || -> Result<(), Failed> {
        loop {
            let run = next.fetch_add(1, Ordering::Relaxed);
            if run >= history.runs.len() {
                return Ok(());
            }
            Writing::start(history, run, writer, &counters)?.finish()?;
        }
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..RUNS).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().unwrap_or(Err("panic".into())))
    })?;
    let Counters { cases, cached, games } = counters;
    Ok(Written {
        runs: history.runs.len() as u64,
        cases: cases.into_inner(),
        cached: cached.into_inner(),
        games: games.into_inner(),
    })
}

/// A run that is being written.
struct Writing<'a> {
    history: &'a History,
    planned: &'a Planned,
    at: usize,
    run: RunId,
    writer: &'a Writer,
    counters: &'a Counters,
    /// The clock of this run.
    now: TimestampUs,
}

impl<'a> Writing<'a> {
    fn start(
        history: &'a History,
        at: usize,
        writer: &'a Writer,
        counters: &'a Counters,
    ) -> Result<Self, StoreError> {
        let planned = &history.runs[at];
        let now = planned.taken_in;
        let run = writer.start_run(NewRun {
            label: planned.label.clone(),
            tags: planned.tags.clone(),
            source: format!("/data/{}/{at}", planned.simulator.map_or("mixed", SimulatorId::name))
                .into_bytes(),
            asked: r#"{"origin":"folder"}"#.to_owned(),
            compare: CompareMode::Lines,
            listed: planned.cases,
            list_hash: None,
            about: None,
            dropped: None,
            at: now,
        })?;
        Ok(Self { history, planned, at, run, writer, counters, now })
    }

    fn finish(mut self) -> Result<(), StoreError> {
        for before in (0..self.planned.cases).step_by(CASES as usize) {
            let ranks = before + 1..=(before + CASES).min(self.planned.cases);
            let cases =
                ranks.map(|rank| Prepared::new(self.history, self.at, rank)).collect::<Vec<_>>();
            self.write(before, &cases)?;
        }
        if self.planned.cancelled {
            self.writer.cancel_run(self.run, self.now)?;
        }
        let message = format!("took in {} cases", self.planned.cases);
        let line = LogLine { at: self.now, level: LogLevel::Info, message };
        self.writer.end_list(self.run, vec![line], self.now)
    }

    /// Adds cases, plays them, and ends them.
    fn write(&mut self, before: u64, cases: &[Prepared]) -> Result<(), StoreError> {
        let new: Vec<_> = cases.iter().map(Prepared::new_case).collect();
        let claim = Claim {
            run: self.run,
            most: if self.planned.cancelled { new.len().div_ceil(2) } else { new.len() } as u32,
            bytes: usize::MAX,
            version: SimulatorId::version,
            fresh: false,
        };
        self.counters.cases.fetch_add(new.len() as u64, Ordering::Relaxed);
        let (sender, answer) = mpsc::channel();
        self.writer.add_cases(self.run, before, new, self.now, |_| ());
        self.writer.claim(claim, move |claimed| drop(sender.send(claimed)));
        let claimed = answer.recv().unwrap_or(Err(StoreError::Stopped))?;
        let mut finished = Vec::new();
        for case in claimed {
            let prepared = &cases[(u64::from(case.id.rank) - 1 - before) as usize];
            finished.push(self.play(case, prepared));
        }
        let (sender, answer) = mpsc::channel();
        let clock = || TimestampUs(0); // Its list has no end yet, so this ends no run.
        self.writer.finish(self.run, finished, clock, move |done| drop(sender.send(done)));
        answer.recv().unwrap_or(Err(StoreError::Stopped))
    }

    fn play(&mut self, case: Claimed, prepared: &Prepared) -> Finished {
        let mut chance = Chance::of(&[self.history.seed, 3, self.at as u64, case.id.rank.into()]);
        let (mut verdict, mut difference) = prepared.judgement.clone();
        let mut error = None;
        let (result, how) = if chance.happens(CRASHES) {
            (verdict, difference) = (Verdict::Crash, None);
            error = Some(CaseError::new(ErrorCode::Panic, "index out of bounds"));
            (Yield::Nothing, "not played: index out of bounds".to_owned())
        } else if let Some(known) = case.known {
            self.counters.cached.fetch_add(1, Ordering::Relaxed);
            (Yield::Known(known.result), "answered from the store".to_owned())
        } else {
            let games = prepared.games();
            self.counters.games.fetch_add(games, Ordering::Relaxed);
            let noun = if games == 1 { "game" } else { "games" };
            let how = format!("played {games} {noun} by {}", prepared.simulator());
            (Yield::New(Box::new(prepared.result(case.key))), how)
        };
        let timings = timings(&mut chance, matches!(result, Yield::New(_)), prepared.games());
        self.now.0 += timings.parse_us + timings.play_us + 10;
        let message = format!("{verdict}, {how}");
        let log = vec![LogLine { at: self.now, level: LogLevel::Info, message }];
        Finished { id: case.id, key: case.key, verdict, result, difference, error, timings, log }
    }
}

/// Mostly some microseconds a game, now and then far more.
fn timings(chance: &mut Chance, played: bool, games: u64) -> Timings {
    let games = games.cast_signed();
    let slow = if chance.happens(0.001) { chance.magnitude(100_000).cast_signed() } else { 0 };
    let mut below = |most: u64| chance.within(0, most).cast_signed();
    Timings {
        wait_us: below(50_000),
        parse_us: if played { 1 + below(4) + games / 5 } else { 0 },
        play_us: if played { games * (3 + below(12)) + slow } else { 0 },
        compare_us: below(5),
        store_us: 0,
    }
}
