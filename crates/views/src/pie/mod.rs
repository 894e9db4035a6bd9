//! Pies: how containers or groups share their time between values.

mod labels;

use std::f64::consts::TAU;

use onca_answer::Level;
use onca_layout::text::Font;
use onca_model::{Color, format::count_of};
use onca_query::{Appearance, Scope};
use onca_scene::{
    Align, Bounds, CLEAR, Figure, Label, Layer, Pick, Point, Polygons, Rise, Scene, Titles,
};
use serde::{Deserialize, Serialize};

use crate::options::{LevelOptions, ViewOptions};
use crate::registry::{Needs, View, drawn_from_scope};
use crate::{
    Canvas, Drawn, Paper, Result,
    bands::{Bands, NO_STATE},
    bundles,
    canvas::label,
    color,
    legend::Entry,
    shares::{Mix, Shares},
    sheet::{LABEL_SIZE, Sheet, TICK_SIZE},
};

/// Shares of the states as pies: one of everything, or one for each container of a level
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[cfg_attr(
    feature = "clap",
    command(after_long_help = "\
Examples:
  onca render pie run.paje -o pie.svg
  onca render pie run.paje --level machine -o pies.pdf --width 180mm
  onca render pie run.paje --lens active.json --of active --level machine -o active.svg")
)]
pub struct PieOptions {
    /// Which nodes have a pie; by default there is one of everything.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub level: LevelOptions,

    /// Only states of this type, such as one that the lens derives
    #[cfg_attr(feature = "clap", arg(long, value_name = "TYPE"))]
    pub of: Option<String>,
}

impl ViewOptions for PieOptions {}

/// Shares of the states as pies.
pub struct Pie;

impl View for Pie {
    type Options = PieOptions;
    const NAME: &str = "pie";
    const TITLE: &str = "Pie";
    const NEEDS: Needs = Needs::States;

    drawn_from_scope!();
}

/// Values that have less than this share of a pie share a slice.
const THINNEST: f64 = 0.01;
/// A cell of small multiples, where there is room, and at least.
const CELL: f64 = 150.0;
const LEAST_CELL: f64 = 64.0;
/// A name above a pie takes this much.
const NAME_HEIGHT: f64 = 18.0;
/// A pie alone is as large as this, if it may choose.
const ALONE: f64 = 340.0;
/// A figure does not grow higher than this by itself.
const MOST_HEIGHT: f64 = 860.0;
/// Labels beside a pie need a canvas that is this wide.
const WIDTH_FOR_LABELS: f64 = 460.0;
/// Points on an arc are this far apart: too near to be seen as corners.
const ARC_STEP: f64 = 2.5;

const MEASURE: &str = "shares of all time, also in no state";

/// The pies on a page.
pub fn figure(
    scope: &Scope<'_>,
    appearance: &Appearance,
    paper: &Paper,
    options: &PieOptions,
) -> Result<Figure> {
    let shares = Shares::new(scope, &options.level.or(Level::Whole), options.of.as_deref())?;
    let total = shares.total();
    let bands = Bands::new(scope, appearance, paper.theme, total.times.clone());
    let n_pies = shares.mixes.len();
    let labelled = n_pies == 1 && paper.inner_width() >= WIDTH_FOR_LABELS;
    // Labels beside the slices say what a legend would.
    let entries: Vec<Entry> =
        if labelled { Vec::new() } else { bands.legend(total.whole, paper.theme) };
    let title = match options.level.or(Level::Whole) {
        Level::Whole => "Time in each state, all containers".to_owned(),
        _ => "Time in each state".to_owned(),
    };
    let around = Sheet::height_around(paper, &title, &entries);
    let wanted = wanted_height(paper.inner_width(), n_pies);
    let mut sheet = Sheet::new(paper, &title, around + wanted);
    let height = paper.height.unwrap_or(around + wanted) - around;
    let grid = Grid::new(n_pies, sheet.room.width(), height);
    let mixes = shares.bundled(grid.n_cells());
    let shared = bundles::note(n_pies, mixes.len(), "containers");
    shared.into_iter().chain(shares.notes()).for_each(|note| sheet.note(note));
    sheet.legend(&entries);
    let plot = sheet.room;
    let description = format!("{title}: {}", count_of(mixes.len() as u64, "pie"));
    let drawn = Painter::new(scope, &bands, Canvas::in_frame(&plot, paper)).draw(&mixes);
    Ok(sheet.finish(description, vec![drawn.panel("pies", plot)]))
}

/// The pies alone, in pixels.
pub fn scene(
    scope: &Scope<'_>,
    appearance: &Appearance,
    canvas: &Canvas,
    options: &PieOptions,
) -> Result<Drawn> {
    let shares = Shares::new(scope, &options.level.or(Level::Whole), options.of.as_deref())?;
    let bands = Bands::new(scope, appearance, canvas.theme, shares.total().times);
    let grid = Grid::new(shares.mixes.len(), canvas.width, canvas.height);
    let mixes = shares.bundled(grid.n_cells());
    let shared = bundles::note(shares.mixes.len(), mixes.len(), "containers");
    let notes = shared.into_iter().chain(shares.notes()).collect();
    Ok(Drawn { notes, ..Painter::new(scope, &bands, *canvas).draw(&mixes) })
}

fn wanted_height(width: f64, n_pies: usize) -> f64 {
    if n_pies == 1 {
        return ALONE.min(width);
    }
    let n_columns = ((width / CELL).floor().max(1.0) as usize).min(n_pies);
    let height = n_pies.div_ceil(n_columns) as f64 * (CELL + NAME_HEIGHT);
    height.min(MOST_HEIGHT)
}

/// Cells for pies of one size.
#[derive(Clone, Copy)]
struct Grid {
    n_columns: usize,
    n_rows: usize,
}

impl Grid {
    /// The cells that make `n` pies as large as can be in a room.
    fn new(n: usize, width: f64, height: f64) -> Self {
        let most_columns = ((width / LEAST_CELL).floor().max(1.0) as usize).min(n.max(1));
        let most_rows = (height / (LEAST_CELL + NAME_HEIGHT)).floor().max(1.0) as usize;
        let size = |n_columns: usize| {
            let n_rows = n.div_ceil(n_columns).min(most_rows);
            (width / n_columns as f64).min(height / n_rows as f64 - NAME_HEIGHT)
        };
        let fits = |n_columns: &usize| n_columns * most_rows >= n;
        let best = (1..=most_columns).filter(fits).max_by(|a, b| size(*a).total_cmp(&size(*b)));
        let n_columns = best.unwrap_or(most_columns);
        Self { n_columns, n_rows: n.div_ceil(n_columns).min(most_rows).max(1) }
    }

    fn n_cells(self) -> usize {
        self.n_columns * self.n_rows
    }

    fn cell(self, number: usize, canvas: &Canvas) -> Bounds {
        let (column, row) = ((number % self.n_columns) as f64, (number / self.n_columns) as f64);
        let width = canvas.width / self.n_columns as f64;
        let height = canvas.height / self.n_rows as f64;
        Bounds::new(column * width, row * height, (column + 1.0) * width, (row + 1.0) * height)
    }
}

/// A part of a pie.
struct Slice {
    name: String,
    color: Color,
    ticks: i128,
    pick: Pick,
    /// Where it begins and ends, as shares of the pie.
    from: f64,
    to: f64,
}

/// A pie and its place.
struct Disc {
    center: Point,
    radius: f64,
}

impl Disc {
    /// The point of the rim at a share of the way around, clockwise from the top.
    fn rim(&self, share: f64) -> Point {
        self.at(share, self.radius)
    }

    /// The point at a share of the way around and a distance from the middle.
    fn at(&self, share: f64, distance: f64) -> Point {
        let (sin, cos) = (share * TAU).sin_cos();
        Point::new(self.center.x + sin * distance, self.center.y - cos * distance)
    }

    /// The outline of a slice.
    fn outline(&self, slice: &Slice) -> Vec<Point> {
        let span = slice.to - slice.from;
        let n_steps = (span * TAU * self.radius / ARC_STEP).ceil().max(1.0) as usize;
        let step = |index: usize| slice.from + span * index as f64 / n_steps as f64;
        let rim = (0..=n_steps).map(|index| self.rim(step(index)));
        std::iter::once(self.center).chain(rim).collect()
    }
}

/// A scene of pies in the making.
struct Painter<'a> {
    scope: &'a Scope<'a>,
    bands: &'a Bands,
    canvas: Canvas,
    titles: Titles,
    polygons: Polygons,
    labels: Vec<Label>,
}

