//! Which files of a folder are inputs, and which file each is compared with.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirEntry};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{self, Path, PathBuf};

use super::{IngestError, natural};
use crate::domain::SimulatorId;

/// Deeper folders are left alone; no test data needs them.
const DEPTH_MOST: usize = 32;

/// What ends the name of an input.
const INPUT: &str = "in";

/// What ends the name of a file to compare with, the best first: where both are, `.ans` is the
/// reference and `.out` somebody's output.
const COMPARED: [&str; 2] = ["ans", "out"];

/// An input of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its path below the folder.
    pub input: PathBuf,
    /// The file it is compared with, below the folder.
    pub compared: Option<PathBuf>,
    /// The simulator that the nearest folder around it is named after.
    pub hint: Option<SimulatorId>,
}

impl Entry {
    /// The case's name: the input's path below the folder without `.in`.
    #[must_use]
    pub fn name(&self) -> &[u8] {
        let path = self.input.as_os_str().as_bytes();
        path.strip_suffix(b".in").unwrap_or(path)
    }
}

/// What a folder holds.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Its inputs, in natural order of their names.
    pub entries: Vec<Entry>,
    /// Answers without an input, below the folder.
    pub orphans: Vec<PathBuf>,
    /// Files that no rule names, below the folder.
    pub skipped: Vec<PathBuf>,
}

/// Lists a folder with all folders in it. Hidden files are left out.
///
/// # Errors
/// [`IngestError`]: there is no such folder, or one in it cannot be listed.
pub fn list(folder: &Path) -> Result<Listing, IngestError> {
    match fs::metadata(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(IngestError::Missing(folder.to_owned()));
        }
        Err(source) => return Err(IngestError::Unreadable { path: folder.to_owned(), source }),
        Ok(metadata) if !metadata.is_dir() => {
            return Err(IngestError::NotAFolder(folder.to_owned()));
        }
        Ok(_) => {}
    }
    // `.` has a name, too.
    let own_hint = path::absolute(folder).ok().and_then(|path| path.file_name().and_then(hint));
    let mut listing = Listing::default();
    let mut folders = vec![(PathBuf::new(), own_hint, 0)];
    while let Some((below, hint, depth)) = folders.pop() {
        let mut names = list_one(folder, &below, hint, depth, &mut folders)?;
        names.sort();
        pair(&below, &names, hint, &mut listing);
    }
    listing.entries.sort_by(|left, right| natural(left.name(), right.name()));
    Ok(listing)
}

/// The files of one folder; its folders go on the list.
fn list_one(
    root: &Path,
    below: &Path,
    hint_here: Option<SimulatorId>,
    depth: usize,
    folders: &mut Vec<(PathBuf, Option<SimulatorId>, usize)>,
) -> Result<Vec<OsString>, IngestError> {
    let path = root.join(below);
    let unreadable = |source| IngestError::Unreadable { path: path.clone(), source };
    let mut files = Vec::new();
    for entry in fs::read_dir(&path).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name();
        if name.as_bytes().starts_with(b".") {
            continue;
        }
        if is_folder(&entry).map_err(unreadable)? && depth < DEPTH_MOST {
            folders.push((below.join(&name), hint(&name).or(hint_here), depth + 1));
        } else {
            files.push(name);
        }
    }
    Ok(files)
}

/// Whether an entry is a folder; a link to one is not.
fn is_folder(entry: &DirEntry) -> io::Result<bool> {
    entry.file_type().map(|kind| kind.is_dir())
}

fn hint(name: &OsStr) -> Option<SimulatorId> {
    name.to_str().and_then(|name| name.parse().ok())
}

/// Pairs the sorted names of one folder.
fn pair(below: &Path, names: &[OsString], hint: Option<SimulatorId>, listing: &mut Listing) {
    for name in names {
        let has = |ending: &str| {
            let other = Path::new(name).with_extension(ending).into_os_string();
            names.binary_search(&other).ok().map(|_| below.join(other))
        };
        let ending = Path::new(name).extension().and_then(OsStr::to_str);
        let path = below.join(name);
        if ending == Some(INPUT) {
            let compared = COMPARED.into_iter().find_map(has);
            listing.entries.push(Entry { input: path, compared, hint });
        } else if ending.is_some_and(|ending| COMPARED.contains(&ending)) {
            if has(INPUT).is_none() {
                listing.orphans.push(path);
            }
        } else {
            listing.skipped.push(path);
        }
    }
}
