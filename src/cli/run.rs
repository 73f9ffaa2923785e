//! `simdrop run`: evaluates what it is handed.

use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::Args;
use tempfile::TempDir;

use super::client::Client;
use super::progress::Meter;
use super::report::{self, complain_about};
use super::{CliError, Global, Out};
use crate::config::{Config, Limits, Overrides};
use crate::domain::{CompareMode, RuleSet, RunId, SimulatorId, chain};
use crate::exit::Exit;
use crate::ingest::{IngestError, Origin, Pattern, Selection, seed_range};
use crate::service::{Plan, Progress, Request, RunReport, ServiceError, Session};
use crate::store::IfHeld;

/// Evaluate folders, zips and files: play every input, compare with its answer, keep everything
#[derive(Debug, Args)]
#[command(
    after_help = "A folder or a zip is a run; all plain files together are one run. An input is \
NAME.in with NAME.ans, else NAME.out; in/X with out/X; inputN.txt with outputN.txt; NN with NN.a; or a \
name in which `input` becomes `output` or `answer`. --pair is for all others."
)]
pub(super) struct RunArgs {
    /// Folders, zips and files, which are only read; - is standard input
    #[arg(value_name = "PATH", required_unless_present = "seeds")]
    paths: Vec<PathBuf>,
    /// Play generated games of these seeds, from the first up to, but not including, the second
    #[arg(long, value_name = "FROM..TO", value_parser = seed_range, conflicts_with = "paths")]
    seeds: Option<Range<u64>>,
    #[command(flatten)]
    choices: ChoiceArgs,
    /// Which cases: ranks and globs over names, such as 1,3-5,big/*
    #[arg(long, value_name = "LIST")]
    only: Option<Selection>,
    /// What to call the run
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
    /// What else to find the run by; may be given more than once
    #[arg(long = "tag", value_name = "KEY=VALUE", value_parser = tag)]
    tags: Vec<(String, String)>,
    /// Play what was played before, too
    #[arg(long)]
    fresh: bool,
    /// Hand over to the daemon and print the number of the run, without waiting for it
    #[arg(long, conflicts_with = "here")]
    detach: bool,
    /// Evaluate in a store of its own that is removed at the end
    #[arg(long)]
    here: bool,
    #[command(flatten)]
    pool: PoolArgs,
    /// Print each run as a line of JSON
    #[arg(long)]
    json: bool,
}

/// How inputs are read and compared.
#[derive(Debug, Args)]
pub(super) struct ChoiceArgs {
    #[command(flatten)]
    pub(super) inputs: InputArgs,
    /// How files are compared: lines (default), exact or tokens
    #[arg(long, value_name = "MODE")]
    compare: Option<CompareMode>,
}

/// What is an input, and how it is read.
#[derive(Debug, Args)]
pub(super) struct InputArgs {
    /// The simulator of all inputs, instead of recognising each
    #[arg(long, value_name = "NAME")]
    sim: Option<SimulatorId>,
    /// The rule set, for the simulators that have it
    #[arg(long, value_name = "RULES")]
    rules: Option<RuleSet>,
    /// How names are paired, such as '{name}.in:{name}.ans'
    #[arg(long, value_name = "INPUT:ANSWER")]
    pair: Option<Pattern>,
}

/// How a run is carried out.
#[derive(Debug, Args)]
pub(super) struct PoolArgs {
    /// How many threads play; 0 means as many as the machine has
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Do not wait while another process holds the store: end with 5
    #[arg(long)]
    no_wait: bool,
}

/// Reads `KEY=VALUE`.
pub(super) fn tag(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("a tag is KEY=VALUE".to_owned()),
    }
}

/// What one path is.
pub(super) fn origin(path: &Path, limits: &Limits) -> Result<Origin, IngestError> {
    let sorted = Origin::sort(vec![path.to_owned()], limits).pop();
    sorted.unwrap_or_else(|| Err(IngestError::Missing(path.to_owned())))
}

impl ChoiceArgs {
    /// A request about an origin.
    pub(super) fn request(&self, origin: Origin) -> Request {
        Request { compare: self.compare, ..self.inputs.request(origin) }
    }
}

impl InputArgs {
    /// Refuses a rule set that the simulator does not have.
    pub(super) fn check(&self) -> Result<(), CliError> {
        super::sim::check_rules(self.sim, self.rules)
    }

    /// A request about an origin.
    pub(super) fn request(&self, origin: Origin) -> Request {
        Request {
            simulator: self.sim,
            rules: self.rules,
            pair: self.pair.clone(),
            ..Request::new(origin)
        }
    }
}

impl PoolArgs {
    pub(super) fn config(&self, global: &Global) -> Result<Config, CliError> {
        global.config(self.jobs)
    }

    /// What flags say of the configuration.
    pub(super) fn flags(&self, global: &Global) -> Overrides {
        global.overrides(self.jobs)
    }

