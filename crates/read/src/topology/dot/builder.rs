//! What the statements of a graph add up to.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::{MAX_EDGES, MAX_ENTRIES, MAX_KEYS, MAX_MEMBERS};
use crate::topology::{Attributes, Edge, Group, Node, Topology};

/// One end of an edge statement.
#[derive(Clone, Copy)]
pub(super) enum Endpoint {
    Node(usize),
    /// All nodes of a subgraph.
    Subgraph(usize),
}

/// The subgraph that is the graph itself.
pub(super) const ROOT: usize = 0;

/// A subgraph, of which it is not yet known whether it is worth a [`Group`].
#[derive(Default)]
struct Subgraph {
    name: Option<Vec<u8>>,
    label: Option<Vec<u8>>,
    parent: usize,
    attributes: Attributes,
    /// The nodes of its own statements.
    own: Members,
    /// Those of its subgraphs as well.
    all: Members,
    /// How many of them the parent has been told of; a subgraph may be opened again.
    n_passed_on: usize,
}

impl Subgraph {
    fn is_group(&self) -> bool {
        self.name.is_some() || self.label.is_some()
    }
}

/// Nodes in the order in which they came, each once.
#[derive(Default)]
struct Members {
    list: Vec<usize>,
    known: HashSet<usize>,
}

impl Members {
    fn insert(&mut self, node: usize) -> bool {
        let new = self.known.insert(node);
        if new {
            self.list.push(node);
        }
        new
    }
}

/// A limit is reached; the text says which.
pub(super) type Limited<T> = Result<T, String>;

/// Puts a [`Topology`] together.
pub(super) struct Builder {
    directed: bool,
    strict: bool,
    nodes: Vec<Node>,
    node_of_name: HashMap<Vec<u8>, usize>,
    edges: Vec<Edge>,
    /// The edge of two nodes, kept only for strict graphs.
    edge_of_ends: HashMap<(usize, usize), usize>,
    subgraphs: Vec<Subgraph>,
    subgraph_of_name: HashMap<(usize, Vec<u8>), usize>,
    n_members: usize,
    n_entries: usize,
}

impl Builder {
    pub(super) fn new(directed: bool, strict: bool, name: Option<Vec<u8>>) -> Self {
        Self {
            directed,
            strict,
            nodes: Vec::new(),
            node_of_name: HashMap::new(),
            edges: Vec::new(),
            edge_of_ends: HashMap::new(),
            subgraphs: vec![Subgraph { name, ..Subgraph::default() }],
            subgraph_of_name: HashMap::new(),
            n_members: 0,
            n_entries: 0,
        }
    }

    pub(super) fn directed(&self) -> bool {
        self.directed
    }

    /// The node of a name, made with the defaults if it is new, as a member of a subgraph.
    pub(super) fn node(
        &mut self,
        name: &[u8],
        defaults: &Attributes,
        subgraph: usize,
    ) -> Limited<usize> {
        let node = match self.node_of_name.get(name) {
            Some(&node) => node,
            None => {
                let node = self.nodes.len();
                self.nodes.push(Node { name: name.to_vec(), attributes: defaults.clone() });
                self.node_of_name.insert(name.to_vec(), node);
                node
            }
        };
        if subgraph != ROOT {
            self.subgraphs[subgraph].own.insert(node);
            self.add_member(subgraph, node)?;
        }
        Ok(node)
    }

    fn add_member(&mut self, subgraph: usize, node: usize) -> Limited<()> {
        self.n_members += usize::from(self.subgraphs[subgraph].all.insert(node));
        within(self.n_members, MAX_MEMBERS, "places of nodes in subgraphs")
    }

    /// The subgraph of a name in another, or a new one.
    pub(super) fn subgraph(&mut self, parent: usize, name: Option<Vec<u8>>) -> usize {
        let key = name.as_ref().map(|name| (parent, name.clone()));
        if let Some(&known) = key.as_ref().and_then(|key| self.subgraph_of_name.get(key)) {
            return known;
        }
        let subgraph = self.subgraphs.len();
        let attributes = self.subgraphs[parent].attributes.clone();
        self.subgraphs.push(Subgraph { name, parent, attributes, ..Subgraph::default() });
        if let Some(key) = key {
            self.subgraph_of_name.insert(key, subgraph);
        }
        subgraph
    }

    /// The statements of a subgraph are over: its nodes are also nodes of its parent.
    pub(super) fn close(&mut self, subgraph: usize) -> Limited<()> {
        let parent = self.subgraphs[subgraph].parent;
        if parent == ROOT {
            return Ok(());
        }
        let n_members = self.subgraphs[subgraph].all.list.len();
        for at in self.subgraphs[subgraph].n_passed_on..n_members {
            self.add_member(parent, self.subgraphs[subgraph].all.list[at])?;
        }
        self.subgraphs[subgraph].n_passed_on = n_members;
        if !self.subgraphs[subgraph].is_group() {
            let own = std::mem::take(&mut self.subgraphs[subgraph].own.list);
            own.into_iter().for_each(|node| _ = self.subgraphs[parent].own.insert(node));
        }
        Ok(())
    }

