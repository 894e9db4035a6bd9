//! The tree of what is seen: the spatial axis of every analysis.

use std::borrow::Cow;

use onca_model::{Catalog, ContainerId, Containers, Nature, TypeDef, printable};

/// A node of a [`Hierarchy`]; 0 is the root. A parent comes before its children.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The root of every hierarchy.
    pub const ROOT: Self = Self(0);

    /// The id as an index.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Stands for "none" in the columns of a hierarchy.
pub(crate) const NONE: u32 = u32::MAX;

/// What a node is called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Label {
    /// As its container.
    Container(ContainerId),
    /// By a name of its own.
    Text(Vec<u8>),
}

/// One node while a hierarchy is made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Node {
    pub parent: u32,
    pub label: Label,
    /// Index into the kinds.
    pub kind: u32,
}

/// The nodes and who counts for whom, while a hierarchy is made. Parents come before children.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub nodes: Vec<Node>,
    /// For each container the node that counts it, or [`NONE`].
    pub node_of: Vec<u32>,
    pub kinds: Vec<Vec<u8>>,
}

impl Draft {
    /// A node for each container, with its number.
    pub fn of_containers(catalog: &Catalog) -> Self {
        let mut draft = Draft::default();
        let kind_of = |def: &TypeDef| match def.nature {
            Nature::Container => draft.kind(&def.name),
            _ => NONE,
        };
        let kinds: Vec<u32> = catalog.types.iter().map(kind_of).collect();
        let containers = &catalog.containers;
        for (index, parent) in containers.parents.iter().enumerate() {
            let kind = kinds[containers.types[index].index()];
            let container = ContainerId(index as u32);
            draft.push(parent.0, Label::Container(container), kind);
            draft.node_of.push(container.0);
        }
        draft
    }

    /// The number of a kind, new if need be.
    pub fn kind(&mut self, name: &[u8]) -> u32 {
        let known = self.kinds.iter().position(|kind| kind == name);
        known.unwrap_or_else(|| {
            self.kinds.push(name.to_vec());
            self.kinds.len() - 1
        }) as u32
    }

    /// Appends a node and returns its number.
    pub fn push(&mut self, parent: u32, label: Label, kind: u32) -> u32 {
        self.nodes.push(Node { parent, label, kind });
        self.nodes.len() as u32 - 1
    }

    /// Removes the nodes, other than the root, that no container counts for, here or below.
    pub fn prune(&mut self) {
        let mut used = vec![false; self.nodes.len()];
        used[0] = true;
        self.node_of
            .iter()
            .filter(|&&node| node != NONE)
            .for_each(|&node| used[node as usize] = true);
        for index in (1..self.nodes.len()).rev() {
            if used[index] {
                used[self.nodes[index].parent as usize] = true;
            }
        }
        self.keep(|index| used[index]);
    }

    /// Keeps some nodes. Who counts for a removed node counts for nothing, and a kept node must
    /// have a kept parent.
    pub fn keep(&mut self, keep: impl Fn(usize) -> bool) {
        let mut new_id = vec![NONE; self.nodes.len()];
        let mut kept = Vec::with_capacity(self.nodes.len());
        for (index, node) in std::mem::take(&mut self.nodes).into_iter().enumerate() {
            if keep(index) {
                new_id[index] = kept.len() as u32;
                let parent = new_id[node.parent as usize];
                kept.push(Node { parent, ..node });
            }
        }
        self.nodes = kept;
        for node in self.node_of.iter_mut().filter(|node| **node != NONE) {
            *node = new_id[*node as usize];
        }
    }
}

/// The tree of what is seen through a lens. Every seen container counts for exactly one node.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    nodes: Vec<Node>,
    node_of: Vec<u32>,
    kinds: Vec<Vec<u8>>,
    /// The children of node `n` are `children[first_child[n]..first_child[n + 1]]`, in order.
    first_child: Vec<u32>,
    children: Vec<NodeId>,
    depths: Vec<u32>,
}

/// How many levels of a path are named at most.
pub const PATH_LEVELS: usize = 64;

