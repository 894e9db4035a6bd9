//! The base: who stands where.

use onca_answer::topology::{NodeRole, Platform, TopologyAnswer};
use onca_layout::graph::Spot;
use onca_model::format::count_of;
use onca_scene::{BaseEdge, BaseKind, BaseNode, Cable, Pick, Point, Solid, Title};

use super::{Base, CableScale, Maker, cells};
use crate::graph::Edges;
use crate::topology::NetworkPlaces;
use crate::topology::ground::{CableLook, Ground, hosts_of, loads_of_joints, role, words};
use crate::{Result, ViewError, color};

/// The widest edge, of the half width of a node; the thinnest, of the widest.
const WIDEST_EDGE: f64 = 0.45;
const THINNEST_EDGE: f64 = 0.12;
/// What stands upright hides less of what is behind it when it is slim, of the room that there is.
const SLIM: f64 = 0.7;
/// What runs on a machine leaves so much of its half width free.
const HOST_MARGIN: f64 = 0.82;
/// Containers without a machine stand in a strip of this width along the front.
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
            let (spots, radius) = maker.standing.laid_out(layout.method(), layout.seed);
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
        _ => NetworkPlaces::Layout(options.layout.method(), options.layout.seed),
    };
    let ground = Ground::new(network, places)?;
    let placement = platform.placement(maker.scope.catalog())?;
    let hosts = hosts_of(maker.scope, standing, &placement);
    let n_homeless = hosts.iter().filter(|host| host.is_none()).count();
    let room = if n_homeless > 0 { Room::ABOVE_STRIP } else { Room::ALL };
    // The nodes of the network come after the standing ones.
    let first = standing.nodes.len() as u32;
    let placed = on_hosts(&hosts, &ground, room, first);
    put_standing(maker, placed, solid);
    let answer = platform.traffic(maker.scope, options.network.routing.routing())?;
    let look = CableLook::new(&answer, options.network.cables, maker.stage.theme);
    let mut n_on = vec![0usize; network.nodes().len()];
    hosts.iter().flatten().for_each(|&host| n_on[host] += 1);
    let colors = maker.stage.theme.colors();
    for (at, (node, spot)) in network.nodes().iter().zip(&ground.spots).enumerate() {
        let spot = room.place(*spot);
        let load = answer.links.iter().find(|link| link.joint.is_none() && link.ends.0 == at);
        let (kind, share, fill) = match (node.role, load) {
            (NodeRole::Wire, Some(link)) => (BaseKind::Wire, 0.5, look.color(&answer, link)),
            (NodeRole::Wire, None) => (BaseKind::Wire, 0.5, colors.axis),
            (NodeRole::Host, _) => (BaseKind::Host, 1.0, colors.grid),
            (NodeRole::Switch, _) if n_on[at] > 0 => (BaseKind::Host, 1.0, colors.grid),
            (NodeRole::Switch, _) => (BaseKind::Switch, 0.5, colors.axis),
        };
        let title = match load {
            Some(link) => words(&answer, link),
            None => {
                let site = node.site.as_ref().map(|site| format!("\n{site}")).unwrap_or_default();
                let n = count_of(n_on[at] as u64, "container");
                format!("{} ({}){site}\n{n}", node.name, role(node.role))
            }
        };
        solid.nodes.push(BaseNode {
            kind,
            at: Point::new(spot.x, spot.y),
            radius: ground.radius * room.scale() * share,
            name: node.name.clone(),
            rank: first + at as u32,
            node: None,
            on: None,
            fill,
            title: solid.titles.add(title),
            pick: Pick::NOTHING,
        });
    }
    put_cables(maker, platform, &answer, &look, ground.radius * room.scale(), solid);
    if n_homeless > 0 {
        let n = count_of(n_homeless as u64, "container");
        maker.notes.push(format!("{n} on no known machine, at the front"));
    }
    for (n, what) in [
        (answer.totals.without_place, "between containers without a machine"),
        (answer.totals.without_route, "between machines that nothing joins"),
    ] {
        if n > 0 {
            maker.notes.push(format!("{} {what}", count_of(n, "message")));
        }
    }
    Ok(CableScale { title: look.title(), stops: look.stops() })
}

