//! Which file answers which input.

use std::collections::HashMap;

use super::{PairRule, Pattern};

/// For each input the rule and the file that answers it, and which files answer somebody.
#[derive(Debug)]
pub(super) struct Pairs {
    /// The rule and the number of the file that answers, by the number of the input.
    pub(super) answer: Vec<Option<(PairRule, usize)>>,
    /// Whether a file answers an input, by the number of the file.
    pub(super) used: Vec<bool>,
}

/// Pairs files among themselves.
pub(super) fn pair(files: &[&[u8]], pattern: Option<&Pattern>) -> Pairs {
    Pairs::find(files, files, true, pattern)
}

/// Pairs inputs with files that lie somewhere else, as if they lay beside the inputs.
pub(super) fn pair_with(inputs: &[&[u8]], files: &[&[u8]], pattern: Option<&Pattern>) -> Pairs {
    Pairs::find(inputs, files, false, pattern)
}

impl Pairs {
    /// Tries one rule after the other on all inputs, so that a file that two rules want goes to the
    /// first. `together`: inputs and files are the same, and none is both.
    fn find(inputs: &[&[u8]], files: &[&[u8]], together: bool, pattern: Option<&Pattern>) -> Self {
        let places: HashMap<&[u8], usize> = files.iter().copied().zip(0..).collect();
        let mut pairs = Self { answer: vec![None; inputs.len()], used: vec![false; files.len()] };
        let wanted = |rule: &PairRule| (*rule == PairRule::Given) == pattern.is_some();
        for rule in PairRule::ALL.into_iter().filter(wanted) {
            for (at, input) in inputs.iter().enumerate() {
                if pairs.answer[at].is_some() || (together && pairs.used[at]) {
                    continue;
                }
                let free = |&file: &usize| {
                    let is_input = together && (file == at || pairs.answer[file].is_some());
                    !pairs.used[file] && !is_input
                };
                let paths = rule.answers(input, pattern);
                let mut there = paths.iter().filter_map(|path| places.get(&path[..]).copied());
                if let Some(file) = there.find(free) {
                    pairs.answer[at] = Some((rule, file));
                    pairs.used[file] = true;
                }
            }
        }
        pairs
    }
}
