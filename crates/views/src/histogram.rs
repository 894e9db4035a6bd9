//! How many messages are how large or how long, and how long states last.

use std::ops::Range;

use onca_aggregate::statistics::PowerHistogram;
use onca_answer::{link_histograms, state_histograms};
use onca_layout::text::Font;
use onca_model::{Color, TimeUnit, ValueId, format::count_of};
use onca_query::{Appearance, Scope};
use onca_scene::{
    Bounds, CLEAR, Figure, Label, Layer, Panel, Pick, Point, Rect, Rise, Scene, Titles, Weight,
};
use serde::{Deserialize, Serialize};

use crate::options::ViewOptions;
use crate::registry::{View, drawn_from_scope};
use crate::{
    Canvas, Drawn, Paper, Result, Ruler, Theme, ViewError, color, names,
    quantity::{Quantity, Scale},
    sheet::{LABEL_SIZE, Sheet, TIME_AXIS_HEIGHT},
};

/// What a histogram counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Counted {
    /// Links by their size and by their duration
    #[default]
    Links,
    /// Links by their size
    LinkSizes,
    /// Links by their duration
    LinkDurations,
    /// The states of each value by their duration
    States,
}

/// How many messages are how large and how long, or how long states last
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[cfg_attr(
    feature = "clap",
    command(after_long_help = "\
Examples:
  onca render histogram run.paje -o messages.svg
  onca render histogram run.paje --of states --values MPI_Wait -o waiting.svg")
)]
pub struct HistogramOptions {
    /// What is counted
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "WHAT", default_value_t))]
    pub of: Counted,

    /// How counts are spread over the height; chosen by the amounts by default
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "SCALE"))]
    pub count_scale: Option<Ruler>,
}

impl ViewOptions for HistogramOptions {}

/// How many messages are how large and how long, or how long states last.
pub struct Histogram;

impl View for Histogram {
    type Options = HistogramOptions;
    const NAME: &str = "histogram";
    const TITLE: &str = "Histogram";

    drawn_from_scope!();
}

/// The height of a chart with its name and axis, if it may choose, and at least.
const HEIGHT: f64 = 220.0;
const LEAST_HEIGHT: f64 = 120.0;
/// A chart is at least this wide.
const LEAST_WIDTH: f64 = 300.0;
/// A figure does not grow higher than this by itself.
const MOST_HEIGHT: f64 = 1000.0;
/// The name of a chart takes this much.
const NAME_HEIGHT: f64 = 20.0;
/// A chart has at least this many columns.
const LEAST_COLUMNS: usize = 8;
/// The axis at the left takes this much.
const AXIS_WIDTH: f64 = 64.0;

/// The histograms on a page, side by side or below each other.
pub fn figure(
    scope: &Scope<'_>,
    appearance: &Appearance,
    paper: &Paper,
    options: &HistogramOptions,
) -> Result<Figure> {
    let all = charts(scope, appearance, paper.theme, options)?;
    let title = match options.of {
        Counted::Links => "Sizes and durations of messages",
        Counted::LinkSizes => "Sizes of messages",
        Counted::LinkDurations => "Durations of messages",
        Counted::States => "Durations of states",
    };
    let n_columns = (paper.inner_width() / LEAST_WIDTH).floor().clamp(1.0, 3.0) as usize;
    let n_columns = n_columns.min(all.len());
    let around = Sheet::height_around(paper, title, &[]);
    let wanted = (all.len().div_ceil(n_columns) as f64 * HEIGHT).min(MOST_HEIGHT);
    let room = paper.height.unwrap_or(around + wanted) - around;
    let n_rows = all.len().div_ceil(n_columns).min((room / LEAST_HEIGHT).max(1.0) as usize);
    let mut sheet = Sheet::new(paper, title, around + wanted);
    let shown = &all[..all.len().min(n_columns * n_rows)];
    notes(&all, shown).into_iter().for_each(|note| sheet.note(note));
    let room = sheet.room;
    let (width, height) = (room.width() / n_columns as f64, room.height() / n_rows as f64);
    let mut panels = Vec::new();
    for (number, chart) in shown.iter().enumerate() {
        let x = room.x0 + (number % n_columns) as f64 * width;
        let y = room.y0 + (number / n_columns) as f64 * height;
        let cell = Bounds::new(x, y, x + width, y + height);
        panels.extend(chart.in_cell(&mut sheet, paper, cell));
    }
    Ok(sheet.finish(format!("{title}: {}", count_of(shown.len() as u64, "chart")), panels))
}

