//! Links as arrows through time.

use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::TAU;

use onca_answer::bundles::{LinkKind, LinkKinds};
use onca_answer::entities;
use onca_answer::topology::{Platform, describes_network};
use onca_model::format::grouped;
use onca_model::{ContainerId, LaneId, Ticks, TypeId};
use onca_query::NodeId;
use onca_scene::{BaseKind, BaseNode, Pick, Point, Solid, TimeArrow, Title};

use super::{Maker, routes};
use crate::{Result, color};

/// More links than this are not looked at one by one; the edges on the base count them all.
const MOST_LINKS: u64 = 4_000_000;
/// Links of a bundle begin and end in the same of this many parts of the window, or of fewer.
const MOST_BINS: f64 = 64.0;
/// The half width of a post, of those of the nodes that it stands for.
const POST: f64 = 0.4;
/// How far from the middle of a group a post may stand, in half widths.
const MOST_RINGS: u32 = 60;
/// The widest arrow, in pixels.
const MOST_WIDTH: f64 = 6.0;

/// Links of one kind between two nodes.
#[derive(Clone, Copy)]
struct Bundle {
    ends: (NodeId, NodeId),
    kind: LinkKind,
    count: u64,
    /// The sums of the times.
    starts: f64,
    ends_sum: f64,
    /// The first of them.
    lane: LaneId,
    row: u64,
}

impl Bundle {
    fn times(&self) -> (f64, f64) {
        (self.starts / self.count as f64, self.ends_sum / self.count as f64)
    }
}

/// Puts arrows; where they are bundles and a network lies on the base, they go along its routes.
pub(super) fn put(
    maker: &mut Maker<'_>,
    network: Option<&Platform>,
    solid: &mut Solid,
) -> Result<()> {
    let most = maker.options.arrows as usize;
    if most == 0 {
        return Ok(());
    }
    let lanes = lanes(maker);
    let n_rows: u64 = lanes.iter().map(|(lane, _)| entities::n_rows(maker.scope, *lane)).sum();
    if n_rows > MOST_LINKS {
        let n = grouped(n_rows);
        maker.notes.push(format!("{n} links are too many for arrows; edges count them all"));
        return Ok(());
    }
    let Gathered { links, from_to } = gathered(maker, &lanes, network.is_some())?;
    let n_links = links.len();
    let (bundles, deepest) = bundled(maker, links, most);
    let is_standing = |node: NodeId| {
        let place = maker.standing.place(node);
        place.is_some_and(|place| maker.standing.nodes[place] == node)
    };
    let stays = bundles.iter().all(|one| is_standing(one.ends.0) && is_standing(one.ends.1));
    let vias = match network {
        Some(platform) if bundles.len() < n_links => {
            routes::passed_by_all(maker, platform, from_to, deepest)?
        }
        _ => BTreeMap::new(),
    };
    if bundles.len() < n_links {
        let (n, shown) = (grouped(n_links as u64), grouped(bundles.len() as u64));
        let as_bundles = if stays { "" } else { ", between groups at posts with their names" };
        let has_way = vias.values().any(|places| !places.is_empty());
        let along = if has_way { ", along the routes of the network" } else { "" };
        maker.notes.push(format!("{n} links as {shown} arrows{as_bundles}{along}"));
    }
    let mut posts = BTreeMap::new();
    for bundle in &bundles {
        let from = place_of(maker, bundle.ends.0, &mut posts, solid);
        let to = place_of(maker, bundle.ends.1, &mut posts, solid);
        let (start, end) = bundle.times();
        let first = solid.vias.len() as u32;
        solid.vias.extend(vias.get(&bundle.ends).into_iter().flatten());
        let color = match bundle.kind {
            LinkKind::Value(value) => maker.appearance.of_value(value).color,
            LinkKind::Type(type_id) => maker.appearance.of_type(type_id).color,
        };
        solid.arrows.push(TimeArrow {
            ends: (from, to),
            times: (maker.z(start), maker.z(end)),
            via: (first, solid.vias.len() as u32),
            width: (1.0 + (bundle.count as f64).log2() * 0.4).min(MOST_WIDTH),
            color: color::legible(color, maker.stage.theme.colors().background),
            count: bundle.count,
            pick: Pick::entity(bundle.lane.0, bundle.row),
        });
    }
    Ok(())
}

/// The lanes of links that are messages.
fn lanes(maker: &Maker<'_>) -> Vec<(LaneId, TypeId)> {
    let catalog = maker.scope.catalog();
    maker.scope.link_lanes().filter(|(_, id)| !describes_network(catalog, *id)).collect()
}

/// Links one by one.
struct Gathered {
    /// Each as a bundle of one.
    links: Vec<Bundle>,
    /// Who sends to whom, each pair of containers once, with the nodes that stand for them.
    from_to: BTreeSet<FromTo>,
}

/// Two containers, and the nodes that stand for them.
pub(super) type FromTo = ((NodeId, NodeId), (ContainerId, ContainerId));

