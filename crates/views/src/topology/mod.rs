//! A network, what runs on it, and what crosses its links.
//!
//! Machines are pies of the states of the containers that run on them, switches are dots. The width
//! of a link is its bandwidth, its colour the share of it that was used, of the largest that occurs,
//! or its latency. Links that carry nothing are faint; those far slower than the rest stand out.

pub(crate) mod ground;

use std::collections::BTreeMap;

use onca_answer::topology::{
    NodeRole, Passage, Placement, Platform, Routing, TopologyAnswer, message_name, message_named,
};
use onca_answer::{Cut, Level, Measure, state_times};
use onca_layout::graph::Spot;
use onca_layout::text::Font;
use onca_model::format::count_of;
use onca_model::{Nature, ValueId, Window};
use onca_query::{Appearance, NodeId, Scope};
use onca_scene::{
    Arrow, Bounds, Figure, Label, Layer, Line, Lines, Pick, Point, Polygons, Rect, Scene, Title,
    Titles,
};
use serde::{Deserialize, Serialize};

use crate::bands::Bands;
use crate::canvas::centred_label;
use crate::graph::Disc;
use crate::graph::nodes::{NameClass, Named, arc, names_beside};
use crate::legend::Swatch;
use crate::options::{LayoutOptions, NetworkOptions, ViewOptions};
use crate::registry::{Material, Needs, Tab, View};
use crate::sheet::{Sheet, TICK_SIZE};
use crate::solid::{add_scale, route_note};
use crate::time_scale::duration;
use crate::{Canvas, Drawn, Paper, Result, Theme, ViewError, color};
use ground::{CableLook, Ground, faint, role, shown_joints, words};

pub use ground::{CableColor, NetworkPlaces};

/// A network with what runs on it and what crosses its links
///
/// Machines are pies of the states of what runs on them. A link is as wide as its bandwidth, and its
/// colour is the share of it that was used. Sites and clusters are circles around what they hold.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[cfg_attr(
    feature = "clap",
    command(after_long_help = "\
Examples:
  onca render topology run.paje --topology net.dot -o net.svg
  onca render topology simulated.trace --colors latency --layout radial -o net.pdf")
)]
pub struct TopologyOptions {
    /// How the nodes get their places; by default they have the positions that the network says.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub layout: LayoutOptions,

    /// What is shown of a network.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub network: NetworkOptions,
}

impl ViewOptions for TopologyOptions {}

/// A network with what runs on it.
pub struct Topology;

impl View for Topology {
    type Options = TopologyOptions;
    const NAME: &str = "topology";
    const TITLE: &str = "Network";
    const TAB: Tab = Tab::Space;
    const NEEDS: Needs = Needs::Network;

    fn scene(material: &Material<'_>, canvas: &Canvas, options: &TopologyOptions) -> Result<Drawn> {
        scene(material.scope, material.appearance, material.network()?, canvas, options)
    }

    fn figure(material: &Material<'_>, paper: &Paper, options: &TopologyOptions) -> Result<Figure> {
        figure(material.scope, material.appearance, material.network()?, paper, options)
    }
}

/// The widest link, of the half width of a node, and in pixels.
const WIDEST: f64 = 0.6;
const MOST_WIDTH: f64 = 9.0;
/// What is around a link that is far slower than the rest, in pixels.
const HALO: f64 = 2.0;
/// How wide a route is, and how long a leg of it is that shows its direction, in pixels.
const ROUTE_WIDTH: f64 = 3.5;
const LEAST_LEG: f64 = 14.0;
/// What the head of a leg takes around its end, in pixels.
const HEAD_ROOM: f64 = 9.0;
/// Links that are nodes are not drawn as such when they are smaller than this, in pixels.
const LEAST_MARK: f64 = 2.5;
/// Where the number of a link can be along it, the best first.
const NUMBER_PLACES: [f64; 7] = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8];
/// Around the network, for names.
const MARGIN: f64 = 14.0;
/// How high a figure is, of its width, and the most.
const FORM: f64 = 0.75;
const MOST_HEIGHT: f64 = 800.0;

