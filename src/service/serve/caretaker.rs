//! Removing what is no longer wanted while the daemon serves: when it is asked to, and by itself.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::domain::RunId;
use crate::service::asked::{Ask, Reply};
use crate::service::prune::{Pruned, Pruner};
use crate::service::{ServiceError, Session, now};
use crate::store::AnsweredRequest;

/// A wait in which the time to stop is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A request to prune that somebody waits for.
#[derive(Debug)]
pub(super) struct Job {
    /// Its file.
    pub(super) path: PathBuf,
    /// Its name.
    pub(super) token: String,
    /// Who asked.
    pub(super) uid: u32,
    /// The text of the file.
    pub(super) args: String,
    /// The runs, or none for what the settings say.
    pub(super) runs: Option<Vec<i64>>,
    /// Whether more will be asked for before anything is to happen.
    pub(super) more: bool,
}

/// Removes.
pub(super) struct Caretaker<'a> {
    session: &'a Session,
    over: &'a AtomicBool,
}

impl<'a> Caretaker<'a> {
    pub(super) const fn new(session: &'a Session, over: &'a AtomicBool) -> Self {
        Self { session, over }
    }

    /// Carries out jobs, and sees to the settings now and then, until it is time to stop.
    pub(super) fn run(&self, jobs: &Receiver<Job>) -> Result<(), ServiceError> {
        let is_over = || self.over.load(Ordering::Relaxed) || self.session.stopped().is_some();
        let pruner = Pruner::new(&self.session.config, self.session.store.writer(), &is_over)?;
        pruner.finish()?;
        // Soon at first, because a daemon may be started more often than that.
        let mut next = Instant::now() + self.session.config.retention.every / 60;
        loop {
            match jobs.recv_timeout(LOOK_EVERY) {
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
                Err(RecvTimeoutError::Timeout) => {}
                Ok(job) => self.carry_out(&pruner, job, &is_over)?,
            }
            if is_over() {
                return Ok(());
            }
            if Instant::now() >= next {
                tell(pruner.retain()?);
                next = Instant::now() + jittered(self.session.config.retention.every);
            }
        }
    }

    /// What was interrupted is not answered: it goes on with the next start.
    fn carry_out(
        &self,
        pruner: &Pruner<'_>,
        job: Job,
        is_over: &dyn Fn() -> bool,
    ) -> Result<(), ServiceError> {
        let pruned = match job.runs {
            Some(runs) if job.more => {
                pruner.mark(runs.into_iter().map(RunId).collect())?;
                Pruned::default()
            }
            Some(runs) => pruner.remove(runs.into_iter().map(RunId).collect())?,
            None => pruner.retain()?,
        };
        if is_over() {
            return Ok(());
        }
        tell(pruned);
        let reply = Reply { pruned: Some(pruned), ..Reply::default() };
        self.session.store.writer().answer_request(AnsweredRequest {
            token: job.token,
            kind: Ask::PRUNE.to_owned(),
            args: job.args,
            uid: job.uid,
            answer: Ok(serde_json::to_string(&reply).unwrap_or_default()),
        })?;
        let _ = fs::remove_file(job.path);
        Ok(())
    }
}

/// One line, if there is something to say.
fn tell(pruned: Pruned) {
    if pruned != Pruned::default() {
        let Pruned { runs, cases, outputs, bytes } = pruned;
        tracing::info!(
            "pruned: {runs} runs, {cases} cases, {outputs} outputs, {bytes} bytes of the store"
        );
    }
}

/// Up to a tenth more, so that many daemons do not all begin at once.
fn jittered(every: Duration) -> Duration {
    let thousandths = u32::try_from(now().0 % 100).unwrap_or(0);
    every + every * thousandths / 1_000
}
