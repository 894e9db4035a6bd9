//! The order of siblings.

use std::cmp::Ordering;

use onca_model::{ContainerId, Nature};
use onca_store::Measure;

use crate::{
    Hierarchy, Resolver, Scope,
    error::{LensError, Result},
    lens::{OrderKey, OrderSpec},
    natural,
};

/// Orders the children of every node of a scope.
pub(crate) fn apply(
    scope: &mut Scope<'_>,
    spec: &OrderSpec,
    resolver: &Resolver<'_>,
) -> Result<()> {
    let ranks = ranks_by_hand(scope.hierarchy(), spec, resolver)?;
    let metric = metric(scope, &spec.by, resolver)?;
    let first_member = first_members(scope.hierarchy());
    let containers = &scope.catalog().containers;
    let names = (spec.by == OrderKey::Name).then(|| scope.hierarchy().clone());
    scope.hierarchy_mut().sort_children(|a, b| {
        let by_key = match (&names, &metric) {
            (Some(names), _) => {
                natural::compare(names.name(containers, a), names.name(containers, b))
            }
            (None, Some(metric)) => metric[a.index()].cmp(&metric[b.index()]),
            (None, None) => first_member[a.index()].cmp(&first_member[b.index()]),
        };
        let by_key = if spec.descending { by_key.reverse() } else { by_key };
        let by_hand =
            ranks.as_ref().map_or(Ordering::Equal, |ranks| ranks[a.index()].cmp(&ranks[b.index()]));
        by_hand.then(by_key).then_with(|| first_member[a.index()].cmp(&first_member[b.index()]))
    });
    Ok(())
}

/// The place of each node in the order given by hand; those not named come after.
fn ranks_by_hand(
    hierarchy: &Hierarchy,
    spec: &OrderSpec,
    resolver: &Resolver<'_>,
) -> Result<Option<Vec<usize>>> {
    if spec.first.is_empty() {
        return Ok(None);
    }
    let mut ranks = vec![usize::MAX; hierarchy.len()];
    for (rank, reference) in spec.first.iter().enumerate() {
        let set = resolver
            .containers(reference)
            .map_err(|why| LensError::unfit(format!("order.first[{rank}]"), why))?;
        // A container that only holds what is seen has a place too.
        let shown = hierarchy.nodes().filter_map(|node| Some((hierarchy.container(node)?, node)));
        let named = hierarchy.members().chain(shown).filter(|(id, _)| set.contains(*id));
        for (_, node) in named {
            ranks[node.index()] = ranks[node.index()].min(rank);
        }
    }
    Ok(Some(ranks))
}

/// The first container at or below each node, which stands for its creation.
fn first_members(hierarchy: &Hierarchy) -> Vec<u32> {
    let mut first = vec![u32::MAX; hierarchy.len()];
    for (container, node) in hierarchy.members() {
        first[node.index()] = first[node.index()].min(container.0);
    }
    for node in hierarchy.nodes().rev() {
        // A node that only holds others was created where its container was.
        let own = hierarchy.container(node).map_or(u32::MAX, |id| id.0);
        first[node.index()] = first[node.index()].min(own);
        let parent = hierarchy.parent(node).index();
        first[parent] = first[parent].min(first[node.index()]);
    }
    first
}

/// The number that orders nodes, of each node and all below it.
fn metric(scope: &Scope<'_>, key: &OrderKey, resolver: &Resolver<'_>) -> Result<Option<Vec<i128>>> {
    let hierarchy = scope.hierarchy();
    let mut column = vec![0i128; hierarchy.len()];
    match key {
        OrderKey::Creation | OrderKey::Name => return Ok(None),
        OrderKey::End => {
            latest_ends(scope, &mut column);
            return Ok(Some(column));
        }
        OrderKey::Messages => count_messages(scope, &mut column)?,
        OrderKey::Time(values) => add_time(scope, values, resolver, &mut column)?,
    }
    hierarchy.sum_up(&mut column);
    Ok(Some(column))
}

fn latest_ends(scope: &Scope<'_>, column: &mut [i128]) {
    let hierarchy = scope.hierarchy();
    column.fill(i128::MIN);
    for (container, node) in hierarchy.members() {
        let end = i128::from(scope.catalog().containers.ends[container.index()]);
        column[node.index()] = column[node.index()].max(end);
    }
    for node in hierarchy.nodes().rev() {
        let parent = hierarchy.parent(node).index();
        column[parent] = column[parent].max(column[node.index()]);
    }
}

fn count_messages(scope: &Scope<'_>, column: &mut [i128]) -> Result<()> {
    let hierarchy = scope.hierarchy();
    let count = |container: Option<ContainerId>, column: &mut [i128]| {
        if let Some(node) = container.and_then(|id| hierarchy.node_of(id)) {
            column[node.index()] += 1;
        }
    };
    for (lane, _) in scope.link_lanes() {
        scope.visit_links(lane, |_, link| {
            count(link.source, column);
            count(link.destination, column);
        })?;
    }
    Ok(())
}

fn add_time(
    scope: &Scope<'_>,
    patterns: &[String],
    resolver: &Resolver<'_>,
    column: &mut [i128],
) -> Result<()> {
    let mut counts = vec![false; scope.catalog().values.len()];
    for (index, pattern) in patterns.iter().enumerate() {
        let found = resolver.values(pattern);
        let found =
            found.map_err(|why| LensError::unfit(format!("order.by.time[{index}]"), why))?;
        found.into_iter().for_each(|value| counts[value.index()] = true);
    }
    for (track, _, node) in scope.tracks(Nature::State) {
        for (value, ticks) in scope.store().state_time(track, scope.window(), Measure::Exclusive)? {
            if counts[value.index()] {
                column[node.index()] += i128::from(ticks);
            }
        }
    }
    Ok(())
}
