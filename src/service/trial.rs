//! Suspects: a case whose process died, or that took longer than it should, is first played by a child
//! process, bounded in memory and time. What the child survives is harmless here, because the same bytes
//! play the same way; what kills it is the verdict CRASH.

use std::io::{self, Seek};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, Signal, set_parent_process_death_signal, setrlimit};

use crate::config::Supervision;
use crate::domain::{Body, CaseError, ErrorCode, RuleSet, SimulatorId};

/// This program, even if its file was replaced since it was started.
const PROGRAM: &str = "/proc/self/exe";

/// How long the first look at a child waits for it; later ones wait longer.
const FIRST_LOOK: Duration = Duration::from_micros(500);
const LAST_LOOK: Duration = Duration::from_millis(20);

/// An input takes longer if it is longer: it may have many games, and a child plays them one by one.
const BYTES_A_BOUND: u64 = 1 << 20;

/// What the child may use.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// Its memory, in bytes.
    pub(super) bytes: u64,
    /// Its time, for each MiB of input that is begun.
    pub(super) time: Duration,
}

/// How a trial went.
#[derive(Debug)]
pub(super) enum Ruling {
    /// It came to an end, whatever that was.
    Harmless,
    /// It died or ran out of time.
    Guilty(CaseError),
    /// It was taken back.
    TakenBack,
}

/// Bounds this process as one that plays a suspect: so much memory, no core file, and no longer than the
/// process that started it.
///
/// # Errors
/// The system refuses.
pub fn confine(bytes: u64) -> io::Result<()> {
    let limit = |bytes| Rlimit { current: Some(bytes), maximum: Some(bytes) };
    setrlimit(Resource::As, limit(bytes))?;
    setrlimit(Resource::Core, limit(0))?;
    Ok(set_parent_process_death_signal(Some(Signal::KILL))?)
}

/// Plays an input in a child process, until it ends or `recalled` says so.
pub(super) fn play(
    simulator: SimulatorId,
    rules: RuleSet,
    input: &Body,
    bounds: Bounds,
    recalled: impl Fn() -> bool,
) -> io::Result<Ruling> {
    if recalled() {
        return Ok(Ruling::TakenBack);
    }
    let mut file = tempfile::tempfile()?;
    io::copy(&mut input.open()?, &mut file)?;
    file.rewind()?;
    let mut command = Command::new(PROGRAM);
    // It must not speak for us.
    Supervision::VARIABLES.iter().for_each(|name| _ = command.env_remove(name));
    let child = command
        .args(["sim", simulator.name(), "--rules", rules.name()])
        .args(["--suspect", &bounds.bytes.to_string()])
        .stdin(file)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // Ctrl-C is for us; a child that it kills would look guilty.
        .process_group(0)
        .spawn()?;
    let shares = u32::try_from(input.bytes() / BYTES_A_BOUND + 1).unwrap_or(u32::MAX);
    wait(child, bounds.time.saturating_mul(shares), recalled)
}

fn wait(mut child: Child, bound: Duration, recalled: impl Fn() -> bool) -> io::Result<Ruling> {
    let begun = Instant::now();
    let mut pause = FIRST_LOOK;
    loop {
        if let Some(status) = child.try_wait()? {
            return ruling(status);
        }
        let overdue = begun.elapsed() > bound;
        if overdue || recalled() {
            child.kill()?;
            child.wait()?;
            let message = format!("a process of its own did not end within {} s", bound.as_secs());
            let error = CaseError::new(ErrorCode::Overdue, message);
            return Ok(if overdue { Ruling::Guilty(error) } else { Ruling::TakenBack });
        }
        thread::park_timeout(pause);
        pause = (pause * 2).min(LAST_LOOK);
    }
}

fn ruling(status: ExitStatus) -> io::Result<Ruling> {
    match (status.signal(), status.code()) {
        (Some(signal), _) => {
            let message = format!("a process of its own died by signal {signal}");
            Ok(Ruling::Guilty(CaseError::new(ErrorCode::Died, message)))
        }
        // The environment: it played nothing.
        (None, Some(4)) => Err(io::Error::other("it could not be bounded")),
        (None, _) => Ok(Ruling::Harmless),
    }
}
