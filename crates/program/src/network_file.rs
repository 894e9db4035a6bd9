//! Networks from files in the DOT language.

use std::collections::BTreeMap;
use std::path::Path;

use onca_answer::topology::{Capacity, Joint, Network, NetworkNode, NodeRole};
use onca_model::display_text;
use onca_read::topology::{Node, QuantityError, Topology, read_dot};

use crate::format::shown;
use crate::outcome::Failure;

/// Reads a network in the DOT language.
pub fn read_network(path: &Path) -> Result<Network, Failure> {
    let cannot = |why: String| Failure::Cannot(format!("{}:{why}", shown(path)));
    let text = std::fs::read(path)
        .map_err(|error| Failure::Cannot(format!("{}: {error}", shown(path))))?;
    let graph = read_dot(&text).map_err(|error| cannot(error.to_string()))?;
    let name = graph.label.as_ref().or(graph.name.as_ref());
    let name = name.map_or_else(|| shown(path), |name| display_text(name).into_owned());
    let (nodes, joints) = (nodes(&graph), joints(&graph));
    let nodes = nodes.map_err(|why| cannot(format!(" {why}")))?;
    let joints = joints.map_err(|why| cannot(format!(" {why}")))?;
    Ok(Network::new(name, graph.directed, nodes, joints)?)
}

/// An attribute as text.
fn attribute(node: &Node, name: &str) -> Option<String> {
    node.attributes.get(name).map(|text| display_text(text).into_owned())
}

fn nodes(graph: &Topology) -> Result<Vec<NetworkNode>, String> {
    let mut degrees = vec![0usize; graph.nodes.len()];
    for edge in &graph.edges {
        degrees[edge.a] += 1;
        degrees[edge.b] += 1;
    }
    let sites = sites(graph);
    let subgraphs = subgraphs(graph);
    let node = |(at, node): (usize, &Node)| {
        let name = display_text(&node.name).into_owned();
        let wrong = |error: QuantityError| format!("node {name:?}: {error}");
        let position = node.position().map_err(wrong)?;
        Ok(NetworkNode {
            role: role_of(node, degrees[at]),
            site: sites[at].clone(),
            groups: match attribute(node, "cluster") {
                // The site of a cluster without one is the cluster itself.
                Some(cluster) => {
                    let site = sites[at].clone().filter(|site| *site != cluster);
                    site.into_iter().chain([cluster]).collect()
                }
                None if attribute(node, "site").is_some() => {
                    sites[at].clone().into_iter().collect()
                }
                None => subgraphs[at].clone(),
            },
            position: position.map(|[x, y, _]| (x, y)),
            capacity: Capacity::default(),
            name,
        })
    };
    graph.nodes.iter().enumerate().map(node).collect()
}

/// What a node is for: as its kind says; without one, what has at most one neighbour is a machine.
fn role_of(node: &Node, degree: usize) -> NodeRole {
    let kind = attribute(node, "kind").or_else(|| attribute(node, "type"));
    match kind.map(|kind| kind.to_lowercase()).as_deref() {
        Some("host" | "machine" | "node" | "computer") => NodeRole::Host,
        Some("switch" | "router" | "backbone" | "hub") => NodeRole::Switch,
        _ if degree <= 1 => NodeRole::Host,
        _ => NodeRole::Switch,
    }
}

/// The site of each node: its own attribute, that of others of its cluster, its cluster, or the
/// outermost subgraph around it.
fn sites(graph: &Topology) -> Vec<Option<String>> {
    let cluster = |node: &Node| attribute(node, "cluster");
    let mut of_cluster: BTreeMap<String, String> = BTreeMap::new();
    for node in &graph.nodes {
        if let (Some(cluster), Some(site)) = (cluster(node), attribute(node, "site")) {
            of_cluster.insert(cluster, site);
        }
    }
    let mut groups: Vec<Option<String>> = vec![None; graph.nodes.len()];
    for (at, group) in graph.groups.iter().enumerate() {
        let mut outermost = at;
        while let Some(parent) = graph.groups[outermost].parent {
            outermost = parent;
        }
        let group_name = graph.groups[outermost].label.as_ref();
        let group_name = group_name.or(graph.groups[outermost].name.as_ref());
        for &node in &group.nodes {
            let name = group_name.map(|name| display_text(name).into_owned());
            groups[node] = groups[node].take().or(name);
        }
    }
    let site = |(node, group): (&Node, Option<String>)| {
        let by_cluster = cluster(node).map(|name| of_cluster.get(&name).cloned().unwrap_or(name));
        attribute(node, "site").or(by_cluster).or(group)
    };
    graph.nodes.iter().zip(groups).map(site).collect()
}

/// The subgraphs around each node, the outermost first; of several the first.
fn subgraphs(graph: &Topology) -> Vec<Vec<String>> {
    let name = |group: usize| {
        let group = &graph.groups[group];
        group.label.as_ref().or(group.name.as_ref()).map(|name| display_text(name).into_owned())
    };
    // Those inside others come after them, and know better.
    let mut found: Vec<Vec<String>> = vec![Vec::new(); graph.nodes.len()];
    for (at, group) in graph.groups.iter().enumerate() {
        let mut path: Vec<String> = name(at).into_iter().collect();
        let mut outer = group.parent;
        while let Some(parent) = outer {
            path.extend(name(parent));
            outer = graph.groups[parent].parent;
        }
        path.reverse();
        for &node in &group.nodes {
            if found[node].is_empty() || path.starts_with(&found[node]) {
                found[node].clone_from(&path);
            }
        }
    }
    found
}

fn joints(graph: &Topology) -> Result<Vec<Joint>, String> {
    let edges = graph.edges.iter().map(|edge| {
        let name = |node: usize| display_text(&graph.nodes[node].name);
        let wrong = |error: QuantityError| {
            format!("edge {:?} to {:?}: {error}", name(edge.a), name(edge.b))
        };
        let capacity = Capacity {
            bandwidth: edge.bandwidth().map_err(wrong)?,
            latency: edge.latency().map_err(wrong)?,
        };
        Ok(Joint { a: edge.a, b: edge.b, is_link: true, capacity })
    });
    edges.collect()
}
