//! From what people hand over to bytes that can be stored.

use std::path::Path;

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use simdrop::config::{Config, Limits, Overrides};
use simdrop::domain::{ContentHash, SimulatorId};
use simdrop::ingest::{self, Cap, Choices, Listing, Origin};
use simdrop::service::{Request, lint};
use simdrop::store::Packed;
use tempfile::TempDir;

use crate::inputs::{long, seeds, small};
use crate::place::{fill, place};

/// How many inputs the folder has, each with its answer.
const CASES: u64 = 1_000;

/// Sizes in bytes, about: of most inputs, and of large ones.
const SIZES: [usize; 3] = [1 << 10, 64 << 10, 1 << 20];

#[divan::bench(args = SIZES)]
fn hash(bencher: Bencher<'_, '_>, bytes: usize) {
    let text = text(bytes);
    bencher.counter(BytesCount::of_slice(&text)).bench(|| ContentHash::of(&text));
}

/// Hashes and compresses, as it is done before the writer gets it.
#[divan::bench(args = SIZES)]
fn pack(bencher: Bencher<'_, '_>, bytes: usize) {
    let text = text(bytes);
    bencher.counter(BytesCount::of_slice(&text)).bench(|| Packed::new(&text));
}

/// The smallest inputs are not compressed.
#[divan::bench]
fn pack_small(bencher: Bencher<'_, '_>) {
    let text = small(1);
    bencher.counter(BytesCount::of_slice(&text)).bench(|| Packed::new(&text));
}

/// Compressing costs more where there is more to find.
#[divan::bench]
fn pack_cards(bencher: Bencher<'_, '_>) {
    let text = long(SimulatorId::Mtj);
    bencher.counter(BytesCount::of_slice(&text)).bench(|| Packed::new(&text));
}

/// Which files belong together; items are cases.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn list_folder(bencher: Bencher<'_, '_>) {
    let (folder, limits) = (folder(), limits());
    bencher.counter(ItemsCount::new(CASES)).bench(|| list(folder.path(), &limits));
}

/// Opens, looks at and reads each file; items are files.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn read_folder(bencher: Bencher<'_, '_>) {
    let (folder, limits) = (folder(), limits());
    let listing = list(folder.path(), &limits);
    bencher.counter(ItemsCount::new(2 * CASES)).bench(|| read(&listing, &limits));
}

/// Lists, reads, recognises, reads the numbers and hashes: all of taking in but the writer; items are cases.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn lint_folder(bencher: Bencher<'_, '_>) {
    let (folder, limits) = (folder(), limits());
    let request = Request::new(Origin::Folder(folder.path().to_owned()));
    bencher.counter(ItemsCount::new(CASES)).bench(|| lint(&request, &limits));
}

/// An input of Thunder Bluff, cut to a length.
fn text(bytes: usize) -> Vec<u8> {
    let mut text = seeds(1, bytes as u64 / 20);
    text.truncate(bytes);
    text
}

fn folder() -> TempDir {
    let folder = place();
    fill(folder.path(), 1..=CASES);
    folder
}

fn limits() -> Limits {
    Config::load(&Overrides::default()).expect("settings").limits
}

fn list(folder: &Path, limits: &Limits) -> Listing {
    let origin = Origin::Folder(folder.to_owned());
    ingest::list(&origin, &Choices::default(), limits).expect("a list")
}

/// How many bytes all files have.
fn read(listing: &Listing, limits: &Limits) -> usize {
    let cap = Cap { bytes: limits.max_input_bytes, key: "max_input_bytes" };
    let files =
        listing.entries.iter().flat_map(|entry| [Some(&entry.input), entry.compared.as_ref()]);
    files.flatten().map(|file| file.bytes(cap).expect("a file").len()).sum()
}
