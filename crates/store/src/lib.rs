//! Finished entities to immutable, indexed columns on disk, and exact questions about them.
//!
//! A [`StoreBuilder`] takes rows lane by lane, in one pass and bounded memory, and leaves a
//! directory; a [`Store`] opens it and answers. What it knows nothing of: trace formats, views.
//! The files are described in `docs/store-format.md`.

mod block;
mod block_writer;
mod builder;
mod change;
mod codec;
mod compose;
mod container_set;
#[cfg(test)]
mod damage_tests;
mod data_file;
mod directory;
mod error;
mod event_query;
mod fingerprint;
mod flat_shares;
mod lane_buffer;
mod link_query;
mod link_slice;
mod lock;
mod manifest;
mod pages;
mod pair_index;
mod row_log;
mod runs;
mod scan;
mod share_table;
mod stacks;
mod state_query;
mod state_scan;
mod state_shares;
mod state_time;
mod store;
mod tables;
mod text_packer;
mod texts;
mod tracks;
mod unfinished;
mod value_order;
mod value_sums;
mod variable_query;
mod workspace;

pub use block::stack::{FEW_PARTS, Stack, TILE_COLUMNS};
pub use builder::{BuildOptions, BuildReport, StoreBuilder};
pub use change::{Change, Correction, JoinedSource};
pub use compose::{Composition, JoinPart};
pub use container_set::ContainerSet;
pub use error::{Result, StoreError};
pub use fingerprint::{FileFacts, Fingerprint, Freshness, Scrutiny, SourceFile, UnreadFile};
pub use flat_shares::{FlatSweep, GapVisitor};
pub use link_query::{LinkTotals, PairTotals};
pub use link_slice::PairSlice;
pub use lock::StoreLock;
pub use manifest::Counts;
pub use scan::{BlockExtent, EventColumns, LinkColumns, StateColumns, VariableColumns};
pub use share_table::Share;
pub use stacks::{StackLooks, StackTile, TrackStacks};
pub use state_scan::{StateScan, StateSlice};
pub use state_shares::ShareSweep;
pub use state_time::Measure;
pub use store::{DEFAULT_CACHE_BYTES, Store, StoreIdentity, VerifyReport};
pub use texts::TextReader;
pub use tracks::{Track, TrackId, Tracks};
pub use unfinished::{Unfinished, remove_unfinished};
pub use value_order::ValueOrder;
pub use value_sums::ValueSums;
pub use variable_query::VariableSummary;
pub use workspace::clean_up;

/// The version of the format that is written and read.
pub const VERSION: u32 = 5;

const MAGIC: &str = "onca-store";
const FEATURES: &[&str] = &[];
const MANIFEST: &str = "manifest.json";
const DATA: &str = "data.bin";
const INDEX: &str = "index.bin";
const TABLES: &str = "tables.bin";
