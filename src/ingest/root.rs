//! Folders that were opened once: what lies below is reached through their descriptor, and no link on the way
//! is followed, whoever changes names meanwhile.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Dir, FileType, Mode, OFlags, ResolveFlags, Stat, fstat, open, openat, openat2};
use rustix::io::Errno;

/// An open folder.
#[derive(Debug)]
pub struct Root {
    folder: OwnedFd,
    path: PathBuf,
}

impl Root {
    /// Opens a folder that somebody names whom we trust: that may be a link.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(path: &Path) -> Result<Self, Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let named = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let folder = open(named, flags, Mode::empty())?;
        Ok(Self { folder, path: path.to_owned() })
    }

    /// Opens the folder around something, and says what that is called in it.
    ///
    /// # Errors
    /// What the system says.
    pub fn around(path: &Path) -> Result<(Self, &OsStr), Errno> {
        let name = path.file_name().ok_or(Errno::INVAL)?;
        Ok((Self::open(path.parent().unwrap_or(Path::new("")))?, name))
    }

    /// Opens a folder below it, or itself again.
    ///
    /// # Errors
    /// What the system says: [`Errno::LOOP`] or [`Errno::NOTDIR`] for a link on the way or in its place,
    /// [`Errno::XDEV`] for a path that leads out.
    pub fn folder(&self, below: &Path) -> Result<Self, Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let folder = open_below(self.folder.as_fd(), below, flags)?;
        Ok(Self { folder, path: self.path.join(below) })
    }

    /// Opens a file below it for reading, without waiting for anybody. It need not be a regular file.
    ///
    /// # Errors
    /// As [`Root::folder`]; [`Errno::NXIO`] or [`Errno::NODEV`] for a socket or a device.
    pub fn file(&self, below: &Path) -> Result<File, Errno> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK;
        Ok(open_below(self.folder.as_fd(), below, flags)?.into())
    }

    /// The status of what lies below it; of a link its own.
    ///
    /// # Errors
    /// As [`Root::folder`].
    pub fn status(&self, below: &Path) -> Result<Stat, Errno> {
        fstat(open_below(self.folder.as_fd(), below, OFlags::PATH)?)
    }

    /// The text of a small regular file in it, and who owns that. More than `most` bytes are cut.
    ///
    /// # Errors
    /// As [`Root::file`]; it is no regular file or no text.
    pub fn text(&self, name: &OsStr, most: u64) -> io::Result<(u32, String)> {
        let file = self.file(Path::new(name))?;
        let status = fstat(&file)?;
        if FileType::from_raw_mode(status.st_mode) != FileType::RegularFile {
            return Err(io::Error::other("not a regular file"));
        }
        let mut text = String::new();
        file.take(most).read_to_string(&mut text)?;
        Ok((status.st_uid, text))
    }

    /// The names in it.
    ///
    /// # Errors
    /// What the system says.
    pub fn names(&self) -> Result<Vec<OsString>, Errno> {
        let mut names = Vec::new();
        for entry in Dir::read_from(self)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name != "." && name != ".." {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }

    /// Makes a file of that name in it, where nothing may be yet; the mask of the process takes bits of the mode.
    ///
    /// # Errors
    /// What the system says.
    pub fn create(&self, name: &OsStr, mode: u32) -> Result<File, Errno> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        Ok(openat(&self.folder, name, flags, Mode::from_raw_mode(mode))?.into())
    }

    /// The folder, as it was named.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl AsFd for Root {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }
}

fn open_below(root: BorrowedFd<'_>, below: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let below = if below.as_os_str().is_empty() { Path::new(".") } else { below };
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match openat2(root, below, flags, Mode::empty(), resolve) {
        // An old kernel, or somebody who forbids what he does not know.
        Err(Errno::NOSYS | Errno::PERM) => step_by_step(root, below, flags),
        opened => opened,
    }
}

/// The same with one call for each folder on the way.
fn step_by_step(root: BorrowedFd<'_>, below: &Path, last: OFlags) -> Result<OwnedFd, Errno> {
    let way = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut here: Option<OwnedFd> = None;
    let mut parts = below.components().peekable();
    while let Some(part) = parts.next() {
        let name = match part {
            Component::Normal(name) => name,
            Component::CurDir => OsStr::new("."),
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return Err(Errno::XDEV);
            }
        };
        let flags = if parts.peek().is_some() { way } else { last };
        let around = here.as_ref().map_or(root, AsFd::as_fd);
        here = Some(openat(around, name, flags, Mode::empty())?);
    }
    here.ok_or(Errno::NOENT)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::{AsFd, Errno, File, OFlags, Path, Read, Root, step_by_step};

    /// Opens a file in both ways, which must say the same, but that a link on the way need not be told from
    /// what is no folder.
    fn read(root: &Root, below: &str) -> Result<String, Errno> {
        let opened = root.file(Path::new(below));
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let stepped = step_by_step(root.as_fd(), Path::new(below), flags).map(File::from);
        let text = |file: File| {
            let mut text = String::new();
            { file }.read_to_string(&mut text).map(|_| text).map_err(|_| Errno::ISDIR)
        };
        let link = |errno| if errno == Errno::NOTDIR { Errno::LOOP } else { errno };
        let (one, other) = (opened.and_then(text), stepped.and_then(text));
        assert_eq!(one.clone().map_err(link), other.map_err(link), "{below}");
        one
    }

    #[test]
    fn nothing_outside_is_opened_with_and_without_the_systems_help() {
        let place = tempfile::tempdir().expect("a folder");
        let path = |below: &str| place.path().join(below);
        fs::create_dir_all(path("in/a/b")).expect("folders");
        fs::create_dir(path("out")).expect("a folder");
        fs::write(path("in/a/b/1"), "inside").expect("a file");
        fs::write(path("out/1"), "outside").expect("a file");
        symlink(path("out"), path("in/a/absolute")).expect("a link");
        symlink("../../out", path("in/a/relative")).expect("a link");
        symlink("b", path("in/a/harmless")).expect("a link");
        symlink("b/1", path("in/a/file")).expect("a link");
        symlink("/proc/self/root", path("in/magic")).expect("a link");
        let root = Root::open(&path("in")).expect("a folder");
        assert_eq!(read(&root, "a/b/1").as_deref(), Ok("inside"));
        assert_eq!(read(&root, "./a/b/1").as_deref(), Ok("inside"));
        for link in ["a/absolute/1", "a/relative/1", "a/harmless/1", "a/file", "magic/etc/passwd"] {
            assert_eq!(read(&root, link), Err(Errno::LOOP), "{link}");
        }
        for out in ["..", "../out/1", "a/../../out/1", "/etc/passwd"] {
            assert_eq!(read(&root, out), Err(Errno::XDEV), "{out}");
        }
        assert_eq!(read(&root, "a/c/1"), Err(Errno::NOENT));
        assert!(root.folder(Path::new("a/absolute")).is_err());
        assert!(root.folder(Path::new("a")).and_then(|a| a.file(Path::new("b/1"))).is_ok());
    }
}
