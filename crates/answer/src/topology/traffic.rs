//! How much crosses each link of a network.

use std::collections::{BTreeMap, BTreeSet};

use onca_model::{ContainerId, Nature, TimeUnit, Window};
use onca_query::Scope;
use rayon::prelude::*;

use super::from_trace::describes_network;
use super::network::{Capacity, Network, NodeRole};
use super::placement::Placement;
use super::routes::{Route, RouteFile, Routing, Ways};
use crate::messages::{Pair, pairs_between};
use crate::times::chunk_of;
use crate::{AnswerError, Result};

/// What crossed a link of a network in the window.
#[derive(Clone, PartialEq, Debug)]
pub struct LinkLoad {
    /// What it is called: its own name, or the names of the nodes that it joins.
    pub name: String,
    /// The nodes that it joins; of a link that is a node, that node twice.
    pub ends: (usize, usize),
    /// Its joint; nothing for a link that is a node.
    pub joint: Option<usize>,
    /// What it can do.
    pub capacity: Capacity,
    /// How many messages crossed it.
    pub messages: u64,
    /// How many bytes.
    pub bytes: u64,
}

/// What went from one site to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SiteTraffic {
    /// Where it comes from.
    pub from: String,
    /// Where it goes to.
    pub to: String,
    /// How many messages.
    pub messages: u64,
    /// How many bytes.
    pub bytes: u64,
}

/// What became of the messages of the window.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Totals {
    /// Messages that went over links of the network.
    pub routed: u64,
    /// Messages that stayed on their machine.
    pub local: u64,
    /// Messages of which an end runs on no known machine.
    pub without_place: u64,
    /// Messages between machines that nothing joins.
    pub without_route: u64,
    /// The bytes of those that were routed.
    pub bytes: u64,
}

/// The load of a network.
#[derive(Clone, PartialEq, Debug)]
pub struct TopologyAnswer {
    /// All links, in the order of the network: joints first, then links that are nodes.
    pub links: Vec<LinkLoad>,
    /// How many messages went over this many links; those within a machine over 0.
    pub hops: Vec<u64>,
    /// What went between sites, the most bytes first; nothing where the network has no sites.
    pub sites: Vec<SiteTraffic>,
    /// What became of all messages.
    pub totals: Totals,
    /// Containers that take part and run on no known machine.
    pub without_place: Vec<ContainerId>,
    /// Machines on which no container runs, by number.
    pub empty_hosts: Vec<usize>,
    /// How long the window is, in seconds, if the unit of time is one of seconds.
    pub seconds: Option<f64>,
    /// Did the lens make it necessary to look at every link?
    pub scanned: bool,
}

impl TopologyAnswer {
    /// The share of what a link can carry in the window that it carried, if that is known.
    pub fn load(&self, link: &LinkLoad) -> Option<f64> {
        let possible = link.capacity.bandwidth? * self.seconds?;
        (possible > 0.0).then(|| link.bytes as f64 / possible)
    }
}

/// Sends all messages of the window over a network.
pub fn topology(
    scope: &Scope<'_>,
    network: &Network,
    placement: &Placement,
    routing: Routing,
    given: Option<&RouteFile>,
) -> Result<TopologyAnswer> {
    let catalog = scope.catalog();
    let is_message = |type_id| !describes_network(catalog, type_id);
    // What has no place counts at one more place than there are nodes.
    let nowhere = network.nodes().len();
    let place = |id| {
        scope.hierarchy().node_of(id)?;
        Some(placement.of(id).unwrap_or(nowhere))
    };
    let (pairs, scanned) = pairs_between(scope, is_message, place)?;
    let ways = Ways::new(network, routing, given).map_err(AnswerError::Question)?;
    let sums = routed(&ways, network, &pairs);
    let taking_part = containers_that_take_part(scope)?;
    let hosts: BTreeSet<usize> =
        taking_part.iter().filter_map(|container| placement.of(*container)).collect();
    let is_empty_host =
        |&node: &usize| network.nodes()[node].role == NodeRole::Host && !hosts.contains(&node);
    let Window { from, to } = scope.window();
    let per_second = ticks_per_second(&catalog.facts.unit);
    Ok(TopologyAnswer {
        links: links(network, &sums),
        hops: sums.hops.clone(),
        sites: sites(network, &pairs),
        totals: sums.totals,
        without_place: taking_part
            .iter()
            .copied()
            .filter(|container| placement.of(*container).is_none())
            .collect(),
        empty_hosts: (0..network.nodes().len()).filter(is_empty_host).collect(),
        seconds: per_second.map(|ticks| (to as f64 - from as f64) / ticks),
        scanned,
    })
}

