//! What can be asked of a daemon, and how: a file in `STATE/requests/`, renamed in, and a row with the answer.

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Again, Pruned};
use crate::store::Edit;

/// A request.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Ask {
    /// Claim nothing more.
    Pause {
        /// Let what is being played come to its end.
        drain: bool,
    },
    /// Claim again.
    Resume,
    /// Take back what is not done of a run.
    Cancel {
        /// Which.
        run: i64,
    },
    /// Play cases of a run again.
    Rerun {
        /// Which run.
        run: i64,
        /// Which cases, and how.
        again: Again,
    },
    /// Change what people call a run.
    Edit {
        /// Which run.
        run: i64,
        /// How.
        edit: Edit,
    },
    /// Remove runs, or what the settings say.
    Prune {
        /// Which runs; none for what the settings say.
        runs: Option<Vec<i64>>,
        /// Whether more are named by another request before anything is to happen.
        more: bool,
    },
}

/// What came of a request.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Reply {
    /// The run it is about, or the new one.
    pub run: Option<i64>,
    /// How many cases were taken back.
    pub cases: Option<u64>,
    /// What was removed.
    #[serde(default)]
    pub pruned: Option<Pruned>,
}

impl Ask {
    /// The kind of what takes long.
    pub(super) const PRUNE: &str = "prune";

    /// How many runs may be named in one request.
    pub const RUNS_MOST: usize = 2_000;

    /// Whether its answer may be long in coming.
    #[must_use]
    pub const fn takes_long(&self) -> bool {
        matches!(self, Self::Prune { .. })
    }

    /// The kind, as the store keeps it.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Pause { .. } => "pause",
            Self::Resume => "resume",
            Self::Cancel { .. } => "cancel",
            Self::Rerun { .. } => "rerun",
            Self::Edit { .. } => "edit",
            Self::Prune { .. } => Self::PRUNE,
        }
    }

    /// Takes a request back that was not answered.
    pub fn withdraw(state: &Path, token: &str) {
        let _ = fs::remove_file(state.join("requests").join(token));
    }

    /// Puts the request where the daemon finds it; the token is what its answer is known by.
    ///
    /// # Errors
    /// We may not write there, or there is no daemon that made the directory.
    pub fn send(&self, state: &Path, token: &str) -> io::Result<()> {
        let requests = state.join("requests");
        let making = requests.join(format!(".{token}"));
        let mut file = File::options().write(true).create_new(true).open(&making)?;
        // The daemon may be somebody else.
        file.set_permissions(Permissions::from_mode(0o660))?;
        file.write_all(serde_json::to_string(self)?.as_bytes())?;
        file.sync_all()?;
        fs::rename(making, requests.join(token))
    }
}
