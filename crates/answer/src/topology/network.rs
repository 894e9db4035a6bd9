//! Machines and what joins them.

use std::collections::BTreeMap;

use crate::{AnswerError, Result};

/// What a node of a network is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeRole {
    /// A machine on which containers run.
    Host,
    /// It passes messages on: a switch, a router.
    Switch,
    /// A link that is a node of its own, as in traces of simulated platforms.
    Wire,
}

/// What a link can do, as far as it is known.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Capacity {
    /// Bytes per second.
    pub bandwidth: Option<f64>,
    /// Seconds.
    pub latency: Option<f64>,
}

/// A node of a network.
#[derive(Clone, PartialEq, Debug)]
pub struct NetworkNode {
    /// Its name, that no other node has.
    pub name: String,
    /// What it is for.
    pub role: NodeRole,
    /// The site that it belongs to, if one is known.
    pub site: Option<String>,
    /// The groups around it, the outermost first: a site, a cluster.
    pub groups: Vec<String>,
    /// Where it is, if that is known.
    pub position: Option<(f64, f64)>,
    /// What it can do, if it is a link.
    pub capacity: Capacity,
}

/// Two nodes that are joined.
#[derive(Clone, PartialEq, Debug)]
pub struct Joint {
    /// The one; where the network is directed, messages go from here.
    pub a: usize,
    /// The other.
    pub b: usize,
    /// Is it a link that carries messages? If not, it only says which link ends where.
    pub is_link: bool,
    /// What the link can do.
    pub capacity: Capacity,
}

/// A network.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Network {
    /// What it is called.
    pub name: String,
    /// Do messages go only from `a` to `b`?
    pub directed: bool,
    nodes: Vec<NetworkNode>,
    joints: Vec<Joint>,
    by_name: BTreeMap<String, usize>,
}

impl Network {
    /// A network of nodes and joints.
    pub fn new(
        name: impl Into<String>,
        directed: bool,
        nodes: Vec<NetworkNode>,
        joints: Vec<Joint>,
    ) -> Result<Self> {
        let name = name.into();
        let why = |what: String| AnswerError::Question(format!("{name}: {what}"));
        let mut by_name = BTreeMap::new();
        for (at, node) in nodes.iter().enumerate() {
            if by_name.insert(node.name.clone(), at).is_some() {
                return Err(why(format!("two nodes are called {:?}", node.name)));
            }
        }
        if joints.iter().any(|joint| joint.a >= nodes.len() || joint.b >= nodes.len()) {
            return Err(why("an edge ends at no node".to_owned()));
        }
        Ok(Self { name, directed, nodes, joints, by_name })
    }

    /// Its nodes.
    pub fn nodes(&self) -> &[NetworkNode] {
        &self.nodes
    }

    /// What joins them.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// The node of a name.
    pub fn node(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// The node of a name, or a message that names similar ones.
    pub(super) fn known(&self, name: &str) -> std::result::Result<usize, String> {
        self.node(name).ok_or_else(|| {
            let likeness = |known: &str| {
                let alike = known.bytes().zip(name.bytes()).take_while(|(a, b)| a == b);
                alike.count()
            };
            let nearest = self.nodes.iter().map(|node| node.name.as_str());
            let nearest = nearest.max_by_key(|known| (likeness(known), std::cmp::Reverse(*known)));
            match nearest.filter(|known| likeness(known) > 0) {
                Some(known) => format!("there is no node {name:?}; did you mean {known:?}?"),
                None => format!("there is no node {name:?}"),
            }
        })
    }

    /// Does every node that is no link have a position?
    pub fn has_positions(&self) -> bool {
        let mut placed = self.nodes.iter().filter(|node| node.role != NodeRole::Wire);
        !self.nodes.is_empty() && placed.all(|node| node.position.is_some())
    }
}
