//! QUERY on the command line: words, and flags that say the same as terms.

use std::ffi::{OsStr, OsString};

use clap::Args;
use jiff::Timestamp;

use super::lexer::begins_term;
use super::{parse, tag};
use crate::cli::{CliError, when};
use crate::domain::{SimulatorId, TimestampUs, Verdict};
use crate::store::{Query, Term, Test};

/// Which runs, cases or games are meant.
#[derive(Debug, Args)]
pub(in crate::cli) struct QueryArgs {
    /// Terms that must all hold, such as sim:mtj verdict:WA took>2s; - before one negates it
    #[arg(value_name = "QUERY")]
    words: Vec<String>,
    /// The same as sim:NAME
    #[arg(long, value_name = "NAME", help_heading = "Terms as flags")]
    sim: Option<SimulatorId>,
    /// The same as verdict:LIST, such as WA,CRASH
    #[arg(long, value_name = "LIST", value_delimiter = ',', help_heading = "Terms as flags")]
    verdict: Vec<Verdict>,
    /// The same as label:TEXT
    #[arg(long, value_name = "TEXT", help_heading = "Terms as flags")]
    label: Option<String>,
    /// The same as tag:KEY or tag:KEY=VALUE; may be given more than once
    #[arg(long = "tag", value_name = "KEY[=VALUE]", help_heading = "Terms as flags")]
    tags: Vec<String>,
    /// The same as since:WHEN: taken in then or later
    #[arg(long, value_name = "WHEN", help_heading = "Terms as flags")]
    since: Option<String>,
    /// The same as until:WHEN: taken in before then
    #[arg(long, value_name = "WHEN", help_heading = "Terms as flags")]
    until: Option<String>,
}

impl QueryArgs {
    /// The query that the words and flags make.
    pub(in crate::cli) fn query(&self) -> Result<Query, CliError> {
        self.query_of(&self.words)
    }

    /// The words as they were typed.
    pub(in crate::cli) fn words(&self) -> &[String] {
        &self.words
    }

    /// The query that some of the words and the flags make.
    pub(in crate::cli) fn query_of(&self, words: &[String]) -> Result<Query, CliError> {
        let now = Timestamp::now();
        let words: Vec<&str> = words.iter().map(|word| word.trim()).collect();
        let mut query = parse(&words.join(" "), now, when::zone()).map_err(CliError::Query)?;
        let moment = |flag: &str, text: &Option<String>| {
            let read = |text: &String| {
                when::parse(text, now, when::zone())
                    .map_err(|message| CliError::Usage(format!("{flag} {text}: {message}")))
            };
            text.as_ref().map(read).transpose()
        };
        let since: Option<TimestampUs> = moment("--since", &self.since)?;
        let until = moment("--until", &self.until)?;
        let verdicts = (!self.verdict.is_empty()).then(|| Test::Verdict(self.verdict.clone()));
        let tests = self.sim.map(Test::Simulator).into_iter();
        let tests = tests.chain(verdicts).chain(self.label.clone().map(Test::Label));
        let tests = tests.chain(self.tags.iter().map(|text| tag(text)));
        let tests = tests.chain(since.map(Test::Since)).chain(until.map(Test::Until));
        query.terms.extend(tests.map(|test| Term { negated: false, test }));
        Ok(query)
    }
}

/// Puts a blank before arguments that are negated terms, such as `-sim:mtj`, so that nobody takes them for
/// flags; a query does not mind blanks.
pub(in crate::cli) fn shield(
    arguments: impl IntoIterator<Item = OsString>,
) -> impl Iterator<Item = OsString> {
    let mut is_over = false;
    arguments.into_iter().map(move |argument| {
        is_over |= argument == "--";
        if is_over || !is_negated_term(&argument) {
            return argument;
        }
        let mut shielded = OsString::from(" ");
        shielded.push(argument);
        shielded
    })
}

/// No key is shorter than three letters, and no flag has a name of more than one after one dash.
fn is_negated_term(argument: &OsStr) -> bool {
    let Some(argument) = argument.to_str() else { return false };
    let begins = |text: &str| text.bytes().take_while(u8::is_ascii_alphabetic).count() >= 3;
    argument.strip_prefix('-').is_some_and(|text| begins(text) && begins_term(text))
}
