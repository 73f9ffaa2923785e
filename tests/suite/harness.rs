//! What the tests drive simdrop with: the program, a state directory and folders of their own.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;
use tempfile::TempDir;

/// A place for one test: a state directory and a folder, removed at the end.
pub(crate) struct Place {
    root: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { root: TempDir::new().expect("a temporary directory") }
    }

    pub(crate) fn path(&self, below: impl AsRef<Path>) -> PathBuf {
        self.root.path().join(below)
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.path("state")
    }

    /// Writes a file, with the folders it needs.
    pub(crate) fn file(&self, below: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> &Self {
        let path = self.path(below);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, bytes).expect("a file");
        self
    }

    /// The program with arguments, on this place's store, blind to the user's settings.
    pub(crate) fn command<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_simdrop"));
        command.args(args).current_dir(self.root.path()).stdin(Stdio::null());
        command.env_clear().env("SIMDROP_STATE", self.state()).env("HOME", self.root.path());
        command
    }

    /// Runs the program to its end.
    pub(crate) fn simdrop<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Ran {
        Ran::of(&mut self.command(args))
    }

    /// Runs the program, demands an exit code, and reads its standard output as JSON.
    pub(crate) fn json<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Value {
        let ran = self.simdrop(args);
        let value = serde_json::from_str(&ran.stdout);
        value.ok().ok_or(ran).expect("JSON")
    }

    /// What the database answers to a query of one value, opened as anybody might.
    pub(crate) fn ask<T: rusqlite::types::FromSql>(&self, sql: &str) -> T {
        let db = rusqlite::Connection::open(self.state().join("store.db")).expect("a store");
        db.query_row(sql, [], |row| row.get(0)).expect("a row")
    }
}

/// How the program ended, and what it said.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn of(command: &mut Command) -> Self {
        Self::from(command.output().expect("the program starts"))
    }

    /// Demands an exit code.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        self
    }

    /// Demands a text on standard output.
    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Self {
        assert!(self.stdout.contains(text), "no {text:?} in {self:?}");
        self
    }

    /// Demands a text on standard error.
    #[track_caller]
    pub(crate) fn complains(self, text: &str) -> Self {
        assert!(self.stderr.contains(text), "no {text:?} in {self:?}");
        self
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Waits until something holds, for a minute at most.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(60), "never: {what}");
        std::thread::park_timeout(Duration::from_millis(2));
    }
}

/// Says why a test could not be made, where it is seen.
#[expect(clippy::print_stderr, reason = "whoever runs the tests has to see it")]
pub(crate) fn skipped(why: &str) {
    eprintln!("SKIPPED: {why}");
}

/// The number of a process that is not there: numbers end below this.
pub(crate) const NOBODY: u32 = 4_999_999;

/// Makes a folder look as if nobody had touched anything in it for two days.
pub(crate) fn age(path: &Path) {
    for entry in fs::read_dir(path).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { age(&path) } else { set_age(&path) }
    }
    set_age(path);
}

fn set_age(path: &Path) {
    let at = SystemTime::now() - Duration::from_secs(2 * 24 * 60 * 60);
    File::open(path).expect("a file").set_modified(at).expect("a time");
}

/// A Thunder Bluff input of one game.
pub(crate) fn thunder(seed: u32) -> String {
    format!("1\n{seed} {} {} {}\n", seed ^ 0x9e37_79b9, seed.wrapping_mul(7), !seed)
}

/// The limits of the settings, for those who call the library.
pub(crate) const LIMITS: simdrop::config::Limits = simdrop::config::Limits {
    max_input_bytes: 256 << 20,
    max_output_bytes: 1 << 30,
    max_games: 10_000_000,
    max_folder_files: 1_000_000,
    max_zip_entries: 1_000_000,
    max_zip_bytes: 16 << 30,
    max_zip_ratio: 200,
};

/// The files in a folder and in the folders below it.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let (mut folders, mut files) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files
}
