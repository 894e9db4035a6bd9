//! From the numbers of a cube to a matrix, wherever the cube comes from.

use std::collections::HashMap;

use onca_aggregate::overview::tell_roles_apart;
use onca_aggregate::slice::{Bounds, Cube, TooLarge};
use onca_aggregate::{Number, Tree};
use onca_model::printable;

use super::{Matrix, MatrixNode, Meaning, Metric, Times};
use crate::slice::Cells;
use crate::{AnswerError, Result};

/// A cube as it comes from a trace or a file, but for its numbers.
pub(super) struct Frame {
    pub tree: Tree,
    pub nodes: Vec<MatrixNode>,
    pub places: Vec<u32>,
    /// All values, those that do not occur included.
    pub values: Vec<FrameValue>,
    pub times: Times,
    pub scanned: bool,
}

/// A value of a cube.
pub(super) struct FrameValue {
    pub type_name: Vec<u8>,
    pub name: Vec<u8>,
    pub meaning: Meaning,
    /// Is it the work that the program is for?
    pub useful: bool,
}

impl Frame {
    /// The matrix of a metric, with these numbers of its measure.
    pub fn matrix(self, cells: Cells, metric: &Metric) -> Result<Matrix> {
        let Self { tree, nodes, places, mut values, times, scanned } = self;
        let mut names = names(&values);
        let mut cells = match (metric, cells) {
            (Metric::States { idle }, Cells::Whole(ticks)) => shares(&ticks, &times.bounds, *idle)?,
            (_, Cells::Whole(counts)) => converted(&counts)?,
            (_, Cells::Real(amounts)) => converted(&amounts)?,
        };
        if let Metric::Variable(name) = metric {
            check_variable(name, &values, &names)?;
        }
        if matches!(metric, Metric::States { idle: true }) {
            let none = b"none".to_vec();
            names.push(none.clone());
            values.push(FrameValue {
                type_name: Vec::new(),
                name: none,
                meaning: Meaning::NoState,
                useful: false,
            });
        }
        let wanted = |value: usize| match metric {
            Metric::Variable(name) => names[value] == name.as_bytes(),
            _ => true,
        };
        let kept: Vec<usize> =
            (0..names.len()).filter(|&value| wanted(value) && occurs(&cells, value)).collect();
        cells = select(&cells, &kept)?;
        let mut peers = peers(&tree, &nodes);
        if let Metric::States { .. } = metric {
            let useful: Vec<usize> =
                (0..kept.len()).filter(|&at| values[kept[at]].useful).collect();
            tell_roles_apart(&mut peers, &work_of(&cells, &useful));
        }
        Ok(Matrix {
            metric: metric.name().to_owned(),
            peers,
            tree,
            nodes,
            places,
            values: kept.iter().map(|&value| names[value].clone()).collect(),
            bare: kept.iter().map(|&value| values[value].name.clone()).collect(),
            meanings: kept.iter().map(|&value| values[value].meaning).collect(),
            cells,
            times: Some(times),
            scanned,
        })
    }
}

/// The names of values: with their type where the name alone is not clear.
fn names(values: &[FrameValue]) -> Vec<Vec<u8>> {
    let mut counts: HashMap<&[u8], usize> = HashMap::new();
    for value in values {
        *counts.entry(&value.name).or_default() += 1;
    }
    let name = |value: &FrameValue| match counts[value.name.as_slice()] == 1
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

fn check_variable(name: &str, values: &[FrameValue], names: &[Vec<u8>]) -> Result<()> {
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

/// How much each leaf has of these values together.
fn work_of(cells: &Cube<f64>, values: &[usize]) -> Vec<f64> {
    let of_leaf = |leaf: usize| values.iter().flat_map(|value| cells.row(leaf, *value)).sum();
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

pub(super) fn too_large(error: TooLarge) -> AnswerError {
    AnswerError::TooLarge(error.to_string())
}
