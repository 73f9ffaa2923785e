//! One line, in each form.

use std::borrow::Cow;

use anstyle::{AnsiColor, Style};
use serde::Serialize;
use tracing::Level;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};

use super::Form;
use crate::domain::printable;

/// A field of the journal is cut there; it would cut it itself.
const FIELD_MOST: usize = 48 << 10;

/// What is said of something that happened.
#[derive(Debug, Clone)]
pub(super) struct Line {
    /// When, as text.
    pub(super) at: String,
    pub(super) level: Level,
    /// Whether it is said to whoever started the program.
    pub(super) is_told: bool,
    /// What lines are like it.
    pub(super) class: Cow<'static, str>,
    pub(super) run: Option<String>,
    pub(super) case: Option<String>,
    pub(super) message: String,
    /// How many more like it there were.
    pub(super) repeated: u64,
}

/// A line for programs.
#[derive(Serialize)]
struct Object<'a> {
    schema: u32,
    at: &'a str,
    level: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    case: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repeated: Option<u64>,
}

impl Line {
    /// A line about nothing else, of now.
    pub(super) fn new(level: Level, message: String) -> Self {
        let mut at = String::new();
        let _ = SystemTime.format_time(&mut Writer::new(&mut at));
        let (is_told, class) = (false, Cow::Borrowed(""));
        Self { at, level, is_told, class, run: None, case: None, message, repeated: 0 }
    }

    /// As a command writes it: what is told to whoever typed it needs no time.
    pub(super) fn directly(&self, form: Form) -> Vec<u8> {
        match form {
            Form::Text { .. } if self.is_told && self.level == Level::ERROR => {
                format!("error: {}\n", printable(self.message.as_bytes())).into_bytes()
            }
            Form::Text { .. } if self.is_told => {
                format!("{}\n", printable(self.message.as_bytes())).into_bytes()
            }
            form => self.write(form),
        }
    }

    /// As the daemon writes it.
    pub(super) fn write(&self, form: Form) -> Vec<u8> {
        match form {
            Form::Text { color } => self.text(color).into_bytes(),
            Form::Json => self.json(),
            Form::Journal => self.journal(),
        }
    }

    fn text(&self, color: bool) -> String {
        let style = if color { style(self.level) } else { Style::new() };
        let about = match (&self.run, &self.case) {
            (_, Some(case)) => format!("case {case}: "),
            (Some(run), None) => format!("run {run}: "),
            (None, None) => String::new(),
        };
        let level = format_args!("{style}{:>5}{style:#}", self.level);
        format!("{} {level} {}{}\n", self.at, about, printable(self.sentence().as_bytes()))
    }

    fn json(&self) -> Vec<u8> {
        let object = Object {
            schema: 1,
            at: &self.at,
            level: name(self.level),
            message: &self.message,
            run: self.run.as_deref().and_then(|run| run.parse().ok()),
            case: self.case.as_deref(),
            repeated: (self.repeated > 0).then_some(self.repeated),
        };
        let mut bytes = serde_json::to_vec(&object).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    /// The journal's own protocol: a field a line, or with its length before it if it has several lines.
    fn journal(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        field(&mut bytes, "MESSAGE", &self.sentence());
        field(&mut bytes, "PRIORITY", priority(self.level));
        field(&mut bytes, "SYSLOG_IDENTIFIER", "simdrop");
        let fields = [("SIMDROP_RUN", &self.run), ("SIMDROP_CASE", &self.case)];
        for (name, value) in fields {
            value.iter().for_each(|value| field(&mut bytes, name, value));
        }
        bytes
    }

    /// The message, with how many more like it there were.
    fn sentence(&self) -> Cow<'_, str> {
        match self.repeated {
            0 => Cow::Borrowed(&self.message),
            more => Cow::Owned(format!("{} (and {more} more like it)", self.message)),
        }
    }
}

fn field(bytes: &mut Vec<u8>, name: &str, value: &str) {
    let is_end = |&end: &usize| value.is_char_boundary(end);
    let end = (0..=FIELD_MOST.min(value.len())).rev().find(is_end).unwrap_or(0);
    let value = &value[..end];
    bytes.extend_from_slice(name.as_bytes());
    if value.contains('\n') {
        bytes.push(b'\n');
        bytes.extend_from_slice(&(value.len() as u64).to_le_bytes());
    } else {
        bytes.push(b'=');
    }
    bytes.extend_from_slice(value.as_bytes());
    bytes.push(b'\n');
}

const fn priority(level: Level) -> &'static str {
    match level {
        Level::ERROR => "3",
        Level::WARN => "4",
        Level::INFO => "6",
        _ => "7",
    }
}

const fn name(level: Level) -> &'static str {
    match level {
        Level::ERROR => "error",
        Level::WARN => "warning",
        Level::INFO => "info",
        _ => "debug",
    }
}

const fn style(level: Level) -> Style {
    match level {
        Level::ERROR => AnsiColor::Red.on_default(),
        Level::WARN => AnsiColor::Yellow.on_default(),
        Level::INFO => AnsiColor::Green.on_default(),
        _ => AnsiColor::Blue.on_default(),
    }
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::{FIELD_MOST, Form, Line};

    fn line() -> Line {
        let line = Line::new(Level::WARN, "two\nlines".to_owned());
        let (run, case) = (Some("12".to_owned()), Some("12/7".to_owned()));
        Line { at: "then".to_owned(), run, case, repeated: 3, ..line }
    }

    fn text(bytes: Vec<u8>) -> String {
        String::from_utf8(bytes).expect("text")
    }

    #[test]
    fn each_form_says_the_same() {
        let plain = text(line().write(Form::Text { color: false }));
        assert_eq!(plain, "then  WARN case 12/7: two\\nlines (and 3 more like it)\n");
        let color = text(line().write(Form::Text { color: true }));
        assert!(color.contains("\x1b[33m WARN\x1b[0m case"), "{color:?}");
        let json = text(line().write(Form::Json));
        let object = "{\"schema\":1,\"at\":\"then\",\"level\":\"warning\",\"message\":\"two\\nlines\",\
                      \"run\":12,\"case\":\"12/7\",\"repeated\":3}\n";
        assert_eq!(json, object);
        let message = "two\nlines (and 3 more like it)";
        let length = [u8::try_from(message.len()).expect("few"), 0, 0, 0, 0, 0, 0, 0];
        let length = text(length.to_vec());
        let rest = "PRIORITY=4\nSYSLOG_IDENTIFIER=simdrop\nSIMDROP_RUN=12\nSIMDROP_CASE=12/7\n";
        let fields = format!("MESSAGE\n{length}{message}\n{rest}");
        assert_eq!(text(line().write(Form::Journal)), fields);
    }

    #[test]
    fn whoever_typed_a_command_is_told_without_a_time_unless_it_is_a_program() {
        let told = Line { is_told: true, repeated: 0, ..line() };
        let form = Form::Text { color: false };
        assert_eq!(text(told.directly(form)), "two\\nlines\n");
        let error = Line { level: Level::ERROR, ..told.clone() };
        assert_eq!(text(error.directly(form)), "error: two\\nlines\n");
        assert!(text(told.directly(Form::Json)).starts_with("{\"schema\":1"));
    }

    #[test]
    fn what_is_too_long_for_the_journal_is_cut_between_two_characters() {
        let long = Line::new(Level::INFO, "é".repeat(FIELD_MOST));
        assert!(text(long.write(Form::Journal)).len() < FIELD_MOST + 100);
    }
}
