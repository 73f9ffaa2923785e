//! `simdrop store backup`: a copy of the store, while it is in use.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use super::{CliError, Global, Out, reader, render};
use crate::cli::refuse;
use crate::exit::Exit;

/// Copy the store as it is now to a file, check the copy, and give it its name
#[derive(Debug, Args)]
pub(super) struct BackupArgs {
    /// The file to be made; as `store.db` in a directory of its own it is a store
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Put it in the place of a file that is there
    #[arg(long)]
    force: bool,
}

pub(super) fn run(args: &BackupArgs, global: &Global, out: &mut Out) -> Result<Exit, CliError> {
    let reader = reader(global)?;
    let path = render::path(&args.file);
    if !args.force && args.file.symlink_metadata().is_ok() {
        return Ok(refuse(&format!("{path}: is there; --force puts the backup in its place")));
    }
    let bytes = reader.back_up(&args.file, args.force)?;
    writeln!(out, "{path}: {}", render::bytes(bytes))?;
    Ok(Exit::Fine)
}
