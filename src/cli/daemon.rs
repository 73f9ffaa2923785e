//! Talking to a daemon: whether there is one, and asking it for something.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::{CliError, Global};
use crate::service::{Ask, Reply, is_alive};
use crate::store::{Beat, Reader};

/// How often an answer is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// After so long another process may have the number of one that is gone.
const SILENCE_MOST: Duration = Duration::from_secs(60);

/// A daemon that does not answer for so long is none.
const PATIENCE: Duration = Duration::from_secs(30);

/// What the daemon on a store said last, if it is there.
pub(super) fn alive(reader: &Reader) -> Result<Option<Beat>, CliError> {
    let Some(beat) = reader.beat()? else { return Ok(None) };
    // One whose disk is full cannot say anything, but it keeps its lock.
    let is_ours = || silence(&beat) < SILENCE_MOST || holds_a_lock(beat.pid);
    Ok((is_alive(beat.pid) && is_ours()).then_some(beat))
}

/// How long nothing was heard of a daemon. What is of the future it wrote before the clock was set back, and
/// nothing since.
pub(super) fn silence(beat: &Beat) -> Duration {
    Duration::from_micros(Timestamp::now().as_microsecond().abs_diff(beat.at.0))
}

/// Whether a process holds the lock of some file. Not by trying the lock, which is for writers only.
fn holds_a_lock(pid: u32) -> bool {
    let pid = pid.to_string();
    let holds = |line: &str| {
        let mut words = line.split_ascii_whitespace().skip(1);
        words.next() == Some("FLOCK") && words.nth(2) == Some(&pid)
    };
    let is_listed =
        || std::fs::read_to_string("/proc/locks").is_ok_and(|locks| locks.lines().any(holds));
    // While others come and go a list may lack one that stays.
    (0..3).any(|_| is_listed())
}

/// The store of a daemon that is there.
pub(super) fn reader(global: &Global) -> Result<Reader, CliError> {
    let reader = global.reader()?.ok_or(CliError::NoDaemon)?;
    if alive(&reader)?.is_none() {
        return Err(CliError::NoDaemon);
    }
    Ok(reader)
}

/// The name of a group, or its number.
pub(super) fn group_name(gid: u32) -> String {
    name_in("/etc/group", gid)
}

/// The name of a user, or the number.
pub(super) fn user_name(uid: u32) -> String {
    name_in("/etc/passwd", uid)
}

fn name_in(file: &str, id: u32) -> String {
    let known = std::fs::read_to_string(file).unwrap_or_default();
    let named = known.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(id)).then(|| name.to_owned())
    });
    named.unwrap_or_else(|| id.to_string())
}

/// A name that nobody else uses.
pub(super) fn token() -> String {
    let at = Timestamp::now().as_nanosecond();
    format!("{at:x}-{}", std::process::id())
}

/// Asks the daemon and waits for its answer; the inner error is why it was refused.
pub(super) fn ask(
    state: &Path,
    reader: &Reader,
    ask: &Ask,
) -> Result<Result<Reply, String>, CliError> {
    let token = token();
    ask.send(state, &token)
        .map_err(|source| CliError::Asking { state: state.to_owned(), source })?;
    let begun = Instant::now();
    loop {
        if let Some(answer) = reader.answer(&token)? {
            return Ok(answer.map(|text| serde_json::from_str(&text).unwrap_or_default()));
        }
        let is_too_late =
            if ask.takes_long() { alive(reader)?.is_none() } else { begun.elapsed() > PATIENCE };
        if is_too_late {
            // It must not be carried out when nobody waits for it any more.
            Ask::withdraw(state, &token);
            return Err(CliError::NoDaemon);
        }
        thread::park_timeout(LOOK_EVERY);
    }
}
