//! The lens: what of a trace is seen, and how it is grouped, ordered, reduced and coloured.
//!
//! A [`Lens`] is a plain value that lives in a file. Applied to a store and a window it becomes a
//! [`Scope`], which every analysis asks what it may look at. A lens never copies or changes the
//! store.

mod appearance;
mod call;
mod error;
mod grouping;
mod hierarchy;
mod lens;
mod locks;
mod natural;
mod order;
pub mod palette;
mod pattern;
mod reduction;
mod references;
mod role;
mod rows;
mod scope;
mod seen_in;
mod state_value;
mod time_text;
mod tree_import;

pub use appearance::{
    Appearance, ColorSource, KeptColors, Style, UnusedColors, parse_color, type_tree_key,
};
pub use call::{CallPart, CallShape, CollectiveShape};
pub use error::{LensError, Result};
pub use hierarchy::{Hierarchy, NodeId, PATH_LEVELS, path_of};
pub use lens::{
    AppearanceSpec, Duration, Filter, GroupSpec, HierarchySpec, LENS_VERSION, Lens, LockSpec, Look,
    OrderKey, OrderSpec, ReductionForm, ReductionOp, ReductionSpec, Selection, Shape, TraceColors,
    TreeNode, TypesIn,
};
pub use locks::{LockRule, LockUse};
pub use natural::compare as compare_names;
pub use pattern::{ContainerPattern, NamePattern};
pub use reduction::Reduction;
pub use references::{Resolver, container_path};
pub use role::{Around, PATTERNS, Role, SURROUNDINGS, UnknownRole};
pub use rows::{Row, rows};
pub use scope::{LinkPart, Scope, roles_of};
pub use state_value::{DerivedValue, StateValue};
pub use time_text::TimeText;
pub use tree_import::level_name;
