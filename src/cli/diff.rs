//! `simdrop show REF --diff`: the lines in which a case's output and its file differ.

use std::io::{self, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

use super::render::{self, Format, plural, printable};
use super::{CliError, Out, json};
use crate::compare::{Diff, Row, diff};
use crate::domain::{CompareMode, Verdict};
use crate::service::output_of;
use crate::store::{CaseRecord, Reader};

/// How many lines that differ are shown.
const MOST: usize = 200;

/// From how many columns on two texts stand side by side.
const WIDE: usize = 100;

pub(super) fn show(
    reader: &Reader,
    case: &CaseRecord,
    mode: CompareMode,
    format: Format,
    out: &mut Out,
) -> Result<(), CliError> {
    let expected = output_of(reader, case)?.ok_or_else(|| missing(case, &why_no_output(case)))?;
    let no_file = "there was no file to compare it with";
    let got = reader.compared(case)?.ok_or_else(|| missing(case, no_file))?;
    let diff = diff(&expected, &got, mode, MOST).map_err(CliError::Stored)?;
    if format != Format::Table {
        return Ok(render::json_line(out, &json::Diff::from(&diff))?);
    }
    let paint = Paint { on: AutoStream::choice(&io::stdout()) != ColorChoice::Never };
    Ok(render(out, &diff, render::columns(), paint)?)
}

fn missing(case: &CaseRecord, why: &str) -> CliError {
    CliError::Missing(format!("nothing to compare in {}: {why}", case.id))
}

fn why_no_output(case: &CaseRecord) -> String {
    if let Some(error) = &case.error {
        return format!("it has no output: {error}");
    }
    let why = match case.verdict {
        None => "it is not played yet",
        Some(Verdict::Cancelled) => "it was taken back before it was played",
        Some(_) => "it has no output",
    };
    why.to_owned()
}

fn render(
    out: &mut impl Write,
    diff: &Diff,
    columns: Option<usize>,
    paint: Paint,
) -> io::Result<()> {
    if diff.differing == 0 {
        return writeln!(out, "no difference");
    }
    match columns.filter(|&columns| columns >= WIDE) {
        Some(columns) => beside(out, &diff.rows, columns, paint),
        None => unified(out, &diff.rows, paint),
    }?;
    totals(out, diff)
}

/// The lines under each other, those of the expected text first.
fn unified(out: &mut impl Write, rows: &[Row], paint: Paint) -> io::Result<()> {
    writeln!(out, "{}", paint.expected("--- expected (simdrop)"))?;
    writeln!(out, "{}", paint.got("+++ got"))?;
    for group in groups(rows) {
        writeln!(out, "{}", paint.place(&format!("@@ line {} @@", group[0].line)))?;
        for run in group.chunk_by(|left, right| left.same == right.same) {
            for line in run.iter().filter_map(|row| row.expected.as_deref()) {
                match run[0].same {
                    true => writeln!(out, " {}", printable(line.as_bytes())),
                    false => writeln!(out, "{}", paint.expected(&format!("-{}", spelt(line)))),
                }?;
            }
            let changed = run.iter().filter(|row| !row.same);
            for line in changed.filter_map(|row| row.got.as_deref()) {
                writeln!(out, "{}", paint.got(&format!("+{}", spelt(line))))?;
            }
        }
    }
    Ok(())
}

/// The lines side by side, with a mark between those that differ.
fn beside(out: &mut impl Write, rows: &[Row], columns: usize, paint: Paint) -> io::Result<()> {
    let digits = rows.last().map_or(1, |row| row.line.to_string().len());
    let width = columns.saturating_sub(2 * digits + 5).max(2) / 2;
    let sides = Sides { digits, width, paint };
    sides.line(out, ["", ""], ["expected (simdrop)", "got"], ' ')?;
    for (at, group) in groups(rows).enumerate() {
        if at > 0 {
            writeln!(out, "{}", paint.place("..."))?;
        }
        group.iter().try_for_each(|row| sides.row(out, row))?;
    }
    Ok(())
}

/// Two columns with the numbers of their lines.
struct Sides {
    digits: usize,
    width: usize,
    paint: Paint,
}

impl Sides {
    /// A row, in as many lines as its longer text needs.
    fn row(&self, out: &mut impl Write, row: &Row) -> io::Result<()> {
        let mark = match (row.same, &row.expected, &row.got) {
            (true, ..) => ' ',
            (false, _, None) => '<',
            (false, None, _) => '>',
            (false, ..) => '|',
        };
        let number = row.line.to_string();
        let [left, right] = [&row.expected, &row.got].map(|text| self.wrap(text.as_deref()));
        let numbers = [&left, &right].map(|lines| if lines.is_empty() { "" } else { &number });
        for at in 0..left.len().max(right.len()) {
            let numbers = if at == 0 { numbers } else { [""; 2] };
            let texts = [&left, &right].map(|lines| lines.get(at).map_or("", String::as_str));
            self.line(out, numbers, texts, mark)?;
        }
        Ok(())
    }

    fn line(
        &self,
        out: &mut impl Write,
        numbers: [&str; 2],
        [left, right]: [&str; 2],
        mark: char,
    ) -> io::Result<()> {
        let (digits, width) = (self.digits, self.width);
        let [left_number, right_number] = numbers;
        let (mut left, mut right) = (format!("{left:width$}"), right.to_owned());
        if mark != ' ' {
            (left, right) = (self.paint.expected(&left), self.paint.got(&right));
        }
        let line = format!("{left_number:>digits$} {left} {mark} {right_number:>digits$} {right}");
        writeln!(out, "{}", line.trim_end())
    }

    /// A text in lines of the column's width; none for a line that is not there.
    fn wrap(&self, text: Option<&str>) -> Vec<String> {
        let Some(text) = text else { return Vec::new() };
        let chars: Vec<char> = spelt(text).chars().collect();
        let lines = chars.chunks(self.width).map(|part| part.iter().collect());
        if chars.is_empty() { vec![String::new()] } else { lines.collect() }
    }
}

/// How much differs.
fn totals(out: &mut impl Write, diff: &Diff) -> io::Result<()> {
    let shown = diff.rows.iter().filter(|row| !row.same).count() as u64;
    writeln!(out, "{}", plural(shown, "line differs", "lines differ"))?;
    match diff.differing - shown {
        0 => {}
        more => writeln!(out, "{}, not shown", plural(more, "more differs", "more differ"))?,
    }
    let (expected, got) = (diff.expected_lines, diff.got_lines);
    let lines = |number| plural(number, "line", "lines");
    let off = match got.checked_sub(expected) {
        Some(0) => return Ok(()),
        Some(more) => format!("{} more", lines(more)),
        None => format!("{} missing", lines(expected - got)),
    };
    writeln!(out, "expected has {}, got has {}: {off}", lines(expected), render::count(got))
}

/// Rows whose lines follow each other.
fn groups(rows: &[Row]) -> impl Iterator<Item = &[Row]> {
    rows.chunk_by(|left, right| left.line + 1 == right.line)
}

fn spelt(line: &str) -> String {
    printable(line.as_bytes())
}

/// Colours, where somebody sees them.
#[derive(Clone, Copy)]
struct Paint {
    on: bool,
}

impl Paint {
    fn expected(self, text: &str) -> String {
        self.with(AnsiColor::Red, text)
    }

    fn got(self, text: &str) -> String {
        self.with(AnsiColor::Green, text)
    }

    fn place(self, text: &str) -> String {
        self.with(AnsiColor::Cyan, text)
    }

    fn with(self, color: AnsiColor, text: &str) -> String {
        if !self.on || text.is_empty() {
            return text.to_owned();
        }
        let style = Style::new().fg_color(Some(color.into()));
        format!("{style}{text}{style:#}")
    }
}

#[cfg(test)]
mod tests {
    use super::{Paint, render};
    use crate::compare::diff;
    use crate::domain::{Body, CompareMode};

    fn rendered(expected: &str, got: &str, columns: Option<usize>, on: bool) -> String {
        let [expected, got] = [expected, got].map(|text| Body::Bytes(text.as_bytes().to_vec()));
        let diff = diff(&expected, &got, CompareMode::Lines, 3).expect("bytes in memory");
        let mut out = Vec::new();
        render(&mut out, &diff, columns, Paint { on }).expect("room");
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn a_wide_terminal_shows_the_texts_side_by_side() {
        let long = "x".repeat(50);
        let expected = format!("1\n2\n3\n4\n5\n6\n{long}\n");
        let shown = rendered(&expected, "1\n2\n3\n\u{1b}\n5\n6\n", Some(100), false);
        let (x, pad) = ("x".repeat(46), " ".repeat(45));
        let header = format!("  expected (simdrop){}got\n", " ".repeat(33));
        let lines = [
            format!("2 2{pad}   2 2\n3 3{pad}   3 3\n"),
            format!("4 4{pad} | 4 \\u{{1b}}\n"),
            format!("5 5{pad}   5 5\n6 6{pad}   6 6\n"),
            format!("7 {x} <\n  xxxx{} <\n", " ".repeat(42)),
            "2 lines differ\nexpected has 7 lines, got has 6: 1 line missing\n".to_owned(),
        ];
        assert_eq!(shown, header + &lines.concat());
        let added = rendered("1\n", "1\n2\n", Some(100), false);
        assert!(added.contains(&format!("{} > 2 2\n", " ".repeat(48))), "{added}");
    }

    #[test]
    fn a_narrow_terminal_and_a_pipe_show_the_texts_under_each_other() {
        let shown = rendered("1\n2\n", "1\n3\n", Some(99), false);
        assert_eq!(
            shown,
            "--- expected (simdrop)\n+++ got\n@@ line 1 @@\n 1\n-2\n+3\n1 line differs\n"
        );
        assert_eq!(shown, rendered("1\n2\n", "1\n3\n", None, false));
    }

    #[test]
    fn what_is_not_shown_is_counted() {
        let shown = rendered("1\n2\n3\n4\n5\n", "a\nb\nc\nd\n", None, false);
        let end = "3 lines differ\n2 more differ, not shown\n\
                   expected has 5 lines, got has 4: 1 line missing\n";
        assert!(shown.ends_with(end), "{shown}");
    }

    #[test]
    fn colours_are_only_where_somebody_sees_them() {
        for columns in [None, Some(120)] {
            assert!(rendered("1\n", "2\n", columns, true).contains("\u{1b}[31m"));
            assert!(!rendered("1\n", "2\n", columns, false).contains('\u{1b}'));
        }
    }
}
