//! What is wrong or odd about test data, told without playing.

use std::collections::HashMap;

use serde::Serialize;

use super::{About, Plan, Request};
use crate::config::{ConfigError, Limits};
use crate::domain::{CaseError, ContentHash, ErrorCode, SimulatorId, Warning, catching, natural};
use crate::engine::too_many_games;
use crate::ingest::{Cap, Entry, FileRef, IngestError, Listing, Sanity, Seen, unchanged};
use crate::sim::{self, Reading};

/// What was found.
#[derive(Debug, Default)]
pub struct Lint {
    /// How many inputs there are.
    pub cases: u64,
    /// What was found besides cases, and by which rules.
    pub about: About,
    /// What is wrong or odd: by file in natural order, then by place.
    pub findings: Vec<Finding>,
}

/// Something wrong or odd.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The path of the file below what was handed over; empty for that itself.
    pub file: Vec<u8>,
    /// The line, from 1, if it has a place in the file.
    pub line: Option<u64>,
    /// The column, from 1, in bytes.
    pub column: Option<u64>,
    /// How bad it is.
    pub level: Level,
    /// Its kind, as a word that scripts may rely on.
    pub code: String,
    /// What was found.
    pub message: String,
}

/// How bad something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// A case cannot be played or compared.
    Error,
    /// It works, and may not be meant so.
    Warning,
}

impl Level {
    /// The name people see.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// Looks at all that was handed over. What a run would reject as a whole is a finding, too.
///
/// # Errors
/// [`IngestError`]: it is not there, or cannot be listed.
pub fn lint(request: &Request, limits: &Limits) -> Result<Lint, IngestError> {
    let plan = match Plan::new(request, limits) {
        Ok(plan) => plan,
        Err(error) => {
            let findings = vec![rejection(error)?];
            return Ok(Lint { findings, ..Lint::default() });
        }
    };
    let mut linter = Linter {
        simulator: plan.simulator,
        limits,
        first_with: HashMap::new(),
        first_in: HashMap::new(),
        findings: Vec::new(),
    };
    linter.names(&plan.listing);
    plan.listing.entries.iter().for_each(|entry| linter.case(entry));
    let mut findings = linter.findings;
    findings.sort_by(|left, right| {
        let place = |finding: &Finding| (finding.line, finding.column);
        natural(&left.file, &right.file).then_with(|| place(left).cmp(&place(right)))
    });
    let cases = plan.listing.entries.len() as u64;
    Ok(Lint { cases, about: About::new(&plan.listing), findings })
}

/// Why all of it is rejected, if that is its own fault.
fn rejection(error: IngestError) -> Result<Finding, IngestError> {
    let manifest = b"simdrop.toml";
    Ok(match error {
        IngestError::Manifest(ConfigError::Wrong { line, column, message, .. }) => Finding {
            line: Some(line as u64),
            column: Some(column as u64),
            ..Finding::new(manifest, Level::Error, "manifest", message)
        },
        IngestError::BadZip { reason, .. } => Finding::new(b"", Level::Error, "bad-zip", reason),
        IngestError::NoFile { path, source } if source.code != ErrorCode::Unreadable => {
            let is_manifest = path.file_name().is_some_and(|name| name == "simdrop.toml");
            Finding::of_error(if is_manifest { manifest } else { b"" }, source)
        }
        other => return Err(other),
    })
}

/// The word of [`Sanity`] for blanks at the ends of lines.
const BLANKS: &str = "trailing-blanks";

/// Collects findings.
struct Linter<'a> {
    simulator: Option<SimulatorId>,
    limits: &'a Limits,
    /// The first input with each content.
    first_with: HashMap<ContentHash, Vec<u8>>,
    /// The simulator of the first input in each folder, and whether another one was told.
    first_in: HashMap<Vec<u8>, (SimulatorId, bool)>,
    findings: Vec<Finding>,
}

