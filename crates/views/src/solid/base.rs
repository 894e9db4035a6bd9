//! The base: who stands where.

use std::collections::BTreeMap;

use onca_answer::topology::{NodeRole, Platform, TopologyAnswer};
use onca_layout::graph::Spot;
use onca_model::format::count_of;
use onca_scene::{BaseEdge, BaseKind, BaseNode, BaseNumber, Cable, Pick, Point, Solid, Title};

use super::{Base, CableScale, Maker, cells};
use crate::graph::Edges;
use crate::topology::NetworkPlaces;
use crate::topology::ground::{
    CableLook, Footing, Ground, faint, footings, role, shown_joints, words,
};
use crate::{Result, ViewError, color};

/// The widest edge, of the half width of a node; the thinnest, of the widest.
const WIDEST_EDGE: f64 = 0.45;
const THINNEST_EDGE: f64 = 0.12;
/// What stands upright hides less of what is behind it when it is slim, of the room that there is.
const SLIM: f64 = 0.7;
/// What runs on a machine leaves so much of its half width free.
const HOST_MARGIN: f64 = 0.82;
/// What is around a link that is far slower than the rest, of the half width of a node.
const HALO: f64 = 0.25;
/// Containers without a machine stand in a strip of this width along the back.
const STRIP: f64 = 0.16;

/// Puts places, rectangles, network links and edges on the base. The standing nodes are the first
/// places, in their order.
pub(super) fn put(
    maker: &mut Maker<'_>,
    platform: Option<&Platform>,
    solid: &mut Solid,
) -> Result<Option<CableScale>> {
    let mut scale = None;
    let layout = &maker.options.layout;
    match maker.options.base {
        Base::Graph => {
            let (spots, radius) = maker.standing.laid_out(maker.scope, layout);
            let placed = spots.into_iter().map(|spot| (spot, SLIM * radius, None));
            put_standing(maker, placed.collect(), solid);
        }
        Base::Treemap => {
            let placed = cells::put(maker, solid)?;
            let placed = placed.into_iter().map(|(spot, radius)| (spot, radius, None));
            put_standing(maker, placed.collect(), solid);
        }
        Base::Topology | Base::Coords => {
            let Some(platform) = platform else {
                let why = "no network is known: name a file of it, or take another base";
                return Err(ViewError::Nothing(why.to_owned()));
            };
            scale = Some(put_network(maker, platform, solid)?);
        }
    }
    put_edges(maker, solid);
    Ok(scale)
}

/// The standing nodes as places: where, half their width, and what they stand on.
fn put_standing(maker: &Maker<'_>, placed: Vec<(Spot, f64, Option<u32>)>, solid: &mut Solid) {
    let (scope, standing) = (maker.scope, maker.standing);
    let fill = color::mix(maker.stage.theme.colors().grid, maker.stage.theme.colors().axis, 0.4);
    let ranks = standing.ranks();
    for (place, (spot, radius, on)) in placed.into_iter().enumerate() {
        let node = standing.nodes[place];
        solid.nodes.push(BaseNode {
            kind: BaseKind::Container,
            at: Point::new(spot.x, spot.y),
            radius,
            name: standing.names[place].clone(),
            short: String::new(),
            rank: ranks[place],
            node: Some(node.0),
            on,
            fill,
            title: solid.titles.add(scope.path(node)),
            pick: Pick::Node(node.0),
        });
    }
}

