//! A case of many games: slices on all threads of the pool, handed on in order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::SLICE_GAMES;
use super::case::{Evaluation, Failure, Playing, Slice, add_warnings};
use super::pool::Pool;
use crate::domain::{Body, CaseError, Class, Warning};

/// A case of many games that was read and waits for somebody who takes its slices.
pub struct Many {
    playing: Playing,
    class: Class,
    pool: Pool,
}

/// Takes the slices of a case.
pub trait Sink: Send + Sync + 'static {
    /// A slice as it is handed on.
    type Part: Send;

    /// Makes a slice ready on the thread that played it, beside others.
    fn pack(&self, slice: Slice) -> Self::Part;

    /// Takes the next slice, in order. Another one is begun when `permit` is dropped.
    fn deliver(&self, part: Self::Part, permit: Permit);
}

/// The right to begin another slice, used when it is dropped.
pub struct Permit(Option<Box<dyn FnOnce() + Send>>);

impl Drop for Permit {
    fn drop(&mut self) {
        if let Some(begin) = self.0.take() {
            begin();
        }
    }
}

/// What a case of many games gave besides its slices.
#[derive(Debug, Default)]
pub struct PlayedMany {
    /// How many games it has.
    pub games: u64,
    /// Why no output is claimed.
    pub error: Option<CaseError>,
    /// What is odd about the input or its games, one per kind.
    pub warnings: Vec<Warning>,
    /// How long reading the input took.
    pub parse: Duration,
    /// How long playing took, over all threads.
    pub play: Duration,
}

type Done = Box<dyn FnOnce(Result<PlayedMany, Evaluation>) + Send>;

/// A case on its way.
struct Flow<S: Sink> {
    playing: Playing,
    class: Class,
    pool: Pool,
    sink: S,
    /// The next slice to be played.
    next: AtomicU64,
    slices: u64,
    over: AtomicBool,
    line: Mutex<Line<S::Part>>,
}

/// The slices that arrived before their turn, and what came out so far.
struct Line<P> {
    waiting: BTreeMap<u64, Result<Arrived<P>, Failure>>,
    due: u64,
    output_bytes: u64,
    played: PlayedMany,
    done: Option<Done>,
}

struct Arrived<P> {
    part: P,
    output_bytes: u64,
    error: Option<CaseError>,
    warnings: Vec<Warning>,
    play: Duration,
}

/// How many slices may wait besides those that are played and handed on: some megabytes.
const SLICES_AHEAD: usize = 16;

impl Many {
    pub(super) const fn new(playing: Playing, class: Class, pool: Pool) -> Self {
        Self { playing, class, pool }
    }

    /// The file that the case is compared with, for whoever judges it.
    pub const fn take_compared(&mut self) -> Option<Body> {
        self.playing.compared.take()
    }

    /// Plays all games on the pool and calls `done` after the last slice was delivered, or with the
    /// verdict if the case fails; what was delivered is then to be dropped.
    pub fn play<S: Sink>(
        self,
        sink: S,
        done: impl FnOnce(Result<PlayedMany, Evaluation>) + Send + 'static,
    ) {
        let Self { playing, class, pool } = self;
        let (games, warnings, parse) = (playing.games(), playing.warnings.clone(), playing.parse);
        let line = Mutex::new(Line {
            waiting: BTreeMap::new(),
            due: 0,
            output_bytes: 0,
            played: PlayedMany { games, warnings, parse, ..PlayedMany::default() },
            done: Some(Box::new(done)),
        });
        // Each thread has one slice to play and one on its way; the others are for the time in which whoever takes
        // them is busy with something else.
        let window = 2 * pool.threads() + SLICES_AHEAD;
        let (next, over) = (AtomicU64::new(0), AtomicBool::new(false));
        let slices = games.div_ceil(SLICE_GAMES);
        let flow = Arc::new(Flow { playing, class, pool, sink, next, slices, over, line });
        (0..window).for_each(|_| flow.begin_next());
    }
}

impl<S: Sink> Flow<S> {
    /// Puts the next slice, if there is one, behind everything of its class that waits for the pool.
    fn begin_next(self: &Arc<Self>) {
        let flow = Arc::clone(self);
        self.pool.spawn(self.class, move || {
            let number = flow.next.fetch_add(1, Ordering::Relaxed);
            if number < flow.slices && !flow.over.load(Ordering::Relaxed) {
                let arrived = flow.play(number);
                flow.arrive(number, arrived);
            }
        });
    }

    fn play(&self, number: u64) -> Result<Arrived<S::Part>, Failure> {
        let first = number * SLICE_GAMES;
        let end = (first + SLICE_GAMES).min(self.playing.games());
        let mut slice = self.playing.play(first, end)?;
        Ok(Arrived {
            output_bytes: slice.output.len() as u64,
            error: slice.error.take(),
            warnings: std::mem::take(&mut slice.warnings),
            play: slice.play,
            part: self.sink.pack(slice),
        })
    }

    /// Hands on what has its turn.
    fn arrive(self: &Arc<Self>, number: u64, arrived: Result<Arrived<S::Part>, Failure>) {
        let mut line = self.line();
        line.waiting.insert(number, arrived);
        while let Some(arrived) = line.take_due() {
            let taken = arrived.and_then(|arrived| self.take(&mut line, arrived));
            if let Err(failure) = taken {
                self.over.store(true, Ordering::Relaxed);
                self.playing.recall.set();
                return end(line, Err(self.playing.fail(failure)));
            }
        }
        if line.due == self.slices {
            let played = std::mem::take(&mut line.played);
            end(line, Ok(played));
        }
    }

    fn take(
        self: &Arc<Self>,
        line: &mut Line<S::Part>,
        arrived: Arrived<S::Part>,
    ) -> Result<(), Failure> {
        line.output_bytes += arrived.output_bytes;
        if line.output_bytes > self.playing.max_output_bytes {
            return Err(Failure::OutputTooLarge);
        }
        line.played.play += arrived.play;
        add_warnings(&mut line.played.warnings, arrived.warnings);
        if line.played.error.is_none() {
            line.played.error = arrived.error;
        }
        let flow = Arc::clone(self);
        self.sink.deliver(arrived.part, Permit(Some(Box::new(move || flow.begin_next()))));
        Ok(())
    }

    fn line(&self) -> MutexGuard<'_, Line<S::Part>> {
        // What a panic under this lock leaves is a case that is over.
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<P> Line<P> {
    fn take_due(&mut self) -> Option<Result<Arrived<P>, Failure>> {
        self.done.as_ref()?;
        let arrived = self.waiting.remove(&self.due)?;
        self.due += 1;
        Some(arrived)
    }
}

/// Tells whoever waits, after the line is free again.
fn end<P>(mut line: MutexGuard<'_, Line<P>>, played: Result<PlayedMany, Evaluation>) {
    let done = line.done.take();
    line.waiting.clear();
    drop(line);
    if let Some(done) = done {
        done(played);
    }
}
