//! The rows of a diagram.

use std::{cmp::Reverse, collections::BinaryHeap};

use crate::{NodeId, Scope};

/// A node and the nodes that share its row: short-lived containers of one kind take the place of
/// one that has ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The nodes in the row, in order of their begin; usually one.
    pub nodes: Vec<NodeId>,
}

/// The rows of a diagram: every node below the root in order, with rows shared where the lens
/// says so.
pub fn rows(scope: &Scope<'_>) -> Vec<Row> {
    let hierarchy = scope.hierarchy();
    let mut rows = Vec::new();
    let mut waiting: Vec<Row> = child_rows(scope, NodeId::ROOT);
    waiting.reverse();
    while let Some(row) = waiting.pop() {
        let below: Vec<Row> = row
            .nodes
            .iter()
            .filter(|node| !hierarchy.children(**node).is_empty())
            .flat_map(|node| child_rows(scope, *node))
            .collect();
        rows.push(row);
        waiting.extend(below.into_iter().rev());
    }
    rows
}

/// The rows directly below a node: one for each that shares none, then those that are shared, kind
/// by kind.
fn child_rows(scope: &Scope<'_>, parent: NodeId) -> Vec<Row> {
    let hierarchy = scope.hierarchy();
    let shares = |node: NodeId| {
        hierarchy.children(node).is_empty()
            && hierarchy.container(node).is_some()
            && scope.reuses_rows(hierarchy.kind(node))
    };
    let mut rows = Vec::new();
    let mut sharing: Vec<(&[u8], Vec<NodeId>)> = Vec::new();
    for &node in hierarchy.children(parent) {
        let kind = hierarchy.kind(node);
        if !shares(node) {
            rows.push(Row { nodes: vec![node] });
        } else if let Some((_, nodes)) = sharing.iter_mut().find(|(other, _)| *other == kind) {
            nodes.push(node);
        } else {
            sharing.push((kind, vec![node]));
        }
    }
    rows.extend(sharing.into_iter().flat_map(|(_, nodes)| shared_rows(scope, nodes)));
    rows
}

/// Puts nodes into as few rows as possible: each takes the first row that is free when it begins.
fn shared_rows(scope: &Scope<'_>, mut nodes: Vec<NodeId>) -> Vec<Row> {
    let containers = &scope.catalog().containers;
    let life = |node: NodeId| {
        let id = scope.hierarchy().container(node);
        id.map(|id| (containers.starts[id.index()], containers.ends[id.index()]))
    };
    nodes.sort_by_key(|node| life(*node));
    let mut rows: Vec<Row> = Vec::new();
    // The ends of rows with the number of the row: of several that are free, the first is taken.
    let mut busy = BinaryHeap::new();
    let mut free = BinaryHeap::new();
    for node in nodes {
        let Some((start, end)) = life(node) else { continue };
        while let Some(Reverse((ended, row))) = busy.peek().copied() {
            if ended > start {
                break;
            }
            busy.pop();
            free.push(Reverse(row));
        }
        let row = match free.pop() {
            Some(Reverse(row)) => row,
            None => {
                rows.push(Row { nodes: Vec::new() });
                rows.len() - 1
            }
        };
        rows[row].nodes.push(node);
        busy.push(Reverse((end, row)));
    }
    rows
}
