//! A store as SQL tables, as Parquet files and as data sets.
//!
//! A [`Database`] answers queries about a store, or about data sets; only queries, which touch nothing else.
//! Tables are read block by block, several streams at a time, and only the columns, lanes and
//! blocks that a query needs. What the tables are is described in `docs/sql.md`. A data set is the
//! same for other programs: sorted Parquet files that several processes write, then sealed.

mod answer;
mod database;
mod dataset;
mod error;
mod export;
mod extent;
mod found;
mod functions;
mod guard;
mod output;
mod portable;
mod provider;
mod prune;
mod scan;
mod session;
mod yielding;

pub use answer::Answer;
pub use database::{ColumnInfo, Database, Limits, STACK_BYTES, TableInfo};
pub use dataset::{
    DataSet, DataSets, DatasetError, DatasetOptions, FileEntry, Folder, LocalFolder, MANIFEST,
    Manifest, PARTS, Part, ReadAt, Shard, Source, StateTimes, export_dataset, is_dataset,
    seal_dataset, seal_in,
};
pub use error::{Result, SqlError};
pub use export::{ExportError, ExportReport, export_parquet};
pub use extent::MAX_QUERY_BYTES;
pub use output::{RowWriter, row_writer};
pub use portable::{PortableTable, address_of_function, function_of, table_of_rows, table_of_sets};

/// The Arrow that answers are made of.
pub use datafusion::arrow;
