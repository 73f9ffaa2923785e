//! What `run` says of something that it hands over to a daemon, in a hidden file beside it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{self, Write};
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, FileType, readlinkat, unlinkat};
use rustix::io::Errno;
use rustix::process::geteuid;
use serde::{Deserialize, Serialize};

use super::plan::{self, Request};
use crate::domain::{CompareMode, RuleSet, RunId, SimulatorId};
use crate::ingest::{HANDED_OVER, MAKING, Origin, Root, common_folder};

/// The file.
const FILE: &str = ".simdrop-request";

/// The file in a folder of files that came late, with the number of the run that they came too late for.
const LATE: &str = ".simdrop-late-of";

/// A longer file is none of ours.
const BYTES_MOST: u64 = 64 << 10;

/// What is said of something that was handed over; nothing of what people drop.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Handover {
    pub(super) token: Option<String>,
    /// Where it came from, as the store keeps it.
    #[serde(default)]
    pub(super) source: Vec<u8>,
    /// The zip in the folder that is meant.
    pub(super) zip: Option<String>,
    /// The files in the folder that are meant; the folder itself if nothing is named.
    #[serde(default)]
    pub(super) files: Vec<String>,
    pub(super) seeds: Option<Range<u64>>,
    pub(super) simulator: Option<SimulatorId>,
    pub(super) rules: Option<RuleSet>,
    pub(super) compare: Option<CompareMode>,
    pub(super) pair: Option<String>,
    pub(super) only: Option<String>,
    pub(super) label: Option<String>,
    pub(super) tags: Vec<(String, String)>,
    pub(super) fresh: bool,
}

impl Handover {
    /// What is said of a drop. Only what `run` made may say anything.
    pub(super) fn of(origin: &Origin, names: &[OsString]) -> Self {
        let Origin::Folder(path) = origin else { return Self::default() };
        let ours = |name: &OsString| name.as_encoded_bytes().starts_with(HANDED_OVER.as_bytes());
        let mut said: Self = if names.iter().all(ours) {
            read(path, FILE).and_then(|(_, text)| serde_json::from_str(&text).ok())
        } else {
            None
        }
        .unwrap_or_else(Self::default);
        // Only what this daemon wrote itself.
        let late = read(path, LATE).filter(|(owner, _)| *owner == geteuid().as_raw());
        if let Some(run) = late.and_then(|(_, text)| text.trim().parse::<i64>().ok()) {
            said.tags.push(("late-of".to_owned(), run.to_string()));
        }
        said
    }

    /// What the one who waits for it knows it by.
    pub(super) fn token(&self) -> Option<String> {
        self.token.clone()
    }

    /// The request about an origin.
    pub(super) fn request(&self, origin: Origin) -> Request {
        let origin = match (origin, &self.seeds, &self.zip, &self.files[..]) {
            (_, Some(seeds), ..) => Origin::Seeds(seeds.clone()),
            (Origin::Folder(folder), _, Some(zip), _) if leads_down(zip) => {
                Origin::Zip(folder.join(zip))
            }
            (Origin::Folder(folder), _, None, files @ [_, ..])
                if files.iter().all(|file| leads_down(file)) =>
            {
                Origin::Files(files.iter().map(|file| folder.join(file)).collect())
            }
            (origin, ..) => origin,
        };
        Request {
            simulator: self.simulator,
            rules: self.rules,
            compare: self.compare,
            pair: self.pair.as_deref().and_then(|text| text.parse().ok()),
            only: self.only.as_deref().and_then(|text| text.parse().ok()),
            label: self.label.clone(),
            tags: self.tags.clone(),
            fresh: self.fresh,
            ..Request::new(origin)
        }
    }

    /// What a request says, for the folder in which it is handed over.
    pub(super) fn new(request: &Request, token: &str) -> Self {
        Self {
            token: Some(token.to_owned()),
            source: plan::source(&request.origin),
            simulator: request.simulator,
            rules: request.rules,
            compare: request.compare,
            pair: request.pair.as_ref().map(ToString::to_string),
            only: request.only.as_ref().map(ToString::to_string),
            label: request.label.clone(),
            tags: request.tags.clone(),
            fresh: request.fresh,
            ..Self::default()
        }
    }

    /// Writes it into a folder.
    pub(super) fn write(&self, folder: &Path) -> io::Result<()> {
        write(File::create_new(folder.join(FILE))?, &serde_json::to_string(self)?)
    }
}

/// Copies what a request is about into an inbox, with what it says, and renames it in as a whole. The run is
/// then known by the token.
///
/// # Errors
/// [`HandoverError`]; nothing is left in the inbox then.
pub fn hand_over(request: &Request, inbox: &Path, token: &str) -> Result<(), HandoverError> {
    let making = inbox.join(format!("{MAKING}{token}"));
    let failed = |source| HandoverError { inbox: inbox.to_owned(), source };
    let made = make(request, &making, token)
        .and_then(|()| fs::rename(&making, inbox.join(format!("{HANDED_OVER}{token}"))));
    if made.is_err() {
        let _ = fs::remove_dir_all(&making);
    }
    made.map_err(failed)
}

