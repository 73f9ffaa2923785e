//! `simdrop store`: keeping the store itself.

mod backup;
mod check;
mod edit;
mod info;
mod prune;
mod vacuum;

use clap::{Args, Subcommand};

use super::{CliError, Global, Out, note, render};
use crate::exit::Exit;
use crate::service::Keeper;
use crate::store::{IfHeld, Reader};

/// Look after the store: what is in it, whether it is sound, backups, and what is no longer wanted
#[derive(Debug, Args)]
pub(super) struct StoreArgs {
    #[command(subcommand)]
    command: StoreCommand,
}

#[derive(Debug, Subcommand)]
enum StoreCommand {
    Info(info::InfoArgs),
    Check(check::CheckArgs),
    Backup(backup::BackupArgs),
    Prune(prune::PruneArgs),
    Vacuum(vacuum::VacuumArgs),
    Edit(edit::EditArgs),
}

pub(super) fn run(args: &StoreArgs, global: &Global, out: &mut Out) -> Result<Exit, CliError> {
    match &args.command {
        StoreCommand::Info(args) => info::run(args, global, out),
        StoreCommand::Check(args) => check::run(args, global, out),
        StoreCommand::Backup(args) => backup::run(args, global, out),
        StoreCommand::Prune(args) => prune::run(args, global, out),
        StoreCommand::Vacuum(args) => vacuum::run(args, global, out),
        StoreCommand::Edit(args) => edit::run(args, global, out),
    }
}

/// The store for reading; it must be there.
fn reader(global: &Global) -> Result<Reader, CliError> {
    let config = global.config(None)?;
    let state = config.state()?;
    let missing = || CliError::Missing(format!("no store in {} yet", render::path(state)));
    Reader::open(state)?.ok_or_else(missing)
}

/// The store for writing, when nobody else writes to it.
fn keeper(global: &Global) -> Result<Keeper, CliError> {
    let mut tell = |holder: &str| {
        note(&format!("waiting for process {holder}, which holds the store"));
    };
    Ok(Keeper::open(global.config(None)?, IfHeld::Wait(&mut tell))?)
}
