//! The cases of an origin: what each file is, and in which order they come.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::PathBuf;

use super::pairing::pair;
use super::rules::{Naming, PairRule, Shape, stem};
use super::source::FileRef;
use super::tree::Tree;
use super::{Cap, IngestError, Manifest, Origin, Pattern, Seen, Selection};
use crate::config::Limits;
use crate::domain::{SimulatorId, natural};
use crate::sim::Census;

/// What somebody says about an origin.
#[derive(Debug, Clone, Default)]
pub struct Choices {
    /// The simulator of all inputs.
    pub simulator: Option<SimulatorId>,
    /// How inputs and answers are paired, instead of the rules and of what the manifest says.
    pub pair: Option<Pattern>,
    /// Which cases are wanted.
    pub only: Option<Selection>,
    /// The inbox that it was dropped into: no link below that is followed. Otherwise somebody named the origin
    /// itself, and may have named a link to a folder.
    pub within: Option<PathBuf>,
}

/// An input with what belongs to it.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its place in natural order, from 1, whether or not those before it are wanted.
    pub rank: u32,
    /// The input.
    pub input: FileRef,
    /// The file it is compared with.
    pub compared: Option<FileRef>,
    /// The simulator that the nearest folder around it, or its zip, is named after.
    pub hint: Option<SimulatorId>,
    /// The rule that found the file it is compared with.
    pub rule: Option<PairRule>,
    pub(super) naming: Naming,
}

impl Entry {
    /// The case's name: the path of its input without `.in`, and without the folder `in` if the answer
    /// lies in a folder `out`; the whole path where two cases would have one name.
    #[must_use]
    pub fn name(&self) -> Cow<'_, [u8]> {
        self.naming.name(self.input.path())
    }
}

/// What an origin holds.
#[derive(Debug, Default)]
pub struct Listing {
    /// Its inputs that are wanted, in natural order of their names.
    pub entries: Vec<Entry>,
    /// What its manifest says; nothing if it has none.
    pub manifest: Manifest,
    /// Which folders around the files were taken away, such as `one root folder x/, data/`.
    pub layout: Option<String>,
    /// How many entries each rule paired, in the order of [`PairRule::ALL`].
    pub rules: [u64; PairRule::ALL.len()],
    /// How many entries have nothing to compare with.
    pub unanswered: u64,
    /// `.out` files beside an `.ans` that is the reference; they are left alone.
    pub beside: Vec<Vec<u8>>,
    /// Answers without an input.
    pub orphans: Vec<Vec<u8>>,
    /// Files that are neither inputs nor answers.
    pub skipped: Vec<Vec<u8>>,
    /// Folders that are left alone because they lie deeper than 32 folders.
    pub too_deep: Vec<Vec<u8>>,
    /// How many files and folders are hidden, or made by systems, editors and broken downloads.
    pub junk: u64,
    /// Whether plain order of bytes, that other tools use, would be another one.
    pub unsorted: bool,
}

/// Lists what an origin holds. Content is looked at only where a name says nothing.
///
/// # Errors
/// [`IngestError`]: there is no such thing, it cannot be listed, its manifest is wrong, a zip is
/// rejected, or something that `only` names is not there.
pub fn list(origin: &Origin, choices: &Choices, limits: &Limits) -> Result<Listing, IngestError> {
    let mut tree = Tree::of(origin, choices.within.as_deref(), limits)?;
    let manifest = tree.manifest.as_ref().map(|(file, path)| Manifest::read(file, path));
    let manifest = manifest.transpose()?.unwrap_or_default();
    tree.files.sort_by(|left, right| natural(left.path(), right.path()));
    tree.too_deep.sort_by(|left, right| natural(left, right));
    let sorter = Sorter {
        tree: &tree,
        pattern: choices.pair.as_ref().or(manifest.pair.as_ref()),
        simulator: choices.simulator.or(manifest.simulator),
        limits,
    };
    let mut listing = sorter.sort();
    listing.order();
    if let Some(only) = &choices.only {
        only.apply(&mut listing.entries)?;
    }
    listing.count();
    let layout = Some(tree.layout.join(", ")).filter(|layout| !layout.is_empty());
    Ok(Listing { manifest, layout, too_deep: tree.too_deep, junk: tree.junk, ..listing })
}

/// Says what each file is.
struct Sorter<'a> {
    tree: &'a Tree,
    pattern: Option<&'a Pattern>,
    simulator: Option<SimulatorId>,
    limits: &'a Limits,
}

