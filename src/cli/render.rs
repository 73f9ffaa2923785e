//! What people see: tables, numbers, times, and names that cannot drive a terminal.

use std::io::{self, Write};
use std::path::Path;
use std::sync::LazyLock;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use clap::{Args, ValueEnum};
use jiff::Timestamp;

use super::table::Table;
use super::{json, when};
pub(super) use crate::domain::printable;
use crate::domain::{CompareMode, Difference, RunState, TimestampUs, Verdict};
use crate::store::{CaseRecord, RunRecord};

/// In which form a command answers.
#[derive(Debug, Args)]
pub(super) struct FormatArgs<F: Form = Format> {
    /// The form of the answer
    #[arg(short = 'o', value_name = "FORM", default_value = "table")]
    form: F,
    /// The same as -o json
    #[arg(long)]
    json: bool,
}

/// The forms of some kind of answer.
pub(super) trait Form: ValueEnum + Copy + Send + Sync + 'static {
    const JSON: Self;
}

/// A form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people
    Table,
    /// One JSON value
    Json,
    /// One JSON object a line
    Jsonl,
}

/// A form of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum RowFormat {
    /// For people
    Table,
    /// One JSON value
    Json,
    /// One JSON object a line
    Jsonl,
    /// For spreadsheets and programs: a header, then a line for each row
    Csv,
}

impl Form for Format {
    const JSON: Self = Self::Json;
}

impl Form for RowFormat {
    const JSON: Self = Self::Json;
}

impl<F: Form> FormatArgs<F> {
    pub(super) const fn format(&self) -> F {
        if self.json { F::JSON } else { self.form }
    }
}

/// Prints a value as one line of JSON.
pub(super) fn json_line(out: &mut impl Write, value: &impl serde::Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    writeln!(out)
}

/// A table for the terminal; columns that hold numbers are named.
pub(super) fn table(header: &[&str], numbers: &[usize]) -> Table {
    Table::new(header, numbers, columns())
}

/// How wide the terminal is; `None` if there is none or it does not say.
pub(super) fn columns() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

/// Whether more than ASCII may be shown.
static IS_UTF8: LazyLock<bool> = LazyLock::new(crate::config::is_utf8);

/// What stands where something was left out.
pub(super) fn ellipsis() -> &'static str {
    if *IS_UTF8 { "…" } else { "..." }
}

/// What the bars of a histogram are made of.
pub(super) fn bar() -> &'static str {
    if *IS_UTF8 { "█" } else { "#" }
}

/// A path, printable.
pub(super) fn path(path: &Path) -> String {
    printable(path.as_os_str().as_encoded_bytes())
}

/// A verdict, in its colour where somebody sees it.
pub(super) fn verdict(verdict: Verdict) -> String {
    if AutoStream::choice(&io::stdout()) == ColorChoice::Never {
        return verdict.to_string();
    }
    let color = match verdict {
        Verdict::Ac => AnsiColor::Green,
        Verdict::NoRef => AnsiColor::Cyan,
        Verdict::Pe | Verdict::Limit | Verdict::Cancelled => AnsiColor::Yellow,
        Verdict::Wa | Verdict::BadIn | Verdict::Crash => AnsiColor::Red,
    };
    let style = Style::new().fg_color(Some(color.into())).bold();
    format!("{style}{verdict}{style:#}")
}

/// A number with its thousands apart.
pub(super) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of bytes in a unit a person reads.
#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
pub(super) fn bytes(bytes: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"];
    let (mut size, mut unit) = (bytes as f64, "B");
    for larger in units {
        if size < 1024.0 {
            break;
        }
        (size, unit) = (size / 1024.0, larger);
    }
    let digits = usize::from(unit != "B" && size < 100.0);
    format!("{size:.digits$} {unit}")
}

/// A duration in a unit a person reads.
#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
pub(super) fn duration(micros: i64) -> String {
    match micros.max(0) {
        micros @ 0..1_000 if *IS_UTF8 => format!("{micros} µs"),
        micros @ 0..1_000 => format!("{micros} us"),
        micros @ 1_000..1_000_000 => format!("{:.1} ms", micros as f64 / 1e3),
        micros @ 1_000_000..60_000_000 => format!("{:.2} s", micros as f64 / 1e6),
        micros => format!("{} min {:02} s", micros / 60_000_000, micros / 1_000_000 % 60),
    }
}

/// A moment with its offset.
pub(super) fn time(at: TimestampUs) -> String {
    let moment = Timestamp::from_microsecond(at.0).unwrap_or_default();
    moment.to_zoned_datetime(when::zone().clone()).strftime("%Y-%m-%d %H:%M:%S%:z").to_string()
}