fn make(request: &Request, folder: &Path, token: &str) -> io::Result<()> {
    // Whoever else may drop must not change names in it while it is filled.
    DirBuilder::new().mode(0o700).create(folder)?;
    let mut said = Handover::new(request, token);
    match &request.origin {
        Origin::Folder(path) => {
            if std::path::absolute(folder)?.starts_with(std::path::absolute(path)?) {
                return Err(io::Error::other("the inbox itself lies in it"));
            }
            copy_folder(path, folder)?;
        }
        Origin::Zip(path) => {
            copy_file(File::open(path)?, &folder.join("input.zip"))?;
            said.zip = Some("input.zip".to_owned());
        }
        Origin::Files(paths) => said.files = copy_files(paths, folder)?,
        Origin::Input(file) => {
            let name = if request.origin.is_zip() { "stdin.zip" } else { "stdin" };
            let mut reader: &File = file;
            io::Seek::rewind(&mut reader)?;
            io::copy(&mut reader, &mut create(&folder.join(name))?)?;
            match request.origin.is_zip() {
                true => said.zip = Some(name.to_owned()),
                false => said.files = vec![name.to_owned()],
            }
        }
        Origin::Seeds(seeds) => said.seeds = Some(seeds.clone()),
    }
    said.write(folder)?;
    fs::set_permissions(folder, Permissions::from_mode(0o2770))
}

/// Plain files, below the innermost folder around all of them. Their names, if all are text.
fn copy_files(paths: &[PathBuf], folder: &Path) -> io::Result<Vec<String>> {
    let full = |path: &PathBuf| std::path::absolute(path);
    let mut paths = paths.iter().map(full).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    paths.dedup();
    let root = common_folder(&paths);
    let mut names = Vec::new();
    for path in &paths {
        let below = path.strip_prefix(&root).unwrap_or(path);
        let to = folder.join(below);
        if let Some(parent) = to.parent() {
            make_folders(folder, parent)?;
        }
        copy_file(File::open(path)?, &to)?;
        names.extend(below.to_str().map(str::to_owned));
    }
    Ok(if names.len() == paths.len() { names } else { Vec::new() })
}

/// A folder with the folders in it. A link stays a link, and says so when it is read; nothing else that is
/// no file is copied.
fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    let root = Root::open(from)?;
    let mut folders = vec![PathBuf::new()];
    while let Some(below) = folders.pop() {
        let folder = root.folder(&below)?;
        for name in folder.names()? {
            let (one, path) = (Path::new(&name), below.join(&name));
            match FileType::from_raw_mode(folder.status(one)?.st_mode) {
                FileType::Directory => {
                    make_folder(&to.join(&path))?;
                    folders.push(path);
                }
                FileType::Symlink => {
                    let leads = readlinkat(&folder, one, Vec::new())?;
                    symlink(OsStr::from_bytes(leads.to_bytes()), to.join(&path))?;
                }
                FileType::RegularFile => copy_file(folder.file(one)?, &to.join(&path))?,
                _ => {}
            }
        }
    }
    Ok(())
}

fn copy_file(mut from: File, to: &Path) -> io::Result<()> {
    io::copy(&mut from, &mut create(to)?).map(|_| ())
}

/// The daemon may be somebody else, who must read and move it.
fn create(path: &Path) -> io::Result<File> {
    let file = File::options().write(true).create_new(true).open(path)?;
    file.set_permissions(Permissions::from_mode(0o660))?;
    Ok(file)
}

fn make_folder(path: &Path) -> io::Result<()> {
    fs::create_dir(path)?;
    fs::set_permissions(path, Permissions::from_mode(0o2770))
}

fn make_folders(root: &Path, path: &Path) -> io::Result<()> {
    if path == root || path.is_dir() {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        make_folders(root, parent)?;
    }
    make_folder(path)
}

/// Something could not be handed over.
#[derive(Debug, thiserror::Error)]
#[error("{}: cannot be handed over to", inbox.display())]
pub struct HandoverError {
    /// The inbox.
    pub inbox: PathBuf,
    /// What the system said.
    #[source]
    pub source: io::Error,
}

/// Marks a folder in an inbox as files that came too late for a run.
pub(super) fn mark_late(folder: &Path, run: RunId) -> io::Result<()> {
    let (inbox, name) = Root::around(folder)?;
    let folder = inbox.folder(Path::new(name))?;
    match unlinkat(&folder, LATE, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => {}
        Err(errno) => return Err(errno.into()),
    }
    write(folder.create(OsStr::new(LATE), 0o660)?, &run.to_string())
}

fn write(mut file: File, text: &str) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(0o660))?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Whether a name leads to something in a folder and nowhere else: whoever may drop may write this file, and
/// must not have the daemon read for them what they may not read. That no link is in the way is seen to where it
/// is opened.
fn leads_down(name: &str) -> bool {
    let name = Path::new(name);
    let plain = name.components().all(|part| matches!(part, Component::Normal(_)));
    plain && !name.as_os_str().is_empty()
}

/// What a file in a dropped folder says, and who owns it.
fn read(dropped: &Path, file: &str) -> Option<(u32, String)> {
    let (inbox, name) = Root::around(dropped).ok()?;
    inbox.folder(Path::new(name)).ok()?.text(OsStr::new(file), BYTES_MOST).ok()
}
