//! Checks of files of settings.

use std::path::Path;

use super::{ConfigError, file};

/// A file is read, or what is wrong with it has a place in it.
pub(crate) fn settings(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Err(error) = file::parse(text, Path::new("config.toml")) else { return };
    let ConfigError::Wrong { line, column, .. } = error else {
        unreachable!("{error} has no place");
    };
    assert!((1..=text.matches('\n').count() + 1).contains(&line), "line {line}");
    assert!((1..=text.len() + 1).contains(&column), "column {column}");
}
