//! `simdrop trace`: the steps of a case that was played before.

use std::ffi::OsString;
use std::sync::atomic::AtomicBool;

use clap::Args;

use super::reference::Reference;
use super::steps::{StepRange, Steps, TraceForm};
use super::{CliError, Global, Out, note, refuse};
use crate::domain::{CaseError, ContentHash, ContentHasher, RuleSet, Verdict, catching};
use crate::exit::Exit;
use crate::sim::{self, Input};
use crate::store::{CaseRecord, Reader, RunRecord};

/// Play a stored case again and print its steps, if this build gives the stored output
#[derive(Debug, Args)]
#[command(after_help = "REF: RUN/CASE or RUN/CASE#GAME, or RUN if it has one case. A run is its \
number, `latest`, `-N` for the Nth newest, or `label:TEXT`; a case is its rank or its name; games \
count from 1.")]
pub(super) struct TraceArgs {
    /// Which case or game
    #[arg(value_name = "REF", allow_hyphen_values = true)]
    reference: OsString,
    /// Only these steps of each game: A to B - 1, counted from 1; A.. or ..B leaves one end open
    #[arg(long, value_name = "A..B", default_value = "..", hide_default_value = true)]
    steps: StepRange,
    /// The form of the answer
    #[arg(short = 'o', value_name = "FORM", default_value = "text")]
    form: TraceForm,
    /// Print the trace of this build even if its output is not the stored one
    #[arg(long)]
    anyway: bool,
}

/// What the games of a case give: the hash of their output, or why there is none.
type Given = Result<ContentHash, CaseError>;

pub(super) fn run(args: &TraceArgs, global: &Global, out: &mut Out) -> Result<Exit, CliError> {
    let reference = Reference::parse(&args.reference).map_err(CliError::Usage)?;
    let reader = global.reader()?.ok_or_else(|| reference.missing("run"))?;
    let run = reference.find_run(&reader)?;
    let case = find_case(&reference, &reader, &run)?;
    let Some(input) = read(&reader, &case)? else {
        return Ok(Exit::No);
    };
    if reference.game.is_some_and(|number| !(1..=input.games()).contains(&number)) {
        return Err(reference.missing("game"));
    }
    let rules = input.simulator().rules_or_default(case.rules);
    if !gives_the_stored(&case, &input, rules) && !args.anyway {
        return Ok(Exit::No);
    }
    print(args, reference.game, &input, rules, out)
}

/// The case that is named, or the only one of the run.
fn find_case(
    reference: &Reference,
    reader: &Reader,
    run: &RunRecord,
) -> Result<CaseRecord, CliError> {
    if let Some(case) = reference.find_case(reader, run.id)? {
        return Ok(case);
    }
    if run.total == 1 {
        let only = reader.cases_of(run.id, 0, 1)?.into_iter().next();
        return only.ok_or_else(|| reference.missing("case"));
    }
    let message =
        format!("a trace is of a case, and run {0} has {1}: name one, {0}/CASE", run.id, run.total);
    Err(CliError::Usage(message))
}

/// The stored input; says why it cannot be played if there is no way.
fn read(reader: &Reader, case: &CaseRecord) -> Result<Option<Input>, CliError> {
    let refused = |error: Option<&CaseError>| {
        let error = error.map_or_else(|| "it has no input".to_owned(), ToString::to_string);
        refuse(&format!("case {}: {error}", case.id));
        Ok(None)
    };
    let was_refused = case.verdict == Some(Verdict::BadIn) && case.version.is_none();
    let (false, Some(bytes)) = (was_refused, reader.input(case)?) else {
        return refused(case.error.as_ref());
    };
    let bytes = bytes.into_bytes().map_err(CliError::Stored)?;
    match catching(|| sim::read(&bytes, case.simulator)) {
        Ok(Ok(reading)) => Ok(Some(reading.input)),
        Ok(Err(error)) => refused(Some(&error.error)),
        Err(message) => {
            panicked(&message);
            Ok(None)
        }
    }
}

/// Whether this build gives what is stored; true if nothing is stored. Says why not.
fn gives_the_stored(case: &CaseRecord, input: &Input, rules: RuleSet) -> bool {
    let Some(version) = case.version else {
        let state = case.verdict.map_or(case.state.name(), Verdict::name);
        note(&format!("case {} is {state}: there is no stored result to compare with", case.id));
        return true;
    };
    let given = match catching(|| replay(input, rules)) {
        Ok(given) => given,
        Err(message) => {
            panicked(&message);
            return false;
        }
    };
    let stored = case.output.map(|output| output.hash);
    let same = match &given {
        Ok(hash) => stored == Some(*hash),
        Err(error) => stored.is_none() && case.error.as_ref() == Some(error),
    };
    if !same {
        let simulator = input.simulator();
        note(&format!(
            "the stored output is from {simulator} version {version}, this build is version {} \
             and gives another one; --anyway prints this build's trace",
            simulator.version(),
        ));
    }
    same
}

/// Plays all games in silence. As when the case was played, a game that was stopped tells why there is
/// no output, else the first one without an end.
fn replay(input: &Input, rules: RuleSet) -> Given {
    let never = AtomicBool::new(false);
    let (mut hasher, mut output, mut no_end) = (ContentHasher::new(), Vec::new(), None);
    for game in 0..input.games() {
        let ended = input.play(game, rules, &never, &mut output);
        match (input.no_output(game, ended.as_ref()), ended) {
            (Some(stopped), Err(_)) => return Err(stopped),
            (undecided, _) => no_end = no_end.or(undecided),
        }
        hasher.update(&output);
        output.clear();
    }
    no_end.map_or_else(|| Ok(hasher.finish()), Err)
}

/// Prints the steps of one game, or of all.
fn print(
    args: &TraceArgs,
    game: Option<u64>,
    input: &Input,
    rules: RuleSet,
    out: &mut Out,
) -> Result<Exit, CliError> {
    let headed = game.is_none() && input.games() > 1;
    let steps = Steps { form: args.form, range: args.steps, headed };
    let games = game.map_or(0..input.games(), |number| number - 1..number);
    for game in games {
        let ended = match catching(|| steps.print(input, game, rules, out)) {
            Ok(printed) => printed?,
            Err(message) => return Ok(panicked(&message)),
        };
        if let Some(reason) = input.no_output(game, ended.as_ref()) {
            note(&reason.to_string());
        }
    }
    Ok(Exit::Fine)
}

fn panicked(message: &str) -> Exit {
    refuse(&format!("simdrop failed while playing, a bug of ours, please report it: {message}"))
}