fn put_network(
    maker: &mut Maker<'_>,
    platform: &Platform,
    solid: &mut Solid,
) -> Result<CableScale> {
    let (options, standing) = (maker.options, maker.standing);
    let network = &platform.network;
    let places = match options.base {
        Base::Coords => NetworkPlaces::Positions,
        _ => NetworkPlaces::Layout(options.layout.of_network(), options.layout.seed),
    };
    let ground = Ground::new(network, places)?;
    let placement = platform.placement(maker.scope.catalog())?;
    let footings = footings(maker.scope, standing, &placement, &ground);
    let n_homeless = footings.iter().filter(|(footing, _)| *footing == Footing::None).count();
    let room = if n_homeless > 0 { Room::BEFORE_STRIP } else { Room::ALL };
    // The nodes of the network come after the standing ones, then its groups.
    let first = standing.nodes.len() as u32;
    let plates = Plates::new(maker, &ground, &footings, room)?;
    put_standing(maker, plates.standing(&ground, &footings, first), solid);
    let answer = platform.traffic(maker.scope, options.network.routing.routing())?;
    let look = CableLook::new(&answer, options.network.cables, maker.stage.theme);
    let colors = maker.stage.theme.colors();
    let wires: BTreeMap<usize, _> = (answer.links.iter())
        .filter(|link| link.joint.is_none())
        .map(|link| (link.ends.0, link))
        .collect();
    for (at, (node, spot)) in network.nodes().iter().zip(&ground.spots).enumerate() {
        let spot = room.place(*spot);
        let load = wires.get(&at).copied();
        let n_on = plates.n_on[at];
        let (kind, radius, fill) = match (node.role, load) {
            (NodeRole::Wire, load) => {
                let color = load.map_or(colors.axis, |link| look.color(&answer, link));
                (BaseKind::Wire, ground.wire_share(at) * plates.usual, color)
            }
            (NodeRole::Host, _) => (BaseKind::Host, plates.radii[at], colors.grid),
            (NodeRole::Switch, _) if n_on > 0 => (BaseKind::Host, plates.radii[at], colors.grid),
            (NodeRole::Switch, _) => (BaseKind::Switch, 0.5 * plates.usual, colors.axis),
        };
        let title = match load {
            Some(link) => words(&answer, link),
            None => {
                let site = node.site.as_ref().map(|site| format!("\n{site}")).unwrap_or_default();
                let n = count_of(n_on as u64, "container");
                format!("{} ({}){site}\n{n}", node.name, role(node.role))
            }
        };
        solid.nodes.push(BaseNode {
            kind,
            at: Point::new(spot.x, spot.y),
            radius,
            name: node.name.clone(),
            short: String::new(),
            rank: first + at as u32,
            node: None,
            on: None,
            fill,
            title: solid.titles.add(title),
            pick: Pick::NOTHING,
        });
    }
    for area in &ground.areas {
        let spot = room.place(area.circle.centre);
        let n = count_of(area.nodes.len() as u64, "node");
        let share = (0.06 * (area.depth + 1) as f64).min(0.2);
        solid.nodes.push(BaseNode {
            kind: BaseKind::Group,
            at: Point::new(spot.x, spot.y),
            radius: area.circle.radius * room.scale(),
            name: area.name.clone(),
            short: String::new(),
            rank: area.depth as u32,
            node: None,
            on: None,
            fill: color::mix(colors.field, colors.axis, share),
            title: solid.titles.add(format!("{}\n{n}", area.name)),
            pick: Pick::NOTHING,
        });
    }
    put_cables(maker, platform, &answer, &look, plates.usual, solid);
    for (link, text) in look.numbers(&answer) {
        let link = &answer.links[link];
        let edge = if look.is_slow(link) { look.slow_color() } else { onca_scene::CLEAR };
        let ends = (first + link.ends.0 as u32, first + link.ends.1 as u32);
        solid.numbers.push(BaseNumber { ends, text, edge });
    }
    if n_homeless > 0 {
        let n = count_of(n_homeless as u64, "container");
        maker.notes.push(format!("{n} on no known machine, at the back"));
    }
    for (n, what) in [
        (answer.totals.without_place, "between containers without a machine"),
        (answer.totals.without_route, "between machines that nothing joins"),
    ] {
        if n > 0 {
            maker.notes.push(format!("{} {what}", count_of(n, "message")));
        }
    }
    Ok(look.scale(&answer))
}

