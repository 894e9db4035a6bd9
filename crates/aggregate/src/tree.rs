//! The hierarchy: who is whose parent, and everything that follows from it.

use std::fmt;
use std::ops::Range;

/// A rooted tree over the nodes `0..len`, with all orders that aggregation needs.
///
/// Children come in order of their number. Preorder visits a node before its children, so that
/// the nodes below a node, and the leaves below it, are contiguous in [`preorder`](Self::preorder)
/// and in [`leaves`](Self::leaves).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tree {
    /// The parent of each node; the root is its own.
    parents: Vec<u32>,
    root: u32,
    /// The children of node `k` are `children[first_child[k]..first_child[k + 1]]`.
    first_child: Vec<u32>,
    children: Vec<u32>,
    depths: Vec<u32>,
    preorder: Vec<u32>,
    /// Where each node stands in `preorder`.
    places: Vec<u32>,
    /// How many nodes each subtree has, its root included.
    sizes: Vec<u32>,
    /// The leaves in preorder.
    leaves: Vec<u32>,
    /// The leaves below each node, as a range of `leaves`.
    leaf_ranges: Vec<(u32, u32)>,
}

/// Why a list of parents is not a tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TreeError {
    /// There is no node at all.
    Empty,
    /// More nodes than `u32` can number.
    TooManyNodes {
        /// How many there are.
        n_nodes: usize,
    },
    /// A parent that is not a node.
    OutOfRange {
        /// The node.
        node: u32,
        /// Its parent.
        parent: u32,
        /// How many nodes there are.
        n_nodes: u32,
    },
    /// No node is its own parent.
    NoRoot,
    /// Two nodes are their own parents.
    SeveralRoots {
        /// The first of them.
        first: u32,
        /// The second.
        second: u32,
    },
    /// A node is its own ancestor.
    Cycle {
        /// The smallest node of those that do not lie below the root.
        node: u32,
    },
}

impl fmt::Display for TreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "the hierarchy has no nodes"),
            Self::TooManyNodes { n_nodes } => {
                write!(f, "the hierarchy has {n_nodes} nodes; at most {} are possible", u32::MAX)
            }
            Self::OutOfRange { node, parent, n_nodes } => {
                let last = n_nodes.saturating_sub(1);
                write!(f, "the parent of node {node} is {parent}; the nodes are 0 to {last}")
            }
            Self::NoRoot => write!(f, "the hierarchy has no root: no node is its own parent"),
            Self::SeveralRoots { first, second } => {
                write!(f, "the hierarchy has several roots: nodes {first} and {second}")
            }
            Self::Cycle { node } => {
                write!(f, "node {node} does not lie below the root: its ancestors form a cycle")
            }
        }
    }
}

impl std::error::Error for TreeError {}

/// A leaf that holds what an inner node has of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OwnLeaf {
    /// The new leaf.
    pub leaf: u32,
    /// The inner node whose data it holds.
    pub node: u32,
}

impl Tree {
    /// The tree in which node `k` has the parent `parents[k]`; the root is its own parent.
    pub fn new(parents: Vec<u32>) -> Result<Self, TreeError> {
        let root = find_root(&parents)?;
        let (first_child, children) = children_of(&parents, root);
        let (preorder, depths) = walk(root, &first_child, &children, parents.len());
        let mut places = vec![u32::MAX; parents.len()];
        for (place, &node) in preorder.iter().enumerate() {
            places[node as usize] = place as u32;
        }
        // What the walk from the root did not reach hangs on a cycle.
        if let Some(node) = places.iter().position(|&place| place == u32::MAX) {
            return Err(TreeError::Cycle { node: node as u32 });
        }
        let sizes = subtree_sizes(&parents, root, &preorder);
        let (leaves, leaf_ranges) = leaf_ranges(&preorder, &sizes);
        Ok(Self {
            parents,
            root,
            first_child,
            children,
            depths,
            preorder,
            places,
            sizes,
            leaves,
            leaf_ranges,
        })
    }

    /// How many nodes there are.
    #[expect(clippy::len_without_is_empty, reason = "a tree has at least its root")]
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// The node above all others.
    pub fn root(&self) -> u32 {
        self.root
    }

    /// The parent of a node; `None` for the root.
    pub fn parent(&self, node: u32) -> Option<u32> {
        (node != self.root).then(|| self.parents[node as usize])
    }

    /// The children of a node, in order of their number.
    pub fn children(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.children[self.first_child[node] as usize..self.first_child[node + 1] as usize]
    }

