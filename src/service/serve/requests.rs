//! What people ask of the daemon: one file for each request, answered by a row.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use super::board::Board;
use super::caretaker::Job;
use super::places::Places;
use crate::domain::RunId;
use crate::ingest::Root;
use crate::service::asked::{Ask, Reply};
use crate::service::dispatch::Event;
use crate::service::floor::Floor;
use crate::service::{ServiceError, Session, now};
use crate::store::{AnsweredRequest, Reader, RunChoice};

/// A longer request is none.
const BYTES_MOST: u64 = 64 << 10;

/// How often requests are looked for.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How many requests are carried out at one look: games end meanwhile, and are waited for.
const ANSWERED_MOST: usize = 64;

/// Looks for requests and carries them out.
pub(super) struct Requests<'a> {
    session: &'a Session,
    places: &'a Places,
    board: &'a Board,
    to_prune: Sender<Job>,
    reader: Reader,
    looked: Option<Instant>,
    /// Those that were carried out and whose files may still be there.
    answered: HashSet<String>,
}

impl<'a> Requests<'a> {
    pub(super) fn new(
        session: &'a Session,
        places: &'a Places,
        board: &'a Board,
        to_prune: Sender<Job>,
    ) -> Result<Self, ServiceError> {
        let (reader, answered) = (session.reader()?, HashSet::new());
        Ok(Self { session, places, board, to_prune, reader, looked: None, answered })
    }

    /// Carries out what was asked since the last look; now and then, however often it is called.
    pub(super) fn look(&mut self, floor: &mut Floor<'_>) -> Result<(), ServiceError> {
        if self.looked.is_some_and(|at| at.elapsed() < LOOK_EVERY) {
            return Ok(());
        }
        self.looked = Some(Instant::now());
        let Ok(entries) = fs::read_dir(&self.places.requests) else { return Ok(()) };
        let (mut there, mut new) = (HashSet::new(), 0);
        for entry in entries.flatten() {
            // Each answer waits for the writer.
            self.session.host.step();
            let name = entry.file_name();
            let token = name.to_string_lossy().into_owned();
            if token.starts_with('.') {
                continue;
            }
            if !self.answered.contains(&token) {
                new += 1;
                if new > ANSWERED_MOST {
                    continue;
                }
                self.answer(&entry.path(), &token, floor)?;
            }
            there.insert(token);
        }
        self.answered = there;
        Ok(())
    }

    fn answer(&self, path: &Path, token: &str, floor: &mut Floor<'_>) -> Result<(), ServiceError> {
        if self.reader.answer(token)?.is_some() {
            // A crash came before its file was removed.
            let _ = fs::remove_file(path);
            return Ok(());
        }
        let (uid, text) = match read(path) {
            Ok(read) => read,
            Err(error) => {
                tracing::warn!("{}: {error}", path.display());
                let _ = fs::remove_file(path);
                return Ok(());
            }
        };
        let asked = serde_json::from_str::<Ask>(&text);
        let answer = match &asked {
            Ok(Ask::Prune { runs, more }) => {
                let (path, token) = (path.to_owned(), token.to_owned());
                let (runs, more) = (runs.clone(), *more);
                let _ = self.to_prune.send(Job { path, token, uid, args: text, runs, more });
                return Ok(());
            }
            Ok(ask) => self.carry_out(ask, floor)?,
            Err(error) => Err(format!("no request: {error}")),
        };
        let kind = asked.as_ref().map_or("unknown", Ask::kind).to_owned();
        let answer = answer.map(|answer| serde_json::to_string(&answer).unwrap_or_default());
        let token = token.to_owned();
        let request = AnsweredRequest { token, kind, args: text, uid, answer };
        // Waited for: the next look must not find it again.
        self.session.store.writer().answer_request(request)?;
        let _ = fs::remove_file(path);
        Ok(())
    }

    /// The outer error is the store's; the inner one says why it was refused.
    fn carry_out(
        &self,
        ask: &Ask,
        floor: &mut Floor<'_>,
    ) -> Result<Result<Reply, String>, ServiceError> {
        match ask {
            Ask::Pause { drain } => {
                self.board.set_paused(true);
                floor.hold(true);
                if !drain {
                    floor.take_back_all();
                }
                self.board.set_load(floor.load());
                self.board.beat(self.session);
                Ok(Ok(Reply::default()))
            }
            Ask::Resume => {
                self.board.set_paused(false);
                floor.hold(false);
                self.board.set_load(floor.load());
                self.board.beat(self.session);
                Ok(Ok(Reply::default()))
            }
            Ask::Cancel { run } => self.cancel(RunId(*run), floor),
            // It takes long, and was handed to the caretaker.
            Ask::Prune { .. } => Ok(Err("nobody removes here".to_owned())),
            Ask::Edit { run, edit } => {
                Ok(if self.session.store.writer().edit_run(RunId(*run), edit.clone())? {
                    Ok(Reply { run: Some(*run), ..Reply::default() })
                } else {
                    Err(format!("no such run: {run}"))
                })
            }
            Ask::Rerun { run, again } => {
                let reader = self.session.reader()?;
                let Some(of) = reader.run(&RunChoice::Id(RunId(*run)))? else {
                    return Ok(Err(format!("no such run: {run}")));
                };
                let Some(new) = self.session.repeat_run(&of, again)? else {
                    return Ok(Ok(Reply::default()));
                };
                if let Some(way) = self.session.under_way(new)? {
                    floor.say(Event::Opened(way));
                    floor.say(Event::ListEnded(new));
                }
                Ok(Ok(Reply { run: Some(new.0), ..Reply::default() }))
            }
        }
    }

    fn cancel(&self, run: RunId, floor: &Floor<'_>) -> Result<Result<Reply, String>, ServiceError> {
        let cancelled = self.session.store.writer().cancel_run(run, now())?;
        floor.say(Event::Cancelled(run));
        self.session.engine.recall(run);
        Ok(match cancelled {
            Some(cases) => Ok(Reply { run: Some(run.0), cases: Some(cases), ..Reply::default() }),
            None => Err(format!("run {run} is over, or there is no such run")),
        })
    }
}

/// Who wrote a request, and what it says.
fn read(path: &Path) -> io::Result<(u32, String)> {
    let (requests, name) = Root::around(path)?;
    requests.text(name, BYTES_MOST)
}
