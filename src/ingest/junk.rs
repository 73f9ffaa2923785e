//! Files that are nobody's data: made by systems, editors and downloads that are not done.

/// Names that systems leave behind, in any case.
const NAMES: [&str; 3] = ["thumbs.db", "desktop.ini", "__macosx"];

/// What ends the names of editors' files and of partial downloads.
const ENDINGS: [&[u8]; 9] = [
    b"~",
    b".swp",
    b".bak",
    b".orig",
    b".part",
    b".partial",
    b".filepart",
    b".crdownload",
    b".tmp",
];

/// What tells an inbox that a folder is complete, and what simdrop itself leaves in one: not worth a word.
const OURS: [&[u8]; 3] = [b".ready", b".simdrop-request", b".simdrop-late-of"];

/// Whether a file of this name is left alone without being counted.
pub(super) fn is_ours(name: &[u8]) -> bool {
    OURS.contains(&name)
}

/// Whether a folder of this name is left alone with all that is in it.
pub(super) fn is_junk_folder(name: &[u8]) -> bool {
    name.starts_with(b".") || name == b"__MACOSX"
}

/// Whether a file of this name is left alone.
pub(super) fn is_junk_file(name: &[u8]) -> bool {
    let named = |junk: &str| name.eq_ignore_ascii_case(junk.as_bytes());
    let between_hashes = name.len() > 1 && name.starts_with(b"#") && name.ends_with(b"#");
    is_junk_folder(name)
        || NAMES.into_iter().any(named)
        || between_hashes
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::{is_junk_file, is_junk_folder};

    #[test]
    fn what_systems_editors_and_downloads_leave_behind_is_junk() {
        for name in [
            ".1.in",
            "Thumbs.db",
            "desktop.ini",
            "1.in~",
            "#1.in#",
            ".1.in.swp",
            "1.in.bak",
            "1.in.orig",
            "1.in.part",
            "1.in.partial",
            "1.in.filepart",
            "1.in.crdownload",
            "1.tmp",
        ] {
            assert!(is_junk_file(name.as_bytes()), "{name}");
        }
        for name in ["1.in", "#", "party", "tmp", "Thumbs.db.in"] {
            assert!(!is_junk_file(name.as_bytes()), "{name}");
        }
        assert!(is_junk_folder(b"__MACOSX") && is_junk_folder(b".git") && !is_junk_folder(b"a~"));
    }
}
