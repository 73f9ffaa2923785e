//! Keeping the store in order, where nobody serves it: nothing is played meanwhile.

use super::host::{Host, StopSignal};
use super::prune::{Pruned, Pruner};
use super::{ServiceError, now};
use crate::config::Config;
use crate::domain::RunId;
use crate::store::{Edit, IfHeld, Reader, Store, StoreError, StoreSize};

/// How many pages are given back in one transaction.
const PAGES: u32 = 4_096;

/// The store, open for writing.
#[derive(Debug)]
pub struct Keeper {
    config: Config,
    store: Store,
    host: Host,
}

impl Keeper {
    /// Opens the store.
    ///
    /// # Errors
    /// [`ServiceError`]: the store is held, or cannot be written.
    pub fn open(config: Config, if_held: IfHeld<'_>) -> Result<Self, ServiceError> {
        let store = Store::open(config.state()?, if_held, now())?;
        let host = Host::start().map_err(ServiceError::Signals)?;
        Ok(Self { config, store, host })
    }

    /// Changes what people call a run; `false`: there is no such run.
    ///
    /// # Errors
    /// [`ServiceError`]: the store cannot be written.
    pub fn edit(&self, run: RunId, edit: Edit) -> Result<bool, ServiceError> {
        Ok(self.store.writer().edit_run(run, edit)?)
    }

    /// Gives the free pages of the store back to the file system; `full`: by writing it anew. What it is
    /// afterwards is seen when it is closed.
    ///
    /// # Errors
    /// [`ServiceError`]: the store cannot be written.
    pub fn vacuum(&self, full: bool) -> Result<(), ServiceError> {
        let writer = self.store.writer();
        if full {
            return Ok(writer.rebuild()?);
        }
        while self.stopped().is_none() && writer.give_back(PAGES)? > 0 {}
        Ok(())
    }

    /// Removes runs, or, without any, what the settings say.
    ///
    /// # Errors
    /// [`ServiceError`]: the store cannot be written.
    pub fn prune(&self, runs: Option<Vec<RunId>>) -> Result<Pruned, ServiceError> {
        let is_over = || self.stopped().is_some();
        let pruner = Pruner::new(&self.config, self.store.writer(), &is_over)?;
        runs.map_or_else(|| pruner.retain(), |runs| pruner.remove(runs))
    }

    /// Who asked to stop, if anybody did; what is left goes on another time.
    #[must_use]
    pub fn stopped(&self) -> Option<StopSignal> {
        self.host.stopped()
    }

    /// How large the store is.
    ///
    /// # Errors
    /// [`ServiceError`]: the store cannot be read.
    pub fn size(&self) -> Result<StoreSize, ServiceError> {
        Ok(self.reader()?.size()?)
    }

    fn reader(&self) -> Result<Reader, ServiceError> {
        Ok(Reader::open(self.config.state()?)?.ok_or(StoreError::Stopped)?)
    }

    /// Writes everything back and ends the writer.
    pub fn close(self) {
        super::close(self.store);
    }
}
