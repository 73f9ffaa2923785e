//! What is mounted where.

use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// Each place where something is mounted, with the kind of file system; what came later lies over it.
pub(super) struct Mounts(Vec<(PathBuf, String)>);

impl Mounts {
    pub(super) fn read() -> Self {
        let table = fs::read("/proc/self/mountinfo").unwrap_or_default();
        Self(table.split(|&byte| byte == b'\n').filter_map(mount).collect())
    }

    /// The kind of file system that a path is on.
    pub(super) fn kind(&self, path: &Path) -> &str {
        let around = self.0.iter().filter(|(at, _)| path.starts_with(at));
        let nearest = around.max_by_key(|(at, _)| at.components().count());
        nearest.map_or("an unknown file system", |(_, kind)| kind)
    }
}

/// The place and the kind in a line of `mountinfo`; a blank separates fields, and a dash the kind.
fn mount(line: &[u8]) -> Option<(PathBuf, String)> {
    let mut fields = line.split(|&byte| byte == b' ');
    let at = fields.nth(4)?;
    let kind = fields.skip_while(|field| *field != b"-").nth(1)?;
    Some((plain(at), String::from_utf8_lossy(kind).into_owned()))
}

/// A path in which blanks and the like are spelt as three octal digits.
fn plain(field: &[u8]) -> PathBuf {
    let mut bytes = Vec::new();
    let mut rest = field;
    while let Some((&first, after)) = rest.split_first() {
        let digits = (first == b'\\').then(|| after.get(..3)).flatten();
        let spelt = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        match spelt.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => (bytes.push(byte), rest = &after[3..]).1,
            None => (bytes.push(first), rest = after).1,
        }
    }
    std::ffi::OsString::from_vec(bytes).into()
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::{Mounts, mount};

    #[test]
    fn a_path_is_on_what_is_mounted_nearest_to_it_and_last() {
        let lines = [
            "1 0 8:1 / / rw,noatime - ext4 /dev/sda1 rw",
            "2 1 8:2 / /srv/a\\040b rw shared:3 master:4 - xfs /dev/sdb1 rw",
            "3 1 8:3 / /srv rw - btrfs /dev/sdc1 rw",
            "4 3 0:9 / /srv rw - nfs4 server:/srv rw",
        ];
        let mounts = lines.iter().map(|line| mount(line.as_bytes()).expect("a mount"));
        let mounts = Mounts(mounts.collect());
        assert_eq!(mounts.0[1].0, PathBuf::from("/srv/a b"));
        for (path, kind) in [("/var", "ext4"), ("/srv/a b/c", "xfs"), ("/srv/a", "nfs4")] {
            assert_eq!(mounts.kind(Path::new(path)), kind);
        }
        assert_eq!(mount(b""), None);
    }
}
