//! What a page is told of the rows of a diagram: enough to draw the tree beside it.

use onca_model::printable;
use onca_query::{NodeId, Scope};
use serde::Serialize;

use crate::timeline::{
    content::{Row, Sharing},
    fit::Fitted,
};

/// A row of a timeline.
#[derive(Clone, PartialEq, Debug)]
pub struct TimelineRow {
    /// The nodes that it shows; several where they share it.
    pub nodes: Vec<NodeId>,
    /// What is written beside it.
    pub name: String,
    /// The kind of its first node.
    pub kind: String,
    /// How far its first node is from the root.
    pub depth: usize,
    /// Upper side, in pixels.
    pub y0: f64,
    /// Lower side, in pixels.
    pub y1: f64,
    /// What it is in the tree.
    pub state: RowState,
    /// How many containers lie below its nodes.
    pub below: u64,
    /// The path of its first node.
    pub path: String,
}

/// What a row is in the tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum RowState {
    /// Nothing lies below it.
    Leaf,
    /// What lies below it has rows of its own.
    Open,
    /// It stands for everything below it.
    Closed,
    /// Neighbours share it for lack of room.
    Merged,
}

/// The painted rows, and before them the open groups that they lie in.
pub(crate) fn rows_of(scope: &Scope<'_>, fitted: &Fitted) -> Vec<TimelineRow> {
    let Some(first) = fitted.painted().first() else { return Vec::new() };
    let hierarchy = scope.hierarchy();
    let mut around = vec![false; hierarchy.len()];
    let mut at = first.nodes[0];
    while at != NodeId::ROOT {
        at = hierarchy.parent(at);
        around[at.index()] = true;
    }
    let is_around = |row: &&Row| around[row.nodes[0].index()];
    let groups = fitted.rows[..fitted.painted.start].iter().filter(is_around);
    let below = containers_below(scope);
    groups.chain(fitted.painted()).map(|row| row_of(scope, row, &below)).collect()
}

fn row_of(scope: &Scope<'_>, row: &Row, below: &[i128]) -> TimelineRow {
    let hierarchy = scope.hierarchy();
    let (y0, y1) = row.span();
    let first = row.nodes[0];
    let sum: i128 = row.nodes.iter().map(|node| below[node.index()]).sum();
    TimelineRow {
        nodes: row.nodes.clone(),
        name: name_of(scope, row),
        kind: printable(hierarchy.kind(first)).into_owned(),
        depth: hierarchy.depth(first),
        y0,
        y1,
        state: match row.sharing {
            Sharing::Merged => RowState::Merged,
            Sharing::Collapsed => RowState::Closed,
            Sharing::Group => RowState::Open,
            Sharing::Own if hierarchy.children(first).is_empty() => RowState::Leaf,
            Sharing::Own => RowState::Open,
        },
        below: u64::try_from(sum).unwrap_or(0),
        path: scope.path(first),
    }
}

fn name_of(scope: &Scope<'_>, row: &Row) -> String {
    let name = |node: NodeId| match node {
        NodeId::ROOT => "all".to_owned(),
        node => printable(scope.name(node)).into_owned(),
    };
    match (row.sharing, row.nodes.as_slice()) {
        (Sharing::Merged, [first, .., last]) => format!("{} – {}", name(*first), name(*last)),
        (_, [first, _, ..]) => {
            format!("{} × {}", printable(scope.hierarchy().kind(*first)), row.nodes.len())
        }
        (_, nodes) => nodes.first().map_or_else(String::new, |node| name(*node)),
    }
}

/// For each node how many seen containers lie below it. A group stands for containers that are no
/// nodes; they lie below it too.
fn containers_below(scope: &Scope<'_>) -> Vec<i128> {
    let hierarchy = scope.hierarchy();
    let mut all = vec![0; hierarchy.len()];
    let mut own = vec![0; hierarchy.len()];
    for (container, node) in hierarchy.members() {
        all[node.index()] += 1;
        own[node.index()] += i128::from(hierarchy.container(node) == Some(container));
    }
    hierarchy.sum_up(&mut all);
    all.iter().zip(own).map(|(all, own)| all - own).collect()
}
