//! Zips: which are let in, what is in them, and its bytes. Nothing is ever unpacked to disk.

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use zip::read::OwnedZipFileEntry;
use zip::result::ZipError;
use zip::unstable::read::ZipIterable;
use zip::{CompressionMethod, ZipReadOptions};

use super::IngestError;
use super::read::{Cap, Moment, See, Seen, pump, unreadable};
use super::window::Window;
use crate::config::Limits;
use crate::domain::{CaseError, ErrorCode};

/// How a zip begins: with an entry, or with its end if it is empty.
pub(super) const BEGINNINGS: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];

/// What is no zip, whatever its name says, by its first bytes.
const OTHERS: [(&[u8], &str); 4] = [
    (b"Rar!", "a RAR archive"),
    (b"7z\xBC\xAF\x27\x1C", "a 7z archive"),
    (b"\x1F\x8B", "a gzip file"),
    (b"\xFD7zXZ", "an xz file"),
];

/// Zips that unpack to fewer bytes are let in at any ratio: a short text of one letter packs well.
const RATIO_FROM_BYTES: u64 = 64 << 20;

/// How many bytes the directory of a zip may have for each entry that there may be: its names, comments and extra
/// fields are held in memory.
const DIRECTORY_BYTES: u64 = 256;

/// The bits of a Unix mode that say what a file is, and those of a regular file and of a folder.
const KIND: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;
const FOLDER: u32 = 0o040_000;

/// An open zip.
#[derive(Debug)]
struct Archive {
    file: Arc<File>,
    listed: Moment,
}

/// A file in a zip.
#[derive(Debug)]
pub(super) struct Member {
    archive: Arc<Archive>,
    entry: OwnedZipFileEntry,
}

/// Lists the files of a zip with their paths. A zip with one entry that must not be is rejected as a
/// whole.
pub(super) fn open(
    file: &Arc<File>,
    path: &Path,
    limits: &Limits,
) -> Result<Vec<(Vec<u8>, Member)>, IngestError> {
    members(file, limits).map_err(|reason| IngestError::BadZip { path: path.to_owned(), reason })
}

fn members(file: &Arc<File>, limits: &Limits) -> Result<Vec<(Vec<u8>, Member)>, String> {
    let listed = Moment::of(file).map_err(|error| error.to_string())?;
    let archive = Arc::new(Archive { file: Arc::clone(file), listed });
    let zip = ZipIterable::try_new(Window::new(Arc::clone(file)), zip::read::Config::default());
    let mut zip = zip.map_err(|error| no_zip(file, &error))?;
    if zip.len() as u64 > limits.max_zip_entries {
        let (entries, most) = (zip.len(), limits.max_zip_entries);
        return Err(format!("{entries} entries, more than {most} (max_zip_entries)"));
    }
    let mut checks = Checks::default();
    let mut members = Vec::new();
    for entry in zip.files().map_err(|error| damaged(&error))? {
        let entry = OwnedZipFileEntry::from(entry.map_err(|error| damaged(&error))?);
        if let Some(path) = checks.admit(&entry, limits)? {
            members.push((path, Member { archive: Arc::clone(&archive), entry }));
        }
    }
    checks.ratio(listed.bytes, limits)?;
    Ok(members)
}

/// What was seen of a zip so far.
#[derive(Debug, Default)]
struct Checks {
    bytes: u64,
    paths: HashSet<Vec<u8>>,
    /// Where the directory of the zip begins.
    directory: Option<u64>,
}

impl Checks {
    /// The path of a file that may be in a zip; `None` for a folder.
    fn admit(
        &mut self,
        entry: &OwnedZipFileEntry,
        limits: &Limits,
    ) -> Result<Option<Vec<u8>>, String> {
        let named = |reason: &str| {
            format!("the entry {:?} {reason}", String::from_utf8_lossy(entry.name_raw()))
        };
        let at = entry.central_header_start();
        let most = limits.max_zip_entries.saturating_mul(DIRECTORY_BYTES);
        if at.saturating_sub(*self.directory.get_or_insert(at)) > most {
            return Err(format!(
                "its directory takes more than {DIRECTORY_BYTES} bytes for each of max_zip_entries"
            ));
        }
        let path = inner_path(entry.name_raw()).map_err(named)?;
        acceptable(entry).map_err(|reason| named(&reason))?;
        if entry.is_dir() || kind(entry) == FOLDER || path.is_empty() {
            return Ok(None);
        }
        self.bytes = self.bytes.saturating_add(entry.size());
        let most = limits.max_zip_bytes;
        if self.bytes > most {
            return Err(format!("unpacks to more than {most} bytes (max_zip_bytes)"));
        }
        if !self.paths.insert(path.clone()) {
            return Err(named("is there twice"));
        }
        Ok(Some(path))
    }

