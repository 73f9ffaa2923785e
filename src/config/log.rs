//! What a line of the log looks like.

/// What a line of the log looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogFormat {
    /// Fields, where standard error is the system's journal; else as text.
    #[default]
    Auto,
    /// For people.
    Text,
    /// A JSON object.
    Json,
}

impl LogFormat {
    /// All formats, the default first.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Text, Self::Json];

    /// The word for it in the settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Text => "text",
            Self::Json => "json",
        }
    }

    /// The format of that name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}