/// The part of the base that a network has.
#[derive(Clone, Copy)]
struct Room {
    front: f64,
}

impl Room {
    const ALL: Self = Self { front: -1.0 };
    const ABOVE_STRIP: Self = Self { front: -1.0 + STRIP };

    fn scale(self) -> f64 {
        (1.0 - self.front) / 2.0
    }

    fn place(self, spot: Spot) -> Spot {
        Spot::new(spot.x * self.scale(), 1.0 - (1.0 - spot.y) * self.scale())
    }
}

/// Places for what runs on machines: in a square on each; those without one in a row at the front.
fn on_hosts(
    hosts: &[Option<usize>],
    ground: &Ground,
    room: Room,
    first: u32,
) -> Vec<(Spot, f64, Option<u32>)> {
    let mut n_on = vec![0usize; ground.spots.len()];
    hosts.iter().flatten().for_each(|&host| n_on[host] += 1);
    let n_homeless = hosts.iter().filter(|host| host.is_none()).count();
    let mut next = vec![0usize; ground.spots.len()];
    let mut next_homeless = 0;
    let place = |host: &Option<usize>| match *host {
        Some(host) => {
            let side = (n_on[host] as f64).sqrt().ceil().max(1.0);
            let (column, row) = ((next[host] as f64 % side), (next[host] as f64 / side).floor());
            next[host] += 1;
            let n_rows = (n_on[host] as f64 / side).ceil();
            let whole = ground.radius * room.scale() * HOST_MARGIN;
            let step = 2.0 * whole / side;
            let middle = room.place(ground.spots[host]);
            let x = middle.x + (column - (side - 1.0) / 2.0) * step;
            let y = middle.y - (row - (n_rows - 1.0) / 2.0) * step;
            // One alone would hide its machine.
            let share = if side == 1.0 { 0.7 } else { 0.42 * 2.0 };
            (Spot::new(x, y), step / 2.0 * share, Some(first + host as u32))
        }
        None => {
            // As few rows as make the places no smaller than the strip is high.
            let n_rows = (1..).find(|rows| {
                let step = STRIP / f64::from(*rows);
                (2.0 / step).floor() * f64::from(*rows) >= n_homeless as f64
            });
            let n_rows = f64::from(n_rows.unwrap_or(1));
            let step = STRIP / n_rows;
            let per_row = (2.0 / step).floor().max(1.0);
            let (column, row) =
                (next_homeless as f64 % per_row, (next_homeless as f64 / per_row).floor());
            next_homeless += 1;
            let x = -1.0 + (column + 0.5) * step;
            let y = -1.0 + STRIP - (row + 0.5) * step;
            (Spot::new(x, y), 0.4 * step, None)
        }
    };
    hosts.iter().map(place).collect()
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
    let load_of = loads_of_joints(&platform.network, answer);
    let grey = maker.stage.theme.colors().axis;
    for (joint, load) in platform.network.joints().iter().zip(load_of) {
        let ends = (first + joint.a as u32, first + joint.b as u32);
        let usual = Cable {
            ends,
            width: 0.08 * radius,
            color: grey,
            count: 0,
            bytes: 0,
            bandwidth: None,
            latency: None,
            load: None,
            title: Title::NONE,
        };
        solid.cables.push(match load {
            None => usual,
            Some(link) => Cable {
                width: look.width(link) * WIDEST_EDGE * radius,
                color: look.color(answer, link),
                count: link.messages,
                bytes: link.bytes,
                bandwidth: link.capacity.bandwidth,
                latency: link.capacity.latency,
                load: answer.load(link),
                title: solid.titles.add(words(answer, link)),
                ..usual
            },
        });
    }
}

/// What the nodes send each other.
fn put_edges(maker: &mut Maker<'_>, solid: &mut Solid) {
    let standing = maker.standing;
    let edges = Edges::new(maker.scope, standing);
    maker.notes.extend(edges.note());
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
