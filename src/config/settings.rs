//! The layers of settings, one over the other.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::file::{self, SettingsFile};
use super::key::Key;
use super::log::LogFormat;
use super::origin::Origin;
use super::surroundings::Surroundings;
use super::value::Value;
use super::watch::WatchMode;
use super::{ConfigError, Overrides, variable};

/// Every key with its default and its comment.
const DEFAULT: &str = include_str!("../../config/default.toml");

/// A value with where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The value.
    pub value: Value,
    /// Where it came from.
    pub origin: Origin,
}

/// What holds for each key, and where it came from.
#[derive(Debug, Default)]
pub struct Settings {
    values: BTreeMap<Key, Setting>,
    files: Vec<SettingsFile>,
}

impl Settings {
    /// Reads the files, looks at the environment, and lets flags win.
    ///
    /// # Errors
    /// [`ConfigError`]: a file cannot be read, or something says what is no setting.
    pub fn load(flags: &Overrides) -> Result<Self, ConfigError> {
        Self::gather(flags, &Surroundings::real())
    }

    /// Each key in the order of `config/default.toml`, with what holds for it, if anything does.
    pub fn iter(&self) -> impl Iterator<Item = (Key, Option<&Setting>)> {
        Key::ALL.into_iter().map(|key| (key, self.values.get(&key)))
    }

    /// The files that were looked at; what is read later wins.
    pub fn files(&self) -> &[SettingsFile] {
        &self.files
    }

    /// All layers, the weakest first.
    pub(super) fn gather(flags: &Overrides, around: &Surroundings) -> Result<Self, ConfigError> {
        let mut settings = Self::defaults()?;
        settings.lay(around.state().map(|setting| (Key::State, setting)));
        settings.read(around.system.clone(), false)?;
        if let Some(user) = around.user() {
            settings.read(user, false)?;
        }
        if let Some(named) = &flags.config {
            settings.read(named.clone(), true)?;
        }
        settings.lay(variable::read(&around.variables)?);
        settings.lay(flagged(flags)?);
        Ok(settings)
    }

    /// What `config/default.toml` says.
    pub(super) fn defaults() -> Result<Self, ConfigError> {
        let mut settings = Self::default();
        for (key, mut setting) in file::parse(DEFAULT, Path::new("config/default.toml"))? {
            setting.origin = Origin::Default;
            settings.lay([(key, setting)]);
        }
        Ok(settings)
    }

    /// The path that a key has, if any.
    pub(super) fn path(&self, key: Key) -> Option<&Path> {
        match &self.values.get(&key)?.value {
            Value::Path(path) => Some(path),
            _ => None,
        }
    }

    /// The number or size that a key has.
    pub(super) fn number(&self, key: Key) -> Result<u64, ConfigError> {
        match self.values.get(&key).map(|setting| &setting.value) {
            Some(Value::Count(number) | Value::Bytes(number)) => Ok(*number),
            _ => Err(ConfigError::NoDefault { key }),
        }
    }

    /// The duration that a key has.
    pub(super) fn time(&self, key: Key) -> Result<Duration, ConfigError> {
        match self.values.get(&key).map(|setting| &setting.value) {
            Some(Value::Time(time)) => Ok(*time),
            _ => Err(ConfigError::NoDefault { key }),
        }
    }

    /// Whether something is done.
    pub(super) fn flag(&self, key: Key) -> Result<bool, ConfigError> {
        match self.values.get(&key).map(|setting| &setting.value) {
            Some(Value::Flag(is_done)) => Ok(*is_done),
            _ => Err(ConfigError::NoDefault { key }),
        }
    }

    /// How the inbox is watched.
    pub(super) fn watch(&self, key: Key) -> Result<WatchMode, ConfigError> {
        match self.values.get(&key).map(|setting| &setting.value) {
            Some(Value::Watch(mode)) => Ok(*mode),
            _ => Err(ConfigError::NoDefault { key }),
        }
    }

    /// What a line of the log looks like.
    pub(super) fn log_format(&self) -> Result<LogFormat, ConfigError> {
        match self.values.get(&Key::LogFormat).map(|setting| &setting.value) {
            Some(Value::LogFormat(format)) => Ok(*format),
            _ => Err(ConfigError::NoDefault { key: Key::LogFormat }),
        }
    }

