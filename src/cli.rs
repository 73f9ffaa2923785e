//! The command line: what people type, and what they get to see.

mod answers;
mod cell;
mod check;
mod client;
mod compare;
mod completions;
mod csv;
mod daemon;
mod diff;
mod doctor;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzzing;
mod json;
mod lint;
mod list;
mod manual;
mod matrix;
mod number;
mod progress;
mod query;
mod reference;
mod render;
mod report;
mod rerun;
mod run;
mod serve;
mod shell;
mod show;
mod sim;
mod stats;
mod status;
mod steer;
mod steps;
mod store;
mod table;
mod trace;
mod verify;
mod voice;
mod wait;
mod when;

use std::ffi::OsString;
use std::io::{self, BufWriter, StdoutLock, Write};
use std::path::PathBuf;

use anstream::ColorChoice;
use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::config::{Config, ConfigError, Overrides};
use crate::domain::{RunId, chain};
use crate::exit::Exit;
use crate::logging;
use crate::service::{HandoverError, ServiceError};
use crate::store::{Reader, StoreError};
use voice::{note, refuse};

/// Evaluates deterministic game simulators in batches and remembers every result.
#[derive(Debug, Parser)]
#[command(name = "simdrop", version, max_term_width = 100, disable_help_subcommand = true)]
#[command(after_help = "Exit codes: 0 fine, 1 the answer is no, 2 usage, 3 no such thing, \
4 environment, 5 held, 6 newer store, 7 damaged store.")]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// What every command understands.
#[derive(Debug, Args)]
#[command(next_help_heading = "Everywhere")]
struct Global {
    /// The directory of the store
    #[arg(long, global = true, value_name = "DIR")]
    state: Option<PathBuf>,
    /// A file of settings, read after the system's and the user's
    #[arg(long, global = true, value_name = "FILE", num_args = 0..=1)]
    config: Option<Option<PathBuf>>,
    /// When to use colour
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: Color,
    /// Show and read moments in UTC instead of local time
    #[arg(long, global = true)]
    utc: bool,
    /// Say more on standard error; twice for every case
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
    /// What lines on standard error look like
    #[arg(long, global = true, value_name = "FORMAT")]
    log_format: Option<voice::Form>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::RunArgs),
    Serve(serve::ServeArgs),
    Check(check::CheckArgs),
    Answers(answers::AnswersArgs),
    Lint(lint::LintArgs),
    Sim(sim::SimArgs),
    List(list::ListArgs),
    Show(show::ShowArgs),
    Trace(trace::TraceArgs),
    Compare(compare::CompareArgs),
    Stats(stats::StatsArgs),
    Status(status::StatusArgs),
    Pause(steer::PauseArgs),
    Resume(steer::ResumeArgs),
    Cancel(steer::CancelArgs),
    Wait(wait::WaitArgs),
    Rerun(rerun::RerunArgs),
    Verify(verify::VerifyArgs),
    Store(store::StoreArgs),
    Doctor(doctor::DoctorArgs),
    Completions(completions::CompletionsArgs),
    Man(manual::ManArgs),
}

/// Standard output, as it is: stored bytes go through it too.
type Out = BufWriter<StdoutLock<'static>>;

/// Runs the program with these arguments, the first one its name, and says how it ended.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    let cli = match Cli::try_parse_from(query::shield(arguments)) {
        Ok(cli) => cli,
        Err(error) => return explain(&error),
    };
    #[cfg(feature = "faults")]
    if let Some(point) = crate::config::crash_point() {
        crate::domain::arm_crash_point(&point);
    }
    cli.global.color.choice().write_global();
    if cli.global.utc {
        when::use_utc();
    }
    let log = logging::start(voice::of(&cli.global, matches!(cli.command, Command::Serve(_))));
    let mut out = BufWriter::with_capacity(64 << 10, io::stdout().lock());
    let ended = cli.command.run(&cli.global, &mut out);
    let flushed = |exit| printed(out.flush().map_err(CliError::Output), exit);
    let exit = ended.and_then(flushed).unwrap_or_else(|error| complain(&error));
    log.close();
    exit
}

impl Command {
    fn run(self, global: &Global, out: &mut Out) -> Result<Exit, CliError> {
        match self {
            Self::Run(args) => run::run(&args, global, out),
            Self::Check(args) => check::run(&args, global, out),
            Self::Answers(args) => answers::run(&args, global, out),
            Self::Lint(args) => lint::run(&args, global, out),
            Self::Sim(args) => sim::run(&args, global, out),
            Self::List(args) => list::run(&args, global, out),
            Self::Show(args) => show::run(&args, global, out),
            Self::Trace(args) => trace::run(&args, global, out),
            Self::Compare(args) => compare::run(&args, global, out),
            Self::Stats(args) => stats::run(&args, global, out),
            Self::Serve(args) => serve::run(&args, global),
            Self::Status(args) => status::run(&args, global, out),
            Self::Pause(args) => steer::pause(&args, global),
            Self::Resume(args) => steer::resume(&args, global),
            Self::Cancel(args) => steer::cancel(&args, global, out),
            Self::Wait(args) => wait::run(&args, global, out),
            Self::Rerun(args) => rerun::run(&args, global, out),
            Self::Verify(args) => verify::run(&args, global, out),
            Self::Store(args) => store::run(&args, global, out),
            Self::Doctor(args) => doctor::run(&args, global, out),
            Self::Completions(args) => completions::run(&args, out),
            Self::Man(args) => manual::run(&args),
        }
    }
}

impl Color {
    const fn choice(self) -> ColorChoice {
        match self {
            Self::Auto => ColorChoice::Auto,
            Self::Always => ColorChoice::Always,
            Self::Never => ColorChoice::Never,
        }
    }
}

