//! The keys: the one table that files, environment, flags and the doctor go by.

use std::fmt;

use super::kind::Kind;
use super::suggest::suggestion;

/// A key of the settings. `config/default.toml` says more, in the same order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// The directory of the store.
    State,
    /// How many threads play; 0 means as many as the machine has for us.
    Jobs,
    /// What a line of the log looks like.
    LogFormat,
    /// The largest input.
    MaxInputBytes,
    /// The largest output, and the largest file to compare.
    MaxOutputBytes,
    /// The most games of one case.
    MaxGames,
    /// The most files of a folder.
    MaxFolderFiles,
    /// The most entries of a zip.
    MaxZipEntries,
    /// The most bytes of all entries of a zip, unpacked.
    MaxZipBytes,
    /// How many times its own size a zip may unpack to.
    MaxZipRatio,
    /// When a slice of work is taken back.
    Backstop,
    /// How long a thread may take to come back after that.
    Grace,
    /// The memory of the child process that plays a suspect.
    SuspectBytes,
    /// The directory that is watched.
    Inbox,
    /// How long a file must hold still.
    QuietFile,
    /// How long a folder must hold still, with all that is in it.
    QuietFolder,
    /// How long an empty file may stay empty.
    EmptyFile,
    /// How often everything is looked at, whatever the watcher says.
    Rescan,
    /// How often everything is looked at where there is no watcher.
    Poll,
    /// How the inbox is watched.
    Watch,
    /// How old an output may be.
    OutputsMaxAge,
    /// How old a run may be.
    MaxAge,
    /// How many runs are kept.
    MaxRuns,
    /// How many bytes of the store may be in use.
    MaxBytes,
    /// How often the daemon removes what is beyond that.
    Every,
    /// Whether outputs are written to `out`.
    Out,
    /// How long games may go on after the daemon was told to stop, or to read its settings anew.
    Drain,
    /// How often a full disk is tried again.
    Probe,
    /// The file that the numbers for monitoring are written to.
    MetricsFile,
    /// How often that is done.
    MetricsEvery,
}

/// Above all sections.
pub(super) const TOP: &str = "";

/// The sections, in the order of `config/default.toml`.
pub(super) const SECTIONS: [&str; 5] = ["limits", "engine", "inbox", "retention", "serve"];

impl Key {
    /// All keys, in the order of `config/default.toml`.
    pub const ALL: [Self; 30] = [
        Self::State,
        Self::Jobs,
        Self::LogFormat,
        Self::MaxInputBytes,
        Self::MaxOutputBytes,
        Self::MaxGames,
        Self::MaxFolderFiles,
        Self::MaxZipEntries,
        Self::MaxZipBytes,
        Self::MaxZipRatio,
        Self::Backstop,
        Self::Grace,
        Self::SuspectBytes,
        Self::Inbox,
        Self::QuietFile,
        Self::QuietFolder,
        Self::EmptyFile,
        Self::Rescan,
        Self::Poll,
        Self::Watch,
        Self::OutputsMaxAge,
        Self::MaxAge,
        Self::MaxRuns,
        Self::MaxBytes,
        Self::Every,
        Self::Out,
        Self::Drain,
        Self::Probe,
        Self::MetricsFile,
        Self::MetricsEvery,
    ];

