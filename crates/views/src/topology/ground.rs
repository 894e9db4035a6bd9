//! Where the nodes of a network are, and what runs on them.

use std::collections::{BTreeMap, BTreeSet};

use onca_answer::topology::{Joint, LinkLoad, Network, NodeRole, Placement, TopologyAnswer};
use onca_layout::graph::{Circle, Graph, Nesting, Spot, half_gap, place_nested};
use onca_model::Color;
use onca_query::Scope;
use serde::{Deserialize, Serialize};

use crate::graph::{laid_out, standing::Standing};
use crate::options::LayoutName;
use crate::quantity::{Quantity, Scale, brief};
use crate::solid::CableScale;
use crate::{Result, Ruler, Theme, ViewError, color};

/// How the nodes of a network get their places.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NetworkPlaces {
    /// By who is joined to whom, and by groups.
    Layout(LayoutName, u64),
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
    /// Half the width of a node: squares of it do not overlap.
    pub radius: f64,
    /// The radius of a round node: circles of it do not overlap.
    pub round: f64,
    /// The groups that hold some of the nodes, those around others first.
    pub areas: Vec<Area>,
    /// By node: does it lie between others, as a mark?
    marks: Vec<bool>,
}

/// A group of nodes of a network.
pub(crate) struct Area {
    pub name: String,
    pub circle: Circle,
    /// How many groups are around it.
    pub depth: usize,
    /// Its nodes, those of groups inside it too.
    pub nodes: Vec<usize>,
}

/// Nodes are at most this wide, of the whole.
const WIDEST: f64 = 0.12;
/// A square inside a circle, and a circle that leaves a rim free.
const SQUARE_IN_CIRCLE: f64 = 0.68;
const ROUND_IN_CIRCLE: f64 = 0.92;
/// A link that is a node and lies between two others is this small.
const MARK: f64 = 0.3;

impl Ground {
    /// Places the nodes of a network.
    pub fn new(network: &Network, places: NetworkPlaces) -> Result<Self> {
        let nodes = network.nodes();
        let joints = network.joints().iter().map(|joint| (joint.a, joint.b));
        let graph = Graph::new(nodes.len(), joints);
        let is_wire = |node: usize| nodes[node].role == NodeRole::Wire;
        let joins_machine = |node: usize| {
            graph.degree(node) <= 2
                || graph.neighbours(node).iter().any(|&other| !is_wire(other as usize))
        };
        let marks = (0..nodes.len()).map(|node| is_wire(node) && joins_machine(node)).collect();
        let (spots, radius) = match places {
            NetworkPlaces::Layout(name, seed) => match name.method() {
                Some(method) => laid_out(&graph, method, seed),
                None => return Ok(Self::by_groups(network, &graph, seed, marks)),
            },
            NetworkPlaces::Positions => positions(network, &graph)?,
        };
        Ok(Self { spots, radius, round: radius, areas: Vec::new(), marks })
    }

    fn by_groups(network: &Network, graph: &Graph, seed: u64, marks: Vec<bool>) -> Self {
        let nodes = network.nodes();
        let mut numbers: BTreeMap<&[String], usize> = BTreeMap::new();
        let mut nesting = Nesting {
            between: nodes.iter().map(|node| node.role == NodeRole::Wire).collect(),
            ..Nesting::default()
        };
        let mut paths: Vec<&[String]> = Vec::new();
        for node in nodes {
            let mut inside = None;
            for depth in 1..=node.groups.len() {
                let path = &node.groups[..depth];
                let number = *numbers.entry(path).or_insert_with(|| {
                    nesting.parents.push(inside);
                    paths.push(path);
                    paths.len() - 1
                });
                inside = Some(number);
            }
            nesting.group_of.push(inside);
        }
        let placed = place_nested(graph, &nesting, seed);
        let mut members = vec![Vec::new(); paths.len()];
        for (node, group) in nesting.group_of.iter().enumerate() {
            let mut at = *group;
            while let Some(group) = at {
                members[group].push(node);
                at = nesting.parents[group];
            }
        }
        let areas = paths.iter().zip(members).zip(placed.circles);
        let areas = areas.filter(|((_, nodes), circle)| {
            // What holds everything tells nothing.
            circle.radius > 0.0 && nodes.len() < network.nodes().len()
        });
        let mut areas: Vec<Area> = areas
            .map(|((path, nodes), circle)| Area {
                name: path.last().cloned().unwrap_or_default(),
                circle,
                depth: path.len() - 1,
                nodes,
            })
            .collect();
        areas.sort_by_key(|area| area.depth);
        Self {
            spots: placed.spots,
            radius: placed.radius * SQUARE_IN_CIRCLE,
            round: placed.radius * ROUND_IN_CIRCLE,
            areas,
            marks,
        }
    }

