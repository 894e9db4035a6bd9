//! Trees of containers that a trace did not have, from files and from names.

use std::path::Path;

use onca_model::display_text;
use onca_query::{HierarchySpec, TreeNode};
use onca_read::topology::{self, HierarchyFile, Topology};

use onca_program::Failure;
use onca_program::format::shown;

/// Reads a tree: the groups and nodes of a DOT file, or a tree of names as JSON or property list.
pub fn read(path: &Path) -> Result<HierarchySpec, Failure> {
    let cannot = |why: String| Failure::Cannot(format!("{}: {why}", shown(path)));
    let text = std::fs::read(path).map_err(|error| cannot(error.to_string()))?;
    let is_dot = path.extension().is_some_and(|extension| extension == "dot" || extension == "gv");
    let nodes = match is_dot {
        true => {
            let graph = topology::read_dot(&text);
            groups(&graph.map_err(|error| cannot(error.to_string()))?)
        }
        false => {
            let tree = topology::read_hierarchy(&text);
            tree_nodes(&tree.map_err(|error| cannot(error.to_string()))?)
        }
    };
    if nodes.is_empty() {
        return Err(cannot("the file has no groups and no nodes".to_owned()));
    }
    Ok(HierarchySpec::Tree { nodes, place: None })
}

/// A tree by names. Without levels, how many different names a group has tells how they nest.
pub fn from_names(expression: &str, levels: &[String]) -> Result<HierarchySpec, Failure> {
    let n_groups = expression
        .split("(?")
        .skip(1)
        .filter_map(|part| part.strip_prefix("P<").or_else(|| part.strip_prefix('<')))
        .filter_map(|part| part.split_once('>'))
        .filter(|(name, _)| !name.is_empty() && !name.starts_with(['=', '!']))
        .count();
    if n_groups == 0 {
        return Err(Failure::Cannot(format!(
            "{expression:?} has no named group; write (?<site>...) for each level"
        )));
    }
    Ok(HierarchySpec::Names { pattern: expression.to_owned(), levels: levels.to_vec() })
}

fn text_of(name: &[u8]) -> String {
    display_text(name).into_owned()
}

/// The subgraphs of a graph as inner nodes, its nodes as leaves.
fn groups(graph: &Topology) -> Vec<TreeNode> {
    let mut nodes: Vec<TreeNode> = Vec::new();
    for (index, group) in graph.groups.iter().enumerate() {
        let named = group.label.as_ref().or(group.name.as_ref());
        nodes.push(TreeNode {
            name: named.map_or_else(|| format!("group {index}"), |name| text_of(name)),
            kind: Some("group".to_owned()),
            parent: group.parent,
        });
    }
    let mut home = vec![None; graph.nodes.len()];
    for (index, group) in graph.groups.iter().enumerate() {
        for &node in &group.nodes {
            home[node].get_or_insert(index);
        }
    }
    nodes.extend(graph.nodes.iter().zip(home).map(|(node, parent)| TreeNode {
        name: text_of(&node.name),
        kind: Some("host".to_owned()),
        parent,
    }));
    nodes
}

fn tree_nodes(tree: &HierarchyFile) -> Vec<TreeNode> {
    let node = |node: &topology::HierarchyNode| TreeNode {
        name: text_of(&node.name),
        kind: node.kind.clone(),
        parent: node.parent,
    };
    tree.nodes.iter().map(node).collect()
}
