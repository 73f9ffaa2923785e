//! Where the benches write.

use std::fs;
use std::path::Path;

use simdrop::domain::SimulatorId;
use tempfile::TempDir;

use crate::inputs::small;
use crate::played::Played;

/// A directory of its own on a real disk, gone when it is dropped.
pub(crate) fn place() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory below target")
}

/// Writes one input and its answer for each number, named after it; every tenth answer is wrong.
pub(crate) fn fill(folder: &Path, numbers: impl Iterator<Item = u64>) {
    fs::create_dir_all(folder).expect("a folder");
    for number in numbers {
        let input = small(number);
        let mut answer = Played::text(&input, SimulatorId::ThunderBluff).output;
        if number % 10 == 0 {
            answer.extend_from_slice(b"7\n");
        }
        fs::write(folder.join(format!("{number}.in")), input).expect("an input");
        fs::write(folder.join(format!("{number}.ans")), answer).expect("an answer");
    }
}
