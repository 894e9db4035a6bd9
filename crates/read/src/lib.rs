//! Trace sources to records with positions.
//!
//! In come bytes, from a file or a stream, plain or compressed. Out come batches of records in
//! Pajé's vocabulary, in the order of the source, with symbols instead of names. This crate
//! knows the syntax of formats and nothing of what records mean: it never looks up a container.

mod batch;
mod detect;
pub mod paje;
mod source;
mod symbols;
pub mod topology;

pub use batch::{
    Batch, BatchConsumer, CreateRecord, LinkHalf, Locate, Located, Op, Problem, Rare, Record, Role,
    Span, TypeRecord, ValueRecord,
};
pub use detect::{Format, detect};
pub use source::{Compression, ExpansionLimit, Input, Progress, Source, SourceError};
pub use symbols::{Image, Interner, Symbol, Symbols, image_of};
