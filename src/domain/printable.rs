//! Text that a terminal shows instead of obeying it.

/// Text whose control characters are spelt out, so that no name can drive the terminal, and those that
/// nobody sees, so that a difference in them can be seen.
#[must_use]
pub fn printable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    if !text.chars().any(is_unseen) {
        return text.into_owned();
    }
    let spell = |c: char| if is_unseen(c) { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(spell).collect()
}

/// Whether a terminal obeys a character instead of showing it: controls, those of width zero, and those
/// that turn the direction of writing.
fn is_unseen(c: char) -> bool {
    let formats = matches!(
        c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
    );
    formats || c.is_control()
}
