//! Numbers: how people write them.

/// Names of units, and how many of the smallest one each is.
pub(super) type Units = [(&'static str, i64)];

/// A plain number, or thousands of them.
pub(super) const COUNTS: [(&str, i64); 4] =
    [("", 1), ("k", 1_000), ("M", 1_000_000), ("G", 1_000_000_000)];

/// Bytes.
pub(super) const BYTES: [(&str, i64); 8] = [
    ("", 1),
    ("B", 1),
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
];

/// How long something takes, in microseconds.
pub(super) const DURATIONS: [(&str, i64); 7] = [
    ("us", 1),
    ("µs", 1),
    ("ms", 1_000),
    ("s", 1_000_000),
    ("min", 60_000_000),
    ("m", 60_000_000),
    ("h", 3_600_000_000),
];

/// How long ago something was, in microseconds; a day is 24 hours.
pub(super) const PERIODS: [(&str, i64); 6] = [
    ("s", 1_000_000),
    ("min", 60_000_000),
    ("m", 60_000_000),
    ("h", 3_600_000_000),
    ("d", 86_400_000_000),
    ("w", 604_800_000_000),
];

/// Reads a number such as `1000`, `1,000`, `-3`, `1.5ms` or `2 MiB`, exactly.
pub(super) fn parse(text: &str, units: &Units) -> Result<i64, String> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let is_of_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '_');
    let end = digits.find(|c| !is_of_number(c)).unwrap_or(digits.len());
    let (number, unit) = (&digits[..end], digits[end..].trim_start());
    let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
    let Some(whole) = thousands(whole).filter(|_| is_digits(part)) else {
        return Err("expected a number".to_owned());
    };
    let Some(&(_, scale)) = units.iter().find(|(name, _)| *name == unit) else {
        return Err(wrong_unit(unit, units));
    };
    let value = scaled(&whole, part, scale).ok_or("too large or too fine a number")?;
    Ok(sign * value)
}

/// Digits, which may be in groups.
fn thousands(text: &str) -> Option<String> {
    let is_well = text.split([',', '_']).all(is_digits);
    is_well.then(|| text.replace([',', '_'], ""))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// `whole.part` times `scale`; `None` if that is no integer of 63 bits.
fn scaled(whole: &str, part: &str, scale: i64) -> Option<i64> {
    let part = part.trim_end_matches('0');
    let digits: i128 = format!("{whole}{part}").parse().ok()?;
    let divisor = 10_i128.checked_pow(u32::try_from(part.len()).ok()?)?;
    let value = digits.checked_mul(i128::from(scale))?;
    (value % divisor == 0).then(|| i64::try_from(value / divisor).ok()).flatten()
}

fn wrong_unit(unit: &str, units: &Units) -> String {
    let names: Vec<&str> =
        units.iter().map(|(name, _)| *name).filter(|name| !name.is_empty()).collect();
    let names = names.join(", ");
    match unit {
        "" => format!("a number needs a unit: {names}"),
        _ => format!("unknown unit {unit:?}; known: {names}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{BYTES, COUNTS, DURATIONS, parse};

    #[test]
    fn numbers_have_units_and_thousands_and_are_exact() {
        assert_eq!(parse("1,000", &COUNTS), Ok(1_000));
        assert_eq!(parse("10k", &COUNTS), Ok(10_000));
        assert_eq!(parse("-3", &COUNTS), Ok(-3));
        assert_eq!(parse("1.5ms", &DURATIONS), Ok(1_500));
        assert_eq!(parse("2.000 s", &DURATIONS), Ok(2_000_000));
        assert_eq!(parse("3min", &DURATIONS), Ok(180_000_000));
        assert_eq!(parse("0.1us", &DURATIONS).ok(), None);
        assert_eq!(parse("1MiB", &BYTES), Ok(1 << 20));
        assert_eq!(parse("9223372036854775807", &COUNTS), Ok(i64::MAX));
    }

    #[test]
    fn what_is_wrong_with_a_number_is_said() {
        for (text, message) in [
            ("", "expected a number"),
            ("x", "expected a number"),
            (".5s", "expected a number"),
            ("1.s", "expected a number"),
            ("1,,0s", "expected a number"),
            ("2", "a number needs a unit: us, µs, ms, s, min, m, h"),
            ("2 sec", "unknown unit \"sec\"; known: us, µs, ms, s, min, m, h"),
            ("9223372036854775808us", "too large or too fine a number"),
            ("99999999999999999999999999999999999999999h", "too large or too fine a number"),
        ] {
            assert_eq!(parse(text, &DURATIONS), Err(message.to_owned()), "{text}");
        }
    }
}
