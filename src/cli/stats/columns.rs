//! Rows of facts in every form.

use std::io;

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::cli::render::{self, RowFormat};
use crate::cli::{CliError, Out, csv, json as forms};
use crate::domain::Verdict;

/// A fact as people see it, in CSV, and in JSON.
#[derive(Debug, Clone)]
pub(super) struct Fact {
    shown: String,
    plain: String,
    json: Value,
}

/// A column: its heading, its name in CSV and JSON, and the object that has it in JSON, if one does.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub(super) heading: String,
    pub(super) key: &'static str,
    pub(super) within: Option<&'static str>,
    pub(super) is_number: bool,
    /// The order in which columns are left out of a table that is too wide; 0: never.
    pub(super) spare: u8,
}

impl Fact {
    fn new(shown: String, plain: String, json: Value) -> Self {
        Self { shown, plain, json }
    }

    pub(super) fn none() -> Self {
        Self::new("-".to_owned(), String::new(), Value::Null)
    }

    pub(super) fn text(text: &str) -> Self {
        Self::new(render::printable(text.as_bytes()), text.to_owned(), text.into())
    }

    /// A text that may not be there.
    pub(super) fn maybe(text: Option<&str>) -> Self {
        text.map_or_else(Self::none, Self::text)
    }

    pub(super) fn verdict(verdict: Verdict) -> Self {
        Self { shown: render::verdict(verdict), ..Self::text(verdict.name()) }
    }

    pub(super) fn count(number: u64) -> Self {
        Self::new(render::count(number), number.to_string(), number.into())
    }

    pub(super) fn number(number: i64) -> Self {
        let sign = if number < 0 { "-" } else { "" };
        let shown = format!("{sign}{}", render::count(number.unsigned_abs()));
        Self::new(shown, number.to_string(), number.into())
    }

    pub(super) fn flag(flag: bool) -> Self {
        Self::new(if flag { "yes" } else { "-" }.to_owned(), flag.to_string(), flag.into())
    }

    /// A number with a fraction.
    pub(super) fn real(number: f64) -> Self {
        let shown = if number.abs() < 100.0 {
            format!("{number:.2}")
        } else if number.abs() < 1e4 {
            format!("{number:.1}")
        } else {
            format!("{number:.0}")
        };
        Self::new(shown, number.to_string(), json!(number))
    }

    /// How long, in microseconds.
    pub(super) fn took(micros: f64) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "three digits are shown")]
        let shown = render::duration(micros.round() as i64);
        let seconds = micros / 1e6;
        Self::new(shown, seconds.to_string(), json!(seconds))
    }

    /// A part of a whole; `None` if that is nothing.
    pub(super) fn share(part: u64, whole: u64) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a share has no more digits")]
        let share = (whole > 0).then(|| part as f64 / whole as f64);
        share.map_or_else(Self::none, Self::fraction)
    }

    /// A share that is known.
    pub(super) fn fraction(share: f64) -> Self {
        Self::new(format!("{:.1} %", share * 100.0), share.to_string(), json!(share))
    }

    /// A value that was rounded.
    pub(super) fn about(mut self, rounded: bool) -> Self {
        if rounded {
            self.shown.insert(0, '~');
        }
        self
    }

    pub(super) fn shown(&self) -> &str {
        &self.shown
    }
}

impl Serialize for Fact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json.serialize(serializer)
    }
}

impl Column {
    /// A column of text.
    pub(super) fn text(heading: &str, key: &'static str) -> Self {
        Self { heading: heading.to_owned(), key, within: None, is_number: false, spare: 0 }
    }

    /// A column of numbers.
    pub(super) fn number(heading: &str, key: &'static str) -> Self {
        Self { is_number: true, ..Self::text(heading, key) }
    }

    /// A count of cases with a verdict.
    pub(super) fn verdict(verdict: Verdict) -> Self {
        let name = verdict.name();
        Self { within: Some("verdicts"), ..Self::number(name, name) }
    }

    /// One that a narrow terminal may do without.
    pub(super) fn spare(self, order: u8) -> Self {
        Self { spare: order, ..self }
    }
}

/// Rows with their columns.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Vec<Fact>>,
}

impl Rows {
    pub(super) fn print(&self, format: RowFormat, out: &mut Out) -> Result<(), CliError> {
        match format {
            RowFormat::Table => Ok(self.table(out)?),
            RowFormat::Csv => Ok(self.csv(out)?),
            RowFormat::Json => Ok(render::json_line(out, &self.objects().collect::<Vec<_>>())?),
            RowFormat::Jsonl => {
                Ok(self.objects().try_for_each(|object| render::json_line(out, &object))?)
            }
        }
    }

    fn csv(&self, out: &mut Out) -> io::Result<()> {
        csv::row(out, &self.columns.iter().map(|column| column.key).collect::<Vec<_>>())?;
        self.rows.iter().try_for_each(|row| {
            csv::row(out, &row.iter().map(|fact| fact.plain.as_str()).collect::<Vec<_>>())
        })
    }

    fn objects(&self) -> impl Iterator<Item = Object<'_>> {
        self.rows.iter().map(|row| Object { columns: &self.columns, row })
    }

    /// As a table, without columns that can be spared if there is no room for all.
    fn table(&self, out: &mut Out) -> io::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let mut spared = 0;
        loop {
            let kept = |column: &Column| column.spare == 0 || column.spare > spared;
            let mut table = self.table_of(kept);
            let is_wide = render::columns().is_some_and(|columns| table.width() > columns);
            if is_wide && self.columns.iter().any(|column| column.spare > spared) {
                spared += 1;
                continue;
            }
            return table.print(out);
        }
    }

    fn table_of(&self, kept: impl Fn(&Column) -> bool) -> crate::cli::table::Table {
        let columns: Vec<_> = self.columns.iter().map(&kept).collect();
        let header: Vec<&str> =
            self.columns.iter().filter(|c| kept(c)).map(|column| column.heading.as_str()).collect();
        let is_number = self.columns.iter().filter(|c| kept(c)).enumerate();
        let numbers: Vec<usize> =
            is_number.filter(|(_, column)| column.is_number).map(|(at, _)| at).collect();
        let mut table = render::table(&header, &numbers);
        for row in &self.rows {
            let facts = row.iter().zip(&columns).filter(|(_, kept)| **kept);
            table.add_row(facts.map(|(fact, _)| fact.shown()));
        }
        table
    }
}

/// A row as a JSON object.
struct Object<'a> {
    columns: &'a [Column],
    row: &'a [Fact],
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = vec![("schema", Field::Value(json!(forms::SCHEMA)))];
        for (column, fact) in self.columns.iter().zip(self.row) {
            let Some(within) = column.within else {
                fields.push((column.key, Field::Fact(fact)));
                continue;
            };
            if fields.last().is_none_or(|(name, _)| *name != within) {
                fields.push((within, Field::Object(Vec::new())));
            }
            if let Some((_, Field::Object(inner))) = fields.last_mut() {
                inner.push((column.key, fact));
            }
        }
        serializer.collect_map(fields)
    }
}

/// What a field of an object is.
enum Field<'a> {
    Value(Value),
    Fact(&'a Fact),
    Object(Vec<(&'static str, &'a Fact)>),
}

impl Serialize for Field<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Value(value) => value.serialize(serializer),
            Self::Fact(fact) => fact.serialize(serializer),
            Self::Object(fields) => {
                serializer.collect_map(fields.iter().map(|(name, fact)| (name, fact)))
            }
        }
    }
}
