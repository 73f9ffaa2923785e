//! `out/`: what a run gave, as files. A projection of the store: it can be made again at any time. What could not
//! be written is tried again, now and then and at the next start.

use std::collections::{BTreeMap, VecDeque};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Instant;

use serde::Serialize;

use super::board::Board;
use super::places::{Places, original_name, run_name};
use crate::domain::{RunId, Verdict};
use crate::service::{ServiceError, Session, span_of_run};
use crate::store::{CaseRecord, Output, Reader, RunChoice, RunRecord, StoreError};

/// How many cases are read at a time.
const PAGE: u32 = 256;

/// Writes `out/`.
pub(super) struct Projector<'a> {
    session: &'a Session,
    places: &'a Places,
    board: &'a Board,
    hurry: &'a AtomicBool,
}

/// What `summary.json` says.
#[derive(Debug, Serialize)]
struct Summary {
    schema: u32,
    run: i64,
    label: Option<String>,
    state: &'static str,
    source: String,
    total: u64,
    cached: u64,
    verdicts: BTreeMap<&'static str, u64>,
    cases: Vec<CaseSummary>,
}

#[derive(Debug, Serialize)]
struct CaseSummary {
    rank: u32,
    name: String,
    verdict: Option<Verdict>,
    /// The file beside this one.
    output: Option<String>,
    error: Option<String>,
}

impl<'a> Projector<'a> {
    pub(super) const fn new(
        session: &'a Session,
        places: &'a Places,
        board: &'a Board,
        hurry: &'a AtomicBool,
    ) -> Self {
        Self { session, places, board, hurry }
    }

    /// Writes out each run that is over, until nobody sends any more. In a hurry the rest is left for the next start.
    pub(super) fn run(&self, runs: &Receiver<RunId>) -> Result<(), ServiceError> {
        let reader = self.session.reader()?;
        let probe = self.session.config.serve.probe;
        let (mut left, mut tried) = (VecDeque::new(), Instant::now());
        loop {
            match runs.recv_timeout(probe) {
                _ if self.is_in_a_hurry() => return Ok(()),
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
                Err(RecvTimeoutError::Timeout) => {}
                Ok(run) if self.project(&reader, run)? => {}
                Ok(run) => left.push_back(run),
            }
            if tried.elapsed() >= probe {
                self.try_again(&reader, &mut left)?;
                tried = Instant::now();
            }
        }
    }

    /// Writes out what could not be written, until one cannot be written again: that one is the last next time.
    fn try_again(&self, reader: &Reader, left: &mut VecDeque<RunId>) -> Result<(), ServiceError> {
        while let Some(run) = left.pop_front() {
            if !self.project(reader, run)? {
                left.push_back(run);
                return Ok(());
            }
        }
        self.board.set_out_error(None);
        Ok(())
    }

    /// Writes out a run; `false`: it cannot be written now.
    fn project(&self, reader: &Reader, run: RunId) -> Result<bool, ServiceError> {
        let Some(record) = reader.run(&RunChoice::Id(run))? else { return Ok(true) };
        if !record.is_to_be_written_out {
            return Ok(true);
        }
        let _about = span_of_run(run).entered();
        let is_wanted = self.session.config.serve.out;
        let written = if is_wanted { self.write_out(reader, &record)? } else { Ok(()) };
        if let Err(error) = written {
            if self.is_in_a_hurry() {
                return Ok(false);
            }
            tracing::warn!("out/ is to be written later: {error}");
            self.board.set_out_error(Some(format!("out/ of run {run} is not written: {error}")));
            self.places.restore();
            return Ok(false);
        }
        // Not waited for: there may be as many runs as files.
        self.session.store.writer().written_out(run, move |noted| {
            if let Err(error) = noted {
                tracing::debug!("out/ of run {run} will be written again: {error}");
            }
        });
        Ok(true)
    }

