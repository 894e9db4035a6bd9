//! Where the nodes of a network are, and what runs on them.

use onca_answer::topology::{LinkLoad, Network, NodeRole, Placement, TopologyAnswer};
use onca_layout::graph::{Graph, Method, Spot, half_gap};
use onca_model::Color;
use onca_query::{NodeId, Scope};
use serde::{Deserialize, Serialize};

use crate::graph::{laid_out, standing::Standing};
use crate::quantity::{Quantity, Scale, brief};
use crate::{Result, Ruler, Theme, ViewError, color};

/// How the nodes of a network get their places.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NetworkPlaces {
    /// By who is joined to whom.
    Layout(Method, u64),
    /// Where the network says that they are.
    Positions,
}

/// What the colour of a network link shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum CableColor {
    /// The share of its bandwidth that was used
    #[default]
    Load,
    /// Its latency
    Latency,
}

/// Where the nodes of a network are.
pub(crate) struct Ground {
    /// The places, in the square from -1 to 1.
    pub spots: Vec<Spot>,
    /// Half the width of a node.
    pub radius: f64,
}

/// Nodes are at most this wide, of the whole.
const WIDEST: f64 = 0.12;

impl Ground {
    /// Places the nodes of a network.
    pub fn new(network: &Network, places: NetworkPlaces) -> Result<Self> {
        let nodes = network.nodes();
        let joints = network.joints().iter().map(|joint| (joint.a, joint.b));
        let graph = Graph::new(nodes.len(), joints);
        let (spots, radius) = match places {
            NetworkPlaces::Layout(method, seed) => laid_out(&graph, method, seed),
            NetworkPlaces::Positions => positions(network, &graph)?,
        };
        Ok(Self { spots, radius })
    }
}

/// The positions that a network gives, in the square from -1 to 1 without being stretched. A link
/// that is a node lies between those that it joins.
fn positions(network: &Network, graph: &Graph) -> Result<(Vec<Spot>, f64)> {
    if !network.has_positions() {
        let why = format!("{}: not every node has a position (pos)", network.name);
        return Err(ViewError::Nothing(why));
    }
    let given: Vec<Option<(f64, f64)>> = network.nodes().iter().map(|node| node.position).collect();
    let between = |node: usize| {
        let others = graph.neighbours(node).iter().filter_map(|&other| given[other as usize]);
        let (n, x, y) =
            others.fold((0.0, 0.0, 0.0), |(n, sx, sy), (x, y)| (n + 1.0, sx + x, sy + y));
        if n > 0.0 { (x / n, y / n) } else { (0.0, 0.0) }
    };
    let all: Vec<(f64, f64)> =
        (0..given.len()).map(|node| given[node].unwrap_or_else(|| between(node))).collect();
    let extent = |of: fn(&(f64, f64)) -> f64| {
        let low = all.iter().map(of).fold(f64::INFINITY, f64::min);
        let high = all.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
        (low, high)
    };
    let (x, y) = (extent(|at| at.0), extent(|at| at.1));
    let longest = (x.1 - x.0).max(y.1 - y.0);
    let scale = if longest > 0.0 { 2.0 / longest } else { 0.0 };
    let middle = |(low, high): (f64, f64)| (low + high) / 2.0;
    let spot = |at: &(f64, f64)| Spot::new((at.0 - middle(x)) * scale, (at.1 - middle(y)) * scale);
    let spots: Vec<Spot> = all.iter().map(spot).collect();
    let radius = 0.8 * half_gap(&spots, WIDEST).max(1e-3);
    let inside = |at: f64| at * (1.0 - radius);
    let spots = spots.iter().map(|spot| Spot::new(inside(spot.x), inside(spot.y))).collect();
    Ok((spots, inside(radius)))
}

/// For each standing node the node of the network that it runs on.
pub(crate) fn hosts_of(
    scope: &Scope<'_>,
    standing: &Standing,
    placement: &Placement,
) -> Vec<Option<usize>> {
    let mut hosts: Vec<Option<usize>> = vec![None; standing.nodes.len()];
    let mut set = |node: NodeId, host: Option<usize>| {
        if let Some(place) = standing.place(node) {
            hosts[place] = hosts[place].or(host);
        }
    };
    // A group runs where the first of its containers does.
    for (container, node) in scope.hierarchy().members() {
        set(node, placement.of(container));
    }
    hosts
}