/// The path of a node of any tree, as [`Hierarchy::path`] writes it. `above` tells the name of a node and its
/// parent, and nothing of the root.
pub fn path_of<'n, N: Copy>(
    node: N,
    above: impl Fn(N) -> Option<(&'n [u8], N)>,
    depth: impl Fn(N) -> usize,
) -> String {
    let mut names = Vec::new();
    let mut at = node;
    while names.len() < PATH_LEVELS
        && let Some((name, parent)) = above(at)
    {
        names.push(printable(name).replace('/', "\\/"));
        at = parent;
    }
    let named = names.iter().rev().map(|name| format!("/{name}"));
    match depth(at) {
        0 if names.is_empty() => "/".to_owned(),
        0 => named.collect(),
        left => std::iter::once(format!("/({left} more)")).chain(named).collect(),
    }
}

impl Hierarchy {
    pub(crate) fn new(draft: Draft) -> Self {
        let n = draft.nodes.len();
        let mut first_child = vec![0u32; n + 1];
        let mut depths = vec![0; n];
        for (index, node) in draft.nodes.iter().enumerate().skip(1) {
            first_child[node.parent as usize + 1] += 1;
            depths[index] = depths[node.parent as usize] + 1;
        }
        for index in 0..n {
            first_child[index + 1] += first_child[index];
        }
        let mut next = first_child.clone();
        let mut children = vec![NodeId::ROOT; n.saturating_sub(1)];
        for (index, node) in draft.nodes.iter().enumerate().skip(1) {
            let place = &mut next[node.parent as usize];
            children[*place as usize] = NodeId(index as u32);
            *place += 1;
        }
        let Draft { nodes, node_of, kinds } = draft;
        Self { nodes, node_of, kinds, first_child, children, depths }
    }

    /// The tree of all containers in the order of their creation: what the clear lens shows. The
    /// number of a node is that of its container.
    pub fn of_containers(catalog: &Catalog) -> Self {
        Self::new(Draft::of_containers(catalog))
    }

    /// How many nodes there are, the root included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// A hierarchy is never empty: it has a root.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// All nodes, parents before children.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// The parent of a node; the root is its own.
    pub fn parent(&self, node: NodeId) -> NodeId {
        NodeId(self.nodes[node.index()].parent)
    }

    /// The children of a node, in the order of the lens.
    pub fn children(&self, node: NodeId) -> &[NodeId] {
        let (from, to) = (self.first_child[node.index()], self.first_child[node.index() + 1]);
        &self.children[from as usize..to as usize]
    }

    /// How far a node is from the root.
    pub fn depth(&self, node: NodeId) -> usize {
        self.depths[node.index()] as usize
    }

    /// The depth of the deepest node.
    pub fn max_depth(&self) -> usize {
        self.depths.iter().copied().max().unwrap_or(0) as usize
    }

    /// The container that a node stands for; `None` for groups and imported nodes.
    pub fn container(&self, node: NodeId) -> Option<ContainerId> {
        match self.nodes[node.index()].label {
            Label::Container(id) => Some(id),
            Label::Text(_) => None,
        }
    }

    /// The node that counts a container; `None` if the container is not seen.
    #[inline]
    pub fn node_of(&self, container: ContainerId) -> Option<NodeId> {
        match self.node_of.get(container.index()) {
            Some(&node) if node != NONE => Some(NodeId(node)),
            _ => None,
        }
    }

    /// The seen containers, each with the node that counts it, in order of creation.
    pub fn members(&self) -> impl Iterator<Item = (ContainerId, NodeId)> {
        let seen = self.node_of.iter().enumerate().filter(|(_, node)| **node != NONE);
        seen.map(|(id, node)| (ContainerId(id as u32), NodeId(*node)))
    }

    /// Leaves out the containers that some nodes count. The nodes stay, so that numbers do.
    pub(crate) fn leave_out(&mut self, leave: impl Fn(NodeId) -> bool) {
        for node in self.node_of.iter_mut().filter(|node| **node != NONE) {
            if leave(NodeId(*node)) {
                *node = NONE;
            }
        }
    }