    /// How large a link is that is a node, of a usual node.
    pub fn wire_share(&self, node: usize) -> f64 {
        if self.marks[node] { MARK } else { 0.5 }
    }

    /// The smallest group that holds some nodes.
    pub fn area_around(&self, nodes: &[usize]) -> Option<usize> {
        let holds = |area: &Area| nodes.iter().all(|node| area.nodes.contains(node));
        (0..self.areas.len()).rev().find(|&area| holds(&self.areas[area]))
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

/// Where a standing node is on a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Footing {
    /// On a node of the network.
    Node(usize),
    /// On a group of nodes.
    Area(usize),
    /// In the middle of several nodes that no group holds.
    Between,
    /// Nowhere.
    None,
}

/// For each standing node where it is, and the nodes of the network that it runs on.
pub(crate) fn footings(
    scope: &Scope<'_>,
    standing: &Standing,
    placement: &Placement,
    ground: &Ground,
) -> Vec<(Footing, Vec<usize>)> {
    let mut hosts: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); standing.nodes.len()];
    for (container, node) in scope.hierarchy().members() {
        if let (Some(place), Some(host)) = (standing.place(node), placement.of(container)) {
            hosts[place].insert(host);
        }
    }
    let footing = |hosts: BTreeSet<usize>| {
        let hosts: Vec<usize> = hosts.into_iter().collect();
        let footing = match hosts.as_slice() {
            [] => Footing::None,
            [host] => Footing::Node(*host),
            several => ground.area_around(several).map_or(Footing::Between, Footing::Area),
        };
        (footing, hosts)
    };
    hosts.into_iter().map(footing).collect()
}

/// How network links are coloured and how wide they are.
pub(crate) struct CableLook {
    shows: Shows,
    theme: Theme,
    /// The largest bandwidth.
    widest: f64,
    /// From which amount to which the colours go.
    scale: Scale,
    /// Links below this bandwidth are far slower than the rest.
    slow: f64,
    /// Some bandwidths that occur, the largest first.
    bandwidths: Vec<f64>,
}

/// What the colour of a link shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shows {
    Load,
    /// Where no bandwidth is known.
    Bytes,
    /// Where messages have no sizes either.
    Messages,
    Latency,
}

/// A link is far slower than the rest if it has less than this share of the usual bandwidth...
const SLOW: f64 = 0.1;
/// ... and if at most this share of all links are.
const FEW: f64 = 0.1;
/// Below the share of the scale of which this is the inverse, colours fade.
const FADING: f64 = 4.0;
/// A number says nothing about a link with less than this share of the most load.
const NUMBERED_FROM: f64 = 0.25;
/// Of the links with the most load, this many have numbers.
const NUMBERED: usize = 3;
/// Of the slow links, this many have numbers.
const NUMBERED_SLOW: usize = 5;
/// The thinnest link, of the widest.
const THINNEST: f64 = 0.12;

