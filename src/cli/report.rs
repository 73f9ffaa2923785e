//! What people see of a run that was carried out, and its exit code.

use std::io::Write;
use std::path::Path;

use super::{CliError, Out, render};
use crate::config::Config;
use crate::domain::{RunState, chain};
use crate::exit::Exit;
use crate::ingest::{IngestError, PairRule};
use crate::service::{About, Names, RunReport, StopSignal};
use crate::store::{CaseRecord, Reader, RunChoice, RunRecord, StoreError};

/// How many failing cases are read at a time.
const PAGE: u32 = 256;

/// Prints a run that was carried out and says how it ended.
pub(super) fn print(
    out: &mut Out,
    state: &Path,
    report: &RunReport,
    json: bool,
) -> Result<Exit, CliError> {
    let reader = Reader::open(state)?.ok_or(StoreError::Stopped)?;
    let run = reader.run(&RunChoice::Id(report.run))?.ok_or(StoreError::Stopped)?;
    let printed = if json {
        for reason in reasons(&reader, &run)? {
            super::note(&format!("error: {reason}"));
        }
        render::run_json(out, &run).map_err(CliError::from)
    } else {
        print_text(out, &reader, &run, report.is_resumed)
    };
    for line in report.gone.iter().cloned().chain(left_of(report, &run)) {
        super::note(&line);
    }
    super::printed(printed, exit(&run, report))
}

fn print_text(
    out: &mut Out,
    reader: &Reader,
    run: &RunRecord,
    is_resumed: bool,
) -> Result<(), CliError> {
    render::run(out, run)?;
    each_failing(reader, run, |case| Ok(render::failing(out, case)?))?;
    if run.failing() > 0 {
        writeln!(out)?;
    }
    found(out, reader, run)?;
    // How long it was left alone says nothing about its pace.
    if is_resumed { Ok(()) } else { Ok(render::pace(out, run)?) }
}

/// Calls `see` with each case of a run that is not fine, page by page; no read is open meanwhile.
pub(super) fn each_failing(
    reader: &Reader,
    run: &RunRecord,
    mut see: impl FnMut(&CaseRecord) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let mut after = 0;
    loop {
        let page = reader.failing(run, after, PAGE)?;
        let Some(last) = page.last() else { return Ok(()) };
        after = last.id.rank;
        page.iter().try_for_each(&mut see)?;
    }
}

/// Why a run was rejected, or what was found besides its cases.
pub(super) fn found(out: &mut Out, reader: &Reader, run: &RunRecord) -> Result<(), CliError> {
    for reason in reasons(reader, run)? {
        writeln!(out, "rejected: {}", render::printable(reason.as_bytes()))?;
    }
    About::of(run).map_or(Ok(()), |about| about_files(out, &about, run.listed))
}

/// Why nothing of it was a case; empty if something was.
fn reasons(reader: &Reader, run: &RunRecord) -> Result<Vec<String>, CliError> {
    if run.state != RunState::Rejected {
        return Ok(Vec::new());
    }
    if run.about.is_some() {
        let rules = PairRule::ALL.map(PairRule::name).join("; ");
        let reason = "no input in it, neither by what a file holds nor by a rule";
        return Ok(vec![format!("{reason}: {rules}")]);
    }
    let log = reader.log(run.id.head().into(), None, PAGE)?;
    Ok(log.into_iter().map(|line| line.message).collect())
}

/// What was found besides cases; nothing is said of what needs no word.
fn about_files(out: &mut Out, about: &About, cases: u64) -> Result<(), CliError> {
    paired(out, about)?;
    // Where nothing has an answer nobody misses any.
    if about.unanswered.count < cases {
        names(out, &about.unanswered, "input without an answer", "inputs without an answer")?;
    }
    names(out, &about.orphans, "answer without an input", "answers without an input")?;
    let one = "NAME.out left alone: NAME.ans beside it is the reference";
    let many = "NAME.out left alone: NAME.ans beside them are the reference";
    if about.beside > 0 {
        writeln!(out, "{}", render::plural(about.beside, one, many))?;
    }
    junk(out, about)?;
    names(out, &about.skipped, "other file skipped", "other files skipped")?;
    names(out, &about.too_deep, "folder too deep, left alone", "folders too deep, left alone")
}

