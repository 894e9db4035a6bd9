//! Which nodes of the tree an answer is given for.

use onca_model::Nature;
use onca_query::{NodeId, Scope};
use onca_store::TrackId;

use crate::{AnswerError, Result};

/// For which nodes an answer is wanted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Level {
    /// Everything together.
    Whole,
    /// Every node for itself, without what lies below it.
    #[default]
    Own,
    /// The nodes of a kind, such as a type of containers, each with what lies below it.
    Kind(String),
    /// The nodes at this distance from the root, and the leaves above, each with what lies below.
    Depth(usize),
}

/// Some nodes of a tree, none of which shares a container with another one.
#[derive(Clone, Debug)]
pub struct Cut {
    nodes: Vec<NodeId>,
    /// For each node of the tree the place in `nodes` of the one it counts for.
    places: Vec<u32>,
}

/// Stands for "counts for none".
const NONE: u32 = u32::MAX;

impl Cut {
    /// The nodes of a level, in the order of the lens. Where nodes of a kind lie in each other,
    /// a container counts for the innermost.
    pub fn new(scope: &Scope<'_>, level: &Level) -> Result<Self> {
        let hierarchy = scope.hierarchy();
        let chosen = match level {
            Level::Whole => vec![NodeId::ROOT],
            Level::Own => hierarchy.preorder(),
            Level::Kind(kind) => {
                let found = scope.at_level(kind).map_err(AnswerError::Question)?;
                in_order(scope, &found)
            }
            Level::Depth(depth) if *depth > hierarchy.max_depth() => {
                let deepest = hierarchy.max_depth();
                return Err(AnswerError::Question(format!(
                    "there is no depth {depth}; the deepest is {deepest}"
                )));
            }
            Level::Depth(depth) => hierarchy.at_depth(*depth),
        };
        let mut places = vec![NONE; hierarchy.len()];
        for (place, node) in chosen.iter().enumerate() {
            places[node.index()] = place as u32;
        }
        // Parents come before children.
        for node in hierarchy.nodes().skip(1) {
            if places[node.index()] == NONE {
                places[node.index()] = places[hierarchy.parent(node).index()];
            }
        }
        Ok(Self { nodes: chosen, places })
    }

    /// The nodes.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// The place among [`nodes`](Self::nodes) of the one that a node counts for, if any.
    pub fn place(&self, node: NodeId) -> Option<usize> {
        self.places.get(node.index()).filter(|place| **place != NONE).map(|place| *place as usize)
    }

    /// The seen tracks of a nature, each with the place that it counts for, by place.
    pub(crate) fn tracks(&self, scope: &Scope<'_>, nature: Nature) -> Vec<(usize, TrackId)> {
        let placed = scope.tracks(nature).filter_map(|(id, _, node)| Some((self.place(node)?, id)));
        let mut tracks: Vec<_> = placed.collect();
        tracks.sort_unstable();
        tracks
    }
}

/// Some nodes in the order in which the lens lists all.
fn in_order(scope: &Scope<'_>, nodes: &[NodeId]) -> Vec<NodeId> {
    let mut wanted = vec![false; scope.hierarchy().len()];
    nodes.iter().for_each(|node| wanted[node.index()] = true);
    let mut order = scope.hierarchy().preorder();
    order.retain(|node| wanted[node.index()]);
    order
}
