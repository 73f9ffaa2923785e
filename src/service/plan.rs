//! What is to be run: what was handed over, listed, with what somebody says about it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::{self, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::dispatch::UnderWay;
use crate::config::Limits;
use crate::domain::{
    Class, CompareMode, ContentHash, ContentHasher, RuleSet, RunId, SimulatorId, TimestampUs,
};
use crate::ingest::{
    self, Choices, Entry, HANDED_OVER, IngestError, Listing, Origin, Pattern, Selection,
};
use crate::store::{NewRun, RunRecord};

/// What was handed over, and what somebody says about it.
#[derive(Debug, Clone)]
pub struct Request {
    /// What was handed over.
    pub origin: Origin,
    /// The inbox that it was dropped into, if it was.
    pub within: Option<PathBuf>,
    /// The simulator of all inputs.
    pub simulator: Option<SimulatorId>,
    /// The rule set, for the simulators that have it.
    pub rules: Option<RuleSet>,
    /// How files are compared.
    pub compare: Option<CompareMode>,
    /// How inputs and answers are paired.
    pub pair: Option<Pattern>,
    /// Which cases are wanted.
    pub only: Option<Selection>,
    /// What the run is called.
    pub label: Option<String>,
    /// What else people find it by.
    pub tags: Vec<(String, String)>,
    /// Whether to play what is known, too.
    pub fresh: bool,
}

impl Request {
    /// A request about an origin that says nothing else.
    #[must_use]
    pub const fn new(origin: Origin) -> Self {
        Self {
            origin,
            within: None,
            simulator: None,
            rules: None,
            compare: None,
            pair: None,
            only: None,
            label: None,
            tags: Vec::new(),
            fresh: false,
        }
    }
}

/// A request with the list of its cases. What is in it may be changed before it is run.
#[derive(Debug)]
pub struct Plan {
    /// The cases.
    pub listing: Listing,
    /// What the run is called.
    pub label: Option<String>,
    /// What else people find it by.
    pub tags: Vec<(String, String)>,
    pub(super) simulator: Option<SimulatorId>,
    pub(super) rules: Option<RuleSet>,
    pub(super) compare: CompareMode,
    pub(super) asked: Asked,
    source: Vec<u8>,
}

/// How a run is taken in and played, as the store keeps it for whoever goes on with it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Asked {
    origin: Kind,
    #[serde(skip_serializing_if = "Option::is_none")]
    simulator: Option<SimulatorId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rules: Option<RuleSet>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pair: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    only: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seeds: Option<Range<u64>>,
    /// Whether what is known is played, too.
    #[serde(default)]
    pub(super) fresh: bool,
}

/// What was handed over, without the paths, which need not be text.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Folder,
    Zip,
    Files,
    Seeds,
    /// Something that cannot be listed again.
    #[default]
    Gone,
}

impl Plan {
    /// Lists what was handed over. A flag beats the manifest, which beats a folder's name.
    ///
    /// # Errors
    /// [`IngestError`].
    pub fn new(request: &Request, limits: &Limits) -> Result<Self, IngestError> {
        let choices = Choices {
            simulator: request.simulator,
            pair: request.pair.clone(),
            only: request.only.clone(),
            within: request.within.clone(),
        };
        let listing = ingest::list(&request.origin, &choices, limits)?;
        let manifest = &listing.manifest;
        let mut tags: Vec<_> = manifest.tags.clone().into_iter().collect();
        tags.extend(request.tags.iter().cloned());
        Ok(Self {
            label: request.label.clone().or_else(|| manifest.label.clone()),
            tags,
            simulator: request.simulator.or(manifest.simulator),
            rules: request.rules.or(manifest.rules),
            compare: request.compare.or(manifest.compare).unwrap_or_default(),
            asked: Asked::new(request),
            source: source(&request.origin),
            listing,
        })
    }

    /// Marks the list as one that nobody can make again: it was changed, or put together by hand.
    pub fn forget_origin(&mut self) {
        self.asked.origin = Kind::Gone;
    }

