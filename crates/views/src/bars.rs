//! Stacked bars: how containers or groups share their time between values.

use onca_answer::Level;
use onca_layout::text::Font;
use onca_model::{TimeUnit, format::percent};
use onca_query::{Appearance, Scope};
use onca_scene::{
    Align, Bounds, CLEAR, Figure, Label, Layer, Pick, Point, Rect, Rise, Scene, Titles,
};
use serde::{Deserialize, Serialize};

use crate::options::{LevelOptions, ViewOptions};
use crate::registry::{Needs, View, drawn_from_scope};
use crate::{
    Canvas, Drawn, Paper, Result, Ruler,
    bands::{Bands, NO_STATE},
    bundles,
    canvas::centred_label,
    color,
    quantity::Quantity,
    shares::{Mix, Shares},
    sheet::{LABEL_SIZE, Sheet, TICK_SIZE, TIME_AXIS_HEIGHT},
};

/// Shares of the states as stacked bars, one for each container
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[cfg_attr(
    feature = "clap",
    command(after_long_help = "\
Examples:
  onca render bars run.paje -o bars.svg
  onca render bars run.paje --level machine --length time -o bars.png
  onca render bars run.paje --order time:MPI_Wait --descending -o waiting.pdf")
)]
pub struct BarsOptions {
    /// Which nodes have a bar.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub level: LevelOptions,

    /// What the length of a bar means
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "LENGTH", default_value_t))]
    pub length: BarLength,

    /// Only states of this type, such as one that the lens derives
    #[cfg_attr(feature = "clap", arg(long, value_name = "TYPE"))]
    pub of: Option<String>,
}

/// What the length of a bar means.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum BarLength {
    /// The share of the window: all bars are as long
    #[default]
    Share,
    /// The time of all containers of the bar
    Time,
}

impl ViewOptions for BarsOptions {}

/// Shares of the states as stacked bars.
pub struct BarChart;

impl View for BarChart {
    type Options = BarsOptions;
    const NAME: &str = "bars";
    const TITLE: &str = "Bars";
    const NEEDS: Needs = Needs::States;

    drawn_from_scope!();
}

/// From one bar to the next, where there is room, and at least.
const PITCH: f64 = 20.0;
const LEAST_PITCH: f64 = 5.0;
/// A figure does not grow higher than this by itself.
const MOST_HEIGHT: f64 = 860.0;
/// Bars that are this far apart have gaps between them.
const PITCH_WITH_GAP: f64 = 8.0;
/// Names take at most this share of the width.
const NAMES_SHARE: f64 = 0.3;

/// The bars on a page.
pub fn figure(
    scope: &Scope<'_>,
    appearance: &Appearance,
    paper: &Paper,
    options: &BarsOptions,
) -> Result<Figure> {
    let shares = Shares::new(scope, &options.level.or(Level::Own), options.of.as_deref())?;
    let total = shares.total();
    let bands = Bands::new(scope, appearance, paper.theme, total.times.clone());
    let entries = bands.legend(total.whole, paper.theme);
    let title = "Time in each state";
    let around = Sheet::height_around(paper, title, &entries) + TIME_AXIS_HEIGHT;
    let wanted = (shares.mixes.len() as f64 * PITCH).min(MOST_HEIGHT);
    let mut sheet = Sheet::new(paper, title, around + wanted);
    let height = paper.height.unwrap_or(around + wanted) - around;
    let mixes = shares.bundled(most_bars(height));
    let shared = bundles::note(shares.mixes.len(), mixes.len(), "containers");
    shared.into_iter().chain(shares.notes()).for_each(|note| sheet.note(note));
    sheet.legend(&entries);
    sheet.take_bottom(TIME_AXIS_HEIGHT);
    name_rows(&mut sheet, &mixes);
    // The last mark of the axis stands around the end of the plot.
    sheet.take_right(14.0);
    let plot = sheet.room;
    axis(&mut sheet, &plot, scope, options.length, &mixes);
    let bars = Bars { mixes, bands, length: options.length };
    let drawn = bars.draw(scope, &Canvas::in_frame(&plot, paper));
    let description = format!("{title}: bars of {} rows", bars.mixes.len());
    Ok(sheet.finish(description, vec![drawn.panel("bars", plot)]))
}

/// The bars alone, in pixels.
pub fn scene(
    scope: &Scope<'_>,
    appearance: &Appearance,
    canvas: &Canvas,
    options: &BarsOptions,
) -> Result<Drawn> {
    let shares = Shares::new(scope, &options.level.or(Level::Own), options.of.as_deref())?;
    let bands = Bands::new(scope, appearance, canvas.theme, shares.total().times);
    let mixes = shares.bundled(most_bars(canvas.height));
    let shared = bundles::note(shares.mixes.len(), mixes.len(), "containers");
    let notes = shared.into_iter().chain(shares.notes()).collect();
    let bars = Bars { mixes, bands, length: options.length };
    Ok(Drawn { notes, ..bars.draw(scope, canvas) })
}

fn most_bars(height: f64) -> usize {
    (height / LEAST_PITCH).max(1.0) as usize
}

