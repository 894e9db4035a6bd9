//! Nodes as pies of the time in each state, with names.

use std::collections::{BTreeMap, BTreeSet};
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
use crate::{Canvas, Result, Theme, ViewError, color, names};

/// At most this many names, if they do not touch.
const MOST_NAMES: usize = 60;
/// Of a class with more members than this, some are named: one in each of these parts of the picture,
/// across and down.
const MOST_OF_A_CLASS: usize = 40;
const SPREAD: (f64, f64) = (4.0, 3.0);
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
        let shares = match Shares::new(scope, level, None) {
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
        let named: Vec<Named<'_>> = (standing.ranks().into_iter().enumerate())
            .map(|(place, rank)| Named {
                name: standing.names[place].as_str(),
                class: NameClass::Switch,
                rank,
                disc: discs[place],
                pick: Pick::Node(standing.nodes[place].0),
            })
            .collect();
        let (pills, labels) = names_beside(named, discs, canvas, Vec::new());
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

/// A name and what it belongs to.
pub(crate) struct Named<'a> {
    pub name: &'a str,
    /// Groups come before switches, and these before machines.
    pub class: NameClass,
    /// Of a class, the least comes first.
    pub rank: u32,
    pub disc: Disc,
    pub pick: Pick,
}

/// What kind of thing a name belongs to, the most important first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum NameClass {
    /// What a message passes whose route is drawn.
    Route,
    /// A group that no other is around.
    Site,
    Group,
    Switch,
    Machine,
}

/// Names beside their discs, the most important first, as many as touch neither each other nor
/// another disc. Of a class with many members only some are named, spread over the picture. Names
/// that have no room whole keep what tells them apart. `taken` has what other texts cover.
pub(crate) fn names_beside(
    mut named: Vec<Named<'_>>,
    discs: &[Disc],
    canvas: &Canvas,
    mut taken: Vec<Bounds>,
) -> (Vec<Rect>, Vec<Label>) {
    let colors = canvas.theme.colors();
    named.sort_by_key(|one| (one.class, one.rank));
    let names: Vec<&str> = named.iter().map(|one| one.name).collect();
    let ways = names::shortened(&names);
    let n_in = |class: NameClass| named.iter().filter(|one| one.class == class).count();
    let many = [NameClass::Site, NameClass::Group, NameClass::Switch, NameClass::Machine]
        .into_iter()
        .filter(|class| n_in(*class) > MOST_OF_A_CLASS)
        .collect::<Vec<_>>();
    let (mut pills, mut labels) = (Vec::new(), Vec::new());
    let mut cells: BTreeSet<(NameClass, i64, i64)> = BTreeSet::new();
    let grid = Discs::new(discs);
    for (Named { class, disc, pick, .. }, ways) in named.iter().zip(ways) {
        if labels.len() >= MOST_NAMES {
            break;
        }
        let cell = |at: f64, whole: f64, n: f64| (at / whole.max(1.0) * n).floor() as i64;
        let cell = (
            *class,
            cell(disc.center.x, canvas.width, SPREAD.0),
            cell(disc.center.y, canvas.height, SPREAD.1),
        );
        if many.contains(class) && cells.contains(&cell) {
            continue;
        }
        let is_free = |bounds: &Bounds| {
            let inside = canvas.bounds();
            let on_canvas = bounds.x0 >= inside.x0
                && bounds.x1 <= inside.x1
                && bounds.y0 >= inside.y0
                && bounds.y1 <= inside.y1;
            on_canvas && !taken.iter().any(|other| other.overlaps(bounds))
        };
        let last = ways.len() - 1;
        let fitted = ways.iter().enumerate().find_map(|(way, text)| {
            // Only the shortest way is cut.
            let text = match way == last {
                true => Font::Regular.fit(text, TICK_SIZE, LONGEST_NAME)?,
                false if Font::Regular.width(text, TICK_SIZE) > LONGEST_NAME => return None,
                false => text.clone(),
            };
            let half = Font::Regular.width(&text, TICK_SIZE) / 2.0 + 2.0;
            let places = match class {
                NameClass::Site | NameClass::Group => on_rim(disc, half).to_vec(),
                _ => around(disc, half).to_vec(),
            };
            let clear = |bounds: &&Bounds| is_free(bounds) && !grid.any_in(bounds);
            let place = match class {
                NameClass::Site | NameClass::Group => places.iter().find(|bounds| is_free(bounds)),
                NameClass::Machine => places.iter().find(clear),
                // The name of a switch may lie on machines rather than be missing.
                NameClass::Switch | NameClass::Route => {
                    places.iter().find(clear).or(places.iter().find(|bounds| is_free(bounds)))
                }
            };
            Some((*place?, text))
        });
        let Some((bounds, text)) = fitted else { continue };
        cells.insert(cell);
        taken.push(bounds);
        pills.push(Rect::plain(bounds, color::faded(colors.background, 0.7)));
        let color = match class {
            NameClass::Route => colors.accent,
            NameClass::Machine => colors.muted,
            _ => colors.text,
        };
        let name = centred_label(bounds.center(), text, TICK_SIZE, color);
        labels.push(Label { pick: *pick, ..name });
    }
    (pills, labels)
}

/// Discs by where they are, to find those at a place.
struct Discs<'a> {
    discs: &'a [Disc],
    bins: BTreeMap<(i64, i64), Vec<usize>>,
}

const BIN: f64 = 40.0;

impl<'a> Discs<'a> {
    fn new(discs: &'a [Disc]) -> Self {
        let mut bins: BTreeMap<(i64, i64), Vec<usize>> = BTreeMap::new();
        for (at, Disc { center, radius }) in discs.iter().enumerate() {
            let bounds = Bounds::new(
                center.x - radius,
                center.y - radius,
                center.x + radius,
                center.y + radius,
            );
            for bin in bins_of(&bounds) {
                bins.entry(bin).or_default().push(at);
            }
        }
        Self { discs, bins }
    }

    fn any_in(&self, bounds: &Bounds) -> bool {
        let mut near = bins_of(bounds).filter_map(|bin| self.bins.get(&bin)).flatten();
        near.any(|&at| self.discs[at].overlaps(bounds))
    }
}

fn bins_of(bounds: &Bounds) -> impl Iterator<Item = (i64, i64)> {
    let bin = |at: f64| (at / BIN).floor() as i64;
    let (rows, columns) = (bin(bounds.y0)..=bin(bounds.y1), bin(bounds.x0)..=bin(bounds.x1));
    columns.flat_map(move |column| rows.clone().map(move |row| (column, row)))
}

/// Where the name of a group can be on its rim: at the top, or at the foot.
fn on_rim(disc: &Disc, half: f64) -> [Bounds; 2] {
    let Disc { center, radius } = *disc;
    let high = 7.0;
    [center.y - radius, center.y + radius]
        .map(|y| Bounds::new(center.x - half, y - high, center.x + half, y + high))
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
    pub fn overlaps(&self, bounds: &Bounds) -> bool {
        let x = self.center.x.clamp(bounds.x0, bounds.x1) - self.center.x;
        let y = self.center.y.clamp(bounds.y0, bounds.y1) - self.center.y;
        x.hypot(y) < self.radius
    }
}
