//! From a name that is there to a drop that can be taken.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{AtFlags, Stat, statat};
use rustix::io::Errno;

use super::super::origin::begins_like_a_zip;
use super::super::read::{Cap, pump};
use super::super::stamp::{Print, Stamp};
use super::super::subtree::{Subtree, Trouble, is_plain};
use super::super::watch::Hint;
use super::super::{Frozen, Origin};
use super::company::{Company, is_answer};
use super::item::{HANDED_OVER, Item, Kind, Role, State};
use super::{Dropped, Inbox, InboxError, Look, READY_MOST, Refused};
use crate::domain::Class;
use crate::sim::Census;

/// A larger file is not read for being closed: it waits like any other.
const COMPLETE_MOST: u64 = 1 << 20;

/// The files of a drop with their status.
type Files = Vec<(Box<[u8]>, Stamp)>;

impl Inbox {
    /// Takes note of a name that is to be taken.
    pub(super) fn notice_input(
        &mut self,
        look: &mut Look<'_>,
        name: &OsStr,
        kind: Kind,
        status: &Stat,
    ) {
        let hint = look.hints.remove(name);
        let stamp = Stamp::from(status);
        let pass = self.pass;
        if let Some(item) = self.items.get_mut(name) {
            item.pass = pass;
            // Most names of a large inbox, most of the time.
            let settles = hint.is_none()
                && (item.state, item.kind) == (State::Settling, kind)
                && kind.is_file()
                && item.print == stamp.print(name.as_bytes());
            if settles || item.state == State::Handed {
                return;
            }
        }
        let (kind, print, ready) = if kind.is_folder() {
            let Some(tree) = self.list(look, name, 0) else { return };
            (folder_kind(&tree), folder_print(name, status, &tree), tree.ready)
        } else {
            (kind, stamp.print(name.as_bytes()), false)
        };
        let changed = self.settle(look, name, kind, print);
        if !kind.is_data() {
            if changed {
                self.refuse(look, name);
            }
        } else if ready || self.is_complete(look, name, kind, hint) {
            self.ripen(name, look.all);
        } else if !changed {
            self.revive(name, look.all);
        }
    }

    /// Hands on what is ready, until it is enough for one look.
    pub(super) fn judge_ripe(&mut self, look: &mut Look<'_>) -> Result<(), InboxError> {
        while look.found.ready.len() < READY_MOST
            && let Some(name) = self.next_ripe(look)
        {
            self.judge(look, &name)?;
        }
        Ok(())
    }

    fn next_ripe(&mut self, look: &Look<'_>) -> Option<Arc<OsStr>> {
        if let Some(name) = self.ripe.pop_front() {
            return Some(name);
        }
        loop {
            let mut first = self.due.first_entry().filter(|first| *first.key() <= look.now)?;
            if let Some(name) = first.get_mut().pop() {
                return Some(name);
            }
            first.remove();
        }
    }

    /// Looks once more at a name that may be ready, and at what belongs to it.
    fn judge(&mut self, look: &mut Look<'_>, name: &Arc<OsStr>) -> Result<(), InboxError> {
        if !self.items.get(name).is_some_and(|item| self.is_ripe(look, item)) {
            return Ok(());
        }
        let Some(status) = self.status(look, name)? else { return Ok(()) };
        match Role::of(name.as_bytes(), &status) {
            Role::Input(kind) if kind.is_folder() => self.judge_folder(look, name, &status),
            Role::Input(kind) if kind.is_file() => self.judge_file(look, name, kind, &status)?,
            Role::Input(_) | Role::Aside | Role::Making | Role::Junk => {
                self.items.remove(name);
                self.notice(look, name.as_bytes(), &status);
            }
        }
        Ok(())
    }

    /// Whether it held still for long enough, or is said to be complete.
    fn is_ripe(&self, look: &Look<'_>, item: &Item) -> bool {
        match item.state {
            State::Ripe => true,
            State::Settling => item.due(&self.settings) <= look.now,
            State::Waiting | State::Blocked | State::Refused | State::Handed => false,
        }
    }

    fn judge_folder(&mut self, look: &mut Look<'_>, name: &Arc<OsStr>, status: &Stat) {
        let most = usize::try_from(self.settings.limits.max_folder_files).unwrap_or(usize::MAX);
        let most = most.saturating_add(1);
        let Some(tree) = self.list(look, name, most) else { return };
        let print = folder_print(name, status, &tree);
        if self.settle(look, name, folder_kind(&tree), print) {
            return;
        }
        if let Some(file) = &tree.denied {
            let reason = format!("{}: {}", file.display(), sentence(Errno::ACCESS));
            return self.block(look, name, Kind::Folder, reason);
        }
        let path = self.root.join(&**name);
        let frozen = Frozen::of_folder(&self.root, name, Stamp::from(status), tree);
        self.hand_on(look, vec![name.to_os_string()], Origin::Folder(path), frozen);
    }

