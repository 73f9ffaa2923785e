//! How a case of one run differs from the same case of another run.

use super::Verdict;

/// What became of a case from one run, A, to another, B.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Change {
    /// It was fine and is not any more.
    Failing,
    /// It was not fine and is now.
    Passing,
    /// It has another verdict, as fine or as bad as before.
    Verdict,
    /// Its input is another one.
    Input,
    /// Its output is another one: of other rules, or of another version of the simulator.
    Output,
    /// Only A has it.
    OnlyA,
    /// Only B has it.
    OnlyB,
    /// A or B has not played it yet.
    Unfinished,
}

impl Change {
    /// Every change, in the order in which people want to hear of them.
    pub const ALL: [Self; 8] = [
        Self::Failing,
        Self::Passing,
        Self::Verdict,
        Self::Input,
        Self::Output,
        Self::OnlyA,
        Self::OnlyB,
        Self::Unfinished,
    ];

    /// The name people type and see.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Failing => "failing",
            Self::Passing => "passing",
            Self::Verdict => "verdict",
            Self::Input => "input",
            Self::Output => "output",
            Self::OnlyA => "only-a",
            Self::OnlyB => "only-b",
            Self::Unfinished => "unfinished",
        }
    }

    /// What became of a case that both runs have, from its verdicts and whether its input and its output
    /// are the same; `None`: nothing changed.
    #[must_use]
    pub fn between(
        verdicts: [Option<Verdict>; 2],
        same_input: bool,
        same_output: bool,
    ) -> Option<Self> {
        let [Some(a), Some(b)] = verdicts else { return Some(Self::Unfinished) };
        match (a.is_fine(), b.is_fine()) {
            (true, false) => Some(Self::Failing),
            (false, true) => Some(Self::Passing),
            _ if a != b => Some(Self::Verdict),
            _ if !same_input => Some(Self::Input),
            _ if !same_output => Some(Self::Output),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Change, Verdict};

    #[test]
    fn a_verdict_that_turns_says_more_than_an_input_and_that_more_than_an_output() {
        let between = |a, b, same_input, same_output| {
            Change::between([Some(a), Some(b)], same_input, same_output)
        };
        let (ac, wa, noref) = (Verdict::Ac, Verdict::Wa, Verdict::NoRef);
        assert_eq!(between(ac, wa, false, false), Some(Change::Failing));
        assert_eq!(between(wa, noref, false, false), Some(Change::Passing));
        assert_eq!(between(noref, ac, false, false), Some(Change::Verdict));
        assert_eq!(between(wa, Verdict::Pe, true, true), Some(Change::Verdict));
        assert_eq!(between(wa, wa, false, false), Some(Change::Input));
        assert_eq!(between(ac, ac, true, false), Some(Change::Output));
        assert_eq!(between(wa, wa, true, true), None);
        assert_eq!(Change::between([Some(ac), None], true, true), Some(Change::Unfinished));
    }
}