    /// The outer error is the store's, the inner one that of the directory.
    fn write_out(&self, reader: &Reader, run: &RunRecord) -> Result<io::Result<()>, ServiceError> {
        let name = run_name(run.id, original_name(&run.source));
        let folder = self.places.out.join(&name);
        let mut making = std::ffi::OsString::from(".");
        making.push(&name);
        let making = self.places.out.join(making);
        let _ = fs::remove_dir_all(&making);
        let written = self.write_cases(reader, run, &making)?.and_then(|cases| {
            write_summary(&making.join("summary.json"), run, cases)?;
            let _ = fs::remove_dir_all(&folder);
            fs::rename(&making, &folder)
        });
        if written.is_err() {
            // What is half there takes room that may be what is missing.
            let _ = fs::remove_dir_all(&making);
        }
        Ok(written)
    }

    fn write_cases(
        &self,
        reader: &Reader,
        run: &RunRecord,
        folder: &Path,
    ) -> Result<io::Result<Vec<CaseSummary>>, StoreError> {
        if let Err(error) = fs::create_dir_all(folder) {
            return Ok(Err(error));
        }
        let (mut cases, mut after) = (Vec::new(), 0);
        loop {
            if self.is_in_a_hurry() {
                return Ok(Err(io::ErrorKind::Interrupted.into()));
            }
            let page = reader.cases_of(run.id, after, PAGE)?;
            let Some(last) = page.last() else { return Ok(Ok(cases)) };
            after = last.id.rank;
            for case in &page {
                match write_case(reader, case, folder)? {
                    Ok(summary) => cases.push(summary),
                    Err(error) => return Ok(Err(error)),
                }
            }
        }
    }

    fn is_in_a_hurry(&self) -> bool {
        self.hurry.load(Ordering::Relaxed)
    }
}

fn write_case(
    reader: &Reader,
    case: &CaseRecord,
    folder: &Path,
) -> Result<io::Result<CaseSummary>, StoreError> {
    let mut summary = CaseSummary {
        rank: case.id.rank,
        name: String::from_utf8_lossy(&case.name).into_owned(),
        verdict: case.verdict,
        output: None,
        error: case.error.as_ref().map(ToString::to_string),
    };
    // No output is dropped before it is written out.
    let Output::Kept(output) = reader.output(case)? else { return Ok(Ok(summary)) };
    let copy = |below: &Path| -> io::Result<()> {
        let path = folder.join(below);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        let mut file = BufWriter::new(File::create_new(path)?);
        io::copy(&mut output.open()?, &mut file)?;
        file.flush()
    };
    // A name may be too long with its ending, or be a folder's by another case.
    let names = [output_name(case), format!("case-{}.out", case.id.rank).into()];
    let mut copied = Ok(());
    for below in names {
        copied = copy(&below);
        match &copied {
            Err(error) if is_about_the_name(error) => {}
            _ => {
                summary.output = Some(below.to_string_lossy().into_owned());
                break;
            }
        }
    }
    Ok(copied.map(|()| summary))
}

fn is_about_the_name(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::AlreadyExists
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::IsADirectory
            | io::ErrorKind::InvalidFilename
    )
}

/// Where the output of a case goes below the folder of its run: never outside.
fn output_name(case: &CaseRecord) -> PathBuf {
    let name = Path::new(std::ffi::OsStr::from_bytes(&case.name));
    let plain = name.components().all(|part| matches!(part, Component::Normal(_)));
    let mut path = if plain && !case.name.is_empty() {
        name.as_os_str().to_owned()
    } else {
        format!("case-{}", case.id.rank).into()
    };
    path.push(".out");
    path.into()
}

fn write_summary(path: &Path, run: &RunRecord, cases: Vec<CaseSummary>) -> io::Result<()> {
    let counts = Verdict::ALL.iter().zip(run.verdicts).filter(|&(_, count)| count > 0);
    let summary = Summary {
        schema: 1,
        run: run.id.0,
        label: run.label.clone(),
        state: run.state.name(),
        source: String::from_utf8_lossy(&run.source).replace('\0', ", "),
        total: run.total,
        cached: run.cached,
        verdicts: counts.map(|(verdict, count)| (verdict.name(), count)).collect(),
        cases,
    };
    let mut file = BufWriter::new(File::create(path)?);
    serde_json::to_writer_pretty(&mut file, &summary)?;
    writeln!(file)?;
    file.flush()
}
