//! Taking in: what people hand over, which files belong together, and their bytes.
//!
//! Nothing here writes, except for a copy of standard input that has no name, for answers that somebody
//! wants beside their inputs, and for what is moved out of an inbox. Nothing but a regular file is read, zips are
//! never unpacked to disk, and below a folder that was handed over or dropped no link is followed ([`Root`]).

mod archive;
mod aside;
mod beside;
mod frozen;
mod inbox;
mod junk;
mod listing;
mod manifest;
mod origin;
mod pairing;
mod pattern;
mod people;
mod read;
mod root;
mod rules;
mod sanity;
mod seeds;
mod selection;
mod source;
mod stamp;
mod subtree;
mod tree;
mod unzip;
mod walk;
mod watch;
mod window;

pub use aside::{
    AsideError, ProbeError, Put, cut_name, give_back, mark_done, overlaps, probe, probe_one,
    put_away,
};
pub use beside::{Placed, Refusal, answer_path, place};
pub use frozen::{Again, Frozen};
pub use inbox::{
    ASIDE, Counts, Dropped, Found, HANDED_OVER, Inbox, InboxError, InboxSettings, MAKING,
    READY_MOST, Refused, Shown, Tally, kin,
};
pub use listing::{Choices, Entry, Listing, list};
pub use manifest::Manifest;
pub use origin::Origin;
pub use pattern::{Pattern, PatternError};
pub use people::{Person, people};
pub use read::{Cap, Seen, unchanged};
pub use root::Root;
pub use rules::PairRule;
pub use sanity::Sanity;
pub use seeds::{SeedsError, seed_range};
pub use selection::{Selection, SelectionError};
pub use source::FileRef;
pub use stamp::Identity;
pub use tree::common_folder;
pub use watch::{HINTS_MOST, Hint, Hints, Telling, Watch, telling};

use std::io;
use std::ops::Range;
use std::path::PathBuf;

use crate::config::ConfigError;
use crate::domain::{CaseError, ErrorCode};

impl IngestError {
    /// Whether what was handed over is to blame, so that it is recorded as rejected.
    #[must_use]
    pub const fn is_rejection(&self) -> bool {
        match self {
            Self::BadZip { .. } | Self::TooMany { .. } | Self::Manifest(_) => true,
            Self::NoFile { source, .. } => !matches!(source.code, ErrorCode::Unreadable),
            _ => false,
        }
    }
}

/// Why something cannot be taken in.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// There is no such path.
    #[error("{}: no such file or folder", .0.display())]
    Missing(PathBuf),
    /// It is something else.
    #[error("{}: not a folder", .0.display())]
    NotAFolder(PathBuf),
    /// A file that was named, a zip or a manifest cannot be read, or is no file.
    #[error("{}", path.display())]
    NoFile {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: CaseError,
    },
    /// It cannot be listed.
    #[error("{}", path.display())]
    Unreadable {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// An answer cannot be written beside its input.
    #[error("{}: cannot be written", path.display())]
    Unwritable {
        /// The file or its folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The text of an answer cannot be read.
    #[error("what is to be written cannot be read")]
    NoText(#[source] io::Error),
    /// A folder is rejected as a whole.
    #[error("{}: more than {most} files (max_folder_files)", path.display())]
    TooMany {
        /// The folder.
        path: PathBuf,
        /// The limit.
        most: u64,
    },
    /// A zip is rejected as a whole.
    #[error("{}: {reason}", path.display())]
    BadZip {
        /// The zip.
        path: PathBuf,
        /// What is wrong with it; names the entry if it is one.
        reason: String,
    },
    /// A manifest is wrong.
    #[error(transparent)]
    Manifest(#[from] ConfigError),
    /// Something selects no case.
    #[error("--only {item}: no such case")]
    NothingSelected {
        /// What was given.
        item: String,
    },
    /// A range of seeds is empty.
    #[error("seeds {}..{}: no seed in it", .0.start, .0.end)]
    NoSeeds(Range<u64>),
    /// Standard input cannot be kept.
    #[error("standard input cannot be copied to a temporary file")]
    Spool(#[source] io::Error),
}
