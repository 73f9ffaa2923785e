//! Outputs that were dropped to save room, made again by playing the stored input.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::ServiceError;
use crate::domain::{Body, ContentHash, ContentHasher, Stream, catching};
use crate::sim::{self, Input};
use crate::store::{CaseRecord, Output, Reader};

/// The output of a case, if one is claimed. One that was dropped is made again by playing the stored input,
/// and is the same, or this is an error.
///
/// # Errors
/// [`ServiceError`]: the store cannot be read; this build gives another output; no room for it in a
/// temporary file.
pub fn output_of(reader: &Reader, case: &CaseRecord) -> Result<Option<Body>, ServiceError> {
    match reader.output(case)? {
        Output::Unclaimed => Ok(None),
        Output::Kept(body) => Ok(Some(body)),
        Output::Dropped => make_again(reader, case).map(Some),
    }
}

fn make_again(reader: &Reader, case: &CaseRecord) -> Result<Body, ServiceError> {
    let lost = |reason: String| ServiceError::OutputLost { case: case.id, reason };
    let input = reader.input(case)?.ok_or_else(|| lost("its input is gone".to_owned()))?;
    let input = input.into_bytes().map_err(ServiceError::Stored)?;
    let read = catching(|| sim::read(&input, case.simulator)).map_err(lost)?;
    let input = read.map_err(|refused| lost(refused.error.to_string()))?.input;
    let played = catching(|| play(&input, case)).map_err(lost)?;
    let (spool, hash) = played.map_err(ServiceError::Stored)?;
    match case.output {
        Some(stored) if stored.hash == hash => Ok(Body::Stream(Arc::new(spool))),
        _ => Err(lost(format!("{} of this build gives another one", input.simulator()))),
    }
}

/// Plays all games into a temporary file.
fn play(input: &Input, case: &CaseRecord) -> io::Result<(Spool, ContentHash)> {
    let rules = input.simulator().rules_or_default(case.rules);
    let never = AtomicBool::new(false);
    let mut file = BufWriter::new(tempfile::tempfile()?);
    let (mut hasher, mut bytes, mut output) = (ContentHasher::new(), 0, Vec::new());
    for game in 0..input.games() {
        // A game without an end has no output, and the hash says so.
        let _ = input.play(game, rules, &never, &mut output);
        hasher.update(&output);
        file.write_all(&output)?;
        bytes += output.len() as u64;
        output.clear();
    }
    let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    Ok((Spool { file, bytes }, hasher.finish()))
}

/// A temporary file that is read from the start as often as needed.
#[derive(Debug)]
struct Spool {
    file: File,
    bytes: u64,
}

impl Stream for Spool {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn open(&self) -> io::Result<Box<dyn Read + Send + '_>> {
        Ok(Box::new(Reading { file: &self.file, at: 0 }))
    }
}

struct Reading<'a> {
    file: &'a File,
    at: u64,
}

impl Read for Reading<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}
