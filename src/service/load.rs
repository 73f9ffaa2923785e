//! A file on its way into the store: small ones in memory, large ones part by part.
//!
//! A large file is read twice. The first time gives its hash and what it may be for; a content that is known
//! by then is not stored again. The second time its chunks go to the writer; other bytes than the first
//! time mean that it changed, and that all of it is void.

use std::sync::mpsc::{self, Receiver, Sender};

use crate::domain::{CaseError, ContentHash, ContentHasher, ContentId, SimulatorId, crash_point};
use crate::ingest::{Cap, FileRef, Seen, unchanged};
use crate::sim::Census;
use crate::store::{Bytes, CHUNK_BYTES, Chunk, Held, Packed, StoreError, Writer};

/// How many chunks may be on their way to the writer.
const CHUNKS: usize = 16;

/// A file that was read.
pub(super) struct Loaded {
    /// What the store gets.
    pub(super) kept: Bytes,
    /// Its bytes, if it is small.
    pub(super) small: Option<Vec<u8>>,
    /// The simulators it may be for, if it is large.
    pub(super) candidates: Vec<SimulatorId>,
}

/// Reads a file. The outer error is the store's, the inner one the file's.
pub(super) fn load(
    writer: &Writer,
    file: &FileRef,
    cap: Cap,
) -> Result<Result<Loaded, CaseError>, StoreError> {
    let loaded = unchanged(|| load_once(writer, file, cap).transpose());
    loaded.unwrap_or_else(|error| Ok(Err(error)))
}

/// `None`: it changed meanwhile.
fn load_once(
    writer: &Writer,
    file: &FileRef,
    cap: Cap,
) -> Result<Option<Result<Loaded, CaseError>>, StoreError> {
    let survey = match Survey::of(file, cap) {
        Ok(Some(survey)) => survey,
        Ok(None) => return Ok(None),
        Err(error) => return Ok(Some(Err(error))),
    };
    if survey.bytes <= CHUNK_BYTES as u64 {
        return Ok(Some(Ok(survey.small())));
    }
    let kept = keep(writer, file, cap, &survey)?;
    Ok(kept.map(|held| held.map(|held| survey.large(held))).transpose())
}

/// What the first reading of a file gave.
#[derive(Default)]
struct Survey {
    bytes: u64,
    /// The first part; all of a small file.
    first: Vec<u8>,
    hasher: ContentHasher,
    census: Census,
}

impl Survey {
    /// Reads a file; `None` if it changed meanwhile.
    fn of(file: &FileRef, cap: Cap) -> Result<Option<Self>, CaseError> {
        let mut survey = Self::default();
        let seen = file.read(cap, &mut |part| survey.add(part))?;
        Ok(matches!(seen, Seen::Whole).then_some(survey))
    }

    fn add(&mut self, part: &[u8]) {
        if self.bytes + part.len() as u64 <= CHUNK_BYTES as u64 {
            self.first.extend_from_slice(part);
        } else {
            // Only a large file needs these; a small one is hashed when it is packed.
            let first = std::mem::take(&mut self.first);
            for part in [&first, part] {
                self.hasher.update(part);
                self.census.feed(part);
            }
        }
        self.bytes += part.len() as u64;
    }

    fn small(self) -> Loaded {
        let kept = Bytes::Packed(Packed::new(&self.first));
        Loaded { kept, small: Some(self.first), candidates: Vec::new() }
    }

    fn large(&self, held: Held) -> Loaded {
        let candidates = self.census.candidates();
        Loaded { kept: Bytes::Kept(held), small: None, candidates }
    }
}

/// Finds a large file in the store, or puts it there; `None` if it changed meanwhile.
fn keep(
    writer: &Writer,
    file: &FileRef,
    cap: Cap,
    survey: &Survey,
) -> Result<Result<Option<Held>, CaseError>, StoreError> {
    let hash = survey.hasher.finish();
    if let Some(held) = writer.find_content(hash)? {
        return Ok(Ok(Some(held)));
    }
    let id = writer.begin_content(hash, survey.bytes)?;
    let mut chunks = Chunks::new(writer.clone(), id);
    let read = file.read(cap, &mut |part| chunks.add(part));
    let same = chunks.end()? == hash;
    match read {
        Ok(Seen::Whole) if same => writer.end_content(id).map(|held| Ok(Some(held))),
        Ok(_) => writer.drop_content(id).map(|()| Ok(None)),
        Err(error) => writer.drop_content(id).map(|()| Err(error)),
    }
}

/// The chunks of a file on their way to the writer.
struct Chunks {
    writer: Writer,
    id: ContentId,
    number: i64,
    hasher: ContentHasher,
    free: Sender<Result<(), StoreError>>,
    permits: Receiver<Result<(), StoreError>>,
    failed: Result<(), StoreError>,
}

impl Chunks {
    fn new(writer: Writer, id: ContentId) -> Self {
        let (free, permits) = mpsc::channel();
        for _ in 0..CHUNKS {
            let _ = free.send(Ok(()));
        }
        Self { writer, id, number: 0, hasher: ContentHasher::new(), free, permits, failed: Ok(()) }
    }

    fn add(&mut self, part: &[u8]) {
        self.hasher.update(part);
        self.wait();
        if self.failed.is_ok() {
            let free = self.free.clone();
            self.writer.add_chunk(self.id, self.number, Chunk::new(part), move |committed| {
                let _ = free.send(committed);
            });
            self.number += 1;
            crash_point("mid-content");
        }
    }

    /// Waits for a permit, unless something failed.
    fn wait(&mut self) {
        if self.failed.is_ok() {
            self.failed = self.permits.recv().unwrap_or(Err(StoreError::Stopped));
        }
    }

    /// Waits until everything is committed; the hash of what was added.
    fn end(mut self) -> Result<ContentHash, StoreError> {
        (0..CHUNKS).for_each(|_| self.wait());
        self.failed?;
        Ok(self.hasher.finish())
    }
}
