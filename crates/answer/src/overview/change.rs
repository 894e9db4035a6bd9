//! How the mix of values of containers changes over time.

use onca_aggregate::overview::ChangeCurve;
use onca_query::{NodeId, Scope};

use super::Matrix;
use crate::slice::Nodes;
use crate::{AnswerError, Result};

/// Change curves of some nodes.
#[derive(Clone, PartialEq, Debug)]
pub struct ChangeAnswer {
    /// One for each node that was asked for.
    pub curves: Vec<NodeChange>,
}

/// The change curve of a node.
#[derive(Clone, PartialEq, Debug)]
pub struct NodeChange {
    /// The curve.
    pub curve: ChangeCurve,
    /// The path of the node.
    pub path: String,
}

impl Matrix {
    /// The change curves of the nodes of a level or depth.
    pub fn changes(&self, scope: &Scope<'_>, nodes: &Nodes) -> Result<ChangeAnswer> {
        let hierarchy = scope.hierarchy();
        let nodes: Vec<NodeId> = match nodes {
            Nodes::All => hierarchy.preorder(),
            Nodes::Level(level) => scope.at_level(level).map_err(AnswerError::Question)?,
            Nodes::Depth(depth) => hierarchy.at_depth(*depth),
        };
        Ok(self.changes_of(nodes.into_iter().map(|node| self.places[node.index()])))
    }

    /// The change curves of nodes of the tree.
    pub fn changes_of(&self, nodes: impl Iterator<Item = u32>) -> ChangeAnswer {
        let curve = |node: u32| NodeChange {
            curve: ChangeCurve::of(&self.tree, &self.cells, node),
            path: self.path(node),
        };
        ChangeAnswer { curves: nodes.map(curve).collect() }
    }
}
