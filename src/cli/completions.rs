//! `simdrop completions`: what a shell needs to complete our command line.

use std::io::Write;

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

use super::{Cli, CliError, Out};
use crate::exit::Exit;

/// Print the completions for a shell
#[derive(Debug, Args)]
#[command(hide = true)]
pub(super) struct CompletionsArgs {
    /// For which shell
    shell: Shell,
}

pub(super) fn run(args: &CompletionsArgs, out: &mut Out) -> Result<Exit, CliError> {
    // Apart, because it panics where it cannot write.
    let mut script = Vec::new();
    generate(args.shell, &mut Cli::command(), "simdrop", &mut script);
    out.write_all(&script)?;
    Ok(Exit::Fine)
}