    const fn row(self) -> (&'static str, &'static str, Kind) {
        match self {
            Self::State => (TOP, "state", Kind::Path),
            Self::Jobs => (TOP, "jobs", Kind::Jobs),
            Self::LogFormat => (TOP, "log_format", Kind::LogFormat),
            Self::MaxInputBytes => ("limits", "max_input_bytes", Kind::Bytes),
            Self::MaxOutputBytes => ("limits", "max_output_bytes", Kind::Bytes),
            Self::MaxGames => ("limits", "max_games", Kind::Count),
            Self::MaxFolderFiles => ("limits", "max_folder_files", Kind::Count),
            Self::MaxZipEntries => ("limits", "max_zip_entries", Kind::Count),
            Self::MaxZipBytes => ("limits", "max_zip_bytes", Kind::Bytes),
            Self::MaxZipRatio => ("limits", "max_zip_ratio", Kind::Count),
            Self::Backstop => ("engine", "backstop", Kind::Time),
            Self::Grace => ("engine", "grace", Kind::Time),
            Self::SuspectBytes => ("engine", "suspect_bytes", Kind::Bytes),
            Self::Inbox => ("inbox", "dir", Kind::Path),
            Self::QuietFile => ("inbox", "quiet_file", Kind::Time),
            Self::QuietFolder => ("inbox", "quiet_folder", Kind::Time),
            Self::EmptyFile => ("inbox", "empty_file", Kind::Time),
            Self::Rescan => ("inbox", "rescan", Kind::Time),
            Self::Poll => ("inbox", "poll", Kind::Time),
            Self::Watch => ("inbox", "watch", Kind::Watch),
            Self::OutputsMaxAge => ("retention", "outputs_max_age", Kind::Age),
            Self::MaxAge => ("retention", "max_age", Kind::Age),
            Self::MaxRuns => ("retention", "max_runs", Kind::Count),
            Self::MaxBytes => ("retention", "max_bytes", Kind::Bytes),
            Self::Every => ("retention", "every", Kind::Time),
            Self::Out => ("serve", "out", Kind::Flag),
            Self::Drain => ("serve", "drain", Kind::Time),
            Self::Probe => ("serve", "probe", Kind::Time),
            Self::MetricsFile => ("serve", "metrics_file", Kind::Path),
            Self::MetricsEvery => ("serve", "metrics_every", Kind::Time),
        }
    }

    /// What a value of it looks like.
    pub(super) const fn kind(self) -> Kind {
        self.row().2
    }

    /// The variable that sets it.
    pub(super) fn variable(self) -> String {
        format!("SIMDROP_{}", self.to_string().replace('.', "__").to_uppercase())
    }

    /// The key of that name in that section.
    pub(super) fn find(section: &str, name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.row().0 == section && key.row().1 == name)
    }

    /// The keys of a section; all keys if there is no such section.
    pub(super) fn of(section: &str) -> Vec<Self> {
        let known = section == TOP || SECTIONS.contains(&section);
        Self::ALL.into_iter().filter(|key| !known || key.row().0 == section).collect()
    }

    /// The key that was meant by one that is none: a near one of that section or a section of a near
    /// name, else the one of that name in another section.
    pub(super) fn meant(section: &str, name: &str) -> Option<Self> {
        let near = suggestion(section, &SECTIONS);
        let section = near.as_deref().unwrap_or(section);
        let names: Vec<&str> = Self::of(section).iter().map(|key| key.row().1).collect();
        let moved = || Self::ALL.into_iter().find(|key| key.row().1.eq_ignore_ascii_case(name));
        suggestion(name, &names).and_then(|near| Self::find(section, &near)).or_else(moved)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.row() {
            (TOP, name, _) => f.write_str(name),
            (section, name, _) => write!(f, "{section}.{name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Key;

    #[test]
    fn a_key_is_found_by_section_and_name_and_has_one_variable() {
        for key in Key::ALL {
            let (section, name, _) = key.row();
            assert_eq!(Key::find(section, name), Some(key));
        }
        assert_eq!(Key::Jobs.variable(), "SIMDROP_JOBS");
        assert_eq!(Key::MaxGames.variable(), "SIMDROP_LIMITS__MAX_GAMES");
    }

    #[test]
    fn what_was_meant_is_near_or_stands_in_another_section() {
        assert_eq!(Key::meant("", "job"), Some(Key::Jobs));
        assert_eq!(Key::meant("", "max_input_bytes"), Some(Key::MaxInputBytes));
        assert_eq!(Key::meant("limits", "jobs"), Some(Key::Jobs));
        assert_eq!(Key::meant("limit", "max_game"), Some(Key::MaxGames));
        assert_eq!(Key::meant("engine", "colour"), None);
        assert_eq!(Key::meant("nonsense", "colour"), None);
    }
}
