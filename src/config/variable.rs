//! Settings in the environment.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use super::ConfigError;
use super::key::{Key, TOP};
use super::origin::Origin;
use super::settings::Setting;
use super::suggest::suggestion;

/// How our variables begin.
const OURS: &str = "SIMDROP_";

/// What stands between the section and the key.
const BETWEEN: &str = "__";

/// Reads the variables that are settings. One that looks like a key of a section has to be one; other
/// programs of the house use other names that begin like ours.
pub(super) fn read(
    variables: &BTreeMap<OsString, OsString>,
) -> Result<Vec<(Key, Setting)>, ConfigError> {
    let mut settings = Vec::new();
    for (name, value) in variables.iter().filter(|(_, value)| !value.is_empty()) {
        let name = name.to_string_lossy();
        if !name.starts_with(OURS) {
            continue;
        }
        match Key::ALL.into_iter().find(|key| key.variable() == name) {
            Some(key) => settings.push((key, setting(key, &name, value)?)),
            None if name.contains(BETWEEN) || is_near(&name) => return Err(unknown(&name)),
            None => {}
        }
    }
    Ok(settings)
}

fn setting(key: Key, name: &str, value: &OsStr) -> Result<Setting, ConfigError> {
    let refused = |message| ConfigError::Refused { name: name.to_owned(), message };
    let value = key.kind().read_text(value).map_err(refused)?;
    Ok(Setting { value, origin: Origin::Variable(name.to_owned()) })
}

/// Whether it is so near to one of ours that it is meant to be one.
fn is_near(name: &str) -> bool {
    let known: Vec<String> = Key::ALL.into_iter().map(Key::variable).collect();
    let known: Vec<&str> = known.iter().filter_map(|known| known.strip_prefix(OURS)).collect();
    let words = name.trim_start_matches(OURS).replace('_', "");
    let known: Vec<String> = known.iter().map(|known| known.replace('_', "")).collect();
    suggestion(&words, &known.iter().map(String::as_str).collect::<Vec<_>>()).is_some()
}

fn unknown(name: &str) -> ConfigError {
    let words = name.trim_start_matches(OURS).trim_start_matches('_').to_lowercase();
    let (section, key) = words.split_once(BETWEEN).unwrap_or((TOP, &words));
    let advice = match Key::meant(section, key) {
        Some(key) => format!("did you mean {}?", key.variable()),
        None => {
            let names: Vec<String> = Key::of(section).into_iter().map(Key::variable).collect();
            format!("there are {}", names.join(", "))
        }
    };
    ConfigError::Refused { name: name.to_owned(), message: format!("no such setting; {advice}") }
}