/// How many files are nobody's data.
pub(super) fn junk(out: &mut Out, about: &About) -> Result<(), CliError> {
    let (one, many) = ("hidden or left-over file skipped", "hidden or left-over files skipped");
    match about.junk {
        0 => Ok(()),
        count => Ok(writeln!(out, "{}", render::plural(count, one, many))?),
    }
}

/// How the files belong together.
pub(super) fn paired(out: &mut Out, about: &About) -> Result<(), CliError> {
    if let Some(layout) = &about.layout {
        writeln!(out, "read as: {}", render::printable(layout.as_bytes()))?;
    }
    let rules = about.rules.iter().map(|(rule, count)| format!("{} {rule}", render::count(*count)));
    let rules: Vec<String> = rules.collect();
    if !rules.is_empty() {
        writeln!(out, "paired: {}", rules.join(", "))?;
    }
    Ok(())
}

/// How many there are, and which.
fn names(out: &mut Out, names: &Names, one: &str, many: &str) -> Result<(), CliError> {
    if names.count == 0 {
        return Ok(());
    }
    let first: Vec<_> = names.first.iter().map(|name| render::printable(name.as_bytes())).collect();
    let dots = if names.count > first.len() as u64 { ", ..." } else { "" };
    let count = render::plural(names.count, one, many);
    Ok(writeln!(out, "{count}: {}{dots}", first.join(", "))?)
}

/// Says how to go on with the run that an error has ended, if there is one.
pub(super) fn note_left(config: &Config) {
    let newest = |state| Reader::open(state).ok()??.run(&RunChoice::Newest(0)).ok()?;
    match config.state().ok().and_then(newest) {
        Some(run) if run.state.is_unfinished() => super::note(&left(&run)),
        _ => {}
    }
}

/// What a stop left to do.
fn left_of(report: &RunReport, run: &RunRecord) -> Option<String> {
    (report.stopped.is_some() && run.state.is_unfinished()).then(|| left(run))
}

/// How to go on with a run that was stopped.
pub(super) fn left(run: &RunRecord) -> String {
    let left = run.listed.max(run.total) - run.done;
    let cases = render::plural(left, "case", "cases");
    format!("run {id} has {cases} left: simdrop rerun {id}", id = run.id)
}

/// 0 if every case is AC or NOREF, else 1; of a run that was stopped, by which signal.
fn exit(run: &RunRecord, report: &RunReport) -> Exit {
    match report.stopped {
        Some(signal) if run.state.is_unfinished() => signalled(signal),
        _ if run.is_fine() && report.gone.is_none() => Exit::Fine,
        _ => Exit::No,
    }
}

/// The exit code of something that a signal stopped.
pub(super) const fn signalled(signal: StopSignal) -> Exit {
    match signal {
        StopSignal::Interrupt => Exit::Interrupted,
        StopSignal::Terminate => Exit::Terminated,
    }
}

/// Says why something that was named cannot be taken in.
pub(super) fn complain_about(error: &IngestError) -> Exit {
    super::note(&format!("error: {}", chain(error)));
    ingest_exit(error)
}

/// The exit code of something that cannot be taken in.
pub(super) const fn ingest_exit(error: &IngestError) -> Exit {
    match error {
        IngestError::Missing(_) | IngestError::NothingSelected { .. } => Exit::Missing,
        IngestError::NoSeeds(_) | IngestError::NotAFolder(_) => Exit::Usage,
        error if error.is_rejection() => Exit::No,
        _ => Exit::Environment,
    }
}
