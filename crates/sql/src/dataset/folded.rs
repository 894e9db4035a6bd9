//! From what containers have to what everything below a container has.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use onca_answer::slice::Nodes;
use onca_model::{Catalog, Ticks, display_text};
use onca_query::{Hierarchy, NodeId, level_name};

use crate::functions::SliceRow;

/// Ticks by number of value and container.
pub(super) type Cells = HashMap<(u32, u32), i128>;

/// For each type the containers that have such states.
pub(super) type Having = BTreeMap<u32, BTreeSet<u32>>;

/// What the wanted nodes have, in the order of `slice` over a store: by node, then by value.
pub(super) fn fold(
    catalog: &Catalog,
    nodes: &Nodes,
    cells: &Cells,
    having: &Having,
) -> Result<Vec<SliceRow>, String> {
    let hierarchy = Hierarchy::of_containers(catalog);
    let wanted = wanted(catalog, &hierarchy, nodes)?;
    let mut by_value: BTreeMap<u32, Vec<(u32, i128)>> = BTreeMap::new();
    // Less than nothing: a lens hid the states that those of the data set lie in.
    for (&(value, container), &ticks) in cells.iter().filter(|(_, ticks)| **ticks > 0) {
        by_value.entry(value).or_default().push((container, ticks));
    }
    let mut amounts: Vec<(usize, u32, i128)> = Vec::new();
    for (value, own) in by_value {
        let sums = sums(&hierarchy, own);
        for (place, node) in wanted.iter().enumerate() {
            let ticks = sums.get(node.index()).copied().unwrap_or(0);
            if ticks != 0 {
                amounts.push((place, value, ticks));
            }
        }
    }
    amounts.sort_unstable();
    let leaves: BTreeMap<u32, Vec<i128>> = (having.iter())
        .map(|(&kind, own)| (kind, sums(&hierarchy, own.iter().map(|&id| (id, 1)))))
        .collect();
    let row = |(place, value, ticks): (usize, u32, i128)| {
        let node = *wanted.get(place)?;
        let value = catalog.values.get(value as usize)?;
        let kind = catalog.types.get(value.type_id.index())?;
        let n_leaves = leaves.get(&value.type_id.0)?.get(node.index())?;
        let name = hierarchy.name(&catalog.containers, node);
        Some(SliceRow {
            container_id: hierarchy.container(node).map(|id| id.0),
            container: display_text(name).into_owned(),
            path: hierarchy.path(&catalog.containers, node),
            level: display_text(hierarchy.kind(node)).into_owned(),
            type_name: display_text(&kind.name).into_owned(),
            value: display_text(&value.name).into_owned(),
            ticks: Ticks::try_from(ticks).unwrap_or(Ticks::MAX),
            n_leaves: usize::try_from(*n_leaves).unwrap_or(usize::MAX),
        })
    };
    Ok(amounts.into_iter().filter_map(row).collect())
}

/// What each node has, and all below it.
fn sums(hierarchy: &Hierarchy, own: impl IntoIterator<Item = (u32, i128)>) -> Vec<i128> {
    let mut sums = vec![0; hierarchy.len()];
    for (container, amount) in own {
        if let Some(sum) = sums.get_mut(container as usize) {
            *sum += amount;
        }
    }
    hierarchy.sum_up(&mut sums);
    sums
}

/// The nodes that rows tell of, each before those below it.
fn wanted(catalog: &Catalog, hierarchy: &Hierarchy, nodes: &Nodes) -> Result<Vec<NodeId>, String> {
    match nodes {
        Nodes::All => Ok(hierarchy.preorder()),
        Nodes::Depth(depth) => Ok(hierarchy.at_depth(*depth)),
        Nodes::Level(level) => {
            let found: BTreeSet<NodeId> =
                hierarchy.at_level(&level_name(catalog, level))?.into_iter().collect();
            let order = hierarchy.preorder().into_iter();
            Ok(order.filter(|node| found.contains(node)).collect())
        }
    }
}
