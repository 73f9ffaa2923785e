//! Bytes that lie in chunks, read one after another by a connection of their own.

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use rusqlite::{OptionalExtension, params};

use super::content::unpack;
use super::read::Connected;
use super::{StoreError, schema};
use crate::domain::{ContentId, ResultId, Stream};

/// Whose bytes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kept {
    Content(ContentId),
    Output(ResultId),
}

impl Kept {
    pub(super) const fn id(self) -> i64 {
        match self {
            Self::Content(id) => id.0,
            Self::Output(id) => id.0,
        }
    }

    /// The statement that adds a chunk.
    pub(super) const fn insert(self) -> &'static str {
        match self {
            Self::Content(_) => {
                "INSERT INTO content_chunks (id, coding, data) VALUES ((?1 << 32) + ?2, ?3, ?4)"
            }
            Self::Output(_) => {
                "INSERT INTO output_chunks (id, coding, data) VALUES ((?1 << 32) + ?2, ?3, ?4)"
            }
        }
    }

    /// The statement that removes all chunks.
    pub(super) const fn delete(self) -> &'static str {
        match self {
            Self::Content(_) => {
                "DELETE FROM content_chunks WHERE id >= ?1 << 32 AND id < (?1 + 1) << 32"
            }
            Self::Output(_) => {
                "DELETE FROM output_chunks WHERE id >= ?1 << 32 AND id < (?1 + 1) << 32"
            }
        }
    }

    const fn select(self) -> &'static str {
        match self {
            Self::Content(_) => {
                "SELECT coding, data FROM content_chunks WHERE id = (?1 << 32) + ?2"
            }
            Self::Output(_) => "SELECT coding, data FROM output_chunks WHERE id = (?1 << 32) + ?2",
        }
    }
}

/// The chunks of some bytes.
#[derive(Debug)]
pub(super) struct Chunks {
    database: Arc<Path>,
    of: Kept,
    bytes: u64,
}

impl Chunks {
    pub(super) const fn new(database: Arc<Path>, of: Kept, bytes: u64) -> Self {
        Self { database, of, bytes }
    }
}

impl Stream for Chunks {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn open(&self) -> io::Result<Box<dyn Read + Send + '_>> {
        let db = schema::open_for_reading(&self.database)
            .and_then(|db| db.ok_or(StoreError::Foreign))
            .map_err(io::Error::other)?;
        let left = self.bytes;
        Ok(Box::new(Reading { db, of: self.of, next: 0, chunk: Vec::new(), at: 0, left }))
    }
}

/// Where reading stands. No read is open between two chunks.
struct Reading {
    db: Connected,
    of: Kept,
    next: i64,
    chunk: Vec<u8>,
    at: usize,
    /// How many bytes should still come.
    left: u64,
}

impl Reading {
    /// Fetches the next chunk.
    fn fetch(&mut self) -> Result<(), StoreError> {
        let found = self
            .db
            .prepare_cached(self.of.select())?
            .query_row(params![self.of.id(), self.next], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let missing =
            || StoreError::Damaged(format!("chunk {} of {:?} is missing", self.next, self.of));
        let (coding, data) = found.ok_or_else(missing)?;
        self.chunk = unpack(coding, data)?;
        self.next += 1;
        self.at = 0;
        Ok(())
    }
}

impl Read for Reading {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.chunk.len() && self.left > 0 {
            self.fetch().map_err(io::Error::other)?;
        }
        let read = (&self.chunk[self.at..]).read(buffer)?;
        self.at += read;
        self.left = self.left.saturating_sub(read as u64);
        Ok(read)
    }
}