/// How many ticks a second has, where the unit of the trace is one of seconds.
fn ticks_per_second(unit: &TimeUnit) -> Option<f64> {
    let per_second = match unit.name.as_str() {
        "s" => 1.0,
        "ms" => 1e3,
        "us" | "µs" => 1e6,
        "ns" => 1e9,
        _ => return None,
    };
    Some(unit.ticks_per_unit as f64 * per_second)
}

/// Sums while messages are routed.
#[derive(Clone, Default)]
struct Sums {
    /// Messages and bytes of each joint.
    joints: Vec<(u64, u64)>,
    /// The same of each node.
    nodes: Vec<(u64, u64)>,
    hops: Vec<u64>,
    totals: Totals,
}

impl Sums {
    fn new(network: &Network) -> Self {
        Self {
            joints: vec![(0, 0); network.joints().len()],
            nodes: vec![(0, 0); network.nodes().len()],
            ..Self::default()
        }
    }

    fn add(&mut self, network: &Network, pair: &Pair, route: &Route) {
        let (count, bytes) = (pair.totals.count, pair.totals.size);
        let mut n_hops = 0;
        let add = |sum: &mut (u64, u64)| {
            *sum = (sum.0 + count, sum.1.saturating_add(bytes));
        };
        for &joint in route.joints.iter().filter(|joint| network.joints()[**joint].is_link) {
            add(&mut self.joints[joint]);
            n_hops += 1;
        }
        let is_wire = |node: &&usize| network.nodes()[**node].role == NodeRole::Wire;
        for &node in route.nodes.iter().filter(is_wire) {
            add(&mut self.nodes[node]);
            n_hops += 1;
        }
        self.add_hops(n_hops, count);
        self.totals.routed += count;
        self.totals.bytes = self.totals.bytes.saturating_add(bytes);
    }

    fn add_hops(&mut self, n_hops: usize, count: u64) {
        if self.hops.len() <= n_hops {
            self.hops.resize(n_hops + 1, 0);
        }
        self.hops[n_hops] += count;
    }

    fn merge(mut self, other: Self) -> Self {
        let add = |sum: &mut (u64, u64), other: (u64, u64)| {
            *sum = (sum.0 + other.0, sum.1.saturating_add(other.1));
        };
        self.joints.iter_mut().zip(other.joints).for_each(|(sum, other)| add(sum, other));
        self.nodes.iter_mut().zip(other.nodes).for_each(|(sum, other)| add(sum, other));
        other.hops.iter().enumerate().for_each(|(hops, count)| self.add_hops(hops, *count));
        let (own, other) = (&mut self.totals, other.totals);
        own.routed += other.routed;
        own.local += other.local;
        own.without_place += other.without_place;
        own.without_route += other.without_route;
        own.bytes = own.bytes.saturating_add(other.bytes);
        self
    }
}

