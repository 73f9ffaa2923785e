//! A file that many read at once, each at a place of its own.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// How much of the file is looked at at once, in bytes.
const WINDOW: usize = 64 << 10;

/// Reads a shared file without moving its own position. Unlike a `BufReader` it keeps its buffer when it
/// seeks, which a zip's directory is read with all the time.
#[derive(Debug)]
pub(super) struct Window {
    file: Arc<File>,
    at: u64,
    /// What the file holds from `start` on.
    buffer: Vec<u8>,
    start: u64,
}

impl Window {
    /// At the file's start.
    pub(super) const fn new(file: Arc<File>) -> Self {
        Self { file, at: 0, buffer: Vec::new(), start: 0 }
    }

    /// What the buffer holds of the place where we are.
    fn held(&self) -> &[u8] {
        let skip = self.at.checked_sub(self.start).and_then(|skip| usize::try_from(skip).ok());
        skip.and_then(|skip| self.buffer.get(skip..)).unwrap_or_default()
    }
}

impl Read for Window {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.held().is_empty() {
            self.buffer.resize(WINDOW, 0);
            let read = self.file.read_at(&mut self.buffer, self.at);
            self.start = self.at;
            self.buffer.truncate(*read.as_ref().unwrap_or(&0));
            read?;
        }
        let held = self.held();
        let bytes = held.len().min(out.len());
        out[..bytes].copy_from_slice(&held[..bytes]);
        self.at += bytes as u64;
        Ok(bytes)
    }
}

impl Seek for Window {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.file.metadata()?.len().checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}