impl Global {
    fn config(&self, jobs: Option<usize>) -> Result<Config, CliError> {
        if self.config == Some(None) {
            let message = "--config: name the file; only doctor shows settings without one";
            return Err(CliError::Usage(message.to_owned()));
        }
        Ok(Config::load(&self.overrides(jobs))?)
    }

    fn overrides(&self, jobs: Option<usize>) -> Overrides {
        let log_format = self.log_format.map(voice::Form::format);
        let (config, state) = (self.config.clone().flatten(), self.state.clone());
        Overrides { config, state, jobs, log_format }
    }

    /// The store for reading; `None` if there is none yet.
    fn reader(&self) -> Result<Option<Reader>, CliError> {
        Ok(Reader::open(self.config(None)?.state()?)?)
    }
}

/// What clap says: help and version are results, all else is wrong usage.
fn explain(error: &clap::Error) -> Exit {
    let wanted = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    match (error.print(), wanted) {
        (Ok(()), true) => Exit::Fine,
        (Err(error), true) if error.kind() != io::ErrorKind::BrokenPipe => Exit::Environment,
        (Err(_), true) => Exit::Fine,
        (_, false) => Exit::Usage,
    }
}

/// The exit code once the result is printed. Nobody has to read all of it: a closed pipe is no error,
/// and does not make a *no* a *fine*.
fn printed(printed: Result<(), CliError>, exit: Exit) -> Result<Exit, CliError> {
    match printed {
        Err(error) if error.is_closed_pipe() => Ok(exit),
        printed => printed.map(|()| exit),
    }
}

/// Prints an error with all its causes.
fn complain(error: &CliError) -> Exit {
    if error.is_closed_pipe() {
        return Exit::Fine;
    }
    voice::complain(&chain(error));
    if let CliError::Query(error) = error {
        error.lines().iter().for_each(|line| note(line));
    }
    error.exit()
}

/// Why a command could not do what it was asked.
#[derive(Debug, thiserror::Error)]
enum CliError {
    /// The arguments do not fit together.
    #[error("{0}")]
    Usage(String),
    /// A query cannot be read.
    #[error("QUERY, {0}")]
    Query(query::QueryError),
    /// Something that was named is not there.
    #[error("{0}")]
    Missing(String),
    /// A file cannot be read.
    #[error("{}", .path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("standard output: {0}")]
    Output(io::Error),
    /// The system does not bound this process.
    #[error("cannot bound this process: {0}")]
    Confine(io::Error),
    /// What the store keeps in chunks.
    #[error("the store cannot be read: {0}")]
    Stored(io::Error),
    /// Nobody serves this store.
    #[error("no daemon serves this store; `simdrop serve` starts one")]
    NoDaemon,
    /// No store of its own for this command.
    #[error("a temporary store cannot be made: {0}")]
    Here(io::Error),
    /// The daemon's inbox is not for us.
    #[error("the daemon is not given it{who}")]
    Handover {
        /// Who may, if we may not.
        who: String,
        source: HandoverError,
    },
    /// The daemon ended while somebody waited for a run.
    #[error("the daemon has ended; run {0} goes on when it is back: simdrop wait {0}")]
    DaemonEnded(RunId),
    /// We may not ask.
    #[error("{}: not allowed to ask the daemon; it takes requests from its group", .state.display())]
    Asking { state: PathBuf, source: io::Error },
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Service(#[from] ServiceError),
}

impl From<io::Error> for CliError {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl CliError {
    fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Output(source) if source.kind() == io::ErrorKind::BrokenPipe)
    }

    fn exit(&self) -> Exit {
        match self {
            Self::Usage(_)
            | Self::Query(_)
            | Self::Config(_)
            | Self::Service(ServiceError::Overlap { .. }) => Exit::Usage,
            Self::Missing(_) => Exit::Missing,
            Self::Service(ServiceError::OutputLost { .. }) => Exit::No,
            Self::File { source, .. } if source.kind() == io::ErrorKind::NotFound => Exit::Missing,
            Self::File { .. }
            | Self::Output(_)
            | Self::Confine(_)
            | Self::NoDaemon
            | Self::DaemonEnded(_)
            | Self::Here(_)
            | Self::Handover { .. }
            | Self::Asking { .. } => Exit::Environment,
            Self::Stored(_) => Exit::Damaged,
            Self::Store(error) | Self::Service(ServiceError::Store(error)) => store_exit(error),
            Self::Service(ServiceError::Ingest(error)) => report::ingest_exit(error),
            Self::Service(_) => Exit::Environment,
        }
    }
}

impl From<HandoverError> for CliError {
    fn from(source: HandoverError) -> Self {
        Self::Handover { who: who_may(&source), source }
    }
}

/// Who may hand over, if we may not.
fn who_may(error: &HandoverError) -> String {
    use std::os::unix::fs::MetadataExt;
    let denied = error.source.kind() == io::ErrorKind::PermissionDenied;
    match error.inbox.metadata() {
        Ok(inbox) if denied => format!("; the group {} may", daemon::group_name(inbox.gid())),
        _ => String::new(),
    }
}

fn store_exit(error: &StoreError) -> Exit {
    match error {
        StoreError::Held { .. } => Exit::Held,
        StoreError::Newer { .. } => Exit::Newer,
        StoreError::Damaged(_) => Exit::Damaged,
        StoreError::LabelTwice { .. } => Exit::Usage,
        StoreError::Io { .. }
        | StoreError::Older { .. }
        | StoreError::Sqlite(_)
        | StoreError::OldSqlite { .. }
        | StoreError::Foreign
        | StoreError::OutOfOrder(_)
        | StoreError::Panicked(_)
        | StoreError::Stopped => Exit::Environment,
    }
}
