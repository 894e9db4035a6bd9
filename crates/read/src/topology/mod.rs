//! Files that describe structure: networks as graphs, and hierarchies of containers.
//!
//! In comes the text of a file, out comes plain data: a [`Topology`] from the DOT language, a
//! [`HierarchyFile`] from a property list or JSON. Nothing here recurses, whatever is nested in
//! the text, and sizes have limits: a file is read or refused with a line and a column.

mod attributes;
mod dot;
mod error;
mod hierarchy;
mod quantity;

pub use attributes::Attributes;
pub use dot::read_dot;
pub use error::SyntaxError;
pub use hierarchy::{HierarchyFile, HierarchyNode, read_hierarchy};
pub use quantity::{QuantityError, bandwidth, latency, position};

/// A graph with groups of nodes, as a file gives it.
#[derive(Clone, PartialEq, Debug)]
pub struct Topology {
    /// Whether edges have a direction, from `a` to `b`.
    pub directed: bool,
    /// The name of the whole.
    pub name: Option<Vec<u8>>,
    /// What to show for the whole.
    pub label: Option<Vec<u8>>,
    /// The other attributes of the whole.
    pub attributes: Attributes,
    /// All nodes, in the order in which the file mentions them.
    pub nodes: Vec<Node>,
    /// All edges, in the order of the file.
    pub edges: Vec<Edge>,
    /// Groups of nodes, parents before children.
    pub groups: Vec<Group>,
}

/// A node of a [`Topology`].
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    /// Its name, that no other node has.
    pub name: Vec<u8>,
    /// Its attributes, with the defaults of the place where it was first mentioned.
    pub attributes: Attributes,
}

impl Node {
    /// Where the attribute `pos` puts the node, if it has one. See [`position`].
    pub fn position(&self) -> Result<Option<[f64; 3]>, QuantityError> {
        self.attributes.get("pos").map(position).transpose()
    }
}

/// An edge of a [`Topology`].
#[derive(Clone, PartialEq, Debug)]
pub struct Edge {
    /// The index of the first node.
    pub a: usize,
    /// The index of the second node.
    pub b: usize,
    /// Its attributes, with the defaults of its place.
    pub attributes: Attributes,
}

impl Edge {
    /// The attribute `bandwidth` in bytes per second, if there is one. See [`bandwidth`].
    pub fn bandwidth(&self) -> Result<Option<f64>, QuantityError> {
        self.attributes.get("bandwidth").map(bandwidth).transpose()
    }

    /// The attribute `latency` in seconds, if there is one. See [`latency`].
    pub fn latency(&self) -> Result<Option<f64>, QuantityError> {
        self.attributes.get("latency").map(latency).transpose()
    }
}

/// Nodes that belong together: a subgraph with a name or a label.
#[derive(Clone, PartialEq, Debug)]
pub struct Group {
    /// Its name, such as `cluster_0`.
    pub name: Option<Vec<u8>>,
    /// What to show for it, if the file says so of this very group.
    pub label: Option<Vec<u8>>,
    /// The index of the group that holds it.
    pub parent: Option<usize>,
    /// Its other attributes, with those that its parent had before it.
    pub attributes: Attributes,
    /// The nodes that its own statements mention, in order; those of groups within are theirs.
    pub nodes: Vec<usize>,
}