/// Routes all pairs; those to one node at a time, for one search finds the ways of all of them.
fn routed(ways: &Ways<'_>, network: &Network, pairs: &[Pair]) -> Sums {
    let mut by_end: Vec<&Pair> = pairs.iter().collect();
    by_end.sort_by_key(|pair| (pair.to, pair.from));
    let groups: Vec<&[&Pair]> = by_end.chunk_by(|a, b| a.to == b.to).collect();
    let parts: Vec<Sums> = groups
        .par_chunks(chunk_of(groups.len()))
        .map(|groups| {
            let mut sums = Sums::new(network);
            groups.iter().for_each(|pairs| route_to_one(ways, network, pairs, &mut sums));
            sums
        })
        .collect();
    parts.into_iter().fold(Sums::new(network), Sums::merge)
}

fn route_to_one(ways: &Ways<'_>, network: &Network, pairs: &[&Pair], sums: &mut Sums) {
    let n_nodes = network.nodes().len();
    let Some(to) = pairs.first().map(|pair| pair.to) else { return };
    let costs = (to < n_nodes).then(|| ways.costs_to(to));
    for pair in pairs {
        let count = pair.totals.count;
        let Some(costs) = costs.as_ref().filter(|_| pair.from < n_nodes) else {
            sums.totals.without_place += count;
            continue;
        };
        if pair.from == pair.to {
            sums.totals.local += count;
            sums.add_hops(0, count);
            continue;
        }
        match ways.route(pair.from, pair.to, costs) {
            Some(route) => sums.add(network, pair, &route),
            None => sums.totals.without_route += count,
        }
    }
}

fn links(network: &Network, sums: &Sums) -> Vec<LinkLoad> {
    let nodes = network.nodes();
    let between = if network.directed { "->" } else { "--" };
    let joints = network.joints().iter().enumerate().filter(|(_, joint)| joint.is_link);
    let of_joint = joints.map(|(number, joint)| LinkLoad {
        name: format!("{} {between} {}", nodes[joint.a].name, nodes[joint.b].name),
        ends: (joint.a, joint.b),
        joint: Some(number),
        capacity: joint.capacity,
        messages: sums.joints[number].0,
        bytes: sums.joints[number].1,
    });
    let wires = nodes.iter().enumerate().filter(|(_, node)| node.role == NodeRole::Wire);
    let of_node = wires.map(|(number, node)| LinkLoad {
        name: node.name.clone(),
        ends: (number, number),
        joint: None,
        capacity: node.capacity,
        messages: sums.nodes[number].0,
        bytes: sums.nodes[number].1,
    });
    of_joint.chain(of_node).collect()
}

fn sites(network: &Network, pairs: &[Pair]) -> Vec<SiteTraffic> {
    let mut between: BTreeMap<(&str, &str), (u64, u64)> = BTreeMap::new();
    let site = |node: usize| network.nodes().get(node).and_then(|node| node.site.as_deref());
    for pair in pairs {
        if let (Some(from), Some(to)) = (site(pair.from), site(pair.to)) {
            let sum = between.entry((from, to)).or_default();
            *sum = (sum.0 + pair.totals.count, sum.1.saturating_add(pair.totals.size));
        }
    }
    let traffic = |((from, to), (messages, bytes)): ((&str, &str), (u64, u64))| SiteTraffic {
        from: from.to_owned(),
        to: to.to_owned(),
        messages,
        bytes,
    };
    let mut sites: Vec<SiteTraffic> = between.into_iter().map(traffic).collect();
    sites.sort_by_key(|one| std::cmp::Reverse((one.bytes, one.messages)));
    sites
}

/// The seen containers that have states or send and receive messages.
fn containers_that_take_part(scope: &Scope<'_>) -> Result<Vec<ContainerId>> {
    let catalog = scope.catalog();
    let with_states = scope.tracks(Nature::State).map(|(_, track, _)| track.container);
    let mut found: BTreeSet<ContainerId> = with_states.collect();
    let own_place = |id: ContainerId| scope.hierarchy().node_of(id).map(|_| id.index());
    let (pairs, _) = pairs_between(scope, |id| !describes_network(catalog, id), own_place)?;
    for pair in pairs {
        found.extend([ContainerId(pair.from as u32), ContainerId(pair.to as u32)]);
    }
    Ok(found.into_iter().collect())
}
