//! The program itself, as people start it.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

/// Runs a command on the store in a directory. That some verdicts are bad is fine.
pub(crate) fn simdrop<S: AsRef<OsStr>>(state: &Path, arguments: impl IntoIterator<Item = S>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simdrop"));
    // Settings and terminals of whoever measures are left out.
    command.env_clear().env("HOME", state).arg("--state").arg(state).args(arguments);
    let ended = command.output().expect("the program starts");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(matches!(ended.status.code(), Some(0 | 1)), "{}: {said}", ended.status);
}
