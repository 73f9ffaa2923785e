//! The files of a zip, with the folders around them that say nothing taken away.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use super::IngestError;
use super::archive::{self, Member};
use super::junk::{is_junk_file, is_junk_folder};
use super::source::{FileRef, Source};
use super::tree::{DEPTH_MOST, MANIFEST, Tree, hint, hint_of_file};
use super::walk::KATTIS;
use crate::config::Limits;

/// A path in a zip, and the file.
type Members = Vec<(Vec<u8>, Member)>;

/// Lists an open zip.
pub(super) fn unzip(file: &Arc<File>, path: &Path, limits: &Limits) -> Result<Tree, IngestError> {
    let mut tree = Tree { outer: hint_of_file(path), ..Tree::default() };
    let mut members = without_junk(archive::open(file, path, limits)?, &mut tree);
    while let Some(folder) = only_folder(&members) {
        let name = &folder[..folder.len() - 1];
        tree.outer = hint(name).or(tree.outer);
        let shown = String::from_utf8_lossy(&folder);
        tree.layout.push(format!("one root folder {shown}"));
        keep_below(&mut members, &folder);
    }
    if let Some(at) = members.iter().position(|(path, _)| path == MANIFEST.as_bytes()) {
        let (name, member) = members.swap_remove(at);
        let file = FileRef::new(&name, &Arc::new(Source::Zip(member)));
        tree.manifest = Some((file, path.join(MANIFEST)));
    }
    let is_kattis = |path: &[u8]| {
        KATTIS.iter().any(|folder| path.strip_prefix(folder.as_bytes()).is_some_and(is_below))
    };
    if members.iter().any(|(path, _)| is_kattis(path)) {
        tree.layout.push("data/".to_owned());
        keep_below(&mut members, b"data/");
    }
    let file = |(path, member): (Vec<u8>, _)| FileRef::new(&path, &Arc::new(Source::Zip(member)));
    tree.files = members.into_iter().map(file).collect();
    Ok(tree)
}

fn is_below(rest: &[u8]) -> bool {
    rest.starts_with(b"/")
}

/// Leaves out junk and what is too deep. Of each folder that is left out the outermost counts, as if it
/// were on disk.
fn without_junk(mut members: Members, tree: &mut Tree) -> Members {
    let mut junk = BTreeSet::new();
    let mut too_deep = BTreeSet::new();
    members.retain(|(path, _)| match (junk_part(path), deep_part(path)) {
        (Some(part), _) => {
            junk.insert(part.to_vec());
            false
        }
        (None, Some(part)) => {
            too_deep.insert(part.to_vec());
            false
        }
        (None, None) => true,
    });
    tree.junk = junk.len() as u64;
    tree.too_deep = too_deep.into_iter().collect();
    members
}

/// The path up to the first part that is junk.
fn junk_part(path: &[u8]) -> Option<&[u8]> {
    let mut from = 0;
    for (end, _) in path.iter().enumerate().filter(|&(_, &byte)| byte == b'/') {
        if is_junk_folder(&path[from..end]) {
            return Some(&path[..end]);
        }
        from = end + 1;
    }
    is_junk_file(&path[from..]).then_some(path)
}

/// The path up to the first folder that is too deep.
fn deep_part(path: &[u8]) -> Option<&[u8]> {
    let slashes = path.iter().enumerate().filter(|&(_, &byte)| byte == b'/');
    slashes.map(|(at, _)| &path[..at]).nth(DEPTH_MOST)
}

/// The one folder that everything is in, with its slash.
fn only_folder(members: &Members) -> Option<Vec<u8>> {
    let (first, _) = members.first()?;
    let end = first.iter().position(|&byte| byte == b'/')?;
    let folder = &first[..=end];
    members.iter().all(|(path, _)| path.starts_with(folder)).then(|| folder.to_vec())
}

fn keep_below(members: &mut Members, folder: &[u8]) {
    members.retain_mut(|(path, _)| {
        let inside = path.starts_with(folder);
        if inside {
            path.drain(..folder.len());
        }
        inside
    });
}
