//! Contents that somebody is about to refer to.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::domain::ContentId;

/// A content that is kept, and stays while somebody has this, though no case refers to it yet.
#[derive(Debug)]
pub struct Held {
    id: ContentId,
    all: AllHeld,
}

/// Every content that somebody holds, with how many do.
#[derive(Debug, Clone, Default)]
pub(super) struct AllHeld(Arc<Mutex<HashMap<ContentId, usize>>>);

impl AllHeld {
    /// Holds a content. To be called where it is found, on the writing thread, so that nothing can come
    /// between.
    pub(super) fn hold(&self, id: ContentId) -> Held {
        self.with(|all| *all.entry(id).or_default() += 1);
        Held { id, all: self.clone() }
    }

    pub(super) fn has(&self, id: ContentId) -> bool {
        self.with(|all| all.contains_key(&id))
    }

    fn with<T>(&self, look: impl FnOnce(&mut HashMap<ContentId, usize>) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Held {
    pub(super) const fn id(&self) -> ContentId {
        self.id
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.all.with(|all| {
            if let Some(count) = all.get_mut(&self.id) {
                *count -= 1;
                if *count == 0 {
                    all.remove(&self.id);
                }
            }
        });
    }
}
