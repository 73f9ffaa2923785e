//! Verdicts, the states of runs and cases, and the levels of log lines.

/// What is said of a compared file, or why nothing can be said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// The file is right.
    Ac,
    /// The file differs in white space only.
    Pe,
    /// The file differs.
    Wa,
    /// There is no file to compare.
    NoRef,
    /// The input is no valid input, or cannot be read.
    BadIn,
    /// A game passed the step limit, so no output is claimed.
    Limit,
    /// The program failed while playing: a bug of ours.
    Crash,
    /// The case was taken back before it was played.
    Cancelled,
}

impl Verdict {
    /// Every verdict, in the order people see them.
    pub const ALL: [Self; 8] = [
        Self::Ac,
        Self::Pe,
        Self::Wa,
        Self::NoRef,
        Self::BadIn,
        Self::Limit,
        Self::Crash,
        Self::Cancelled,
    ];

    /// The name people and the store see.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ac => "AC",
            Self::Pe => "PE",
            Self::Wa => "WA",
            Self::NoRef => "NOREF",
            Self::BadIn => "BADIN",
            Self::Limit => "LIMIT",
            Self::Crash => "CRASH",
            Self::Cancelled => "CANCELLED",
        }
    }

    /// Whether a case with it can have games: what is refused, crashes or is taken back has none.
    #[must_use]
    pub const fn may_have_games(self) -> bool {
        !matches!(self, Self::BadIn | Self::Crash | Self::Cancelled)
    }

    /// Whether a run with only such verdicts is fine (exit code 0).
    #[must_use]
    pub const fn is_fine(self) -> bool {
        matches!(self, Self::Ac | Self::NoRef)
    }
}

/// How urgent a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// Somebody waits for it.
    High,
    /// It was dropped.
    Normal,
}

impl Class {
    /// Every class, the most urgent first.
    pub const ALL: [Self; 2] = [Self::High, Self::Normal];

    /// The name people and the store see.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Normal => "normal",
        }
    }
}

/// How a file is held against an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CompareMode {
    /// Line by line; blanks at line ends and empty lines at the end do not count.
    #[default]
    Lines,
    /// Byte for byte.
    Exact,
    /// Word by word; white space does not count.
    Tokens,
}

impl CompareMode {
    /// Every mode, the default first.
    pub const ALL: [Self; 3] = [Self::Lines, Self::Exact, Self::Tokens];

    /// The name people and the store see.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lines => "lines",
            Self::Exact => "exact",
            Self::Tokens => "tokens",
        }
    }
}

/// Where a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunState {
    /// Its list is frozen and its cases are being added; some may play already.
    TakingIn,
    /// All cases are there; some are not done.
    Open,
    /// All cases are done.
    Done,
    /// Taken back; what was not done is CANCELLED.
    Cancelled,
    /// Nothing in it can be read as a case.
    Rejected,
}

impl RunState {
    /// Every state.
    pub const ALL: [Self; 5] =
        [Self::TakingIn, Self::Open, Self::Done, Self::Cancelled, Self::Rejected];

    /// The name people and the store see.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::TakingIn => "taking-in",
            Self::Open => "open",
            Self::Done => "done",
            Self::Cancelled => "cancelled",
            Self::Rejected => "rejected",
        }
    }

    /// Whether something is still to be done.
    #[must_use]
    pub const fn is_unfinished(self) -> bool {
        matches!(self, Self::TakingIn | Self::Open)
    }
}

/// Where a case stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CaseState {
    /// Waiting for a worker.
    Queued,
    /// With a worker.
    Running,
    /// It has its verdict.
    Done,
}

impl CaseState {
    /// Every state.
    pub const ALL: [Self; 3] = [Self::Queued, Self::Running, Self::Done];

    /// The name people and the store see.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Done => "done",
        }
    }
}

/// How much a log line matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LogLevel {
    /// What happened.
    Info,
    /// Something odd that changes no result.
    Warning,
    /// Something that could not be done.
    Error,
}

impl LogLevel {
    /// Every level.
    pub const ALL: [Self; 3] = [Self::Info, Self::Warning, Self::Error];

    /// The name people see.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}