/// The first histogram alone: to the right the logarithm to the base 2 of what is measured, down
/// pixels. Zeros have their column before all others.
pub fn scene(
    scope: &Scope<'_>,
    appearance: &Appearance,
    canvas: &Canvas,
    options: &HistogramOptions,
) -> Result<Drawn> {
    let all = charts(scope, appearance, canvas.theme, options)?;
    let shown = &all[..1];
    Ok(Drawn { notes: notes(&all, shown), ..shown[0].draw(canvas) })
}

fn notes(all: &[Chart], shown: &[Chart]) -> Vec<String> {
    let left_out = (all.len() - shown.len()) as u64;
    let first = (left_out > 0).then(|| format!("{} not shown", count_of(left_out, "chart")));
    first.into_iter().chain(shown.iter().flat_map(|chart| chart.notes.clone())).collect()
}

/// The charts that have something to show, those with the most things first.
fn charts(
    scope: &Scope<'_>,
    appearance: &Appearance,
    theme: Theme,
    options: &HistogramOptions,
) -> Result<Vec<Chart>> {
    let unit = &scope.catalog().facts.unit;
    let mut all = match options.of {
        Counted::States => state_charts(scope, appearance, theme, unit)?,
        _ => link_charts(scope, theme, unit, options.of)?,
    };
    all.retain(|chart| chart.largest() > 0.0);
    if all.is_empty() {
        let what = match options.of {
            Counted::States => "there are no states in what is seen",
            Counted::LinkSizes => "there are no links with a size in what is seen",
            Counted::Links | Counted::LinkDurations => "there are no links in what is seen",
        };
        return Err(ViewError::Nothing(what.to_owned()));
    }
    for chart in &mut all {
        chart.ruler =
            options.count_scale.unwrap_or(Ruler::fitting(chart.smallest(), chart.largest()));
    }
    Ok(all)
}

fn link_charts(
    scope: &Scope<'_>,
    theme: Theme,
    unit: &TimeUnit,
    counted: Counted,
) -> Result<Vec<Chart>> {
    let found = link_histograms(scope)?;
    let color = theme.colors().accent;
    let chart = |name: &str, histogram, quantity, n_without, without: &str| {
        let mut chart = Chart::new(name, histogram, quantity, "message", color, Pick::NOTHING);
        if n_without > 0 {
            chart.notes.push(format!("{} {without}", count_of(n_without, "message")));
        }
        chart
    };
    let n = found.without_size;
    let sizes = chart("Size", found.sizes, Quantity::Bytes, n, "without a size");
    let time = Quantity::Time(unit.clone());
    let durations = chart("Duration", found.durations, time, found.halves, "with one end only");
    Ok(match counted {
        Counted::LinkSizes => vec![sizes],
        Counted::LinkDurations => vec![durations],
        Counted::Links | Counted::States => vec![sizes, durations],
    })
}

fn state_charts(
    scope: &Scope<'_>,
    appearance: &Appearance,
    theme: Theme,
    unit: &TimeUnit,
) -> Result<Vec<Chart>> {
    let mut found = state_histograms(scope)?;
    let n_states = |histogram: &PowerHistogram| histogram.counts.iter().sum::<u64>();
    found.sort_by_key(|(value, histogram)| (std::cmp::Reverse(n_states(histogram)), *value));
    let values: Vec<ValueId> = found.iter().map(|(value, _)| *value).collect();
    let named = found.into_iter().zip(names::of_values(scope, &values));
    let chart = |((value, histogram), name): ((ValueId, PowerHistogram), String)| {
        let fill = color::over(appearance.of_value(value).color, theme.colors().background);
        let time = Quantity::Time(unit.clone());
        Chart::new(&name, histogram, time, "state", fill, Pick::Value(value.0))
    };
    let mut charts: Vec<Chart> = named.map(chart).collect();
    // One axis for all, so that they can be compared.
    let filled = || charts.iter().map(Chart::filled).filter(|bins| !bins.is_empty());
    let first = filled().map(|bins| bins.start).min().unwrap_or(1);
    let last = filled().map(|bins| bins.end).max().unwrap_or(1);
    let zeros = charts.iter().any(Chart::has_zeros);
    charts.iter_mut().for_each(|chart| chart.show(first..last, zeros));
    Ok(charts)
}

