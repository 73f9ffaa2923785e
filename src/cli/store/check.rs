//! `simdrop store check`: whether everything in the store is what it should be.

use std::io::{self, Write};

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use super::{CliError, Global, Out, reader, render};
use crate::cli::json;
use crate::cli::render::{Format, FormatArgs};
use crate::exit::Exit;
use crate::store::{CheckPart, CheckStep, Flaw};

/// Check the database, the hash of all bytes, and every counter; ends with 7 if something is wrong
#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, Serialize)]
struct Line<'a> {
    schema: u32,
    #[serde(flatten)]
    flaw: &'a Flaw,
}

pub(super) fn run(args: &CheckArgs, global: &Global, out: &mut Out) -> Result<Exit, CliError> {
    let reader = reader(global)?;
    let bar = bar();
    let (format, mut flaws, mut printed) = (args.format.format(), Vec::new(), Ok(()));
    let mut found = 0_u64;
    reader.check(&mut |step| match step {
        CheckStep::At(part, done, of) => show(&bar, part, done, of),
        CheckStep::Found(flaw) => {
            found += 1;
            match format {
                Format::Json => flaws.push(flaw),
                _ if printed.is_ok() => printed = bar.suspend(|| tell(out, format, &flaw)),
                _ => {}
            }
        }
    })?;
    bar.finish_and_clear();
    printed?;
    match format {
        Format::Json => {
            let flaws: Vec<Line<'_>> =
                flaws.iter().map(|flaw| Line { schema: json::SCHEMA, flaw }).collect();
            render::json_line(out, &flaws)?;
        }
        Format::Table if found == 0 => writeln!(out, "sound")?,
        Format::Table => writeln!(out, "{}", render::plural(found, "flaw", "flaws"))?,
        _ => {}
    }
    Ok(if found == 0 { Exit::Fine } else { Exit::Damaged })
}

fn tell(out: &mut Out, format: Format, flaw: &Flaw) -> io::Result<()> {
    if format == Format::Table {
        let text = format!("{}: {}", flaw.place, flaw.problem);
        writeln!(out, "{}\n    {}", render::printable(text.as_bytes()), flaw.remedy)?;
    } else {
        render::json_line(out, &Line { schema: json::SCHEMA, flaw })?;
    }
    out.flush()
}

/// How far it is, on a terminal.
fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
    let style = ProgressStyle::with_template("{msg:9} {wide_bar} {human_pos}/{human_len} {eta:>4}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

fn show(bar: &ProgressBar, part: CheckPart, done: u64, of: u64) {
    bar.set_message(match part {
        CheckPart::Database => "database",
        CheckPart::Contents => "contents",
        CheckPart::Outputs => "outputs",
        CheckPart::Counters => "counters",
    });
    bar.set_length(of.max(done));
    bar.set_position(done);
}
