//! `simdrop sim`: one input in, the judge's output out.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use clap::Args;

use super::steps::{StepRange, Steps, TraceForm};
use super::{CliError, Global, Out, note, refuse};
use crate::domain::{RuleSet, SimulatorId};
use crate::exit::Exit;
use crate::service;
use crate::sim::{self, Reading};

/// Output is handed on when there is this much of it.
const FLUSH_BYTES: usize = 64 << 10;

/// Play one input and print the judge's output
#[derive(Debug, Args)]
pub(super) struct SimArgs {
    /// stellar-connect, thunder-bluff or mtj
    #[arg(value_name = "NAME")]
    simulator: SimulatorId,
    /// The input; standard input without it, or for -
    file: Option<PathBuf>,
    /// The rule set: judge, or statement (thunder-bluff only)
    #[arg(long, value_name = "RULES")]
    rules: Option<RuleSet>,
    /// Print every step instead of the output
    #[arg(long, value_name = "FORM")]
    trace: Option<TraceForm>,
    /// Play as a suspect, bounded to so many bytes of memory
    #[arg(long, value_name = "BYTES", hide = true)]
    suspect: Option<u64>,
}

/// Refuses a rule set that the simulator does not have.
pub(super) fn check_rules(
    simulator: Option<SimulatorId>,
    rules: Option<RuleSet>,
) -> Result<(), CliError> {
    if let (Some(simulator), Some(rules)) = (simulator, rules)
        && !simulator.rule_sets().contains(&rules)
    {
        let sets = simulator.rule_sets().iter().map(|set| set.name()).collect::<Vec<_>>();
        let message = format!("{simulator} has no rules {rules}; it has: {}", sets.join(", "));
        return Err(CliError::Usage(message));
    }
    Ok(())
}

pub(super) fn run(args: &SimArgs, global: &Global, out: &mut Out) -> Result<Exit, CliError> {
    check_rules(Some(args.simulator), args.rules)?;
    if let Some(bytes) = args.suspect {
        service::confine(bytes).map_err(CliError::Confine)?;
    }
    let most = global.config(None)?.limits.max_input_bytes;
    let path = args.file.as_deref().filter(|path| *path != Path::new("-"));
    let Some(bytes) = read(path, most)? else {
        let reason = format!("the input is larger than {most} bytes (max_input_bytes)");
        return Ok(refuse(&reason));
    };
    let reading = match sim::read(&bytes, Some(args.simulator)) {
        Ok(reading) => reading,
        Err(refused) => return Ok(refuse(&refused.error.to_string())),
    };
    drop(bytes);
    let rules = args.simulator.rules_or_default(args.rules);
    play(&reading, rules, args.trace, out)
}

/// Reads all of a file or of standard input; `None` if there are more than `most` bytes.
fn read(path: Option<&Path>, most: u64) -> Result<Option<Vec<u8>>, CliError> {
    let name = path.unwrap_or(Path::new("standard input"));
    let failed = |source| CliError::File { path: name.to_owned(), source };
    let mut source: Box<dyn Read> = match path {
        Some(path) => Box::new(File::open(path).map_err(failed)?),
        None => Box::new(io::stdin().lock()),
    };
    let mut bytes = Vec::new();
    source.by_ref().take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}

fn play(
    reading: &Reading,
    rules: RuleSet,
    trace: Option<TraceForm>,
    out: &mut Out,
) -> Result<Exit, CliError> {
    for warning in &reading.warnings {
        note(&format!("warning: {warning}"));
    }
    let (input, never) = (&reading.input, AtomicBool::new(false));
    let headed = input.games() > 1;
    let steps = trace.map(|form| Steps { form, range: StepRange::default(), headed });
    let mut output = Vec::new();
    for game in 0..input.games() {
        let ended = match &steps {
            None => input.play(game, rules, &never, &mut output),
            Some(steps) => steps.print(input, game, rules, out)?,
        };
        if output.len() >= FLUSH_BYTES {
            out.write_all(&output)?;
            output.clear();
        }
        if let Some(reason) = input.no_output(game, ended.as_ref()) {
            out.write_all(&output)?;
            return Ok(refuse(&reason.to_string()));
        }
        for warning in ended.iter().flat_map(|outcome| &outcome.warnings) {
            note(&format!("warning: {warning}"));
        }
    }
    out.write_all(&output)?;
    Ok(Exit::Fine)
}
