//! `simdrop answers`: reference outputs beside their inputs.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::progress::Meter;
use super::render::{self, printable};
use super::report::{self, complain_about};
use super::run::{InputArgs, PoolArgs, origin};
use super::{CliError, Global, Out, json, note, refuse};
use crate::config::Config;
use crate::domain::{RunId, Verdict};
use crate::exit::Exit;
use crate::ingest::{IngestError, Origin, Placed, Selection};
use crate::service::{Answer, Answers, Fate, Request, RunReport, ServiceError};
use crate::store::{Reader, RunChoice, StoreError};

/// Write the reference outputs beside the inputs of a folder
#[derive(Debug, Args)]
#[command(
    after_help = "NAME.in gets NAME.ans; inputN.txt gets outputN.txt; NN gets NN.a; in/X gets out/X \
if that folder is there; a name with `input` in it gets the one with `output`; any other name gets .ans \
instead of its last ending. --pair (or the manifest) decides alone. With --ext the last ending of the \
input's name becomes EXT, in out/ for in/X.\n\n\
A file that is there with the same bytes is left alone; one with other bytes is refused unless --force; \
links and inputs are never replaced. The exit code is 0 if every answer is there now."
)]
pub(super) struct AnswersArgs {
    /// The folder
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The ending of the files that are written
    #[arg(long, value_name = "EXT", value_parser = ending)]
    ext: Option<String>,
    /// Replace files that say something else
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    inputs: InputArgs,
    /// Which cases: ranks and globs over names, such as 1,3-5,big/*
    #[arg(long, value_name = "LIST")]
    only: Option<Selection>,
    #[command(flatten)]
    pool: PoolArgs,
    /// Print what was done as JSON
    #[arg(long)]
    json: bool,
}

/// Reads an ending, with or without its dot.
fn ending(text: &str) -> Result<String, String> {
    let ending = text.strip_prefix('.').unwrap_or(text);
    match ending.is_empty() || ending.contains(['/', '\0']) {
        true => Err("expected the ending of a file's name, such as ans".to_owned()),
        false => Ok(ending.to_owned()),
    }
}

pub(super) fn run(args: &AnswersArgs, global: &Global, out: &mut Out) -> Result<Exit, CliError> {
    args.inputs.check()?;
    let place = args.pool.apart(global, false)?;
    if place.here.is_some() {
        note("a daemon has the store: what is played here is not kept");
    }
    let config = place.config.clone();
    let answers = match listed(args, &config)? {
        Ok(answers) => answers,
        Err(error) => return Ok(complain_about(&error)),
    };
    if answers.plan().listing.entries.is_empty() {
        return Ok(refuse(&format!("{}: no input in it", args.folder.display())));
    }
    let mut meter = Meter::new();
    let session = args.pool.session(&config, &mut meter)?;
    let ran = session.run(answers.plan(), &mut |progress| meter.see(progress));
    meter.finish();
    session.close();
    write(args, config.state()?, &answers, &ran?, out)
}

/// The answers of a folder; nothing else can have any.
fn listed(args: &AnswersArgs, config: &Config) -> Result<Result<Answers, IngestError>, CliError> {
    let usage = || {
        let message = format!("{}: only a folder has room for answers", args.folder.display());
        Err(CliError::Usage(message))
    };
    if args.folder == Path::new("-") {
        return usage();
    }
    let origin = match origin(&args.folder, &config.limits) {
        Ok(origin @ Origin::Folder(_)) => origin,
        Ok(_) => return usage(),
        Err(error) => return Ok(Err(error)),
    };
    let request = Request { only: args.only.clone(), ..args.inputs.request(origin) };
    Ok(Answers::new(&request, args.ext.as_deref(), &config.limits))
}

/// Writes the files, unless a signal stopped the run.
fn write(
    args: &AnswersArgs,
    state: &Path,
    answers: &Answers,
    ran: &RunReport,
    out: &mut Out,
) -> Result<Exit, CliError> {
    let reader = Reader::open(state)?.ok_or(StoreError::Stopped)?;
    let run = reader.run(&RunChoice::Id(ran.run))?.ok_or(StoreError::Stopped)?;
    if let (Some(signal), true) = (ran.stopped, run.state.is_unfinished()) {
        note("no answer was written; do it again, what was played is not played again");
        return Ok(report::signalled(signal));
    }
    let mut done = Done::new(ran.run);
    let written = answers.write(ran.run, &reader, args.force, &mut |answer| done.add(answer));
    let printed = if args.json { render::json_line(out, &done) } else { done.print(out) };
    match written {
        Err(ServiceError::Ingest(error)) => Ok(complain_about(&error)),
        written => {
            written?;
            let exit = if done.is_complete() { Exit::Fine } else { Exit::No };
            super::printed(printed.map_err(CliError::from), exit)
        }
    }
}

/// What was done.
#[derive(Debug, Serialize)]
struct Done {
    schema: u32,
    run: i64,
    written: u64,
    there: u64,
    refused: Vec<Failed>,
    no_output: Vec<Failed>,
}

/// An answer that was not written.
#[derive(Debug, Serialize)]
struct Failed {
    case: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    case_b64: Option<String>,
    path: String,
    verdict: Option<Verdict>,
    reason: String,
}

impl Done {
    fn new(run: RunId) -> Self {
        Self {
            schema: json::SCHEMA,
            run: run.0,
            written: 0,
            there: 0,
            refused: Vec::new(),
            no_output: Vec::new(),
        }
    }

    fn add(&mut self, Answer { case, path, fate }: Answer) {
        let (list, verdict, reason) = match fate {
            Fate::Placed(Placed::Written) => return self.written += 1,
            Fate::Placed(Placed::There) => return self.there += 1,
            Fate::Placed(Placed::Refused(why)) => (&mut self.refused, None, why.to_string()),
            Fate::NoOutput { verdict, reason } => (&mut self.no_output, verdict, reason),
        };
        let (case, case_b64) = (json::lossy(&case), json::base64(&case));
        list.push(Failed { case, case_b64, path: json::lossy(&path), verdict, reason });
    }

    const fn is_complete(&self) -> bool {
        self.refused.is_empty() && self.no_output.is_empty()
    }

    /// Each answer that is not there, and how many are.
    fn print(&self, out: &mut Out) -> std::io::Result<()> {
        for Failed { path, reason, .. } in &self.refused {
            writeln!(out, "refused {}: {reason}", printable(path.as_bytes()))?;
        }
        for Failed { case, verdict, reason, .. } in &self.no_output {
            let (case, verdict) = (printable(case.as_bytes()), verdict.map(render::verdict));
            let (verdict, reason) = (verdict.unwrap_or_default(), printable(reason.as_bytes()));
            writeln!(out, "no output of {case}: {verdict}  {reason}")?;
        }
        let refused = [(&self.refused, "refused"), (&self.no_output, "without an output")];
        let refused = refused.iter().filter(|(list, _)| !list.is_empty());
        let refused: String = refused
            .map(|(list, what)| format!(", {} {what}", render::count(list.len() as u64)))
            .collect();
        let [written, there] = [self.written, self.there].map(render::count);
        writeln!(out, "{written} written, {there} already there{refused}")
    }
}
