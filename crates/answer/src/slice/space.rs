//! The nodes of a hierarchy as a tree of plain numbers, in which only leaves have data.

use onca_aggregate::Tree;
use onca_query::{Hierarchy, NodeId};

use crate::{AnswerError, Result};

/// The tree that values are folded up: that of the hierarchy, its children in the order of the
/// lens, and one more leaf below each inner node that has data of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Space {
    tree: Tree,
    /// The node of each tree node; for a leaf that was added, the inner node whose data it holds.
    nodes: Vec<NodeId>,
    /// The tree node of each node.
    places: Vec<u32>,
    /// For each node the leaf that holds its own data, by its place in `tree.leaves()`.
    leaves: Vec<Option<u32>>,
}

impl Space {
    pub(super) fn new(hierarchy: &Hierarchy, has_data: impl Fn(NodeId) -> bool) -> Result<Self> {
        let mut nodes = hierarchy.preorder();
        let mut places = vec![0; nodes.len()];
        for (place, node) in nodes.iter().enumerate() {
            places[node.index()] = place as u32;
        }
        let parents = nodes.iter().map(|&node| places[hierarchy.parent(node).index()]).collect();
        let unfit =
            |error: onca_aggregate::tree::TreeError| AnswerError::Question(error.to_string());
        let plain = Tree::new(parents).map_err(unfit)?;
        let (tree, own) =
            plain.with_own_leaves(|place| has_data(nodes[place as usize])).map_err(unfit)?;
        nodes.extend(own.iter().map(|leaf| nodes[leaf.node as usize]).collect::<Vec<_>>());
        let mut leaves = vec![None; places.len()];
        for (at, &leaf) in tree.leaves().iter().enumerate() {
            leaves[nodes[leaf as usize].index()] = Some(at as u32);
        }
        Ok(Self { tree, nodes, places, leaves })
    }

    /// The tree. Its leaves are those of a [`LeafCube`](super::LeafCube).
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The node that a tree node stands for; for a leaf that was added, the inner node above it.
    pub fn node(&self, place: u32) -> NodeId {
        self.nodes[place as usize]
    }

    /// The tree node of a node.
    pub fn place(&self, node: NodeId) -> u32 {
        self.places[node.index()]
    }

    /// The tree node of each node.
    pub fn places(&self) -> &[u32] {
        &self.places
    }

    /// The tree node that was added to hold what an inner node has of its own, if there is one.
    pub fn own_place(&self, node: NodeId) -> Option<u32> {
        let leaf = self.tree.leaves()[self.leaf(node)?];
        self.is_own(leaf).then_some(leaf)
    }

    /// Was the tree node added, to hold what an inner node has of its own?
    pub fn is_own(&self, place: u32) -> bool {
        place as usize >= self.places.len()
    }

    /// The leaf that holds what a node has of its own, by its place in [`Tree::leaves`].
    pub fn leaf(&self, node: NodeId) -> Option<usize> {
        self.leaves[node.index()].map(|leaf| leaf as usize)
    }
}
