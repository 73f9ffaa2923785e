//! REF: how people name a run, a case or a game.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use super::CliError;
use crate::domain::RunId;
use crate::store::{CaseChoice, CaseRecord, Reader, RunChoice, RunRecord};

/// `RUN`, `RUN/CASE` or `RUN/CASE#GAME`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reference {
    text: OsString,
    run: RunChoice,
    case: Option<CaseChoice>,
    /// The game, from 1.
    pub(super) game: Option<u64>,
}

impl Reference {
    /// Reads a REF as typed.
    pub(super) fn parse(text: &OsStr) -> Result<Self, String> {
        let (run, rest) = split(text.as_bytes(), b'/');
        let run = std::str::from_utf8(run).ok().and_then(parse_run).ok_or(
            "a run is its number, `latest`, `-N` for the Nth newest, or `label:TEXT`".to_owned(),
        )?;
        let (case, game) = rest.map_or((None, None), parse_case);
        Ok(Self { text: text.to_owned(), run, case, game })
    }

    /// The number of a run, and the rank and game, of a text that names all of them by numbers.
    pub(super) fn numbers(text: &str) -> Option<(RunId, Option<u32>, Option<u64>)> {
        let reference = Self::parse(OsStr::new(text)).ok()?;
        match (reference.run, reference.case) {
            (RunChoice::Id(run), None) => Some((run, None, None)),
            (RunChoice::Id(run), Some(CaseChoice::Rank(rank))) => {
                Some((run, Some(rank), reference.game))
            }
            _ => None,
        }
    }

    /// Finds the run.
    pub(super) fn find_run(&self, reader: &Reader) -> Result<RunRecord, CliError> {
        reader.run(&self.run)?.ok_or_else(|| self.missing("run"))
    }

    /// Finds the run; a case of it must not be named.
    pub(super) fn find_only_run(&self, reader: &Reader) -> Result<RunRecord, CliError> {
        if self.case.is_some() {
            return Err(CliError::Usage(format!("{}: a run is wanted", self.text.display())));
        }
        self.find_run(reader)
    }

    /// Finds the case of a run, if the reference names one.
    pub(super) fn find_case(
        &self,
        reader: &Reader,
        run: RunId,
    ) -> Result<Option<CaseRecord>, CliError> {
        let Some(case) = &self.case else { return Ok(None) };
        let found = reader.case(run, case)?;
        found.map_or_else(|| Err(self.missing("case")), |case| Ok(Some(case)))
    }

    /// Says that what is named does not exist.
    pub(super) fn missing(&self, what: &str) -> CliError {
        CliError::Missing(format!("no such {what}: {}", self.text.display()))
    }
}

fn parse_run(text: &str) -> Option<RunChoice> {
    if text == "latest" {
        return Some(RunChoice::Newest(0));
    }
    if let Some(label) = text.strip_prefix("label:") {
        return Some(RunChoice::Label(label.to_owned()));
    }
    if let Some(nth) = text.strip_prefix('-') {
        return nth.parse::<u32>().ok()?.checked_sub(1).map(RunChoice::Newest);
    }
    text.parse().ok().map(|id| RunChoice::Id(RunId(id)))
}

fn parse_case(text: &[u8]) -> (Option<CaseChoice>, Option<u64>) {
    if let Some(at) = text.iter().rposition(|&byte| byte == b'#')
        && let Some(game) = number(&text[at + 1..])
    {
        return (Some(case_choice(&text[..at])), Some(game));
    }
    (Some(case_choice(text)), None)
}

/// Digits are a rank, anything else a name.
fn case_choice(text: &[u8]) -> CaseChoice {
    match number(text).and_then(|number| u32::try_from(number).ok()) {
        Some(rank) => CaseChoice::Rank(rank),
        None => CaseChoice::Name(text.to_vec()),
    }
}

fn number(digits: &[u8]) -> Option<u64> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

fn split(text: &[u8], at: u8) -> (&[u8], Option<&[u8]>) {
    match text.iter().position(|&byte| byte == at) {
        Some(place) => (&text[..place], Some(&text[place + 1..])),
        None => (text, None),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::{CaseChoice, Reference, RunChoice};
    use crate::domain::RunId;

    fn parse(text: &str) -> Result<(RunChoice, Option<CaseChoice>, Option<u64>), String> {
        let parsed = Reference::parse(OsStr::new(text))?;
        Ok((parsed.run, parsed.case, parsed.game))
    }

    #[test]
    fn a_run_is_a_number_latest_a_negative_number_or_a_label() {
        assert_eq!(parse("12"), Ok((RunChoice::Id(RunId(12)), None, None)));
        assert_eq!(parse("latest"), Ok((RunChoice::Newest(0), None, None)));
        assert_eq!(parse("-1"), Ok((RunChoice::Newest(0), None, None)));
        assert_eq!(parse("-3"), Ok((RunChoice::Newest(2), None, None)));
        assert_eq!(parse("label:week 3"), Ok((RunChoice::Label("week 3".to_owned()), None, None)));
        for wrong in ["", "x", "-0", "--1", "12x", "1.5"] {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_case_is_a_rank_or_a_name_and_a_game_is_a_number_after_a_hash() {
        let name = |name: &str| Some(CaseChoice::Name(name.as_bytes().to_vec()));
        let run = RunChoice::Id(RunId(1));
        assert_eq!(parse("1/7"), Ok((run.clone(), Some(CaseChoice::Rank(7)), None)));
        assert_eq!(parse("1/a/7"), Ok((run.clone(), name("a/7"), None)));
        assert_eq!(parse("1/7#3"), Ok((run.clone(), Some(CaseChoice::Rank(7)), Some(3))));
        assert_eq!(parse("1/a#b#3"), Ok((run.clone(), name("a#b"), Some(3))));
        assert_eq!(parse("1/a#b"), Ok((run, name("a#b"), None)));
    }
}