    fn ratio(&self, packed: u64, limits: &Limits) -> Result<(), String> {
        let most = packed.saturating_mul(limits.max_zip_ratio);
        if self.bytes <= RATIO_FROM_BYTES || self.bytes <= most {
            return Ok(());
        }
        let (bytes, ratio) = (self.bytes, limits.max_zip_ratio);
        Err(format!(
            "{packed} bytes unpack to {bytes}, more than {ratio} times as many (max_zip_ratio)"
        ))
    }
}

/// The path without what says nothing (`.`, a second slash), or why it must not be.
fn inner_path(name: &[u8]) -> Result<Vec<u8>, &'static str> {
    // A drive is as absolute as a slash.
    if name.starts_with(b"/") || name.starts_with(b"\\") || name.get(1) == Some(&b':') {
        return Err("has an absolute path");
    }
    if name.split(|byte| b"/\\".contains(byte)).any(|part| part == b"..") {
        return Err("leaves the zip by `..`");
    }
    if name.contains(&0) {
        return Err("has a zero byte in its name");
    }
    let parts = name.split(|&byte| byte == b'/').filter(|part| !part.is_empty() && part != b".");
    Ok(parts.collect::<Vec<_>>().join(&b'/'))
}

/// Whether an entry is of a kind that is read.
fn acceptable(entry: &OwnedZipFileEntry) -> Result<(), String> {
    if entry.encrypted() {
        return Err("is encrypted".to_owned());
    }
    let method = entry.compression();
    if ![CompressionMethod::STORE, CompressionMethod::DEFLATE].contains(&method) {
        return Err(format!("is packed by {method}, only deflate and stored are read"));
    }
    match kind(entry) {
        0 | REGULAR | FOLDER => Ok(()),
        _ if entry.is_symlink() => Err("is a link".to_owned()),
        _ => Err("is neither a file nor a folder".to_owned()),
    }
}

fn kind(entry: &OwnedZipFileEntry) -> u32 {
    entry.unix_mode().unwrap_or(0) & KIND
}

/// Why a file is no zip.
fn no_zip(file: &Arc<File>, error: &ZipError) -> String {
    use std::os::unix::fs::FileExt;

    let mut first = [0; 8];
    let read = file.read_at(&mut first, 0).unwrap_or(0);
    if read == 0 {
        return "an empty file, not a zip".to_owned();
    }
    let other = OTHERS.iter().find(|(magic, _)| first[..read].starts_with(magic));
    other.map_or_else(|| damaged(error), |(_, what)| format!("{what}, not a zip"))
}

fn damaged(error: &ZipError) -> String {
    match error {
        ZipError::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            "truncated: its directory ends too early".to_owned()
        }
        ZipError::Io(error) => error.to_string(),
        // The end of the central directory, by which a zip is found.
        ZipError::InvalidArchive(reason) if reason.contains("EOCD") => {
            "no zip, truncated or damaged: it does not end with the directory of a zip".to_owned()
        }
        ZipError::InvalidArchive(reason) => format!("no zip, truncated or damaged: {reason}"),
        ZipError::UnsupportedArchive(reason) => (*reason).to_owned(),
        other => other.to_string(),
    }
}

impl Member {
    /// Hands on the unpacked bytes.
    pub(super) fn read(&self, cap: Cap, see: &mut See<'_>) -> Result<Seen, CaseError> {
        let mut window = Window::new(Arc::clone(&self.archive.file));
        let declared = self.entry.size();
        let unpacked = self.entry.as_ref().with_reader(&mut window, ZipReadOptions::new());
        let mut unpacked =
            unpacked.map_err(|error| CaseError::new(ErrorCode::Unreadable, damaged(&error)))?;
        let total = pump(&mut unpacked, declared, cap, see).map_err(packed_badly);
        // Said first, because it explains every other error.
        let now = Moment::of(&self.archive.file).map_err(|error| unreadable(&error))?;
        if now != self.archive.listed {
            let message = "the zip changed after it was listed";
            return Err(CaseError::new(ErrorCode::Unreadable, message));
        }
        match total? {
            Some(total) if total != declared => {
                let message = format!("{total} bytes, but the zip says {declared}");
                Err(CaseError::new(ErrorCode::Unreadable, message))
            }
            _ => Ok(Seen::Whole),
        }
    }
}

/// Says that it is the zip that is to blame.
fn packed_badly(error: CaseError) -> CaseError {
    match error.code {
        ErrorCode::Unreadable => {
            CaseError { message: format!("cannot be unpacked: {}", error.message), ..error }
        }
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::inner_path;

    #[test]
    fn paths_that_leave_the_zip_are_refused_and_others_are_made_plain() {
        for name in ["/etc/passwd", "\\x", "c:\\x", "../x", "a/../../x", "a\\..\\x", "..", "a\0b"] {
            assert!(inner_path(name.as_bytes()).is_err(), "{name}");
        }
        for (name, path) in [("./a//b", "a/b"), ("a/b/", "a/b"), ("a..b/c", "a..b/c"), ("./", "")] {
            assert_eq!(inner_path(name.as_bytes()), Ok(path.as_bytes().to_vec()), "{name}");
        }
    }
}
