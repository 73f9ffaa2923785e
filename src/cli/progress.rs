//! How far a run is, on standard error: a bar on a terminal, lines elsewhere.

use std::fmt;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::{note, render};
use crate::domain::Verdict;
use crate::service::Progress;

/// Where there is no terminal, a line is printed no more often than this.
const LINE_EVERY: Duration = Duration::from_secs(2);

/// Shows how far a run is.
pub(super) struct Meter {
    bar: ProgressBar,
    terminal: bool,
    total: u64,
    done: u64,
    failing: u64,
    printed: Instant,
}

impl Meter {
    pub(super) fn new() -> Self {
        let terminal = io::stderr().is_terminal();
        let target = if terminal {
            ProgressDrawTarget::stderr_with_hz(10)
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(None, target);
        let style = ProgressStyle::with_template(
            "{wide_bar} {human_pos}/{human_len} {rate:>10} {eta:>4} {msg}",
        );
        let rate = |state: &ProgressState, line: &mut dyn fmt::Write| {
            let _ = write!(line, "{:.0}/s", state.per_sec());
        };
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style.with_key("rate", rate));
        Self { bar, terminal, total: 0, done: 0, failing: 0, printed: Instant::now() }
    }

    /// Takes note of what happened.
    pub(super) fn see(&mut self, progress: Progress<'_>) {
        match progress {
            Progress::Waiting(holder) => self.say(&format!(
                "waiting for process {}, which holds the store",
                render::printable(holder.as_bytes())
            )),
            Progress::Listed(total) => {
                self.total = total;
                self.bar.set_length(total);
            }
            Progress::Done(verdict) => self.count(verdict),
        }
    }

    fn count(&mut self, verdict: Verdict) {
        self.done += 1;
        self.bar.inc(1);
        if !verdict.is_fine() {
            self.failing += 1;
            self.bar.set_message(format!("{} failing", render::count(self.failing)));
        }
        if !self.terminal && self.printed.elapsed() >= LINE_EVERY {
            self.printed = Instant::now();
            self.say(&format!(
                "{} of {} cases, {} failing",
                render::count(self.done),
                render::count(self.total),
                render::count(self.failing)
            ));
        }
    }

    fn say(&self, line: &str) {
        self.bar.suspend(|| note(line));
    }

    /// Takes the bar off the screen.
    pub(super) fn finish(self) {
        self.bar.finish_and_clear();
    }
}
