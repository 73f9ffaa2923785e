//! The rules by which names belong together.

use std::borrow::Cow;

use super::Pattern;

/// Why a file is compared with another: the rule that names both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PairRule {
    /// `NAME.in` + `NAME.ans`.
    InAns,
    /// `NAME.in` + `NAME.out`.
    InOut,
    /// `in/X` + `out/X`, also `input/` and `Input/`: the innermost such folder. `in/1.in` may have
    /// `out/1.ans` or `out/1.out`.
    Folders,
    /// `inputN.txt` + `outputN.txt`.
    InputTxt,
    /// `NN` + `NN.a`, digits only, as in Polygon's packages.
    Digits,
    /// `input` in the path becomes `output` or `answer`, wherever it stands.
    Replaced,
    /// What `--pair` or the manifest says instead of all these.
    Given,
}

impl PairRule {
    /// Every rule, in the order in which they are tried.
    pub const ALL: [Self; 7] = [
        Self::InAns,
        Self::InOut,
        Self::Folders,
        Self::InputTxt,
        Self::Digits,
        Self::Replaced,
        Self::Given,
    ];

    /// What people see.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::InAns => "NAME.in + NAME.ans",
            Self::InOut => "NAME.in + NAME.out",
            Self::Folders => "in/X + out/X",
            Self::InputTxt => "inputN.txt + outputN.txt",
            Self::Digits => "NN + NN.a",
            Self::Replaced => "input replaced by output or answer",
            Self::Given => "--pair or `pair` in simdrop.toml",
        }
    }

    /// The paths at which the answer to an input may lie, the best first; none if the rule is not about
    /// such a path.
    pub(super) fn answers(self, input: &[u8], pattern: Option<&Pattern>) -> Vec<Vec<u8>> {
        let with = |ending: &[u8]| stem(input).map(|stem| [stem, ending].concat());
        match self {
            Self::InAns => with(b".ans").into_iter().collect(),
            Self::InOut => with(b".out").into_iter().collect(),
            Self::Folders => in_other_folder(input),
            Self::InputTxt => numbered(input, b"input")
                .map(|number| [folder(input), b"output", number, b".txt"].concat())
                .into_iter()
                .collect(),
            Self::Digits if is_digits(file_name(input)) => vec![[input, b".a"].concat()],
            Self::Digits => Vec::new(),
            Self::Replaced => replaced(input),
            Self::Given => pattern.and_then(|pattern| pattern.answer(input)).into_iter().collect(),
        }
    }
}

/// How a case is called after the path of its input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    /// Without `.in`.
    Stem,
    /// Without `.in`, and without the folder `in`.
    NoFolder,
    /// As the path is.
    Path,
}

impl Naming {
    /// The name of a case whose answer was found by a rule: of `in/X` without the folder.
    pub(super) const fn of(rule: Option<PairRule>) -> Self {
        match rule {
            Some(PairRule::Folders) => Self::NoFolder,
            _ => Self::Stem,
        }
    }

    pub(super) fn name(self, input: &[u8]) -> Cow<'_, [u8]> {
        let bare = stem(input).unwrap_or(input);
        match (self, in_folder(bare)) {
            (Self::NoFolder, Some(at)) => [&bare[..at.start], &bare[at.end + 1..]].concat().into(),
            (Self::NoFolder | Self::Stem, _) => bare.into(),
            (Self::Path, _) => input.into(),
        }
    }
}

/// What a name promises, whatever lies beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Input,
    Answer,
    Other,
}

impl Shape {
    pub(super) fn of(path: &[u8], pattern: Option<&Pattern>) -> Self {
        let name = file_name(path);
        let (input, answer) = pattern.map_or_else(
            || (stem(path).is_some() || numbered(path, b"input").is_some(), is_answer(name)),
            |pattern| (pattern.is_input(path), pattern.is_answer(path)),
        );
        match (input, answer) {
            (true, _) => Self::Input,
            (false, true) => Self::Answer,
            (false, false) => Self::Other,
        }
    }
}

fn is_answer(name: &[u8]) -> bool {
    name.ends_with(b".ans")
        || name.ends_with(b".out")
        || numbered(name, b"output").is_some()
        || name.strip_suffix(b".a").is_some_and(is_digits)
}

/// The path without `.in`, if that is its ending and leaves a name.
pub(super) fn stem(path: &[u8]) -> Option<&[u8]> {
    path.strip_suffix(b".in").filter(|stem| !file_name(stem).is_empty())
}

fn file_name(path: &[u8]) -> &[u8] {
    &path[folder(path).len()..]
}

/// The folders around a file, with the last slash.
pub(super) fn folder(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|&byte| byte == b'/').map_or(0, |at| at + 1);
    &path[..end]
}

fn is_digits(name: &[u8]) -> bool {
    !name.is_empty() && name.iter().all(u8::is_ascii_digit)
}

/// The `N` of a file called `inputN.txt`, for the word `input`.
fn numbered<'a>(path: &'a [u8], word: &[u8]) -> Option<&'a [u8]> {
    let number = file_name(path).strip_prefix(word)?.strip_suffix(b".txt")?;
    is_digits(number).then_some(number)
}

/// The folders of inputs, and those of answers.
const FOLDERS: [(&[u8], &[u8]); 3] =
    [(b"in", b"out"), (b"input", b"output"), (b"Input", b"Output")];