/// One histogram.
struct Chart {
    name: String,
    /// How many numbers are in each bin.
    counts: Vec<u64>,
    /// How many zeros there are, where they have a column.
    zeros: Option<u64>,
    /// The other columns.
    columns: Vec<Column>,
    quantity: Quantity,
    noun: &'static str,
    ruler: Ruler,
    color: Color,
    pick: Pick,
    notes: Vec<String>,
}

/// How many things lie from one number to another.
#[derive(Clone, Copy)]
struct Column {
    from: f64,
    to: f64,
    count: u64,
}

impl Chart {
    fn new(
        name: &str,
        histogram: PowerHistogram,
        quantity: Quantity,
        noun: &'static str,
        color: Color,
        pick: Pick,
    ) -> Self {
        let notes = match histogram.negative {
            0 => Vec::new(),
            n => vec![format!("{} that end before they start", count_of(n, noun))],
        };
        let (name, ruler) = (name.to_owned(), Ruler::default());
        let counts = histogram.counts;
        let mut chart = Self {
            name,
            zeros: None,
            columns: Vec::new(),
            counts,
            quantity,
            noun,
            ruler,
            color,
            pick,
            notes,
        };
        chart.show(chart.filled(), chart.has_zeros());
        chart
    }

    /// Makes columns of some bins, and of enough beside them that a ratio can be seen; zeros have
    /// a column of their own before them.
    fn show(&mut self, bins: Range<usize>, zeros: bool) {
        let missing = LEAST_COLUMNS.saturating_sub(bins.len());
        let first = bins.start.saturating_sub(missing / 2).max(1);
        let last = (first + LEAST_COLUMNS).max(bins.end);
        let count = |bin: usize| self.counts.get(bin).copied().unwrap_or(0);
        let power = |bin: usize| 2f64.powi(bin as i32);
        let of_bin =
            |bin: usize| Column { from: power(bin - 1), to: power(bin), count: count(bin) };
        self.zeros = zeros.then(|| count(0));
        self.columns = (first..last).map(of_bin).collect();
    }

    fn has_zeros(&self) -> bool {
        self.counts.first().is_some_and(|count| *count > 0)
    }

    /// The bins of numbers above 0 that are not empty, from the first to the last.
    fn filled(&self) -> Range<usize> {
        let last = self.counts.len();
        (1..last).find(|&bin| self.counts[bin] > 0).unwrap_or(last)..last
    }

    fn largest(&self) -> f64 {
        self.counts.iter().copied().max().unwrap_or(0) as f64
    }

    fn smallest(&self) -> f64 {
        self.counts.iter().copied().filter(|count| *count > 0).min().unwrap_or(0) as f64
    }

    /// The counts from the foot of the plot to its top. One thing must be seen, so a logarithmic
    /// axis begins below 1.
    fn scale(&self) -> Scale {
        let from = if self.ruler == Ruler::Log { 0.5 } else { 0.0 };
        Scale { ruler: self.ruler, from, to: self.largest() * 1.1 }
    }

    /// The chart with its name and axes in a part of a page; nothing where that is too small.
    fn in_cell(&self, sheet: &mut Sheet<'_>, paper: &Paper, cell: Bounds) -> Option<Panel> {
        let plot = Bounds::new(
            cell.x0 + AXIS_WIDTH,
            cell.y0 + NAME_HEIGHT,
            cell.x1 - 18.0,
            cell.y1 - TIME_AXIS_HEIGHT - 6.0,
        );
        if plot.width() < 20.0 || plot.height() < 20.0 {
            return None;
        }
        let name = Font::Bold.fit(&self.name, LABEL_SIZE, plot.width())?;
        let at = Point::new(plot.x0, cell.y0 + 5.0);
        let length = Font::Bold.width(&name, LABEL_SIZE);
        let label = Label { weight: Weight::Bold, length, ..sheet.label(at, name, LABEL_SIZE) };
        sheet.add_label(Label { rise: Rise::Top, pick: self.pick, ..label });
        self.axes(sheet, &plot);
        Some(self.draw(&Canvas::in_frame(&plot, paper)).panel("histogram", plot))
    }

