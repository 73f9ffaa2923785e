//! Bytes in the store: packed once by whoever has them, found by their hash, read back whole.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::StoreError;
use crate::domain::{ContentHash, ContentId, ResultId};

/// Longer bytes are kept in chunks of this size.
const CHUNK_BYTES: usize = 1 << 20;

/// Shorter bytes are not worth compressing.
const LEAST_COMPRESSED_BYTES: usize = 256;

/// Fast, and numbers in decimal shrink to half.
const ZSTD_LEVEL: i32 = 1;

/// How bytes are written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    Plain,
    Zstd,
}

impl ToSql for Coding {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Plain => 1_i64,
            Self::Zstd => 2,
        }
        .into())
    }
}

impl FromSql for Coding {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value.as_i64()? {
            1 => Ok(Self::Plain),
            2 => Ok(Self::Zstd),
            other => Err(FromSqlError::OutOfRange(other)),
        }
    }
}

/// Some bytes with their hash, compressed where that helps, ready to be stored.
#[derive(Debug)]
pub struct Packed {
    hash: ContentHash,
    bytes: usize,
    /// One part for the row itself, or the chunks.
    parts: Vec<(Coding, Vec<u8>)>,
}

impl Packed {
    /// Hashes and compresses; the costly part of storing, done away from the writer.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Self {
        let mut parts: Vec<_> = bytes.chunks(CHUNK_BYTES).map(pack).collect();
        if parts.is_empty() {
            parts.push((Coding::Plain, Vec::new()));
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
            [(coding, data)] => (*coding, Some(data)),
            _ => (Coding::Plain, None),
        }
    }

    /// Writes the chunks, if there are any, by a statement over owner, number, coding and data.
    pub(super) fn write_chunks(
        &self,
        db: &Connection,
        sql: &str,
        owner: i64,
    ) -> rusqlite::Result<()> {
        if self.parts.len() > 1 {
            for (number, (coding, data)) in (0_i64..).zip(&self.parts) {
                db.prepare_cached(sql)?.execute(params![owner, number, coding, data])?;
            }
        }
        Ok(())
    }
}

fn pack(bytes: &[u8]) -> (Coding, Vec<u8>) {
    let worth_it = |packed: &Vec<u8>| packed.len() < bytes.len() / 10 * 9;
    let packed = (bytes.len() >= LEAST_COMPRESSED_BYTES)
        .then(|| zstd::bulk::compress(bytes, ZSTD_LEVEL).ok())
        .flatten()
        .filter(worth_it);
    match packed {
        Some(packed) => (Coding::Zstd, packed),
        None => (Coding::Plain, bytes.to_vec()),
    }
}

fn unpack(coding: Coding, data: Vec<u8>) -> Result<Vec<u8>, StoreError> {
    match coding {
        Coding::Plain => Ok(data),
        Coding::Zstd => zstd::bulk::decompress(&data, CHUNK_BYTES)
            .map_err(|error| StoreError::Damaged(format!("stored bytes do not unpack: {error}"))),
    }
}

/// Finds a content, or adds it.
pub(super) fn intern(db: &Connection, packed: &Packed) -> Result<ContentId, StoreError> {
    let hash = packed.hash();
    let known = db
        .prepare_cached("SELECT id FROM contents WHERE prefix = ?1 AND hash = ?2")?
        .query_row(params![hash.prefix(), hash.0], |row| row.get(0))
        .optional()?;
    if let Some(id) = known {
        return Ok(ContentId(id));
    }
    let (coding, data) = packed.row_part();
    let id = db
        .prepare_cached(
            "INSERT INTO contents (prefix, hash, bytes, coding, data) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .insert(params![hash.prefix(), hash.0, length(packed.bytes()), coding, data])?;
    packed.write_chunks(db, "INSERT INTO content_chunks VALUES (?1, ?2, ?3, ?4)", id)?;
    Ok(ContentId(id))
}

/// The bytes of a content.
pub(super) fn content(db: &Connection, id: ContentId) -> Result<Vec<u8>, StoreError> {
    read(
        db,
        "SELECT coding, data FROM contents WHERE id = ?1",
        "SELECT coding, data FROM content_chunks WHERE content = ?1 ORDER BY number",
        id.0,
    )
}

/// The output of a result; `None` if it claims none.
pub(super) fn output(db: &Connection, id: ResultId) -> Result<Option<Vec<u8>>, StoreError> {
    let claimed: bool = db
        .prepare_cached("SELECT output_hash IS NOT NULL FROM results WHERE id = ?1")?
        .query_row([id.0], |row| row.get(0))?;
    if !claimed {
        return Ok(None);
    }
    let row = "SELECT coding, output FROM results WHERE id = ?1";
    let chunks = "SELECT coding, data FROM output_chunks WHERE result = ?1 ORDER BY number";
    read(db, row, chunks, id.0).map(Some)
}

fn read(db: &Connection, row: &str, chunks: &str, id: i64) -> Result<Vec<u8>, StoreError> {
    let pair = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let (coding, data): (Coding, Option<Vec<u8>>) =
        db.prepare_cached(row)?.query_row([id], pair)?;
    if let Some(data) = data {
        return unpack(coding, data);
    }
    let mut bytes = Vec::new();
    let mut statement = db.prepare_cached(chunks)?;
    let mut rows = statement.query([id])?;
    while let Some(row) = rows.next()? {
        bytes.append(&mut unpack(row.get(0)?, row.get(1)?)?);
    }
    Ok(bytes)
}

/// A length as SQLite keeps it; no length in memory is beyond 63 bits.
pub(super) fn length(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}
