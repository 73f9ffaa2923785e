//! The daemon: what lands in its inbox is evaluated once, whatever happens meanwhile.

#[cfg(feature = "faults")]
mod counting;
mod dropping;
mod following;
mod handing_over;
mod keeping;
#[cfg(feature = "faults")]
mod killing;
mod once;
mod refusing;
mod reloading;
mod starting;
mod steering;
mod supervisor;
mod telling;
mod trouble;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use rusqlite::{Connection, OpenFlags};
use serde_json::Value;

use crate::harness::{Place, Ran, thunder, wait_until};

/// Nothing waits longer than a test has to.
const SETTINGS: &str = "
[engine]
backstop = \"2 s\"
grace = \"1 s\"
suspect_bytes = \"512 MiB\"
[inbox]
quiet_file = \"50 ms\"
quiet_folder = \"50 ms\"
empty_file = \"50 ms\"
rescan = \"500 ms\"
poll = \"50 ms\"
[serve]
drain = \"10 s\"
probe = \"50 ms\"
";

/// A daemon on a place of its own. It is killed at the end, if it is still there.
pub(crate) struct Daemon {
    child: Option<Child>,
    pub(crate) place: Place,
}

impl Daemon {
    /// The place, and nobody there yet.
    fn down() -> Self {
        let place = Place::new();
        place.file("serve.toml", SETTINGS);
        fs::create_dir_all(place.path("state/inbox")).expect("a folder");
        Self { child: None, place }
    }

    pub(crate) fn up() -> Self {
        let mut daemon = Self::down();
        daemon.start();
        daemon
    }

    /// With a variable in its environment.
    pub(crate) fn up_with((variable, value): (&str, &str)) -> Self {
        let mut daemon = Self::down();
        let mut command = daemon.command(&[]);
        daemon.start_as(command.env(variable, value));
        daemon
    }

    /// Starts it and waits until it serves.
    fn start(&mut self) {
        let mut command = self.command(&[]);
        self.start_as(&mut command);
    }

    fn start_as(&mut self, command: &mut Command) {
        self.spawn(command);
        wait_until("it serves", || {
            let ended = self.child.as_mut().expect("a daemon").try_wait().expect("a child");
            assert!(ended.is_none(), "{}", self.log());
            self.log().contains("serving")
        });
    }

    /// Starts it so that it kills itself at a crash point, and waits for that.
    #[cfg(feature = "faults")]
    fn start_and_die_at(&mut self, point: &str) {
        let mut command = self.command(&[]);
        self.spawn(command.env("SIMDROP_CRASH_POINT", point));
        let status = self.wait();
        assert_eq!(status.code(), None, "{point}: {}", self.log());
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.place.command(["serve", "--config", "serve.toml"]);
        command.args(args);
        command
    }

    fn spawn(&mut self, command: &mut Command) {
        let log = File::create(self.place.path("log")).expect("a file");
        let child = command.stdout(Stdio::null()).stderr(log).spawn();
        self.child = Some(child.expect("a daemon"));
    }

