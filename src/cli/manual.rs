//! `simdrop man`: the manual pages, one for each command.

use std::path::PathBuf;

use clap::{Args, CommandFactory};

use super::{Cli, CliError};
use crate::exit::Exit;

/// Write the manual pages into a directory
#[derive(Debug, Args)]
#[command(hide = true)]
pub(super) struct ManArgs {
    /// Where; it is there already
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

pub(super) fn run(args: &ManArgs) -> Result<Exit, CliError> {
    let written = clap_mangen::generate_to(Cli::command(), &args.directory);
    written.map_err(|source| CliError::File { path: args.directory.clone(), source })?;
    Ok(Exit::Fine)
}
