//! A look at a store in the making.

use std::{fs::File, path::PathBuf};

use crate::build::rows::{RowWriter, rows_to_writer};

/// What a store would be if the trace ended here. It begins with all rows that its builder has got, takes
/// those that the end would bring, and becomes a store that lies in no folder. What the builder has
/// written already is read where it lies, and only the rest is written again.
pub struct Preview {
    /// What the builder has written, and how much of it there was.
    pub(crate) base: File,
    pub(crate) base_length: u64,
    pub(crate) rows: RowWriter,
    /// Where the store will be.
    pub(crate) store: PathBuf,
}

rows_to_writer!(Preview);
