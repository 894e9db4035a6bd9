//! What is aggregated: an amount for each leaf, value and slice.

use onca_aggregate::Tree;
use onca_aggregate::slice::{Bounds, Crossing, Cube, LinkEnd};
use onca_model::{Color, TimeUnit, TypeId, ValueId, printable};
use onca_query::Scope;

use super::frame::{Frame, FrameValue};
use crate::Result;
use crate::efficiency::is_useful;
use crate::slice::{LeafCube, LinkMeasure, Measure, SliceValue, Space, VariableMeasure, cube};

/// The quantity that is aggregated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Metric {
    /// The share of time in each state, nested states counted for the innermost only.
    States {
        /// Is the time in no state a value of its own?
        idle: bool,
    },
    /// The number of events of each value.
    Events,
    /// What links carry, by value, for one of their ends.
    Bytes(LinkEnd),
    /// The integral of the variable with this name.
    Variable(String),
}

impl Metric {
    /// The word for it.
    pub fn name(&self) -> &str {
        match self {
            Self::States { .. } => "states",
            Self::Events => "events",
            Self::Bytes(LinkEnd::Origin) => "bytes",
            Self::Bytes(LinkEnd::Destination) => "bytes-received",
            Self::Variable(name) => name,
        }
    }

    /// The measure of the cube that it is made of.
    pub fn measure(&self) -> Measure {
        match *self {
            Self::States { .. } => Measure::StateTime { inclusive: false },
            Self::Events => Measure::EventCount,
            Self::Bytes(end) => {
                Measure::Link { measure: LinkMeasure::Size, end, border: Crossing::Clip }
            }
            Self::Variable(_) => Measure::Variable(VariableMeasure::Integral),
        }
    }
}

/// A node of the tree, for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MatrixNode {
    /// Its path from the root.
    pub path: String,
    /// Its kind, such as the type of its container.
    pub kind: Vec<u8>,
    /// Does it stand only for what an inner node has of its own?
    pub own: bool,
}

/// When the slices are.
#[derive(Clone, PartialEq, Debug)]
pub struct Times {
    /// The slices.
    pub bounds: Bounds,
    /// The unit of time.
    pub unit: TimeUnit,
}

/// What a value of a matrix stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// A value of the trace.
    Value(ValueId),
    /// A variable of the trace.
    Variable(TypeId),
    /// The time in no state.
    NoState,
    /// A value of a trace that is kept in a file, with the colour that it has in pictures.
    Colored(Color),
    /// Something that a lens derives, or a number in a file.
    Other,
}

impl Meaning {
    fn of(value: &SliceValue) -> Self {
        match (value.value, value.type_id) {
            (Some(value), _) => Self::Value(value),
            (None, Some(variable)) => Self::Variable(variable),
            (None, None) => Self::Other,
        }
    }
}

/// An amount for each leaf of a tree, value and slice.
#[derive(Clone, PartialEq, Debug)]
pub struct Matrix {
    /// What the amounts are.
    pub metric: String,
    /// The tree; its leaves are those of the cells.
    pub tree: Tree,
    /// What the nodes of the tree are called; empty if they have only numbers.
    pub nodes: Vec<MatrixNode>,
    /// For each node of the hierarchy that of the tree; empty if there is no hierarchy.
    pub places: Vec<u32>,
    /// The names of the values, with their types where they do not tell them apart.
    pub values: Vec<Vec<u8>>,
    /// The names alone.
    pub bare: Vec<Vec<u8>>,
    /// What the values stand for.
    pub meanings: Vec<Meaning>,
    /// The amounts.
    pub cells: Cube<f64>,
    /// When the slices are; absent where nothing tells.
    pub times: Option<Times>,
    /// For each leaf a number that leaves of the same kind share.
    pub peers: Vec<u32>,
    /// Did the lens make it necessary to look at every entity?
    pub scanned: bool,
}

impl Matrix {
    /// The matrix of a trace seen through a lens. Values that do not occur are left out.
    pub fn new(scope: &Scope<'_>, n_slices: usize, metric: &Metric) -> Result<Self> {
        Self::of_cube(scope, cube(scope, n_slices, metric.measure())?, metric)
    }

    /// The matrix of the cube of a scope, whose measure is that of the metric.
    pub fn of_cube(scope: &Scope<'_>, cube: LeafCube, metric: &Metric) -> Result<Self> {
        let LeafCube { space, bounds, values, cells, scanned, .. } = cube;
        let value = |value: SliceValue| FrameValue {
            meaning: Meaning::of(&value),
            useful: value.value.is_some_and(|id| is_useful(scope.role(id))),
            type_name: value.type_name,
            name: value.name,
        };
        let frame = Frame {
            nodes: nodes(scope, &space),
            tree: space.tree().clone(),
            places: space.places().to_vec(),
            values: values.into_iter().map(value).collect(),
            times: Times { bounds, unit: scope.catalog().facts.unit.clone() },
            scanned,
        };
        frame.matrix(cells, metric)
    }

    /// The path of a node, or its number.
    pub fn path(&self, node: u32) -> String {
        self.nodes.get(node as usize).map_or_else(|| node.to_string(), |node| node.path.clone())
    }

    /// What is wrong with a cell, named by container and value.
    pub(super) fn where_is(&self, leaf: usize, value: usize) -> String {
        let path = self.path(self.tree.leaves()[leaf]);
        format!("{:?} of {path}", printable(&self.values[value]))
    }
}

fn nodes(scope: &Scope<'_>, space: &Space) -> Vec<MatrixNode> {
    let node = |place: u32| {
        let node = space.node(place);
        MatrixNode {
            path: scope.path(node),
            kind: scope.hierarchy().kind(node).to_vec(),
            own: space.is_own(place),
        }
    };
    (0..space.tree().len() as u32).map(node).collect()
}
