//! A spanning tree around the middle of a graph.

use std::f64::consts::TAU;

use super::component::middle;
use super::{Graph, Spot};

/// A tree of shortest ways from a node.
pub(super) struct SpanningTree {
    /// All nodes, parents before children, the nearest first.
    pub order: Vec<usize>,
    /// How far each is from the root.
    pub depths: Vec<u32>,
    parents: Vec<Option<usize>>,
}

impl SpanningTree {
    /// The tree from the middle of a joined graph.
    pub fn new(graph: &Graph) -> Self {
        let n = graph.len();
        let (mut depths, mut parents) = (vec![u32::MAX; n], vec![None; n]);
        let mut order = Vec::with_capacity(n);
        if n > 0 {
            let root = middle(graph);
            depths[root] = 0;
            order.push(root);
        }
        let mut next = 0;
        while next < order.len() {
            let node = order[next];
            next += 1;
            for other in graph.neighbours(node).iter().map(|&other| other as usize) {
                if depths[other] == u32::MAX {
                    depths[other] = depths[node] + 1;
                    parents[other] = Some(node);
                    order.push(other);
                }
            }
        }
        Self { order, depths, parents }
    }
}

/// Every node has a part of the circle as wide as it has leaves, and its children share it.
pub(super) fn place(graph: &Graph) -> Vec<Spot> {
    let tree = SpanningTree::new(graph);
    let n = graph.len();
    let mut n_leaves = vec![0usize; n];
    for &node in tree.order.iter().rev() {
        n_leaves[node] = n_leaves[node].max(1);
        if let Some(parent) = tree.parents[node] {
            n_leaves[parent] += n_leaves[node];
        }
    }
    let whole = tree.order.first().map_or(1, |&root| n_leaves[root]) as f64;
    // Where the part of each node begins, in leaves, and where its next child goes.
    let mut begins = vec![0usize; n];
    let mut next = vec![0usize; n];
    let mut spots = vec![Spot::default(); n];
    for &node in &tree.order {
        if let Some(parent) = tree.parents[node] {
            begins[node] = next[parent];
            next[parent] += n_leaves[node];
            let at = begins[node] as f64 + n_leaves[node] as f64 / 2.0;
            let (sine, cosine) = (TAU * at / whole).sin_cos();
            let radius = f64::from(tree.depths[node]);
            spots[node] = Spot::new(radius * sine, radius * cosine);
        }
        next[node] = begins[node];
    }
    spots
}
