//! Words that a shell reads as they are meant.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A path as one word of a command line; whoever may choose a name must not choose a command.
pub(super) fn word(path: &Path) -> String {
    let bytes = path.as_os_str().as_bytes();
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-+,:@%=".contains(byte);
    let is_shown = |byte: &u8| byte.is_ascii_graphic() || *byte == b' ';
    if !bytes.is_empty() && bytes.iter().all(is_plain) {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    if bytes.iter().all(is_shown) {
        return format!("'{}'", String::from_utf8_lossy(bytes).replace('\'', r"'\''"));
    }
    let spell = |&byte: &u8| match byte {
        b'\'' | b'\\' => format!("\\{}", char::from(byte)),
        byte if is_shown(&byte) => char::from(byte).to_string(),
        // Three digits always, so that what follows is not read as one of them.
        byte => format!("\\{byte:03o}"),
    };
    format!("$'{}'", bytes.iter().map(spell).collect::<String>())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;
    use std::process::Command;

    use super::word;

    #[test]
    fn a_shell_reads_a_word_as_the_path_that_it_is() {
        let names: [&[u8]; 6] =
            [b"/a/b.in", b"a b", b"it's; rm $(x) `y`", b"", b"\x1b[1m'\\5", b"\xff0"];
        for name in names {
            let line = format!("printf %s {}", word(Path::new(OsStr::from_bytes(name))));
            match Command::new("bash").args(["-c", &line]).output() {
                Ok(said) => assert_eq!(said.stdout, name, "{line}"),
                Err(_) => eprintln!("SKIPPED: there is no `bash`, so {line} was not tried"),
            }
        }
        assert_eq!(word(Path::new("/a/b.in")), "/a/b.in");
    }
}
