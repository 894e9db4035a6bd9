//! Nodes as pies of the time in each state, with names.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use onca_answer::Level;
use onca_layout::text::Font;
use onca_query::{Appearance, NodeId, Scope};
use onca_scene::{Bounds, Label, Layer, Pick, Point, Polygons, Rect, Titles};

use super::standing::Standing;
use crate::bands::Bands;
use crate::canvas::centred_label;
use crate::legend::Entry;
use crate::shares::{Mix, Shares};
use crate::sheet::TICK_SIZE;
use crate::{Canvas, Result, Theme, ViewError, color};

/// At most this many names, if they do not touch.
const MOST_NAMES: usize = 200;
/// A name is at most this long, in pixels.
const LONGEST_NAME: f64 = 110.0;

/// A round place of a node.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Disc {
    /// Its middle.
    pub center: Point,
    /// Half its width.
    pub radius: f64,
}

/// How the time of every node is shared by values.
pub(crate) struct NodePies {
    bands: Bands,
    mixes: BTreeMap<NodeId, Mix>,
    whole: i128,
}

impl NodePies {
    /// The shares of the nodes of a level; a trace without states has none.
    pub fn new(
        scope: &Scope<'_>,
        appearance: &Appearance,
        theme: Theme,
        level: &Level,
    ) -> Result<Self> {
        let shares = match Shares::new(scope, level) {
            Ok(shares) => shares,
            Err(ViewError::Nothing(_)) => Shares { mixes: Vec::new(), several_types: false },
            Err(other) => return Err(other),
        };
        let total = shares.total();
        let bands = Bands::new(scope, appearance, theme, total.times.clone());
        let mixes = shares.mixes.into_iter().map(|mix| (mix.node, mix)).collect();
        Ok(Self { bands, mixes, whole: total.whole })
    }

    /// What the colours mean.
    pub fn legend(&self, theme: Theme) -> Vec<Entry> {
        self.bands.legend(self.whole, theme)
    }

    /// Pies at some places, then names.
    pub fn draw(
        &self,
        scope: &Scope<'_>,
        standing: &Standing,
        discs: &[Disc],
        canvas: &Canvas,
        titles: &mut Titles,
    ) -> Vec<Layer> {
        let mut polygons = Polygons::default();
        for (place, disc) in discs.iter().enumerate() {
            self.pie(scope, standing.nodes[place], disc, canvas, &mut polygons, titles);
        }
        let named: Vec<(&str, u32, Disc, Pick)> = (standing.ranks().into_iter().enumerate())
            .map(|(place, rank)| {
                let name = standing.names[place].as_str();
                (name, rank, discs[place], Pick::Node(standing.nodes[place].0))
            })
            .collect();
        let (pills, labels) = names_beside(named, discs, canvas);
        vec![Layer::Polygons(polygons), Layer::Rects(pills), Layer::Labels(labels)]
    }

    fn pie(
        &self,
        scope: &Scope<'_>,
        node: NodeId,
        disc: &Disc,
        canvas: &Canvas,
        polygons: &mut Polygons,
        titles: &mut Titles,
    ) {
        let colors = canvas.theme.colors();
        let whole = polygons.add(arc(disc, 0.0, 1.0, false), colors.field);
        (whole.edge, whole.pick) = (colors.axis, Pick::Node(node.0));
        if canvas.titles {
            whole.title = titles.add(scope.path(node));
        }
        let Some(mix) = self.mixes.get(&node).filter(|mix| mix.whole > 0) else { return };
        let unit = &scope.catalog().facts.unit;
        let mut before = 0.0;
        for (band, ticks) in self.bands.list.iter().zip(mix.in_bands(&self.bands)) {
            let share = ticks as f64 / mix.whole as f64;
            if share <= 0.0 {
                continue;
            }
            let all = share > 0.9999;
            let slice = polygons.add(arc(disc, before, before + share, !all), band.color);
            slice.pick = mix.pick(band);
            if canvas.titles {
                slice.title = titles.add(mix.title(&band.name, ticks, unit));
            }
            before += share;
        }
        // A ring around, so that pies keep apart from the edges behind them.
        let ring = polygons.add(arc(disc, 0.0, 1.0, false), onca_scene::CLEAR);
        ring.edge = color::mix(colors.axis, colors.text, 0.3);
    }
}

/// The outline of a part of a disc, clockwise from the top.
pub(crate) fn arc(disc: &Disc, from: f64, to: f64, with_middle: bool) -> Vec<Point> {
    let n_steps = ((to - from) * TAU * disc.radius / 2.0).ceil().clamp(3.0, 64.0) as usize;
    let rim = (0..=n_steps).map(|step| {
        let share = from + (to - from) * step as f64 / n_steps as f64;
        let (sine, cosine) = (share * TAU).sin_cos();
        Point::new(disc.center.x + sine * disc.radius, disc.center.y - cosine * disc.radius)
    });
    let middle = with_middle.then_some(disc.center);
    middle.into_iter().chain(rim).collect()
}

/// Names beside their discs, the most important first, as many as touch neither each other nor
/// another disc.
pub(crate) fn names_beside(
    mut named: Vec<(&str, u32, Disc, Pick)>,
    discs: &[Disc],
    canvas: &Canvas,
) -> (Vec<Rect>, Vec<Label>) {
    let colors = canvas.theme.colors();
    named.sort_by_key(|(_, rank, ..)| *rank);
    let (mut pills, mut labels) = (Vec::new(), Vec::new());
    let mut taken: Vec<Bounds> = Vec::new();
    for (name, _, disc, pick) in named {
        if taken.len() >= MOST_NAMES {
            break;
        }
        let Some(text) = Font::Regular.fit(name, TICK_SIZE, LONGEST_NAME) else { continue };
        let half = Font::Regular.width(&text, TICK_SIZE) / 2.0 + 2.0;
        let is_free = |bounds: &Bounds| {
            let inside = canvas.bounds();
            let on_canvas = bounds.x0 >= inside.x0
                && bounds.x1 <= inside.x1
                && bounds.y0 >= inside.y0
                && bounds.y1 <= inside.y1;
            on_canvas
                && !taken.iter().any(|other| other.overlaps(bounds))
                && !discs.iter().any(|other| other.overlaps(bounds))
        };
        let Some(bounds) = around(&disc, half).into_iter().find(is_free) else { continue };
        taken.push(bounds);
        pills.push(Rect::plain(bounds, color::faded(colors.background, 0.7)));
        labels.push(Label { pick, ..centred_label(bounds.center(), text, TICK_SIZE, colors.text) });
    }
    (pills, labels)
}

/// Where a name of a width can be beside a disc: below, above, at the right, at the left.
fn around(disc: &Disc, half: f64) -> [Bounds; 4] {
    let Disc { center, radius } = *disc;
    let high = 7.0;
    let middle = [
        (center.x, center.y + radius + high + 1.0),
        (center.x, center.y - radius - high - 1.0),
        (center.x + radius + half + 1.0, center.y),
        (center.x - radius - half - 1.0, center.y),
    ];
    middle.map(|(x, y)| Bounds::new(x - half, y - high, x + half, y + high))
}

impl Disc {
    /// Does it reach into a rectangle?
    fn overlaps(&self, bounds: &Bounds) -> bool {
        let x = self.center.x.clamp(bounds.x0, bounds.x1) - self.center.x;
        let y = self.center.y.clamp(bounds.y0, bounds.y1) - self.center.y;
        x.hypot(y) < self.radius
    }
}
