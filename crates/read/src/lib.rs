//! Trace sources to records with positions.
//!
//! In come bytes, from a file or a stream, plain or compressed. Out come batches of records in
//! Pajé's vocabulary, in the order of the source, with symbols instead of names. This crate
//! knows the syntax of formats and nothing of what records mean: it never looks up a container.

mod batch;
pub mod chrome;
mod cursor;
mod detect;
pub mod dumpi;
mod emit;
mod extent;
mod faults;
mod folder;
mod lines;
mod many_files;
mod messages;
mod names;
mod number;
pub mod onct;
pub mod otf2;
pub mod paje;
pub mod paraver;
mod piece;
mod pipeline;
mod reading;
mod sort;
mod source;
mod symbols;
mod tail;
pub mod topology;
mod trace;
mod turns;

pub use batch::{
    Batch, BatchConsumer, Counting, CreateRecord, LinkHalf, Locate, Located, Op, Problem, Rare,
    Record, Role, Span, TypeRecord, ValueRecord,
};
pub use detect::{Format, detect, detect_file, main_file, what_folder_holds};
pub use extent::{Change, Extent};
pub use folder::{Folder, Refused};
pub use names::is_named_like_trace;
pub use reading::{DEFAULT_BLOCK_BYTES, FileList, Origin, ReadError, ReadOptions, SourceEnd};
pub use sort::{Key as SortKey, Sorter};
pub use source::{Compression, ExpansionLimit, Input, Progress, Source, SourceError};
pub use symbols::{Image, Interner, Symbol, Symbols, image_of};
pub use tail::{Growing, Tail, TailError, TailState};
pub use trace::{PartProblem, PartRequest, TraceConsumer, TraceError, TraceReader};
