//! Outputs of several people for the same inputs.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path;

use super::pairing::{Pairs, pair_with};
use super::source::FileRef;
use super::tree::Tree;
use super::{Entry, IngestError, Listing, Origin, Pattern};
use crate::config::Limits;
use crate::domain::natural;

/// Somebody with a file for each input, or none.
#[derive(Debug)]
pub struct Person {
    /// The folder or the zip the files are in.
    pub name: Vec<u8>,
    /// The inputs with the ranks, names and hints they have; what is compared is this person's file.
    pub entries: Vec<Entry>,
    /// Files that belong to no input.
    pub unused: Vec<Vec<u8>>,
}

/// Pairs a folder or a zip of outputs with inputs, by the same rules as if they lay beside them, and
/// `NAME` or `NAME.txt` for the case NAME where no rule finds one. If nothing pairs that way, each
/// folder in it is a person. The manifest of the inputs says what pairs if `pair` does not.
///
/// # Errors
/// [`IngestError`]: as for [`super::list`].
pub fn people(
    outputs: &Origin,
    inputs: &Listing,
    pair: Option<&Pattern>,
    limits: &Limits,
) -> Result<Vec<Person>, IngestError> {
    let mut tree = Tree::of(outputs, None, limits)?;
    tree.files.sort_by(|left, right| natural(left.path(), right.path()));
    let pair = pair.or(inputs.manifest.pair.as_ref());
    let all = tree.files.iter().map(|file| (file.path(), file)).collect();
    let alone = person(name(outputs), &all, inputs, pair);
    if alone.has_any() {
        return Ok(vec![alone]);
    }
    let folders = by_folder(&tree.files).into_iter();
    let mut people: Vec<Person> =
        folders.map(|(name, files)| person(name.to_vec(), &files, inputs, pair)).collect();
    people.sort_by(|left, right| natural(&left.name, &right.name));
    // Where nothing pairs either way, the folders are probably no people.
    Ok(if people.iter().any(Person::has_any) { people } else { vec![alone] })
}

impl Person {
    fn has_any(&self) -> bool {
        self.entries.iter().any(|entry| entry.compared.is_some())
    }
}

/// Files with their paths below the person's folder.
type Files<'a> = Vec<(&'a [u8], &'a FileRef)>;

fn by_folder(files: &[FileRef]) -> BTreeMap<&[u8], Files<'_>> {
    let mut folders: BTreeMap<&[u8], Files<'_>> = BTreeMap::new();
    for file in files {
        let path = file.path();
        if let Some(at) = path.iter().position(|&byte| byte == b'/') {
            folders.entry(&path[..at]).or_default().push((&path[at + 1..], file));
        }
    }
    folders
}

fn person(name: Vec<u8>, files: &Files<'_>, inputs: &Listing, pair: Option<&Pattern>) -> Person {
    let paths: Vec<&[u8]> = files.iter().map(|(path, _)| *path).collect();
    let cases: Vec<&[u8]> = inputs.entries.iter().map(|entry| entry.input.path()).collect();
    let mut pairs = pair_with(&cases, &paths, pair);
    let named = by_name(&inputs.entries, &paths, &mut pairs);
    let entries = inputs.entries.iter().zip(pairs.answer.iter().zip(named));
    let entries = entries.map(|(entry, (answer, named))| {
        let file = answer.map(|(_, file)| file).or(named);
        let compared = file.map(|file| files[file].1.clone());
        Entry { compared, rule: answer.map(|(rule, _)| rule), ..entry.clone() }
    });
    let entries = entries.collect();
    let unused = paths.iter().zip(&pairs.used).filter(|(_, used)| !**used);
    Person { name, entries, unused: unused.map(|(path, _)| path.to_vec()).collect() }
}

/// For each case that no rule answers the file called as the case is.
fn by_name(entries: &[Entry], paths: &[&[u8]], pairs: &mut Pairs) -> Vec<Option<usize>> {
    let places: BTreeMap<&[u8], usize> = paths.iter().copied().zip(0..).collect();
    let mut find = |(entry, answer): (&Entry, &Option<_>)| {
        let name = entry.name();
        let names = [name.to_vec(), [&name[..], b".txt"].concat()];
        let mut there = names.iter().filter_map(|name| places.get(&name[..]).copied());
        let file = there.find(|&file| answer.is_none() && !pairs.used[file])?;
        pairs.used[file] = true;
        Some(file)
    };
    entries.iter().zip(&pairs.answer).map(&mut find).collect()
}

/// What an origin is called: its last folder, or the zip's name without ending.
fn name(origin: &Origin) -> Vec<u8> {
    let absolute = |path| path::absolute(path).ok();
    let name = match origin {
        Origin::Folder(path) => {
            absolute(path).and_then(|path| path.file_name().map(OsStr::to_owned))
        }
        Origin::Zip(path) => path.file_stem().map(OsStr::to_owned),
        Origin::Files(paths) => {
            paths.first().and_then(|path| path.file_name()).map(OsStr::to_owned)
        }
        Origin::Input(_) => Some("stdin".into()),
        Origin::Seeds(_) => None,
    };
    name.map(|name| name.as_bytes().to_vec()).unwrap_or_default()
}
