//! What is aggregated: an amount for each leaf, value and slice.

use std::collections::HashMap;

use onca_aggregate::overview::tell_roles_apart;
use onca_aggregate::slice::{Bounds, Crossing, Cube, LinkEnd};
use onca_aggregate::{Number, Tree};
use onca_model::{TimeUnit, TypeId, ValueId, printable};
use onca_query::Scope;

use crate::efficiency::is_useful;
use crate::slice::{
    Cells, LeafCube, LinkMeasure, Measure, SliceValue, Space, VariableMeasure, cube,
};
use crate::{AnswerError, Result};

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

    fn measure(&self) -> Measure {
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
    /// The names of the values.
    pub values: Vec<Vec<u8>>,
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
        let found = cube(scope, n_slices, metric.measure())?;
        let LeafCube { space, bounds, values, cells, scanned, .. } = found;
        let mut names = names(&values);
        let mut meanings: Vec<Meaning> = values.iter().map(Meaning::of).collect();
        let mut cells = match (metric, cells) {
            (Metric::States { idle }, Cells::Whole(ticks)) => shares(&ticks, &bounds, *idle)?,
            (_, Cells::Whole(counts)) => converted(&counts)?,
            (_, Cells::Real(amounts)) => converted(&amounts)?,
        };
        if matches!(metric, Metric::States { idle: true }) {
            names.push(b"none".to_vec());
            meanings.push(Meaning::NoState);
        }
        if let Metric::Variable(name) = metric {
            check_variable(name, &values, &names)?;
        }
        let wanted = |value: usize| match metric {
            Metric::Variable(name) => names[value] == name.as_bytes(),
            _ => true,
        };
        let kept: Vec<usize> =
            (0..names.len()).filter(|&value| wanted(value) && occurs(&cells, value)).collect();
        cells = select(&cells, &kept)?;
        let nodes = nodes(scope, &space);
        let meanings: Vec<Meaning> = kept.iter().map(|&value| meanings[value]).collect();
        let mut peers = peers(space.tree(), &nodes);
        if let Metric::States { .. } = metric {
            tell_roles_apart(&mut peers, &useful_of(scope, &cells, &meanings));
        }
        Ok(Self {
            metric: metric.name().to_owned(),
            peers,
            tree: space.tree().clone(),
            nodes,
            places: space.places().to_vec(),
            values: kept.iter().map(|&value| names[value].clone()).collect(),
            meanings,
            cells,
            times: Some(Times { bounds, unit: scope.catalog().facts.unit.clone() }),
            scanned,
        })
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

/// The names of values: with their type where the name alone is not clear.
fn names(values: &[SliceValue]) -> Vec<Vec<u8>> {
    let mut counts: HashMap<&[u8], usize> = HashMap::new();
    for value in values {
        *counts.entry(&value.name).or_default() += 1;
    }
    let name = |value: &SliceValue| match counts[value.name.as_slice()] == 1
        || value.type_name == value.name
    {
        true => value.name.clone(),
        false => [&value.type_name, b":".as_slice(), &value.name].concat(),
    };
    values.iter().map(name).collect()
}

fn shares(ticks: &Cube<i64>, bounds: &Bounds, idle: bool) -> Result<Cube<f64>> {
    let shares = match idle {
        true => ticks.with_idle(bounds).and_then(|ticks| ticks.proportions(bounds)),
        false => ticks.proportions(bounds),
    };
    shares.map_err(too_large)
}

/// The same numbers as `f64`; 0 where there is nothing.
fn converted<T: Number>(cells: &Cube<T>) -> Result<Cube<f64>> {
    let mut all =
        Cube::new(cells.n_leaves(), cells.n_values(), cells.n_slices()).map_err(too_large)?;
    for leaf in 0..cells.n_leaves() {
        for (to, from) in all.leaf_mut(leaf).iter_mut().zip(cells.leaf(leaf)) {
            *to = from.present().map_or(0.0, Number::to_f64);
        }
    }
    Ok(all)
}

fn occurs(cells: &Cube<f64>, value: usize) -> bool {
    (0..cells.n_leaves()).any(|leaf| cells.row(leaf, value).iter().any(|&number| number != 0.0))
}

fn select(cells: &Cube<f64>, values: &[usize]) -> Result<Cube<f64>> {
    let mut kept =
        Cube::new(cells.n_leaves(), values.len(), cells.n_slices()).map_err(too_large)?;
    for leaf in 0..cells.n_leaves() {
        for (at, &value) in values.iter().enumerate() {
            kept.row_mut(leaf, at).copy_from_slice(cells.row(leaf, value));
        }
    }
    Ok(kept)
}

fn check_variable(name: &str, values: &[SliceValue], names: &[Vec<u8>]) -> Result<()> {
    if values.iter().any(|value| value.name == name.as_bytes()) {
        return Ok(());
    }
    let known: Vec<String> = names.iter().map(|name| printable(name).into_owned()).collect();
    let known = match known.is_empty() {
        true => "the trace has no variables that are seen".to_owned(),
        false => format!("the variables are {}", known.join(", ")),
    };
    Err(AnswerError::Question(format!(
        "there is no metric {name:?}: it is states, events, bytes, bytes-received or a variable, and {known}"
    )))
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

/// How much useful work each leaf does.
fn useful_of(scope: &Scope<'_>, cells: &Cube<f64>, meanings: &[Meaning]) -> Vec<f64> {
    let is_work = |meaning: &Meaning| match meaning {
        Meaning::Value(value) => is_useful(scope.role(*value)),
        _ => false,
    };
    let work: Vec<usize> = (0..meanings.len()).filter(|at| is_work(&meanings[*at])).collect();
    let of_leaf = |leaf: usize| work.iter().flat_map(|value| cells.row(leaf, *value)).sum();
    (0..cells.n_leaves()).map(of_leaf).collect()
}

/// Leaves of the same kind do the same kind of work, as far as a trace tells.
fn peers(tree: &Tree, nodes: &[MatrixNode]) -> Vec<u32> {
    let mut kinds: HashMap<&[u8], u32> = HashMap::new();
    let number = |&leaf: &u32| {
        let next = kinds.len() as u32;
        *kinds.entry(&nodes[leaf as usize].kind).or_insert(next)
    };
    tree.leaves().iter().map(number).collect()
}

pub(super) fn too_large(error: onca_aggregate::slice::TooLarge) -> AnswerError {
    AnswerError::TooLarge(error.to_string())
}
