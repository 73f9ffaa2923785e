//! A case of many games, in slices on all threads of the pool.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::case::{Evaluation, Failure, Playing, Slice};

/// How many games of one case are played in a row on one thread.
pub const SLICE_GAMES: u64 = 4096;

/// Whoever waits for a case.
pub(super) type Done = Box<dyn FnOnce(Evaluation) + Send>;

/// The slices of a case on their way.
struct Split {
    playing: Playing,
    /// The next slice to be played.
    next: AtomicU64,
    slices: u64,
    gathered: Mutex<Gathered>,
}

/// What the slices gave so far.
struct Gathered {
    parts: Vec<Option<Result<Slice, Failure>>>,
    missing: u64,
    done: Option<Done>,
}

/// Plays all slices of a case on the pool this thread belongs to.
pub(super) fn play(playing: Playing, done: Done) {
    let slices = playing.input.games().div_ceil(SLICE_GAMES);
    let parts = (0..slices).map(|_| None).collect();
    let gathered = Mutex::new(Gathered { parts, missing: slices, done: Some(done) });
    let split = Arc::new(Split { playing, next: AtomicU64::new(0), slices, gathered });
    for _ in 0..rayon::current_num_threads() {
        spawn_next(Arc::clone(&split));
    }
}

/// Puts the next slice, if there is one, behind everything that waits for the pool.
fn spawn_next(split: Arc<Split>) {
    rayon::spawn_fifo(move || {
        let number = split.next.fetch_add(1, Ordering::Relaxed);
        if number < split.slices {
            let from = number * SLICE_GAMES;
            let to = (from + SLICE_GAMES).min(split.playing.input.games());
            let slice = split.playing.play(from, to);
            spawn_next(Arc::clone(&split));
            gather(&split, number, slice);
        }
    });
}

/// Keeps what a slice gave; the last one concludes the case.
fn gather(split: &Split, number: u64, slice: Result<Slice, Failure>) {
    let mut gathered = lock(&split.gathered);
    if let Some(part) = usize::try_from(number).ok().and_then(|at| gathered.parts.get_mut(at)) {
        *part = Some(slice);
    }
    gathered.missing -= 1;
    if gathered.missing > 0 {
        return;
    }
    let parts = std::mem::take(&mut gathered.parts);
    let done = gathered.done.take();
    drop(gathered);
    if let Some(done) = done {
        done(split.playing.conclude(parts.into_iter().flatten()));
    }
}

fn lock(gathered: &Mutex<Gathered>) -> MutexGuard<'_, Gathered> {
    // Nothing under this lock panics half-way.
    gathered.lock().unwrap_or_else(PoisonError::into_inner)
}
