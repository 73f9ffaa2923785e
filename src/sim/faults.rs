//! Faults on purpose, for the tests: compiled only with the feature `faults`, never in a release.
//!
//! An input is two integers, `FAULT N`:
//!
//! | `FAULT` | what playing it does |
//! | --- | --- |
//! | 0 | ends, with the output `ok N` |
//! | 1 | a value leaves its range: no output |
//! | 2 | sleeps for `N` ms, and sees the cancel flag |
//! | 3 | panics with `N` in the message |
//! | 4 | aborts the process |
//! | 5 | spins for ever and never sees the cancel flag |
//! | 6 | recurses until the stack overflows |
//! | 7 | fills `N` MiB of memory and drops them |
//! | 8 | spins for ever, and sees the cancel flag |
//! | 9 | is `N` games (at least 1), each with the output `g` |
//!
//! Unlike a game it may read a clock: only tests see what it does.

use std::fmt;
use std::hint::{black_box, spin_loop};
use std::thread::park_timeout;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::budget::WINDOW;
use super::{Budget, Numbers, Observer, Simulator, Stop};
use crate::domain::{CaseError, Outcome, RuleSet, SimulatorId};

/// The largest `N`.
const NUMBER_MOST: i64 = 1 << 32;

/// The faults.
#[derive(Debug)]
pub struct Faults;

/// What is to go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Input {
    /// How.
    pub fault: Fault,
    /// How long, how much or how many.
    pub number: u64,
}

/// How something goes wrong; the table of the module tells what each does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// 0: it does not.
    Fine,
    /// 1
    Fail,
    /// 2
    Sleep,
    /// 3
    Panic,
    /// 4
    Abort,
    /// 5
    Spin,
    /// 6
    Recurse,
    /// 7
    Alloc,
    /// 8
    PoliteSpin,
    /// 9
    Many,
}

impl Fault {
    /// Every fault, by its number in an input.
    pub const ALL: [Self; 10] = [
        Self::Fine,
        Self::Fail,
        Self::Sleep,
        Self::Panic,
        Self::Abort,
        Self::Spin,
        Self::Recurse,
        Self::Alloc,
        Self::PoliteSpin,
        Self::Many,
    ];
}

/// The only step: what is going to happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename = "fault")]
pub struct Event {
    /// How it goes wrong.
    pub fault: Fault,
    /// How long, how much or how many.
    pub number: u64,
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.fault, self.number)
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} {}", self.fault as u8, self.number)
    }
}

impl Simulator for Faults {
    type Input = Input;
    type Event = Event;
    const ID: SimulatorId = SimulatorId::Faults;
    const VERSION: u32 = 1;
    const RULE_SETS: &'static [RuleSet] = &[RuleSet::Judge];
    const LENGTH: &'static str = "faults";
    const METRICS: &'static [&'static str] = &[];
    const STEP_LIMIT: u64 = u64::MAX;

    fn expected_tokens(_: [Option<i64>; 3]) -> Option<i128> {
        Some(2)
    }

    fn parse(numbers: &mut Numbers<'_>) -> Result<Input, CaseError> {
        let fault = numbers.within("a fault", 0, Fault::Many as i64)?;
        let fault = usize::try_from(fault).map_or(Fault::Fine, |fault| Fault::ALL[fault]);
        let least = i64::from(fault == Fault::Many);
        let number = numbers.within("the number of a fault", least, NUMBER_MOST)?;
        Ok(Input { fault, number: number.unsigned_abs() })
    }

    fn games(input: &Input) -> u64 {
        if input.fault == Fault::Many { input.number } else { 1 }
    }

    fn player(number: u32) -> String {
        number.to_string()
    }

    fn play<O: Observer<Event>>(
        &Input { fault, number }: &Input,
        _: u64,
        _: RuleSet,
        observer: &mut O,
        budget: &mut Budget<'_>,
        out: &mut Vec<u8>,
    ) -> Result<Outcome, Stop> {
        observer.step(out.len(), || Event { fault, number });
        match fault {
            Fault::Fine => out.extend_from_slice(format!("ok {number}\n").as_bytes()),
            Fault::Fail => return Err(Stop::OutOfRange(format!("the fault {number}"))),
            Fault::Sleep => sleep(Duration::from_millis(number), budget)?,
            Fault::Panic => panic(number),
            Fault::Abort => std::process::abort(),
            Fault::Spin => spin(),
            Fault::Recurse => _ = black_box(recurse(0)),
            Fault::Alloc => _ = black_box(vec![1_u8; memory(number)]),
            Fault::PoliteSpin => return Err(spin_politely(budget)),
            Fault::Many => out.extend_from_slice(b"g\n"),
        }
        Ok(Outcome::ended(1, 1))
    }
}

/// Looks at the cancel flag every millisecond.
fn sleep(long: Duration, budget: &mut Budget<'_>) -> Result<(), Stop> {
    let begun = Instant::now();
    while let Some(left) = long.checked_sub(begun.elapsed()).filter(|left| !left.is_zero()) {
        (0..=WINDOW).try_for_each(|_| budget.spend())?;
        park_timeout(left.min(Duration::from_millis(1)));
    }
    Ok(())
}

#[expect(clippy::panic, reason = "that is what it is for")]
fn panic(number: u64) {
    panic!("fault {number}");
}

fn spin() -> ! {
    loop {
        spin_loop();
    }
}

/// The result is used after the call, so that this stays a recursion.
fn recurse(depth: u64) -> u64 {
    let frame = black_box([depth; 64]);
    if depth == u64::MAX { 0 } else { recurse(depth + 1) ^ frame[0] }
}

/// So many MiB in bytes.
fn memory(mebibytes: u64) -> usize {
    usize::try_from(mebibytes << 20).unwrap_or(usize::MAX)
}

fn spin_politely(budget: &mut Budget<'_>) -> Stop {
    loop {
        if let Err(stop) = budget.spend() {
            return stop;
        }
    }
}
