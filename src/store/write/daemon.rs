//! What a daemon keeps about itself and about what lay in its inbox.

use rusqlite::{Connection, params};

use super::{LogLine, Statements, add_log};
use crate::domain::{RunId, TimestampUs};
use crate::store::StoreError;

/// How many answers are kept: whoever asked looks at once, and whoever floods must not fill the store.
const REQUESTS_KEPT: i64 = 1_000;

/// What the process that holds the store says of itself.
#[derive(Debug, Clone)]
pub struct Beat {
    /// Its process id.
    pub pid: u32,
    /// When it said so.
    pub at: TimestampUs,
    /// Whether it is paused.
    pub paused: bool,
    /// What it is doing, as JSON.
    pub body: String,
}

/// A request that was carried out or refused.
#[derive(Debug, Clone)]
pub struct AnsweredRequest {
    /// The name of the file that asked.
    pub token: String,
    /// What was asked for.
    pub kind: String,
    /// With which arguments, as JSON.
    pub args: String,
    /// Who asked.
    pub uid: u32,
    /// The answer, or why it was refused, as JSON.
    pub answer: Result<String, String>,
}

pub(super) fn put_away(db: &Connection, run: RunId, log: &[LogLine]) -> Result<(), StoreError> {
    db.prepare_cached("UPDATE runs SET put_away = 1 WHERE id = ?1")?.execute([run.0])?;
    add_log(&mut Statements::new(db), run.head(), log)
}

pub(super) fn written_out(db: &Connection, run: RunId) -> Result<(), StoreError> {
    db.prepare_cached("UPDATE runs SET written_out = 1 WHERE id = ?1")?.execute([run.0])?;
    Ok(())
}

pub(super) fn beat(db: &Connection, beat: &Beat) -> Result<(), StoreError> {
    let sql = "INSERT OR REPLACE INTO daemon (instance, pid, beat_us, paused, body)
               VALUES (1, ?1, ?2, ?3, ?4)";
    db.prepare_cached(sql)?.execute(params![beat.pid, beat.at.0, beat.paused, beat.body])?;
    Ok(())
}

pub(super) fn answer(db: &Connection, request: &AnsweredRequest) -> Result<(), StoreError> {
    let sql = "INSERT INTO requests (token, kind, args, uid, state, answer)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (token) DO NOTHING";
    let (state, answer) = match &request.answer {
        Ok(answer) => (2, answer),
        Err(reason) => (3, reason),
    };
    let AnsweredRequest { token, kind, args, uid, .. } = request;
    db.prepare_cached(sql)?.execute(params![token, kind, args, uid, state, answer])?;
    let sql = "DELETE FROM requests WHERE id <= (SELECT max(id) FROM requests) - ?1";
    db.prepare_cached(sql)?.execute([REQUESTS_KEPT])?;
    Ok(())
}