/// The part of the base that a network has.
#[derive(Clone, Copy)]
struct Room {
    back: f64,
}

impl Room {
    const ALL: Self = Self { back: 1.0 };
    const BEFORE_STRIP: Self = Self { back: 1.0 - STRIP };

    fn scale(self) -> f64 {
        (1.0 + self.back) / 2.0
    }

    fn place(self, spot: Spot) -> Spot {
        Spot::new(spot.x * self.scale(), -1.0 + (1.0 + spot.y) * self.scale())
    }
}

/// What containers can stand on.
struct Plates {
    room: Room,
    /// By node of the network: half its width.
    radii: Vec<f64>,
    /// By node of the network: how many stand on it.
    n_on: Vec<usize>,
    /// Half the width of a node that is not sized by anything.
    usual: f64,
}

/// The smallest plate, of the usual one.
const SMALLEST_PLATE: f64 = 0.3;
/// What stands on a group has this share of its radius.
const GROUP_SHARE: f64 = 0.5;

impl Plates {
    fn new(
        maker: &Maker<'_>,
        ground: &Ground,
        footings: &[(Footing, Vec<usize>)],
        room: Room,
    ) -> Result<Self> {
        let usual = ground.radius * room.scale();
        let mut n_on = vec![0; ground.spots.len()];
        let mut radii = vec![usual; ground.spots.len()];
        for (footing, _) in footings {
            if let Footing::Node(host) = footing {
                n_on[*host] += 1;
            }
        }
        if let Some(by) = maker.options.sizes() {
            let mut amounts = vec![0.0; ground.spots.len()];
            for ((_, hosts), size) in footings.iter().zip(cells::sizes(maker, by)?) {
                hosts.iter().for_each(|&host| amounts[host] += size / hosts.len() as f64);
            }
            let most = amounts.iter().copied().fold(0.0, f64::max);
            if most > 0.0 {
                let share = |amount: &f64| (amount / most).sqrt().max(SMALLEST_PLATE);
                radii = amounts.iter().map(|amount| usual * share(amount)).collect();
            }
        }
        Ok(Self { room, radii, n_on, usual })
    }

    /// Places for what runs on machines and groups: in a square on each; those without one in rows at
    /// the back.
    fn standing(
        &self,
        ground: &Ground,
        footings: &[(Footing, Vec<usize>)],
        first: u32,
    ) -> Vec<(Spot, f64, Option<u32>)> {
        let n_nodes = ground.spots.len();
        // Nodes, then groups, then what has no footing.
        let slot = |footing: &Footing| match *footing {
            Footing::Node(node) => Some(node),
            Footing::Area(area) => Some(n_nodes + area),
            Footing::Between => None,
            Footing::None => Some(n_nodes + ground.areas.len()),
        };
        let n_slots = n_nodes + ground.areas.len() + 1;
        let (mut n_in, mut next) = (vec![0usize; n_slots], vec![0usize; n_slots]);
        let slots = footings.iter().filter_map(|(footing, _)| slot(footing));
        slots.for_each(|slot| n_in[slot] += 1);
        let place = |(footing, hosts): &(Footing, Vec<usize>)| {
            let Some(slot) = slot(footing) else {
                let places = hosts.iter().map(|&host| self.room.place(ground.spots[host]));
                let (x, y) = places.fold((0.0, 0.0), |(x, y), spot| (x + spot.x, y + spot.y));
                let n = hosts.len() as f64;
                return (Spot::new(x / n, y / n), SLIM * self.usual, None);
            };
            let (nth, n) = (next[slot], n_in[slot]);
            next[slot] += 1;
            let (middle, whole) = match *footing {
                Footing::Node(node) => {
                    (self.room.place(ground.spots[node]), self.radii[node] * HOST_MARGIN)
                }
                Footing::Area(area) => {
                    let circle = ground.areas[area].circle;
                    let radius = circle.radius * self.room.scale() * GROUP_SHARE;
                    (self.room.place(circle.centre), radius)
                }
                _ => return on_strip(nth, n),
            };
            let side = (n as f64).sqrt().ceil().max(1.0);
            let (column, row) = (nth as f64 % side, (nth as f64 / side).floor());
            let n_rows = (n as f64 / side).ceil();
            let step = 2.0 * whole / side;
            let x = middle.x + (column - (side - 1.0) / 2.0) * step;
            let y = middle.y - (row - (n_rows - 1.0) / 2.0) * step;
            // One alone would hide its machine.
            let share = if side == 1.0 { 0.7 } else { 0.42 * 2.0 };
            (Spot::new(x, y), step / 2.0 * share, Some(first + slot as u32))
        };
        footings.iter().map(place).collect()
    }
}

