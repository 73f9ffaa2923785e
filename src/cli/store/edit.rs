//! `simdrop store edit`: what people call a run.

use std::ffi::OsString;
use std::io::Write;

use clap::Args;

use super::{CliError, Global, Out, keeper, render};
use crate::cli::reference::Reference;
use crate::cli::run::tag;
use crate::cli::{daemon, refuse};
use crate::exit::Exit;
use crate::service::Ask;
use crate::store::{Edit, LabelEdit, RunChoice};

/// Change the label and the tags of a run
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("edits").required(true).multiple(true))]
pub(super) struct EditArgs {
    /// Which run: its number, latest, -N or label:TEXT
    #[arg(value_name = "RUN", allow_hyphen_values = true)]
    run: OsString,
    /// What to call it
    #[arg(long, value_name = "TEXT", group = "edits", conflicts_with = "no_label")]
    label: Option<String>,
    /// Call it by its number only
    #[arg(long, group = "edits")]
    no_label: bool,
    /// A tag it gets; may be given more than once
    #[arg(long = "tag", value_name = "KEY=VALUE", value_parser = tag, group = "edits")]
    tags: Vec<(String, String)>,
    /// A tag it loses; may be given more than once
    #[arg(long, value_name = "KEY", group = "edits")]
    untag: Vec<String>,
}

pub(super) fn run(args: &EditArgs, global: &Global, out: &mut Out) -> Result<Exit, CliError> {
    let reference = Reference::parse(&args.run).map_err(CliError::Usage)?;
    let reader = global.reader()?.ok_or_else(|| reference.missing("run"))?;
    let run = reference.find_only_run(&reader)?.id;
    let edit = edit(args);
    if daemon::alive(&reader)?.is_some() {
        let config = global.config(None)?;
        if let Err(reason) = daemon::ask(config.state()?, &reader, &Ask::Edit { run: run.0, edit })?
        {
            return Ok(refuse(&reason));
        }
    } else {
        let keeper = keeper(global)?;
        let edited = keeper.edit(run, edit);
        keeper.close();
        if !edited? {
            return Err(reference.missing("run"));
        }
    }
    let record = reader.run(&RunChoice::Id(run))?.ok_or_else(|| reference.missing("run"))?;
    let label = record.label.map(|label| format!(" \"{label}\"")).unwrap_or_default();
    let tags = record.tags.iter().map(|(key, value)| format!("{key}={value}"));
    let tags = tags.collect::<Vec<_>>().join(", ");
    let text = format!("run {run}{label}{}{tags}", if tags.is_empty() { "" } else { ", tags: " });
    writeln!(out, "{}", render::printable(text.as_bytes()))?;
    Ok(Exit::Fine)
}

fn edit(args: &EditArgs) -> Edit {
    let label = match &args.label {
        Some(label) => LabelEdit::Set(label.clone()),
        None if args.no_label => LabelEdit::Remove,
        None => LabelEdit::Keep,
    };
    Edit { label, tags: args.tags.clone(), untag: args.untag.clone() }
}