/// The network alone, in pixels.
pub fn scene(
    scope: &Scope<'_>,
    appearance: &Appearance,
    platform: &Platform,
    canvas: &Canvas,
    options: &TopologyOptions,
) -> Result<Drawn> {
    Picture::new(scope, appearance, platform, canvas.theme, options)?.draw(canvas)
}

/// The network on a page.
pub fn figure(
    scope: &Scope<'_>,
    appearance: &Appearance,
    platform: &Platform,
    paper: &Paper,
    options: &TopologyOptions,
) -> Result<Figure> {
    let picture = Picture::new(scope, appearance, platform, paper.theme, options)?;
    let title = format!("Network: {}", picture.look.title());
    let mut entries = picture.bands.legend(picture.whole, paper.theme);
    let mut swatches = vec![Swatch::Box; entries.len()];
    let scale = picture.look.scale(&picture.answer);
    add_scale(&scale, paper.theme, &mut entries, &mut swatches);
    let wanted = (paper.width * FORM).min(MOST_HEIGHT);
    let around = Sheet::height_around(paper, &title, &entries);
    let mut sheet = Sheet::new(paper, &title, around + wanted);
    sheet.reserve_caption();
    sheet.legend_with(&entries, |at| swatches[at]);
    let frame = sheet.room;
    let drawn = picture.draw(&Canvas::in_frame(&frame, paper))?;
    drawn.notes.iter().for_each(|note| sheet.note(note.clone()));
    let network = &platform.network;
    let n = (network.nodes().len(), picture.answer.links.len());
    let description = format!("{title}. {} nodes and {} links", n.0, n.1);
    Ok(sheet.finish(description, vec![drawn.panel("topology", frame)]))
}

/// How the plane of a network becomes pixels: it is not stretched where circles are drawn.
struct Fit {
    center: Point,
    middle: Spot,
    across: f64,
    scale: f64,
}

impl Fit {
    fn new(ground: &Ground, canvas: &Canvas) -> Self {
        let field = canvas.bounds().inset(MARGIN);
        let center = field.center();
        if ground.areas.is_empty() {
            let scale = field.width().min(field.height()) / 2.0;
            let across = (field.width() / 2.0).min(scale * 1.35);
            return Self { center, middle: Spot::default(), across, scale };
        }
        let nodes = ground.spots.iter().map(|spot| (*spot, ground.round));
        let areas = ground.areas.iter().map(|area| (area.circle.centre, area.circle.radius));
        let rims: Vec<(Spot, f64)> = nodes.chain(areas).collect();
        let extent = |of: fn(&Spot) -> f64| {
            let low = rims.iter().map(|(spot, radius)| of(spot) - radius);
            let high = rims.iter().map(|(spot, radius)| of(spot) + radius);
            (low.fold(f64::INFINITY, f64::min), high.fold(f64::NEG_INFINITY, f64::max))
        };
        let (x, y) = (extent(|spot| spot.x), extent(|spot| spot.y));
        let scale = (field.width() / (x.1 - x.0)).min(field.height() / (y.1 - y.0));
        let middle = Spot::new((x.0 + x.1) / 2.0, (y.0 + y.1) / 2.0);
        Self { center, middle, across: scale, scale }
    }

    fn point(&self, spot: Spot) -> Point {
        let Self { center, middle, across, scale } = self;
        Point::new(center.x + (spot.x - middle.x) * across, center.y - (spot.y - middle.y) * scale)
    }
}

/// By node of a network: how many tracks of states run there, and the time in each value.
type TimesOn = BTreeMap<usize, (i128, BTreeMap<ValueId, i128>)>;

/// What is known of a network and its use.
struct Picture<'a> {
    scope: &'a Scope<'a>,
    platform: &'a Platform,
    answer: TopologyAnswer,
    ground: Ground,
    look: CableLook,
    bands: Bands,
    /// The time of all states of all containers together.
    whole: i128,
    times: TimesOn,
    /// By node of the network: how many containers.
    n_on: Vec<usize>,
    /// The way of the message that is asked for, and what is said about it.
    route: Option<(Passage, String)>,
}

