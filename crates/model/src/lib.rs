//! The vocabulary of Onca: time, ids, types, containers, values, entities, colours, source
//! positions and diagnostics. Plain data: this crate knows no files, no threads and no format.

mod catalog;
mod color;
mod cut;
mod diagnostic;
mod entity;
mod extras;
mod flow;
pub mod format;
mod fraction;
mod ids;
mod link_time;
mod row_format;
mod shard;
mod share_edges;
mod shift;
mod text;
mod time;
mod time_map;

pub use catalog::{
    Catalog, Container, Containers, FieldDef, FieldKind, Lane, Nature, TextColumn, TraceFacts,
    TypeDef, ValueDef,
};
pub use color::Color;
pub use cut::cut;
pub use diagnostic::{
    Code, Diagnostic, Diagnostics, MAX_SAMPLES, Position, Severity, Strictness, Tally,
};
pub use entity::{EntitySink, EventRow, LinkRow, StateRow, VariableRow};
pub use extras::{Extra, extra_fields, push_extra};
pub use flow::Flow;
pub use fraction::{Fraction, least_common_multiple};
pub use ids::{ContainerId, FieldId, LaneId, TypeId, ValueId};
pub use link_time::LinkTime;
pub use row_format::RowFormat;
pub use shard::Shard;
pub use share_edges::ShareEdges;
pub use shift::Shift;
pub use text::{csv_field, display_text, printable};
pub use time::{DEFAULT_TICKS_PER_UNIT, FARTHEST, TIME_UNITS, Ticks, TimeUnit, Window, time_of};
pub use time_map::TimeMap;