/// All links between different standing nodes.
fn gathered(
    maker: &mut Maker<'_>,
    lanes: &[(LaneId, TypeId)],
    wants_pairs: bool,
) -> Result<Gathered> {
    let (scope, standing) = (maker.scope, maker.standing);
    let kinds = LinkKinds::new(scope);
    let standing_node = |end: Option<ContainerId>| {
        let place = standing.place(scope.hierarchy().node_of(end?)?)?;
        Some(standing.nodes[place])
    };
    let (mut links, mut n_inside, mut n_halves) = (Vec::new(), 0u64, 0u64);
    let mut from_to = BTreeSet::new();
    for &(lane, type_id) in lanes {
        scope.visit_links(lane, |row, link| {
            if link.source.is_none() || link.destination.is_none() {
                n_halves += 1;
                return;
            }
            let ends = (standing_node(link.source), standing_node(link.destination));
            let (Some(from), Some(to)) = ends else { return };
            if from == to {
                n_inside += 1;
                return;
            }
            if let (true, Some(source), Some(destination)) =
                (wants_pairs, link.source, link.destination)
            {
                from_to.insert(((from, to), (source, destination)));
            }
            let kind = kinds.of(type_id, link.value);
            let as_number = |time: Ticks| time as f64;
            links.push(Bundle {
                ends: (from, to),
                kind,
                count: 1,
                starts: as_number(link.start),
                ends_sum: as_number(link.end),
                lane,
                row,
            });
        })?;
    }
    for (n, what) in [(n_inside, "stay inside a node"), (n_halves, "have one end only")] {
        if n > 0 {
            maker.notes.push(format!("{} links {what}", grouped(n)));
        }
    }
    Ok(Gathered { links, from_to })
}

/// At most `most` bundles: of links at about the same time between the same nodes, then at any time,
/// then between the groups that hold these nodes. Also the depth below which no bundle ends.
fn bundled(maker: &Maker<'_>, mut links: Vec<Bundle>, most: usize) -> (Vec<Bundle>, usize) {
    let hierarchy = maker.scope.hierarchy();
    let mut n_bins = MOST_BINS;
    let mut least_deep = usize::MAX;
    while links.len() > most {
        let bin = |time: f64| (maker.z(time) * n_bins).floor() as i64;
        let key = |one: &Bundle| {
            let (start, end) = one.times();
            (one.ends, one.kind, bin(start), bin(end))
        };
        links.sort_by_key(|one| (key(one), one.lane, one.row));
        let mut joined: Vec<Bundle> = Vec::new();
        let mut last = None;
        for one in links {
            let own = key(&one);
            match joined.last_mut() {
                Some(bundle) if last == Some(own) => {
                    bundle.count += one.count;
                    bundle.starts += one.starts;
                    bundle.ends_sum += one.ends_sum;
                }
                _ => joined.push(one),
            }
            last = Some(own);
        }
        links = joined;
        if links.len() <= most {
            break;
        }
        if n_bins > 1.0 {
            n_bins = (n_bins / 2.0).floor();
            continue;
        }
        let deepest = links.iter().flat_map(|one| [one.ends.0, one.ends.1]);
        let deepest = deepest.map(|node| hierarchy.depth(node)).max().unwrap_or(0);
        if deepest == 0 {
            break;
        }
        let up = |node: NodeId| match hierarchy.depth(node) == deepest {
            true => hierarchy.parent(node),
            false => node,
        };
        for one in &mut links {
            one.ends = (up(one.ends.0), up(one.ends.1));
        }
        least_deep = deepest - 1;
        // What stays inside a group has no arrow.
        links.retain(|one| one.ends.0 != one.ends.1);
    }
    (links, least_deep)
}

/// The place of a node on the base; of a group a post near the middle of all that stand in it, where
/// nothing else stands.
fn place_of(
    maker: &Maker<'_>,
    node: NodeId,
    posts: &mut BTreeMap<NodeId, u32>,
    solid: &mut Solid,
) -> u32 {
    let standing = maker.standing;
    if let Some(place) = standing.place(node).filter(|&place| standing.nodes[place] == node) {
        return place as u32;
    }
    if let Some(place) = posts.get(&node) {
        return *place;
    }
    let hierarchy = maker.scope.hierarchy();
    let is_below = |mut at: NodeId| {
        while at != node && at != NodeId::ROOT {
            at = hierarchy.parent(at);
        }
        at == node
    };
    let members: Vec<&BaseNode> = (standing.nodes.iter().zip(&solid.nodes))
        .filter(|(one, _)| is_below(**one))
        .map(|(_, base)| base)
        .collect();
    let n = members.len().max(1) as f64;
    let mean = |of: fn(&BaseNode) -> f64| members.iter().map(|base| of(base)).sum::<f64>() / n;
    let radius = POST * mean(|base| base.radius);
    let middle = Point::new(mean(|base| base.at.x), mean(|base| base.at.y));
    let place = solid.nodes.len() as u32;
    let title: Title = solid.titles.add(maker.scope.path(node));
    solid.nodes.push(BaseNode {
        kind: BaseKind::Middle,
        at: free_near(middle, radius, &solid.nodes),
        radius,
        name: onca_model::printable(maker.scope.name(node)).into_owned(),
        short: String::new(),
        rank: place,
        node: Some(node.0),
        on: None,
        fill: maker.stage.theme.colors().axis,
        title,
        pick: Pick::Node(node.0),
    });
    posts.insert(node, place);
    place
}

/// The place nearest to another where a post stands on nothing that stands already.
fn free_near(middle: Point, radius: f64, nodes: &[BaseNode]) -> Point {
    let is_free = |at: &Point| {
        let stands = |node: &&BaseNode| matches!(node.kind, BaseKind::Container | BaseKind::Middle);
        nodes.iter().filter(stands).all(|node| {
            let far = (node.at.x - at.x).abs().max((node.at.y - at.y).abs());
            far >= node.radius + radius
        }) && at.x.abs().max(at.y.abs()) <= 1.0 - radius
    };
    let rings = (0..MOST_RINGS).flat_map(|ring| {
        let n = (6 * ring).max(1);
        (0..n).map(move |step| {
            let angle = TAU * f64::from(step) / f64::from(n);
            let far = f64::from(ring) * radius;
            Point::new(middle.x + far * angle.cos(), middle.y + far * angle.sin())
        })
    });
    rings.into_iter().find(is_free).unwrap_or(middle)
}