impl CableLook {
    pub fn new(answer: &TopologyAnswer, what: CableColor, theme: Theme) -> Self {
        let of = |get: &dyn Fn(&LinkLoad) -> Option<f64>| -> Vec<f64> {
            let mut found: Vec<f64> = answer.links.iter().filter_map(get).collect();
            found.retain(|amount| *amount > 0.0);
            found.sort_by(f64::total_cmp);
            found
        };
        let bandwidths = of(&|link| link.capacity.bandwidth);
        let n_bytes = of(&|link| Some(link.bytes as f64)).len();
        let n_messages = of(&|link| Some(link.messages as f64)).len();
        let shows = match what {
            CableColor::Latency => Shows::Latency,
            CableColor::Load if !of(&|link| answer.load(link)).is_empty() => Shows::Load,
            CableColor::Load if n_bytes > 0 && bandwidths.is_empty() => Shows::Bytes,
            CableColor::Load if n_bytes == 0 && n_messages > 0 => Shows::Messages,
            CableColor::Load => Shows::Load,
        };
        let amounts = of(&|link| shows.amount(answer, link));
        let (least, most) = (amounts.first().copied(), amounts.last().copied());
        let (least, most) = (least.unwrap_or(0.0), most.unwrap_or(0.0));
        let ruler = match shows {
            Shows::Latency => Ruler::fitting(least, most),
            _ => Ruler::Linear,
        };
        let from = if ruler == Ruler::Log { least } else { 0.0 };
        let usual = bandwidths.get(bandwidths.len() / 2).copied().unwrap_or(0.0);
        let n_slow = bandwidths.iter().filter(|one| **one < SLOW * usual).count();
        let is_few = n_slow as f64 <= (FEW * bandwidths.len() as f64).max(1.0);
        let shown = [bandwidths.len().saturating_sub(1), bandwidths.len() / 2, 0];
        let mut shown: Vec<f64> =
            shown.iter().filter_map(|at| bandwidths.get(*at).copied()).collect();
        shown.dedup();
        Self {
            shows,
            theme,
            widest: bandwidths.last().copied().unwrap_or(0.0),
            scale: Scale { ruler, from, to: most },
            slow: if is_few { SLOW * usual } else { 0.0 },
            bandwidths: shown,
        }
    }

    /// The colour of a link; one that carries nothing is faint.
    pub fn color(&self, answer: &TopologyAnswer, link: &LinkLoad) -> Color {
        match self.shows.amount(answer, link) {
            Some(amount) if amount > 0.0 && self.scale.to > 0.0 => {
                self.shade(self.scale.share(amount))
            }
            _ => faint(self.theme),
        }
    }

    /// The colour of a share of the scale. What carries little fades to what carries nothing.
    fn shade(&self, share: f64) -> Color {
        let fading = if self.shows == Shows::Latency { 1.0 } else { (FADING * share).min(1.0) };
        color::mix(faint(self.theme), color::quantity(share, self.theme), fading)
    }

    /// How wide a link is, from 0 to 1, by its bandwidth.
    pub fn width(&self, link: &LinkLoad) -> f64 {
        match link.capacity.bandwidth {
            Some(bandwidth) => self.width_of(bandwidth),
            None => 0.3,
        }
    }

    fn width_of(&self, bandwidth: f64) -> f64 {
        if self.widest > 0.0 { (bandwidth / self.widest).sqrt().max(THINNEST) } else { 0.3 }
    }

    /// Is a link far slower than the rest?
    pub fn is_slow(&self, link: &LinkLoad) -> bool {
        link.capacity.bandwidth.is_some_and(|bandwidth| bandwidth < self.slow)
    }

    /// The colour around links that are far slower than the rest.
    pub fn slow_color(&self) -> Color {
        match self.theme {
            Theme::Light => Color::rgb(204, 32, 32),
            Theme::Dark => Color::rgb(255, 106, 96),
        }
    }

    /// Numbers for the few links that matter: those far slower than the rest, with their bandwidth,
    /// and those with the most load.
    pub fn numbers(&self, answer: &TopologyAnswer) -> Vec<(usize, String)> {
        let links = &answer.links;
        let mut slow: Vec<usize> =
            (0..links.len()).filter(|&at| self.is_slow(&links[at])).collect();
        let bandwidth = |at: &usize| links[*at].capacity.bandwidth.unwrap_or(0.0);
        slow.sort_by(|a, b| bandwidth(a).total_cmp(&bandwidth(b)));
        slow.truncate(NUMBERED_SLOW);
        let mut found: Vec<(usize, String)> =
            slow.into_iter().map(|at| (at, bit_rate(bandwidth(&at)))).collect();
        let amount = |at: usize| self.shows.amount(answer, &links[at]).unwrap_or(0.0);
        let least = NUMBERED_FROM * self.scale.to;
        let matters = |&at: &usize| amount(at) > 0.0 && amount(at) >= least;
        let mut most: Vec<usize> = (0..links.len()).filter(matters).collect();
        most.sort_by(|a, b| amount(*b).total_cmp(&amount(*a)));
        // Where all are alike, no link matters more than another.
        let is_uneven = most.len() > NUMBERED
            && amount(most[NUMBERED - 1]) > 1.2 * amount(most[most.len() / 2]);
        if self.shows != Shows::Latency && (is_uneven || most.len() <= NUMBERED) {
            for at in most.into_iter().take(NUMBERED) {
                let text = self.shows.text(amount(at));
                match found.iter_mut().find(|(slow, _)| *slow == at) {
                    Some((_, words)) => *words += &format!(", {text}"),
                    None => found.push((at, text)),
                }
            }
        }
        found
    }

