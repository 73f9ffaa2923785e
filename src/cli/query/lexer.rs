//! The pieces of a query: key, relation and value, each with its place.

use crate::store::Relation;

/// What can be asked of its own, without a value.
const BARE: &str = "cached";

/// A term as it is written.
#[derive(Debug)]
pub(super) struct Piece<'a> {
    pub(super) negated: bool,
    pub(super) key: &'a str,
    pub(super) relation: Relation,
    /// The value without its quotes.
    pub(super) value: String,
    /// The byte of the text at which the key begins.
    pub(super) key_at: usize,
    /// The byte of the text at which the value begins.
    pub(super) value_at: usize,
}

/// The pieces of a text, or where it cannot be read on and why.
pub(super) fn pieces(text: &str) -> Result<Vec<Piece<'_>>, (usize, String)> {
    let mut pieces = Vec::new();
    let mut at = after_blanks(text, 0);
    while at < text.len() {
        let (piece, end) = piece(text, at)?;
        pieces.push(piece);
        at = after_blanks(text, end);
    }
    Ok(pieces)
}

/// The piece that begins at a byte, and where it ends.
fn piece(text: &str, at: usize) -> Result<(Piece<'_>, usize), (usize, String)> {
    let negated = text[at..].starts_with('-');
    let key_at = at + usize::from(negated);
    let key = &text[key_at..key_at + key_length(&text[key_at..])];
    let after = key_at + key.len();
    let piece =
        |relation, value, value_at| Piece { negated, key, relation, value, key_at, value_at };
    match relation(&text[after..]) {
        Some((relation, length)) => {
            let value_at = after + length;
            if ends(&text[value_at..]) {
                return Err((value_at, format!("{key} has no value")));
            }
            let (value, end) = value(text, value_at)?;
            Ok((piece(relation, value, value_at), end))
        }
        None if key == BARE && ends(&text[after..]) => {
            Ok((piece(Relation::Equal, "yes".to_owned(), key_at), after))
        }
        None => Err((at, no_term(&text[at..]))),
    }
}

/// Why something is no term.
fn no_term(text: &str) -> String {
    let word = text.split_whitespace().next().unwrap_or_default();
    let key = [("verdict", is_verdict(word)), ("sim", is_simulator(word))];
    match key.into_iter().find(|(_, fits)| *fits) {
        Some((key, _)) => format!("expected a term: did you mean {key}:{word}?"),
        None => format!("expected a term such as sim:mtj or took>2s, not {word:?}"),
    }
}

fn is_verdict(word: &str) -> bool {
    word.to_ascii_uppercase().parse::<crate::domain::Verdict>().is_ok()
}

fn is_simulator(word: &str) -> bool {
    word.parse::<crate::domain::SimulatorId>().is_ok()
}

/// The value that begins at a byte, without its quotes, and where it ends: at blanks before the next term.
/// Between quotes all is value; there a backslash takes away the meaning of the next character.
fn value(text: &str, at: usize) -> Result<(String, usize), (usize, String)> {
    let mut value = String::new();
    let mut quote = None;
    let mut rest = text[at..].char_indices();
    while let Some((place, c)) = rest.next() {
        match (c, quote) {
            ('"', None) => quote = Some(at + place),
            ('"', Some(_)) => quote = None,
            ('\\', Some(_)) => value.extend(rest.next().map(|(_, next)| next)),
            (c, None) if c.is_whitespace() && ends_value(&text[at + place..]) => {
                return Ok((value, at + place));
            }
            (c, _) => value.push(c),
        }
    }
    match quote {
        Some(quote) => Err((quote, "a quote that does not end".to_owned())),
        None => Ok((value, text.len())),
    }
}

/// Whether blanks are followed by a term or by nothing.
fn ends_value(text: &str) -> bool {
    let rest = text.trim_start();
    rest.is_empty() || begins_term(rest)
}

/// Whether a text begins with something in the form of a term.
pub(super) fn begins_term(text: &str) -> bool {
    let text = text.strip_prefix('-').unwrap_or(text);
    let (key, after) = text.split_at(key_length(text));
    (!key.is_empty() && relation(after).is_some()) || (key == BARE && ends(after))
}

fn ends(text: &str) -> bool {
    text.is_empty() || text.starts_with(char::is_whitespace)
}

/// How long the key is that a text begins with; a key begins with a letter.
fn key_length(text: &str) -> usize {
    if !text.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return 0;
    }
    let is_of_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    text.find(|c| !is_of_key(c)).unwrap_or(text.len())
}

/// The relation that a text begins with, and how long it is.
fn relation(text: &str) -> Option<(Relation, usize)> {
    let relations = [
        ("<=", Relation::AtMost),
        (">=", Relation::AtLeast),
        ("<", Relation::Less),
        (">", Relation::More),
        (":", Relation::Equal),
        ("=", Relation::Equal),
    ];
    let found = relations.into_iter().find(|(sign, _)| text.starts_with(sign));
    found.map(|(sign, relation)| (relation, sign.len()))
}

fn after_blanks(text: &str, at: usize) -> usize {
    text.len() - text[at..].trim_start().len()
}
