//! All files of one origin, before anybody says what they are.

use std::ffi::OsStr;
use std::fs::File;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::{self, Path, PathBuf};
use std::sync::Arc;

use rustix::io::Errno;

use super::origin::Origin;
use super::read::{open_below, open_named};
use super::source::{FileRef, Source};
use super::unzip::unzip;
use super::walk::walk;
use super::{IngestError, Root};
use crate::config::Limits;
use crate::domain::SimulatorId;

/// Deeper folders are left alone; no test data needs them.
pub(super) const DEPTH_MOST: usize = 32;

/// The manifest's name.
pub(super) const MANIFEST: &str = "simdrop.toml";

/// The files of an origin.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// The files, in any order.
    pub(super) files: Vec<FileRef>,
    /// The manifest, with its path for messages.
    pub(super) manifest: Option<(FileRef, PathBuf)>,
    /// What was taken away around the files.
    pub(super) layout: Vec<String>,
    /// How many files and folders are junk.
    pub(super) junk: u64,
    /// Folders that were not looked into.
    pub(super) too_deep: Vec<Vec<u8>>,
    /// The simulator that what is around all files is named after.
    pub(super) outer: Option<SimulatorId>,
    /// Whether somebody named each file: then it is an input rather than skipped.
    pub(super) named: bool,
}

impl Tree {
    /// Lists an origin. Without `within` somebody named it whom we trust.
    pub(super) fn of(
        origin: &Origin,
        within: Option<&Path>,
        limits: &Limits,
    ) -> Result<Self, IngestError> {
        match origin {
            Origin::Folder(path) => walk(&open_folder(path, within)?, limits),
            Origin::Zip(path) => unzip(&Arc::new(open(path, within)?), path, limits),
            Origin::Files(paths) => Self::of_files(paths, within),
            Origin::Input(file) if super::origin::begins_like_a_zip(file) => {
                unzip(file, Path::new(STDIN), limits)
            }
            Origin::Input(file) => Ok(Self::of_one(STDIN, Source::Spool(Arc::clone(file)))),
            Origin::Seeds(range) if range.is_empty() => Err(IngestError::NoSeeds(range.clone())),
            Origin::Seeds(range) => Ok(Self::of_seeds(range)),
        }
    }

    fn of_files(paths: &[PathBuf], within: Option<&Path>) -> Result<Self, IngestError> {
        let full = |path: &PathBuf| path::absolute(path).unwrap_or_else(|_| path.clone());
        let mut paths: Vec<PathBuf> = paths.iter().map(full).collect();
        paths.sort();
        paths.dedup();
        // Named from the innermost folder around all of them, so that it does not matter from where and how
        // they were named.
        let root = common_folder(&paths);
        let source = match within {
            Some(_) => Source::Disk(open_folder(&root, within)?),
            None => Source::Named(root.clone()),
        };
        let source = Arc::new(source);
        let file = |path: &PathBuf| {
            let below = path.strip_prefix(&root).unwrap_or(path);
            FileRef::new(below.as_os_str().as_bytes(), &source)
        };
        Ok(Self { files: paths.iter().map(file).collect(), named: true, ..Self::default() })
    }

    fn of_one(name: &str, source: Source) -> Self {
        let files = vec![FileRef::new(name.as_bytes(), &Arc::new(source))];
        Self { files, named: true, ..Self::default() }
    }

    fn of_seeds(range: &Range<u64>) -> Self {
        let name = format!("seeds-{}..{}", range.start, range.end);
        let outer = Some(SimulatorId::ThunderBluff);
        Self { outer, ..Self::of_one(&name, Source::Seeds(range.clone())) }
    }

    /// The simulator that the nearest folder around a file is named after.
    pub(super) fn hint(&self, file: &FileRef) -> Option<SimulatorId> {
        let folders = file.path().rsplit(|&byte| byte == b'/').skip(1);
        folders.map(hint).find(Option::is_some).flatten().or(self.outer).or_else(|| {
            // A file that was named lies in a folder all the same, be it only the current one.
            let path = file.on_disk().filter(|_| self.named)?;
            hint_of_folder(path.parent()?)
        })
    }
}

/// The innermost folder around all files.
#[must_use]
pub fn common_folder(paths: &[PathBuf]) -> PathBuf {
    let parent = |path: &PathBuf| path.parent().map(Path::to_owned).unwrap_or_default();
    let Some(mut folder) = paths.first().map(parent) else { return PathBuf::new() };
    while !paths.iter().all(|path| path.starts_with(&folder)) && folder.pop() {}
    folder
}

/// What standard input is called.
const STDIN: &str = "stdin";

fn open(path: &Path, within: Option<&Path>) -> Result<File, IngestError> {
    let opened = match within {
        Some(within) => {
            let below = path.strip_prefix(within).unwrap_or(path);
            open_below(&open_root(within)?, below.as_os_str().as_bytes())
        }
        None => open_named(path),
    };
    opened.map_err(|source| match path.try_exists() {
        Ok(false) => IngestError::Missing(path.to_owned()),
        _ => IngestError::NoFile { path: path.to_owned(), source },
    })
}

fn open_folder(path: &Path, within: Option<&Path>) -> Result<Arc<Root>, IngestError> {
    let root = match within {
        Some(within) => {
            let below = path.strip_prefix(within).unwrap_or(path);
            open_root(within)?.folder(below).map_err(|errno| not_open(path, errno))?
        }
        None => open_root(path)?,
    };
    Ok(Arc::new(root))
}

fn open_root(path: &Path) -> Result<Root, IngestError> {
    Root::open(path).map_err(|errno| not_open(path, errno))
}

fn not_open(path: &Path, errno: Errno) -> IngestError {
    let path = path.to_owned();
    match errno {
        Errno::NOENT => IngestError::Missing(path),
        Errno::NOTDIR | Errno::LOOP => IngestError::NotAFolder(path),
        errno => IngestError::Unreadable { path, source: errno.into() },
    }
}

/// The simulator of that name.
pub(super) fn hint(name: &[u8]) -> Option<SimulatorId> {
    std::str::from_utf8(name).ok()?.parse().ok()
}

/// The simulator that a folder is named after; `.` has a name, too.
pub(super) fn hint_of_folder(path: &Path) -> Option<SimulatorId> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let path = path::absolute(path).ok()?;
    path.file_name().map(OsStr::as_bytes).and_then(hint)
}

/// The simulator that a file is named after, without its ending.
pub(super) fn hint_of_file(path: &Path) -> Option<SimulatorId> {
    path.file_stem().map(OsStr::as_bytes).and_then(hint)
}