impl<'a> Picture<'a> {
    fn new(
        scope: &'a Scope<'a>,
        appearance: &Appearance,
        platform: &'a Platform,
        theme: Theme,
        options: &TopologyOptions,
    ) -> Result<Self> {
        let Window { from, to } = scope.window();
        if from >= to {
            return Err(ViewError::Nothing("no time passes in the window".to_owned()));
        }
        let network = &platform.network;
        let LayoutOptions { layout, seed } = options.layout;
        let places = match (layout, network.has_positions()) {
            (None, true) => NetworkPlaces::Positions,
            _ => NetworkPlaces::Layout(options.layout.of_network(), seed),
        };
        let ground = Ground::new(network, places)?;
        let answer = platform.traffic(scope, options.network.routing.routing())?;
        let look = CableLook::new(&answer, options.network.cables, theme);
        let placement = platform.placement(scope.catalog())?;
        let times = times_on(scope, &placement)?;
        let mut all: BTreeMap<ValueId, i128> = BTreeMap::new();
        for (_, own) in times.values() {
            own.iter().for_each(|(value, ticks)| *all.entry(*value).or_default() += ticks);
        }
        let length = i128::from(to) - i128::from(from);
        let whole = times.values().map(|(n_tracks, _)| n_tracks * length).sum();
        let bands = Bands::new(scope, appearance, theme, all.into_iter().collect());
        let mut n_on = vec![0; network.nodes().len()];
        for (container, _) in scope.hierarchy().members() {
            // A machine itself does not run on itself.
            let is_host = |node: usize| {
                let name = scope.catalog().containers.names.get(container.index());
                network.nodes()[node].name.as_bytes() == name
            };
            if let Some(node) = placement.of(container).filter(|node| !is_host(*node)) {
                n_on[node] += 1;
            }
        }
        let name = options.network.route.as_deref();
        let routing = options.network.routing.routing();
        let route = name.map(|name| route_of(scope, platform, routing, name)).transpose()?;
        Ok(Self { scope, platform, answer, ground, look, bands, whole, times, n_on, route })
    }

    fn draw(&self, canvas: &Canvas) -> Result<Drawn> {
        let fit = Fit::new(&self.ground, canvas);
        let nodes = self.platform.network.nodes();
        let disc = |at: usize| {
            let share = match (nodes[at].role, self.n_on[at]) {
                (NodeRole::Host, _) => 1.0,
                (NodeRole::Switch, 0) => 0.5,
                (NodeRole::Switch, _) => 1.0,
                (NodeRole::Wire, _) => self.ground.wire_share(at),
            };
            Disc {
                center: fit.point(self.ground.spots[at]),
                radius: (self.ground.round * fit.scale * share).max(1.0),
            }
        };
        let discs: Vec<Disc> = (0..nodes.len()).map(disc).collect();
        let mut titles = Titles::default();
        let areas = self.areas(&fit, canvas, &mut titles);
        let lines = self.cables(&discs, &fit, canvas, &mut titles);
        let route = self.route_arrows(&discs, canvas, &mut titles);
        let polygons = self.nodes(&discs, canvas, &mut titles);
        let (mut pills, mut labels) = self.numbers(&discs, canvas);
        // Names do not lie on what shows the direction.
        let heads = route.iter().filter(|arrow| arrow.head).map(|arrow| {
            let (x, y) = (arrow.to.x, arrow.to.y);
            Bounds::new(x - HEAD_ROOM, y - HEAD_ROOM, x + HEAD_ROOM, y + HEAD_ROOM)
        });
        let taken = pills.iter().map(|pill| pill.bounds).chain(heads).collect();
        let (name_pills, names) = names_beside(self.named(&discs, &fit), &discs, canvas, taken);
        pills.extend(name_pills);
        labels.extend(names);
        let layers = vec![
            Layer::Polygons(areas),
            Layer::Lines(lines),
            Layer::Arrows(route),
            Layer::Polygons(polygons),
            Layer::Rects(pills),
            Layer::Labels(labels),
        ];
        Ok(Drawn { notes: self.notes(), ..Drawn::plain(Scene { layers, titles }, canvas.bounds()) })
    }