/// The names at the left side, as many as fit.
fn name_rows(sheet: &mut Sheet<'_>, mixes: &[Mix]) {
    let widest = mixes.iter().map(|mix| Font::Regular.width(&mix.name, LABEL_SIZE));
    let width = widest.fold(0.0, f64::max).min(sheet.room.width() * NAMES_SHARE);
    let taken = sheet.take_left(width + 8.0);
    let pitch = taken.height() / mixes.len() as f64;
    let size = if pitch < LABEL_SIZE + 2.0 { TICK_SIZE } else { LABEL_SIZE };
    let stride = (size / pitch).ceil().max(1.0) as usize;
    for (row, mix) in mixes.iter().enumerate().step_by(stride) {
        let Some(text) = Font::Regular.fit(&mix.name, size, width) else { continue };
        let at = Point::new(taken.x1 - 8.0, taken.y0 + (row as f64 + 0.5) * pitch);
        let label = sheet.label(at, text, size);
        let pick = Pick::Node(mix.node.0);
        sheet.add_label(Label { align: Align::End, rise: Rise::Middle, pick, ..label });
    }
}

fn axis(sheet: &mut Sheet<'_>, plot: &Bounds, scope: &Scope<'_>, length: BarLength, mixes: &[Mix]) {
    let most = (plot.width() / 80.0).clamp(2.0, 10.0) as usize;
    let longest = length.whole_of(mixes);
    let (title, texts): (_, Vec<(f64, String)>) = match length {
        BarLength::Share => {
            let shares = onca_layout::axis::ticks(0.0, 100.0, most + 1).at.into_iter();
            ("share of the window", shares.map(|at| (at / 100.0, format!("{at:.0} %"))).collect())
        }
        BarLength::Time => {
            let time = Quantity::Time(scope.catalog().facts.unit.clone());
            let ticks = time.ticks(Ruler::Linear, 0.0, longest, most).into_iter();
            ("time of all containers", ticks.map(|at| (at / longest, time.text(at))).collect())
        }
    };
    let place = |(share, text)| (plot.x0 + share * plot.width(), text);
    let marks: Vec<(f64, String)> = texts.into_iter().map(place).collect();
    sheet.bottom_axis(plot, &marks, title);
}

impl BarLength {
    /// What the full width stands for: everything of a bar, or the longest bar, in ticks.
    fn whole_of(self, mixes: &[Mix]) -> f64 {
        match self {
            Self::Share => 1.0,
            Self::Time => mixes.iter().map(|mix| mix.whole).max().unwrap_or(1).max(1) as f64,
        }
    }
}

struct Bars {
    mixes: Vec<Mix>,
    bands: Bands,
    length: BarLength,
}

impl Bars {
    fn draw(&self, scope: &Scope<'_>, canvas: &Canvas) -> Drawn {
        let unit = &scope.catalog().facts.unit;
        let mut painter =
            Painter { unit, canvas, titles: Titles::default(), rects: vec![], labels: vec![] };
        let pitch = canvas.height / self.mixes.len() as f64;
        let gap = if pitch < PITCH_WITH_GAP { 0.0 } else { (pitch * 0.16).min(4.0) };
        let longest = self.length.whole_of(&self.mixes);
        for (row, mix) in self.mixes.iter().enumerate() {
            let width = match self.length {
                BarLength::Share => canvas.width,
                BarLength::Time => mix.whole as f64 / longest * canvas.width,
            };
            let top = row as f64 * pitch + gap / 2.0;
            let bar = Bounds::new(0.0, top, width, top + pitch - gap);
            painter.bar(mix, &self.bands, &bar);
        }
        let layers = vec![Layer::Rects(painter.rects), Layer::Labels(painter.labels)];
        let scene = Scene { layers, titles: painter.titles };
        Drawn::plain(scene, canvas.bounds())
    }
}

/// A scene of bars in the making.
struct Painter<'a> {
    unit: &'a TimeUnit,
    canvas: &'a Canvas,
    titles: Titles,
    rects: Vec<Rect>,
    labels: Vec<Label>,
}

impl Painter<'_> {
    /// The parts of a bar from left to right, then what is in no state.
    fn bar(&mut self, mix: &Mix, bands: &Bands, bar: &Bounds) {
        let mut before = 0;
        for (band, ticks) in bands.list.iter().zip(mix.in_bands(bands)) {
            let bounds = part_of(bar, before, before + ticks, mix.whole);
            before += ticks;
            if ticks > 0 {
                let edge = color::edge_on(band.color, self.canvas.theme.colors(), CLEAR);
                let rect = Rect { edge, pick: mix.pick(band), ..Rect::plain(bounds, band.color) };
                self.part(rect, mix, &band.name, ticks);
            }
        }
        let rest = mix.whole - before;
        if rest > 0 {
            let bounds = part_of(bar, before, mix.whole, mix.whole);
            let field = self.canvas.theme.colors().field;
            let rect = Rect { pick: Pick::Node(mix.node.0), ..Rect::plain(bounds, field) };
            self.part(rect, mix, NO_STATE, rest);
        }
    }

    fn part(&mut self, mut rect: Rect, mix: &Mix, name: &str, ticks: i128) {
        if self.canvas.titles {
            rect.title = self.titles.add(mix.title(name, ticks, self.unit));
        }
        let text = percent(ticks as f64 / mix.whole as f64);
        let fits = Font::Regular.width(&text, TICK_SIZE) + 8.0 <= rect.bounds.width();
        if fits && rect.bounds.height() >= TICK_SIZE + 3.0 && name != NO_STATE {
            let ink = color::text_on(rect.fill);
            let label = centred_label(rect.bounds.center(), text, TICK_SIZE, ink);
            self.labels.push(Label { pick: rect.pick, ..label });
        }
        self.rects.push(rect);
    }
}

/// The part of a bar from one amount to another, of a whole.
fn part_of(bar: &Bounds, from: i128, to: i128, whole: i128) -> Bounds {
    let x_of = |ticks: i128| bar.x0 + ticks as f64 / whole as f64 * bar.width();
    Bounds { x0: x_of(from), x1: x_of(to), ..*bar }
}