    /// What the colours show.
    pub fn title(&self) -> &'static str {
        match self.shows {
            Shows::Load => "share of bandwidth",
            Shows::Bytes => "bytes",
            Shows::Messages => "messages",
            Shows::Latency => "latency",
        }
    }

    /// What the colours and widths of links mean.
    pub fn scale(&self, answer: &TopologyAnswer) -> CableScale {
        let shares = [0.0, 0.25, 0.5, 0.75, 1.0];
        let text = |share: f64| self.shows.text(self.scale.at(share));
        let mut stops: Vec<(Color, String)> = Vec::new();
        if self.scale.to > 0.0 {
            stops = shares.map(|share| (self.shade(share), text(share))).to_vec();
        }
        let is_slow = |link: &LinkLoad| self.is_slow(link);
        let slow = answer.links.iter().any(is_slow).then(|| self.slow_color());
        let width = |bandwidth: &f64| (self.width_of(*bandwidth), bit_rate(*bandwidth));
        let widths = self.bandwidths.iter().map(width).collect();
        CableScale { title: self.title(), stops, widths, slow }
    }
}

impl Shows {
    fn amount(self, answer: &TopologyAnswer, link: &LinkLoad) -> Option<f64> {
        match self {
            Self::Load => answer.load(link),
            Self::Bytes => Some(link.bytes as f64),
            Self::Messages => Some(link.messages as f64),
            Self::Latency => link.capacity.latency,
        }
    }

    fn text(self, amount: f64) -> String {
        match self {
            Self::Load => format!("{} %", brief(amount * 100.0)),
            Self::Bytes => Quantity::Bytes.text(amount),
            Self::Messages => Quantity::Count.text(amount),
            Self::Latency => seconds(amount),
        }
    }
}

/// The colour of links that carry nothing.
pub(crate) fn faint(theme: Theme) -> Color {
    let colors = theme.colors();
    color::mix(colors.grid, colors.axis, 0.12)
}

/// A bandwidth as networks are named by: bits per second.
pub(crate) fn bit_rate(bytes_per_second: f64) -> String {
    const UNITS: [&str; 5] = ["bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"];
    let bits = 8.0 * bytes_per_second;
    let step = ((bits.max(1.0).log10() + 1e-9) / 3.0).floor().min(4.0) as usize;
    format!("{} {}", brief(bits / 1000f64.powi(step as i32)), UNITS[step])
}

/// For each joint of a network what its colour and width show: the link that it is, or that it leads
/// to. Between two links that are nodes it is the one with less load. Joints that only say which link
/// follows which on some way are not shown: both links join other nodes already.
pub(crate) fn shown_joints<'n, 'a>(
    network: &'n Network,
    answer: &'a TopologyAnswer,
) -> Vec<(&'n Joint, Option<&'a LinkLoad>)> {
    let mut loads = loads_of_joints(network, answer);
    let wires: BTreeMap<usize, &LinkLoad> = (answer.links.iter())
        .filter(|link| link.joint.is_none())
        .map(|link| (link.ends.0, link))
        .collect();
    let is_wire = |node: usize| network.nodes()[node].role == NodeRole::Wire;
    let mut n_joined = vec![0usize; network.nodes().len()];
    for joint in network.joints() {
        n_joined[joint.a] += usize::from(!is_wire(joint.b));
        n_joined[joint.b] += usize::from(!is_wire(joint.a));
    }
    let mut shown = Vec::with_capacity(loads.len());
    for (joint, load) in network.joints().iter().zip(&mut loads) {
        let ends = [joint.a, joint.b];
        if ends.iter().all(|&end| is_wire(end) && n_joined[end] >= 2) {
            continue;
        }
        let ends = ends.into_iter().filter_map(|end| wires.get(&end).copied());
        let load = load.or_else(|| ends.min_by_key(|link| (link.bytes, link.messages)));
        shown.push((joint, load));
    }
    shown
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
