//! Putting away: what was taken in goes to `done/`, what cannot be goes to `rejected/` with the reason.
//!
//! By then everything is committed, so what fails here undoes nothing and is tried again at the next scan.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::{Drop, Intake};
use crate::domain::{Class, LogLevel, RunId, RunState, chain, crash_point};
use crate::ingest::{self, HANDED_OVER, Origin};
use crate::service::handover::{Handover, mark_late};
use crate::service::plan::{self, Request};
use crate::service::serve::places::{original_name, run_name};
use crate::service::{ServiceError, is_leftover, now, span_of_run, tell};
use crate::store::{Dropped, LogLine, RunRecord};

impl Intake<'_> {
    /// Finishes what was begun before the daemon ended: what is put away in part is put away before anything
    /// is looked at, because half of it would look like something new. What is still where it was is found by
    /// the scan, which sees whether it is the same.
    pub(super) fn finish_moves(&mut self) -> Result<(), ServiceError> {
        for run in self.reader.runs_to_put_away()? {
            let _about = span_of_run(run.id).entered();
            let originals = self.originals(&run);
            let is_there = |(root, name): &(PathBuf, OsString)| exists(&root.join(name));
            let is_gone = !originals.iter().any(is_there);
            match run.state {
                RunState::TakingIn if is_gone => self.end_list(&run)?,
                RunState::TakingIn => self.begun.push(run),
                RunState::Rejected => self.finish_rejection(&run, originals)?,
                RunState::Open | RunState::Done | RunState::Cancelled => {
                    if self.finish_move(&run, &originals) || is_gone {
                        self.session.store.writer().put_away(run.id, Vec::new(), |_| ());
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether everything is away.
    fn finish_move(&self, run: &RunRecord, originals: &[(PathBuf, OsString)]) -> bool {
        let to = |name: &OsStr| self.places.done.join(away_name(run.id, name, &run.source));
        let moves = |(root, name): &(PathBuf, OsString)| {
            let moved = move_out(root, name, &to(name), run.id);
            moved.inspect_err(|error| tracing::warn!("{}: {error}", name.display())).is_ok()
        };
        originals.iter().any(|(_, name)| exists(&to(name))) && originals.iter().all(moves)
    }

    fn finish_rejection(
        &self,
        run: &RunRecord,
        originals: Vec<(PathBuf, OsString)>,
    ) -> Result<(), ServiceError> {
        let log = self.reader.log(run.id.head().into(), None, 1)?;
        let reason = log.first().map_or("", |line| &line.message);
        let (roots, names): (Vec<PathBuf>, Vec<OsString>) = originals.into_iter().unzip();
        if let Some(root) = roots.first() {
            self.put_aside(root, &names, run.id, reason);
        }
        Ok(())
    }

    /// The inboxes and names that a run was taken from.
    fn originals(&self, run: &RunRecord) -> Vec<(PathBuf, OsString)> {
        if let Some(token) = &run.token {
            let name = OsString::from(format!("{HANDED_OVER}{token}"));
            let roots = self.seats.iter().map(|seat| seat.root().to_owned());
            let there = roots.filter(|root| exists(&root.join(&name)));
            return there.map(|root| (root, name.clone())).collect();
        }
        let paths = run.source.split(|&byte| byte == 0);
        let split = |path: &[u8]| {
            let path = Path::new(OsStr::from_bytes(path));
            Some((path.parent()?.to_owned(), path.file_name()?.to_owned()))
        };
        paths.filter_map(split).collect()
    }

    /// Moves the names of a drop out of the inbox.
    pub(super) fn put_away(&mut self, drop: &Drop, run: RunId) -> Result<(), ServiceError> {
        let _about = span_of_run(run).entered();
        crash_point("before-move");
        let root = self.seats[drop.seat].root().to_owned();
        let mut log = Vec::new();
        for name in &drop.found.names {
            let to = self.places.done.join(away_name(run, name, &drop.source));
            match move_out(&root, name, &to, run) {
                Ok(Some(note)) => log.push(tell(LogLevel::Info, note)),
                Ok(None) => log.extend(self.late(drop, run, &root, name, &to)),
                Err(error) => {
                    tracing::warn!("{}: not put away yet: {}", root.join(name).display(), error);
                    self.places.restore();
                    self.seats[drop.seat].later(&drop.found.names);
                    return Ok(());
                }
            }
        }
        crash_point("after-move");
        self.seats[drop.seat].forget(&drop.found.names);
        let events = self.events.clone();
        self.session.store.writer().put_away(run, log, move |committed| {
            if let Err(error) = committed {
                let _ = events.send(Err(error.into()));
            }
        });
        Ok(())
    }

    /// Files that came into a folder after its list was made go back to the inbox, as a run of their own.
    fn late(
        &self,
        drop: &Drop,
        run: RunId,
        root: &Path,
        name: &OsStr,
        moved_to: &Path,
    ) -> Option<LogLine> {
        let late = drop.found.listed.late(moved_to).ok()?;
        if late.is_empty() {
            return None;
        }
        let back = root.join(name);
        let moved = ingest::give_back(moved_to, &back, &late)
            .inspect_err(|error| tracing::warn!("{}: {error}", back.display()))
            .ok()?;
        if let Err(error) = mark_late(&back, run) {
            tracing::warn!("{}: {error}", back.display());
        }
        let message = format!("{moved} files came too late; they are a run of their own");
        Some(tell(LogLevel::Warning, message))
    }

    /// Records names as rejected and moves them to `rejected/`, with the reason beside them.
    pub(super) fn reject(
        &mut self,
        seat: usize,
        names: &[OsString],
        reason: &str,
        handover: &Handover,
    ) -> Result<(), ServiceError> {
        let root = self.seats[seat].root().to_owned();
        let paths: Vec<PathBuf> = names.iter().map(|name| root.join(name)).collect();
        let request =
            Request { origin: Origin::Files(paths), ..handover.request(Origin::Files(Vec::new())) };
        let mut new = plan::rejected_run(&request, now());
        new.source = match &handover.token {
            Some(_) => handover.source.clone(),
            None => self.seats[seat].paths(names),
        };
        // Somebody may wait for it.
        let class = Class::High;
        let token = handover.token.clone();
        new.dropped = token.map(|token| Dropped { class, token: Some(token), identity: None });
        let line = LogLine { at: now(), level: LogLevel::Error, message: reason.to_owned() };
        let run = self.session.store.writer().reject_run(new, line, true)?;
        self.session.store.writer().written_out(run, |_| ());
        self.board.set_not_fine();
        let first = names.first().map_or(OsStr::new(""), |name| name.as_os_str());
        let _about = span_of_run(run).entered();
        tracing::info!("{} is rejected: {reason}", first.display());
        crash_point("before-move");
        // What stays is not looked at again before the next start, which moves it.
        if self.put_aside(&root, names, run, reason) {
            self.seats[seat].forget(names);
        }
        Ok(())
    }

    /// Removes what a `run` left that was killed before it had handed it over.
    pub(super) fn clear_up(&self, seat: usize, name: &OsStr) {
        let path = self.seats[seat].root().join(name);
        if !is_leftover(&path) {
            return;
        }
        match fs::remove_dir_all(&path) {
            Ok(()) => tracing::warn!("{}: removed, a `run` that is gone left it", path.display()),
            Err(error) => tracing::debug!("{}: left by a `run`: {error}", path.display()),
        }
    }

    /// Moves names to `rejected/`, with the reason beside them; `false` if something stays.
    fn put_aside(&self, root: &Path, names: &[OsString], run: RunId, reason: &str) -> bool {
        let first = names.first().map_or(OsStr::new(""), |name| name.as_os_str());
        let folder = self.places.rejected.join(run_name(run, first));
        if let Err(error) = explain(&folder, names, reason) {
            tracing::warn!("{}: {error}", folder.display());
            return false;
        }
        let mut moved = true;
        for name in names {
            let path = root.join(name);
            if let Err(error) = move_out(root, name, &folder.join(name), run) {
                tracing::warn!("{}: not put away: {error}", path.display());
                moved &= path.symlink_metadata().is_err();
            }
        }
        crash_point("after-move");
        if moved {
            self.session.store.writer().put_away(run, Vec::new(), |_| ());
        }
        moved
    }
}

fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Moves a name out of an inbox; what is to be said if it had to stay there under another name.
fn move_out(root: &Path, name: &OsStr, to: &Path, run: RunId) -> Result<Option<String>, String> {
    match ingest::put_away(&root.join(name), to) {
        Ok(_) => Ok(None),
        Err(error) if error.is_forbidden() => match ingest::mark_done(root, name, run) {
            Ok(stays) => Ok(Some(format!(
                "the system does not let it be moved; it stays in the inbox as {}",
                stays.display()
            ))),
            Err(error) => Err(chain(&error)),
        },
        Err(error) => Err(chain(&error)),
    }
}

/// What is put away is called after what was handed over, not after the place it was handed over in.
fn away_name(run: RunId, name: &OsStr, source: &[u8]) -> OsString {
    if !name.as_encoded_bytes().starts_with(HANDED_OVER.as_bytes()) {
        return run_name(run, name);
    }
    run_name(run, original_name(source))
}

/// Says why beside what is rejected, in a file that nothing of that is called like.
fn explain(folder: &Path, names: &[OsString], reason: &str) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut file = OsString::from("REASON.txt");
    while names.contains(&file) {
        file.push(".txt");
    }
    fs::write(folder.join(file), format!("{reason}\n"))
}
