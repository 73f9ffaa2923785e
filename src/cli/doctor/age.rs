//! Whether the clock and the programs are as new as what they work on.

use std::fs;

use jiff::Timestamp;

use super::{Finding, Ground};
use crate::cli::{CliError, render};
use crate::store::{RunChoice, sqlite_version};

/// A clock may be so much behind, in microseconds, without anybody having to know.
const BEHIND_MOST_US: i64 = 1_000_000;

/// A WAL that is larger is not put back as it should be.
const WAL_MOST: u64 = 64 << 20;

/// Whether the clock is behind what was written last.
pub(super) fn clock(ground: &Ground) -> Result<Vec<Finding>, CliError> {
    let Some(reader) = ground.reader() else { return Ok(Vec::new()) };
    let run = reader.run(&RunChoice::Newest(0))?;
    let of_run = run.map(|run| run.finished_at.unwrap_or(run.taken_in_at));
    let of_daemon = reader.beat()?.map(|beat| beat.at);
    let Some(newest) = of_run.max(of_daemon) else { return Ok(Vec::new()) };
    let behind = newest.0 - Timestamp::now().as_microsecond();
    Ok(vec![if behind > BEHIND_MOST_US {
        let what =
            format!("the clock is {} behind what was written last", render::duration(behind));
        let why =
            "nothing is lost by it, but ages are wrong, and so is what [retention] removes by age";
        Finding::warning(what).because(why).typing("timedatectl")
    } else {
        Finding::ok("the clock is not behind what was written last")
    }])
}

/// Whether this program, the one that serves and the store belong together.
pub(super) fn versions(ground: &Ground) -> Result<Vec<Finding>, CliError> {
    let ours = env!("CARGO_PKG_VERSION");
    let mut findings =
        vec![Finding::ok(format!("simdrop {ours} with SQLite {}", sqlite_version()))];
    let Some(body) = ground.serving()? else { return Ok(findings) };
    let restart = |what: String| Finding::warning(what).typing("sudo systemctl restart simdrop");
    let theirs = body["version"].as_str().unwrap_or(ours);
    if theirs != ours {
        findings.push(restart(format!("the daemon is simdrop {theirs}, and this is {ours}")));
    } else if is_replaced(&body["pid"].to_string()) {
        findings.push(restart("the daemon runs a program that was replaced since".to_owned()));
    }
    Ok(findings)
}

/// Whether the file that a process was started from is gone.
fn is_replaced(pid: &str) -> bool {
    let program = fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
    program.as_os_str().as_encoded_bytes().ends_with(b" (deleted)")
}

/// How large the store is, and whether what is written comes into the database.
pub(super) fn size(ground: &Ground) -> Result<Vec<Finding>, CliError> {
    let Some(reader) = ground.reader() else { return Ok(Vec::new()) };
    let facts = reader.facts()?;
    let wal = render::bytes(facts.size.wal_bytes);
    let database = render::bytes(facts.size.database_bytes);
    Ok(vec![if facts.size.wal_bytes > WAL_MOST {
        let what = format!("{wal} are not put into the database of {database} yet");
        let finding = Finding::warning(what);
        if ground.serving()?.is_some() {
            let why = "somebody reads without an end, or the disk is full";
            let wal = ground.state.join("store.db-wal");
            finding.because(why).typing(format!("fuser -v -- {}", crate::cli::shell::word(&wal)))
        } else {
            finding
                .because("whoever opens the store to write does that")
                .typing("simdrop store vacuum")
        }
    } else {
        Finding::ok(format!("the store has schema {}, {database} and a WAL of {wal}", facts.schema))
    }])
}
