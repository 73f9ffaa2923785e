//! Which loose files belong together, told from their names.

use super::super::pairing::pair;
use super::super::rules::{PairRule, Shape, inputs, stem};

/// The files that become one drop with a file, told from the names that are there.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Company {
    /// These names, the file's own among them.
    Together(Vec<Vec<u8>>),
    /// It is an answer and its input is not there.
    Missing,
}

/// More names than any file has to do with; a folder made to be worse is paired by less.
const KIN_MOST: usize = 64;

/// Whether a name promises an answer.
pub(super) fn is_answer(name: &[u8]) -> bool {
    Shape::of(name, None) == Shape::Answer
}

/// The names that may have to do with a name: the answers it may have and the inputs it may answer.
#[must_use]
pub fn kin(name: &[u8]) -> Vec<Vec<u8>> {
    let rules = PairRule::ALL.into_iter();
    let mut kin: Vec<Vec<u8>> = rules.flat_map(|rule| rule.answers(name, None)).collect();
    kin.extend(inputs(name));
    kin.retain(|other| other != name);
    kin
}

impl Company {
    /// Pairs a file with what is there, as a folder with the same files would be paired.
    pub(super) fn of(name: &[u8], is_there: impl Fn(&[u8]) -> bool) -> Self {
        let mut names = vec![name.to_vec()];
        let mut at = 0;
        while at < names.len() && names.len() < KIN_MOST {
            for other in kin(&names[at]) {
                if !names.contains(&other) && is_there(&other) {
                    names.push(other);
                }
            }
            at += 1;
        }
        // `pair` prefers nobody, but looks at files in order.
        names.sort();
        Self::among(name, &names)
    }

    fn among(name: &[u8], names: &[Vec<u8>]) -> Self {
        let paths: Vec<&[u8]> = names.iter().map(|name| &name[..]).collect();
        let pairs = pair(&paths, None);
        for (input, answer) in pairs.answer.iter().enumerate() {
            let Some((rule, answer)) = *answer else { continue };
            let beside = (rule == PairRule::InAns).then(|| out_beside(&names[input]));
            let beside = beside
                .and_then(|out| names.iter().position(|name| *name == out))
                .filter(|&out| !pairs.used[out] && pairs.answer[out].is_none());
            let group = [Some(input), Some(answer), beside].into_iter().flatten();
            let group: Vec<Vec<u8>> = group.map(|at| names[at].clone()).collect();
            if group.iter().any(|member| member == name) {
                return Self::Together(group);
            }
        }
        if is_answer(name) { Self::Missing } else { Self::Together(vec![name.to_vec()]) }
    }
}

/// The `.out` that is left alone beside an input that has an `.ans`.
fn out_beside(input: &[u8]) -> Vec<u8> {
    [stem(input).unwrap_or(input), b".out"].concat()
}

#[cfg(test)]
mod tests {
    use super::Company;

    fn company(name: &str, there: &[&str]) -> Option<String> {
        let is_there = |other: &[u8]| there.iter().any(|name| name.as_bytes() == other);
        match Company::of(name.as_bytes(), is_there) {
            Company::Missing => None,
            Company::Together(names) => {
                let text = names.iter().map(|name| String::from_utf8_lossy(name).into_owned());
                Some(text.collect::<Vec<_>>().join(" "))
            }
        }
    }

    #[test]
    fn a_file_and_its_answer_name_each_other() {
        for (input, answer) in [
            ("1.in", "1.ans"),
            ("1.in", "1.out"),
            ("input3.txt", "output3.txt"),
            ("07", "07.a"),
            ("my_input", "my_output"),
            ("input-input.x", "answer-answer.x"),
        ] {
            let both = Some(format!("{input} {answer}"));
            assert_eq!(company(input, &[input, answer]), both);
            assert_eq!(company(answer, &[input, answer]), both);
            assert_eq!(company(input, &[input]).as_deref(), Some(input));
        }
    }

    #[test]
    fn an_answer_waits_for_its_input_and_the_out_beside_a_reference_goes_along() {
        for answer in ["1.ans", "1.out", "output3.txt", "07.a"] {
            assert_eq!(company(answer, &[answer, "2.in", "notes.txt"]), None);
        }
        let all = ["1.in", "1.ans", "1.out"];
        for name in all {
            assert_eq!(company(name, &all).as_deref(), Some("1.in 1.ans 1.out"));
        }
        assert_eq!(company("notes.txt", &all).as_deref(), Some("notes.txt"));
    }
}