impl Linter<'_> {
    fn warn(&mut self, file: &[u8], code: &str, message: impl Into<String>) {
        self.findings.push(Finding::new(file, Level::Warning, code, message));
    }

    /// What the names alone say.
    fn names(&mut self, listing: &Listing) {
        let lists = [
            (&listing.orphans, "orphan", "an answer without an input"),
            (&listing.beside, "beside", "left alone: the .ans beside it is the reference"),
            (&listing.skipped, "skipped", "no rule names it and no simulator knows it"),
            (&listing.too_deep, "too-deep", "a folder that lies too deep, left alone"),
        ];
        for (files, code, message) in lists {
            files.iter().for_each(|file| self.warn(file, code, message));
        }
        let entries = &listing.entries;
        if entries.is_empty() {
            let message = "no input, neither by a rule nor by what a file holds";
            self.findings.push(Finding::new(b"", Level::Error, "no-input", message));
        }
        // Where nothing has an answer nobody misses any.
        if listing.unanswered < entries.len() as u64 {
            for entry in entries.iter().filter(|entry| entry.compared.is_none()) {
                self.warn(entry.input.path(), "no-answer", "an input without an answer");
            }
        }
        if let Some([left, right]) = entries.windows(2).find(|pair| pair[0].name() > pair[1].name())
        {
            let name = left.name();
            let name = String::from_utf8_lossy(&name);
            let message = format!("comes after {name}, but before it in plain order of bytes");
            self.warn(right.input.path(), "order", message);
        }
    }

    /// What the content of a case says.
    fn case(&mut self, entry: &Entry) {
        let simulator = self.input(entry).unwrap_or_else(|error| {
            self.findings.push(Finding::of_error(entry.input.path(), error));
            None
        });
        let Some(answer) = &entry.compared else { return };
        let cap = Cap { bytes: self.limits.max_output_bytes, key: "max_output_bytes" };
        match sanity(answer, cap) {
            Ok(mut warnings) => {
                // MTJ's judge prints a blank after each card, so that nobody wrote these by mistake.
                let is_meant = |code: &str| simulator == Some(SimulatorId::Mtj) && code == BLANKS;
                warnings.retain(|warning| !is_meant(&warning.code));
                self.warn_all(answer.path(), warnings);
            }
            Err(error) => self.findings.push(Finding::of_error(answer.path(), error)),
        }
    }

    /// Reads an input; the simulator it is for.
    fn input(&mut self, entry: &Entry) -> Result<Option<SimulatorId>, CaseError> {
        let cap = Cap { bytes: self.limits.max_input_bytes, key: "max_input_bytes" };
        let bytes = entry.input.bytes(cap)?;
        self.note_content(entry, &bytes);
        let hint = self.simulator.or(entry.hint);
        let read = catching(|| sim::read(&bytes, hint));
        let read = read.map_err(|message| CaseError::new(ErrorCode::Panic, message))?;
        let Reading { input, warnings } = read.map_err(|refused| refused.error)?;
        self.warn_all(entry.input.path(), warnings);
        self.note_simulator(entry, input.simulator());
        match input.games() {
            games if games > self.limits.max_games => {
                Err(too_many_games(games, self.limits.max_games))
            }
            _ => Ok(Some(input.simulator())),
        }
    }

    fn note_content(&mut self, entry: &Entry, bytes: &[u8]) {
        let path = entry.input.path();
        let first = self.first_with.entry(ContentHash::of(bytes)).or_insert_with(|| path.to_vec());
        if first != path {
            let message = format!("the same input as {}", String::from_utf8_lossy(first));
            self.warn(path, "duplicate", message);
        }
    }

    /// Warns once for each folder whose inputs are for several simulators.
    fn note_simulator(&mut self, entry: &Entry, simulator: SimulatorId) {
        let path = entry.input.path();
        let folder = path.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
        let folder = path[..folder].to_vec();
        let (first, told) = self.first_in.entry(folder).or_insert((simulator, false));
        if *first != simulator && !*told {
            *told = true;
            let message = format!("an input of {simulator}; the first one here is of {first}");
            self.warn(path, "mixed", message);
        }
    }

    fn warn_all(&mut self, file: &[u8], warnings: Vec<Warning>) {
        self.findings.extend(warnings.into_iter().map(|warning| Finding::of(file, warning)));
    }
}

/// What is odd about the text of an answer.
fn sanity(answer: &FileRef, cap: Cap) -> Result<Vec<Warning>, CaseError> {
    unchanged(|| {
        let mut sanity = Sanity::default();
        let read = answer.read(cap, &mut |part| sanity.feed(part));
        read.map(|seen| (seen == Seen::Whole).then(|| sanity.finish())).transpose()
    })?
}

/// The word for a code that scripts know from other commands.
fn word(code: ErrorCode) -> String {
    let word = serde_json::to_value(code).ok();
    word.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
}

impl Finding {
    fn new(file: &[u8], level: Level, code: &str, message: impl Into<String>) -> Self {
        let (file, code) = (file.to_vec(), code.to_owned());
        Self { file, line: None, column: None, level, code, message: message.into() }
    }

    fn of_error(file: &[u8], error: CaseError) -> Self {
        let (line, column) = (error.line, error.column);
        Self { line, column, ..Self::new(file, Level::Error, &word(error.code), error.message) }
    }

    fn of(file: &[u8], mut warning: Warning) -> Self {
        let (line, column) = (warning.line.take(), warning.column.take());
        // Without its place a warning prints what was found and how often.
        let message = warning.to_string();
        Self { line, column, ..Self::new(file, Level::Warning, &warning.code, message) }
    }
}
