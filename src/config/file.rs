//! Files of settings.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::ConfigError;
use super::key::{Key, SECTIONS, TOP};
use super::origin::Origin;
use super::settings::Setting;
use super::suggest::suggestion;

/// A file that was looked at for settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsFile {
    /// Where.
    pub path: PathBuf,
    /// What was there.
    pub access: Access,
}

/// What became of a look at a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It was read.
    Read,
    /// There is no such file.
    NotThere,
    /// It is not for our eyes.
    NotReadable,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Read => "read",
            Self::NotThere => "not there",
            Self::NotReadable => "not readable",
        })
    }
}

/// Reads a file, which must be there and readable if somebody named it.
pub(super) fn read(path: &Path, named: bool) -> Result<(Access, Vec<(Key, Setting)>), ConfigError> {
    let error = match std::fs::read_to_string(path) {
        Ok(text) => return Ok((Access::Read, parse(&text, path)?)),
        Err(error) => error,
    };
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory if !named => {
            Ok((Access::NotThere, Vec::new()))
        }
        io::ErrorKind::PermissionDenied if !named => Ok((Access::NotReadable, Vec::new())),
        _ => Err(ConfigError::Unreadable { path: path.to_owned(), source: error }),
    }
}

/// Reads the text of a file.
pub(super) fn parse(text: &str, path: &Path) -> Result<Vec<(Key, Setting)>, ConfigError> {
    let page = Page { text, path };
    let mut settings = Vec::new();
    match DeTable::parse(text) {
        Ok(table) => page.read(TOP, table.get_ref(), &mut settings)?,
        Err(error) => {
            let at = error.span().map_or(0, |span| span.start);
            return Err(page.wrong(at, error.message().to_owned()));
        }
    }
    Ok(settings)
}

/// The text of a file, for places in it.
struct Page<'a> {
    text: &'a str,
    path: &'a Path,
}

impl Page<'_> {
    /// Reads the keys of a section in the order of the file, so that the first mistake is told.
    fn read(
        &self,
        section: &str,
        table: &DeTable<'_>,
        settings: &mut Vec<(Key, Setting)>,
    ) -> Result<(), ConfigError> {
        let mut rows: Vec<_> = table.iter().collect();
        rows.sort_by_key(|(name, _)| name.span().start);
        for (name, value) in rows {
            if let Some(key) = Key::find(section, name.get_ref()) {
                settings.push((key, self.setting(key, value)?));
                continue;
            }
            match value.get_ref() {
                DeValue::Table(inner) if section == TOP => self.section(name, inner, settings)?,
                _ => return Err(self.unknown_key(section, name)),
            }
        }
        Ok(())
    }

    fn section(
        &self,
        name: &Spanned<DeString<'_>>,
        table: &DeTable<'_>,
        settings: &mut Vec<(Key, Setting)>,
    ) -> Result<(), ConfigError> {
        let (at, name) = (name.span().start, name.get_ref());
        if SECTIONS.contains(&name.as_ref()) {
            return self.read(name, table, settings);
        }
        let advice = match suggestion(name, &SECTIONS) {
            Some(near) => format!("did you mean {near:?}?"),
            None => format!("the sections are {}", SECTIONS.join(", ")),
        };
        Err(self.wrong(at, format!("unknown section {name:?}; {advice}")))
    }

    fn setting(&self, key: Key, value: &Spanned<DeValue<'_>>) -> Result<Setting, ConfigError> {
        let at = value.span().start;
        let read = key.kind().read(value.get_ref());
        let value = read.map_err(|message| self.wrong(at, format!("{key}: {message}")))?;
        let origin = Origin::File { path: self.path.to_owned(), line: self.place(at).0 };
        Ok(Setting { value, origin })
    }

    fn unknown_key(&self, section: &str, name: &Spanned<DeString<'_>>) -> ConfigError {
        let (at, name) = (name.span().start, name.get_ref());
        if section == TOP && SECTIONS.contains(&name.as_ref()) {
            return self
                .wrong(at, format!("{name} is a section: write [{name}], below it its keys"));
        }
        let full = if section == TOP { name.to_string() } else { format!("{section}.{name}") };
        let advice = match Key::meant(section, name) {
            Some(key) => format!("did you mean \"{key}\"?"),
            None => format!("the keys are {}", keys(section)),
        };
        self.wrong(at, format!("unknown key {full:?}; {advice}"))
    }

    fn wrong(&self, at: usize, message: String) -> ConfigError {
        let (line, column) = self.place(at);
        ConfigError::Wrong { path: self.path.to_owned(), line, column, message }
    }

    /// Line and column of a byte, from 1.
    fn place(&self, at: usize) -> (usize, usize) {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line = before.rfind('\n').map_or(0, |end| end + 1);
        (before.matches('\n').count() + 1, before.len() - line + 1)
    }
}

/// What may stand in a section.
fn keys(section: &str) -> String {
    let mut names: Vec<String> = Key::of(section).iter().map(Key::to_string).collect();
    if section == TOP {
        names.extend(SECTIONS.map(|section| format!("[{section}]")));
    }
    names.join(", ")
}
