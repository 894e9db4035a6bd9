//! A store as SQL tables and as Parquet files.
//!
//! A [`Database`] answers queries about a store; only queries, which touch nothing but the store.
//! Tables are read block by block, several streams at a time, and only the columns, lanes and
//! blocks that a query needs. What the tables are is described in `docs/sql.md`.

mod answer;
mod database;
mod error;
mod export;
mod extent;
mod found;
mod functions;
mod guard;
mod output;
mod provider;
mod prune;
mod scan;
mod session;
mod yielding;

pub use answer::Answer;
pub use database::{ColumnInfo, Database, Limits, STACK_BYTES, TableInfo};
pub use error::{Result, SqlError};
pub use export::{ExportError, ExportReport, export_parquet};
pub use extent::MAX_QUERY_BYTES;
pub use output::{Format, RowWriter, row_writer};

/// The Arrow that answers are made of.
pub use datafusion::arrow;
