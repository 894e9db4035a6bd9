//! Data sets: a trace as sealed folders of sorted Parquet files, written in shards.
//!
//! Each shard writes files of its own into the folders of the tables, and last what it wrote. When
//! all have done so, the folder is sealed: a manifest names every file. `docs/export.md` describes
//! it.

mod catalog;
mod error;
mod files;
mod folded;
mod folder;
mod layout;
mod manifest;
mod open;
mod order;
mod place;
mod ranges;
mod reader;
mod rows;
mod seal;
mod slice;
mod spent;
mod table;
mod times;
mod write;

use std::path::Path;

pub use error::DatasetError;
pub use folder::{Folder, LocalFolder, ReadAt};
pub use manifest::{FileEntry, MANIFEST, Manifest, PARTS, Part, Source};
pub use onca_model::Shard;
pub use onca_store::dataset::is_dataset;
pub use open::{DataSet, DataSets};
pub use seal::seal as seal_in;
pub use spent::StateTimes;
pub use write::{DatasetOptions, export_dataset};

pub(crate) use slice::{RowsTable, SetSlice, computed};
pub(crate) use table::{PLACE, SetTable};

/// Checks that a folder of this machine has all shards of one trace, and seals it.
pub fn seal_dataset(dir: &Path) -> error::Result<Manifest> {
    seal_in(&LocalFolder::new(dir))
}
