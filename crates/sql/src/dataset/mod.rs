//! Data sets: a trace as sealed folders of sorted Parquet files, written in shards.
//!
//! Each shard writes files of its own into the folders of the tables, and last what it wrote. When
//! all have done so, the folder is sealed: a manifest names every file. `docs/export.md` describes
//! it.

mod catalog;
mod error;
mod files;
mod folded;
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
mod table;
mod times;
mod write;

pub use error::DatasetError;
pub use layout::Shard;
pub use manifest::{FileEntry, MANIFEST, Manifest, PARTS, Part, Source};
pub use open::{DataSet, DataSets, is_dataset};
pub use seal::seal as seal_dataset;
pub use write::{DatasetOptions, export_dataset};

pub(crate) use slice::SetSlice;
pub(crate) use table::{PLACE, SetTable};