    /// Has the node no children?
    pub fn is_leaf(&self, node: u32) -> bool {
        self.children(node).is_empty()
    }

    /// How many steps a node is below the root.
    pub fn depth(&self, node: u32) -> u32 {
        self.depths[node as usize]
    }

    /// The depth of the deepest node.
    pub fn height(&self) -> u32 {
        self.depths.iter().copied().max().unwrap_or(0)
    }

    /// All nodes, each before its children.
    pub fn preorder(&self) -> &[u32] {
        &self.preorder
    }

    /// A node and all below it, in preorder.
    pub fn subtree(&self, node: u32) -> &[u32] {
        let place = self.places[node as usize] as usize;
        &self.preorder[place..place + self.sizes[node as usize] as usize]
    }

    /// The leaves in preorder. Columns and cubes number the leaves by their place here.
    pub fn leaves(&self) -> &[u32] {
        &self.leaves
    }

    /// Where the leaves below a node stand in [`leaves`](Self::leaves); a leaf is below itself.
    pub fn leaf_range(&self, node: u32) -> Range<usize> {
        let (from, to) = self.leaf_ranges[node as usize];
        from as usize..to as usize
    }

    /// How many leaves lie below a node; 1 for a leaf.
    pub fn n_leaves(&self, node: u32) -> usize {
        self.leaf_range(node).len()
    }

    /// The nodes at a depth, and the leaves that end above it, in preorder: every leaf lies below
    /// exactly one of them.
    pub fn level_cut(&self, depth: u32) -> Vec<u32> {
        let in_cut = |&node: &u32| {
            self.depth(node) == depth || self.depth(node) < depth && self.is_leaf(node)
        };
        self.preorder.iter().copied().filter(in_cut).collect()
    }

    /// The same tree with one more leaf below each inner node that has data of its own. The new
    /// leaves have the numbers from [`len`](Self::len) on and are the last children.
    pub fn with_own_leaves(
        &self,
        has_data: impl Fn(u32) -> bool,
    ) -> Result<(Self, Vec<OwnLeaf>), TreeError> {
        let inner = (0..self.len() as u32).filter(|&node| !self.is_leaf(node) && has_data(node));
        let n_nodes = self.len();
        let own: Vec<OwnLeaf> = inner
            .enumerate()
            .map(|(at, node)| OwnLeaf { leaf: (n_nodes + at) as u32, node })
            .collect();
        let mut parents = self.parents.clone();
        parents.extend(own.iter().map(|leaf| leaf.node));
        Ok((Self::new(parents)?, own))
    }
}

fn find_root(parents: &[u32]) -> Result<u32, TreeError> {
    let n_nodes = u32::try_from(parents.len())
        .map_err(|_| TreeError::TooManyNodes { n_nodes: parents.len() })?;
    if n_nodes == 0 {
        return Err(TreeError::Empty);
    }
    let mut root = None;
    for (node, &parent) in (0..).zip(parents) {
        if parent >= n_nodes {
            return Err(TreeError::OutOfRange { node, parent, n_nodes });
        }
        if parent == node {
            match root {
                Some(first) => return Err(TreeError::SeveralRoots { first, second: node }),
                None => root = Some(node),
            }
        }
    }
    root.ok_or(TreeError::NoRoot)
}

/// The children of all nodes in one list, and where those of each node begin. A counting sort:
/// linear, and stable, so that children stay in order.
fn children_of(parents: &[u32], root: u32) -> (Vec<u32>, Vec<u32>) {
    let mut first = vec![0u32; parents.len() + 1];
    let edges = || (0..).zip(parents).filter(|&(node, _): &(u32, _)| node != root);
    for (_, &parent) in edges() {
        first[parent as usize + 1] += 1;
    }
    for at in 1..first.len() {
        first[at] += first[at - 1];
    }
    let mut next = first.clone();
    let mut children = vec![0u32; parents.len() - 1];
    for (node, &parent) in edges() {
        let place = &mut next[parent as usize];
        children[*place as usize] = node;
        *place += 1;
    }
    (first, children)
}

