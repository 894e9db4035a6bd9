//! What is in a column of pixels of a row.

use std::cmp::Reverse;

use onca_model::{
    Nature, Ticks, Window,
    format::{count_of, grouped},
    printable,
};
use onca_query::{Appearance, NodeId, Scope};

use super::{Inspection, Kind, Place, ValueShare, known, of_node};
use crate::Result;
use crate::columns::{ColumnCache, ColumnRow, Grid, columns};

/// This many containers are named.
const MOST_NAMED: usize = 8;

/// Tells what is in a column of pixels, a time and a length, of a row that stands for some nodes:
/// of everything from these nodes down.
pub fn inspect_row(
    scope: &Scope<'_>,
    appearance: &Appearance,
    nodes: &[NodeId],
    (at, span): (Ticks, Ticks),
) -> Result<Inspection> {
    let nodes = nodes.iter().map(|node| known(scope, *node)).collect::<Result<Vec<NodeId>>>()?;
    let mut found = match nodes.as_slice() {
        [node] => of_node(scope, *node)?,
        _ => of_several(scope, &nodes),
    };
    let inside = from_these_down(scope, &nodes);
    let tracks = scope.tracks(Nature::State).filter(|(_, _, node)| inside[node.index()]);
    let row = ColumnRow::Tracks(tracks.map(|(track, ..)| track).collect());
    let grid = Grid::new(at, span.max(1), 1)?;
    let answer = columns(scope, &[row], grid, &ColumnCache::new(0))?;
    let Window { from, to } = answer.window(0);
    let total: i128 = answer.shares(0, 0).map(|share| i128::from(share.ticks)).sum();
    let mut shares: Vec<ValueShare> = answer
        .shares(0, 0)
        .map(|share| ValueShare {
            value: share.value,
            title: printable(&scope.catalog().value(share.value).name).into_owned(),
            color: appearance.of_value(share.value).color,
            ticks: share.ticks,
            share: if total > 0 { share.ticks as f64 / total as f64 } else { 0.0 },
            count: u64::from(share.n_states()),
        })
        .collect();
    shares.sort_by_key(|share| (Reverse(share.ticks), Reverse(share.count), share.value));
    found.fields.clear();
    add_containers(scope, &inside, &mut found);
    let (start, end) = (Some(from), Some(to));
    Ok(Inspection { kind: Kind::Aggregate, start, end, shares, ..found })
}

/// By node: is it one of these, or does it lie below one?
fn from_these_down(scope: &Scope<'_>, nodes: &[NodeId]) -> Vec<bool> {
    let hierarchy = scope.hierarchy();
    let mut inside = vec![false; hierarchy.len()];
    nodes.iter().for_each(|node| inside[node.index()] = true);
    // Parents come before children.
    for node in hierarchy.nodes() {
        inside[node.index()] |= inside[hierarchy.parent(node).index()];
    }
    inside
}

/// Several nodes have their parent as place, if it is that of all.
fn of_several(scope: &Scope<'_>, nodes: &[NodeId]) -> Inspection {
    let hierarchy = scope.hierarchy();
    let title = count_of(nodes.len() as u64, "row");
    let mut found = Inspection::new(scope, Kind::Aggregate, title.as_bytes());
    let mut parents = nodes.iter().map(|node| hierarchy.parent(*node));
    if let Some(parent) = parents.next().filter(|first| parents.all(|other| other == *first)) {
        let path = Some(scope.path(parent));
        found.place = Some(Place { node: Some(parent), path, container: None });
    }
    found
}

/// Tells which containers a row sums up: how many, and the first of them by name. Those that have
/// others below them are not counted.
fn add_containers(scope: &Scope<'_>, inside: &[bool], found: &mut Inspection) {
    let (hierarchy, containers) = (scope.hierarchy(), &scope.catalog().containers);
    let is_summed = |node: NodeId| inside[node.index()] && hierarchy.children(node).is_empty();
    let mut names = Vec::new();
    let mut n = 0;
    for (container, _) in hierarchy.members().filter(|(_, node)| is_summed(*node)) {
        n += 1;
        if names.len() < MOST_NAMED {
            names.push(printable(containers.names.get(container.index())));
        }
    }
    if n < 2 {
        return;
    }
    let n_more = n - names.len();
    let more =
        if n_more > 0 { format!(" and {} more", grouped(n_more as u64)) } else { String::new() };
    found.add_field("containers", format!("{}: {}{more}", grouped(n as u64), names.join(", ")));
}
