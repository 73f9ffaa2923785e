//! Moments: how people write and see them.

use std::sync::OnceLock;

use jiff::civil::{Date, DateTime};
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{SignedDuration, Timestamp};

use super::number::{self, PERIODS};
use crate::domain::TimestampUs;

/// What people may write; part of every message and help text about it.
pub(super) const FORMS: &str =
    "2h, 7d or 3w ago, today, yesterday, 2026-10-25, \"2026-10-25 02:30\" or RFC 3339";

static ZONE: OnceLock<TimeZone> = OnceLock::new();

/// Has moments read and shown in UTC instead of local time, if nobody has read or shown one yet.
pub(super) fn use_utc() {
    let _ = ZONE.set(TimeZone::UTC);
}

/// The zone that moments are read and shown in.
pub(super) fn zone() -> &'static TimeZone {
    ZONE.get_or_init(TimeZone::system)
}

/// Reads a moment.
///
/// A day begins at its first moment. A local time that comes twice is the earlier one, and one that a clock
/// leaves out is the moment at which it does so.
pub(super) fn parse(text: &str, now: Timestamp, zone: &TimeZone) -> Result<TimestampUs, String> {
    let text = text.trim();
    let today = || now.to_zoned_datetime(zone.clone()).date();
    let moment = match text {
        "today" => first_of(today(), zone),
        "yesterday" => today().yesterday().ok().and_then(|day| first_of(day, zone)),
        _ if text.starts_with(|c: char| c.is_ascii_digit()) => written(text, now, zone),
        _ => None,
    };
    let moment = moment.ok_or_else(|| format!("expected a moment: {FORMS}"))?;
    Ok(TimestampUs(moment.as_microsecond()))
}

/// A moment that begins with a digit.
fn written(text: &str, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    if let Ok(ago_us) = number::parse(text, &PERIODS) {
        return now.checked_sub(SignedDuration::from_micros(ago_us)).ok();
    }
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Some(moment);
    }
    // What else a library may accept, such as the name of a zone, would be ignored.
    let is_local = |c: char| c.is_ascii_digit() || matches!(c, '-' | ':' | '.' | ' ' | 'T');
    if !text.chars().all(is_local) {
        return None;
    }
    match text.parse::<Date>() {
        Ok(day) if text.len() <= "2026-10-25".len() => first_of(day, zone),
        _ => local(text.parse().ok()?, zone),
    }
}

fn first_of(day: Date, zone: &TimeZone) -> Option<Timestamp> {
    local(day.at(0, 0, 0, 0), zone)
}