impl Sorter<'_> {
    fn sort(&self) -> Listing {
        let files = &self.tree.files;
        let paths: Vec<&[u8]> = files.iter().map(FileRef::path).collect();
        let pairs = pair(&paths, self.pattern);
        let mut listing = Listing::default();
        let mut beside = HashSet::new();
        for (at, file) in files.iter().enumerate() {
            match pairs.answer[at] {
                Some((rule, answer)) => {
                    if rule == PairRule::InAns {
                        beside.insert(out_beside(file.path()));
                    }
                    listing.entries.push(self.entry(file, Some((rule, files[answer].clone()))));
                }
                None if !pairs.used[at] => self.sort_unpaired(file, &mut listing),
                None => {}
            }
        }
        listing.set_beside(&beside);
        listing
    }

    fn sort_unpaired(&self, file: &FileRef, listing: &mut Listing) {
        match Shape::of(file.path(), self.pattern) {
            Shape::Input => listing.entries.push(self.entry(file, None)),
            Shape::Answer => listing.orphans.push(file.path().to_vec()),
            Shape::Other if self.tree.named || self.is_recognised(file) => {
                listing.entries.push(self.entry(file, None));
            }
            Shape::Other => listing.skipped.push(file.path().to_vec()),
        }
    }

    fn entry(&self, file: &FileRef, answer: Option<(PairRule, FileRef)>) -> Entry {
        let (rule, compared) = answer.unzip();
        let (naming, hint) = (Naming::of(rule), self.tree.hint(file));
        Entry { rank: 0, input: file.clone(), compared, hint, rule, naming }
    }

    /// Whether the content is for some simulator, and for the one that is given.
    fn is_recognised(&self, file: &FileRef) -> bool {
        let cap = Cap { bytes: self.limits.max_input_bytes, key: "max_input_bytes" };
        let mut census = Census::default();
        let mut begun = false;
        let seen = file.read_some(cap, &mut |part| {
            if !begun && !begins_with_a_number(part) {
                return ControlFlow::Break(());
            }
            begun = true;
            census.feed(part);
            ControlFlow::Continue(())
        });
        let given = self.simulator.or_else(|| self.tree.hint(file));
        let candidates = census.candidates();
        seen == Ok(Seen::Whole)
            && given.map_or(!candidates.is_empty(), |given| candidates.contains(&given))
    }
}

/// Whether a file may be an input, told from its first part: most that are none need not be read on.
fn begins_with_a_number(part: &[u8]) -> bool {
    let text = part.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(part).trim_ascii_start();
    text.first().is_none_or(|&byte| byte.is_ascii_digit() || b"+-".contains(&byte))
}

/// The path of the `.out` that may lie beside an input.
fn out_beside(input: &[u8]) -> Vec<u8> {
    [stem(input).unwrap_or(input), b".out"].concat()
}

impl Listing {
    /// A listing of entries that have their names and ranks.
    #[must_use]
    pub fn of(entries: Vec<Entry>) -> Self {
        let mut listing = Self { entries, ..Self::default() };
        listing.count();
        listing
    }

    /// Takes the `.out` files that lie beside a reference off the orphans.
    fn set_beside(&mut self, paths: &HashSet<Vec<u8>>) {
        self.beside = self.orphans.extract_if(.., |orphan| paths.contains(orphan)).collect();
    }

    /// Makes the names unique, puts the entries in order and gives them ranks.
    fn order(&mut self) {
        self.sort();
        while self.lengthen_names() {
            self.sort();
        }
        self.unsorted = !self.entries.is_sorted_by(|left, right| left.name() <= right.name());
        for (entry, rank) in self.entries.iter_mut().zip(1..) {
            entry.rank = rank;
        }
    }

    fn sort(&mut self) {
        self.entries.sort_by(|left, right| natural(&left.name(), &right.name()));
    }

    /// Gives entries in order that share a name the whole path instead; whether there were any.
    fn lengthen_names(&mut self) -> bool {
        let mut any = false;
        for same in self.entries.chunk_by_mut(|left, right| left.name() == right.name()) {
            let shared = same.len() > 1;
            for entry in same.iter_mut().filter(|entry| shared && entry.naming != Naming::Path) {
                entry.naming = Naming::Path;
                any = true;
            }
        }
        any
    }

    fn count(&mut self) {
        self.unanswered =
            self.entries.iter().filter(|entry| entry.compared.is_none()).count() as u64;
        let paired =
            |rule| self.entries.iter().filter(|entry| entry.rule == Some(rule)).count() as u64;
        self.rules = PairRule::ALL.map(paired);
    }
}
