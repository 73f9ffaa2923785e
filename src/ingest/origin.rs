//! Where inputs come from.

use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::IngestError;
use super::archive::BEGINNINGS;
use super::read::open_named;
use crate::config::Limits;
use crate::domain::{CaseError, ErrorCode};

/// How many bytes tell a zip.
const MAGIC_BYTES: usize = 4;

/// What is handed over as one unit.
#[derive(Debug, Clone)]
pub enum Origin {
    /// A folder with the folders in it.
    Folder(PathBuf),
    /// A zip.
    Zip(PathBuf),
    /// Plain files, paired among themselves.
    Files(Vec<PathBuf>),
    /// Standard input, copied to a file that has no name any more. It may be a zip.
    Input(Arc<File>),
    /// Inputs of Thunder Bluff made of these seeds.
    Seeds(Range<u64>),
}

/// What a path is.
enum Kind {
    Folder,
    Zip,
    Plain,
}

impl Origin {
    /// Sorts what was typed: each folder and each zip is an origin, all plain files are one, and `-` is
    /// standard input, which is read to its end here. They keep their order; the plain files stand where
    /// the first of them stood.
    ///
    /// # Errors
    /// In its place, for a path that is missing, a link or no file ([`IngestError`]).
    #[must_use]
    pub fn sort(paths: Vec<PathBuf>, limits: &Limits) -> Vec<Result<Self, IngestError>> {
        let mut files = Vec::new();
        let mut place = 0;
        let mut origins = Vec::new();
        for path in paths {
            if path.as_os_str() == "-" {
                origins.push(Self::spool(&mut io::stdin().lock(), limits));
                continue;
            }
            match kind(&path) {
                Ok(Kind::Folder) => origins.push(Ok(Self::Folder(path))),
                Ok(Kind::Zip) => origins.push(Ok(Self::Zip(path))),
                Ok(Kind::Plain) if files.is_empty() => {
                    place = origins.len();
                    files.push(path);
                }
                Ok(Kind::Plain) => files.push(path),
                Err(error) => origins.push(Err(error)),
            }
        }
        if !files.is_empty() {
            origins.insert(place, Ok(Self::Files(files)));
        }
        origins
    }

    /// Whether it is a zip.
    #[must_use]
    pub fn is_zip(&self) -> bool {
        match self {
            Self::Zip(_) => true,
            Self::Input(file) => begins_like_a_zip(file),
            Self::Folder(_) | Self::Files(_) | Self::Seeds(_) => false,
        }
    }

    /// Copies a stream to a temporary file, up to one byte more than may be taken in, so that whoever
    /// reads it sees that it is too large.
    ///
    /// # Errors
    /// [`IngestError::Spool`].
    pub fn spool(input: &mut dyn Read, limits: &Limits) -> Result<Self, IngestError> {
        let copy = || -> io::Result<File> {
            let mut begin = Vec::new();
            input.take(MAGIC_BYTES as u64).read_to_end(&mut begin)?;
            let zip = BEGINNINGS.contains(&&begin[..]);
            let most = if zip { limits.max_zip_bytes } else { limits.max_input_bytes };
            let mut file = tempfile::tempfile()?;
            io::copy(&mut begin.chain(input).take(most.saturating_add(1)), &mut file)?;
            Ok(file)
        };
        Ok(Self::Input(Arc::new(copy().map_err(IngestError::Spool)?)))
    }
}

fn kind(path: &Path) -> Result<Kind, IngestError> {
    let metadata = fs::symlink_metadata(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => IngestError::Missing(path.to_owned()),
        _ => IngestError::Unreadable { path: path.to_owned(), source },
    })?;
    // What is named itself may be a link to a folder.
    if metadata.is_dir() || fs::metadata(path).is_ok_and(|metadata| metadata.is_dir()) {
        return Ok(Kind::Folder);
    }
    if !metadata.is_file() {
        let what = if metadata.is_symlink() { "a link" } else { "not a regular file" };
        let source = CaseError::new(ErrorCode::NotAFile, what);
        return Err(IngestError::NoFile { path: path.to_owned(), source });
    }
    let named = path.as_os_str().as_encoded_bytes().ends_with(b".zip");
    // A file that cannot be opened says so when it is read.
    let zip = named || open_named(path).is_ok_and(|file| begins_like_a_zip(&file));
    Ok(if zip { Kind::Zip } else { Kind::Plain })
}

/// Whether a file begins with a zip's first entry, or its end.
pub(super) fn begins_like_a_zip(file: &File) -> bool {
    let mut begin = [0; MAGIC_BYTES];
    file.read_exact_at(&mut begin, 0).is_ok() && BEGINNINGS.contains(&&begin[..])
}