/// Where the innermost folder of inputs stands in a path.
fn in_folder(path: &[u8]) -> Option<std::ops::Range<usize>> {
    let mut end = folder(path).len().checked_sub(1)?;
    loop {
        let start = path[..end].iter().rposition(|&byte| byte == b'/').map_or(0, |at| at + 1);
        if FOLDERS.iter().any(|(inputs, _)| path[start..end] == **inputs) {
            return Some(start..end);
        }
        end = start.checked_sub(1)?;
    }
}

fn in_other_folder(input: &[u8]) -> Vec<Vec<u8>> {
    let Some(at) = in_folder(input) else { return Vec::new() };
    let other = FOLDERS.iter().find(|(inputs, _)| input[at.clone()] == **inputs);
    let Some((_, answers)) = other else { return Vec::new() };
    let there = [&input[..at.start], answers, &input[at.end..]].concat();
    let swapped =
        stem(&there).map(|stem| [b".ans", b".out"].map(|ending| [stem, &ending[..]].concat()));
    swapped.into_iter().flatten().chain([there.clone()]).collect()
}

/// The paths of the inputs that a path may answer, for files that lie in one folder.
pub(super) fn inputs(answer: &[u8]) -> Vec<Vec<u8>> {
    let mut inputs = Vec::new();
    for ending in [&b".ans"[..], b".out"] {
        inputs.extend(answer.strip_suffix(ending).map(|stem| [stem, b".in"].concat()));
    }
    inputs.extend(
        numbered(answer, b"output")
            .map(|number| [folder(answer), b"input", number, b".txt"].concat()),
    );
    inputs.extend(answer.strip_suffix(b".a").filter(|stem| is_digits(stem)).map(<[u8]>::to_vec));
    inputs.extend([&b"output"[..], b"answer"].iter().filter_map(|word| {
        let parts = split(answer, word);
        (parts.len() > 1).then(|| parts.join(&b"input"[..]))
    }));
    inputs
}

fn replaced(input: &[u8]) -> Vec<Vec<u8>> {
    let parts = split(input, b"input");
    if parts.len() == 1 {
        return Vec::new();
    }
    [&b"output"[..], b"answer"].map(|word| parts.join(word)).to_vec()
}

/// What stands between the places at which a word stands.
fn split<'a>(path: &'a [u8], word: &[u8]) -> Vec<&'a [u8]> {
    let mut parts = Vec::new();
    let mut from = 0;
    while let Some(at) = path[from..].windows(word.len()).position(|window| window == word) {
        parts.push(&path[from..from + at]);
        from += at + word.len();
    }
    parts.push(&path[from..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::{Naming, PairRule, Shape};

    fn answers(rule: PairRule, input: &str) -> Vec<String> {
        let paths = rule.answers(input.as_bytes(), None).into_iter();
        paths.map(|path| String::from_utf8(path).expect("text")).collect()
    }

    #[test]
    fn each_rule_names_the_answers_of_its_inputs() {
        assert_eq!(answers(PairRule::InAns, "a/1.in"), ["a/1.ans"]);
        assert_eq!(answers(PairRule::InOut, "a/1.in"), ["a/1.out"]);
        assert_eq!(answers(PairRule::Folders, "in/a/1.txt"), ["out/a/1.txt"]);
        assert_eq!(answers(PairRule::Folders, "in/1.in"), ["out/1.ans", "out/1.out", "out/1.in"]);
        assert_eq!(answers(PairRule::Folders, "in/Input/input/x"), ["in/Input/output/x"]);
        assert_eq!(answers(PairRule::InputTxt, "a/input0.txt"), ["a/output0.txt"]);
        assert_eq!(answers(PairRule::Digits, "tests/01"), ["tests/01.a"]);
        let both = ["output/outputs.x", "answer/answers.x"];
        assert_eq!(answers(PairRule::Replaced, "input/inputs.x"), both);
    }

    #[test]
    fn no_rule_is_about_a_path_of_another_shape() {
        for rule in PairRule::ALL {
            for path in ["a/.in", ".in", "begin", "in", "input.d", "01x", "x/inbox/y"] {
                let fits = rule == PairRule::Replaced && path == "input.d";
                assert_eq!(!answers(rule, path).is_empty(), fits, "{rule:?} {path}");
            }
        }
    }

    #[test]
    fn a_name_alone_may_promise_an_input_or_an_answer() {
        let shape = |path: &str| Shape::of(path.as_bytes(), None);
        for path in ["1.in", "a/input12.txt"] {
            assert_eq!(shape(path), Shape::Input, "{path}");
        }
        for path in ["1.ans", "a/1.out", "output3.txt", "x/07.a"] {
            assert_eq!(shape(path), Shape::Answer, "{path}");
        }
        for path in ["input.txt", "x.a", "01", "readme.md", "output.txt"] {
            assert_eq!(shape(path), Shape::Other, "{path}");
        }
    }

    #[test]
    fn a_case_is_called_after_its_input() {
        let name = |rule, path: &str| {
            String::from_utf8(Naming::of(rule).name(path.as_bytes()).into_owned()).expect("text")
        };
        assert_eq!(name(Some(PairRule::InAns), "a/1.in"), "a/1");
        assert_eq!(name(None, "in/1.in"), "in/1");
        assert_eq!(name(Some(PairRule::Folders), "x/in/y/1.in"), "x/y/1");
        assert_eq!(name(Some(PairRule::Folders), "in/0001.txt"), "0001.txt");
        assert_eq!(name(Some(PairRule::InputTxt), "input1.txt"), "input1.txt");
    }
}
