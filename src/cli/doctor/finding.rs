//! Something that a check has found.

use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::cli::json;
use crate::cli::render::printable;

/// How much it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Level {
    /// As it should be.
    Ok,
    /// Nothing is lost and all goes on, but somebody should do something.
    Warning,
    /// Something does not work.
    Problem,
}

/// What there is, why, and what to type.
#[derive(Debug)]
pub(super) struct Finding {
    pub(super) level: Level,
    what: String,
    why: Option<String>,
    path: Option<PathBuf>,
    /// Commands for a shell, the best one first. Any of them will do.
    commands: Vec<String>,
}

impl Finding {
    fn new(level: Level, what: impl Into<String>) -> Self {
        Self { level, what: what.into(), why: None, path: None, commands: Vec::new() }
    }

    pub(super) fn ok(what: impl Into<String>) -> Self {
        Self::new(Level::Ok, what)
    }

    pub(super) fn warning(what: impl Into<String>) -> Self {
        Self::new(Level::Warning, what)
    }

    pub(super) fn problem(what: impl Into<String>) -> Self {
        Self::new(Level::Problem, what)
    }

    pub(super) fn because(self, why: impl Into<String>) -> Self {
        Self { why: Some(why.into()), ..self }
    }

    /// Which file or folder it is about.
    pub(super) fn at(self, path: &Path) -> Self {
        Self { path: Some(path.to_owned()), ..self }
    }

    pub(super) fn typing(mut self, command: impl Into<String>) -> Self {
        self.commands.push(command.into());
        self
    }

    pub(super) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let what = printable(self.what.as_bytes());
        writeln!(out, "{:9}{what}", self.level.name())?;
        if let Some(why) = &self.why {
            writeln!(out, "{:9}{}", "", printable(why.as_bytes()))?;
        }
        for (at, command) in self.commands.iter().enumerate() {
            let word = if at == 0 { "type:" } else { "or:" };
            writeln!(out, "{:9}{word:6}{command}", "")?;
        }
        Ok(())
    }
}

impl Level {
    const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Problem => "problem",
        }
    }
}

/// A finding as JSON.
#[derive(Debug, Serialize)]
pub(super) struct Row<'a> {
    schema: u32,
    level: Level,
    check: &'static str,
    what: &'a str,
    why: Option<&'a str>,
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_b64: Option<String>,
    r#type: &'a [String],
}

impl<'a> Row<'a> {
    pub(super) fn new(check: &'static str, finding: &'a Finding) -> Self {
        let path = finding.path.as_ref().map(|path| path.as_os_str().as_bytes());
        Self {
            schema: json::SCHEMA,
            level: finding.level,
            check,
            what: &finding.what,
            why: finding.why.as_deref(),
            path: path.map(json::lossy),
            path_b64: path.and_then(json::base64),
            r#type: &finding.commands,
        }
    }
}
