//! `simdrop store info`: what the store is as a whole.

use std::io::{self, Write};

use clap::Args;
use serde::Serialize;

use super::{CliError, Global, Out, reader, render};
use crate::cli::json;
use crate::cli::render::{Format, FormatArgs};
use crate::domain::SimulatorId;
use crate::exit::Exit;
use crate::store::{RunRecord, StoreFacts, StoreSize};

/// How large the store is, and how much is in it
#[derive(Debug, Args)]
pub(super) struct InfoArgs {
    #[command(flatten)]
    format: FormatArgs,
}

pub(super) fn run(args: &InfoArgs, global: &Global, out: &mut Out) -> Result<Exit, CliError> {
    let facts = reader(global)?.facts()?;
    let config = global.config(None)?;
    let place = render::path(config.state()?);
    match args.format.format() {
        Format::Table => print(out, &place, &facts)?,
        _ => render::json_line(out, &Info::new(place, &facts))?,
    }
    Ok(Exit::Fine)
}

fn print(out: &mut Out, place: &str, facts: &StoreFacts) -> io::Result<()> {
    let size = facts.size;
    let mut line = |name: &str, text: String| writeln!(out, "{name:10}  {text}");
    line("place", place.to_owned())?;
    line("schema", facts.schema.to_string())?;
    let free = render::bytes(size.free_bytes);
    line("database", format!("{}, {free} of it free", render::bytes(size.database_bytes)))?;
    line("WAL", render::bytes(size.wal_bytes))?;
    let counts = [
        ("runs", facts.runs),
        ("cases", facts.cases),
        ("contents", facts.contents),
        ("results", facts.results),
        ("games", facts.games),
    ];
    for (name, number) in counts {
        line(name, render::count(number))?;
    }
    for (name, run) in [("oldest", &facts.oldest), ("newest", &facts.newest)] {
        if let Some(run) = run {
            line(name, format!("run {}, {}", run.id, render::time(run.taken_in_at)))?;
        }
    }
    let versions = SimulatorId::ALL.map(|id| format!("{id} {}", id.version()));
    line("simulators", versions.join(", "))
}

#[derive(Debug, Serialize)]
struct Info {
    schema: u32,
    place: String,
    store_schema: i64,
    #[serde(flatten)]
    size: StoreSize,
    runs: u64,
    cases: u64,
    contents: u64,
    results: u64,
    games: u64,
    oldest: Option<json::Run>,
    newest: Option<json::Run>,
    simulators: Vec<Version>,
}

/// A simulator of this program.
#[derive(Debug, Serialize)]
struct Version {
    simulator: SimulatorId,
    version: u32,
}

impl Info {
    fn new(place: String, facts: &StoreFacts) -> Self {
        let run = |run: &Option<RunRecord>| run.as_ref().map(json::Run::from);
        let version = |simulator: SimulatorId| Version { simulator, version: simulator.version() };
        Self {
            schema: json::SCHEMA,
            place,
            store_schema: facts.schema,
            size: facts.size,
            runs: facts.runs,
            cases: facts.cases,
            contents: facts.contents,
            results: facts.results,
            games: facts.games,
            oldest: run(&facts.oldest),
            newest: run(&facts.newest),
            simulators: SimulatorId::ALL.map(version).into(),
        }
    }
}
