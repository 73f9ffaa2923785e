//! What happened over the years: when which runs came, and what they are like.

use simdrop::domain::{RuleSet, SimulatorId, TimestampUs};

use crate::chance::Chance;
use crate::inputs::MANY;

/// No run has more cases.
const CASES_MOST: u64 = 1_000_000;

/// How much is wanted.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) cases: u64,
    pub(crate) games: u64,
    pub(crate) runs: u64,
    pub(crate) years: u64,
}

/// All runs, oldest first.
pub(crate) struct History {
    pub(crate) seed: u64,
    pub(crate) runs: Vec<Planned>,
    /// How many games a case of Thunder Bluff has on average.
    pub(crate) thunder_games: f64,
}

/// A run that is to be.
pub(crate) struct Planned {
    pub(crate) cases: u64,
    pub(crate) taken_in: TimestampUs,
    pub(crate) label: Option<String>,
    pub(crate) tags: Vec<(String, String)>,
    /// The simulator of all its cases, or of each its own.
    pub(crate) simulator: Option<SimulatorId>,
    pub(crate) rules: RuleSet,
    /// Whether there are files to compare with.
    pub(crate) answered: bool,
    /// The share of inputs that an older run had.
    pub(crate) repeats: f64,
    /// Whether somebody took it back half-way.
    pub(crate) cancelled: bool,
}

impl History {
    pub(crate) fn new(seed: u64, shape: Shape, now: TimestampUs) -> Self {
        let mut chance = Chance::of(&[seed, 0]);
        let sizes = sizes(&mut chance, shape);
        let times = times(&mut chance, shape, now);
        let runs = sizes.into_iter().zip(times).enumerate();
        let runs: Vec<_> = runs
            .map(|(at, (cases, taken_in))| Planned::new(seed, at as u64, cases, taken_in))
            .collect();
        Self { seed, thunder_games: thunder_games(shape, &runs), runs }
    }

    pub(crate) fn first(&self) -> TimestampUs {
        self.runs[0].taken_in
    }
}

/// How many cases each run has: half of the runs have few, and among the others the size falls with the
/// place, so that some are huge.
fn sizes(chance: &mut Chance, shape: Shape) -> Vec<u64> {
    let few = shape.runs / 2;
    let mut sizes: Vec<u64> = (0..few).map(|_| chance.magnitude(50)).collect();
    let shares: Vec<f64> = (1..=shape.runs - few).map(|place| (place as f64).powf(-1.2)).collect();
    let (all, left) = (shares.iter().sum::<f64>(), shape.cases as f64 * 0.98);
    let most = CASES_MOST.min(shape.cases.div_ceil(10));
    let size = |share: &f64| ((share / all * left) as u64).clamp(1, most);
    sizes.extend(shares.iter().map(size));
    for at in (1..sizes.len()).rev() {
        sizes.swap(at, chance.within(0, at as u64) as usize);
    }
    even_out(&mut sizes, shape.cases, most);
    sizes
}

/// Makes the sum right.
fn even_out(sizes: &mut [u64], cases: u64, most: u64) {
    while sizes.iter().sum::<u64>() != cases {
        let sum = sizes.iter().sum::<u64>();
        let each = sum.abs_diff(cases).div_ceil(sizes.len() as u64);
        let mut left = sum.abs_diff(cases);
        for size in sizes.iter_mut() {
            let room = if sum < cases { most.max(*size) - *size } else { *size - 1 };
            let step = each.min(left).min(room);
            *size = if sum < cases { *size + step } else { *size - step };
            left -= step;
        }
        assert_ne!(left, sum.abs_diff(cases), "that many cases do not fit into so many runs");
    }
}

/// When the runs came, in order, more of them in later years.
fn times(chance: &mut Chance, shape: Shape, now: TimestampUs) -> Vec<TimestampUs> {
    const YEAR_US: f64 = 365.25 * 86_400e6;
    let span = shape.years as f64 * YEAR_US;
    let mut ago: Vec<i64> =
        (0..shape.runs).map(|_| (span * chance.unit().powf(1.3)) as i64).collect();
    ago.sort_unstable_by(|a, b| b.cmp(a));
    ago.into_iter().map(|ago| TimestampUs(now.0 - 60_000_000 - ago)).collect()
}

/// What the games of Thunder Bluff must be on average, for all games together to be as many as wanted.
fn thunder_games(shape: Shape, runs: &[Planned]) -> f64 {
    let sum = |of: &dyn Fn(&Planned) -> f64| {
        runs.iter().map(|run| run.cases as f64 * (1.0 - run.repeats) * of(run)).sum::<f64>()
    };
    let thunder = sum(&|run| match run.simulator {
        Some(SimulatorId::ThunderBluff) => 1.0,
        Some(_) => 0.0,
        None => 1.0 / 3.0,
    });
    let others = sum(&|_| 1.0) - thunder;
    ((shape.games as f64 - others) / thunder.max(1.0) - MANY.0 * MANY.1 as f64).max(1.0)
}

impl Planned {
    /// Whether an input of another run may be one of this.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        (self.simulator, self.rules) == (other.simulator, other.rules)
    }

    fn new(seed: u64, at: u64, cases: u64, taken_in: TimestampUs) -> Self {
        let mut chance = Chance::of(&[seed, 1, at]);
        let simulator = match chance.within(1, 100) {
            1..=60 => Some(SimulatorId::ThunderBluff),
            61..=80 => Some(SimulatorId::Mtj),
            81..=92 => Some(SimulatorId::StellarConnect),
            _ => None,
        };
        let statement = simulator == Some(SimulatorId::ThunderBluff) && chance.happens(0.1);
        Self {
            cases,
            taken_in,
            label: label(&mut chance, at),
            tags: tags(&mut chance),
            simulator,
            rules: if statement { RuleSet::Statement } else { RuleSet::Judge },
            answered: chance.happens(0.3),
            repeats: *chance.pick(&[0.0, 0.0, 0.02, 0.1, 0.5, 0.9]),
            cancelled: cases < 500 && chance.happens(0.01),
        }
    }
}

/// A third of the runs has a label: one that many have, one that some have, or one of its own.
fn label(chance: &mut Chance, at: u64) -> Option<String> {
    match chance.within(1, 30) {
        1..=4 => Some("nightly".to_owned()),
        5..=8 => Some(format!("week {}", chance.within(1, 150))),
        9..=10 => Some(format!("experiment {at}")),
        _ => None,
    }
}

/// A quarter of the runs has tags: a few courses, many people, and a rare word.
fn tags(chance: &mut Chance) -> Vec<(String, String)> {
    let mut tags = Vec::new();
    if chance.happens(0.25) {
        let course = *chance.pick(&["a", "b", "c", "d"]);
        tags.push(("course".to_owned(), course.to_owned()));
        tags.push(("person".to_owned(), format!("s{:03}", chance.within(1, 400))));
    }
    if chance.happens(0.0005) {
        tags.push(("audit".to_owned(), "yes".to_owned()));
    }
    tags
}
