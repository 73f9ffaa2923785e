//! The files of a folder and of the folders in it.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use super::IngestError;
use super::junk::{is_junk_file, is_junk_folder, is_ours};
use super::source::{FileRef, Source};
use super::tree::{DEPTH_MOST, MANIFEST, Tree, hint_of_folder};

/// The folders of Kattis' layout that say that only `data` holds test data.
pub(super) const KATTIS: [&str; 2] = ["data/secret", "data/sample"];

/// Lists a folder. Only the folder itself may be a link.
pub(super) fn walk(root: &Path) -> Result<Tree, IngestError> {
    match fs::metadata(root) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(IngestError::Missing(root.to_owned()));
        }
        Err(source) => return Err(IngestError::Unreadable { path: root.to_owned(), source }),
        Ok(metadata) if !metadata.is_dir() => {
            return Err(IngestError::NotAFolder(root.to_owned()));
        }
        Ok(_) => {}
    }
    let mut tree = Tree { outer: hint_of_folder(root), ..Tree::default() };
    if fs::symlink_metadata(root.join(MANIFEST)).is_ok() {
        let file = FileRef::new(MANIFEST.as_bytes(), Source::Disk(root.into()));
        tree.manifest = Some((file, root.join(MANIFEST)));
    }
    let is_folder = |below: &&str| {
        fs::symlink_metadata(root.join(below)).is_ok_and(|metadata| metadata.is_dir())
    };
    if KATTIS.iter().any(is_folder) {
        tree.layout.push("data/".to_owned());
        list(&root.join("data"), &mut tree)?;
    } else {
        list(root, &mut tree)?;
        tree.files.retain(|file| file.path() != MANIFEST.as_bytes());
    }
    Ok(tree)
}

/// A folder that is still to be listed: its path below the root, empty or with a slash at the end.
struct Pending {
    below: Vec<u8>,
    depth: usize,
}

fn list(root: &Path, tree: &mut Tree) -> Result<(), IngestError> {
    let shared: Arc<Path> = root.into();
    let mut pending = vec![Pending { below: Vec::new(), depth: 0 }];
    while let Some(folder) = pending.pop() {
        let path = root.join(std::ffi::OsStr::from_bytes(&folder.below));
        let unreadable = |source| IngestError::Unreadable { path: path.clone(), source };
        let entries = match fs::read_dir(&path) {
            Err(error) if error.kind() == io::ErrorKind::InvalidFilename => {
                tree.too_deep.push(folder.below);
                continue;
            }
            entries => entries.map_err(unreadable)?,
        };
        for entry in entries {
            let entry = entry.map_err(unreadable)?;
            let name = entry.file_name();
            let name = name.as_bytes();
            let below = [&folder.below[..], name].concat();
            // A link to a folder is no folder.
            let is_folder = entry.file_type().map_err(unreadable)?.is_dir();
            if is_ours(name) {
                continue;
            }
            if if is_folder { is_junk_folder(name) } else { is_junk_file(name) } {
                tree.junk += 1;
            } else if !is_folder {
                tree.files.push(FileRef::new(&below, Source::Disk(Arc::clone(&shared))));
            } else if folder.depth == DEPTH_MOST {
                tree.too_deep.push(below);
            } else {
                let below = [&below[..], b"/"].concat();
                pending.push(Pending { below, depth: folder.depth + 1 });
            }
        }
    }
    Ok(())
}
