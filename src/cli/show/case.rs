//! `simdrop show RUN/CASE` and `RUN/CASE#GAME`: facts.

use std::io::Write;

use crate::cli::render::{self, Format};
use crate::cli::{CliError, Out, json};
use crate::store::{CaseRecord, GameRecord};

/// A case: its facts, timings and difference.
pub(super) fn show(case: &CaseRecord, format: Format, out: &mut Out) -> Result<(), CliError> {
    match format {
        Format::Table => facts(case, out),
        Format::Json | Format::Jsonl => Ok(render::json_line(out, &json::Case::from(case))?),
    }
}

fn facts(case: &CaseRecord, out: &mut Out) -> Result<(), CliError> {
    let mut facts = Facts::new(out);
    facts.line("case", &format!("{} {}", case.id, render::printable(&case.name)))?;
    facts.maybe("simulator", case.simulator.map(|id| id.to_string()))?;
    facts.maybe("rules", case.rules.map(|rules| rules.to_string()))?;
    facts.maybe("version", case.version.map(|version| version.to_string()))?;
    let cached = if case.cached { ", cached" } else { "" };
    let verdict = case.verdict.map(render::verdict);
    facts.line(
        "verdict",
        &format!("{}{cached}", verdict.unwrap_or_else(|| case.state.to_string())),
    )?;
    facts.maybe("games", case.games.map(render::count))?;
    for (name, bytes) in [("input", case.input), ("output", case.output)] {
        let text = bytes.map(|it| format!("{} bytes, {}", render::count(it.bytes), it.hash));
        facts.maybe(name, text)?;
    }
    if let Some(times) = case.timings {
        let spell = |(name, micros)| format!("{name} {}", render::duration(micros));
        let steps = [
            ("wait", times.wait_us),
            ("parse", times.parse_us),
            ("play", times.play_us),
            ("compare", times.compare_us),
            ("store", times.store_us),
        ];
        facts.line("timings", &steps.map(spell).join(", "))?;
    }
    facts.maybe("error", case.error.as_ref().map(ToString::to_string))?;
    for warning in &case.warnings {
        facts.line("warning", &warning.to_string())?;
    }
    if let Some(found) = &case.difference {
        write!(out, "{:19}", "difference")?;
        render::difference(out, found)?;
    }
    Ok(())
}

/// A game: how it ended, and its metrics.
pub(super) fn show_game(game: &GameRecord, format: Format, out: &mut Out) -> Result<(), CliError> {
    if format != Format::Table {
        return Ok(render::json_line(out, &json::Game::from(game))?);
    }
    let simulator = game.simulator;
    let mut facts = Facts::new(out);
    facts.line(
        "game",
        &format!("{}#{} {}", game.case, game.number, render::printable(&game.name)),
    )?;
    facts.line("simulator", simulator.name())?;
    facts.line("ending", game.ending.name())?;
    facts.maybe("winner", game.winner.map(|number| simulator.player(number)))?;
    facts.maybe(simulator.length_name(), game.length.map(render::count))?;
    for (name, value) in simulator.metrics().iter().zip(game.metrics) {
        facts.line(name, &value.to_string())?;
    }
    let lists = game.lists.as_ref().and_then(|lists| lists.as_object());
    for (name, values) in lists.into_iter().flatten() {
        facts.line(name, &values.to_string())?;
    }
    Ok(())
}

/// Facts, a line each, with their names in a column.
struct Facts<'a>(&'a mut Out);

impl<'a> Facts<'a> {
    const fn new(out: &'a mut Out) -> Self {
        Self(out)
    }

    fn line(&mut self, name: &str, value: &str) -> Result<(), CliError> {
        Ok(writeln!(self.0, "{name:19}  {value}")?)
    }

    fn maybe(&mut self, name: &str, value: Option<String>) -> Result<(), CliError> {
        value.map_or(Ok(()), |value| self.line(name, &value))
    }
}
