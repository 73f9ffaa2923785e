//! Checks of what people type.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::reference::Reference;
use super::{query, when};

/// A moment in summer, in a zone that has winters.
fn around() -> (Timestamp, TimeZone) {
    let now = Timestamp::from_second(1_750_000_000).expect("a moment");
    (now, TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").expect("a zone"))
}

/// A query means the same with blanks around it; what is wrong with one has a place in it.
pub(crate) fn query(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (now, zone) = around();
    match query::parse(text, now, &zone) {
        Ok(read) => assert!(query::parse(&format!(" {text} "), now, &zone) == Ok(read), "{text:?}"),
        Err(error) => {
            let [_, pointer] = error.lines();
            assert!(pointer.ends_with('^') && error.to_string().starts_with("column "));
        }
    }
}

/// A moment that is read is the one that its own form says; a reference by numbers is read by its parts.
pub(crate) fn words(bytes: &[u8]) {
    let text = OsStr::from_bytes(bytes);
    let reference = Reference::parse(text);
    let Some(text) = text.to_str() else { return };
    if let Some((run, rank, game)) = Reference::numbers(text) {
        let case = rank.map(|rank| format!("/{rank}")).unwrap_or_default();
        let game = game.map(|game| format!("#{game}")).unwrap_or_default();
        let again = Reference::numbers(&format!("{run}{case}{game}"));
        assert!(reference.is_ok() && again == Reference::numbers(text), "{text:?}");
    }
    let (now, zone) = around();
    if let Ok(moment) = when::parse(text, now, &zone) {
        let written = Timestamp::from_microsecond(moment.0).expect("a moment").to_string();
        if written.starts_with('-') {
            // So long ago that RFC 3339 has no form for it.
            return;
        }
        assert_eq!(when::parse(&written, now, &zone), Ok(moment), "{text:?} is {written}");
    }
}