/// The moment of a local time.
fn local(time: DateTime, zone: &TimeZone) -> Option<Timestamp> {
    match zone.to_ambiguous_timestamp(time).offset() {
        AmbiguousOffset::Unambiguous { offset } => offset.to_timestamp(time).ok(),
        AmbiguousOffset::Fold { before, .. } => before.to_timestamp(time).ok(),
        AmbiguousOffset::Gap { after, .. } => {
            let earlier = after.to_timestamp(time).ok()?;
            zone.following(earlier).next().map(|transition| transition.timestamp())
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use jiff::tz::TimeZone;

    use super::parse;
    use crate::domain::TimestampUs;

    // The rules of 2026, so that no machine needs a database of zones.
    const BERLIN: &str = "CET-1CEST,M3.5.0,M10.5.0/3";
    const CHATHAM: &str = "<+1245>-12:45<+1345>,M9.5.0/2:45,M4.1.0/3:45";
    const NEW_YORK: &str = "EST5EDT,M3.2.0,M11.1.0";
    /// Its clocks are put on at midnight.
    const BEIRUT: &str = "EET-2EEST,M3.5.0/0,M10.5.0/0";
    const UTC: &str = "UTC0";

    fn moment(text: &str) -> TimestampUs {
        TimestampUs(text.parse::<Timestamp>().expect("a moment").as_microsecond())
    }

    fn read(text: &str, zone: &str) -> Result<TimestampUs, String> {
        let now = "2026-11-01T00:30:00Z".parse().expect("a moment");
        parse(text, now, &TimeZone::posix(zone).expect("a zone"))
    }

    #[test]
    fn local_times_are_by_the_rules_of_their_own_day() {
        for (zone, text, utc) in [
            (BERLIN, "2026-01-15 12:00", "2026-01-15T11:00:00Z"),
            (BERLIN, "2026-07-15T12:00:30", "2026-07-15T10:00:30Z"),
            (BERLIN, "2026-07-15", "2026-07-14T22:00:00Z"),
            (CHATHAM, "2026-07-15 12:00", "2026-07-14T23:15:00Z"),
            (CHATHAM, "2026-01-15 12:00", "2026-01-14T22:15:00Z"),
            (NEW_YORK, "2026-01-15 12:00:00.25", "2026-01-15T17:00:00.25Z"),
            (NEW_YORK, "2026-07-15", "2026-07-15T04:00:00Z"),
            (UTC, "2026-10-25 02:30", "2026-10-25T02:30:00Z"),
        ] {
            assert_eq!(read(text, zone), Ok(moment(utc)), "{text} in {zone}");
        }
    }

    #[test]
    fn a_local_time_that_comes_twice_is_the_earlier_one() {
        for (zone, text, utc) in [
            (BERLIN, "2026-10-25 02:30", "2026-10-25T00:30:00Z"),
            (CHATHAM, "2026-04-05 03:00", "2026-04-04T13:15:00Z"),
            (NEW_YORK, "2026-11-01 01:59:59", "2026-11-01T05:59:59Z"),
        ] {
            assert_eq!(read(text, zone), Ok(moment(utc)), "{text} in {zone}");
        }
    }

    #[test]
    fn a_local_time_that_is_left_out_is_the_moment_of_the_change() {
        for (zone, text, utc) in [
            (BERLIN, "2026-03-29 02:30", "2026-03-29T01:00:00Z"),
            (BERLIN, "2026-03-29 02:00", "2026-03-29T01:00:00Z"),
            (CHATHAM, "2026-09-27 03:44", "2026-09-26T14:00:00Z"),
            (NEW_YORK, "2026-03-08 02:01", "2026-03-08T07:00:00Z"),
            (BEIRUT, "2026-03-29", "2026-03-28T22:00:00Z"),
        ] {
            assert_eq!(read(text, zone), Ok(moment(utc)), "{text} in {zone}");
        }
    }

    #[test]
    fn days_are_those_of_the_zone_and_durations_are_exact() {
        for (zone, text, utc) in [
            (UTC, "today", "2026-11-01T00:00:00Z"),
            (NEW_YORK, "today", "2026-10-31T04:00:00Z"),
            (CHATHAM, "yesterday", "2026-10-30T10:15:00Z"),
            (BERLIN, "7d", "2026-10-25T00:30:00Z"),
            (BERLIN, "3w", "2026-10-11T00:30:00Z"),
            (BERLIN, "1.5h", "2026-10-31T23:00:00Z"),
            (BERLIN, "30min", "2026-11-01T00:00:00Z"),
            (CHATHAM, "2026-10-25T02:30:00+01:00", "2026-10-25T01:30:00Z"),
            (CHATHAM, "2026-10-25T02:30:00Z", "2026-10-25T02:30:00Z"),
        ] {
            assert_eq!(read(text, zone), Ok(moment(utc)), "{text} in {zone}");
        }
    }

    #[test]
    fn anything_else_is_no_moment() {
        for text in [
            "",
            "tomorrow",
            "2",
            "2026",
            "2026-13-01",
            "2026-10-25 25:00",
            "2026-10-25 02:30[Asia/Tokyo]",
            "99999999999999w",
            "-2h",
            "2026-10-25x",
        ] {
            let error = read(text, BERLIN).expect_err(text);
            assert!(error.contains("RFC 3339"), "{error}");
        }
    }
}
