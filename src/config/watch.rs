//! How directories are watched.

/// How a directory is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchMode {
    /// By inotify, where the file system tells of what others do.
    Auto,
    /// By inotify, whatever the file system.
    Inotify,
    /// By looking every few seconds.
    Poll,
}

impl WatchMode {
    /// All modes, the default first.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Inotify, Self::Poll];

    /// The word for it in the settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Inotify => "inotify",
            Self::Poll => "poll",
        }
    }

    /// The mode of that name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }
}
