//! What is said beside the result, on standard error.

use std::io;

use anstream::{AutoStream, ColorChoice};
use clap::ValueEnum;

use super::Global;
use crate::config::{LogFormat, journal_stream};
use crate::exit::Exit;
use crate::logging::{self, TOLD, Voice};

/// What lines look like if somebody says so.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Form {
    Text,
    Json,
}

impl Form {
    pub(super) const fn format(self) -> LogFormat {
        match self {
            Self::Text => LogFormat::Text,
            Self::Json => LogFormat::Json,
        }
    }
}

/// How the program speaks of itself; a daemon never waits for whoever reads it. Wrong settings are told of
/// by whoever needs them.
pub(super) fn of(global: &Global, is_daemon: bool) -> Voice {
    let flag = global.log_format.map(Form::format);
    let set = || global.config(None).map(|config| config.log_format).unwrap_or_default();
    let color = AutoStream::choice(&io::stderr()) != ColorChoice::Never;
    let form = match flag.unwrap_or_else(set) {
        LogFormat::Json => logging::Form::Json,
        LogFormat::Auto if is_daemon && is_journal() => logging::Form::Journal,
        LogFormat::Auto | LogFormat::Text => logging::Form::Text { color },
    };
    Voice { verbose: global.verbose, form, queued: is_daemon }
}

fn is_journal() -> bool {
    journal_stream().is_some_and(|stream| logging::is_journal(&stream))
}

/// Says something.
pub(super) fn note(text: &str) {
    tracing::info!(target: TOLD, "{text}");
}

/// Says what went wrong.
pub(super) fn complain(what: &str) {
    tracing::error!(target: TOLD, "{what}");
}

/// Says why the answer is no.
pub(super) fn refuse(reason: &str) -> Exit {
    complain(reason);
    Exit::No
}