    /// Lists again what a run was made of; `None` if that cannot be listed again. Of what was handed over to a daemon
    /// only whoever did that says where it came from, who may not read there.
    pub(super) fn again(run: &RunRecord, limits: &Limits) -> Option<Result<Self, IngestError>> {
        if run.token.is_some() {
            return None;
        }
        let asked = Asked::of(run);
        let request = Request {
            within: dropped_into(run),
            simulator: asked.simulator,
            rules: asked.rules,
            compare: Some(run.compare),
            pair: asked.pair.as_deref().and_then(|text| text.parse().ok()),
            only: asked.only.as_deref().and_then(|text| text.parse().ok()),
            ..Request::new(asked.origin(&run.source)?)
        };
        Some(Self::new(&request, limits))
    }

    /// What the list is: names and files in their order.
    pub(super) fn list_hash(&self) -> ContentHash {
        let mut hasher = ContentHasher::new();
        for entry in &self.listing.entries {
            let compared = entry.compared.as_ref().map_or(&b""[..], |file| file.path());
            for part in [&entry.rank.to_be_bytes(), &entry.name()[..], entry.input.path(), compared]
            {
                hasher.update(&(part.len() as u64).to_be_bytes());
                hasher.update(part);
            }
        }
        hasher.finish()
    }

    /// The run as it is played.
    pub(super) const fn under_way(&self, run: RunId, class: Class) -> UnderWay {
        let (mode, fresh) = (self.compare, self.asked.fresh);
        UnderWay { run, mode, fresh, class, queued: 0 }
    }

    /// The run as the store begins it.
    pub(super) fn new_run(&self, at: TimestampUs) -> NewRun {
        NewRun {
            label: self.label.clone(),
            tags: self.tags.clone(),
            source: self.source.clone(),
            asked: self.asked.text(),
            compare: self.compare,
            listed: self.listing.entries.len() as u64,
            list_hash: Some(self.list_hash()),
            about: serde_json::to_string(&About::new(&self.listing)).ok(),
            dropped: None,
            at,
        }
    }
}

impl UnderWay {
    /// A run of the store as it is played on.
    pub(super) fn of(run: &RunRecord) -> Self {
        Self {
            run: run.id,
            mode: run.compare,
            fresh: Asked::of(run).fresh,
            class: run.class,
            queued: run.total - run.done,
        }
    }
}

/// A run of something that is rejected.
pub(super) fn rejected_run(request: &Request, at: TimestampUs) -> NewRun {
    NewRun {
        label: request.label.clone(),
        tags: request.tags.clone(),
        source: source(&request.origin),
        asked: Asked::new(request).text(),
        compare: request.compare.unwrap_or_default(),
        listed: 0,
        list_hash: None,
        about: None,
        dropped: None,
        at,
    }
}

impl Asked {
    fn new(request: &Request) -> Self {
        let (origin, seeds) = match &request.origin {
            Origin::Folder(_) => (Kind::Folder, None),
            Origin::Zip(_) => (Kind::Zip, None),
            Origin::Files(_) => (Kind::Files, None),
            Origin::Input(_) => (Kind::Gone, None),
            Origin::Seeds(seeds) => (Kind::Seeds, Some(seeds.clone())),
        };
        Self {
            origin,
            simulator: request.simulator,
            rules: request.rules,
            pair: request.pair.as_ref().map(ToString::to_string),
            only: request.only.as_ref().map(ToString::to_string),
            seeds,
            fresh: request.fresh,
        }
    }

    /// Cases of another run, which are all there.
    pub(super) fn again(fresh: bool) -> Self {
        Self { fresh, ..Self::default() }
    }

    /// What a run was asked to be. A store that says nonsense here says that nothing can be listed again.
    pub(super) fn of(run: &RunRecord) -> Self {
        serde_json::from_str(&run.asked).unwrap_or_default()
    }

