//! The values of settings.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use super::log::LogFormat;
use super::watch::WatchMode;

/// The units of sizes, in bytes, the large ones first.
const BYTES: [(&str, u64); 5] =
    [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];

/// The units of durations, in milliseconds, the large ones first.
const MILLIS: [(&str, u64); 6] =
    [("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

/// The value of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A path, as it was given.
    Path(PathBuf),
    /// How many.
    Count(u64),
    /// A size in bytes.
    Bytes(u64),
    /// A duration, in whole milliseconds.
    Time(Duration),
    /// Whether something is done.
    Flag(bool),
    /// How a directory is watched.
    Watch(WatchMode),
    /// What a line of the log looks like.
    LogFormat(LogFormat),
}

impl Value {
    /// Reads a size such as `256 MiB`.
    pub(super) fn bytes(text: &str) -> Option<Self> {
        quantity(text, &BYTES).map(Self::Bytes)
    }

    /// Reads a duration such as `60s`.
    pub(super) fn time(text: &str) -> Option<Self> {
        quantity(text, &MILLIS).map(Duration::from_millis).map(Self::Time)
    }
}

/// As it may be written in a file or a variable, in the largest unit that says it exactly.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => write!(f, "{}", path.display()),
            Self::Count(number) => write!(f, "{number}"),
            Self::Bytes(bytes) => write_quantity(f, u128::from(*bytes), &BYTES),
            Self::Flag(is_done) => write!(f, "{is_done}"),
            Self::Watch(mode) => f.write_str(mode.name()),
            Self::LogFormat(format) => f.write_str(format.name()),
            Self::Time(time) => write_quantity(f, time.as_millis(), &MILLIS),
        }
    }
}

/// A whole number and a unit, with or without blanks between them.
fn quantity(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = (&text[..end], text[end..].trim_start());
    let (_, size) = units.iter().find(|(name, _)| *name == unit)?;
    number.parse::<u64>().ok()?.checked_mul(*size)
}

fn write_quantity(f: &mut fmt::Formatter<'_>, number: u128, units: &[(&str, u64)]) -> fmt::Result {
    let exact = units.iter().find(|(_, size)| number.is_multiple_of(u128::from(*size)));
    let (name, size) = exact.unwrap_or(&("", 1));
    write!(f, "{} {name}", number / u128::from(*size))
}

#[cfg(test)]
mod tests {
    use super::Value;

    #[test]
    fn a_quantity_is_a_whole_number_with_a_unit() {
        for (text, shown) in [
            ("256 MiB", Some("256 MiB")),
            ("1024KiB", Some("1 MiB")),
            ("1025 B", Some("1025 B")),
            ("16777215 TiB", Some("16777215 TiB")),
            ("16777216 TiB", None),
            ("256", None),
            ("256 MB", None),
            ("1.5 GiB", None),
            ("-1 B", None),
            ("MiB", None),
            ("", None),
        ] {
            assert_eq!(Value::bytes(text).map(|value| value.to_string()).as_deref(), shown);
        }
        for (text, shown) in [
            ("50 ms", Some("50 ms")),
            ("60s", Some("1 min")),
            ("90 s", Some("90 s")),
            ("5m", Some("5 min")),
            ("2 h", Some("2 h")),
            ("48 h", Some("2 d")),
            ("60", None),
            ("1 day", None),
        ] {
            assert_eq!(Value::time(text).map(|value| value.to_string()).as_deref(), shown);
        }
    }
}
