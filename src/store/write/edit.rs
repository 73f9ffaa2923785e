//! Changing what people call a run.

use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};

use super::runs::tag;
use crate::domain::RunId;
use crate::store::{StoreError, Writer};

/// What is to be changed of what people call a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// Its label.
    pub label: LabelEdit,
    /// The tags it gets; one that is there gets the new value.
    pub tags: Vec<(String, String)>,
    /// The keys of the tags it loses, before it gets any.
    pub untag: Vec<String>,
}

/// What becomes of a label.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LabelEdit {
    /// It stays.
    #[default]
    Keep,
    /// There is none afterwards.
    Remove,
    /// It is this one.
    Set(String),
}

impl Writer {
    /// Changes what people call a run; `false`: there is no such run.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn edit_run(&self, run: RunId, edit: Edit) -> Result<bool, StoreError> {
        self.call(move |db| apply(db, run, &edit))
    }
}

fn apply(db: &Connection, run: RunId, edit: &Edit) -> Result<bool, StoreError> {
    let is_there = match &edit.label {
        LabelEdit::Keep => db.execute("UPDATE runs SET label = label WHERE id = ?1", [run.0])?,
        LabelEdit::Remove => db.execute("UPDATE runs SET label = NULL WHERE id = ?1", [run.0])?,
        LabelEdit::Set(text) => {
            db.execute("UPDATE runs SET label = ?2 WHERE id = ?1", params![run.0, text])?
        }
    };
    if is_there == 0 {
        return Ok(false);
    }
    for key in &edit.untag {
        db.execute("DELETE FROM tags WHERE run = ?1 AND key = ?2", params![run.0, key])?;
    }
    tag(db, run, &edit.tags)?;
    Ok(true)
}