    /// What can be named: groups, the outermost first; switches, those that join the most first; and
    /// machines, those on which the most runs first.
    fn named(&self, discs: &[Disc], fit: &Fit) -> Vec<Named<'_>> {
        let mut named = Vec::new();
        for (rank, area) in self.ground.areas.iter().enumerate() {
            let center = fit.point(area.circle.centre);
            named.push(Named {
                name: &area.name,
                class: if area.depth == 0 { NameClass::Site } else { NameClass::Group },
                rank: rank as u32,
                disc: Disc { center, radius: area.circle.radius * fit.scale },
                pick: Pick::NOTHING,
            });
        }
        let network = &self.platform.network;
        let on_route = self.passed();
        let mut degrees = vec![0u32; network.nodes().len()];
        for joint in network.joints() {
            degrees[joint.a] += 1;
            degrees[joint.b] += 1;
        }
        for (at, node) in network.nodes().iter().enumerate() {
            let (class, weight) = match node.role {
                _ if on_route.contains(&at) => (NameClass::Route, 0),
                NodeRole::Switch => (NameClass::Switch, degrees[at]),
                NodeRole::Host => (NameClass::Machine, self.n_on[at] as u32),
                NodeRole::Wire => continue,
            };
            named.push(Named {
                name: &node.name,
                class,
                rank: u32::MAX - weight,
                disc: discs[at],
                pick: Pick::NOTHING,
            });
        }
        named
    }

    /// The nodes of the route that is drawn.
    fn passed(&self) -> &[usize] {
        self.route.as_ref().map_or(&[], |(passage, _)| passage.nodes())
    }

    /// The way of a message, from rim to rim of its nodes.
    fn route_arrows(&self, discs: &[Disc], canvas: &Canvas, titles: &mut Titles) -> Vec<Arrow> {
        let Some((_, text)) = &self.route else { return Vec::new() };
        let colors = canvas.theme.colors();
        let title = if canvas.titles { titles.add(text.clone()) } else { Title::NONE };
        let (mut below, mut above) = (Vec::new(), Vec::new());
        for pair in self.passed().windows(2) {
            let (a, b) = (discs[pair[0]], discs[pair[1]]);
            let (x, y) = (b.center.x - a.center.x, b.center.y - a.center.y);
            let length = x.hypot(y);
            if length < 1e-9 {
                continue;
            }
            let along = |share: f64| Point::new(a.center.x + share * x, a.center.y + share * y);
            let has_head = length > a.radius + b.radius + LEAST_LEG;
            let end = if has_head { 1.0 - b.radius / length } else { 1.0 };
            let arrow = Arrow {
                from: along(0.0),
                to: along(end),
                color: colors.accent,
                width: ROUTE_WIDTH,
                head: has_head,
                dot: false,
                title,
                pick: Pick::NOTHING,
            };
            let rim = Arrow {
                color: colors.background,
                width: ROUTE_WIDTH + 2.0 * HALO,
                head: false,
                title: Title::NONE,
                ..arrow
            };
            below.push(rim);
            above.push(arrow);
        }
        below.extend(above);
        below
    }

    /// Circles around the nodes of a group.
    fn areas(&self, fit: &Fit, canvas: &Canvas, titles: &mut Titles) -> Polygons {
        let mut polygons = Polygons::default();
        let colors = canvas.theme.colors();
        for area in &self.ground.areas {
            let center = fit.point(area.circle.centre);
            let disc = Disc { center, radius: area.circle.radius * fit.scale };
            let share = (0.06 * (area.depth + 1) as f64).min(0.2);
            let outline = arc(&disc, 0.0, 1.0, false);
            let circle = polygons.add(outline, color::mix(colors.field, colors.axis, share));
            circle.edge = color::mix(colors.grid, colors.axis, 0.4);
            if canvas.titles {
                let n = count_of(area.nodes.len() as u64, "node");
                circle.title = titles.add(format!("{}\n{n}", area.name));
            }
        }
        polygons
    }

    fn cables(&self, discs: &[Disc], fit: &Fit, canvas: &Canvas, titles: &mut Titles) -> Lines {
        let mut lines = Lines::default();
        let mut joints = shown_joints(&self.platform.network, &self.answer);
        let widest = (WIDEST * self.ground.round * fit.scale).clamp(1.5, MOST_WIDTH);
        // What carries much is above what carries little.
        joints.sort_by_key(|(_, load)| {
            load.map(|link| (self.look.is_slow(link), link.bytes, link.messages))
        });
        for (joint, load) in joints {
            let mut add = |color, width, title: Option<String>| {
                let first = lines.points.len();
                lines.points.extend([discs[joint.a].center, discs[joint.b].center]);
                lines.lines.push(Line {
                    points: first..first + 2,
                    color,
                    width,
                    dashed: false,
                    title: title.map_or(Title::NONE, |text| titles.add(text)),
                    pick: Pick::NOTHING,
                });
            };
            let Some(link) = load else {
                add(faint(canvas.theme), 0.8, None);
                continue;
            };
            let width = (self.look.width(link) * widest).max(0.8);
            if self.look.is_slow(link) {
                add(self.look.slow_color(), width + 2.0 * HALO, None);
            }
            let title = canvas.titles.then(|| words(&self.answer, link));
            add(self.look.color(&self.answer, link), width, title);
        }
        lines
    }

    /// Numbers on the few links that matter.
    fn numbers(&self, discs: &[Disc], canvas: &Canvas) -> (Vec<Rect>, Vec<Label>) {
        let colors = canvas.theme.colors();
        let (mut pills, mut labels): (Vec<Rect>, Vec<Label>) = (Vec::new(), Vec::new());
        for (link, text) in self.look.numbers(&self.answer) {
            let link = &self.answer.links[link];
            let (a, b) = (discs[link.ends.0].center, discs[link.ends.1].center);
            let half = Font::Regular.width(&text, TICK_SIZE) / 2.0 + 2.0;
            let inside = canvas.bounds();
            let at = |share: f64| {
                let (x, y) = (a.x + share * (b.x - a.x), a.y + share * (b.y - a.y));
                let x = x.clamp(inside.x0 + half, (inside.x1 - half).max(inside.x0 + half));
                Bounds::new(x - half, y - 7.0, x + half, y + 7.0)
            };
            let is_free = |bounds: &Bounds| !pills.iter().any(|pill| pill.bounds.overlaps(bounds));
            let is_clear = |bounds: &Bounds| !discs.iter().any(|disc| disc.overlaps(bounds));
            // Beside the middle rather than on a machine there; on a machine rather than nowhere.
            let places = NUMBER_PLACES.map(at);
            let clear = places.iter().find(|bounds| is_free(bounds) && is_clear(bounds));
            let Some(&bounds) = clear.or(places.iter().find(|bounds| is_free(bounds))) else {
                continue;
            };
            let is_slow = self.look.is_slow(link);
            let edge = if is_slow { self.look.slow_color() } else { onca_scene::CLEAR };
            let pill = Rect::plain(bounds, color::faded(colors.background, 0.85));
            pills.push(Rect { edge, ..pill });
            labels.push(centred_label(bounds.center(), text, TICK_SIZE, colors.text));
        }
        (pills, labels)
    }

    fn nodes(&self, discs: &[Disc], canvas: &Canvas, titles: &mut Titles) -> Polygons {
        let mut polygons = Polygons::default();
        let colors = canvas.theme.colors();
        let unit = &self.scope.catalog().facts.unit;
        let Window { from, to } = self.scope.window();
        let length = i128::from(to) - i128::from(from);
        let wires: BTreeMap<usize, _> = (self.answer.links.iter())
            .filter(|link| link.joint.is_none())
            .map(|link| (link.ends.0, link))
            .collect();
        for (at, (node, disc)) in self.platform.network.nodes().iter().zip(discs).enumerate() {
            let wire = wires.get(&at);
            let fill = match (wire, node.role) {
                (Some(link), _) => self.look.color(&self.answer, link),
                (None, NodeRole::Host) => colors.field,
                (None, _) => color::mix(colors.axis, colors.grid, 0.4),
            };
            let text = match wire {
                Some(link) => words(&self.answer, link),
                None => {
                    let n = count_of(self.n_on[at] as u64, "container");
                    format!("{} ({})\n{n}", node.name, role(node.role))
                }
            };
            // Marks on the way are there to be pointed at; where they are tiny they only darken it.
            if node.role == NodeRole::Wire && disc.radius < LEAST_MARK {
                continue;
            }
            let whole = polygons.add(arc(disc, 0.0, 1.0, false), fill);
            whole.edge = match node.role {
                NodeRole::Wire => color::mix(colors.grid, colors.axis, 0.6),
                _ => colors.axis,
            };
            if canvas.titles {
                whole.title = titles.add(text);
            }
            let Some((n_tracks, times)) = self.times.get(&at) else { continue };
            let mut sums = vec![0i128; self.bands.list.len()];
            for (value, ticks) in times {
                if let Some(band) = self.bands.of(*value) {
                    sums[band] += ticks;
                }
            }
            let mut before = 0.0;
            for (band, ticks) in self.bands.list.iter().zip(sums).filter(|(_, ticks)| *ticks > 0) {
                let share = ticks as f64 / (n_tracks * length) as f64;
                let outline = arc(disc, before, before + share, share < 0.9999);
                let slice = polygons.add(outline, band.color);
                if canvas.titles {
                    let time = duration(ticks as f64, unit);
                    let share = onca_model::format::percent(share);
                    slice.title =
                        titles.add(format!("{}\n{}  {share}, {time}", node.name, band.name));
                }
                before += share;
            }
            let ring = polygons.add(arc(disc, 0.0, 1.0, false), onca_scene::CLEAR);
            ring.edge = color::mix(colors.axis, colors.text, 0.3);
        }
        polygons
    }

    /// What the picture does not show.
    fn notes(&self) -> Vec<String> {
        let totals = &self.answer.totals;
        let homeless = self.answer.without_place.len() as u64;
        let counted = [
            (homeless, "container", "on no known machine"),
            (totals.without_place, "message", "of these"),
            (totals.without_route, "message", "between machines that nothing joins"),
        ];
        let counted = counted.into_iter().filter(|(n, ..)| *n > 0);
        let counted = counted.map(|(n, noun, what)| format!("{} {what}", count_of(n, noun)));
        counted.chain(self.route.iter().map(|(_, text)| text.clone())).collect()
    }
}

