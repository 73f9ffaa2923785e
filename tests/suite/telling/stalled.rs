//! Nobody reads the daemon's standard error, or it is gone.

use std::fs;
use std::io::{PipeReader, Read, pipe};
use std::process::{Child, Stdio};

use super::serve;
use crate::harness::{Place, wait_until};
use crate::trouble::daemon::{SHORT, drop_in, status, wait_for_runs};

/// A daemon that says something of every case into a pipe.
struct Unread {
    child: Child,
    place: Place,
    pipe: Option<PipeReader>,
}

impl Unread {
    fn start() -> Self {
        let place = Place::new();
        fs::write(place.path("short.toml"), SHORT).expect("settings");
        let (pipe, into) = pipe().expect("a pipe");
        let mut command = serve(&place, &["-v"]);
        command.env("SIMDROP_SERVE__METRICS_FILE", place.path("simdrop.prom"));
        command.env("SIMDROP_SERVE__METRICS_EVERY", "50 ms").stdout(Stdio::null()).stderr(into);
        let child = command.spawn().expect("a daemon");
        drop(command);
        let daemon = Self { child, place, pipe: Some(pipe) };
        wait_until("it serves", || status(&daemon.place)["pid"] == daemon.child.id());
        daemon
    }

    /// Drops a folder with more to say than anybody keeps: lines for each case, and panics.
    fn drop_folder(&self, name: &str, run: i64) {
        for number in 0..6_000 {
            let fault = if number % 100 == 0 { 3 } else { 1 };
            self.place.file(format!("{name}/{number}.in"), format!("{fault} {run}{number:05}\n"));
        }
        drop_in(&self.place, name);
        wait_for_runs(&self.place, run);
    }

    fn lost(&self) -> u64 {
        let page = fs::read_to_string(self.place.path("simdrop.prom")).unwrap_or_default();
        let mut lines =
            page.lines().filter_map(|line| line.strip_prefix("simdrop_log_lost_lines_total "));
        lines.next_back().map_or(0, |lost| lost.parse().expect("a number"))
    }

    /// Tells it to stop, and demands that it does, in good order.
    fn stop(&mut self) {
        let id = self.child.id().to_string();
        let told = std::process::Command::new("kill").arg(id).status();
        assert!(told.expect("kill").success());
        let mut ended = None;
        wait_until("it ends", || {
            ended = self.child.try_wait().expect("a child");
            ended.is_some()
        });
        assert_eq!(ended.and_then(|status| status.code()), Some(0));
    }
}

impl Drop for Unread {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

// E5
#[test]
fn a_daemon_whose_log_nobody_reads_goes_on_and_counts_what_is_lost() {
    let mut daemon = Unread::start();
    daemon.drop_folder("first", 1);
    let ended = "SELECT count(*) FROM cases WHERE state = 3";
    assert_eq!(daemon.place.ask::<i64>(ended), 6_000);
    assert_eq!(
        daemon.place.ask::<i64>("SELECT count(DISTINCT id) FROM logs WHERE id % 65536"),
        6_000
    );
    daemon.place.simdrop(["status"]).exits(0).says("well");
    wait_until("what is lost is counted", || daemon.lost() > 0);
    daemon.stop();
    let mut said = String::new();
    daemon.pipe.take().expect("a pipe").read_to_string(&mut said).expect("text");
    assert!(said.contains("INFO serving"), "{said}");
}

// E5
#[test]
fn what_was_lost_is_said_when_somebody_reads_again() {
    let mut daemon = Unread::start();
    daemon.drop_folder("first", 1);
    wait_until("what is lost is counted", || daemon.lost() > 0);
    let mut pipe = daemon.pipe.take().expect("a pipe");
    let mut said = Vec::new();
    let mut part = [0; 4096];
    while !String::from_utf8_lossy(&said).contains(" lines of the log were lost") {
        let read = pipe.read(&mut part).expect("a log");
        assert!(read > 0, "{}", String::from_utf8_lossy(&said));
        said.extend_from_slice(&part[..read]);
    }
    // Nobody is there any more.
    drop(pipe);
    daemon.drop_folder("second", 2);
    daemon.stop();
}
