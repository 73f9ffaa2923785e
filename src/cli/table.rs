//! Tables for people.

use std::io::{self, Write};

use anstream::adapter::strip_str;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::render;

/// What stands between two columns.
const GAP: usize = 2;

/// A column of text is never made narrower than this.
const WIDTH_LEAST: usize = 8;

/// A table without borders. Cells may be coloured; they are one line each.
#[derive(Debug)]
pub(super) struct Table {
    rows: Vec<Vec<String>>,
    is_number: Vec<bool>,
    /// How wide each column is in what was printed.
    widths: Vec<usize>,
    columns: Option<usize>,
}

impl Table {
    /// A table with a header, or none if that is empty. Numbers, whose columns are named, stand to the right
    /// and are never cut. If it is wider than `columns` the widest others are, and if that is not enough the
    /// last columns are left out, which the header shows.
    pub(super) fn new(header: &[&str], numbers: &[usize], columns: Option<usize>) -> Self {
        let is_number = (0..header.len()).map(|at| numbers.contains(&at)).collect();
        let header = header.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let rows = if header.is_empty() { Vec::new() } else { vec![header] };
        Self { rows, is_number, widths: Vec::new(), columns }
    }

    pub(super) fn add_row<C: ToString>(&mut self, cells: impl IntoIterator<Item = C>) {
        self.rows.push(cells.into_iter().map(|cell| cell.to_string()).collect());
    }

    /// How wide it is when nothing is cut.
    pub(super) fn width(&self) -> usize {
        total(&self.natural_widths())
    }

    /// Prints the rows that were added since it was last printed; they are no narrower than those before.
    pub(super) fn print(&mut self, out: &mut impl Write) -> io::Result<()> {
        let mut widths = self.natural_widths();
        self.fit(&mut widths);
        let shown = self.shown(&widths);
        for (number, row) in self.rows.drain(..).enumerate() {
            let is_first = self.widths.is_empty() && number == 0;
            let cells = row.iter().zip(&widths).zip(&self.is_number).take(shown);
            let cells = cells.map(|((cell, width), is_number)| padded(cell, *width, *is_number));
            let dots = (is_first && shown < widths.len()).then(|| render::ellipsis().to_owned());
            let line = cells.chain(dots).collect::<Vec<_>>().join(&" ".repeat(GAP));
            writeln!(out, "{}", line.trim_end())?;
        }
        self.widths = widths;
        Ok(())
    }

    /// How many columns are shown.
    fn shown(&self, widths: &[usize]) -> usize {
        let Some(columns) = self.columns.filter(|columns| total(widths) > *columns) else {
            return widths.len();
        };
        let with_dots = |shown: &usize| total(&widths[..*shown]) + GAP + render::ellipsis().width();
        (1..widths.len()).rev().find(|shown| with_dots(shown) <= columns).unwrap_or(1)
    }

    fn natural_widths(&self) -> Vec<usize> {
        let mut widths = self.widths.clone();
        for row in &self.rows {
            widths.resize(widths.len().max(row.len()), 0);
            for (widest, cell) in widths.iter_mut().zip(row) {
                *widest = width(cell).max(*widest);
            }
        }
        widths
    }

    /// Makes the widest columns of text narrower until all fit, if they can.
    fn fit(&self, widths: &mut [usize]) {
        let Some(columns) = self.columns else { return };
        let is_text = |at: usize| !self.is_number.get(at).is_some_and(|is| *is);
        for _ in columns..total(widths) {
            let texts = widths.iter_mut().enumerate().filter(|(at, _)| is_text(*at));
            match texts.max_by_key(|(_, width)| **width).filter(|(_, width)| **width > WIDTH_LEAST)
            {
                Some((_, width)) => *width -= 1,
                None => break,
            }
        }
    }
}

fn total(widths: &[usize]) -> usize {
    (widths.iter().sum::<usize>() + GAP * widths.len()).saturating_sub(GAP)
}

/// How many columns a text takes.
fn width(text: &str) -> usize {
    strip_str(text).map(UnicodeWidthStr::width).sum()
}

/// A text in exactly so many columns.
fn padded(text: &str, columns: usize, is_number: bool) -> String {
    let text = cut(text, columns);
    let blanks = " ".repeat(columns - width(&text));
    if is_number { blanks + &text } else { text + &blanks }
}

/// A text in at most so many columns; without its colour if it has to be cut.
fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let dots = render::ellipsis();
    let mut left = columns.saturating_sub(dots.width());
    let fits = |c: &char| {
        let width = c.width().unwrap_or(0);
        let fits = width <= left;
        left = left.saturating_sub(width);
        fits
    };
    let text = strip_str(text).to_string();
    text.chars().take_while(fits).collect::<String>() + dots
}

#[cfg(test)]
mod tests {
    use super::Table;

    fn printed(table: &mut Table) -> String {
        let mut out = Vec::new();
        table.print(&mut out).expect("room");
        String::from_utf8(out).expect("UTF-8").replace("...", "…").replace('…', "~")
    }

    #[test]
    fn only_the_widest_texts_are_cut_and_only_to_fit() {
        let table = |columns| {
            let mut table = Table::new(&["RUN", "LABEL", "SOURCE"], &[0], columns);
            table.add_row(["1,000", "你好", "a long place where it came from"]);
            table.add_row(["7", "\x1b[31mweek 3\x1b[0m", "here"]);
            table
        };
        let wide = "  RUN  LABEL   SOURCE\n1,000  你好    a long place where it came from\n    7  \x1b[31mweek 3\x1b[0m  here\n";
        assert_eq!(printed(&mut table(None)), wide);
        assert_eq!(table(None).width(), 46);
        assert_eq!(printed(&mut table(Some(46))), wide);
        let narrow = printed(&mut table(Some(30)));
        assert!(
            narrow.lines().nth(1).is_some_and(|line| line.starts_with("1,000  你好    a long "))
        );
        assert!(narrow.contains("~\n") && narrow.contains("week 3\x1b[0m  here\n"));
        assert_eq!(
            printed(&mut table(Some(18))),
            "  RUN  LABEL   ~\n1,000  你好\n    7  \x1b[31mweek 3\x1b[0m\n"
        );
        assert!(printed(&mut table(Some(1))).starts_with("  RUN  ~\n1,000\n"));
    }

    #[test]
    fn rows_that_come_later_stand_below_those_before() {
        let mut table = Table::new(&["A", "B"], &[0], None);
        table.add_row(["1000", "x"]);
        assert_eq!(printed(&mut table), "   A  B\n1000  x\n");
        table.add_row(["1", "y"]);
        assert_eq!(printed(&mut table), "   1  y\n");
        assert_eq!(printed(&mut table), "");
    }
}
