//! The settings: the default file in the program, then files, environment and flags.

mod file;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzzing;
mod key;
mod kind;
mod log;
mod manifest;
mod origin;
mod settings;
mod suggest;
mod supervision;
mod surroundings;
mod value;
mod variable;
mod watch;

use kind::Kind;

use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

pub use file::{Access, SettingsFile};
pub use key::Key;
pub use log::LogFormat;
pub use manifest::{Manifest, Word};
pub use origin::Origin;
pub use settings::{Setting, Settings};
pub use suggest::suggestion;
pub use supervision::Supervision;
pub use surroundings::{is_utf8, journal_stream};
pub use value::Value;
pub use watch::WatchMode;

/// What flags say.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// A file of settings.
    pub config: Option<PathBuf>,
    /// The state directory.
    pub state: Option<PathBuf>,
    /// The number of threads; 0 means as many as the machine has for us.
    pub jobs: Option<usize>,
    /// What a line of the log looks like.
    pub log_format: Option<LogFormat>,
}

/// How much is taken in, played and kept at most, each at least 1. A zip has limits of its own, because
/// a small one may hold much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The largest input, in bytes.
    pub max_input_bytes: u64,
    /// The largest output, and the largest file to compare, in bytes.
    pub max_output_bytes: u64,
    /// The most games of one case.
    pub max_games: u64,
    /// The most files of a folder.
    pub max_folder_files: u64,
    /// The most entries of a zip.
    pub max_zip_entries: u64,
    /// The most bytes of all entries of a zip, unpacked.
    pub max_zip_bytes: u64,
    /// How many times its own size a zip may unpack to.
    pub max_zip_ratio: u64,
}

/// How the engine deals with cases that take too long or fail. None is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EngineSettings {
    /// A slice of work that takes longer is taken back.
    pub backstop: Duration,
    /// How long a thread may take to come back after that.
    pub grace: Duration,
    /// How much memory the child process may use that plays a suspect, in bytes.
    pub suspect_bytes: u64,
}

/// When what lies in the inbox is taken. No duration is 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxConfig {
    /// The directory; `None` means `inbox` in the state directory.
    pub dir: Option<PathBuf>,
    /// How long a file must hold still.
    pub quiet_file: Duration,
    /// How long a folder must hold still, with all that is in it.
    pub quiet_folder: Duration,
    /// How long an empty file may stay empty.
    pub empty_file: Duration,
    /// How often everything is looked at, whatever the watcher says.
    pub rescan: Duration,
    /// How often everything is looked at where there is no watcher.
    pub poll: Duration,
    /// How it is watched.
    pub watch: WatchMode,
}

/// How the daemon stops and goes on, and what it tells. No duration is 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServeSettings {
    /// Whether outputs are written to `out`.
    pub out: bool,
    /// How long games may go on after it was told to stop, or to read its settings anew.
    pub drain: Duration,
    /// How often a full disk is tried again.
    pub probe: Duration,
    /// The file that the numbers for monitoring are written to; `None`: they are not.
    pub metrics_file: Option<PathBuf>,
    /// How often that is done.
    pub metrics_every: Duration,
}

/// What is removed from the store, and how often the daemon sees to it. `None`: nothing, for that reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionSettings {
    /// Outputs that no younger run uses are dropped.
    pub outputs_max_age: Option<Duration>,
    /// Older runs are removed.
    pub max_age: Option<Duration>,
    /// How many runs are kept.
    pub max_runs: Option<u64>,
    /// How many bytes of the store may be in use.
    pub max_bytes: Option<u64>,
    /// How often the daemon sees to it; not 0.
    pub every: Duration,
}

/// What the program goes by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The directory of the store, if anything says where it is.
    state: Option<PathBuf>,
    /// How many threads play, at least 1.
    pub jobs: usize,
    /// What a line of the log looks like.
    pub log_format: LogFormat,
    /// How much is taken in, played and kept.
    pub limits: Limits,
    /// How the engine deals with trouble.
    pub engine: EngineSettings,
    /// When what lies in the inbox is taken.
    pub inbox: InboxConfig,
    /// What is removed from the store.
    pub retention: RetentionSettings,
    /// How the daemon stops and goes on.
    pub serve: ServeSettings,
}

impl Config {
    /// Reads the files, looks at the environment, and lets flags win.
    ///
    /// # Errors
    /// [`ConfigError`]: a file cannot be read, or something says what is no setting.
    pub fn load(flags: &Overrides) -> Result<Self, ConfigError> {
        Self::of(&Settings::load(flags)?)
    }

    /// The same with another directory of the store.
    #[must_use]
    pub fn at(mut self, state: &Path) -> Self {
        self.state = Some(state.to_owned());
        self
    }

    /// The directory of the store.
    ///
    /// # Errors
    /// [`ConfigError::NoState`]: nothing says where it is.
    pub fn state(&self) -> Result<&Path, ConfigError> {
        self.state.as_deref().ok_or(ConfigError::NoState)
    }