    fn axes(&self, sheet: &mut Sheet<'_>, plot: &Bounds) {
        let scale = self.scale();
        let most = (plot.height() / 28.0).clamp(2.0, 8.0) as usize;
        let counts = Quantity::Count.ticks(self.ruler, scale.from, scale.to, most).into_iter();
        let y_of = |count: f64| plot.y1 - scale.share(count) * plot.height();
        let marks: Vec<(f64, String)> =
            counts.map(|count| (y_of(count), Quantity::Count.text(count))).collect();
        sheet.left_axis(plot, &marks, &format!("{}s", self.noun));
        let places = self.marks(plot.width()).into_iter();
        let marks: Vec<(f64, String)> = places.map(|(x, text)| (plot.x0 + x, text)).collect();
        let title = match self.quantity {
            Quantity::Bytes => "size",
            Quantity::Time(_) | Quantity::Count | Quantity::Number => "duration",
        };
        sheet.bottom_axis(plot, &marks, title);
    }

    /// How wide a column is, and where the first one after that of the zeros begins: a little
    /// apart, for there is no logarithm of 0.
    fn pitch(&self, width: f64) -> (f64, f64) {
        let before = if self.zeros.is_some() { 1.5 } else { 0.0 };
        let pitch = width / (self.columns.len() as f64 + before);
        (pitch, before * pitch)
    }

    /// Round quantities below the columns, as distances from the left side.
    fn marks(&self, width: f64) -> Vec<(f64, String)> {
        let (pitch, start) = self.pitch(width);
        let zeros = self.zeros.map(|_| (pitch / 2.0, "0".to_owned())).into_iter();
        let (Some(first), Some(last)) = (self.columns.first(), self.columns.last()) else {
            return zeros.collect();
        };
        let most = (width / 70.0).max(1.0) as usize;
        let ticks = self.quantity.ticks(Ruler::Log, first.from, last.to, most);
        // Columns are powers of two, so the axis is logarithmic by itself.
        let x_of = |value: f64| start + (value / first.from).log2() * pitch;
        zeros.chain(ticks.into_iter().map(|at| (x_of(at), self.quantity.text(at)))).collect()
    }

    fn draw(&self, canvas: &Canvas) -> Drawn {
        let (mut rects, mut titles) = (Vec::new(), Titles::default());
        let (pitch, start) = self.pitch(canvas.width);
        let gap = if pitch >= 6.0 { 1.0 / pitch } else { 0.0 };
        // Columns are powers of two: each is one wide.
        let first = self.columns.first().map_or(0.0, |column| column.from.log2());
        let begin = first - start / pitch;
        let scale = self.scale();
        let zeros = self.zeros.map(|count| (begin, Column { from: 0.0, to: 0.0, count }));
        let powers = self.columns.iter().enumerate();
        let powers = powers.map(|(number, column)| (first + number as f64, *column));
        for (x, column) in zeros.into_iter().chain(powers).filter(|(_, column)| column.count > 0) {
            let top = canvas.height * (1.0 - scale.share(column.count as f64));
            let bounds = Bounds::new(x + gap / 2.0, top, x + 1.0 - gap / 2.0, canvas.height);
            let edge = color::edge_on(self.color, canvas.theme.colors(), CLEAR);
            let mut rect = Rect { edge, pick: self.pick, ..Rect::plain(bounds, self.color) };
            if canvas.titles {
                rect.title = titles.add(self.title_of(&column));
            }
            rects.push(rect);
        }
        let scene = Scene { layers: vec![Layer::Rects(rects)], titles };
        let view = Bounds::new(begin, 0.0, first + self.columns.len() as f64, canvas.height);
        Drawn { scene, view, notes: Vec::new(), scale: None }
    }

    fn title_of(&self, column: &Column) -> String {
        let count = count_of(column.count, self.noun);
        let from = self.quantity.text(column.from);
        if column.from == 0.0 {
            return format!("{from}\n{count}");
        }
        format!("{from} to less than {}\n{count}", self.quantity.text(column.to))
    }
}