    fn judge_file(
        &mut self,
        look: &mut Look<'_>,
        name: &Arc<OsStr>,
        kind: Kind,
        status: &Stat,
    ) -> Result<(), InboxError> {
        if self.settle(look, name, kind, Stamp::from(status).print(name.as_bytes())) {
            return Ok(());
        }
        // Until it is handed on, it waits for what belongs to it.
        self.set(name, State::Waiting);
        let company =
            Company::of(name.as_bytes(), |other| self.is_company(OsStr::from_bytes(other)));
        match company {
            Company::Missing => look.found.waiting.push(name.to_os_string()),
            Company::Together(names) if kind == Kind::EmptyFile && names.len() == 1 => {
                self.refuse(look, name);
            }
            Company::Together(names) => {
                if let Some((files, is_zip)) = self.open_all(look, name, &names)? {
                    self.hand_on_files(look, files, is_zip);
                }
            }
        }
        Ok(())
    }

    /// Whether a name is that of a file that is still to be taken.
    fn is_company(&self, name: &OsStr) -> bool {
        self.items.get(name).is_some_and(|item| {
            item.kind.is_file() && !matches!(item.state, State::Refused | State::Handed)
        })
    }

    /// Looks at all files of a drop, if all are ready and can be read. Whether they are a zip, too.
    fn open_all(
        &mut self,
        look: &mut Look<'_>,
        asker: &OsStr,
        names: &[Vec<u8>],
    ) -> Result<Option<(Files, bool)>, InboxError> {
        let mut files = Vec::new();
        let mut is_zip = false;
        for name in names.iter().map(|name| OsStr::from_bytes(name)) {
            let ready = |item: &Item| item.state == State::Waiting || self.is_ripe(look, item);
            if name != asker && !self.items.get(name).is_some_and(ready) {
                return Ok(None);
            }
            let Some(status) = self.status(look, name)? else { return Ok(None) };
            let stamp = Stamp::from(&status);
            let kind = if stamp.bytes == 0 { Kind::EmptyFile } else { Kind::File };
            if self.settle(look, name, kind, stamp.print(name.as_bytes())) {
                return Ok(None);
            }
            match open_plain(look, name) {
                Ok(file) => {
                    is_zip = names.len() == 1
                        && (name.as_bytes().ends_with(b".zip") || begins_like_a_zip(&file));
                }
                Err(errno) => {
                    self.block(look, name, kind, sentence(errno));
                    return Ok(None);
                }
            }
            files.push((name.as_bytes().into(), stamp));
        }
        Ok(Some((files, is_zip)))
    }

    fn hand_on_files(&mut self, look: &mut Look<'_>, files: Files, is_zip: bool) {
        let names = files.iter().map(|(name, _)| OsStr::from_bytes(name).to_owned());
        let names: Vec<OsString> = names.collect();
        let mut paths: Vec<PathBuf> = names.iter().map(|name| self.root.join(name)).collect();
        let origin = match paths.pop().filter(|_| is_zip) {
            Some(zip) => Origin::Zip(zip),
            None => Origin::Files(names.iter().map(|name| self.root.join(name)).collect()),
        };
        let frozen = Frozen::of_files(&self.root, files);
        self.hand_on(look, names, origin, frozen);
    }

    fn hand_on(
        &mut self,
        look: &mut Look<'_>,
        names: Vec<OsString>,
        origin: Origin,
        listed: Frozen,
    ) {
        names.iter().for_each(|name| self.set(name, State::Handed));
        let is_handed_over = |name: &OsString| name.as_bytes().starts_with(HANDED_OVER.as_bytes());
        let handed_over = names.first().is_some_and(is_handed_over);
        let class = if handed_over { Class::High } else { Class::Normal };
        let identity = listed.identity();
        look.found.ready.push(Dropped { names, origin, identity, class, listed });
    }

    /// Notes how a name looks now; whether that is new, so that it settles from now on.
    fn settle(&mut self, look: &Look<'_>, name: &OsStr, kind: Kind, print: Print) -> bool {
        let pass = self.pass;
        let new = Item { print, since: look.now, pass, kind, state: State::Settling };
        let due = new.due(&self.settings);
        let key = match self.entry(name) {
            Some((_, item)) if item.print == print && item.kind == kind => {
                item.pass = pass;
                return false;
            }
            Some((key, item)) => {
                *item = new;
                key
            }
            None => {
                let key: Arc<OsStr> = name.into();
                self.items.insert(Arc::clone(&key), new);
                key
            }
        };
        self.blocked.remove(name);
        self.due.entry(due).or_default().push(key);
        true
    }

