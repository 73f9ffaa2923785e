//! The files of a folder and of the folders in it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{AtFlags, Dir, FileType, statat};
use rustix::io::Errno;

use super::junk::{is_junk_file, is_junk_folder, is_ours};
use super::source::{FileRef, Source};
use super::subtree::is_folder;
use super::tree::{DEPTH_MOST, MANIFEST, Tree, hint_of_folder};
use super::{IngestError, Root};
use crate::config::Limits;

/// The folders of Kattis' layout that say that only `data` holds test data.
pub(super) const KATTIS: [&str; 2] = ["data/secret", "data/sample"];

/// Lists an open folder.
pub(super) fn walk(root: &Arc<Root>, limits: &Limits) -> Result<Tree, IngestError> {
    let mut tree = Tree { outer: hint_of_folder(root.path()), ..Tree::default() };
    let status = |below: &str| root.status(Path::new(below));
    if status(MANIFEST).is_ok() {
        let source = Arc::new(Source::Disk(Arc::clone(root)));
        let file = FileRef::new(MANIFEST.as_bytes(), &source);
        tree.manifest = Some((file, root.path().join(MANIFEST)));
    }
    if KATTIS.iter().any(|below| status(below).is_ok_and(|status| is_folder(&status))) {
        tree.layout.push("data/".to_owned());
        let data = root.folder(Path::new("data"));
        let data = data.map_err(|errno| unreadable(&root.path().join("data"), errno))?;
        list(&Arc::new(data), limits, &mut tree)?;
    } else {
        list(root, limits, &mut tree)?;
        tree.files.retain(|file| file.path() != MANIFEST.as_bytes());
    }
    Ok(tree)
}

/// A folder that is still to be listed: its path below the root, empty or with a slash at the end.
struct Pending {
    below: Vec<u8>,
    depth: usize,
}

fn list(root: &Arc<Root>, limits: &Limits, tree: &mut Tree) -> Result<(), IngestError> {
    let source = Arc::new(Source::Disk(Arc::clone(root)));
    let mut pending = vec![Pending { below: Vec::new(), depth: 0 }];
    while let Some(at) = pending.pop() {
        let below = Path::new(OsStr::from_bytes(&at.below));
        let listed = root.folder(below).and_then(|folder| {
            each(&folder, |name, is_folder| add(&source, &at, name, is_folder, &mut pending, tree))
        });
        match listed {
            Err(Errno::NAMETOOLONG) => tree.too_deep.push(at.below),
            listed => listed.map_err(|errno| unreadable(&root.path().join(below), errno))?,
        }
        if tree.files.len() as u64 > limits.max_folder_files {
            return Err(IngestError::TooMany {
                path: root.path().to_owned(),
                most: limits.max_folder_files,
            });
        }
    }
    Ok(())
}

fn unreadable(path: &Path, errno: Errno) -> IngestError {
    IngestError::Unreadable { path: path.to_owned(), source: errno.into() }
}

/// Hands on each name in a folder, and whether it is a folder. A link to a folder is none.
fn each(folder: &Root, mut see: impl FnMut(&[u8], bool)) -> Result<(), Errno> {
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let is_folder = match entry.file_type() {
            // Some file systems do not say.
            FileType::Unknown => is_folder(&statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?),
            kind => kind == FileType::Directory,
        };
        if !matches!(name.to_bytes(), b"." | b"..") {
            see(name.to_bytes(), is_folder);
        }
    }
    Ok(())
}

fn add(
    source: &Arc<Source>,
    around: &Pending,
    name: &[u8],
    is_folder: bool,
    pending: &mut Vec<Pending>,
    tree: &mut Tree,
) {
    let below = [&around.below[..], name].concat();
    if is_ours(name) {
        return;
    }
    if if is_folder { is_junk_folder(name) } else { is_junk_file(name) } {
        tree.junk += 1;
    } else if !is_folder {
        tree.files.push(FileRef::new(&below, source));
    } else if around.depth == DEPTH_MOST {
        tree.too_deep.push(below);
    } else {
        let below = [&below[..], b"/"].concat();
        pending.push(Pending { below, depth: around.depth + 1 });
    }
}
