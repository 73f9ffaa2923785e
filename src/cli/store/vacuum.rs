//! `simdrop store vacuum`: free pages go back to the file system.

use std::io::Write;

use clap::Args;

use super::{CliError, Global, Out, keeper, reader, render};
use crate::cli::{daemon, note};
use crate::exit::Exit;

/// Give the free pages of the store back to the file system
#[derive(Debug, Args)]
pub(super) struct VacuumArgs {
    /// Write the whole database anew; it needs room for two more copies meanwhile
    #[arg(long)]
    full: bool,
}

pub(super) fn run(args: &VacuumArgs, global: &Global, out: &mut Out) -> Result<Exit, CliError> {
    let reader = reader(global)?;
    if let Some(beat) = daemon::alive(&reader)? {
        note(&format!(
            "error: the daemon, process {}, holds the store; it gives pages back itself when it \
             prunes, and a vacuum is for when it is stopped",
            beat.pid
        ));
        return Ok(Exit::Held);
    }
    let before = reader.size()?.database_bytes;
    drop(reader);
    let keeper = keeper(global)?;
    let vacuumed = keeper.vacuum(args.full).and_then(|()| keeper.size());
    keeper.close();
    let after = vacuumed?.database_bytes;
    let given_back = render::bytes(before.saturating_sub(after));
    writeln!(out, "{}, {given_back} given back", render::bytes(after))?;
    Ok(Exit::Fine)
}
