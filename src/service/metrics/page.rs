//! The page of numbers: a text file in the format of Prometheus, never seen half written.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use prometheus::{IntCounter, TextEncoder};

use super::{Metrics, UNKNOWN, seconds};
use crate::domain::{Class, SimulatorId};
use crate::service::dispatch::Load;
use crate::service::{ServiceError, now};
use crate::store::Reader;

/// Whatever the mask of the process: a collector is another user.
const MODE: u32 = 0o644;

/// What is not the store's.
#[derive(Debug, Clone, Copy)]
pub(in crate::service) struct Beside {
    pub(in crate::service) load: Load,
    pub(in crate::service) panics: u64,
    pub(in crate::service) lost_lines: u64,
}

impl Metrics {
    /// Asks the store for what it counts.
    pub(in crate::service) fn ask(&self, reader: &Reader) -> Result<(), ServiceError> {
        self.cached.reset();
        self.name_all();
        for done in reader.ever_done()? {
            let simulator = done.simulator.map_or(UNKNOWN, SimulatorId::name);
            set(&self.cases.with_label_values(&[simulator, done.verdict.name()]), done.cases);
            self.cached.with_label_values(&[simulator]).inc_by(done.cached);
        }
        let oldest = reader.oldest_unfinished()?;
        for class in Class::ALL {
            let at = oldest.iter().find(|(of, _)| *of == class).map(|(_, at)| *at);
            // The clock may have been set back.
            let age = at.map_or(0.0, |at| (seconds(now()) - seconds(at)).max(0.0));
            self.oldest.with_label_values(&[class.name()]).set(age);
        }
        let size = reader.size()?;
        self.database_bytes.set(signed(size.database_bytes));
        self.wal_bytes.set(signed(size.wal_bytes));
        Ok(())
    }

    /// Everything as text.
    pub(in crate::service) fn page(&self, beside: Beside) -> Result<String, ServiceError> {
        let Beside { load, panics, lost_lines } = beside;
        for (class, cases) in [(Class::High, load.queued_high), (Class::Normal, load.queued_normal)]
        {
            self.queue.with_label_values(&[class.name()]).set(signed(cases));
        }
        set(&self.panics, panics);
        set(&self.lost_lines, lost_lines);
        Ok(TextEncoder::new().encode_to_string(&self.registry.gather())?)
    }
}

/// Puts a page in the place of the one before.
pub(in crate::service) fn write_page(path: &Path, page: &str) -> io::Result<()> {
    let mut name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?.to_owned();
    name.push(".making");
    let making = path.with_file_name(name);
    // Left by somebody who was killed; and no link is followed.
    let _ = fs::remove_file(&making);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(MODE).open(&making)?;
    file.set_permissions(Permissions::from_mode(MODE))?;
    file.write_all(page.as_bytes())?;
    fs::rename(&making, path)
}

/// Nobody else sees the counter between the two.
fn set(counter: &IntCounter, to: u64) {
    counter.reset();
    counter.inc_by(to);
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
