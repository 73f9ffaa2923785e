//! People and cases: what `simdrop check` prints.

use std::io::{self, Write};

use serde::{Serialize, Serializer};

use super::render::{self, printable};
use super::table::Table;
use super::{csv, json};
use crate::domain::Verdict;
use crate::service::Checked;

/// With more cases a row says less of each.
const CASES_MOST: usize = 40;

/// How many cases are named where there is no column for each.
const NAMED: usize = 10;

/// Verdicts by person and case.
pub(super) struct Matrix<'a> {
    cases: &'a [Vec<u8>],
    people: &'a [Checked],
}

/// A person's row as JSON.
#[derive(Debug, Serialize)]
pub(super) struct Row<'a> {
    schema: u32,
    person: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    person_b64: Option<String>,
    run: Option<i64>,
    verdicts: Verdicts<'a>,
}

/// The verdicts by case, in the order of the cases.
#[derive(Debug)]
struct Verdicts<'a>(&'a [Vec<u8>], &'a [Option<Verdict>]);

impl Serialize for Verdicts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|name| json::lossy(name)).zip(self.1))
    }
}

impl<'a> Matrix<'a> {
    pub(super) const fn new(cases: &'a [Vec<u8>], people: &'a [Checked]) -> Self {
        Self { cases, people }
    }

    pub(super) fn is_all_right(&self) -> bool {
        self.people.iter().all(|person| person.right() == self.cases.len())
    }

    /// As JSON, row by row.
    pub(super) fn rows(&self) -> impl Iterator<Item = Row<'a>> {
        self.people.iter().map(|person| Row {
            schema: json::SCHEMA,
            person: json::lossy(&person.person),
            person_b64: json::base64(&person.person),
            run: person.run.map(|run| run.0),
            verdicts: Verdicts(self.cases, &person.verdicts),
        })
    }

    /// As CSV: a line for each person and case, without a verdict where there is no file.
    pub(super) fn csv(&self, out: &mut impl Write) -> io::Result<()> {
        csv::row(out, &["person", "run", "case", "verdict"])?;
        for person in self.people {
            let name = json::lossy(&person.person);
            let run = person.run.map(|run| run.to_string()).unwrap_or_default();
            for (case, verdict) in self.cases.iter().zip(&person.verdicts) {
                let verdict = verdict.map_or("", Verdict::name);
                csv::row(out, &[&name, &run, &json::lossy(case), verdict])?;
            }
        }
        Ok(())
    }

    /// For people, on a terminal of so many columns.
    pub(super) fn table(&self, out: &mut impl Write, columns: Option<usize>) -> io::Result<()> {
        let names: Vec<String> = self.cases.iter().map(|name| printable(name)).collect();
        let middle = names.iter().map(String::as_str);
        let header: Vec<&str> = ["PERSON", "RUN"].into_iter().chain(middle).chain(["AC"]).collect();
        let mut table = Table::new(&header, &[1], None);
        for person in self.people {
            let verdicts = person.verdicts.iter().map(|verdict| coloured(*verdict));
            let [name, run] = first_cells(person);
            let right = self.right(person);
            table.add_row([name, run].into_iter().chain(verdicts).chain([right]));
        }
        if names.len() > CASES_MOST || columns.is_some_and(|columns| table.width() > columns) {
            return self.short_table(out, &names);
        }
        table.print(out)
    }

    /// A row says how many cases have which verdict, and which are not right.
    fn short_table(&self, out: &mut impl Write, names: &[String]) -> io::Result<()> {
        let mut table = render::table(&["PERSON", "RUN", "AC", "OTHERS", "CASES"], &[1]);
        for person in self.people {
            let [name, run] = first_cells(person);
            let [others, cases] = [others(person), not_right(person, names)];
            table.add_row([name, run, self.right(person), others, cases]);
        }
        table.print(out)
    }

    fn right(&self, person: &Checked) -> String {
        format!("{}/{}", person.right(), self.cases.len())
    }
}

fn coloured(verdict: Option<Verdict>) -> String {
    verdict.map_or_else(|| "-".to_owned(), render::verdict)
}

fn word(verdict: Option<Verdict>) -> &'static str {
    verdict.map_or("-", Verdict::name)
}

fn first_cells(person: &Checked) -> [String; 2] {
    let run = person.run.map_or_else(|| "-".to_owned(), |run| run.to_string());
    [printable(&person.person), run]
}

/// How many cases have each verdict but AC: `1 WA, 2 missing`.
fn others(person: &Checked) -> String {
    let count = |wanted| person.verdicts.iter().filter(|verdict| **verdict == wanted).count();
    let wrong = Verdict::ALL.into_iter().filter(|verdict| *verdict != Verdict::Ac);
    let each = wrong.map(|verdict| (count(Some(verdict)), verdict.name()));
    let each = each.chain([(count(None), "missing")]).filter(|(count, _)| *count > 0);
    let parts: Vec<_> = each.map(|(count, name)| format!("{count} {name}")).collect();
    parts.join(", ")
}

/// The first cases that are not right: `7 WA, 12 -`.
fn not_right(person: &Checked, names: &[String]) -> String {
    let cases = names.iter().zip(&person.verdicts);
    let mut wrong = cases.filter(|(_, verdict)| **verdict != Some(Verdict::Ac));
    let part = |(name, verdict): (&String, &Option<Verdict>)| format!("{name} {}", word(*verdict));
    let mut parts: Vec<String> = wrong.by_ref().take(NAMED).map(part).collect();
    if wrong.next().is_some() {
        parts.push("...".to_owned());
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::Matrix;
    use crate::domain::{RunId, Verdict};
    use crate::service::Checked;

    fn table(columns: Option<usize>) -> String {
        let cases = [b"1".to_vec(), b"long name".to_vec()];
        let wrong = vec![Some(Verdict::Ac), Some(Verdict::Wa)];
        let eve = Checked { person: "你好".into(), run: Some(RunId(7)), verdicts: wrong };
        let bob = Checked { person: b"bob".to_vec(), run: None, verdicts: vec![None; 2] };
        let mut out = Vec::new();
        Matrix::new(&cases, &[eve, bob]).table(&mut out, columns).expect("room");
        anstream::adapter::strip_str(&String::from_utf8(out).expect("UTF-8")).to_string()
    }

    #[test]
    fn a_table_that_is_wider_than_the_terminal_names_the_cases_in_its_rows() {
        let wide = "PERSON  RUN  1   long name  AC\n\
                    你好      7  AC  WA         1/2\n\
                    bob       -  -   -          0/2\n";
        let narrow = "PERSON  RUN  AC   OTHERS     CASES\n\
                      你好      7  1/2  1 WA       long name WA\n\
                      bob       -  0/2  2 missing  1 -, long name -\n";
        assert_eq!(table(None), wide);
        assert_eq!(table(Some(31)), wide);
        assert_eq!(table(Some(30)), narrow);
    }
}
