//! `simdrop doctor --config`: what the program goes by.

use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use serde::Serialize;

use crate::cli::render::{self, Format};
use crate::cli::{CliError, Out, json};
use crate::config::{Key, Origin, Setting, Settings, SettingsFile, Value};
use crate::exit::Exit;

/// Shows what each setting is and where it came from.
pub(super) fn show(settings: &Settings, format: Format, out: &mut Out) -> Result<Exit, CliError> {
    match format {
        Format::Table => print(out, settings)?,
        Format::Json => render::json_line(out, &Report::from(settings))?,
        Format::Jsonl => lines(out, Report::from(settings))?,
    }
    Ok(Exit::Fine)
}

fn print(out: &mut Out, settings: &Settings) -> io::Result<()> {
    let mut table = render::table(&["KEY", "VALUE", "FROM"], &[]);
    for (key, setting) in settings.iter() {
        let (value, from) = match setting {
            Some(Setting { value, origin }) => (value.to_string(), origin.to_string()),
            None => ("-".to_owned(), "-".to_owned()),
        };
        let [value, from] = [value, from].map(|text| render::printable(text.as_bytes()));
        table.add_row([key.to_string(), value, from]);
    }
    table.print(out)?;
    writeln!(out, "\nfiles:")?;
    for file in settings.files() {
        writeln!(out, "  {:12}  {}", file.access, render::path(&file.path))?;
    }
    Ok(())
}

/// Each setting, then each file, on a line of its own.
fn lines(out: &mut Out, report: Report) -> io::Result<()> {
    for row in report.settings {
        render::json_line(out, &Line { schema: json::SCHEMA, row })?;
    }
    for row in report.files {
        render::json_line(out, &Line { schema: json::SCHEMA, row })?;
    }
    Ok(())
}

#[derive(Serialize)]
struct Line<T> {
    schema: u32,
    #[serde(flatten)]
    row: T,
}

#[derive(Serialize)]
struct Report {
    schema: u32,
    settings: Vec<SettingRow>,
    files: Vec<FileRow>,
}

impl From<&Settings> for Report {
    fn from(settings: &Settings) -> Self {
        Self {
            schema: json::SCHEMA,
            settings: settings.iter().map(SettingRow::from).collect(),
            files: settings.files().iter().map(FileRow::from).collect(),
        }
    }
}

#[derive(Serialize)]
struct SettingRow {
    key: String,
    value: Option<ValueRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value_b64: Option<String>,
    from: Option<Source>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ValueRow {
    Path(String),
    Number(u64),
    Seconds(f64),
    Flag(bool),
    Word(&'static str),
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Source {
    Default,
    File {
        #[serde(flatten)]
        path: PathRow,
        line: usize,
    },
    Variable {
        name: String,
    },
    Flag {
        name: &'static str,
    },
}

#[derive(Serialize)]
struct FileRow {
    #[serde(flatten)]
    path: PathRow,
    access: String,
}

#[derive(Serialize)]
struct PathRow {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_b64: Option<String>,
}

impl From<(Key, Option<&Setting>)> for SettingRow {
    fn from((key, setting): (Key, Option<&Setting>)) -> Self {
        let value_b64 = match setting.map(|setting| &setting.value) {
            Some(Value::Path(path)) => json::base64(path.as_os_str().as_bytes()),
            _ => None,
        };
        Self {
            key: key.to_string(),
            value: setting.map(|setting| ValueRow::from(&setting.value)),
            value_b64,
            from: setting.map(|setting| Source::from(&setting.origin)),
        }
    }
}

impl From<&Value> for ValueRow {
    fn from(value: &Value) -> Self {
        match value {
            Value::Path(path) => Self::Path(json::lossy(path.as_os_str().as_bytes())),
            Value::Count(number) | Value::Bytes(number) => Self::Number(*number),
            Value::Flag(is_done) => Self::Flag(*is_done),
            Value::Watch(mode) => Self::Word(mode.name()),
            Value::LogFormat(format) => Self::Word(format.name()),
            Value::Time(time) => Self::Seconds(time.as_secs_f64()),
        }
    }
}

impl From<&Origin> for Source {
    fn from(origin: &Origin) -> Self {
        match origin {
            Origin::Default => Self::Default,
            Origin::File { path, line } => Self::File { path: path.as_path().into(), line: *line },
            Origin::Variable(name) => Self::Variable { name: name.clone() },
            Origin::Flag(name) => Self::Flag { name },
        }
    }
}

impl From<&SettingsFile> for FileRow {
    fn from(file: &SettingsFile) -> Self {
        Self { path: file.path.as_path().into(), access: file.access.to_string() }
    }
}

impl From<&Path> for PathRow {
    fn from(path: &Path) -> Self {
        let bytes = path.as_os_str().as_bytes();
        Self { path: json::lossy(bytes), path_b64: json::base64(bytes) }
    }
}
