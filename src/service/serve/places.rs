//! The directories of a daemon.

use std::ffi::{OsStr, OsString};
use std::fs::DirBuilder;
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::config::Config;
use crate::domain::RunId;
use crate::ingest::{cut_name, overlaps, probe, probe_one};
use crate::service::ServiceError;

/// Longer names of what was handed over are cut, so that a number fits before them.
const NAME_MOST: usize = 200;

/// Where things come from and go to.
#[derive(Debug)]
pub(super) struct Places {
    pub(super) inboxes: Vec<PathBuf>,
    pub(super) done: PathBuf,
    pub(super) rejected: PathBuf,
    pub(super) out: PathBuf,
    pub(super) requests: PathBuf,
}

impl Places {
    /// Makes what is missing. An inbox that was named must be there; the usual one is made.
    pub(super) fn make(config: &Config, named: &[PathBuf]) -> Result<Self, ServiceError> {
        // What a watcher tells of has its full path.
        let full = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let state = &full(config.state()?);
        let usual = full(&config.inbox_dir()?);
        let places = Self {
            inboxes: if named.is_empty() {
                vec![usual.clone()]
            } else {
                named.iter().map(|path| full(path)).collect()
            },
            done: state.join("done"),
            rejected: state.join("rejected"),
            out: state.join("out"),
            requests: state.join("requests"),
        };
        if named.is_empty() && config.inbox.dir.is_none() {
            make(&usual, 0o3770)?;
        }
        make(&places.requests, 0o3770)?;
        for path in [&places.done, &places.rejected, &places.out] {
            make(path, 0o2750)?;
        }
        places.check()?;
        Ok(places)
    }

    /// What is put away must not come in again, and all of it must be for us to write in.
    fn check(&self) -> Result<(), ServiceError> {
        for path in [&self.done, &self.rejected, &self.out, &self.requests] {
            try_in(path)?;
        }
        for inbox in &self.inboxes {
            for path in [&self.done, &self.rejected, &self.out, &self.requests] {
                if overlaps(inbox, path) {
                    let (inbox, path) = (inbox.clone(), path.clone());
                    return Err(ServiceError::Overlap { inbox, path });
                }
            }
            match probe(inbox, &self.done) {
                Ok(true) => {}
                Ok(false) => tracing::info!(
                    "{} and {} are on different file systems: what is done is copied",
                    inbox.display(),
                    self.done.display()
                ),
                Err(source) => return Err(unwritable(inbox, source)),
            }
        }
        Ok(())
    }

    /// Makes again what somebody removed.
    pub(super) fn restore(&self) {
        for path in [&self.done, &self.rejected, &self.out] {
            if !path.is_dir() && make(path, 0o2750).is_ok() {
                tracing::warn!("{} was gone and is made again", path.display());
            }
        }
    }

    /// Whether everything is there.
    pub(super) fn is_usable(&self) -> bool {
        [&self.done, &self.rejected, &self.out, &self.requests].iter().all(|path| path.is_dir())
    }
}

/// Makes a file in a directory, renames it, and removes it.
pub(in crate::service) fn try_in(path: &Path) -> Result<(), ServiceError> {
    probe_one(path).map_err(|failed| unwritable(path, failed.source))
}

/// Names what keeps us from it if it is a unit of systemd.
fn unwritable(path: &Path, source: io::Error) -> ServiceError {
    let shown = path.display();
    let advice = match source.kind() {
        ErrorKind::ReadOnlyFilesystem => format!("; in a unit of systemd: ReadWritePaths={shown}"),
        ErrorKind::PermissionDenied => {
            "; in a unit of systemd it is the user of User= who must be let in".to_owned()
        }
        ErrorKind::NotFound => {
            "; in a unit of systemd ProtectHome= and PrivateTmp= hide directories".to_owned()
        }
        _ => String::new(),
    };
    ServiceError::Unwritable { path: path.to_owned(), advice, source }
}

/// Those that the unit may not set when it makes a directory: what they are for is inherited, or set afterwards
/// where that is allowed.
const SPECIAL: u32 = 0o7000;

fn make(path: &Path, mode: u32) -> Result<(), ServiceError> {
    let made = DirBuilder::new().recursive(true).mode(mode & !SPECIAL).create(path);
    made.map_err(|source| ServiceError::Place { path: path.to_owned(), source })?;
    set_mode(path, mode).map_err(|source| ServiceError::Place { path: path.to_owned(), source })
}

/// The mask of the process must not take bits that others need.
fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let metadata = path.metadata()?;
    let ours = metadata.uid() == rustix::process::geteuid().as_raw();
    let permissions = std::fs::Permissions::from_mode(mode);
    if ours && metadata.mode() & 0o7777 != mode {
        // A directory that somebody prepared otherwise, or a unit that may not set these bits.
        if let Err(error) = std::fs::set_permissions(path, permissions) {
            let is = metadata.mode() & 0o7777;
            let shown = path.display();
            tracing::warn!(
                "{shown}: its mode stays {is:o} and should be {mode:o}: {error}; `systemd-tmpfiles --create` sets it"
            );
        }
    }
    Ok(())
}

/// The name of what was handed over, from where it came from.
pub(super) fn original_name(source: &[u8]) -> &OsStr {
    let first = source.split(|&byte| byte == 0).next().unwrap_or_default();
    Path::new(OsStr::from_bytes(first)).file_name().unwrap_or_default()
}

/// `RUN-NAME`, for whatever belongs to a run.
pub(super) fn run_name(run: RunId, name: &OsStr) -> OsString {
    let mut text = OsString::from(format!("{run}-"));
    text.push(cut_name(name, NAME_MOST));
    text
}
