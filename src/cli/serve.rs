//! `simdrop serve`: the daemon.

use std::path::PathBuf;

use clap::Args;

use super::run::PoolArgs;
use super::{CliError, Global, note, report};
use crate::exit::Exit;
use crate::service::{Serving, Session};
use crate::store::IfHeld;

/// Watch inboxes: evaluate whatever lands there, put it away, and write the outputs out
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
    // Whoever holds the store may be a daemon that never ends.
    let session = Session::open(config, IfHeld::Refuse)?;
    let serving = Serving { inboxes: args.inboxes.clone(), once: args.once };
    let served = session.serve(&serving, &mut || note("serving"));
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
