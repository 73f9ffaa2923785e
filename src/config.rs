//! The settings: the default file in the program, then files, environment and flags.

use std::env;
use std::ffi::OsString;
use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;

use serde::Deserialize;

/// Every key with its default and its comment.
const DEFAULT: &str = include_str!("../config/default.toml");

/// The most threads that can be asked for; the games need no more than there are cores.
const JOBS_MOST: usize = 1024;

/// What a file says.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    state: Option<PathBuf>,
    jobs: Option<usize>,
    max_input_bytes: Option<u64>,
}

impl Settings {
    /// These settings where they say something, else the others.
    fn over(self, others: Self) -> Self {
        Self {
            state: self.state.or(others.state),
            jobs: self.jobs.or(others.jobs),
            max_input_bytes: self.max_input_bytes.or(others.max_input_bytes),
        }
    }
}

/// What flags say.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// A file of settings.
    pub config: Option<PathBuf>,
    /// The state directory.
    pub state: Option<PathBuf>,
    /// The number of threads; 0 means as many as the machine has for us.
    pub jobs: Option<usize>,
}

/// How much is taken in, played and kept at most. A zip has limits of its own, because a small one may
/// hold much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The largest input, in bytes.
    pub max_input_bytes: u64,
    /// The largest output, and the largest file to compare, in bytes.
    pub max_output_bytes: u64,
    /// The most games of one case.
    pub max_games: u64,
    /// The most entries of a zip.
    pub max_zip_entries: u64,
    /// The most bytes of all entries of a zip, unpacked.
    pub max_zip_bytes: u64,
    /// How many times its own size a zip may unpack to.
    pub max_zip_ratio: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_input_bytes: 256 << 20,
            max_output_bytes: 1 << 30,
            max_games: 10_000_000,
            max_zip_entries: 1_000_000,
            max_zip_bytes: 16 << 30,
            max_zip_ratio: 200,
        }
    }
}

/// What the program goes by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The directory of the store, if anything says where it is.
    state: Option<PathBuf>,
    /// How many threads play, at least 1.
    pub jobs: usize,
    /// The largest input or compared file that is read, in bytes.
    pub max_input_bytes: u64,
}

impl Config {
    /// Reads the files, looks at the environment, and lets flags win.
    ///
    /// # Errors
    /// [`ConfigError`]: a file cannot be read or says something else than settings.
    pub fn load(flags: Overrides) -> Result<Self, ConfigError> {
        let settings = settings(flags.config.as_deref())?;
        let state = [flags.state, variable("SIMDROP_STATE"), settings.state];
        Ok(Self {
            state: state.into_iter().flatten().next().or_else(default_state),
            jobs: threads(flags.jobs.or(settings.jobs).unwrap_or(0))?,
            max_input_bytes: settings.max_input_bytes.unwrap_or(0),
        })
    }

    /// The directory of the store.
    ///
    /// # Errors
    /// [`ConfigError::NoState`]: nothing says where it is.
    pub fn state(&self) -> Result<&Path, ConfigError> {
        self.state.as_deref().ok_or(ConfigError::NoState)
    }
}

/// The default settings with the system's, the user's and the named file over them.
fn settings(named: Option<&Path>) -> Result<Settings, ConfigError> {
    let mut settings = parse(DEFAULT, Path::new("config/default.toml"))?;
    let system = Some(PathBuf::from("/etc/simdrop/config.toml"));
    let user = home_file("XDG_CONFIG_HOME", ".config", "config.toml");
    for path in [system, user].into_iter().flatten() {
        settings = read(&path, false)?.over(settings);
    }
    match named {
        Some(path) => Ok(read(path, true)?.over(settings)),
        None => Ok(settings),
    }
}

/// Reads a file. One that nobody named may be missing, or not for our eyes.
fn read(path: &Path, named: bool) -> Result<Settings, ConfigError> {
    match std::fs::read_to_string(path) {
        Ok(text) => parse(&text, path),
        Err(error) if !named && is_not_for_us(&error) => Ok(Settings::default()),
        Err(source) => Err(ConfigError::Unreadable { path: path.to_owned(), source }),
    }
}

fn is_not_for_us(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied)
}

fn parse(text: &str, path: &Path) -> Result<Settings, ConfigError> {
    toml::from_str(text).map_err(|error| {
        let before = &text[..error.span().map_or(0, |span| span.start)];
        ConfigError::Wrong {
            path: path.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1,
            message: error.message().to_owned(),
        }
    })
}

/// Where state lives if nobody says so.
fn default_state() -> Option<PathBuf> {
    variable("STATE_DIRECTORY").or_else(|| home_file("XDG_STATE_HOME", ".local/state", ""))
}

/// A file of ours below an XDG directory, or below its usual place in the home directory.
fn home_file(xdg: &str, usual: &str, file: &str) -> Option<PathBuf> {
    let base = variable(xdg).or_else(|| Some(variable("HOME")?.join(usual)))?;
    let ours = base.join("simdrop");
    Some(if file.is_empty() { ours } else { ours.join(file) })
}

fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| *value != OsString::new()).map(PathBuf::from)
}

fn threads(asked: usize) -> Result<usize, ConfigError> {
    match asked {
        0 => Ok(thread::available_parallelism().map_or(1, NonZero::get)),
        1..=JOBS_MOST => Ok(asked),
        _ => Err(ConfigError::TooManyJobs { asked }),
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
    /// More threads than make sense anywhere.
    #[error(
        "jobs: {asked} threads, expected at most {JOBS_MOST}; 0 means as many as the machine has"
    )]
    TooManyJobs {
        /// How many were asked for.
        asked: usize,
    },
    /// Nothing says where the store is.
    #[error("no place for the store: set --state, SIMDROP_STATE or HOME")]
    NoState,
}