    /// The directory that is watched if nobody names another one.
    ///
    /// # Errors
    /// [`ConfigError::NoState`]: nothing says where it is.
    pub fn inbox_dir(&self) -> Result<PathBuf, ConfigError> {
        match &self.inbox.dir {
            Some(dir) => Ok(dir.clone()),
            None => Ok(self.state()?.join("inbox")),
        }
    }

    fn of(settings: &Settings) -> Result<Self, ConfigError> {
        Ok(Self {
            state: settings.path(Key::State).map(Path::to_owned),
            jobs: threads(settings.number(Key::Jobs)?),
            log_format: settings.log_format()?,
            limits: Limits::of(settings)?,
            engine: EngineSettings::of(settings)?,
            inbox: InboxConfig::of(settings)?,
            retention: RetentionSettings::of(settings)?,
            serve: ServeSettings::of(settings)?,
        })
    }
}

impl Limits {
    fn of(settings: &Settings) -> Result<Self, ConfigError> {
        Ok(Self {
            max_input_bytes: settings.number(Key::MaxInputBytes)?,
            max_output_bytes: settings.number(Key::MaxOutputBytes)?,
            max_games: settings.number(Key::MaxGames)?,
            max_folder_files: settings.number(Key::MaxFolderFiles)?,
            max_zip_entries: settings.number(Key::MaxZipEntries)?,
            max_zip_bytes: settings.number(Key::MaxZipBytes)?,
            max_zip_ratio: settings.number(Key::MaxZipRatio)?,
        })
    }
}

impl EngineSettings {
    fn of(settings: &Settings) -> Result<Self, ConfigError> {
        Ok(Self {
            backstop: settings.time(Key::Backstop)?,
            grace: settings.time(Key::Grace)?,
            suspect_bytes: settings.number(Key::SuspectBytes)?,
        })
    }
}

impl InboxConfig {
    fn of(settings: &Settings) -> Result<Self, ConfigError> {
        Ok(Self {
            dir: settings.path(Key::Inbox).map(Path::to_owned),
            quiet_file: settings.time(Key::QuietFile)?,
            quiet_folder: settings.time(Key::QuietFolder)?,
            empty_file: settings.time(Key::EmptyFile)?,
            rescan: settings.time(Key::Rescan)?,
            poll: settings.time(Key::Poll)?,
            watch: settings.watch(Key::Watch)?,
        })
    }
}

impl RetentionSettings {
    fn of(settings: &Settings) -> Result<Self, ConfigError> {
        Ok(Self {
            outputs_max_age: settings.time(Key::OutputsMaxAge).ok(),
            max_age: settings.time(Key::MaxAge).ok(),
            max_runs: settings.number(Key::MaxRuns).ok(),
            max_bytes: settings.number(Key::MaxBytes).ok(),
            every: settings.time(Key::Every)?,
        })
    }
}

impl ServeSettings {
    fn of(settings: &Settings) -> Result<Self, ConfigError> {
        Ok(Self {
            out: settings.flag(Key::Out)?,
            drain: settings.time(Key::Drain)?,
            probe: settings.time(Key::Probe)?,
            metrics_file: settings.path(Key::MetricsFile).map(Path::to_owned),
            metrics_every: settings.time(Key::MetricsEvery)?,
        })
    }
}

/// The crash point that the environment arms (see [`crate::domain::crash_point`]).
#[cfg(feature = "faults")]
#[must_use]
pub fn crash_point() -> Option<String> {
    std::env::var("SIMDROP_CRASH_POINT").ok()
}

/// Reads a duration as settings have them: `30s`, `5min`, `50 ms`.
///
/// # Errors
/// What was expected.
pub fn duration(text: &str) -> Result<Duration, String> {
    match Kind::Time.read_text(text.as_ref())? {
        Value::Time(time) => Ok(time),
        _ => Err("expected a duration, such as 30s".to_owned()),
    }
}

/// How many threads play if so many were asked for.
fn threads(asked: u64) -> usize {
    match usize::try_from(asked) {
        Ok(asked @ 1..) => asked,
        _ => thread::available_parallelism().map_or(1, NonZero::get),
    }
}

/// What can be wrong with the settings.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file cannot be read.
    #[error("{}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// A file says something that is no setting.
    #[error("{}: line {line}, column {column}: {message}", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column, from 1, in bytes.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// A variable or a flag says something that is no setting.
    #[error("{name}: {message}")]
    Refused {
        /// The variable or the flag.
        name: String,
        /// What is wrong.
        message: String,
    },
    /// `config/default.toml` lacks a key: a bug of ours.
    #[error("{key}: no default in config/default.toml")]
    NoDefault {
        /// The key.
        key: Key,
    },
    /// Nothing says where the store is.
    #[error("no place for the store: set --state, SIMDROP_STATE or HOME")]
    NoState,
}
