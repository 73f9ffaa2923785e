//! The slices of a case of many games on their way to the writer.

use std::sync::{Arc, Mutex, PoisonError};

use super::play::Player;
use crate::domain::{ContentHash, ContentHasher, ResultId, crash_point};
use crate::engine::{Permit, Sink, Slice};
use crate::store::{Chunk, Counts, GameBlocks, ResultKey};

/// Hands slices to the writer; one that is committed makes room for the next.
pub(super) struct Slices {
    player: Player,
    result: ResultId,
    key: ResultKey,
    sum: SliceSum,
}

/// The games and the output of a case as far as they were delivered.
#[derive(Clone, Default)]
pub(super) struct SliceSum(Arc<Mutex<Sum>>);

#[derive(Default)]
struct Sum {
    hasher: ContentHasher,
    bytes: u64,
    chunks: i64,
    counts: Counts,
}

/// A slice that is ready to be stored.
pub(super) struct Part {
    first: i64,
    games: GameBlocks,
    output: Vec<u8>,
    chunks: Vec<Chunk>,
}

impl Slices {
    pub(super) fn new(player: Player, result: ResultId, key: ResultKey) -> Self {
        Self { player, result, key, sum: SliceSum::default() }
    }

    pub(super) fn sum(&self) -> SliceSum {
        self.sum.clone()
    }
}

impl SliceSum {
    /// Adds a slice; the number of its first chunk.
    fn add(&self, part: &Part) -> i64 {
        let mut sum = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let first = sum.chunks;
        sum.hasher.update(&part.output);
        sum.bytes += part.output.len() as u64;
        sum.chunks += i64::try_from(part.chunks.len()).unwrap_or(i64::MAX);
        sum.counts.add(part.games.counts());
        first
    }

    /// The hash and the length of the whole output, and what the counters get for the games.
    pub(super) fn finish(&self) -> ((ContentHash, u64), Counts) {
        let mut sum = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ((sum.hasher.finish(), sum.bytes), std::mem::take(&mut sum.counts))
    }
}

impl Sink for Slices {
    type Part = Part;

    fn pack(&self, slice: Slice) -> Part {
        Part {
            first: i64::try_from(slice.first + 1).unwrap_or(i64::MAX),
            games: GameBlocks::new(self.key, &slice.games),
            chunks: Chunk::all(&slice.output),
            output: slice.output,
        }
    }

    fn deliver(&self, part: Part, permit: Permit) {
        let first_chunk = self.sum.add(&part);
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
