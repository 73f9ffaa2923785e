//! What can be asked of a daemon, and how: a file in `STATE/requests/`, renamed in, and a row with the answer.

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Again;

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
}

/// What came of a request.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Reply {
    /// The run it is about, or the new one.
    pub run: Option<i64>,
    /// How many cases were taken back.
    pub cases: Option<u64>,
}

impl Ask {
    /// The kind, as the store keeps it.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Pause { .. } => "pause",
            Self::Resume => "resume",
            Self::Cancel { .. } => "cancel",
            Self::Rerun { .. } => "rerun",
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
