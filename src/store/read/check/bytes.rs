//! Stored bytes against their hashes.

use std::io::{self, Read};
use std::sync::Arc;

use super::{CheckPart, CheckStep, Flaw, Remedy, See};
use crate::domain::{CaseId, ContentHash, ContentHasher, ContentId, ResultId, Stream};
use crate::store::StoreError;
use crate::store::content::{Coding, unpack};
use crate::store::read::Reader;
use crate::store::stream::{Chunks, Kept};

/// One read goes on until it has seen so many rows or bytes.
const ROWS_MOST: usize = 1_000;
const BYTES_MOST: u64 = 4 << 20;

/// Bytes of one kind: where they are, and how a case that has them is found.
struct Shelf {
    part: CheckPart,
    name: &'static str,
    page: &'static str,
    is_there: &'static str,
    user: &'static str,
    kept: fn(i64) -> Kept,
}

const CONTENTS: Shelf = Shelf {
    part: CheckPart::Contents,
    name: "content",
    page: "SELECT id, hash, bytes, coding, data FROM contents WHERE id > ?1 AND whole = 1 ORDER BY id",
    is_there: "SELECT 1 FROM contents WHERE id = ?1 AND whole = 1",
    user: "SELECT id FROM cases WHERE content = ?1 OR compared = ?1 LIMIT 1",
    kept: |id| Kept::Content(ContentId(id)),
};

const OUTPUTS: Shelf = Shelf {
    part: CheckPart::Outputs,
    name: "the output of result",
    page: "SELECT id, output_hash, output_bytes, coding, output FROM results
           WHERE id > ?1 AND unfinished = 0 AND output_hash IS NOT NULL AND coding < 3 ORDER BY id",
    is_there: "SELECT 1 FROM results WHERE id = ?1 AND unfinished = 0 AND coding < 3",
    user: "SELECT id FROM cases WHERE result = ?1 LIMIT 1",
    kept: |id| Kept::Output(ResultId(id)),
};

/// Bytes as they should be.
struct Wanted {
    id: i64,
    hash: ContentHash,
    bytes: u64,
}

/// What one read came upon.
#[derive(Default)]
struct Page {
    seen: u64,
    last: Option<i64>,
    wrong: Vec<(Wanted, String)>,
    /// Those that lie in chunks.
    long: Vec<Wanted>,
}

impl Reader {
    pub(super) fn check_contents(&self, see: See<'_>) -> Result<(), StoreError> {
        self.check_shelf(&CONTENTS, self.total(3)?, see)
    }

    pub(super) fn check_outputs(&self, see: See<'_>) -> Result<(), StoreError> {
        self.check_shelf(&OUTPUTS, self.total(4)?, see)
    }

    fn check_shelf(&self, shelf: &Shelf, of: u64, see: See<'_>) -> Result<(), StoreError> {
        let (mut after, mut done) = (0, 0);
        loop {
            see(CheckStep::At(shelf.part, done, of));
            let page = self.page(shelf, after)?;
            let long = page.long.into_iter().filter_map(|wanted| {
                let problem = self.read_through(shelf, &wanted).err()?;
                Some((wanted, problem.to_string()))
            });
            for (wanted, problem) in page.wrong.into_iter().chain(long) {
                self.tell(shelf, &wanted, problem, see)?;
            }
            done += page.seen;
            match page.last {
                Some(last) => after = last,
                None => return Ok(()),
            }
        }
    }

    fn page(&self, shelf: &Shelf, after: i64) -> Result<Page, StoreError> {
        let mut statement = self.db.prepare_cached(shelf.page)?;
        let mut rows = statement.query([after])?;
        let (mut page, mut bytes) = (Page::default(), 0);
        for _ in 0..ROWS_MOST {
            let Some(row) = rows.next()? else { break };
            let wanted =
                Wanted { id: row.get(0)?, hash: ContentHash(row.get(1)?), bytes: row.get(2)? };
            (page.last, page.seen) = (Some(wanted.id), page.seen + 1);
            bytes += wanted.bytes;
            match row.get::<_, Option<Vec<u8>>>(4)? {
                None => page.long.push(wanted),
                Some(data) => {
                    let unpacked = unpack(row.get::<_, Coding>(3)?, data);
                    let held = unpacked.map_err(|error| error.to_string());
                    if let Err(problem) = held.and_then(|held| wanted.is(&mut held.as_slice())) {
                        page.wrong.push((wanted, problem));
                    }
                }
            }
            if bytes >= BYTES_MOST {
                break;
            }
        }
        Ok(page)
    }

    fn read_through(&self, shelf: &Shelf, wanted: &Wanted) -> Result<(), String> {
        let kept = (shelf.kept)(wanted.id);
        let chunks = Chunks::new(Arc::clone(&self.database), kept, wanted.bytes);
        let mut stream = chunks.open().map_err(|error| error.to_string())?;
        wanted.is(&mut stream)
    }

    /// Tells of bytes that are wrong, unless they are gone by now.
    fn tell(
        &self,
        shelf: &Shelf,
        wanted: &Wanted,
        problem: String,
        see: See<'_>,
    ) -> Result<(), StoreError> {
        let asked = |sql: &str| self.walk_all(sql, [wanted.id], |row| row.get::<_, i64>(0));
        if asked(shelf.is_there)?.is_empty() {
            return Ok(());
        }
        let user = asked(shelf.user)?.first().copied().map(CaseId::from_key);
        let remedy = match (shelf.part, user) {
            (CheckPart::Outputs, Some(case)) => Remedy::Replay(case),
            _ => Remedy::Restore,
        };
        let of = user.map(|case| format!(", of case {case}")).unwrap_or_default();
        let place = format!("{} {}{of}", shelf.name, wanted.id);
        see(CheckStep::Found(Flaw::new(place, problem, remedy)));
        Ok(())
    }
}

impl Wanted {
    /// Reads bytes and says what is wrong with them.
    fn is(&self, from: &mut dyn Read) -> Result<(), String> {
        let mut hashing = Hashing { hasher: ContentHasher::new(), bytes: 0 };
        io::copy(from, &mut hashing).map_err(|error| error.to_string())?;
        if hashing.bytes != self.bytes {
            return Err(format!("it has {} bytes and should have {}", hashing.bytes, self.bytes));
        }
        if hashing.hasher.finish() != self.hash {
            return Err("its bytes are not those of its hash".to_owned());
        }
        Ok(())
    }
}

struct Hashing {
    hasher: ContentHasher,
    bytes: u64,
}

impl io::Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.hasher.update(bytes);
        self.bytes += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