/// How network links are coloured and how wide they are.
pub(crate) struct CableLook {
    what: CableColor,
    theme: Theme,
    widest: f64,
    /// The scale of latencies.
    latencies: Scale,
}

impl CableLook {
    pub fn new(answer: &TopologyAnswer, what: CableColor, theme: Theme) -> Self {
        let of = |get: fn(&LinkLoad) -> Option<f64>| answer.links.iter().filter_map(get);
        let largest = |of: &mut dyn Iterator<Item = f64>| of.fold(0.0, f64::max);
        let widest = largest(&mut of(|link| link.capacity.bandwidth));
        let slowest = largest(&mut of(|link| link.capacity.latency));
        let quickest = of(|link| link.capacity.latency.filter(|latency| *latency > 0.0));
        let quickest = quickest.fold(f64::INFINITY, f64::min).min(slowest);
        let ruler = Ruler::fitting(quickest, slowest);
        let from = if ruler == Ruler::Log { quickest } else { 0.0 };
        Self { what, theme, widest, latencies: Scale { ruler, from, to: slowest } }
    }

    /// The colour of a link.
    pub fn color(&self, answer: &TopologyAnswer, link: &LinkLoad) -> Color {
        let share = match self.what {
            CableColor::Load => answer.load(link),
            CableColor::Latency => {
                link.capacity.latency.map(|latency| self.latencies.share(latency))
            }
        };
        let unknown = self.theme.colors().axis;
        share.map_or(unknown, |share| color::quantity(share, self.theme))
    }

    /// How wide a link is, from 0 to 1: by its bandwidth, so that a tenth is still to be seen.
    pub fn width(&self, link: &LinkLoad) -> f64 {
        match link.capacity.bandwidth {
            Some(bandwidth) if self.widest > 0.0 => (bandwidth / self.widest).sqrt().max(0.15),
            _ => 0.3,
        }
    }

    /// What the colours show.
    pub fn title(&self) -> &'static str {
        match self.what {
            CableColor::Load => "share of bandwidth",
            CableColor::Latency => "latency",
        }
    }

    /// Some colours from little to much, with what they mean.
    pub fn stops(&self) -> Vec<(Color, String)> {
        let shares = [0.0, 0.25, 0.5, 0.75, 1.0];
        let text = |share: f64| match self.what {
            CableColor::Load => format!("{} %", brief(share * 100.0)),
            CableColor::Latency => seconds(self.latencies.at(share)),
        };
        shares.map(|share| (color::quantity(share, self.theme), text(share))).to_vec()
    }
}

/// For each joint of a network what crossed it, if it is a link.
pub(crate) fn loads_of_joints<'a>(
    network: &Network,
    answer: &'a TopologyAnswer,
) -> Vec<Option<&'a LinkLoad>> {
    let mut loads = vec![None; network.joints().len()];
    for link in &answer.links {
        if let Some(joint) = link.joint {
            loads[joint] = Some(link);
        }
    }
    loads
}

/// What a link shows under the pointer.
pub(crate) fn words(answer: &TopologyAnswer, link: &LinkLoad) -> String {
    let mut text = link.name.clone();
    if let Some(bandwidth) = link.capacity.bandwidth {
        text += &format!("\nbandwidth {}/s", Quantity::Bytes.text(bandwidth));
    }
    if let Some(latency) = link.capacity.latency {
        text += &format!("\nlatency {}", seconds(latency));
    }
    let messages = onca_model::format::count_of(link.messages, "message");
    text += &format!("\n{messages}, {}", Quantity::Bytes.text(link.bytes as f64));
    if let Some(load) = answer.load(link) {
        text += &format!("\n{} of its bandwidth", onca_model::format::percent(load));
    }
    text
}

/// A time in seconds, in a unit in which it has few digits.
pub(crate) fn seconds(time: f64) -> String {
    let unit = onca_model::TimeUnit::default();
    Quantity::Time(unit.clone()).text(time * unit.ticks_per_unit as f64)
}

/// What kind of node it is, in words.
pub(crate) fn role(role: NodeRole) -> &'static str {
    match role {
        NodeRole::Host => "machine",
        NodeRole::Switch => "switch",
        NodeRole::Wire => "network link",
    }
}
