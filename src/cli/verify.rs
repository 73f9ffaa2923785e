//! `simdrop verify`: whether this build gives what is stored.

use std::io::{self, IsTerminal, Write};
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Args;
use indicatif::ProgressBar;
use serde::Serialize;

use super::json::SCHEMA;
use super::query::{self, QueryArgs};
use super::render::{self, Format, FormatArgs};
use super::{CliError, Global, Out, note, report};
use crate::domain::{CaseError, ContentHash, RuleSet, SimulatorId};
use crate::exit::Exit;
use crate::service::{self, Agreement, Given, Mismatch, Sample, Verified, Verify, Wrong};
use crate::store::Reader;

/// How many mismatches a table names.
const NAMED: usize = 100;

/// Play stored inputs again and report what this build gives otherwise
///
/// Each result is played once, however many cases it answers, and its output is held against the stored one.
/// `same`: the same version gives the same. `unchanged`: another version of the simulator gives the same.
/// `changed`: another version gives something else. `differs`: the same version gives something else, which is a
/// bug of simdrop or a damaged store. `damaged`: the store cannot be read there. Nothing is changed, and a daemon goes
/// on beside it. The exit code is 1 if something changed or differs, 7 if something is damaged.
#[derive(Debug, Args)]
#[command(after_help = query::HELP)]
pub(super) struct VerifyArgs {
    #[command(flatten)]
    query: QueryArgs,
    /// Only a part of the results, chosen by chance: 1% or 0.01
    #[arg(long, value_name = "SHARE")]
    sample: Option<Share>,
    /// The number that repeats the choice of a sample
    #[arg(long, value_name = "N", requires = "sample")]
    seed: Option<u64>,
    /// How many results are played at the same time
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    #[command(flatten)]
    format: FormatArgs,
}

/// A part of a whole, above 0 and at most 1.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Share(f64);

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (number, whole) = text.strip_suffix('%').map_or((text, 1.0), |number| (number, 100.0));
        let share = number.parse().map_or(0.0, |number: f64| number / whole);
        let fine = share > 0.0 && share <= 1.0;
        fine.then_some(Self(share)).ok_or_else(|| "expected a share such as 1% or 0.01".to_owned())
    }
}

/// A share in percent, without the digits that come from its being a binary fraction.
fn percent(share: f64) -> f64 {
    (share * 1e12).round() / 1e10
}

pub(super) fn run(args: &VerifyArgs, global: &Global, out: &mut Out) -> Result<Exit, CliError> {
    let config = global.config(args.jobs)?;
    let query = args.query.query()?;
    let sample = args.sample.map(|Share(share)| (share, args.seed.unwrap_or_else(any_seed)));
    let mut printer =
        Printer { form: args.format.format(), sample, out, named: Vec::new(), told: 0 };
    printer.begin()?;
    let sample = sample.map(|(share, seed)| Sample::new(share, seed));
    let verify = Verify { query, sample };
    let verified = match Reader::open(config.state()?)? {
        Some(reader) => {
            let meter = Meter::new();
            let mut printed = Ok(());
            let verified = service::verify(&config, &reader, &verify, &mut |so_far, mismatch| {
                meter.see(so_far);
                if let (Some(mismatch), Ok(())) = (mismatch, &printed) {
                    printed = printer.tell(mismatch);
                }
            });
            meter.finish();
            printed?;
            verified?
        }
        None => Verified::default(),
    };
    let exit = exit(&verified);
    super::printed(printer.end(&verified), exit)
}

/// A seed that nobody chose.
fn any_seed() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_secs()
}

fn exit(verified: &Verified) -> Exit {
    let count = |agreement| verified.count(agreement);
    match verified.stopped {
        Some(signal) => report::signalled(signal),
        None if count(Agreement::Damaged) > 0 => Exit::Damaged,
        None if count(Agreement::Changed) + count(Agreement::Differs) > 0 => Exit::No,
        None => Exit::Fine,
    }
}

