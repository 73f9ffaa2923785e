//! Whether the system lets every inbox be watched.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::{Finding, Ground};
use crate::cli::{CliError, daemon, render};
use crate::config::WatchMode;
use crate::ingest::{Telling, telling};

/// How many watches, and how many watchers, a user may have: of the whole system, and of the part of it that
/// we are in.
const LIMITS: [[&str; 2]; 2] = [
    ["fs.inotify.max_user_watches", "user.max_inotify_watches"],
    ["fs.inotify.max_user_instances", "user.max_inotify_instances"],
];

/// A limit of this system.
struct Limit {
    name: &'static str,
    most: u64,
}

/// Whether there are watches left for what is to be watched; of a daemon that is there, what it says.
pub(super) fn watches(ground: &Ground) -> Result<Vec<Finding>, CliError> {
    if let Some(body) = ground.serving()? {
        let inboxes = body["inboxes"].as_array().into_iter().flatten();
        let mut watched = inboxes.filter_map(|inbox| inbox["watch"].as_str());
        return Ok(vec![match watched.find_map(kept_from) {
            Some((why, limit)) => Finding::warning("the daemon does not watch its inboxes")
                .because(why)
                .typing(limit.raised()),
            None => Finding::ok("the daemon watches what can be watched"),
        }]);
    }
    let need = need(ground);
    let Ok(state) = ground.state.metadata() else { return Ok(Vec::new()) };
    Ok(if need == 0 { Vec::new() } else { left(state.uid(), need) })
}

/// Why a daemon does not watch, with the limit that keeps it from that.
fn kept_from(watch: &str) -> Option<(&str, Limit)> {
    let why = watch.strip_prefix("polling: ")?;
    let at = LIMITS.iter().position(|[name, _]| why.contains(name))?;
    Some((why, Limit::least(at)?))
}

/// A directory is watched, and what is in it is not.
fn need(ground: &Ground) -> u64 {
    let is_watched = |path: &Path| match ground.config.inbox.watch {
        WatchMode::Poll => false,
        WatchMode::Inotify => true,
        WatchMode::Auto => telling(path) == Telling::All,
    };
    ground.inboxes.iter().filter(|inbox| is_watched(&inbox.path)).count() as u64
}

/// What a user has left of each limit.
fn left(uid: u32, need: u64) -> Vec<Finding> {
    let (mut findings, mut rest) = (Vec::new(), Vec::new());
    for (at, (used, need)) in used(uid).into_iter().zip([need, 1]).enumerate() {
        let Some(limit) = Limit::least(at) else { continue };
        let left = limit.most.saturating_sub(used);
        if left < need {
            let (Limit { name, most }, who) = (&limit, daemon::user_name(uid));
            let what = format!("{name} is {most}, and {who} has {left} left");
            let why = "an inbox that cannot be watched is looked at every few seconds instead";
            findings.push(Finding::warning(what).because(why).typing(limit.raised()));
        }
        rest.push(left);
    }
    if let ([], [watches, watchers]) = (&findings[..], &rest[..]) {
        let what = format!("{} needed", render::plural(need, "watch is", "watches are"));
        let seen = "as far as can be seen there are";
        let why = format!("{seen} {watches} watches left and {watchers} watchers left");
        findings.push(Finding::ok(what).because(why));
    }
    findings
}

impl Limit {
    /// The lower one of two.
    fn least(at: usize) -> Option<Self> {
        let limit = |name: &'static str| {
            let path = Path::new("/proc/sys").join(name.replace('.', "/"));
            Some(Self { name, most: fs::read_to_string(path).ok()?.trim().parse().ok()? })
        };
        LIMITS[at].into_iter().filter_map(limit).min_by_key(|limit| limit.most)
    }

    /// What to type for a higher one.
    fn raised(&self) -> String {
        format!("sudo sysctl {}={}", self.name, self.most.saturating_mul(2).max(128))
    }
}

/// How many watches and watchers the processes of a user have that can be looked at.
fn used(uid: u32) -> [u64; 2] {
    let mut used = [0, 0];
    for process in fs::read_dir("/proc").into_iter().flatten().flatten() {
        if process.metadata().is_ok_and(|process| process.uid() == uid) {
            for watches in watchers(&process.path()) {
                used = [used[0] + watches, used[1] + 1];
            }
        }
    }
    used
}

/// How many watches each watcher of a process has.
fn watchers(process: &Path) -> Vec<u64> {
    let files = fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
    let is_watcher =
        |path: &Path| fs::read_link(path).is_ok_and(|to| to == Path::new("anon_inode:inotify"));
    let watchers = files.filter(|file| is_watcher(&file.path()));
    let watches = |file: fs::DirEntry| {
        let info = fs::read_to_string(process.join("fdinfo").join(file.file_name()));
        let info = info.unwrap_or_default();
        info.lines().filter(|line| line.starts_with("inotify ")).count() as u64
    };
    watchers.map(watches).collect()
}
