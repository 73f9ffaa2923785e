//! How long a game may go on.

use std::sync::atomic::{AtomicBool, Ordering};

/// How many steps pass between two looks at the cancel flag.
pub(super) const WINDOW: u64 = 1024;

/// The steps a game has left, and a flag that takes it back.
///
/// The step limit is a constant of the rule set, so no verdict depends on time.
#[derive(Debug)]
pub struct Budget<'a> {
    /// Steps until the next look.
    window: u64,
    /// Steps left after this window.
    rest: u64,
    cancel: &'a AtomicBool,
}

/// Why a game stopped before its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// The step limit passed.
    Undecided,
    /// The cancel flag was set.
    Cancelled,
    /// A stored value left 64 bits; the text names it.
    OutOfRange(String),
}

impl<'a> Budget<'a> {
    /// A budget of `steps`, taken back when `cancel` is set.
    #[must_use]
    pub const fn new(steps: u64, cancel: &'a AtomicBool) -> Self {
        let window = if steps < WINDOW { steps } else { WINDOW };
        Self { window, rest: steps - window, cancel }
    }

    /// Spends one step.
    ///
    /// # Errors
    /// [`Stop::Undecided`] when no step is left, [`Stop::Cancelled`] when the flag is set.
    #[inline]
    pub fn spend(&mut self) -> Result<(), Stop> {
        if self.window == 0 {
            self.refill()?;
        }
        self.window -= 1;
        Ok(())
    }

    /// How many steps are left.
    #[must_use]
    pub const fn left(&self) -> u64 {
        self.window + self.rest
    }

    #[cold]
    fn refill(&mut self) -> Result<(), Stop> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(Stop::Cancelled);
        }
        if self.rest == 0 {
            return Err(Stop::Undecided);
        }
        self.window = self.rest.min(WINDOW);
        self.rest -= self.window;
        Ok(())
    }
}
