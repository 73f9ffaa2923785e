//! Checks of what is asked of a daemon, and of what is said of a drop.

use std::path::{Component, Path, PathBuf};

use super::asked::Ask;
use super::handover::Handover;
use crate::ingest::Origin;

/// A request is kept as it was meant, and what is said of a drop leads to nothing outside it.
pub(crate) fn request(bytes: &[u8]) {
    if let Ok(ask) = serde_json::from_slice::<Ask>(bytes) {
        let kept = serde_json::to_string(&ask).expect("JSON");
        let again = serde_json::from_str::<Ask>(&kept).expect("what was kept");
        assert_eq!(kept, serde_json::to_string(&again).expect("JSON"));
    }
    let Ok(said) = serde_json::from_slice::<Handover>(bytes) else { return };
    let folder = Path::new("inbox/.run-1");
    for path in paths(said.request(Origin::Folder(folder.to_owned())).origin) {
        let below = path.strip_prefix(folder);
        let inside =
            below.map(|below| below.components().all(|part| matches!(part, Component::Normal(_))));
        assert_eq!(inside, Ok(true), "{}", path.display());
    }
}

fn paths(origin: Origin) -> Vec<PathBuf> {
    match origin {
        Origin::Folder(path) | Origin::Zip(path) => vec![path],
        Origin::Files(paths) => paths,
        Origin::Input(_) | Origin::Seeds(_) => Vec::new(),
    }
}
