//! Many lines of one class become one line with a count.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use tracing::Level;

use super::line::Line;

/// There is one line of a class in such a time.
pub(super) const EVERY: Duration = Duration::from_secs(10);

/// What was said of each class lately.
#[derive(Debug, Default)]
pub(super) struct Repeats(BTreeMap<Cow<'static, str>, Spell>);

/// The time after a line, in which others like it wait.
#[derive(Debug)]
struct Spell {
    since: Instant,
    /// The last one of those that wait.
    last: Option<Line>,
    /// How many wait besides it.
    more: u64,
}

impl Repeats {
    /// The line, if none like it was written lately; else it waits. What was asked for, one by one, does not.
    pub(super) fn pass(&mut self, line: Line, now: Instant) -> Option<Line> {
        if line.is_told || line.level > Level::INFO {
            return Some(line);
        }
        match self.0.get_mut(&line.class) {
            Some(spell) => {
                spell.more += u64::from(spell.last.is_some());
                spell.last = Some(line);
                None
            }
            None => {
                self.0.insert(line.class.clone(), Spell { since: now, last: None, more: 0 });
                Some(line)
            }
        }
    }

    /// The lines whose wait is over: of each class the last one, with the number of the others.
    pub(super) fn due(&mut self, now: Instant) -> Vec<Line> {
        let mut lines = Vec::new();
        self.0.retain(|_, spell| {
            if now.duration_since(spell.since) < EVERY {
                return true;
            }
            let waited = spell.last.take();
            let repeated = std::mem::take(&mut spell.more);
            spell.since = now;
            let is_on = waited.is_some();
            lines.extend(waited.map(|line| Line { repeated, ..line }));
            is_on
        });
        lines
    }

    /// When there is something to be done next.
    pub(super) fn next(&self) -> Option<Instant> {
        self.0.values().map(|spell| spell.since + EVERY).min()
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use tracing::Level;

    use super::{EVERY, Line, Repeats};

    fn line(class: &'static str, message: &str) -> Line {
        Line { class: class.into(), ..Line::new(Level::WARN, message.to_owned()) }
    }

    fn said(lines: &[Line]) -> Vec<(&str, u64)> {
        lines.iter().map(|line| (line.message.as_str(), line.repeated)).collect()
    }

    #[test]
    fn there_is_one_line_of_a_class_in_each_interval_and_none_is_forgotten() {
        let (mut repeats, begun) = (Repeats::default(), Instant::now());
        assert!(repeats.pass(line("a", "1"), begun).is_some());
        assert!(repeats.pass(line("b", "other"), begun).is_some());
        for message in ["2", "3", "4"] {
            assert!(repeats.pass(line("a", message), begun).is_none());
        }
        assert_eq!(said(&repeats.due(begun + EVERY / 2)), []);
        assert_eq!(repeats.next(), Some(begun + EVERY));
        let then = begun + EVERY;
        assert_eq!(said(&repeats.due(then)), [("4", 2)]);
        assert!(repeats.pass(line("a", "5"), then + Duration::from_secs(1)).is_none());
        assert!(repeats.pass(line("b", "other"), then).is_some());
        assert_eq!(said(&repeats.due(then + EVERY)), [("5", 0)]);
        assert_eq!(said(&repeats.due(then + EVERY * 2)), []);
        assert!(repeats.pass(line("a", "6"), then + EVERY * 2).is_some());
    }

    #[test]
    fn what_was_asked_for_is_said_each_time() {
        let (mut repeats, now) = (Repeats::default(), Instant::now());
        for _ in 0..3 {
            let debug = Line { level: Level::DEBUG, ..line("a", "x") };
            assert!(repeats.pass(debug, now).is_some());
            assert!(repeats.pass(Line { is_told: true, ..line("b", "x") }, now).is_some());
        }
    }
}
