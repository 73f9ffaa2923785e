//! Which file systems tell of what others do.

use std::path::Path;

use rustix::fs::statfs;

/// Whether a file system tells of what others do to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Telling {
    /// As far as we know.
    All,
    /// Not what is done on another machine or below it.
    Not(&'static str),
}

/// The numbers by which `statfs` knows file systems that do not tell all, from `linux/magic.h` and the
/// file systems themselves.
const SILENT: [(u32, &str); 9] = [
    (0x6969, "NFS"),
    (0x517b, "SMB"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB2"),
    (0x6573_5546, "FUSE"),
    (0x0102_1997, "9P"),
    (0x794c_7630, "overlayfs"),
    (0x5346_414f, "AFS"),
    (0x00c3_6400, "Ceph"),
];

/// Whether the file system of a directory tells of what others do; one that cannot be asked is believed
/// to.
#[must_use]
pub fn telling(directory: &Path) -> Telling {
    statfs(directory).map_or(Telling::All, |status| of_type(status.f_type.cast_unsigned()))
}

/// What is known of a file system by its number; only its lower 32 bits mean something.
fn of_type(number: u64) -> Telling {
    let silent = SILENT.iter().find(|(silent, _)| number & 0xffff_ffff == u64::from(*silent));
    silent.map_or(Telling::All, |(_, name)| Telling::Not(name))
}

#[cfg(test)]
mod tests {
    use super::{Telling, of_type};

    // A10
    #[test]
    fn network_and_overlay_file_systems_are_polled() {
        for (number, name) in [
            (0x6969, "NFS"),
            (0xff53_4d42, "CIFS"),
            // As a signed number of 32 bits.
            (0xffff_ffff_ff53_4d42, "CIFS"),
            (0xfe53_4d42, "SMB2"),
            (0x6573_5546, "FUSE"),
            (0x0102_1997, "9P"),
            (0x794c_7630, "overlayfs"),
        ] {
            assert_eq!(of_type(number), Telling::Not(name));
        }
        // ext4, xfs, btrfs, tmpfs
        for number in [0xef53, 0x5846_5342, 0x9123_683e, 0x0102_1994] {
            assert_eq!(of_type(number), Telling::All);
        }
    }
}
