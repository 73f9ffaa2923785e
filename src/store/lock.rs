//! One writer: a lock file beside the database, freed by the kernel when its holder dies.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::StoreError;

/// A holder that is about to end is waited for without a word.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often a lock that is held is tried.
const TRY_EVERY: Duration = Duration::from_millis(10);

/// The lock while it is held.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

/// What to do when another process holds the store.
pub enum IfHeld<'a> {
    /// Say so.
    Refuse,
    /// Call this with the holder, then wait.
    Wait(&'a mut dyn FnMut(&str)),
}

impl Lock {
    /// Takes the lock of a state directory and writes this process into it, for messages only.
    pub(super) fn take(state: &Path, if_held: IfHeld<'_>) -> Result<Self, StoreError> {
        let path = state.join("store.lock");
        let failed = |source| StoreError::Io { path: path.clone(), source: Arc::new(source) };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o640);
        let mut file = options.open(&path).map_err(failed)?;
        match (try_for_a_while(&file), if_held) {
            (Ok(()), _) => {}
            (Err(TryLockError::WouldBlock), IfHeld::Refuse) => {
                return Err(StoreError::Held {
                    state: state.to_owned(),
                    holder: holder(&mut file),
                });
            }
            (Err(TryLockError::WouldBlock), IfHeld::Wait(tell)) => {
                tell(&holder(&mut file));
                file.lock().map_err(failed)?;
            }
            (Err(TryLockError::Error(source)), _) => return Err(failed(source)),
        }
        write_pid(&mut file).map_err(failed)?;
        Ok(Self { _file: file })
    }
}

/// Tries to take the lock until [`PATIENCE`] is over.
fn try_for_a_while(file: &File) -> Result<(), TryLockError> {
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if begun.elapsed() < PATIENCE => {
                thread::park_timeout(TRY_EVERY);
            }
            tried => return tried,
        }
    }
}

fn holder(file: &mut File) -> String {
    let mut text = String::new();
    match file.rewind().and_then(|()| file.read_to_string(&mut text)) {
        Ok(_) if !text.trim().is_empty() => text.trim().to_owned(),
        _ => "unknown".to_owned(),
    }
}

fn write_pid(file: &mut File) -> std::io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{}", std::process::id())
}
