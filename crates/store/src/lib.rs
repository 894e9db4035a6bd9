//! Finished entities to immutable, indexed columns on disk, and exact questions about them.
//!
//! A [`StoreBuilder`] takes rows lane by lane, in one pass and bounded memory, and leaves a
//! directory; a [`Store`] opens it and answers. What it knows nothing of: trace formats, views.
//! The files are described in `docs/store-format.md`.
//!
//! A room uses only those before it: `format`, `folder`, `build`, `read`, `question`, `compose`.

mod build;
mod compose;
pub mod dataset;
mod error;
mod folder;
mod format;
mod question;
mod read;

pub use build::builder::{BuildOptions, BuildReport, StoreBuilder};
pub use build::preview::Preview;
pub use compose::{Composition, JoinPart};
pub use error::{Result, StoreError};
pub use folder::lock::StoreLock;
pub use folder::unfinished::{Unfinished, remove_unfinished};
pub use folder::workspace::clean_up;
pub use format::change::{Change, Correction, JoinedSource};
pub use format::fingerprint::{
    FileFacts, Fingerprint, Freshness, Scrutiny, SourceFile, UnreadFile,
};
pub use format::manifest::Counts;
pub use format::value_order::ValueOrder;
pub use question::link_query::{LinkTotals, PairTotals};
pub use question::link_slice::PairSlice;
pub use question::scan::{BlockExtent, EventColumns, LinkColumns, StateColumns, VariableColumns};
pub use question::share_table::Share;
pub use question::state_scan::{StateScan, StateSlice};
pub use question::state_shares::ShareSweep;
pub use question::state_time::Measure;
pub use question::value_sums::ValueSums;
pub use question::variable_query::VariableSummary;
pub use read::container_set::ContainerSet;
pub use read::derived::Derived;
pub use read::progress::Progress;
pub use read::store::{DEFAULT_CACHE_BYTES, Store, StoreIdentity, VerifyReport};
pub use read::texts::TextReader;
pub use read::tracks::{Track, TrackId, Tracks};

/// The version of the format that is written and read.
pub const VERSION: u32 = 6;

const MAGIC: &str = "onca-store";
const FEATURES: &[&str] = &[];
const MANIFEST: &str = "manifest.json";
const DATA: &str = "data.bin";
const INDEX: &str = "index.bin";
const TABLES: &str = "tables.bin";
