//! `simdrop serve`: the daemon.

use std::path::PathBuf;

use clap::Args;

use super::run::PoolArgs;
use super::{CliError, Global, note, report, status};
use crate::exit::Exit;
use crate::logging;
use crate::service::{Said, Serving, Session};

/// Watch inboxes: evaluate whatever lands there, put it away, and write the outputs out
///
/// SIGTERM and Ctrl-C stop it, a second one at once. SIGHUP has it read all its settings anew, or keep them all and say
/// why. SIGUSR1 has it write to its log what `simdrop status` shows. It tells systemd when it is ready, what it does
/// and that it is alive.
#[derive(Debug, Args)]
pub(super) struct ServeArgs {
    /// A directory to watch, instead of the one of the settings; may be given more than once
    #[arg(long = "inbox", value_name = "DIR")]
    inboxes: Vec<PathBuf>,
    /// End when nothing is left in the inboxes
    #[arg(long)]
    once: bool,
    #[command(flatten)]
    pool: PoolArgs,
}

pub(super) fn run(args: &ServeArgs, global: &Global) -> Result<Exit, CliError> {
    let config = args.pool.config(global)?;
    let flags = args.pool.flags(global);
    let mut session = Session::open_to_serve(config)?;
    let serving = Serving {
        inboxes: args.inboxes.clone(),
        once: args.once,
        flags,
        panics: logging::panics,
        lost_lines: logging::lost_lines,
    };
    let served = session.serve(&serving, &mut |said| match said {
        Said::Serving => note("serving"),
        Said::Status(beat) => status::log(beat),
    });
    session.close();
    let served = served?;
    Ok(match served.stopped {
        // A daemon that was told to stop and did is fine; one that was to end by itself was not done.
        Some(signal) if args.once => report::signalled(signal),
        Some(_) => Exit::Fine,
        None if served.fine => Exit::Fine,
        None => Exit::No,
    })
}
