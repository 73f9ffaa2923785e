//! A copy of the store as it was at one moment.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use super::Reader;
use crate::store::{StoreError, schema};

impl Reader {
    /// Copies the store as it is now to a file that is not there, or, with `replace`, in the place of one. It
    /// is made beside that file, checked, and written to disk before it gets its name; its mode is 0640.
    /// Whoever writes to the store goes on meanwhile. The answer is how many bytes it has.
    ///
    /// # Errors
    /// [`StoreError`]: the file is there, or belongs to a store that is in use; no space; the copy is damaged.
    pub fn back_up(&self, to: &Path, replace: bool) -> Result<u64, StoreError> {
        let to = &std::path::absolute(to).map_err(failed(to))?;
        let folder = to.parent().ok_or(io::ErrorKind::IsADirectory.into()).map_err(failed(to))?;
        self.refuse(to, folder, replace).map_err(failed(to))?;
        let mut name = OsString::from(".");
        name.push(to.file_name().unwrap_or_default());
        name.push(".partial");
        let partial = &folder.join(name);
        let file = begin(partial).map_err(failed(partial))?;
        let copied = self.copy(partial).and_then(|()| verify(partial)).and_then(|()| {
            file.sync_all().map_err(failed(partial))?;
            rename(partial, to, replace).map_err(failed(to))?;
            let named = File::open(folder).and_then(|folder| folder.sync_all());
            named.and_then(|()| file.metadata()).map_err(failed(to))
        });
        if copied.is_err() {
            let _ = fs::remove_file(partial);
        }
        Ok(copied?.len())
    }

    /// Refuses a file that must not be overwritten.
    fn refuse(&self, to: &Path, folder: &Path, replace: bool) -> io::Result<()> {
        match to.symlink_metadata() {
            Ok(there) if !replace || !there.is_file() => {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            _ => {}
        }
        let place = |path: &Path| path.metadata().map(|found| (found.dev(), found.ino()));
        let own = self.database.parent().unwrap_or(Path::new("/"));
        let name = to.file_name().unwrap_or_default().as_bytes();
        if place(folder)? == place(own)? && name.starts_with(b"store.") {
            return Err(io::Error::other("this is the place of the store itself"));
        }
        // What is left of another database would be read as a part of this one.
        for suffix in ["-wal", "-journal"] {
            let mut side = to.as_os_str().to_owned();
            side.push(suffix);
            let side = PathBuf::from(side);
            if side.metadata().is_ok_and(|found| found.len() > 0) {
                let message = format!("{} belongs to a database here", side.display());
                return Err(io::Error::other(message));
            }
        }
        Ok(())
    }

    fn copy(&self, to: &Path) -> Result<(), StoreError> {
        // A path need not be UTF-8; as a blob it can be bound as it is.
        let path = to.as_os_str().as_bytes();
        self.db.execute("VACUUM INTO CAST(?1 AS TEXT)", [path])?;
        Ok(())
    }
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let path = path.to_owned();
    move |source| StoreError::Io { path, source: Arc::new(source) }
}

/// Makes an empty file, or empties what an interrupted backup has left. Another one that is under way
/// keeps it locked.
fn begin(partial: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(0o640);
    let file =
        options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed()).open(partial)?;
    file.try_lock().map_err(|_| io::Error::other("another backup to it is under way"))?;
    file.set_len(0)?;
    Ok(file)
}

fn verify(copy: &Path) -> Result<(), StoreError> {
    let db = schema::open_for_reading(copy)?.ok_or(StoreError::Foreign)?;
    let said: String = db.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if said == "ok" { Ok(()) } else { Err(StoreError::Damaged(format!("the copy: {said}"))) }
}

/// Gives the copy its name; only with `replace` over another file.
fn rename(partial: &Path, to: &Path, replace: bool) -> io::Result<()> {
    if replace {
        return fs::rename(partial, to);
    }
    match renameat_with(CWD, partial, CWD, to, RenameFlags::NOREPLACE) {
        // Some file systems cannot promise it; it was looked for before.
        Err(Errno::INVAL | Errno::NOSYS) => fs::rename(partial, to),
        renamed => Ok(renamed?),
    }
}