/// `one`, or the number with the plural.
pub(super) fn plural(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// The verdicts of a run that occur, the common ones first: `95 AC, 3 WA`.
pub(super) fn verdicts(run: &RunRecord) -> String {
    let counts = Verdict::ALL.iter().zip(run.verdicts).filter(|&(_, count)| count > 0);
    let parts: Vec<String> =
        counts.map(|(verdict, number)| format!("{} {verdict}", count(number))).collect();
    if parts.is_empty() { "-".to_owned() } else { parts.join(", ") }
}

/// Where a run came from: the first path, and how many there are besides.
pub(super) fn sources(run: &RunRecord) -> String {
    let mut paths = run.source.split(|&byte| byte == 0);
    let first = printable(paths.next().unwrap_or_default());
    match paths.count() {
        0 => first,
        more => format!("{first} and {}", plural(more as u64, "other file", "other files")),
    }
}

/// A run's facts and its verdict table.
pub(super) fn run(out: &mut impl Write, run: &RunRecord) -> io::Result<()> {
    let label = run.label.as_ref().map(|label| format!(" \"{}\"", printable(label.as_bytes())));
    let (id, label) = (run.id, label.unwrap_or_default());
    let of = run.of.map(|id| format!(", cases of run {id}")).unwrap_or_default();
    writeln!(out, "run {id}{label}{of}, {}, from {}", run.state, sources(run))?;
    if !run.tags.is_empty() {
        let tags = run.tags.iter().map(|(key, value)| format!("{key}={value}"));
        writeln!(out, "tags: {}", printable(tags.collect::<Vec<_>>().join(", ").as_bytes()))?;
    }
    if run.compare != CompareMode::default() {
        writeln!(out, "compared by {}", run.compare)?;
    }
    writeln!(out)?;
    if run.state == RunState::Rejected {
        return Ok(());
    }
    for (name, number) in Verdict::ALL.iter().zip(run.verdicts).filter(|&(_, count)| count > 0) {
        let padding = " ".repeat(9 - name.name().len());
        writeln!(out, "  {}{padding}  {:>11}", verdict(*name), count(number))?;
    }
    writeln!(out, "  {:9}  {:>11}", "total", count(run.total))?;
    if run.cached > 0 {
        writeln!(out, "  {:9}  {:>11}", "cached", count(run.cached))?;
    }
    let left = run.listed.max(run.total) - run.done;
    if left > 0 {
        writeln!(out, "  {:9}  {:>11}", "left", count(left))?;
    }
    writeln!(out)
}

/// How long a run took, and its rate; nothing if it had no cases.
#[expect(clippy::cast_precision_loss, reason = "a few digits are shown")]
pub(super) fn pace(out: &mut impl Write, run: &RunRecord) -> io::Result<()> {
    let Some(end) = run.finished_at.filter(|_| run.total > 0) else { return Ok(()) };
    let micros = (end.0 - run.taken_in_at.0).max(1);
    let rate = run.total as f64 * 1e6 / micros as f64;
    let digits = usize::from(rate < 10.0);
    let cases = plural(run.total, "case", "cases");
    writeln!(out, "{cases} in {}, {rate:.digits$} cases/s", duration(micros))
}

/// A case that failed, with its first difference or its error.
pub(super) fn failing(out: &mut impl Write, case: &CaseRecord) -> io::Result<()> {
    let word = case.verdict.map(verdict).unwrap_or_default();
    write!(out, "{}  {}  {word}", case.id, printable(&case.name))?;
    why(out, case)
}

/// Why a case is not fine: its first difference or its error.
pub(super) fn why(out: &mut impl Write, case: &CaseRecord) -> io::Result<()> {
    if let Some(found) = &case.difference {
        return difference(out, found);
    }
    match &case.error {
        Some(error) => writeln!(out, "  {}", printable(error.to_string().as_bytes())),
        None => writeln!(out),
    }
}

/// The first difference, after the words that say whose it is.
pub(super) fn difference(out: &mut impl Write, found: &Difference) -> io::Result<()> {
    let more = match found.more_lines {
        0 => String::new(),
        more => format!(", {}", plural(more, "more line differs", "more lines differ")),
    };
    writeln!(out, "  line {}, column {}{more}", found.line, found.column)?;
    let side = |text: &Option<String>| match text {
        Some(text) => printable(text.as_bytes()),
        None => "(no such line)".to_owned(),
    };
    writeln!(out, "    expected  {}", side(&found.expected))?;
    writeln!(out, "    got       {}", side(&found.got))
}

/// A run as JSON.
pub(super) fn run_json(out: &mut impl Write, run: &RunRecord) -> io::Result<()> {
    json_line(out, &json::Run::from(run))
}