    /// Puts a settling name into the queue, and what waits or is blocked.
    fn ripen(&mut self, name: &OsStr, all: bool) {
        if let Some((_, item)) = self.entry(name)
            && item.state == State::Settling
        {
            item.state = State::Waiting;
        }
        self.revive(name, all);
    }

    /// Puts a name into the queue that waits or is blocked: what kept it may be gone.
    fn revive(&mut self, name: &OsStr, all: bool) {
        let Some((key, item)) = self.entry(name) else { return };
        match item.state {
            State::Waiting | State::Blocked => item.state = State::Ripe,
            // A scan has emptied the queue.
            State::Ripe if all => {}
            State::Ripe | State::Settling | State::Refused | State::Handed => return,
        }
        self.ripe.push_back(key);
    }

    fn set(&mut self, name: &OsStr, state: State) {
        if let Some(item) = self.items.get_mut(name) {
            item.state = state;
        }
    }

    fn block(&mut self, look: &Look<'_>, name: &OsStr, kind: Kind, reason: String) {
        if !self.items.contains_key(name) {
            self.settle(look, name, kind, Print::default());
        }
        let pass = self.pass;
        let Some((key, item)) = self.entry(name) else { return };
        item.state = State::Blocked;
        item.pass = pass;
        self.blocked.insert(key, reason);
    }

    fn refuse(&mut self, look: &mut Look<'_>, name: &OsStr) {
        let Some(item) = self.items.get_mut(name) else { return };
        item.state = State::Refused;
        let reason = item.kind.refusal().to_owned();
        look.found.refused.push(Refused { name: name.to_owned(), reason });
    }

    /// The status of a name now; without one it is forgotten.
    fn status(&mut self, look: &mut Look<'_>, name: &OsStr) -> Result<Option<Stat>, InboxError> {
        match statat(look.folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(status) => Ok(Some(status)),
            Err(Errno::NOENT) => {
                self.vanish(look, name);
                Ok(None)
            }
            Err(errno) => Err(self.unreadable(errno)),
        }
    }

    /// Lists a folder; what cannot be listed is blocked or forgotten.
    fn list(&mut self, look: &mut Look<'_>, name: &OsStr, keep: usize) -> Option<Subtree> {
        match Subtree::list(look.folder, name, keep) {
            Ok(tree) => Some(tree),
            Err(Trouble::Gone) => {
                self.vanish(look, name);
                None
            }
            Err(Trouble::Unreadable(path, errno)) => {
                let reason = format!("{}: {}", path.display(), sentence(errno));
                self.block(look, name, Kind::Folder, reason);
                None
            }
        }
    }

    /// Whether what the watcher says of a name lets it be taken at once.
    fn is_complete(&self, look: &Look<'_>, name: &OsStr, kind: Kind, hint: Option<Hint>) -> bool {
        match hint {
            Some(Hint::RenamedIn) => kind != Kind::EmptyFile,
            Some(Hint::Closed) => {
                kind == Kind::File && !is_answer(name.as_bytes()) && self.says_so(look, name)
            }
            Some(Hint::Touched) | None => false,
        }
    }

    /// Whether a file is complete by its own count.
    fn says_so(&self, look: &Look<'_>, name: &OsStr) -> bool {
        let Ok(mut file) = open_plain(look, name) else { return false };
        let bytes = COMPLETE_MOST.min(self.settings.limits.max_input_bytes);
        let cap = Cap { bytes, key: "max_input_bytes" };
        let mut census = Census::default();
        let mut last = None;
        let read = file.metadata().map(|metadata| metadata.len()).is_ok_and(|claimed| {
            let see = &mut |part: &[u8]| {
                census.feed(part);
                last = part.last().copied();
                ControlFlow::Continue(())
            };
            pump(&mut file, claimed, cap, see) == Ok(Some(claimed))
        });
        read && last == Some(b'\n') && !census.candidates().is_empty()
    }
}

const fn folder_kind(tree: &Subtree) -> Kind {
    if tree.any { Kind::Folder } else { Kind::EmptyFolder }
}

fn folder_print(name: &OsStr, status: &Stat, tree: &Subtree) -> Print {
    let mut print = tree.print;
    print.add(Stamp::from(status).print(name.as_bytes()));
    print
}

fn sentence(errno: Errno) -> String {
    std::io::Error::from(errno).to_string()
}

/// Opens a file for reading; whatever took its place in between is not waited for.
fn open_plain(look: &Look<'_>, name: &OsStr) -> Result<File, Errno> {
    let file = look.folder.file(Path::new(name))?;
    if !is_plain(&rustix::fs::fstat(&file)?) {
        return Err(Errno::INVAL);
    }
    Ok(file)
}
