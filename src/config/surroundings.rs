//! What is around the program: the system's settings, the environment, the user's folders.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use super::origin::Origin;
use super::settings::Setting;
use super::value::Value;

/// What is around the program, apart from it so that tests can make their own.
#[derive(Debug)]
pub(super) struct Surroundings {
    /// The system's file of settings.
    pub(super) system: PathBuf,
    /// The environment.
    pub(super) variables: BTreeMap<OsString, OsString>,
}

/// Whether the locale says that a terminal understands UTF-8.
#[must_use]
pub fn is_utf8() -> bool {
    let surroundings = Surroundings::real();
    let names = ["LC_ALL", "LC_CTYPE", "LANG"];
    let locale = names.into_iter().find_map(|name| surroundings.variable(name));
    locale.is_some_and(|locale| {
        let locale = locale.to_string_lossy().to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

/// What systemd says is connected to its journal: a device and a file of it.
#[must_use]
pub fn journal_stream() -> Option<String> {
    let surroundings = Surroundings::real();
    surroundings.variable("JOURNAL_STREAM").map(|stream| stream.to_string_lossy().into_owned())
}

impl Surroundings {
    /// Those of this process.
    pub(super) fn real() -> Self {
        let system = PathBuf::from("/etc/simdrop/config.toml");
        Self { system, variables: env::vars_os().collect() }
    }

    /// The user's file of settings.
    pub(super) fn user(&self) -> Option<PathBuf> {
        let (folder, _) = self.folder("XDG_CONFIG_HOME", ".config")?;
        Some(folder.join("config.toml"))
    }

    /// Where state lives if nobody says so.
    pub(super) fn state(&self) -> Option<Setting> {
        let (path, name) =
            self.systemd().or_else(|| self.folder("XDG_STATE_HOME", ".local/state"))?;
        Some(Setting { value: Value::Path(path), origin: Origin::Variable(name.to_owned()) })
    }

    /// The first of the directories that systemd gives a service.
    fn systemd(&self) -> Option<(PathBuf, &'static str)> {
        let name = "STATE_DIRECTORY";
        let first = env::split_paths(self.variable(name)?).next()?;
        Some((first, name)).filter(|(first, _)| !first.as_os_str().is_empty())
    }

    /// Our folder in an XDG directory, or in its usual place below the home directory, with the variable
    /// that says so.
    fn folder(&self, xdg: &'static str, usual: &str) -> Option<(PathBuf, &'static str)> {
        let named = self.variable(xdg).map(|base| (PathBuf::from(base), xdg));
        let home = || Some((PathBuf::from(self.variable("HOME")?).join(usual), "HOME"));
        let (base, name) = named.or_else(home)?;
        Some((base.join("simdrop"), name))
    }

    /// A variable; an empty one is not set.
    pub(super) fn variable(&self, name: &str) -> Option<&OsStr> {
        self.variables
            .get(OsStr::new(name))
            .map(OsString::as_os_str)
            .filter(|text| !text.is_empty())
    }
}