    pub(super) fn set_graph_attributes(
        &mut self,
        subgraph: usize,
        given: &Attributes,
    ) -> Limited<()> {
        let mut others = Attributes::default();
        for (key, value) in given.iter() {
            if key == b"label" {
                self.subgraphs[subgraph].label = Some(label_text(value));
            } else {
                others.set(&Arc::from(key), &Arc::from(value));
            }
        }
        let stored = self.subgraphs[subgraph].attributes.extend(&others);
        let n_keys = self.subgraphs[subgraph].attributes.len();
        self.count_entries(stored, n_keys)
    }

    pub(super) fn set_node_attributes(&mut self, node: usize, given: &Attributes) -> Limited<()> {
        let attributes = &mut self.nodes[node].attributes;
        let (stored, n_keys) = (attributes.extend(given), attributes.len());
        self.count_entries(stored, n_keys)
    }

    /// Adds more to what nodes or edges have unless they say otherwise.
    pub(super) fn extend_defaults(
        &mut self,
        defaults: &mut Attributes,
        given: &Attributes,
    ) -> Limited<()> {
        let stored = defaults.extend(given);
        self.count_entries(stored, defaults.len())
    }

    fn count_entries(&mut self, stored: usize, n_keys: usize) -> Limited<()> {
        self.n_entries += stored;
        within(n_keys, MAX_KEYS, "attributes of one thing")?;
        within(self.n_entries, MAX_ENTRIES, "attributes")
    }

    /// Joins all nodes of one end with all of the other.
    pub(super) fn connect(
        &mut self,
        from: Endpoint,
        to: Endpoint,
        attributes: &Attributes,
    ) -> Limited<()> {
        // By index, as a slice would keep the builder from adding edges. An end without nodes
        // must not cost a walk over the other.
        let (n_from, n_to) = (self.n_nodes_of(from), self.n_nodes_of(to));
        for pair in 0..n_from * n_to {
            let (a, b) = (self.node_of(from, pair / n_to), self.node_of(to, pair % n_to));
            self.edge(a, b, attributes)?;
        }
        Ok(())
    }

    fn n_nodes_of(&self, end: Endpoint) -> usize {
        match end {
            Endpoint::Node(_) => 1,
            Endpoint::Subgraph(subgraph) => self.subgraphs[subgraph].all.list.len(),
        }
    }

    fn node_of(&self, end: Endpoint, at: usize) -> usize {
        match end {
            Endpoint::Node(node) => node,
            Endpoint::Subgraph(subgraph) => self.subgraphs[subgraph].all.list[at],
        }
    }

    fn edge(&mut self, a: usize, b: usize, attributes: &Attributes) -> Limited<()> {
        if self.strict {
            let ends = if self.directed || a <= b { (a, b) } else { (b, a) };
            if let Some(&known) = self.edge_of_ends.get(&ends) {
                let kept = &mut self.edges[known].attributes;
                let (stored, n_keys) = (kept.extend(attributes), kept.len());
                return self.count_entries(stored, n_keys);
            }
            self.edge_of_ends.insert(ends, self.edges.len());
        }
        self.edges.push(Edge { a, b, attributes: attributes.clone() });
        within(self.edges.len(), MAX_EDGES, "edges")
    }

    /// The graph, with the subgraphs that have a name or a label as groups.
    pub(super) fn finish(self) -> Topology {
        let mut groups: Vec<Group> = Vec::new();
        // The group that a subgraph is, or else the one that it is in.
        let mut group_of: Vec<Option<usize>> = vec![None; self.subgraphs.len()];
        let mut subgraphs = self.subgraphs.into_iter();
        let root = subgraphs.next().unwrap_or_default();
        for (subgraph, at) in subgraphs.zip(ROOT + 1..) {
            let parent = group_of[subgraph.parent];
            group_of[at] = parent;
            if subgraph.is_group() {
                group_of[at] = Some(groups.len());
                let Subgraph { name, label, attributes, own, .. } = subgraph;
                groups.push(Group { name, label, parent, attributes, nodes: own.list });
            }
        }
        let Subgraph { name, label, attributes, .. } = root;
        let Self { directed, nodes, edges, .. } = self;
        Topology { directed, name, label, attributes, nodes, edges, groups }
    }
}

fn within(count: usize, limit: usize, what: &str) -> Limited<()> {
    if count <= limit { Ok(()) } else { Err(format!("more than {limit} {what}")) }
}

/// A label as it is shown: `\n`, `\l` and `\r` end a line, other escapes stand for themselves.
fn label_text(value: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(value.len());
    let mut rest = value;
    while let [first, after @ ..] = rest {
        rest = after;
        match (first, after) {
            (b'\\', [b'n' | b'l' | b'r', after @ ..]) => {
                text.push(b'\n');
                rest = after;
            }
            (b'\\', [b'\\', after @ ..]) => {
                text.push(b'\\');
                rest = after;
            }
            _ => text.push(*first),
        }
    }
    text
}