    /// What it said since it was started.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.place.path("log")).unwrap_or_default()
    }

    fn pid(&self) -> u32 {
        self.child.as_ref().expect("a daemon").id()
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([name, &self.pid().to_string()]).status();
        assert!(sent.expect("kill").success());
    }

    /// Waits for its end.
    fn wait(&mut self) -> ExitStatus {
        let mut child = self.child.take().expect("a daemon");
        let mut ended = None;
        wait_until("it ends", || {
            ended = child.try_wait().expect("a child");
            ended.is_some()
        });
        ended.expect("an end")
    }

    /// Asks it to stop and demands that all is well.
    #[track_caller]
    pub(crate) fn stop(&mut self) {
        self.signal("-TERM");
        assert_eq!(self.wait().code(), Some(0), "{}", self.log());
        self.is_sound();
    }

    fn kill(&mut self) {
        self.signal("-KILL");
        self.wait();
    }

    pub(crate) fn inbox(&self, name: impl AsRef<Path>) -> PathBuf {
        self.place.path("state/inbox").join(name)
    }

    /// Makes a folder with files beside the inbox and renames it in.
    pub(crate) fn drop_folder(&self, name: &str, files: &[(&str, &str)]) {
        for (file, text) in files {
            self.place.file(Path::new("making").join(name).join(file), text);
        }
        self.rename_in(&self.place.path("making").join(name));
    }

    /// Writes a file beside the inbox and renames it in.
    pub(crate) fn drop_file(&self, name: &str, text: impl AsRef<[u8]>) {
        self.place.file(Path::new("making").join(name), text);
        self.rename_in(&self.place.path("making").join(name));
    }

    pub(crate) fn rename_in(&self, from: &Path) {
        let name = from.file_name().expect("a name");
        fs::rename(from, self.inbox(name)).expect("a rename");
    }

    /// What the store answers to a query of one number, looked at as somebody who may only read.
    pub(crate) fn ask(&self, sql: &str) -> i64 {
        let db = Connection::open_with_flags(
            self.place.path("state/store.db"),
            OpenFlags::SQLITE_OPEN_READ_ONLY,
        );
        let db = db.expect("a store");
        db.query_row(sql, [], |row| row.get(0)).expect("a row")
    }

    /// Waits until there are so many runs and all are over, put away and written out.
    #[track_caller]
    pub(crate) fn wait_for_runs(&self, runs: i64) {
        let sql = "SELECT count(*) FROM runs WHERE state >= 3 AND put_away AND written_out";
        wait_until("the runs are over", || self.ask(sql) >= runs);
        assert_eq!(self.ask("SELECT count(*) FROM runs"), runs);
    }

    #[cfg(feature = "faults")]
    fn wait_for_empty_inbox(&self) {
        wait_until("the inbox is empty", || self.names("inbox").is_empty());
    }

    /// Waits until a case is being played.
    #[cfg(feature = "faults")]
    fn wait_for_playing(&self, cases: i64) {
        wait_until("cases are played", || {
            self.ask("SELECT count(*) FROM cases WHERE state = 2") >= cases
        });
    }

    fn simdrop(&self, args: &[&str]) -> Ran {
        self.place.simdrop(args.iter().chain(&["--config", "serve.toml"]))
    }

    fn run(&self, run: i64) -> Value {
        self.place.json(["show", &run.to_string(), "--json"])
    }

    fn status(&self) -> Value {
        self.place.json(["status", "--json"])
    }

    /// Waits until the status says something.
    pub(crate) fn wait_for_status(&self, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
        let mut status = Value::Null;
        wait_until(what, || {
            let said = self.place.simdrop(["status", "--json"]).stdout;
            status = serde_json::from_str(&said).unwrap_or_default();
            holds(&status)
        });
        status
    }

    /// The text of a file in the state directory.
    #[track_caller]
    pub(crate) fn read(&self, below: &str) -> String {
        fs::read_to_string(self.place.state().join(below)).expect(below)
    }

    /// The names in a directory of the state directory, in order.
    pub(crate) fn names(&self, below: &str) -> Vec<String> {
        let entries = fs::read_dir(self.place.state().join(below)).expect("a directory");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let mut names: Vec<String> =
            names.map(|name| name.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// What must hold at any time.
    #[track_caller]
    fn is_sound(&self) {
        let db = Connection::open_with_flags(
            self.place.path("state/store.db"),
            OpenFlags::SQLITE_OPEN_READ_ONLY,
        );
        let db = db.expect("a store");
        let said: Result<String, _> = db.query_row("PRAGMA integrity_check", [], |row| row.get(0));
        assert_eq!(said.expect("an answer"), "ok");
        let wrong = "SELECT count(*) FROM runs WHERE done !=
                         (SELECT count(*) FROM cases WHERE run = runs.id AND state = 3)
                     OR total != (SELECT count(*) FROM cases WHERE run = runs.id)
                     OR state = 3 AND done != total";
        assert_eq!(self.ask(wrong), 0);
        assert_eq!(self.ask("SELECT count(*) FROM pragma_foreign_key_check"), 0);
        // Every case that is done and was not refused or taken back has what was played.
        let wrong =
            "SELECT count(*) FROM cases WHERE state = 3 AND result IS NULL AND error IS NULL
                         AND verdict != 8";
        assert_eq!(self.ask(wrong), 0);
    }

    /// What `sim` says to an input.
    fn output_of(&self, input: &str) -> String {
        self.place.file("input", input);
        self.place.simdrop(["sim", "thunder-bluff", "input"]).exits(0).stdout
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