    /// What a node is called.
    pub fn name<'a>(&'a self, containers: &'a Containers, node: NodeId) -> &'a [u8] {
        match &self.nodes[node.index()].label {
            Label::Container(id) => containers.names.get(id.index()),
            Label::Text(text) => text,
        }
    }

    /// The kind of a node: the type of its container, or what an import says.
    pub fn kind(&self, node: NodeId) -> &[u8] {
        &self.kinds[self.nodes[node.index()].kind as usize]
    }

    /// The kinds that occur, from the outermost; each has the nodes of one level.
    pub fn levels(&self) -> Vec<Cow<'_, str>> {
        let mut depth_of: Vec<Option<u32>> = vec![None; self.kinds.len()];
        for (node, depth) in self.nodes.iter().zip(&self.depths) {
            let known = &mut depth_of[node.kind as usize];
            *known = Some(known.map_or(*depth, |least| least.min(*depth)));
        }
        let mut levels: Vec<_> = depth_of
            .iter()
            .enumerate()
            .filter_map(|(kind, depth)| Some(((*depth)?, kind)))
            .collect();
        levels.sort_unstable();
        levels.into_iter().map(|(_, kind)| printable(&self.kinds[kind])).collect()
    }

    /// The nodes of a kind.
    pub fn at_level(&self, kind: &[u8]) -> Result<Vec<NodeId>, String> {
        let found: Vec<NodeId> = self.nodes().filter(|&node| self.kind(node) == kind).collect();
        if found.is_empty() {
            let levels = self.levels().join(", ");
            return Err(format!(
                "there is no level {:?}; the levels are {levels}",
                printable(kind)
            ));
        }
        Ok(found)
    }

    /// The nodes at a depth, and those above it that have nothing below: together they count
    /// every container at this depth or deeper once.
    pub fn at_depth(&self, depth: usize) -> Vec<NodeId> {
        let at = |node: &NodeId| {
            let own = self.depth(*node);
            own == depth || (own < depth && self.children(*node).is_empty())
        };
        self.preorder().into_iter().filter(at).collect()
    }

    /// All nodes as a reader would list them: each before its children, siblings in order.
    pub fn preorder(&self) -> Vec<NodeId> {
        let mut order = Vec::with_capacity(self.len());
        let mut waiting = vec![NodeId::ROOT];
        while let Some(node) = waiting.pop() {
            order.push(node);
            waiting.extend(self.children(node).iter().rev());
        }
        order
    }

    /// The nodes that have nothing below them, in the order of [`preorder`](Self::preorder).
    pub fn leaves(&self) -> Vec<NodeId> {
        self.preorder().into_iter().filter(|node| self.children(*node).is_empty()).collect()
    }

    /// The path of a node from the root, such as `/cluster/rank0`; the root is `/`. Of a path with
    /// more levels than [`PATH_LEVELS`] only the last are named, after how many others there are:
    /// `/(936 more)/c936/…`. Paths of a chain of nodes would else grow with the square of its length.
    pub fn path(&self, containers: &Containers, node: NodeId) -> String {
        let above =
            |node| (node != NodeId::ROOT).then(|| (self.name(containers, node), self.parent(node)));
        path_of(node, above, |node| self.depth(node))
    }

    /// Sums a column up the tree: each node has its own and everything below.
    pub fn sum_up(&self, own: &mut [i128]) {
        for index in (1..self.nodes.len()).rev() {
            own[self.nodes[index].parent as usize] += own[index];
        }
    }

    /// Orders the children of every node.
    pub(crate) fn sort_children(
        &mut self,
        mut compare: impl FnMut(NodeId, NodeId) -> std::cmp::Ordering,
    ) {
        for node in 0..self.nodes.len() {
            let (from, to) = (self.first_child[node] as usize, self.first_child[node + 1] as usize);
            self.children[from..to].sort_by(|a, b| compare(*a, *b));
        }
    }

    /// The parents as plain numbers, the form that analyses take.
    pub fn parents(&self) -> Vec<u32> {
        self.nodes.iter().map(|node| node.parent).collect()
    }
}
