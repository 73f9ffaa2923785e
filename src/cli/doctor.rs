//! `simdrop doctor`: what is not as it should be, and what to type; or the settings.

mod age;
mod checks;
mod disks;
mod finding;
mod mounts;
mod probe;
mod settings;
mod unit;
mod watches;

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use serde_json::Value;

use super::render::{self, Format, FormatArgs};
use super::{CliError, Global, Out, daemon, json, printed};
use crate::config::{Config, Settings};
use crate::domain::chain;
use crate::exit::Exit;
use crate::store::{Beat, Reader, StoreError};
use finding::{Finding, Level, Row};

/// Tell what is not as it should be and what to type; with --config what each setting is and where it came from
///
/// Looks at the store, the daemon, the directories, the disks, the watches, the clock and the unit. Changes
/// nothing: a file that is made to see whether that can be done is removed. 0: all is well, 1: something was found.
#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    #[command(flatten)]
    format: FormatArgs,
}

/// What is looked at.
struct Ground {
    config: Config,
    state: PathBuf,
    /// Those of the settings and of the daemon that are there.
    inboxes: Vec<Inbox>,
    /// The store, if there is one; or why it cannot be read.
    store: Result<Option<Reader>, StoreError>,
}

/// A directory that is watched.
struct Inbox {
    path: PathBuf,
    /// The hidden paths in it, in order; or why it cannot be listed.
    hidden: io::Result<Vec<PathBuf>>,
}

/// A look at one thing. An error is a finding, too.
type Check = fn(&Ground) -> Result<Vec<Finding>, CliError>;

/// Every check, with the word for it.
const CHECKS: [(&str, Check); 13] = [
    ("version", age::versions),
    ("unit", unit::unit),
    ("store", checks::store),
    ("size", age::size),
    ("clock", age::clock),
    ("file-system", disks::kinds),
    ("room", disks::room),
    ("directory", probe::directories),
    ("watch", watches::watches),
    ("daemon", checks::daemon),
    ("inbox", checks::inboxes),
    ("put-away", checks::put_away),
    ("leftover", checks::leftovers),
];

pub(super) fn run(args: &DoctorArgs, global: &Global, out: &mut Out) -> Result<Exit, CliError> {
    if global.config.is_some() {
        return settings::show(
            &Settings::load(&global.overrides(None))?,
            args.format.format(),
            out,
        );
    }
    let ground = Ground::of(global.config(None)?)?;
    let findings: Vec<(&str, Finding)> = CHECKS
        .into_iter()
        .flat_map(|(name, check)| {
            let found = check(&ground).unwrap_or_else(|error| {
                vec![Finding::problem("this cannot be looked at").because(chain(&error))]
            });
            found.into_iter().map(move |finding| (name, finding))
        })
        .collect();
    let is_well = findings.iter().all(|(_, finding)| finding.level == Level::Ok);
    let exit = if is_well { Exit::Fine } else { Exit::No };
    printed(print(out, args.format.format(), &findings, is_well), exit)
}

/// All findings as one value.
#[derive(Serialize)]
struct Report<'a> {
    schema: u32,
    well: bool,
    findings: Vec<Row<'a>>,
}

fn print(
    out: &mut Out,
    format: Format,
    findings: &[(&'static str, Finding)],
    well: bool,
) -> Result<(), CliError> {
    let mut rows = findings.iter().map(|(check, finding)| Row::new(check, finding));
    match format {
        Format::Table => findings.iter().try_for_each(|(_, finding)| finding.print(out))?,
        Format::Json => {
            let report = Report { schema: json::SCHEMA, well, findings: rows.collect() };
            render::json_line(out, &report)?;
        }
        Format::Jsonl => rows.try_for_each(|row| render::json_line(out, &row))?,
    }
    Ok(())
}

impl Ground {
    fn of(config: Config) -> Result<Self, CliError> {
        let full = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        let state = full(config.state()?.to_owned());
        let store = Reader::open(&state);
        // A store that cannot be asked is told of by the checks. The daemon may be gone by now.
        let beat = store.as_ref().ok().and_then(Option::as_ref);
        let beat = beat.and_then(|reader| reader.beat().ok().flatten());
        let body = beat.as_ref().map(Self::body).unwrap_or_default();
        let watched = body["inboxes"].as_array().into_iter().flatten();
        let watched = watched.filter_map(|inbox| inbox["path"].as_str().map(PathBuf::from));
        let mut inboxes = vec![config.inbox_dir()?];
        inboxes.extend(watched);
        let mut inboxes: Vec<PathBuf> = inboxes.into_iter().map(full).collect();
        inboxes.sort();
        inboxes.dedup();
        let inboxes = inboxes.into_iter().filter_map(Inbox::of).collect();
        Ok(Self { config, state, inboxes, store })
    }

    /// What the daemon says that is there, with the number of its process.
    fn serving(&self) -> Result<Option<Value>, CliError> {
        let Some(reader) = self.reader() else { return Ok(None) };
        let said = |beat: Beat| {
            let mut body = Self::body(&beat);
            body["pid"] = beat.pid.into();
            body
        };
        Ok(daemon::alive(reader)?.map(said))
    }

    /// The directories that are there in which the daemon makes and moves files.
    fn directories(&self) -> Vec<PathBuf> {
        let own = ["done", "rejected", "out", "requests"].map(|name| self.state.join(name));
        let inboxes = self.inboxes.iter().map(|inbox| inbox.path.clone());
        let all = [self.state.clone()].into_iter().chain(own).chain(inboxes);
        all.filter(|path| path.is_dir()).collect()
    }

    /// What a daemon said, as `status` shows it.
    fn body(beat: &Beat) -> Value {
        serde_json::from_str(&beat.body).unwrap_or_default()
    }

    /// Each inbox that can be listed, with the hidden paths in it.
    fn listed(&self) -> impl Iterator<Item = (&Path, &[PathBuf])> {
        self.inboxes.iter().filter_map(|inbox| Some((&*inbox.path, &**inbox.hidden.as_ref().ok()?)))
    }

    /// The store, if it can be read.
    fn reader(&self) -> Option<&Reader> {
        self.store.as_ref().ok()?.as_ref()
    }
}

impl Inbox {
    /// `None`: it is not there.
    fn of(path: PathBuf) -> Option<Self> {
        match hidden(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            hidden => Some(Self { path, hidden }),
        }
    }
}

/// Everything that simdrop makes in an inbox is hidden; there may be a million others.
fn hidden(inbox: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(inbox)? {
        let entry = entry?;
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            paths.push(entry.path());
        }
    }
    paths.sort();
    Ok(paths)
}
