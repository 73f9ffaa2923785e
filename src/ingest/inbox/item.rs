//! A name in an inbox, as far as it is known.

use std::time::{Duration, Instant};

use rustix::fs::{FileType, Stat};

use super::super::junk::{is_junk_file, is_junk_folder};
use super::super::stamp::Print;
use super::InboxSettings;

/// What stands for a name while it is in the inbox. There may be a million of them.
#[derive(Debug)]
pub(super) struct Item {
    /// Stands for the file or the folder as it was seen last.
    pub(super) print: Print,
    /// When it was first seen like this.
    pub(super) since: Instant,
    /// The last scan that saw it.
    pub(super) pass: u32,
    pub(super) kind: Kind,
    pub(super) state: State,
}

/// What a name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    EmptyFile,
    Folder,
    /// A folder without a file.
    EmptyFolder,
    Link,
    Pipe,
    Socket,
    Device,
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// It did not hold still for long enough.
    Settling,
    /// It did, or somebody says that it is complete; it stands in the queue.
    Ripe,
    /// It is complete, and what belongs to it is not.
    Waiting,
    /// It cannot be read.
    Blocked,
    /// It will never be taken, and that was said.
    Refused,
    /// Somebody takes it.
    Handed,
}

/// What a name in the inbox is for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// To be taken.
    Input(Kind),
    /// Taken, and left where it is.
    Aside,
    /// Not handed over yet by a `run`, or never, if that was killed.
    Making,
    /// Nobody's data.
    Junk,
}

/// How the names begin of what was taken and could not be moved.
pub const ASIDE: &str = ".simdrop-done-";

/// How the names begin of folders that `run` hands over.
pub const HANDED_OVER: &str = ".run-";

/// How the names begin of folders that `run` fills before it hands them over.
pub const MAKING: &str = ".making-";

impl Role {
    pub(super) fn of(name: &[u8], status: &Stat) -> Self {
        let kind = Kind::of(status);
        let is_folder = kind == Kind::Folder;
        if name.starts_with(ASIDE.as_bytes()) {
            return Self::Aside;
        }
        if is_folder && name.starts_with(MAKING.as_bytes()) {
            return Self::Making;
        }
        if is_folder && name.starts_with(HANDED_OVER.as_bytes()) {
            return Self::Input(kind);
        }
        if if is_folder { is_junk_folder(name) } else { is_junk_file(name) } {
            return Self::Junk;
        }
        Self::Input(kind)
    }
}

impl Kind {
    fn of(status: &Stat) -> Self {
        match FileType::from_raw_mode(status.st_mode) {
            FileType::RegularFile if status.st_size == 0 => Self::EmptyFile,
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Folder,
            FileType::Symlink => Self::Link,
            FileType::Fifo => Self::Pipe,
            FileType::Socket => Self::Socket,
            _ => Self::Device,
        }
    }

    /// Whether it is a file that may belong to another.
    pub(super) const fn is_file(self) -> bool {
        matches!(self, Self::File | Self::EmptyFile)
    }

    pub(super) const fn is_folder(self) -> bool {
        matches!(self, Self::Folder | Self::EmptyFolder)
    }

    /// Whether it is something that can be read.
    pub(super) const fn is_data(self) -> bool {
        self.is_file() || self.is_folder()
    }

    /// Why it is never taken, if it is not.
    pub(super) const fn refusal(self) -> &'static str {
        match self {
            Self::Link => "a link: put the file itself here",
            Self::Pipe => "a named pipe: put a file here",
            Self::Socket => "a socket: put a file here",
            Self::Device => "a device: put a file here",
            Self::EmptyFile | Self::File | Self::Folder | Self::EmptyFolder => "empty",
        }
    }

    /// How long it must hold still.
    fn wait(self, settings: &InboxSettings) -> Duration {
        match self {
            Self::EmptyFile => settings.empty_file,
            Self::Folder => settings.quiet_folder,
            Self::EmptyFolder => settings.quiet_folder.max(settings.empty_file),
            Self::File | Self::Link | Self::Pipe | Self::Socket | Self::Device => {
                settings.quiet_file
            }
        }
    }
}

impl Item {
    /// When it held still for long enough.
    pub(super) fn due(&self, settings: &InboxSettings) -> Instant {
        self.since + self.kind.wait(settings)
    }
}
