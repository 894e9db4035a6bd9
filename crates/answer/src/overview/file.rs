//! A matrix over a hierarchy from a file instead of a trace.

use onca_aggregate::slice::Cube;
use onca_aggregate::{OwnLeaf, Tree};
use onca_query::path_of;
use serde::Deserialize;
use serde_json::Value;

use super::frame::too_large;
use super::{Matrix, MatrixNode, Meaning, Metric};
use crate::slice::CubeFile;
use crate::{AnswerError, Result};

/// What tells a cube that was kept from a matrix that somebody made.
#[derive(Deserialize)]
struct Head {
    schema: String,
}

impl Matrix {
    /// Reads a cube that was kept, or a matrix; and how many records were lost of the trace that it was made of.
    pub fn of_file(text: &str, metric: &Metric) -> Result<(Self, u64)> {
        let Ok(Head { schema }) = serde_json::from_str(text) else {
            return Ok((Self::from_json(text)?, 0));
        };
        if schema != CubeFile::SCHEMA {
            let read = CubeFile::SCHEMA;
            return Err(wrong(format!("the schema is {schema:?}; what can be read is {read:?}")));
        }
        let file = CubeFile::from_json(text)?;
        Ok((Self::of_cube_file(&file, metric)?, file.lost()))
    }

    /// Reads a matrix: `parent[k]` is the parent of node `k`, -1 for the root; `leaves` names the nodes that have
    /// `values[leaf][value][slice]`. Inner nodes may have values too. `names` has a name for each node and `value_names`
    /// one for each value; without them they have numbers.
    pub fn from_json(text: &str) -> Result<Self> {
        let json: Value = serde_json::from_str(text)
            .map_err(|error| wrong(format!("this is no JSON: {error}")))?;
        let plain = read_tree(&json)?;
        let carriers = read_carriers(&json, &plain)?;
        let has_data = |node: u32| carriers.contains(&node);
        let (tree, own) =
            plain.with_own_leaves(has_data).map_err(|error| wrong(error.to_string()))?;
        let mut leaf_of: Vec<Option<usize>> = vec![None; tree.len()];
        for (place, &leaf) in tree.leaves().iter().enumerate() {
            leaf_of[leaf as usize] = Some(place);
        }
        own.iter().for_each(|own| leaf_of[own.node as usize] = leaf_of[own.leaf as usize]);
        let cells = read_cells(&json, &carriers, &tree, &leaf_of)?;
        let names = read_names(&json, "names", plain.len(), "node")?;
        let values: Vec<Vec<u8>> =
            match read_names(&json, "value_names", cells.n_values(), "value")? {
                Some(names) => names.into_iter().map(String::into_bytes).collect(),
                None => (0..cells.n_values()).map(|value| value.to_string().into_bytes()).collect(),
            };
        Ok(Self {
            metric: "values".to_owned(),
            peers: vec![0; tree.leaves().len()],
            bare: values.clone(),
            values,
            meanings: vec![Meaning::Other; cells.n_values()],
            nodes: names.map_or_else(Vec::new, |names| named_nodes(&tree, &names, &own)),
            tree,
            cells,
            times: None,
            scanned: false,
            places: Vec::new(),
        })
    }
}

fn wrong(why: impl Into<String>) -> AnswerError {
    AnswerError::Question(why.into())
}

fn list<'j>(json: &'j Value, what: &str) -> Result<&'j [Value]> {
    json.as_array().map(Vec::as_slice).ok_or_else(|| wrong(format!("{what} must be a list")))
}

fn read_tree(json: &Value) -> Result<Tree> {
    let parent = |(node, parent): (usize, &Value)| match parent.as_i64() {
        Some(-1) => Ok(node as u32),
        Some(parent) if u32::try_from(parent).is_ok_and(|parent| parent as usize != node) => {
            Ok(parent as u32)
        }
        _ => Err(wrong(format!(
            "parent[{node}] is {parent}; it must be another node, or -1 for the root"
        ))),
    };
    let parents =
        list(&json["parent"], "parent")?.iter().enumerate().map(parent).collect::<Result<_>>()?;
    Tree::new(parents).map_err(|error| wrong(error.to_string()))
}

