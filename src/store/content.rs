//! Bytes in the store: packed once by whoever has them, found by their hash, read back whole or in chunks.

use std::path::Path;
use std::sync::Arc;

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, Row, params};

use super::StoreError;
use super::counts::Counts;
use super::finder::Finder;
use super::stream::{Chunks, Kept};
use super::write::Statements;
use crate::domain::{Body, ContentHash, ContentId, ResultId};

/// Longer bytes are kept in chunks of at most this size, and are never in memory as a whole for being
/// stored.
pub const CHUNK_BYTES: usize = 1 << 20;

/// Shorter bytes are not worth compressing.
const LEAST_COMPRESSED_BYTES: usize = 256;

/// Fast, and numbers in decimal shrink to half.
const ZSTD_LEVEL: i32 = 1;

/// How bytes are written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    Plain,
    Zstd,
    /// Not at all any more; of outputs only.
    Dropped,
}

impl ToSql for Coding {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Plain => 1_i64,
            Self::Zstd => 2,
            Self::Dropped => 3,
        }
        .into())
    }
}

impl FromSql for Coding {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value.as_i64()? {
            1 => Ok(Self::Plain),
            2 => Ok(Self::Zstd),
            3 => Ok(Self::Dropped),
            other => Err(FromSqlError::OutOfRange(other)),
        }
    }
}

/// A part of some bytes, compressed where that helps, ready to be stored.
#[derive(Debug)]
pub struct Chunk {
    coding: Coding,
    data: Vec<u8>,
}

impl Chunk {
    /// Compresses at most [`CHUNK_BYTES`] bytes.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Self {
        let worth_it = |packed: &Vec<u8>| packed.len() < bytes.len() / 10 * 9;
        let packed = (bytes.len() >= LEAST_COMPRESSED_BYTES)
            .then(|| zstd::bulk::compress(bytes, ZSTD_LEVEL).ok())
            .flatten()
            .filter(worth_it);
        match packed {
            Some(data) => Self { coding: Coding::Zstd, data },
            None => Self { coding: Coding::Plain, data: bytes.to_vec() },
        }
    }

    /// The chunks that some bytes make; none for no bytes.
    #[must_use]
    pub fn all(bytes: &[u8]) -> Vec<Self> {
        bytes.chunks(CHUNK_BYTES).map(Self::new).collect()
    }
}

/// Some bytes with their hash, compressed where that helps, ready to be stored.
#[derive(Debug)]
pub struct Packed {
    hash: ContentHash,
    bytes: usize,
    /// One part for the row itself, or the chunks.
    parts: Vec<Chunk>,
}

impl Packed {
    /// Hashes and compresses; the costly part of storing, done away from the writer.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Self {
        let mut parts = Chunk::all(bytes);
        if parts.is_empty() {
            parts.push(Chunk::new(bytes));
        }
        Self { hash: ContentHash::of(bytes), bytes: bytes.len(), parts }
    }

    /// The hash of the bytes as they were given.
    #[must_use]
    pub const fn hash(&self) -> ContentHash {
        self.hash
    }

    /// How many bytes were given.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// What the row holds: coding, and the data unless there are chunks.
    pub(super) fn row_part(&self) -> (Coding, Option<&[u8]>) {
        match &self.parts[..] {
            [Chunk { coding, data }] => (*coding, Some(data)),
            _ => (Coding::Plain, None),
        }
    }

    /// The chunks, if the row does not hold the bytes.
    pub(super) fn chunks(&self) -> &[Chunk] {
        if self.parts.len() > 1 { &self.parts } else { &[] }
    }
}

pub(super) fn unpack(coding: Coding, data: Vec<u8>) -> Result<Vec<u8>, StoreError> {
    match coding {
        Coding::Plain => Ok(data),
        Coding::Zstd => zstd::bulk::decompress(&data, CHUNK_BYTES)
            .map_err(|error| StoreError::Damaged(format!("stored bytes do not unpack: {error}"))),
        Coding::Dropped => Err(StoreError::Damaged("bytes that should be dropped".to_owned())),
    }
}

/// Finds a content, or adds it.
pub(super) fn intern(
    db: &mut Statements<'_>,
    finder: &Finder,
    packed: &Packed,
    counts: &mut Counts,
) -> Result<ContentId, StoreError> {
    let hash = packed.hash();
    if let Some(id) = finder.find(db, hash)? {
        return Ok(id);
    }
    let (coding, data) = packed.row_part();
    let sql = "INSERT INTO contents (hash, bytes, coding, data) VALUES (?1, ?2, ?3, ?4)";
    let values = params![hash.0, length(packed.bytes()), coding, data];
    let id = ContentId(db.of(sql)?.insert(values)?);
    add_chunks(db, Kept::Content(id), 0, packed.chunks())?;
    finder.add(id, hash);
    counts.contents += 1;
    Ok(id)
}

/// Adds chunks from a number on.
pub(super) fn add_chunks(
    db: &mut Statements<'_>,
    of: Kept,
    first: i64,
    chunks: &[Chunk],
) -> Result<(), StoreError> {
    for (number, Chunk { coding, data }) in (first..).zip(chunks) {
        db.of(of.insert())?.execute(params![of.id(), number, coding, data])?;
    }
    Ok(())
}

/// The bytes of a content, in the store at `path`.
pub(super) fn content(
    db: &Connection,
    path: &Arc<Path>,
    id: ContentId,
) -> Result<Body, StoreError> {
    let sql = "SELECT bytes, coding, data FROM contents WHERE id = ?1";
    read_body(db, path, sql, Kept::Content(id))
}

/// What the store has of an output.
#[derive(Debug)]
pub enum Output {
    /// None is claimed.
    Unclaimed,
    /// All of it.
    Kept(Body),
    /// Its hash and its length; it was dropped to save room.
    Dropped,
}

/// The output of a result, in the store at `path`.
pub(super) fn output(
    db: &Connection,
    path: &Arc<Path>,
    id: ResultId,
) -> Result<Output, StoreError> {
    let (claimed, coding): (bool, Coding) = db
        .prepare_cached("SELECT output_hash IS NOT NULL, coding FROM results WHERE id = ?1")?
        .query_row([id.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let sql = "SELECT output_bytes, coding, output FROM results WHERE id = ?1";
    Ok(match (claimed, coding) {
        (false, _) => Output::Unclaimed,
        (true, Coding::Dropped) => Output::Dropped,
        (true, _) => Output::Kept(read_body(db, path, sql, Kept::Output(id))?),
    })
}

fn read_body(db: &Connection, path: &Arc<Path>, sql: &str, of: Kept) -> Result<Body, StoreError> {
    let columns = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    let (bytes, coding, data) = db.prepare_cached(sql)?.query_row([of.id()], columns)?;
    body(path, of, (bytes, coding, data))
}

/// Bytes as their row has them: how many there are, how they are written down, and themselves unless they lie in
/// chunks.
pub(super) fn body(
    path: &Arc<Path>,
    of: Kept,
    (bytes, coding, data): (u64, Coding, Option<Vec<u8>>),
) -> Result<Body, StoreError> {
    Ok(match data {
        Some(data) => Body::Bytes(unpack(coding, data)?),
        None => Body::Stream(Arc::new(Chunks::new(Arc::clone(path), of, bytes))),
    })
}

/// A length as SQLite keeps it; no length in memory is beyond 63 bits.
pub(super) fn length(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}
