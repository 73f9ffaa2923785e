//! The slices of a case of many games on their way to the writer.

use std::sync::{Arc, Mutex, PoisonError};

use super::play::Player;
use crate::domain::{ContentHash, ContentHasher, ResultId, crash_point};
use crate::engine::{Permit, Sink, Slice};
use crate::store::{Chunk, GameRows};

/// Hands slices to the writer; one that is committed makes room for the next.
pub(super) struct Slices {
    player: Player,
    result: ResultId,
    sum: OutputSum,
}

/// The output of a case as far as it was delivered.
#[derive(Clone, Default)]
pub(super) struct OutputSum(Arc<Mutex<Sum>>);

#[derive(Default)]
struct Sum {
    hasher: ContentHasher,
    bytes: u64,
    chunks: i64,
}

/// A slice that is ready to be stored.
pub(super) struct Part {
    first: i64,
    games: GameRows,
    output: Vec<u8>,
    chunks: Vec<Chunk>,
}

impl Slices {
    pub(super) fn new(player: Player, result: ResultId) -> Self {
        Self { player, result, sum: OutputSum::default() }
    }

    pub(super) fn sum(&self) -> OutputSum {
        self.sum.clone()
    }
}

impl OutputSum {
    /// Adds output; the number of its first chunk.
    fn add(&self, output: &[u8], chunks: usize) -> i64 {
        let mut sum = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let first = sum.chunks;
        sum.hasher.update(output);
        sum.bytes += output.len() as u64;
        sum.chunks += i64::try_from(chunks).unwrap_or(i64::MAX);
        first
    }

    /// The hash and the length of all of it.
    pub(super) fn finish(&self) -> (ContentHash, u64) {
        let sum = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (sum.hasher.finish(), sum.bytes)
    }
}

impl Sink for Slices {
    type Part = Part;

    fn pack(&self, slice: Slice) -> Part {
        Part {
            first: i64::try_from(slice.first + 1).unwrap_or(i64::MAX),
            games: GameRows::new(&slice.games),
            chunks: Chunk::all(&slice.output),
            output: slice.output,
        }
    }

    fn deliver(&self, part: Part, permit: Permit) {
        let first_chunk = self.sum.add(&part.output, part.chunks.len());
        let (games, chunks) = ((part.first, part.games), (first_chunk, part.chunks));
        let player = self.player.clone();
        self.player.writer.add_slice(self.result, games, chunks, move |committed| {
            if let Err(error) = committed {
                player.say(Err(error.into()));
            }
            crash_point("mid-result");
            drop(permit);
        });
    }
}
