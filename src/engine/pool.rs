//! The threads that play, and what waits for them.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::EngineError;
use crate::domain::Class;

/// Simulators do not recurse, so this is far more than they need.
const STACK_BYTES: usize = 4 << 20;

type Work = Box<dyn FnOnce() + Send>;

/// Threads with one queue for each class. A thread that is free takes the most urgent work there is, and
/// among work of a class what has waited longest.
#[derive(Clone)]
pub(super) struct Pool {
    threads: Arc<ThreadPool>,
    waiting: Arc<Mutex<Waiting>>,
}

#[derive(Default)]
struct Waiting {
    high: VecDeque<Work>,
    normal: VecDeque<Work>,
}

impl Pool {
    pub(super) fn new(threads: usize) -> Result<Self, EngineError> {
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .stack_size(STACK_BYTES)
            .thread_name(|number| format!("player-{number}"))
            .build()
            .map_err(|error| EngineError { threads, reason: error.to_string() })?;
        Ok(Self { threads: Arc::new(pool), waiting: Arc::default() })
    }

    pub(super) fn threads(&self) -> usize {
        self.threads.current_num_threads()
    }

    /// Has work done behind all that waits and is as urgent or more.
    pub(super) fn spawn(&self, class: Class, work: impl FnOnce() + Send + 'static) {
        self.change(|waiting| waiting.of(class).push_back(Box::new(work)));
        // Bound to no work: each of these begins with whatever is the most urgent by then.
        let pool = self.clone();
        self.threads.spawn_fifo(move || {
            if let Some(work) = pool.change(Waiting::next) {
                work();
            }
        });
    }

    fn change<T>(&self, change: impl FnOnce(&mut Waiting) -> T) -> T {
        // Nothing under this lock panics half-way.
        change(&mut self.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool").field("threads", &self.threads).finish_non_exhaustive()
    }
}

impl Waiting {
    const fn of(&mut self, class: Class) -> &mut VecDeque<Work> {
        match class {
            Class::High => &mut self.high,
            Class::Normal => &mut self.normal,
        }
    }

    fn next(&mut self) -> Option<Work> {
        self.high.pop_front().or_else(|| self.normal.pop_front())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::Pool;
    use crate::domain::Class::{High, Normal};

    #[test]
    fn a_free_thread_takes_the_most_urgent_work_and_then_the_oldest() {
        let pool = Pool::new(1).expect("a thread");
        let (done, heard) = mpsc::channel();
        let (let_go, held) = mpsc::channel::<()>();
        let (begun, is_held) = mpsc::channel();
        pool.spawn(Normal, move || {
            let _ = begun.send(());
            let _ = held.recv();
        });
        is_held.recv().expect("the thread is busy");
        for (class, number) in [(Normal, 3), (Normal, 4), (High, 1), (Normal, 5), (High, 2)] {
            let done = done.clone();
            pool.spawn(class, move || _ = done.send(number));
        }
        drop((let_go, done));
        assert_eq!(heard.iter().collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    }
}