impl<'a> Painter<'a> {
    fn new(scope: &'a Scope<'a>, bands: &'a Bands, canvas: Canvas) -> Self {
        Self {
            scope,
            bands,
            canvas,
            titles: Titles::default(),
            polygons: Polygons::default(),
            labels: Vec::new(),
        }
    }

    fn draw(mut self, mixes: &[Mix]) -> Drawn {
        let mut leaders = onca_scene::Lines::default();
        if let [mix] = mixes {
            let bounds = self.canvas.bounds();
            let labelled = self.canvas.width >= WIDTH_FOR_LABELS;
            let margin = if labelled { LABEL_SIZE } else { 2.0 };
            let disc = disc_in(&bounds.inset(margin));
            let slices = self.slices(mix);
            self.pie(mix, &slices, &disc);
            if labelled {
                let placed = labels::beside(&disc, &slices, mix.whole, &self.canvas);
                leaders = placed.leaders;
                self.labels = placed.labels;
            }
        } else {
            let grid = Grid::new(mixes.len(), self.canvas.width, self.canvas.height);
            for (number, mix) in mixes.iter().enumerate() {
                self.cell(mix, &grid.cell(number, &self.canvas));
            }
        }
        self.labels.extend(self.measure());
        let layers =
            vec![Layer::Polygons(self.polygons), Layer::Lines(leaders), Layer::Labels(self.labels)];
        let scene = Scene { layers, titles: self.titles };
        Drawn::plain(scene, self.canvas.bounds())
    }

