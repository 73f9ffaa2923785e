//! What tells one file from another, and a file from what it was.

use rustix::fs::Stat;

use crate::domain::{ContentHash, ContentHasher};

/// What of a file's status changes when the file does, or when another takes its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    device: u64,
    inode: u64,
    /// The size in bytes.
    pub(super) bytes: u64,
    modified: (i64, u64),
    changed: (i64, u64),
}

/// A short form of stamps, for those who keep many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Print([u8; 16]);

/// What a drop is known by: the names, devices, inodes, sizes and times of modification of its files.
/// Not what is changed by looking after it, such as its permissions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identity(pub ContentHash);

impl Stamp {
    /// Whether the bytes seem to be the same, wherever they lie now.
    pub(super) fn same_bytes(&self, other: &Self) -> bool {
        (self.bytes, self.modified) == (other.bytes, other.modified)
    }

    /// Only which file it is.
    pub(super) const fn timeless(self) -> Self {
        Self { bytes: 0, modified: (0, 0), changed: (0, 0), ..self }
    }

    /// The short form of this stamp with a name.
    pub(super) fn print(&self, name: &[u8]) -> Print {
        let mut hasher = ContentHasher::new();
        self.feed(name, &mut hasher);
        hasher.update(&self.changed.0.to_le_bytes());
        hasher.update(&self.changed.1.to_le_bytes());
        let hash = hasher.finish().0;
        Print(std::array::from_fn(|at| hash[at]))
    }

    /// Adds what makes up an identity.
    pub(super) fn feed(&self, name: &[u8], hasher: &mut ContentHasher) {
        let numbers = [self.device, self.inode, self.bytes, self.modified.1, name.len() as u64];
        numbers.iter().for_each(|number| hasher.update(&number.to_le_bytes()));
        hasher.update(&self.modified.0.to_le_bytes());
        hasher.update(name);
    }
}

impl From<&Stat> for Stamp {
    fn from(status: &Stat) -> Self {
        Self {
            device: status.st_dev,
            inode: status.st_ino,
            bytes: u64::try_from(status.st_size).unwrap_or(0),
            modified: (status.st_mtime, status.st_mtime_nsec),
            changed: (status.st_ctime, status.st_ctime_nsec),
        }
    }
}

impl Print {
    /// Adds a print; the order in which a folder is listed means nothing.
    pub(super) fn add(&mut self, other: Self) {
        let sum = u128::from_le_bytes(self.0).wrapping_add(u128::from_le_bytes(other.0));
        self.0 = sum.to_le_bytes();
    }
}
