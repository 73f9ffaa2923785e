//! What lies in an inbox as one unit, on its way into the store.

use std::path::Path;
use std::time::Instant;

use crate::ingest;
use crate::service::dispatch::UnderWay;
use crate::service::handover::Handover;
use crate::service::plan::Request;
use crate::store::StoreError;

/// A drop of an inbox.
pub(super) struct Drop {
    pub(super) seat: usize,
    pub(super) found: ingest::Dropped,
    /// Where it came from, if it was handed over.
    pub(super) source: Vec<u8>,
    pub(super) begun: Instant,
}

/// A small drop that the writer has an answer for.
pub(super) struct Admitted {
    pub(super) drop: Drop,
    pub(super) outcome: Result<UnderWay, StoreError>,
}

impl Drop {
    /// What is asked for, of nothing outside the inbox.
    pub(super) fn request(&self, inbox: &Path, handover: &Handover) -> Request {
        let within = Some(inbox.to_owned());
        Request { within, ..handover.request(self.found.origin.clone()) }
    }
}
