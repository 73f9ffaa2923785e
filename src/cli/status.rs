//! `simdrop status`: how the daemon is.

use std::io::Write;
use std::time::Duration;

use clap::Args;
use serde_json::Value;

use super::render::{self, Format, FormatArgs};
use super::{CliError, Global, Out, daemon, note};
use crate::exit::Exit;
use crate::store::Beat;

/// A daemon says every second that it is there; if not for so long, something keeps it from writing.
const SILENCE_MOST: Duration = Duration::from_secs(5);

/// Show how the daemon is: 0 well, 1 degraded, 4 there is none
#[derive(Debug, Args)]
pub(super) struct StatusArgs {
    #[command(flatten)]
    format: FormatArgs,
}

pub(super) fn run(args: &StatusArgs, global: &Global, out: &mut Out) -> Result<Exit, CliError> {
    let reader = daemon::reader(global)?;
    let beat = daemon::alive(&reader)?.ok_or(CliError::NoDaemon)?;
    let (mut body, reasons) = read(&beat);
    match args.format.format() {
        Format::Table => print(out, &body, &reasons)?,
        Format::Json | Format::Jsonl => {
            body["degraded"] = reasons.clone().into();
            render::json_line(out, &body)?;
        }
    }
    Ok(if reasons.is_empty() { Exit::Fine } else { Exit::No })
}

/// Writes what is shown to the log: somebody asked for it, so it is seen without `-v`.
pub(super) fn log(beat: &Beat) {
    let (body, reasons) = read(beat);
    let mut text = Vec::new();
    if print(&mut text, &body, &reasons).is_ok() {
        String::from_utf8_lossy(&text).lines().for_each(note);
    }
}

/// What the daemon says of itself, and why it is not well.
fn read(beat: &Beat) -> (Value, Vec<String>) {
    let mut body: Value = serde_json::from_str(&beat.body).unwrap_or_default();
    body["pid"] = beat.pid.into();
    let reasons = degraded(beat, &body);
    (body, reasons)
}

/// Why the daemon is not well.
pub(super) fn degraded(beat: &Beat, body: &Value) -> Vec<String> {
    let mut reasons: Vec<String> =
        body["trouble"].as_str().map(str::to_owned).into_iter().collect();
    reasons.extend(
        body["config_error"]
            .as_str()
            .map(|error| format!("the settings stay as they were: {error}")),
    );
    reasons.extend(body["out_error"].as_str().map(str::to_owned));
    for inbox in body["inboxes"].as_array().into_iter().flatten() {
        reasons.extend(inbox["trouble"].as_str().map(str::to_owned));
    }
    let silence = daemon::silence(beat);
    if silence > SILENCE_MOST {
        let seconds = silence.as_secs();
        reasons.push(format!(
            "what it wrote last is {seconds} s away from now: its disk is full, or it hangs"
        ));
    }
    reasons
}

fn print(out: &mut impl Write, body: &Value, reasons: &[String]) -> Result<(), CliError> {
    let number = |key: &str| render::count(body[key].as_u64().unwrap_or(0));
    let flag = |key: &str| body[key].as_bool().unwrap_or(false);
    let state = match (reasons, flag("stopping"), flag("paused")) {
        (_, true, _) => "stopping",
        (_, _, true) => "paused",
        ([], ..) => "well",
        _ => "degraded",
    };
    writeln!(out, "{state}, process {}, {} workers", body["pid"], body["workers"])?;
    for reason in reasons {
        writeln!(out, "  {}", render::printable(reason.as_bytes()))?;
    }
    let (high, normal) = (number("queued_high"), number("queued_normal"));
    writeln!(out, "queue    {high} handed over, {normal} dropped, {} playing", number("playing"))?;
    let rate = body["per_second"].as_f64().unwrap_or(0.0);
    writeln!(
        out,
        "done     {} cases, {rate:.0}/s, {} runs under way",
        number("done"),
        number("runs")
    )?;
    for inbox in body["inboxes"].as_array().into_iter().flatten() {
        let text = |key: &str| render::printable(inbox[key].as_str().unwrap_or("").as_bytes());
        writeln!(out, "inbox    {}, {}", text("path"), text("watch"))?;
        for kind in ["settling", "waiting", "blocked", "refused", "aside"] {
            names(out, kind, &inbox[kind])?;
        }
    }
    Ok(())
}

fn names(out: &mut impl Write, kind: &str, names: &Value) -> Result<(), CliError> {
    let count = names["count"].as_u64().unwrap_or(0);
    if count > 0 {
        writeln!(out, "  {kind:9}{}", render::count(count))?;
        for name in names["first"].as_array().into_iter().flatten() {
            let name = name.as_str().unwrap_or("");
            writeln!(out, "    {}", render::printable(name.as_bytes()))?;
        }
    }
    Ok(())
}
