//! The numbers for monitoring. What happens is counted as it happens; what the store knows is asked of it when
//! a page is written.

mod page;

pub(super) use page::{Beside, write_page};

use prometheus::core::Collector;
use prometheus::{
    Gauge, GaugeVec, Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge,
    IntGaugeVec, Opts, Registry,
};

use super::{ServiceError, now};
use crate::domain::{Class, SimulatorId, Verdict};
use crate::store::{Finished, Yield};

/// The upper ends of the buckets of durations, in seconds.
const BUCKETS: [f64; 14] =
    [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0];

/// The label of cases whose simulator nobody knows.
const UNKNOWN: &str = "unknown";

/// What is counted, and what is asked for a page.
#[derive(Debug)]
pub(super) struct Metrics {
    registry: Registry,
    cases: IntCounterVec,
    cached: IntCounterVec,
    queue: IntGaugeVec,
    oldest: GaugeVec,
    /// How long drops take from the first look into them to their commit.
    pub(super) take_in: Histogram,
    play: HistogramVec,
    /// How long results take to be committed.
    pub(super) commit: Histogram,
    /// Looks at a whole inbox.
    pub(super) rescans: IntCounter,
    /// Times in which the watcher could not say what had changed.
    pub(super) overflows: IntCounter,
    panics: IntCounter,
    /// Cases that were tried in a process of their own.
    pub(super) suspects: IntCounter,
    lost_lines: IntCounter,
    database_bytes: IntGauge,
    wal_bytes: IntGauge,
    last_success: Gauge,
}

impl Metrics {
    pub(super) fn new() -> Result<Self, ServiceError> {
        let book = Book(Registry::new());
        let version =
            book.gauges("build_info", "The program by its version, always 1", &["version"])?;
        version.with_label_values(&[env!("CARGO_PKG_VERSION")]).set(1);
        let metrics = Self {
            cases: book.counters(
                "cases_total",
                "Cases that are done, since the store was made",
                &["simulator", "verdict"],
            )?,
            cached: book.counters(
                "cached_cases_total",
                "Cases that were answered from the store, since it was made",
                &["simulator"],
            )?,
            queue: book.gauges("queue_cases", "Cases that wait to be played", &["class"])?,
            oldest: book.add(GaugeVec::new(
                opts(
                    "queue_oldest_seconds",
                    "How long ago the oldest run that is not over was taken in, 0 if there is none",
                ),
                &["class"],
            )?)?,
            take_in: book.histogram(
                "take_in_seconds",
                "How long drops took from the first look into them until they were stored",
            )?,
            play: book.add(HistogramVec::new(
                timed("play_seconds", "How long cases were played"),
                &["simulator"],
            )?)?,
            commit: book
                .histogram("commit_seconds", "How long results waited until they were stored")?,
            rescans: book.counter("rescans_total", "Looks at a whole inbox")?,
            overflows: book.counter(
                "watch_overflows_total",
                "Times in which the watcher could not say what had changed",
            )?,
            panics: book.counter("panics_total", "Panics, each a bug of simdrop")?,
            suspects: book.counter(
                "suspects_total",
                "Cases that were first played by a process of their own",
            )?,
            lost_lines: book
                .counter("log_lost_lines_total", "Lines of the log that nobody read in time")?,
            database_bytes: book.bytes("store_bytes", "The size of the database file")?,
            wal_bytes: book.bytes("store_wal_bytes", "The size of the database's WAL")?,
            last_success: book.add(Gauge::with_opts(opts(
                "last_success_timestamp_seconds",
                "When results were stored last, 0 if that was not yet",
            ))?)?,
            registry: book.0,
        };
        metrics.name_all();
        Ok(metrics)
    }

    /// What will be counted is there from the start, so that the first one is seen as an increase.
    fn name_all(&self) {
        for simulator in SimulatorId::ALL {
            self.play.with_label_values(&[simulator.name()]);
        }
        for simulator in simulators() {
            self.cached.with_label_values(&[simulator]);
            for verdict in Verdict::ALL {
                self.cases.with_label_values(&[simulator, verdict.name()]);
            }
        }
        for class in Class::ALL {
            self.queue.with_label_values(&[class.name()]);
            self.oldest.with_label_values(&[class.name()]);
        }
    }

    /// Results were stored, so long after they were handed over, of cases that were played so long.
    pub(super) fn see_commit(&self, took: std::time::Duration, played: &Played) {
        self.commit.observe(took.as_secs_f64());
        self.last_success.set(seconds(now()));
        for (simulator, seconds) in &played.0 {
            self.play.with_label_values(&[simulator.name()]).observe(*seconds);
        }
    }
}

/// How long cases were played that are on their way to the store.
pub(super) struct Played(Vec<(SimulatorId, f64)>);

impl Played {
    pub(super) fn of(cases: &[Finished]) -> Self {
        let is_played = |case: &&Finished| matches!(case.result, Yield::New(_) | Yield::Stored(_));
        let time = |case: &Finished| {
            let play_us = u64::try_from(case.timings.play_us).unwrap_or(0);
            (case.key.simulator, std::time::Duration::from_micros(play_us).as_secs_f64())
        };
        Self(cases.iter().filter(is_played).map(time).collect())
    }
}

/// The names of all simulators, and that of none.
fn simulators() -> impl Iterator<Item = &'static str> {
    SimulatorId::ALL.into_iter().map(SimulatorId::name).chain([UNKNOWN])
}

#[expect(clippy::cast_precision_loss, reason = "microseconds since 1970 fit until the year 2255")]
fn seconds(at: crate::domain::TimestampUs) -> f64 {
    at.0 as f64 / 1e6
}

/// Where each number is entered once.
struct Book(Registry);

impl Book {
    fn add<C: Collector + Clone + 'static>(&self, collector: C) -> prometheus::Result<C> {
        self.0.register(Box::new(collector.clone()))?;
        Ok(collector)
    }

    fn counter(&self, name: &str, help: &str) -> prometheus::Result<IntCounter> {
        self.add(IntCounter::with_opts(opts(name, help))?)
    }

    fn counters(&self, name: &str, help: &str, by: &[&str]) -> prometheus::Result<IntCounterVec> {
        self.add(IntCounterVec::new(opts(name, help), by)?)
    }

    fn gauges(&self, name: &str, help: &str, by: &[&str]) -> prometheus::Result<IntGaugeVec> {
        self.add(IntGaugeVec::new(opts(name, help), by)?)
    }

    fn bytes(&self, name: &str, help: &str) -> prometheus::Result<IntGauge> {
        self.add(IntGauge::with_opts(opts(name, help))?)
    }

    fn histogram(&self, name: &str, help: &str) -> prometheus::Result<Histogram> {
        self.add(Histogram::with_opts(timed(name, help))?)
    }
}

fn opts(name: &str, help: &str) -> Opts {
    Opts::new(name, help).namespace("simdrop")
}

fn timed(name: &str, help: &str) -> HistogramOpts {
    HistogramOpts::new(name, help).namespace("simdrop").buckets(BUCKETS.to_vec())
}