/// The way of a message, and what is said about it.
fn route_of(
    scope: &Scope<'_>,
    platform: &Platform,
    routing: Routing,
    name: &str,
) -> Result<(Passage, String)> {
    let found = message_named(scope, name)?;
    let ends = (found.link.container, found.link.destination);
    let passage = platform.passage(scope.catalog(), routing, ends.0, ends.1)?;
    let way = passage.words(&platform.network);
    let text = route_note(&message_name(scope.catalog(), &found.link), found.n_alike, &way);
    Ok((passage, text))
}

/// The time in each value of all containers on each node of a network, and how many tracks.
fn times_on(scope: &Scope<'_>, placement: &Placement) -> Result<TimesOn> {
    let cut = Cut::new(scope, &Level::Own)?;
    let times = state_times(scope, &cut, scope.window(), Measure::Exclusive)?;
    // A node of the hierarchy is where the first of its containers with states is.
    let mut host_of: BTreeMap<NodeId, usize> = BTreeMap::new();
    let mut found = TimesOn::new();
    for (_, track, node) in scope.tracks(Nature::State) {
        if let Some(host) = placement.of(track.container) {
            let host = *host_of.entry(node).or_insert(host);
            found.entry(host).or_default().0 += 1;
        }
    }
    for row in &times.rows {
        if let Some(host) = host_of.get(&cut.nodes()[row.place]) {
            let own = &mut found.entry(*host).or_default().1;
            *own.entry(row.value).or_default() += row.ticks;
        }
    }
    Ok(found)
}