    /// How the store keeps it.
    pub(super) fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    fn origin(&self, source: &[u8]) -> Option<Origin> {
        let path = || PathBuf::from(OsStr::from_bytes(source));
        Some(match self.origin {
            Kind::Folder => Origin::Folder(path()),
            Kind::Zip => Origin::Zip(path()),
            Kind::Files => {
                let paths = source.split(|&byte| byte == 0);
                Origin::Files(paths.map(|path| OsStr::from_bytes(path).into()).collect())
            }
            Kind::Seeds => Origin::Seeds(self.seeds.clone()?),
            Kind::Gone => return None,
        })
    }
}

/// The inbox that a run was dropped into, if it was.
fn dropped_into(run: &RunRecord) -> Option<PathBuf> {
    let first = Path::new(OsStr::from_bytes(run.source.split(|&byte| byte == 0).next()?));
    let handed_over = first.file_name()?.as_bytes().starts_with(HANDED_OVER.as_bytes());
    let inbox = first.parent().filter(|_| handed_over || run.class == Class::Normal)?;
    Some(inbox.to_owned())
}

/// Where an origin lies: absolute paths, with NUL bytes between them.
pub(super) fn source(origin: &Origin) -> Vec<u8> {
    let absolute = |path: &Path| {
        let path = path::absolute(path).unwrap_or_else(|_| path.to_owned());
        path.into_os_string().into_encoded_bytes()
    };
    match origin {
        Origin::Folder(path) | Origin::Zip(path) => absolute(path),
        Origin::Files(paths) => {
            paths.iter().map(|path| absolute(path)).collect::<Vec<_>>().join(&0)
        }
        Origin::Input(_) => b"standard input".to_vec(),
        Origin::Seeds(seeds) => format!("seeds {}..{}", seeds.start, seeds.end).into_bytes(),
    }
}

/// What was found besides cases, for people.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// How many inputs each rule paired; rules that paired none are left out.
    pub rules: BTreeMap<String, u64>,
    /// Inputs without a file to compare.
    pub unanswered: Names,
    /// Answers without an input.
    pub orphans: Names,
    /// `.out` files beside an `.ans` that is the reference.
    pub beside: u64,
    /// Files that are neither inputs nor answers.
    pub skipped: Names,
    /// Hidden files, and those of systems, editors and broken downloads.
    pub junk: u64,
    /// Folders that lie too deep.
    pub too_deep: Names,
    /// Which folders around the files were taken away.
    pub layout: Option<String>,
    /// Whether plain order of bytes would be another one.
    pub unsorted: bool,
}

/// Some files: how many, and the names of the first ten.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Names {
    /// How many there are.
    pub count: u64,
    /// The names of the first ones, with replacement characters where they are no UTF-8.
    pub first: Vec<String>,
}

impl Names {
    fn of(names: impl IntoIterator<Item: AsRef<[u8]>>) -> Self {
        let mut some = Self::default();
        for name in names {
            some.count += 1;
            if some.first.len() < 10 {
                some.first.push(String::from_utf8_lossy(name.as_ref()).into_owned());
            }
        }
        some
    }
}

impl About {
    /// What a listing says.
    #[must_use]
    pub fn new(listing: &Listing) -> Self {
        let unanswered = listing.entries.iter().filter(|entry| entry.compared.is_none());
        let counts =
            ingest::PairRule::ALL.iter().zip(listing.rules).filter(|&(_, count)| count > 0);
        Self {
            rules: counts.map(|(rule, count)| (rule.name().to_owned(), count)).collect(),
            unanswered: Names::of(unanswered.map(Entry::name)),
            orphans: Names::of(&listing.orphans),
            beside: listing.beside.len() as u64,
            skipped: Names::of(&listing.skipped),
            junk: listing.junk,
            too_deep: Names::of(&listing.too_deep),
            layout: listing.layout.clone(),
            unsorted: listing.unsorted,
        }
    }

    /// What the store keeps of a run.
    #[must_use]
    pub fn of(run: &RunRecord) -> Option<Self> {
        serde_json::from_str(run.about.as_deref()?).ok()
    }
}
