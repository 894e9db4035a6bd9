//! A network, what runs on it, and what crosses its links.
//!
//! Machines are pies of the states of the containers that run on them, switches are dots. The width
//! of a link is its bandwidth, its colour the share of it that was used, or its latency.

pub(crate) mod ground;

use std::collections::BTreeMap;

use onca_answer::topology::{NodeRole, Placement, Platform, TopologyAnswer};
use onca_answer::{Cut, Level, Measure, state_times};
use onca_model::format::count_of;
use onca_model::{Nature, ValueId, Window};
use onca_query::{Appearance, NodeId, Scope};
use onca_scene::{Figure, Layer, Line, Lines, Pick, Point, Polygons, Scene, Titles};
use serde::{Deserialize, Serialize};

use crate::bands::Bands;
use crate::graph::Disc;
use crate::graph::nodes::{arc, names_beside};
use crate::legend::Swatch;
use crate::options::{LayoutOptions, NetworkOptions, ViewOptions};
use crate::registry::{Material, Needs, View};
use crate::sheet::Sheet;
use crate::solid::{CableScale, add_scale};
use crate::time_scale::duration;
use crate::{Canvas, Drawn, Paper, Result, Theme, ViewError, color};
use ground::{CableLook, Ground, loads_of_joints, role, words};

pub use ground::{CableColor, NetworkPlaces};

/// A network with what runs on it and what crosses its links
///
/// Machines are pies of the states of what runs on them. A link is as wide as its bandwidth, and its
/// colour is the share of it that was used.
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
    const NEEDS: Needs = Needs::Network;

    fn scene(material: &Material<'_>, canvas: &Canvas, options: &TopologyOptions) -> Result<Drawn> {
        scene(material.scope, material.appearance, material.network()?, canvas, options)
    }

    fn figure(material: &Material<'_>, paper: &Paper, options: &TopologyOptions) -> Result<Figure> {
        figure(material.scope, material.appearance, material.network()?, paper, options)
    }
}

/// The widest link, of the half width of a node.
const WIDEST: f64 = 0.6;
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
    let scale = CableScale { title: picture.look.title(), stops: picture.look.stops() };
    add_scale(&scale, &mut entries, &mut swatches);
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
            _ => NetworkPlaces::Layout(options.layout.method(), seed),
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
        Ok(Self { scope, platform, answer, ground, look, bands, whole, times, n_on })
    }

    fn draw(&self, canvas: &Canvas) -> Result<Drawn> {
        let field = canvas.bounds().inset(MARGIN);
        let scale = field.width().min(field.height()) / 2.0;
        let across = (field.width() / 2.0).min(scale * 1.35);
        let center = field.center();
        let nodes = self.platform.network.nodes();
        let disc = |at: usize| {
            let spot = self.ground.spots[at];
            let share = match (nodes[at].role, self.n_on[at]) {
                (NodeRole::Host, _) => 1.0,
                (NodeRole::Switch, 0) => 0.5,
                (NodeRole::Switch, _) => 1.0,
                (NodeRole::Wire, _) => 0.35,
            };
            Disc {
                center: Point::new(center.x + spot.x * across, center.y - spot.y * scale),
                radius: (self.ground.radius * scale * share).max(1.0),
            }
        };
        let discs: Vec<Disc> = (0..nodes.len()).map(disc).collect();
        let mut titles = Titles::default();
        let lines = self.cables(&discs, scale, canvas, &mut titles);
        let polygons = self.nodes(&discs, canvas, &mut titles);
        let rank = |at: usize| match nodes[at].role {
            NodeRole::Switch => at as u32,
            NodeRole::Host => (nodes.len() + at) as u32,
            NodeRole::Wire => u32::MAX,
        };
        let named = (0..nodes.len()).filter(|&at| nodes[at].role != NodeRole::Wire);
        let named = named.map(|at| (nodes[at].name.as_str(), rank(at), discs[at], Pick::NOTHING));
        let (pills, labels) = names_beside(named.collect(), &discs, canvas);
        let layers = vec![
            Layer::Lines(lines),
            Layer::Polygons(polygons),
            Layer::Rects(pills),
            Layer::Labels(labels),
        ];
        Ok(Drawn { scene: Scene { layers, titles }, view: canvas.bounds(), notes: self.notes() })
    }

    fn cables(&self, discs: &[Disc], scale: f64, canvas: &Canvas, titles: &mut Titles) -> Lines {
        let mut lines = Lines::default();
        let joints = self.platform.network.joints();
        let loads = loads_of_joints(&self.platform.network, &self.answer);
        let widest = WIDEST * self.ground.radius * scale;
        for (joint, load) in joints.iter().zip(loads) {
            let first = lines.points.len();
            lines.points.extend([discs[joint.a].center, discs[joint.b].center]);
            let (color, width) = match load {
                Some(link) => {
                    (self.look.color(&self.answer, link), (self.look.width(link) * widest).max(0.8))
                }
                None => (canvas.theme.colors().axis, 0.8),
            };
            let title = load.filter(|_| canvas.titles).map(|link| words(&self.answer, link));
            lines.lines.push(Line {
                points: first..first + 2,
                color,
                width,
                dashed: false,
                title: title.map_or(onca_scene::Title::NONE, |text| titles.add(text)),
                pick: Pick::NOTHING,
            });
        }
        lines
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
            let whole = polygons.add(arc(disc, 0.0, 1.0, false), fill);
            whole.edge = colors.axis;
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
        counted.map(|(n, noun, what)| format!("{} {what}", count_of(n, noun))).collect()
    }
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
