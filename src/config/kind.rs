//! What values of a key look like, and how they are read.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::Duration;

use toml::de::DeValue;

use super::log::LogFormat;
use super::value::Value;
use super::watch::WatchMode;

/// The most threads that can be asked for; the games need no more than there are cores.
const JOBS_MOST: u64 = 1024;

/// The largest number: what the database can hold.
const NUMBER_MOST: u64 = i64::MAX.unsigned_abs();

/// The longest duration, so that no sum with a clock can overflow.
const TIME_MOST: Duration = Duration::from_secs(365 * 24 * 3600);

/// The longest age, for the same reason.
const AGE_MOST: Duration = Duration::from_secs(36_500 * 24 * 3600);

/// What values of a key look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A path.
    Path,
    /// A number of threads; 0 means as many as the machine has.
    Jobs,
    /// A number above 0.
    Count,
    /// A size above 0.
    Bytes,
    /// A duration above 0.
    Time,
    /// An age above 0.
    Age,
    /// Whether something is done.
    Flag,
    /// How a directory is watched.
    Watch,
    /// What a line of the log looks like.
    LogFormat,
}

impl Kind {
    /// Reads the value in a file, or says what is wrong with it.
    pub(super) fn read(self, value: &DeValue<'_>) -> Result<Value, String> {
        let read = match (self, value) {
            (Self::Path, DeValue::String(text)) => Some(Value::Path(text.as_ref().into())),
            (Self::Jobs | Self::Count, value) => integer(value).map(Value::Count),
            (Self::Bytes, DeValue::String(text)) => Value::bytes(text),
            (Self::Bytes, value) => integer(value).map(Value::Bytes),
            (Self::Time | Self::Age, DeValue::String(text)) => Value::time(text),
            (Self::Flag, DeValue::Boolean(is_done)) => Some(Value::Flag(*is_done)),
            (Self::Watch, DeValue::String(text)) => WatchMode::named(text).map(Value::Watch),
            (Self::LogFormat, DeValue::String(text)) => {
                LogFormat::named(text).map(Value::LogFormat)
            }
            (
                Self::Path | Self::Time | Self::Age | Self::Flag | Self::Watch | Self::LogFormat,
                _,
            ) => None,
        };
        let fits = read.filter(|value| self.takes(value));
        fits.ok_or_else(|| format!("found {}, {}", found(value), self.advice(value)))
    }

    /// Reads the value of a variable or a flag: the text of a file without the quotes.
    pub(super) fn read_text(self, text: &OsStr) -> Result<Value, String> {
        let has_no_quotes = |value: &DeValue<'_>| value.is_integer() || value.is_bool();
        let bare = |text| DeValue::parse(text).ok().filter(|value| has_no_quotes(value.get_ref()));
        match (self, text.to_str()) {
            (Self::Path, _) if !text.is_empty() => Ok(Value::Path(PathBuf::from(text))),
            (_, None) => Err("not UTF-8".to_owned()),
            (_, Some(text)) => match bare(text) {
                Some(value) => self.read(value.get_ref()),
                None => self.read(&DeValue::String(text.into())),
            },
        }
    }

    /// Whether the value is in the range of this kind.
    fn takes(self, value: &Value) -> bool {
        match value {
            Value::Path(path) => !path.as_os_str().is_empty(),
            Value::Count(number) if self == Self::Jobs => *number <= JOBS_MOST,
            Value::Count(number) | Value::Bytes(number) => (1..=NUMBER_MOST).contains(number),
            Value::Flag(_) | Value::Watch(_) | Value::LogFormat(_) => true,
            Value::Time(time) if self == Self::Age => !time.is_zero() && *time <= AGE_MOST,
            Value::Time(time) => !time.is_zero() && *time <= TIME_MOST,
        }
    }

    /// What to write instead of a wrong value.
    fn advice(self, wrong: &DeValue<'_>) -> String {
        match self {
            Self::Path => "expected a path in quotes".to_owned(),
            Self::Jobs => format!(
                "expected a whole number, at most {JOBS_MOST}; 0 means as many as the machine has"
            ),
            Self::Count => "expected a whole number above 0".to_owned(),
            Self::Bytes => "expected a size above 0: a number of bytes, or a text such as \
                \"256 MiB\" in B, KiB, MiB, GiB or TiB"
                .to_owned(),
            Self::Time if is_bare(wrong) => {
                "say the unit: ms, s, min, h or d, as in \"60s\"".to_owned()
            }
            Self::Age if is_bare(wrong) => {
                "say the unit: ms, s, min, h or d, as in \"90 d\"".to_owned()
            }
            Self::Time => "expected a duration above 0 and of a year at most, such as \"60s\", in \
                ms, s, min, h or d"
                .to_owned(),
            Self::Age => {
                "expected an age above 0 and of 36500 days at most, such as \"90 d\", in ms, s, \
                min, h or d"
                    .to_owned()
            }
            Self::Flag => "expected true or false".to_owned(),
            Self::Watch => {
                format!("expected {}", WatchMode::ALL.map(WatchMode::name).join(", "))
            }
            Self::LogFormat => {
                format!("expected {}", LogFormat::ALL.map(LogFormat::name).join(", "))
            }
        }
    }
}

fn integer(value: &DeValue<'_>) -> Option<u64> {
    let digits = value.as_integer()?;
    u64::from_str_radix(digits.as_str(), digits.radix()).ok()
}

/// Whether it is a number without a unit.
fn is_bare(value: &DeValue<'_>) -> bool {
    value.is_integer() || value.as_str().is_some_and(|text| text.parse::<u64>().is_ok())
}

fn found(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("{text:?}"),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(truth) => truth.to_string(),
        DeValue::Datetime(_) => "a date or time".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a section".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::Kind;

    #[test]
    fn a_value_outside_the_range_of_its_kind_is_refused() {
        for (kind, fine, wrong) in [
            (Kind::Path, &["a", "7"][..], &[""][..]),
            (Kind::Jobs, &["0", "1024", "0x10", "1_000"], &["1025", "-1", "1.5", "many", ""]),
            (Kind::Count, &["1", "9223372036854775807"], &["0", "9223372036854775808", "1 B"]),
            (Kind::Bytes, &["1", "1 B", "8388607 TiB"], &["0", "0 MiB", "8388608 TiB", "1 MB"]),
            (Kind::Flag, &["true", "false"], &["", "True", "1", "yes"]),
            (Kind::Watch, &["auto", "poll"], &["", "Auto", "1", "true"]),
            (Kind::LogFormat, &["auto", "json"], &["", "JSON", "xml"]),
            (Kind::Time, &["1 ms", "365 d"], &["0s", "8761 h", "1", "1 day"]),
            (Kind::Age, &["1 ms", "36500 d"], &["0 d", "36501 d", "1", "1 year"]),
        ] {
            for text in fine {
                assert!(kind.read_text(text.as_ref()).is_ok(), "{text:?}");
            }
            for text in wrong {
                assert!(kind.read_text(text.as_ref()).is_err(), "{text:?}");
            }
        }
    }

    #[test]
    fn a_duration_without_a_unit_is_told_to_say_it() {
        let complaint = Kind::Time.read_text("60".as_ref()).expect_err("no unit");
        assert_eq!(complaint, "found 60, say the unit: ms, s, min, h or d, as in \"60s\"");
    }
}