/// The place of one of several without a machine, in rows along the back.
fn on_strip(nth: usize, n: usize) -> (Spot, f64, Option<u32>) {
    // As few rows as make the places no smaller than the strip is high.
    let n_rows = (1..).find(|rows| {
        let step = STRIP / f64::from(*rows);
        (2.0 / step).floor() * f64::from(*rows) >= n as f64
    });
    let step = STRIP / f64::from(n_rows.unwrap_or(1));
    let per_row = (2.0 / step).floor().max(1.0);
    let (column, row) = (nth as f64 % per_row, (nth as f64 / per_row).floor());
    (Spot::new(-1.0 + (column + 0.5) * step, 1.0 - (row + 0.5) * step), 0.4 * step, None)
}

fn put_cables(
    maker: &Maker<'_>,
    platform: &Platform,
    answer: &TopologyAnswer,
    look: &CableLook,
    radius: f64,
    solid: &mut Solid,
) {
    let first = maker.standing.nodes.len() as u32;
    for (joint, shown) in shown_joints(&platform.network, answer) {
        let ends = (first + joint.a as u32, first + joint.b as u32);
        let plain = Cable {
            ends,
            width: 0.08 * radius,
            color: faint(maker.stage.theme),
            count: 0,
            bytes: 0,
            bandwidth: None,
            latency: None,
            load: None,
            title: Title::NONE,
        };
        let Some(link) = shown else {
            solid.cables.push(plain);
            continue;
        };
        let width = look.width(link) * WIDEST_EDGE * radius;
        if look.is_slow(link) {
            let around = Cable { width: width + HALO * radius, color: look.slow_color(), ..plain };
            solid.cables.push(around);
        }
        let color = look.color(answer, link);
        solid.cables.push(match joint.is_link {
            false => Cable { width, color, ..plain },
            true => Cable {
                width,
                color,
                count: link.messages,
                bytes: link.bytes,
                bandwidth: link.capacity.bandwidth,
                latency: link.capacity.latency,
                load: answer.load(link),
                title: solid.titles.add(words(answer, link)),
                ..plain
            },
        });
    }
}

/// What the nodes send each other.
fn put_edges(maker: &mut Maker<'_>, solid: &mut Solid) {
    let standing = maker.standing;
    let edges = Edges::new(maker.scope, standing);
    if maker.options.shows_edges() {
        let widest = edges.widest();
        maker.meanings.extend(widest.map(|amount| format!("widest line {amount}")));
        maker.notes.extend(edges.note());
    }
    for edge in &edges.list {
        let (share, (from, to)) = (edges.share(edge), edge.ends);
        let radius = solid.nodes[from].radius.min(solid.nodes[to].radius);
        solid.edges.push(BaseEdge {
            ends: (from as u32, to as u32),
            width: WIDEST_EDGE * radius * share.max(THINNEST_EDGE),
            color: color::quantity(share, maker.stage.theme),
            count: edge.totals.count,
            bytes: edge.totals.size,
            title: solid.titles.add(edges.title(standing, edge)),
            pick: edges.pick(standing, edge),
        });
    }
}