/// The nodes that can be reached from the root, in preorder, and the depth of each.
fn walk(root: u32, first: &[u32], children: &[u32], n_nodes: usize) -> (Vec<u32>, Vec<u32>) {
    let mut preorder = Vec::with_capacity(n_nodes);
    let mut depths = vec![0u32; n_nodes];
    let mut pending = vec![root];
    while let Some(node) = pending.pop() {
        preorder.push(node);
        let (from, to) = (first[node as usize] as usize, first[node as usize + 1] as usize);
        for &child in children[from..to].iter().rev() {
            depths[child as usize] = depths[node as usize] + 1;
            pending.push(child);
        }
    }
    (preorder, depths)
}

fn subtree_sizes(parents: &[u32], root: u32, preorder: &[u32]) -> Vec<u32> {
    let mut sizes = vec![1u32; parents.len()];
    for &node in preorder.iter().rev().filter(|&&node| node != root) {
        sizes[parents[node as usize] as usize] += sizes[node as usize];
    }
    sizes
}

/// The leaves in preorder, and for each node the range of those below it.
fn leaf_ranges(preorder: &[u32], sizes: &[u32]) -> (Vec<u32>, Vec<(u32, u32)>) {
    let mut leaves = Vec::new();
    // How many leaves come before each place of the preorder.
    let mut before = Vec::with_capacity(preorder.len() + 1);
    for &node in preorder {
        before.push(leaves.len() as u32);
        if sizes[node as usize] == 1 {
            leaves.push(node);
        }
    }
    before.push(leaves.len() as u32);
    let mut ranges = vec![(0, 0); preorder.len()];
    for (place, &node) in preorder.iter().enumerate() {
        ranges[node as usize] = (before[place], before[place + sizes[node as usize] as usize]);
    }
    (leaves, ranges)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parents in no order: 3 is the root with children 1 and 4; 1 has 0 and 2; 4 has 5.
    fn example() -> Tree {
        Tree::new(vec![1, 3, 1, 3, 3, 4]).expect("a tree")
    }

    #[test]
    fn orders_follow_from_the_parents() {
        let tree = example();
        assert_eq!((tree.len(), tree.root(), tree.height()), (6, 3, 2));
        assert_eq!(tree.preorder(), [3, 1, 0, 2, 4, 5]);
        assert_eq!(tree.children(3), [1, 4]);
        assert_eq!(tree.subtree(1), [1, 0, 2]);
        assert_eq!(tree.leaves(), [0, 2, 5]);
        assert_eq!(tree.leaf_range(1), 0..2);
        assert_eq!((tree.n_leaves(3), tree.n_leaves(5)), (3, 1));
        assert_eq!((tree.parent(3), tree.parent(5)), (None, Some(4)));
    }

    #[test]
    fn a_cut_holds_every_leaf_once() {
        let tree = Tree::new(vec![0, 0, 0, 1, 3]).expect("a tree");
        assert_eq!(tree.level_cut(0), [0]);
        assert_eq!(tree.level_cut(1), [1, 2]);
        assert_eq!(tree.level_cut(2), [3, 2]);
        assert_eq!(tree.level_cut(9), [4, 2]);
    }

    #[test]
    fn inner_nodes_with_data_get_a_leaf_of_their_own() {
        let (tree, own) = example().with_own_leaves(|node| node != 4).expect("a tree");
        assert_eq!(own, [OwnLeaf { leaf: 6, node: 1 }, OwnLeaf { leaf: 7, node: 3 }]);
        assert_eq!(tree.children(1), [0, 2, 6]);
        assert_eq!(tree.children(3), [1, 4, 7]);
        assert_eq!(tree.leaves(), [0, 2, 6, 5, 7]);
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        let refusal = |parents: &[u32]| Tree::new(parents.to_vec()).expect_err("no tree");
        assert_eq!(refusal(&[]), TreeError::Empty);
        assert_eq!(refusal(&[0, 7]), TreeError::OutOfRange { node: 1, parent: 7, n_nodes: 2 });
        assert_eq!(refusal(&[0, 0, 2]), TreeError::SeveralRoots { first: 0, second: 2 });
        assert_eq!(refusal(&[1, 0]), TreeError::NoRoot);
        assert_eq!(refusal(&[0, 2, 3, 2]), TreeError::Cycle { node: 1 });
        assert!(refusal(&[0, 7]).to_string().contains("the nodes are 0 to 1"));
    }

    #[test]
    fn a_chain_of_a_million_nodes_needs_no_stack() {
        let parents = (0..1_000_000u32).map(|node| node.saturating_sub(1)).collect();
        let tree = Tree::new(parents).expect("a tree");
        assert_eq!((tree.height(), tree.n_leaves(0)), (999_999, 1));
    }
}
