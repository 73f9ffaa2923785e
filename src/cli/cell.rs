//! One value of a row: for people, for CSV, and for an order.

use super::{json, render};
use crate::domain::{TimestampUs, Verdict};

/// A value of a row. In an order what is not there comes first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cell {
    /// Not there, or not known.
    None,
    /// Yes or no.
    Flag(bool),
    /// How many.
    Count(u64),
    /// A number.
    Number(i64),
    /// How long, in microseconds.
    Took(i64),
    /// How many bytes.
    Bytes(u64),
    /// When.
    Moment(TimestampUs),
    /// No verdict yet; people see how far it is.
    Pending(&'static str),
    /// A verdict.
    Verdict(Verdict),
    /// A text that is shown to people as it is.
    Text(String),
    /// Bytes that people gave.
    Name(Vec<u8>),
}

impl Cell {
    /// A value that may not be there.
    pub(super) fn of<T>(value: Option<T>, cell: impl FnOnce(T) -> Self) -> Self {
        value.map_or(Self::None, cell)
    }

    /// A text that people gave.
    pub(super) fn name(text: String) -> Self {
        Self::Name(text.into_bytes())
    }

    /// A word.
    pub(super) fn word(word: &impl ToString) -> Self {
        Self::Text(word.to_string())
    }

    /// For people.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::None | Self::Flag(false) => "-".to_owned(),
            Self::Flag(true) => "yes".to_owned(),
            Self::Count(count) => render::count(*count),
            Self::Number(number) => number.to_string(),
            Self::Took(micros) => render::duration(*micros),
            Self::Bytes(bytes) => format!("{} B", render::count(*bytes)),
            Self::Moment(at) => render::time(*at),
            Self::Pending(state) => (*state).to_owned(),
            Self::Verdict(verdict) => render::verdict(*verdict),
            Self::Text(text) => text.clone(),
            Self::Name(name) => render::printable(name),
        }
    }

    /// For programs: plain numbers, seconds, UTC.
    pub(super) fn plain(&self) -> String {
        match self {
            Self::None | Self::Pending(_) => String::new(),
            Self::Flag(flag) => flag.to_string(),
            Self::Count(number) | Self::Bytes(number) => number.to_string(),
            Self::Number(number) => number.to_string(),
            Self::Took(micros) => seconds(*micros),
            Self::Moment(at) => json::time(*at),
            Self::Verdict(verdict) => verdict.to_string(),
            Self::Text(text) => text.clone(),
            Self::Name(name) => json::lossy(name),
        }
    }
}

/// Seconds with all their six digits, so that nothing is rounded.
fn seconds(micros: i64) -> String {
    let sign = if micros < 0 { "-" } else { "" };
    let micros = micros.unsigned_abs();
    format!("{sign}{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::Cell;
    use crate::domain::TimestampUs;

    #[test]
    fn people_get_units_and_programs_plain_numbers() {
        for (cell, shown, plain) in [
            (Cell::None, "-", ""),
            (Cell::Flag(true), "yes", "true"),
            (Cell::Flag(false), "-", "false"),
            (Cell::Count(1_234), "1,234", "1234"),
            (Cell::Bytes(1_234), "1,234 B", "1234"),
            (Cell::Took(1_234), "1.2 ms", "0.001234"),
            (Cell::Took(-2_000_001), "0 us", "-2.000001"),
            (Cell::Name(b"a\xff\n".to_vec()), "a\u{fffd}\\n", "a\u{fffd}\n"),
        ] {
            assert_eq!(cell.shown().replace('µ', "u"), shown);
            assert_eq!(cell.plain(), plain);
        }
        assert_eq!(Cell::Moment(TimestampUs(1_500_000)).plain(), "1970-01-01T00:00:01.5Z");
    }

    #[test]
    fn what_is_not_there_comes_before_everything() {
        assert!(Cell::None < Cell::Took(-1));
        assert!(Cell::Took(2) < Cell::Took(10));
    }
}
