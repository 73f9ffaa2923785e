//! `simdrop lint`: what is wrong or odd about test data.

use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::json::{SCHEMA, base64, lossy};
use super::render::{self, Format, FormatArgs, plural, printable};
use super::report::{self, complain_about};
use super::run::InputArgs;
use super::{CliError, Global, Out};
use crate::config::Limits;
use crate::exit::Exit;
use crate::ingest::{IngestError, Origin};
use crate::service::{About, Finding, Level, Lint, lint};

/// Look for what is wrong or odd about test data, without playing
#[derive(Debug, Args)]
#[command(
    after_help = "Errors are what a run would answer with BADIN or reject: inputs that are not valid \
or larger than the limits, files that cannot be read, zips and manifests that are wrong, and nothing that \
is an input. Warnings are what works and may not be meant: answers and inputs without each other, files \
that are left alone, equal inputs, several simulators in one folder, an order that other tools do not \
share, and texts with CR LF, blanks at line ends, no newline at the end and the like.\n\n\
Each line is PATH:LINE:COLUMN: LEVEL: what was found [code]. Paths are below the folder or zip, or begin \
with it if several were given. The exit code is 0 without errors, with --strict also without warnings."
)]
pub(super) struct LintArgs {
    /// Folders, zips and files, which are only read; - is standard input
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Let warnings fail, too
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    inputs: InputArgs,
    #[command(flatten)]
    format: FormatArgs,
}

pub(super) fn run(args: &LintArgs, global: &Global, out: &mut Out) -> Result<Exit, CliError> {
    args.inputs.check()?;
    let limits = global.config(None)?.limits;
    let origins = Origin::sort(args.paths.clone(), &limits);
    let several = origins.len() > 1;
    let mut worst = Exit::Fine;
    let mut linted = Vec::new();
    for origin in origins {
        match origin.and_then(|origin| Linted::new(origin, several, args, &limits)) {
            Ok(found) => linted.push(found),
            Err(error) => worst = worst.max(complain_about(&error)),
        }
    }
    let count = Count::of(&linted);
    match args.format.format() {
        // What could not be looked at has no summary.
        _ if linted.is_empty() => {}
        Format::Table => print(out, &linted, &count)?,
        Format::Json => render::json_line(out, &json(&linted, &count))?,
        Format::Jsonl => {
            findings(&linted).try_for_each(|finding| render::json_line(out, &finding))?;
        }
    }
    let clean = count.errors == 0 && (count.warnings == 0 || !args.strict);
    Ok(worst.max(if clean { Exit::Fine } else { Exit::No }))
}

/// What was found in one origin.
struct Linted {
    /// The folder or zip as it was typed.
    root: Vec<u8>,
    /// Whether paths begin with it.
    is_prefix: bool,
    lint: Lint,
}

impl Linted {
    fn new(
        origin: Origin,
        several: bool,
        args: &LintArgs,
        limits: &Limits,
    ) -> Result<Self, IngestError> {
        let (root, has_folder) = match &origin {
            Origin::Folder(path) | Origin::Zip(path) => (path.as_os_str().as_bytes(), true),
            Origin::Files(_) | Origin::Seeds(_) => (&b""[..], false),
            Origin::Input(_) => (&b"stdin"[..], false),
        };
        let (root, is_prefix) = (root.to_vec(), several && has_folder);
        let lint = lint(&args.inputs.request(origin), limits)?;
        Ok(Self { root, is_prefix, lint })
    }

    /// `PATH:LINE:COLUMN`, as far as a finding has them.
    fn place(&self, finding: &Finding) -> String {
        let mut place = match (finding.file.is_empty(), self.is_prefix) {
            (true, _) => printable(&self.root),
            (false, false) => printable(&finding.file),
            (false, true) => {
                let root = self.root.strip_suffix(b"/").unwrap_or(&self.root);
                printable(&[root, b"/", &finding.file].concat())
            }
        };
        for number in [finding.line, finding.column].into_iter().flatten() {
            place += &format!(":{number}");
        }
        place
    }
}

/// How much there is.
#[derive(Debug, Default, Clone, Copy, Serialize)]
struct Count {
    cases: u64,
    errors: u64,
    warnings: u64,
}

impl Count {
    fn of(linted: &[Linted]) -> Self {
        let mut count = Self::default();
        for Linted { lint, .. } in linted {
            let errors = lint.findings.iter().filter(|finding| finding.level == Level::Error);
            let errors = errors.count() as u64;
            count.cases += lint.cases;
            count.errors += errors;
            count.warnings += lint.findings.len() as u64 - errors;
        }
        count
    }
}

fn print(out: &mut Out, linted: &[Linted], count: &Count) -> Result<(), CliError> {
    for origin in linted {
        for finding in &origin.lint.findings {
            let (place, level) = (origin.place(finding), finding.level.name());
            let message = printable(finding.message.as_bytes());
            writeln!(out, "{place}: {level}: {message} [{}]", finding.code)?;
        }
    }
    let cases = plural(count.cases, "case", "cases");
    let errors = plural(count.errors, "error", "errors");
    let warnings = plural(count.warnings, "warning", "warnings");
    writeln!(out, "{cases}, {errors}, {warnings}")?;
    linted.iter().try_for_each(|origin| {
        report::paired(out, &origin.lint.about)?;
        report::junk(out, &origin.lint.about)
    })
}

/// All of it as one value.
#[derive(Debug, Serialize)]
struct Report<'a> {
    schema: u32,
    #[serde(flatten)]
    count: Count,
    roots: Vec<Root<'a>>,
    findings: Vec<Line<'a>>,
}

/// What was looked at.
#[derive(Debug, Serialize)]
struct Root<'a> {
    root: String,
    cases: u64,
    about: &'a About,
}

/// A finding.
#[derive(Debug, Serialize)]
struct Line<'a> {
    schema: u32,
    root: String,
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    file_b64: Option<String>,
    line: Option<u64>,
    column: Option<u64>,
    level: Level,
    code: &'a str,
    message: &'a str,
}

fn json<'a>(linted: &'a [Linted], count: &Count) -> Report<'a> {
    let root = |origin: &'a Linted| {
        let Lint { cases, ref about, .. } = origin.lint;
        Root { root: lossy(&origin.root), cases, about }
    };
    Report {
        schema: SCHEMA,
        count: *count,
        roots: linted.iter().map(root).collect(),
        findings: findings(linted).collect(),
    }
}

fn findings(linted: &[Linted]) -> impl Iterator<Item = Line<'_>> {
    linted.iter().flat_map(|origin| {
        origin.lint.findings.iter().map(|finding| Line {
            schema: SCHEMA,
            root: lossy(&origin.root),
            file: lossy(&finding.file),
            file_b64: base64(&finding.file),
            line: finding.line,
            column: finding.column,
            level: finding.level,
            code: &finding.code,
            message: &finding.message,
        })
    })
}