    /// What shares are of: a legend tells them of the time in states.
    fn measure(&self) -> Option<Label> {
        let text = Font::Regular.fit(MEASURE, TICK_SIZE, self.canvas.width - 4.0)?;
        let at = Point::new(2.0, self.canvas.height - 4.0);
        Some(label(at, text, TICK_SIZE, self.canvas.theme.colors().muted))
    }

    /// A pie under its name.
    fn cell(&mut self, mix: &Mix, cell: &Bounds) {
        let below = Bounds { y0: cell.y0 + NAME_HEIGHT, ..*cell };
        let slices = self.slices(mix);
        self.pie(mix, &slices, &disc_in(&below.inset(5.0)));
        let Some(text) = Font::Regular.fit(&mix.name, LABEL_SIZE, cell.width() - 8.0) else {
            return;
        };
        let at = Point::new(cell.center().x, cell.y0 + NAME_HEIGHT - 4.0);
        let name = label(at, text, LABEL_SIZE, self.canvas.theme.colors().text);
        let pick = Pick::Node(mix.node.0);
        self.labels.push(Label { align: Align::Middle, rise: Rise::Baseline, pick, ..name });
    }

    fn pie(&mut self, mix: &Mix, slices: &[Slice], disc: &Disc) {
        let unit = &self.scope.catalog().facts.unit;
        for slice in slices {
            let outline = disc.outline(slice);
            let polygon = self.polygons.add(outline, slice.color);
            // Between two slices is a line in the colour of the page, unless one looks like that.
            let colors = self.canvas.theme.colors();
            let is_thin = slice.to - slice.from < THINNEST / 2.0;
            polygon.edge = match is_thin {
                // There would be nothing but edge.
                true => CLEAR,
                false => color::edge_on(slice.color, colors, colors.background),
            };
            polygon.pick = slice.pick;
            if self.canvas.titles {
                polygon.title = self.titles.add(mix.title(&slice.name, slice.ticks, unit));
            }
        }
    }

    /// The slices of a pie: values, those that are too thin together, and what is in no state.
    fn slices(&self, mix: &Mix) -> Vec<Slice> {
        let times = mix.in_bands(self.bands);
        let thin = |ticks: i128| (ticks as f64) < mix.whole as f64 * THINNEST;
        let n_thin = times.iter().filter(|ticks| **ticks > 0 && thin(**ticks)).count();
        let (mut parts, mut others) = (Vec::new(), 0);
        for (band, &ticks) in self.bands.list.iter().zip(&times) {
            if n_thin > 1 && thin(ticks) {
                others += ticks;
            } else if ticks > 0 {
                parts.push((band.name.clone(), band.color, ticks, mix.pick(band)));
            }
        }
        let colors = self.canvas.theme.colors();
        let node = Pick::Node(mix.node.0);
        if others > 0 {
            let name = format!("{n_thin} others");
            let grey = color::mix(colors.axis, colors.background, 0.3);
            parts.push((name, grey, others, node));
        }
        let rest = mix.whole - times.iter().sum::<i128>();
        if rest > 0 {
            parts.push((NO_STATE.to_owned(), colors.field, rest, node));
        }
        let mut before = 0;
        let place = |(name, color, ticks, pick)| {
            let from = before as f64 / mix.whole as f64;
            before += ticks;
            let to = before as f64 / mix.whole as f64;
            Slice { name, color, ticks, pick, from, to }
        };
        parts.into_iter().map(place).collect()
    }
}

/// The largest disc in some bounds.
fn disc_in(bounds: &Bounds) -> Disc {
    let radius = bounds.width().min(bounds.height()).max(0.0) / 2.0;
    Disc { center: bounds.center(), radius }
}