/// Prints what is found: for people at the end, the first of them; for scripts at once, all of them.
struct Printer<'a> {
    form: Format,
    sample: Option<(f64, u64)>,
    out: &'a mut Out,
    named: Vec<Mismatch>,
    told: usize,
}

impl Printer<'_> {
    fn begin(&mut self) -> Result<(), CliError> {
        if self.form == Format::Json {
            write!(self.out, "{{\"schema\":{SCHEMA},\"mismatches\":[")?;
        }
        Ok(())
    }

    fn tell(&mut self, mismatch: Mismatch) -> Result<(), CliError> {
        self.told += 1;
        match self.form {
            Format::Json => {
                let between = if self.told == 1 { "\n" } else { ",\n" };
                write!(self.out, "{between}")?;
                serde_json::to_writer(&mut *self.out, &MismatchJson::from(&mismatch))
                    .map_err(io::Error::from)?;
            }
            Format::Jsonl => render::json_line(self.out, &MismatchJson::from(&mismatch))?,
            _ if self.named.len() < NAMED => self.named.push(mismatch),
            _ => {}
        }
        Ok(())
    }

    fn end(self, verified: &Verified) -> Result<(), CliError> {
        let summary = Summary::new(self.sample, verified);
        match self.form {
            Format::Json => {
                // The summary goes on where the mismatches end.
                let text = serde_json::to_string(&summary).map_err(io::Error::from)?;
                writeln!(self.out, "],{}", text.trim_start_matches('{'))?;
            }
            Format::Jsonl => {
                #[derive(Serialize)]
                struct Line<'a> {
                    schema: u32,
                    #[serde(flatten)]
                    summary: &'a Summary,
                }
                render::json_line(self.out, &Line { schema: SCHEMA, summary: &summary })?;
            }
            _ => self.table(verified)?,
        }
        match (verified.stopped, verified.reached) {
            (None, _) => {}
            (Some(_), None) => note("stopped: no case was looked at"),
            (Some(_), Some(case)) => {
                note(&format!("stopped: from the newest case back to {case} all were looked at"));
            }
        }
        Ok(())
    }

    fn table(self, verified: &Verified) -> Result<(), CliError> {
        let out = self.out;
        let results = render::plural(verified.total(), "result", "results");
        let cases = render::plural(verified.cases, "case", "cases");
        let sample = self
            .sample
            .map(|(share, seed)| format!(", a sample of {} % (--seed {seed})", percent(share)));
        writeln!(out, "{results} of {cases}{}\n", sample.unwrap_or_default())?;
        for agreement in Agreement::ALL {
            let count = verified.count(agreement);
            if count > 0 {
                writeln!(out, "  {:9}  {:>11}", agreement.name(), render::count(count))?;
            }
        }
        for mismatch in &self.named {
            print(out, mismatch)?;
        }
        let more = self.told - self.named.len();
        if more > 0 {
            writeln!(out, "\n{} more: -o jsonl names them all", render::count(more as u64))?;
        }
        Ok(())
    }
}

fn print(out: &mut Out, mismatch: &Mismatch) -> io::Result<()> {
    let (case, agreement) = (mismatch.case, mismatch.agreement().name());
    match &mismatch.what {
        Wrong::Damaged(reason) => {
            let reason = render::printable(reason.as_bytes());
            writeln!(out, "\n{case}  {agreement}\n    {reason}\n    simdrop show {case}")
        }
        Wrong::Another { key, stored, given } => {
            let now = key.simulator.version();
            writeln!(out, "\n{case}  {agreement}  {} {}", key.simulator, key.rules)?;
            writeln!(out, "    stored      version {}  {}", key.version, words(stored))?;
            writeln!(out, "    this build  version {now}  {}", words(given))?;
            writeln!(out, "    simdrop trace {case} --anyway")
        }
    }
}

