//! The parts of a graph that are joined.

use super::{Graph, Method, Random, Spot, circular, layered, radial, stress};

/// A part of a graph in which everything is joined.
pub(super) struct Component {
    /// Its nodes in the whole graph, in order.
    pub nodes: Vec<u32>,
    /// The part as a graph.
    pub graph: Graph,
}

impl Component {
    /// The places of its nodes, anywhere and of any size.
    pub fn placed(&self, method: Method, random: &mut Random) -> Vec<Spot> {
        match method {
            Method::Force => stress::place(&self.graph, random),
            Method::Circular => circular::place(&self.graph),
            Method::Radial => radial::place(&self.graph),
            Method::Layered => layered::place(&self.graph),
        }
    }
}

/// The parts, in the order of their first nodes.
pub(super) fn components(graph: &Graph) -> Vec<Component> {
    let mut part_of = vec![u32::MAX; graph.len()];
    let mut members: Vec<Vec<u32>> = Vec::new();
    for start in 0..graph.len() {
        if part_of[start] != u32::MAX {
            continue;
        }
        let part = members.len() as u32;
        let (mut found, mut next) = (vec![start as u32], 0);
        part_of[start] = part;
        while next < found.len() {
            for &other in graph.neighbours(found[next] as usize) {
                if part_of[other as usize] == u32::MAX {
                    part_of[other as usize] = part;
                    found.push(other);
                }
            }
            next += 1;
        }
        found.sort_unstable();
        members.push(found);
    }
    let mut place_in = vec![0usize; graph.len()];
    for nodes in &members {
        nodes.iter().enumerate().for_each(|(place, &node)| place_in[node as usize] = place);
    }
    let part = |nodes: Vec<u32>| {
        let edges = nodes.iter().flat_map(|&node| {
            let others = graph.neighbours(node as usize).iter();
            let (place_in, node) = (&place_in, node as usize);
            others.map(move |&other| (place_in[node], place_in[other as usize]))
        });
        Component { graph: Graph::new(nodes.len(), edges), nodes }
    };
    members.into_iter().map(part).collect()
}

/// The node in the middle: halfway along a longest way, and of those near it the one with the most
/// neighbours. In a tree it is the node that is nearest to all.
pub(super) fn middle(graph: &Graph) -> usize {
    if graph.is_empty() {
        return 0;
    }
    let farthest = |distances: &[u32]| {
        let far = distances.iter().max().copied().unwrap_or(0);
        distances.iter().position(|distance| *distance == far).unwrap_or(0)
    };
    let end = farthest(&graph.distances(0));
    let from_end = graph.distances(end);
    let other_end = farthest(&from_end);
    let from_other = graph.distances(other_end);
    let length = from_end[other_end];
    let between = |node: &usize| {
        let (one, other) = (from_end[*node], from_other[*node]);
        one + other == length && one.abs_diff(other) <= 1
    };
    let nodes = (0..graph.len()).filter(between);
    nodes.max_by_key(|&node| (graph.degree(node), std::cmp::Reverse(node))).unwrap_or(0)
}
