//! What people hand over besides inputs and answers.

use std::path::{Component, Path};

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use crate::config::{self, Limits};
use crate::domain::{CompareMode, RuleSet, SimulatorId};
use crate::ingest::{Cap, Choices, Origin, Pattern, list};

/// Small, so that they are reached.
const LIMITS: Limits = Limits {
    max_input_bytes: 4 << 10,
    max_output_bytes: 4 << 10,
    max_games: 10,
    max_folder_files: 64,
    max_zip_entries: 64,
    max_zip_bytes: 64 << 10,
    max_zip_ratio: 20,
};

/// A zip lets nothing out and gives no more than it may: names stay below it, and no file is larger than its cap.
pub(super) fn zip(bytes: &[u8]) {
    let origin = Origin::spool(&mut &bytes[..], &LIMITS).expect("a temporary file");
    let Ok(listing) = list(&origin, &Choices::default(), &LIMITS) else { return };
    assert!(listing.entries.len() <= 64, "more entries than may be");
    let cap = Cap { bytes: LIMITS.max_input_bytes, key: "max_input_bytes" };
    for entry in &listing.entries {
        for file in [Some(&entry.input), entry.compared.as_ref()].into_iter().flatten() {
            let path = Path::new(OsStr::from_bytes(file.path()));
            let inside = path.components().all(|part| matches!(part, Component::Normal(_)));
            assert!(inside, "{}", path.display());
            let mut read = 0;
            let _ = file.read(cap, &mut |part| read += part.len() as u64);
            assert!(read <= cap.bytes, "{read} bytes of {}", path.display());
        }
    }
}

/// The words of a manifest are known or refused with a place in it.
pub(super) fn manifest(bytes: &[u8]) {
    let path = Path::new("simdrop.toml");
    let Ok(words) = config::Manifest::parse(bytes, path) else { return };
    let refused = |word: &config::Word| {
        let said = words.wrong(word, "no".to_owned()).to_string();
        assert!(said.starts_with("simdrop.toml: line "), "{said}");
    };
    words
        .simulator
        .iter()
        .filter(|word| word.text.parse::<SimulatorId>().is_err())
        .for_each(refused);
    words.rules.iter().filter(|word| word.text.parse::<RuleSet>().is_err()).for_each(refused);
    words.compare.iter().filter(|word| word.text.parse::<CompareMode>().is_err()).for_each(refused);
    if let Some(word) = &words.pair
        && let Ok(pattern) = word.text.parse::<Pattern>()
    {
        assert_eq!(pattern.to_string().parse(), Ok(pattern), "a pattern prints as another");
    }
}
