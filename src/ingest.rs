//! Taking in: what a folder holds, which files belong together, and their bytes.
//!
//! Nothing here writes. Links are never followed, and nothing but a regular file is opened.

mod order;
mod pairing;
mod read;

pub use order::natural;
pub use pairing::{Entry, Listing, list};
pub use read::read_file;

use std::io;
use std::path::PathBuf;

/// Why a folder cannot be taken in.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// There is no such path.
    #[error("{}: no such folder", .0.display())]
    Missing(PathBuf),
    /// It is something else.
    #[error("{}: not a folder", .0.display())]
    NotAFolder(PathBuf),
    /// It cannot be listed.
    #[error("{}", path.display())]
    Unreadable {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}
