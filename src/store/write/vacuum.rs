//! Giving free pages back to the file system.

use rusqlite::Connection;

use crate::store::{StoreError, Writer};

impl Writer {
    /// Gives back at most so many free pages, from the end of the file; how many are left.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn give_back(&self, most: u32) -> Result<u64, StoreError> {
        self.call(move |db| give_back(db, most))
    }

    /// Writes the database anew, without free pages and with everything in order. Needs room for two more
    /// copies of it for a while.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn rebuild(&self) -> Result<(), StoreError> {
        // The copy that it makes is as large as the store.
        self.call_alone(|db| Ok(db.execute_batch("PRAGMA temp_store = FILE; VACUUM")?))
    }
}

fn give_back(db: &Connection, most: u32) -> Result<u64, StoreError> {
    let mut statement = db.prepare(&format!("PRAGMA incremental_vacuum({most})"))?;
    let mut rows = statement.query([])?;
    // Each step gives back one page.
    while rows.next()?.is_some() {}
    Ok(db.query_row("PRAGMA freelist_count", [], |row| row.get(0))?)
}