    /// The configuration with a store that is there for this command only, where a daemon has the other one
    /// or somebody wants it so.
    pub(super) fn apart(&self, global: &Global, wanted: bool) -> Result<Apart, CliError> {
        let config = self.config(global)?;
        if !wanted && Client::new(global.reader()?)?.is_none() {
            return Ok(Apart { config, here: None });
        }
        let here = TempDir::with_prefix("simdrop-").map_err(CliError::Here)?;
        Ok(Apart { config: config.at(here.path()), here: Some(here) })
    }

    /// Opens the store for writing, with a pool.
    pub(super) fn session(&self, config: &Config, meter: &mut Meter) -> Result<Session, CliError> {
        let mut waiting = |holder: &str| meter.see(Progress::Waiting(holder));
        let if_held = if self.no_wait { IfHeld::Refuse } else { IfHeld::Wait(&mut waiting) };
        Ok(Session::open(config.clone(), if_held)?)
    }
}

pub(super) fn run(args: &RunArgs, global: &Global, out: &mut Out) -> Result<Exit, CliError> {
    args.choices.inputs.check()?;
    if args.paths.iter().filter(|path| path.as_os_str() == "-").count() > 1 {
        return Err(CliError::Usage("standard input can be read once".to_owned()));
    }
    let client = if args.here { None } else { Client::new(global.reader()?)? };
    if args.detach && client.is_none() {
        return Err(CliError::NoDaemon);
    }
    let place = match &client {
        Some(_) => Apart { config: args.pool.config(global)?, here: None },
        None => args.pool.apart(global, args.here)?,
    };
    let config = &place.config;
    let origins = match &args.seeds {
        Some(seeds) => vec![Ok(seed_origin(seeds, args.choices.inputs.sim)?)],
        None => Origin::sort(args.paths.clone(), &config.limits),
    };
    let mut runner = Runner { args, config, client, session: None, out };
    let ended = runner.run_all(origins);
    if let Some(session) = runner.session {
        session.close();
    }
    ended
}

/// A configuration, and the store that goes away with it.
pub(super) struct Apart {
    pub(super) config: Config,
    /// Removed when this is dropped.
    pub(super) here: Option<TempDir>,
}

/// Only the seeds of Thunder Bluff make a game.
fn seed_origin(seeds: &Range<u64>, simulator: Option<SimulatorId>) -> Result<Origin, CliError> {
    match simulator {
        Some(SimulatorId::ThunderBluff) => Ok(Origin::Seeds(seeds.clone())),
        _ => Err(CliError::Usage("--seeds needs --sim thunder-bluff".to_owned())),
    }
}

/// Runs one origin after another.
struct Runner<'a> {
    args: &'a RunArgs,
    config: &'a Config,
    /// There is a daemon, and it evaluates.
    client: Option<Client>,
    /// Opened when the first run is ready to begin.
    session: Option<Session>,
    out: &'a mut Out,
}

impl Runner<'_> {
    fn run_all(&mut self, origins: Vec<Result<Origin, IngestError>>) -> Result<Exit, CliError> {
        let mut worst = Exit::Fine;
        for origin in origins {
            if let Some(stop) = self.session.as_ref().and_then(Session::stopped) {
                return Ok(report::signalled(stop));
            }
            let exit = match origin {
                Ok(origin) => self.run_one(origin)?,
                Err(error) => complain_about(&error),
            };
            worst = worst.max(exit);
            if exit.is_interrupted() {
                break;
            }
        }
        Ok(worst)
    }

    fn run_one(&mut self, origin: Origin) -> Result<Exit, CliError> {
        let request = Request {
            only: self.args.only.clone(),
            label: self.args.label.clone(),
            tags: self.args.tags.clone(),
            fresh: self.args.fresh,
            ..self.args.choices.request(origin)
        };
        if let Some(client) = &self.client {
            return self.hand_over(client.evaluate(&request, !self.args.detach)?);
        }
        let mut meter = Meter::new();
        let ran = match Plan::new(&request, &self.config.limits) {
            Ok(plan) => {
                let session = self.session(&mut meter)?;
                session.run(&plan, &mut |progress| meter.see(progress))
            }
            Err(error) if error.is_rejection() => {
                let reason = chain(&error);
                let rejected = self.session(&mut meter)?.reject(&request, reason);
                rejected.map(RunReport::of)
            }
            Err(error) => return Ok(complain_about(&error)),
        };
        meter.finish();
        if let Err(ServiceError::Store(_)) = &ran {
            report::note_left(self.config);
        }
        let ran = ran?;
        let (state, json) = (self.config.state()?, self.args.json);
        report::print(self.out, state, &ran, json)
    }

    /// Says what came of a run that the daemon has.
    fn hand_over(&mut self, run: RunId) -> Result<Exit, CliError> {
        if self.args.detach {
            writeln!(self.out, "{run}")?;
            return Ok(Exit::Fine);
        }
        report::print(self.out, self.config.state()?, &RunReport::of(run), self.args.json)
    }

    fn session(&mut self, meter: &mut Meter) -> Result<&Session, CliError> {
        let session = match self.session.take() {
            Some(session) => session,
            None => self.args.pool.session(self.config, meter)?,
        };
        Ok(self.session.insert(session))
    }
}