/// The names of all of something, if the file has them.
fn read_names(json: &Value, field: &str, n: usize, what: &str) -> Result<Option<Vec<String>>> {
    let Some(names) = json.get(field) else { return Ok(None) };
    let names = list(names, field)?;
    if names.len() != n {
        return Err(wrong(format!("{field} has {} names for {n} {what}s", names.len())));
    }
    let name = |(at, name): (usize, &Value)| {
        let text = name.as_str().map(str::to_owned);
        text.ok_or_else(|| wrong(format!("{field}[{at}] is {name}, not a text")))
    };
    names.iter().enumerate().map(name).collect::<Result<_>>().map(Some)
}

/// The nodes with their paths; the root is `/`.
fn named_nodes(tree: &Tree, names: &[String], own: &[OwnLeaf]) -> Vec<MatrixNode> {
    let above = |node: u32| Some((names[node as usize].as_bytes(), tree.parent(node)?));
    let path = |node: u32| path_of(node, above, |node| tree.depth(node) as usize);
    let node = |node: u32| MatrixNode { path: path(node), kind: Vec::new(), own: false };
    let own = own.iter().map(|own| MatrixNode { own: true, ..node(own.node) });
    (0..names.len() as u32).map(node).chain(own).collect()
}

/// The nodes that have values, in their order.
fn read_carriers(json: &Value, tree: &Tree) -> Result<Vec<u32>> {
    let mut seen = vec![false; tree.len()];
    let mut carriers = Vec::new();
    for (at, node) in list(&json["leaves"], "leaves")?.iter().enumerate() {
        let place = node
            .as_u64()
            .and_then(|node| usize::try_from(node).ok())
            .filter(|&node| node < tree.len());
        let place =
            place.ok_or_else(|| wrong(format!("leaves[{at}] is {node}, which is no node")))?;
        if std::mem::replace(&mut seen[place], true) {
            return Err(wrong(format!("leaves has node {place} twice")));
        }
        carriers.push(place as u32);
    }
    Ok(carriers)
}

fn read_cells(
    json: &Value,
    carriers: &[u32],
    tree: &Tree,
    leaf_of: &[Option<usize>],
) -> Result<Cube<f64>> {
    let values = list(&json["values"], "values")?;
    if values.len() != carriers.len() {
        return Err(wrong(format!(
            "leaves has {} nodes, but values has {}",
            carriers.len(),
            values.len()
        )));
    }
    let first = values.first().ok_or_else(|| wrong("values is empty"))?;
    let n_values = list(first, "values[0]")?.len();
    let n_slices = match first.get(0) {
        Some(row) => list(row, "values[0][0]")?.len(),
        None => return Err(wrong("values[0] is empty")),
    };
    let mut cells = Cube::new(tree.leaves().len(), n_values, n_slices).map_err(too_large)?;
    for (at, (rows, &node)) in values.iter().zip(carriers).enumerate() {
        let rows = list(rows, &format!("values[{at}]"))?;
        if rows.len() != n_values {
            return Err(wrong(format!(
                "values[{at}] has {} values, values[0] has {n_values}",
                rows.len()
            )));
        }
        let Some(leaf) = leaf_of[node as usize] else { continue };
        for (value, row) in rows.iter().enumerate() {
            read_row(row, &format!("values[{at}][{value}]"), cells.row_mut(leaf, value))?;
        }
    }
    Ok(cells)
}

fn read_row(row: &Value, what: &str, cells: &mut [f64]) -> Result<()> {
    let row = list(row, what)?;
    if row.len() != cells.len() {
        return Err(wrong(format!(
            "{what} has {} slices, values[0][0] has {}",
            row.len(),
            cells.len()
        )));
    }
    for (slice, (cell, number)) in cells.iter_mut().zip(row).enumerate() {
        *cell = number
            .as_f64()
            .ok_or_else(|| wrong(format!("{what}[{slice}] is {number}, not a number")))?;
    }
    Ok(())
}