    fn read(&mut self, path: PathBuf, named: bool) -> Result<(), ConfigError> {
        let (access, settings) = file::read(&path, named)?;
        self.lay(settings);
        self.files.push(SettingsFile { path, access });
        Ok(())
    }

    /// Lays settings over these.
    fn lay(&mut self, settings: impl IntoIterator<Item = (Key, Setting)>) {
        self.values.extend(settings);
    }
}

/// What flags set.
fn flagged(flags: &Overrides) -> Result<Vec<(Key, Setting)>, ConfigError> {
    let state = flags.state.clone().map(|path| (Key::State, "--state", path.into_os_string()));
    let jobs = flags.jobs.map(|jobs| (Key::Jobs, "--jobs", OsString::from(jobs.to_string())));
    let set = |(key, name, text): (Key, &'static str, OsString)| match key.kind().read_text(&text) {
        Ok(value) => Ok((key, Setting { value, origin: Origin::Flag(name) })),
        Err(message) => Err(ConfigError::Refused { name: name.to_owned(), message }),
    };
    let format =
        flags.log_format.map(|format| (Key::LogFormat, "--log-format", format.name().into()));
    [state, jobs, format].into_iter().flatten().map(set).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use tempfile::TempDir;

    use super::super::{Config, Limits, Overrides};
    use super::{Key, Settings, Surroundings};

    #[test]
    fn each_layer_wins_over_the_layers_below_it() {
        let place = TempDir::new().expect("a temporary directory");
        let path = |name| place.path().join(name);
        let mut flags = Overrides::default();
        let mut around = Surroundings { system: path("system"), variables: BTreeMap::new() };
        around.variables.insert("XDG_CONFIG_HOME".into(), place.path().into());
        fs::create_dir(path("simdrop")).expect("a folder");
        let jobs = |flags: &Overrides, around: &Surroundings| {
            let settings = Settings::gather(flags, around).expect("settings");
            let (_, setting) = settings.iter().find(|(key, _)| *key == Key::Jobs).expect("a key");
            let setting = setting.expect("a value");
            let origin = setting.origin.to_string();
            (setting.value.to_string(), origin.replace(&*place.path().to_string_lossy(), "."))
        };
        let layer = |jobs: &str, origin: &str| (jobs.to_owned(), origin.to_owned());

        assert_eq!(jobs(&flags, &around), layer("0", "default"));
        fs::write(&around.system, "\njobs = 1").expect("a file");
        assert_eq!(jobs(&flags, &around), layer("1", "./system, line 2"));
        fs::write(path("simdrop/config.toml"), "jobs = 2").expect("a file");
        assert_eq!(jobs(&flags, &around), layer("2", "./simdrop/config.toml, line 1"));
        flags.config = Some(path("named"));
        fs::write(path("named"), "jobs = 3").expect("a file");
        assert_eq!(jobs(&flags, &around), layer("3", "./named, line 1"));
        around.variables.insert("SIMDROP_JOBS".into(), "4".into());
        assert_eq!(jobs(&flags, &around), layer("4", "SIMDROP_JOBS"));
        flags.jobs = Some(5);
        assert_eq!(jobs(&flags, &around), layer("5", "--jobs"));
    }

    #[test]
    fn the_default_file_says_all_but_the_places_and_what_is_removed() {
        let settings = Settings::defaults().expect("the default file");
        let without: Vec<Key> =
            settings.iter().filter(|(_, setting)| setting.is_none()).map(|(key, _)| key).collect();
        let removed = [Key::OutputsMaxAge, Key::MaxAge, Key::MaxRuns, Key::MaxBytes];
        let named = [&[Key::State, Key::Inbox][..], &removed, &[Key::MetricsFile]].concat();
        assert_eq!(without, named);
        let config = Config::of(&settings).expect("a configuration");
        assert!(config.jobs > 0);
        let limits = Limits {
            max_input_bytes: 256 << 20,
            max_output_bytes: 1 << 30,
            max_games: 10_000_000,
            max_folder_files: 1_000_000,
            max_zip_entries: 1_000_000,
            max_zip_bytes: 16 << 30,
            max_zip_ratio: 200,
        };
        assert_eq!(config.limits, limits);
    }
}