fn words(given: &Given) -> String {
    match given {
        Ok(hash) => format!("output {hash}"),
        Err(error) => render::printable(format!("no output: {error}").as_bytes()),
    }
}

/// A mismatch as JSON.
#[derive(Debug, Serialize)]
struct MismatchJson<'a> {
    schema: u32,
    case: String,
    agreement: &'static str,
    simulator: Option<SimulatorId>,
    rules: Option<RuleSet>,
    stored: Option<Side<'a>>,
    given: Option<Side<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    damage: Option<&'a str>,
}

/// What one of two builds gives.
#[derive(Debug, Serialize)]
struct Side<'a> {
    version: u32,
    output: Option<ContentHash>,
    error: Option<&'a CaseError>,
}

impl<'a> Side<'a> {
    const fn new(version: u32, given: &'a Given) -> Self {
        match given {
            Ok(hash) => Self { version, output: Some(*hash), error: None },
            Err(error) => Self { version, output: None, error: Some(error) },
        }
    }
}

impl<'a> From<&'a Mismatch> for MismatchJson<'a> {
    fn from(mismatch: &'a Mismatch) -> Self {
        let (case, agreement) = (mismatch.case.to_string(), mismatch.agreement().name());
        let (simulator, rules, stored, given, damage) = match &mismatch.what {
            Wrong::Another { key, stored, given } => (
                Some(key.simulator),
                Some(key.rules),
                Some(Side::new(key.version, stored)),
                Some(Side::new(key.simulator.version(), given)),
                None,
            ),
            Wrong::Damaged(reason) => (None, None, None, None, Some(reason.as_str())),
        };
        Self { schema: SCHEMA, case, agreement, simulator, rules, stored, given, damage }
    }
}

/// How it went, as JSON.
#[derive(Debug, Serialize)]
struct Summary {
    cases: u64,
    results: u64,
    same: u64,
    unchanged: u64,
    changed: u64,
    differs: u64,
    damaged: u64,
    sample: Option<f64>,
    seed: Option<u64>,
    /// Where it was stopped, if it was.
    stopped_at: Option<String>,
}

impl Summary {
    fn new(sample: Option<(f64, u64)>, verified: &Verified) -> Self {
        let [same, unchanged, changed, differs, damaged] = verified.results;
        let (sample, seed) = sample.unzip();
        Self {
            cases: verified.cases,
            results: verified.total(),
            same,
            unchanged,
            changed,
            differs,
            damaged,
            sample,
            seed,
            stopped_at: verified.stopped.and(verified.reached).map(|case| case.to_string()),
        }
    }
}

/// How far it is, on a terminal.
struct Meter(Option<ProgressBar>);

impl Meter {
    fn new() -> Self {
        let bar = io::stderr().is_terminal().then(ProgressBar::new_spinner);
        if let Some(bar) = &bar {
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        Self(bar)
    }

    fn see(&self, so_far: &Verified) {
        let (Some(bar), Some(reached)) = (&self.0, so_far.reached) else { return };
        bar.set_message(format!(
            "{} played again, back to {reached}",
            render::plural(so_far.total(), "result", "results")
        ));
    }

    fn finish(self) {
        if let Some(bar) = self.0 {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Share, percent};

    #[test]
    fn a_share_is_told_as_it_was_typed() {
        for text in ["7%", "0.1%", "33.3%", "100%", "0.0001%"] {
            let Share(share) = text.parse().expect("a share");
            assert_eq!(format!("{}%", percent(share)), text);
        }
    }

    #[test]
    fn a_share_is_a_percentage_or_a_fraction() {
        assert_eq!("1%".parse(), Ok(Share(0.01)));
        assert_eq!("0.5".parse(), Ok(Share(0.5)));
        assert_eq!("100%".parse(), Ok(Share(1.0)));
        for wrong in ["0", "0%", "101%", "1.1", "-1%", "%", "x", "NaN", "inf"] {
            assert!(wrong.parse::<Share>().is_err(), "{wrong}");
        }
    }
}
