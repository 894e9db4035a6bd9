//! The matrix of a cube that was kept in a file.

use onca_query::path_of;

use super::frame::{Frame, FrameValue};
use super::{Matrix, MatrixNode, Meaning, Metric, Times};
use crate::efficiency::is_useful;
use crate::slice::{Cells, CubeFile};
use crate::{AnswerError, Result};

impl Matrix {
    /// The matrix of a cube file: that of the trace, but that its nodes and values stand for nothing in a store.
    pub fn of_cube_file(file: &CubeFile, metric: &Metric) -> Result<Self> {
        if !matches!(metric, Metric::States { .. }) {
            let why = format!("a cube has the time in states, and no {}", metric.name());
            return Err(AnswerError::Question(why));
        }
        // Anybody can deserialize one.
        file.check()?;
        let (tree, own) = file.tree()?;
        let ticks = file.ticks(tree.leaves().len())?;
        let above = |node: u32| Some((file.name(node), tree.parent(node)?));
        let node = |node: u32| MatrixNode {
            path: path_of(node, above, |node| tree.depth(node) as usize),
            kind: file.kind(node).to_vec(),
            own: false,
        };
        let n_plain = (tree.len() - own.len()) as u32;
        let own_node = |of: u32| MatrixNode { own: true, ..node(of) };
        let value = |value: crate::slice::ValueOfFile<'_>| FrameValue {
            type_name: value.type_name.to_vec(),
            name: value.name.to_vec(),
            meaning: value.color.map_or(Meaning::Other, Meaning::Colored),
            useful: is_useful(value.role),
        };
        let frame = Frame {
            nodes: (0..n_plain).map(node).chain(own.iter().map(|own| own_node(own.node))).collect(),
            places: Vec::new(),
            values: file.values().map(value).collect(),
            times: Times { bounds: file.bounds()?, unit: file.unit() },
            scanned: file.scanned(),
            tree: tree.clone(),
        };
        frame.matrix(Cells::Whole(ticks), metric)
    }
}
