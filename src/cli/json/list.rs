//! Lists of any length.

use std::io::{self, Write};

use serde::Serialize;

/// An array that is written as its items come.
#[derive(Debug)]
pub(in crate::cli) struct List {
    /// What stands before the next item.
    before: &'static str,
    end: &'static str,
}

impl List {
    pub(in crate::cli) const fn new() -> Self {
        Self { before: "[", end: "]\n" }
    }

    /// Makes it the last field of an object that has the fields of `head`.
    pub(in crate::cli) fn begin_in(
        &mut self,
        out: &mut impl Write,
        head: &impl Serialize,
        field: &str,
    ) -> io::Result<()> {
        let head = serde_json::to_string(head)?;
        self.end = "]}\n";
        write!(out, "{},\"{field}\":", head.strip_suffix('}').unwrap_or_default())
    }

    pub(in crate::cli) fn push(
        &mut self,
        out: &mut impl Write,
        item: &impl Serialize,
    ) -> io::Result<()> {
        out.write_all(self.before.as_bytes())?;
        self.before = ",\n";
        Ok(serde_json::to_writer(out, item)?)
    }

    pub(in crate::cli) fn end(self, out: &mut impl Write) -> io::Result<()> {
        let begin = if self.before == "[" { "[" } else { "" };
        write!(out, "{begin}{}", self.end)
    }
}
