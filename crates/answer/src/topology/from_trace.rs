//! The network that a trace tells of itself.
//!
//! Traces of simulated platforms have containers for machines, routers and links, and links between
//! these that say what is joined; bandwidth and latency are variables of the links.

use std::collections::{BTreeMap, BTreeSet};

use onca_model::{Catalog, ContainerId, LaneId, Nature, TypeId, Window, display_text};
use onca_store::Store;

use super::network::{Capacity, Joint, Network, NetworkNode, NodeRole};
use crate::Result;

/// What the containers of a type are in a network, by the name of the type.
fn role_of(catalog: &Catalog, type_id: TypeId) -> Option<NodeRole> {
    let name = catalog.type_def(type_id).name.to_ascii_lowercase();
    match name.as_slice() {
        b"host" | b"machine" | b"node" => Some(NodeRole::Host),
        b"router" | b"switch" | b"netzone_router" => Some(NodeRole::Switch),
        b"link" => Some(NodeRole::Wire),
        _ => None,
    }
}

/// Do links of this type say what is joined, instead of what is sent? Both ends are parts of a
/// network, and one of them is a link or a router: what machines exchange is messages.
pub fn describes_network(catalog: &Catalog, type_id: TypeId) -> bool {
    let Some((a, b)) = catalog.type_def(type_id).ends else { return false };
    match (role_of(catalog, a), role_of(catalog, b)) {
        (Some(a), Some(b)) => a != NodeRole::Host || b != NodeRole::Host,
        _ => false,
    }
}

/// The network that the trace tells of; nothing if it has no machines that are joined.
pub fn network_of_trace(store: &Store) -> Result<Option<Network>> {
    let joined = joined_containers(store)?;
    if joined.is_empty() {
        return Ok(None);
    }
    let catalog = store.catalog();
    let ends: BTreeSet<ContainerId> = joined.iter().flat_map(|(a, b)| [*a, *b]).collect();
    let names = names_of(catalog, &ends);
    let place: BTreeMap<ContainerId, usize> =
        ends.iter().enumerate().map(|(at, id)| (*id, at)).collect();
    let mut nodes = Vec::with_capacity(ends.len());
    for (&id, name) in ends.iter().zip(names) {
        let type_id = catalog.containers.types[id.index()];
        let groups = groups_of(catalog, id);
        nodes.push(NetworkNode {
            name,
            role: role_of(catalog, type_id).unwrap_or(NodeRole::Switch),
            site: groups.first().cloned(),
            groups,
            position: None,
            capacity: capacity_of(store, id)?,
        });
    }
    let joint = |(a, b): &(ContainerId, ContainerId)| Joint {
        a: place[a],
        b: place[b],
        is_link: false,
        capacity: Capacity::default(),
    };
    let joints = joined.iter().map(joint).collect();
    Ok(Some(Network::new("the platform of the trace", false, nodes, joints)?))
}

/// The pairs of containers that the trace says are joined, each once.
fn joined_containers(store: &Store) -> Result<BTreeSet<(ContainerId, ContainerId)>> {
    let catalog = store.catalog();
    let mut joined = BTreeSet::new();
    for (number, lane) in catalog.lanes.iter().enumerate() {
        let is_link = catalog.type_def(lane.type_id).nature == Nature::Link;
        if !is_link || !describes_network(catalog, lane.type_id) {
            continue;
        }
        store.visit_links(LaneId(number as u32), Window::ALL, None, 0, |_, link| {
            if let (Some(a), Some(b)) = (link.source, link.destination)
                && a != b
            {
                joined.insert((a.min(b), a.max(b)));
            }
        })?;
    }
    Ok(joined)
}

/// The names of containers; those that several have are told apart by their number.
fn names_of(catalog: &Catalog, ids: &BTreeSet<ContainerId>) -> Vec<String> {
    let plain = |id: &ContainerId| display_text(catalog.containers.names.get(id.index()));
    let mut n_called: BTreeMap<String, usize> = BTreeMap::new();
    ids.iter().for_each(|id| *n_called.entry(plain(id).into_owned()).or_default() += 1);
    let name = |id: &ContainerId| {
        let name = plain(id).into_owned();
        if n_called[&name] > 1 { format!("{name} #{}", id.0) } else { name }
    };
    ids.iter().map(name).collect()
}

/// The containers around one, the outermost first.
fn groups_of(catalog: &Catalog, id: ContainerId) -> Vec<String> {
    let mut groups = Vec::new();
    let mut at = catalog.containers.parents[id.index()];
    while at != ContainerId::ROOT {
        groups.push(display_text(catalog.containers.names.get(at.index())).into_owned());
        at = catalog.containers.parents[at.index()];
    }
    groups.reverse();
    groups
}

/// The first values of the variables of a link.
fn capacity_of(store: &Store, id: ContainerId) -> Result<Capacity> {
    let catalog = store.catalog();
    let first = |name: &[u8]| -> Result<Option<f64>> {
        for (track, lanes) in store
            .tracks()
            .of_container(id)
            .map(onca_store::TrackId)
            .filter_map(|track| Some((store.tracks().get(track)?, store.tracks().lanes(track))))
        {
            let type_def = catalog.type_def(track.type_id);
            if type_def.nature != Nature::Variable || type_def.name != name {
                continue;
            }
            let mut found = None;
            for &lane in lanes {
                store.visit_variables(lane, Window::ALL, |_, step| {
                    found = found.or(Some(step.value).filter(|value| value.is_finite()));
                })?;
            }
            return Ok(found);
        }
        Ok(None)
    };
    Ok(Capacity { bandwidth: first(b"bandwidth")?, latency: first(b"latency")? })
}
