//! Answers beside their inputs: the only place where simdrop writes into what people hand over.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path};

use tempfile::NamedTempFile;

use super::read::open_named;
use super::rules::{PairRule, folder};
use super::{FileRef, IngestError, Pattern};
use crate::domain::Body;

/// The rules that say where an answer goes, in this order: whoever has a folder for answers wants them
/// there.
const RULES: [PairRule; 5] =
    [PairRule::Folders, PairRule::InAns, PairRule::InputTxt, PairRule::Digits, PairRule::Replaced];

/// What became of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placed {
    /// It was written.
    Written,
    /// The file is there with these bytes, and was left alone.
    There,
    /// Nothing was written.
    Refused(Refusal),
}

/// Why a file is not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Somebody's file is there.
    #[error("another file is there; --force replaces it")]
    Differs,
    /// What is there is never written to.
    #[error("a link or no regular file is there")]
    NoFile,
    /// The folder is missing, a link, or not below the root.
    #[error("its folder is missing or a link")]
    NoFolder,
    /// It would replace an input.
    #[error("it is an input")]
    Input,
    /// Two inputs have one answer.
    #[error("it is the answer to another input, too")]
    Twice,
}

/// The path, below the same root, at which the answer to an input is written; `None` for an input that
/// does not lie on disk.
///
/// A pattern decides alone. Else it is the first place that some rule looks at, in `out/` rather than
/// beside the input if that folder is there; for other names the last ending becomes `.ans`. `ending`
/// takes the place of the last ending in any case.
#[must_use]
pub fn answer_path(
    input: &FileRef,
    pattern: Option<&Pattern>,
    ending: Option<&str>,
) -> Option<Vec<u8>> {
    let (root, path) = (input.root()?, input.path());
    let is_there = |path: &Vec<u8>| is_folder(root, folder(path));
    if let Some(ending) = ending {
        let there = PairRule::Folders.answers(path, None).pop().filter(is_there);
        return Some(with_ending(there.as_deref().unwrap_or(path), ending));
    }
    let mut given = PairRule::Given.answers(path, pattern);
    let by_rule = || {
        let first = |rule: PairRule| rule.answers(path, None).into_iter().next();
        RULES.into_iter().filter_map(first).find(is_there)
    };
    let found = if pattern.is_some() { given.pop() } else { by_rule() };
    Some(found.unwrap_or_else(|| with_ending(path, "ans")))
}

/// The path with another last ending, or with one if it has none.
fn with_ending(path: &[u8], ending: &str) -> Vec<u8> {
    let name = folder(path).len();
    let dot = path[name..].iter().rposition(|&byte| byte == b'.').filter(|&dot| dot > 0);
    let stem = dot.map_or(path, |dot| &path[..name + dot]);
    [stem, b".", ending.as_bytes()].concat()
}

/// Whether a path below the root leads through folders only, and never up or through a link.
fn is_folder(root: &Path, below: &[u8]) -> bool {
    let mut path = root.to_owned();
    Path::new(OsStr::from_bytes(below)).components().all(|component| {
        path.push(component);
        matches!(component, Component::Normal(_))
            && fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_dir())
    })
}

/// Writes an answer at a path below the root of its input, at once or not at all. The same bytes are
/// left alone, other ones too unless `force`; nothing is written through a link.
///
/// # Errors
/// [`IngestError::Unwritable`], [`IngestError::Unreadable`] for what is there, or
/// [`IngestError::NoText`].
pub fn place(
    input: &FileRef,
    below: &[u8],
    text: &Body,
    force: bool,
) -> Result<Placed, IngestError> {
    let root = input.root().filter(|root| is_folder(root, folder(below)));
    let Some(root) = root else { return Ok(Placed::Refused(Refusal::NoFolder)) };
    let path = root.join(OsStr::from_bytes(below));
    let there = match fs::symlink_metadata(&path) {
        Ok(there) => Some(there),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(source) => return Err(IngestError::Unwritable { path, source }),
    };
    if let Some(there) = &there {
        if !there.is_file() {
            return Ok(Placed::Refused(Refusal::NoFile));
        }
        if is_same(&path, there, text)? {
            return Ok(Placed::There);
        }
        if !force {
            return Ok(Placed::Refused(Refusal::Differs));
        }
    }
    write(&path, text, there.is_some())
}

/// Whether a file holds just this text.
fn is_same(path: &Path, there: &Metadata, text: &Body) -> Result<bool, IngestError> {
    if there.len() != text.bytes() {
        return Ok(false);
    }
    let unreadable = |source| IngestError::Unreadable { path: path.to_owned(), source };
    let file = open_named(path).map_err(|error| unreadable(io::Error::other(error)))?;
    let mut file = BufReader::with_capacity(64 << 10, file);
    let mut text = text.open().map_err(IngestError::NoText)?;
    loop {
        let (left, right) =
            (file.fill_buf().map_err(unreadable)?, text.fill_buf().map_err(IngestError::NoText)?);
        let most = left.len().min(right.len());
        if left[..most] != right[..most] {
            return Ok(false);
        }
        if most == 0 {
            return Ok(left.len() == right.len());
        }
        file.consume(most);
        text.consume(most);
    }
}

fn write(path: &Path, text: &Body, replace: bool) -> Result<Placed, IngestError> {
    let failed = |source| IngestError::Unwritable { path: path.to_owned(), source };
    let parent = path.parent().unwrap_or(Path::new(""));
    let mut file = tempfile::Builder::new()
        .prefix(".simdrop-")
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(parent)
        .map_err(failed)?;
    copy(text, file.as_file_mut(), failed)?;
    file.as_file().sync_all().map_err(failed)?;
    persist(file, path, replace).map_err(failed)
}

fn copy(
    text: &Body,
    file: &mut File,
    failed: impl Fn(io::Error) -> IngestError,
) -> Result<(), IngestError> {
    let mut text = text.open().map_err(IngestError::NoText)?;
    loop {
        let part = text.fill_buf().map_err(IngestError::NoText)?;
        if part.is_empty() {
            return Ok(());
        }
        file.write_all(part).map_err(&failed)?;
        let written = part.len();
        text.consume(written);
    }
}

/// Gives the file its name; a file that came up meanwhile is left alone.
fn persist(file: NamedTempFile, path: &Path, replace: bool) -> io::Result<Placed> {
    let named = if replace { file.persist(path) } else { file.persist_noclobber(path) };
    match named {
        Ok(_) => Ok(Placed::Written),
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => {
            Ok(Placed::Refused(Refusal::Differs))
        }
        Err(error) => Err(error.error),
    }
}

#[cfg(test)]
mod tests {
    use super::with_ending;

    #[test]
    fn the_last_ending_of_the_name_is_replaced_and_folders_do_not_count() {
        for (path, with) in [
            ("1.in", "1.ans"),
            ("a.b/1", "a.b/1.ans"),
            ("a.b/.x", "a.b/.x.ans"),
            ("x.y.txt", "x.y.ans"),
        ] {
            assert_eq!(with_ending(path.as_bytes(), "ans"), with.as_bytes(), "{path}");
        }
    }
}
