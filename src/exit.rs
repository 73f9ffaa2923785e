//! What the program says to the shell when it ends.

use std::process::{ExitCode, Termination};

/// The exit codes. Scripts rely on them; the README has the same list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Exit {
    /// Fine: all cases are AC or NOREF; an empty list.
    Fine = 0,
    /// The answer is no: another verdict, a rejected or refused input, a difference.
    No = 1,
    /// Wrong usage or configuration.
    Usage = 2,
    /// Something that was named does not exist.
    Missing = 3,
    /// The environment: disk, permission, no daemon where one is needed.
    Environment = 4,
    /// The store or the inbox is held by another process.
    Held = 5,
    /// The store is newer than this program.
    Newer = 6,
    /// The store is damaged.
    Damaged = 7,
    /// Timed out waiting.
    TimedOut = 8,
    /// Interrupted by SIGINT.
    Interrupted = 130,
    /// Ended by SIGTERM.
    Terminated = 143,
}

impl Exit {
    /// Whether a signal asked for it.
    #[must_use]
    pub const fn is_interrupted(self) -> bool {
        matches!(self, Self::Interrupted | Self::Terminated)
    }
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(self as u8)
    }
}
