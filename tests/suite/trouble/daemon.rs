//! A daemon in the background, for those who want to see it in trouble.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::harness::{Place, Ran, wait_until};

pub(crate) use crate::harness::skipped;

/// Settings that do not wait long.
pub(crate) const SHORT: &str =
    "[inbox]\nquiet_file = \"30 ms\"\nquiet_folder = \"60 ms\"\nempty_file = \"100 ms\"
rescan = \"150 ms\"\npoll = \"50 ms\"\n\n[serve]\ndrain = \"5s\"\nprobe = \"50 ms\"\n";

/// Who starts a process.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Somebody {
    pub(crate) uid: u32,
    /// The group of what it makes.
    pub(crate) gid: u32,
    /// A group it is in, too.
    pub(crate) also: u32,
}

impl Somebody {
    /// A command that runs another one as this user.
    pub(crate) fn command(self, program: impl AsRef<Path>) -> Command {
        let Self { uid, gid, also } = self;
        let mut command = Command::new("setpriv");
        command.arg(format!("--reuid={uid}")).arg(format!("--regid={gid}"));
        command.arg(format!("--groups={also}")).arg(program.as_ref()).stdin(Stdio::null());
        command
    }

    /// Runs a line of shell in a place.
    #[track_caller]
    pub(crate) fn does(self, place: &Place, line: &str) {
        let mut command = self.command("sh");
        command.args(["-c", line]).current_dir(place.path("")).env("STATE", place.state());
        Ran::of(&mut command).exits(0);
    }
}

/// A daemon in the background; it is killed when this is dropped.
pub(crate) struct Daemon {
    child: Child,
    log: PathBuf,
}

impl Daemon {
    /// Starts the usual daemon of a place.
    pub(crate) fn start(place: &Place, more: &[&str]) -> Self {
        Self::of(place, place.command(["serve", "--config", "short.toml", "-v"]).args(more))
    }

    /// Starts a daemon by a command, and waits until it serves.
    pub(crate) fn of(place: &Place, command: &mut Command) -> Self {
        let log = place.path("log");
        fs::write(place.path("short.toml"), SHORT).expect("settings");
        let file = File::create(&log).expect("a log");
        let child = command.stdout(Stdio::null()).stderr(file).spawn().expect("a daemon");
        let mut daemon = Self { child, log };
        wait_until("it serves", || {
            assert!(daemon.exit_code().is_none(), "it ended: {}", daemon.log());
            daemon.log().contains("serving")
        });
        daemon
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// What it said on standard error since it was started.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(&self.log).expect("a log")
    }

    /// `None`: it is still there.
    pub(crate) fn exit_code(&mut self) -> Option<Option<i32>> {
        self.child.try_wait().expect("a child").map(|status| status.code())
    }

    /// Waits until it ends by itself.
    pub(crate) fn end(&mut self) -> Option<i32> {
        wait_until("the daemon ends", || self.exit_code().is_some());
        self.exit_code().flatten()
    }

    /// Tells it to stop, and demands that it does.
    pub(crate) fn stop(&mut self) {
        let told = Command::new("kill").arg(self.id().to_string()).status();
        assert!(told.expect("kill").success());
        assert_eq!(self.end(), Some(0), "{}", self.log());
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("a kill");
        self.child.wait().expect("an end");
    }

    /// The most memory it ever had, in KiB.
    pub(crate) fn peak_kib(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id())).expect("a process");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    /// Runs the program where the daemon sees its files.
    pub(crate) fn beside(&self, place: &Place, args: &[&str]) -> Ran {
        let mut command = Command::new("nsenter");
        command.args(["-t", &self.id().to_string(), "-U", "-m", "--preserve-credentials"]);
        command.arg(env!("CARGO_BIN_EXE_simdrop")).args(args).stdin(Stdio::null());
        command.env("SIMDROP_STATE", place.state()).env("HOME", place.path(""));
        Ran::of(&mut command)
    }

    /// Runs a line of shell where the daemon sees its files, and says what it prints.
    #[track_caller]
    pub(crate) fn shell(&self, place: &Place, line: &str) -> String {
        let mut command = Command::new("nsenter");
        command.args(["-t", &self.id().to_string(), "-U", "-m", "--preserve-credentials"]);
        command.args(["sh", "-c", line]).env("STATE", place.state()).stdin(Stdio::null());
        Ran::of(&mut command).exits(0).stdout.trim().to_owned()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What `status` says.
pub(crate) fn status(place: &Place) -> Value {
    serde_json::from_str(&place.simdrop(["status", "-o", "json"]).stdout).unwrap_or_default()
}

/// How many names of a kind lie in the first inbox.
pub(crate) fn names(place: &Place, kind: &str) -> u64 {
    status(place)["inboxes"][0][kind]["count"].as_u64().unwrap_or(0)
}

/// Waits until so many runs are over, and none is not.
#[track_caller]
pub(crate) fn wait_for_runs(place: &Place, many: i64) {
    wait_until("the runs are over", || {
        place.ask::<i64>("SELECT count(*) FROM runs WHERE state >= 3 AND put_away AND written_out")
            == many
    });
    assert_eq!(place.ask::<i64>("SELECT count(*) FROM runs"), many);
}

/// Renames a folder or a file of the place into its inbox.
pub(crate) fn drop_in(place: &Place, name: &str) {
    let inbox = place.state().join("inbox");
    fs::rename(place.path(name), inbox.join(name)).expect("a drop");
}

/// The names in a directory, in order.
pub(crate) fn listed(path: impl AsRef<Path>) -> Vec<String> {
    let entries = fs::read_dir(path).expect("a directory");
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut names: Vec<String> = entries.map(|entry| name(entry.expect("an entry"))).collect();
    names.sort();
    names
}

/// Lets everybody into a place.
pub(crate) fn open_to_all(place: &Place) {
    fs::set_permissions(place.path(""), fs::Permissions::from_mode(0o755)).expect("permissions");
}
