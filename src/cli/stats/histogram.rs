//! How often values occur, drawn or as rows.

use std::io::Write;

use super::columns::{Column, Fact, Rows};
use super::summary::{Group, Unit};
use crate::cli::render;
use crate::cli::{CliError, Out};
use crate::store::Bin;

/// The most ranges of a histogram.
const BINS_MOST: u32 = 20;

/// How wide it is where there is no terminal.
const WIDTH: usize = 80;

/// A bar is never shorter than this in a narrow terminal.
const BAR_LEAST: usize = 10;

/// A bar for each range, the name of the group above.
pub(super) fn draw(groups: &[Group], unit: Unit, out: &mut Out) -> Result<(), CliError> {
    for (at, group) in groups.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        let name: Vec<&str> = group.name.iter().map(Fact::shown).collect();
        let values = &group.summary.values;
        let about = if values.is_rounded { ", rounded to three digits" } else { "" };
        let n = render::plural(values.n(), "value", "values");
        writeln!(out, "{} ({n}{about})", name.join(" "))?;
        bars(&values.histogram(BINS_MOST), unit, out)?;
    }
    Ok(())
}

fn bars(bins: &[Bin], unit: Unit, out: &mut Out) -> Result<(), CliError> {
    let all: u64 = bins.iter().map(|bin| bin.count).sum();
    let most = bins.iter().map(|bin| bin.count).max().unwrap_or(1).max(1);
    let labels: Vec<String> = bins.iter().map(|bin| label(bin, unit)).collect();
    let counts: Vec<String> = bins.iter().map(|bin| render::count(bin.count)).collect();
    let widest =
        |texts: &[String]| texts.iter().map(|text| text.chars().count()).max().unwrap_or(0);
    let (label_width, count_width) = (widest(&labels), widest(&counts));
    // What stands beside a bar: the gaps, and the share.
    let beside = label_width + count_width + 2 + 2 + 2 + 9;
    let room = render::columns().unwrap_or(WIDTH).saturating_sub(beside).max(BAR_LEAST);
    for ((bin, label), count) in bins.iter().zip(&labels).zip(&counts) {
        let length = (bin.count as u128 * room as u128).div_ceil(u128::from(most));
        let bar = render::bar().repeat(usize::try_from(length).unwrap_or(room));
        let (blank, share) = (" ".repeat(room - bar.chars().count()), Fact::share(bin.count, all));
        let share = share.shown();
        writeln!(out, "  {label:>label_width$}  {bar}{blank}  {count:>count_width$}  {share:>7}")?;
    }
    Ok(())
}

/// The values of a range, both ends included where they are numbers.
fn label(bin: &Bin, unit: Unit) -> String {
    let shown = |value| unit.fact(value).shown().to_owned();
    match (bin.until, unit) {
        (None, _) => format!("{} and more", shown(bin.from)),
        (Some(until), Unit::One) if until.saturating_sub(bin.from) == 1 => shown(bin.from),
        (Some(until), Unit::One) => format!("{} to {}", shown(bin.from), shown(until - 1)),
        (Some(until), Unit::Micros) => format!("{} to {}", shown(bin.from), shown(until)),
    }
}

/// A row for each range.
pub(super) fn rows(mut columns: Vec<Column>, groups: &[Group], unit: Unit) -> Rows {
    columns.push(Column::number("FROM", "from"));
    columns.push(Column::number("UNTIL", "until"));
    columns.push(Column::number("COUNT", "count"));
    let row = |group: &Group, bin: &Bin| {
        let mut row = group.name.clone();
        let until = bin.until.map_or_else(Fact::none, |until| unit.fact(until));
        row.extend([unit.fact(bin.from), until, Fact::count(bin.count)]);
        row
    };
    let rows = groups.iter().flat_map(|group| {
        group.summary.values.histogram(BINS_MOST).into_iter().map(move |bin| row(group, &bin))
    });
    Rows { columns, rows: rows.collect() }
}
