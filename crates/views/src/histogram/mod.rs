//! How many messages are how large or how long, and how long states last.

mod axis;
mod chart;

use onca_aggregate::statistics::RatioHistogram;
use onca_answer::{link_histograms, state_histograms};
use onca_model::{TimeUnit, ValueId, format::count_of};
use onca_query::{Appearance, Scope};
use onca_scene::{Bounds, Figure, Panel, Pick};
use serde::{Deserialize, Serialize};

use crate::options::ViewOptions;
use crate::registry::{View, drawn_from_scope};
use crate::{
    Canvas, Drawn, Paper, Result, Ruler, Theme, ViewError, color, names, quantity::Quantity,
    sheet::Sheet,
};

use axis::Columns;
use chart::{Chart, Charts};

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
/// A chart is at least this wide, and there are at most so many beside each other.
const LEAST_WIDTH: f64 = 300.0;
const MOST_ABREAST: f64 = 4.0;
/// A figure does not grow higher than this by itself.
const MOST_HEIGHT: f64 = 1000.0;

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
    let around = Sheet::height_around(paper, title, &[]);
    let n_rows = all.len().div_ceil(abreast(paper.inner_width(), all.len()));
    let wanted = (n_rows as f64 * HEIGHT).min(MOST_HEIGHT);
    let mut sheet = Sheet::new(paper, title, around + wanted);
    sheet.reserve_caption();
    let grid = Grid::new(&sheet.room, all.len());
    notes(&all, grid.n()).into_iter().for_each(|note| sheet.note(note));
    let mut charts = Charts::new(paper.theme, paper.titles);
    grid.draw(&all, &mut sheet, &mut charts);
    let description = format!("{title}: {}", count_of(grid.n() as u64, "chart"));
    let page = Bounds::new(0.0, 0.0, paper.width, paper.height.unwrap_or(around + wanted));
    let panel = Panel::on_page("histogram", page, charts.scene());
    Ok(sheet.finish(description, vec![panel]))
}

/// The histograms without title and caption, with their axes, in pixels.
pub fn scene(
    scope: &Scope<'_>,
    appearance: &Appearance,
    canvas: &Canvas,
    options: &HistogramOptions,
) -> Result<Drawn> {
    let all = charts(scope, appearance, canvas.theme, options)?;
    let paper = canvas.as_paper();
    let mut sheet = Sheet::bare(&paper);
    let grid = Grid::new(&sheet.room, all.len());
    let mut charts = Charts::new(canvas.theme, canvas.titles);
    grid.draw(&all, &mut sheet, &mut charts);
    let (notes, plots) = (notes(&all, grid.n()), std::mem::take(&mut charts.plots));
    let scene = sheet.around(charts.scene());
    Ok(Drawn { notes, plots, ..Drawn::plain(scene, canvas.bounds()) })
}

/// How many charts stand beside each other.
fn abreast(width: f64, n_charts: usize) -> usize {
    ((width / LEAST_WIDTH).floor().clamp(1.0, MOST_ABREAST) as usize).min(n_charts)
}

/// Cells of the same size for charts.
struct Grid {
    room: Bounds,
    n_charts: usize,
    n_columns: usize,
    n_rows: usize,
}

impl Grid {
    /// For as many as have room.
    fn new(room: &Bounds, n_charts: usize) -> Self {
        let n_columns = abreast(room.width(), n_charts);
        let most_rows = (room.height() / LEAST_HEIGHT).max(1.0) as usize;
        let n_rows = n_charts.div_ceil(n_columns).min(most_rows);
        Self { room: *room, n_charts, n_columns, n_rows }
    }

    fn n(&self) -> usize {
        self.n_charts.min(self.n_columns * self.n_rows)
    }

    fn size(&self) -> (f64, f64) {
        let Bounds { x0, y0, x1, y1 } = self.room;
        ((x1 - x0) / self.n_columns as f64, (y1 - y0) / self.n_rows as f64)
    }

    fn cell(&self, number: usize) -> Bounds {
        let (width, height) = self.size();
        let x = self.room.x0 + (number % self.n_columns) as f64 * width;
        let y = self.room.y0 + (number / self.n_columns) as f64 * height;
        Bounds::new(x, y, x + width, y + height)
    }

    /// Draws as many charts as have room. States have one axis, so that they can be compared.
    fn draw(&self, all: &[Chart], sheet: &mut Sheet<'_>, charts: &mut Charts) {
        let (width, height) = self.size();
        let plot = Chart::plot_in(&Bounds::new(0.0, 0.0, width, height));
        let shown = &all[..self.n()];
        let columns = |charts: &[Chart]| {
            Columns::new(charts.iter().map(|chart| &chart.histogram), plot.width())
        };
        let of_all = columns(shown);
        for (number, chart) in shown.iter().enumerate() {
            let own = (!chart.is_of_states()).then(|| columns(std::slice::from_ref(chart)));
            chart.draw(sheet, charts, own.as_ref().unwrap_or(&of_all), &self.cell(number));
        }
    }
}

fn notes(all: &[Chart], n_shown: usize) -> Vec<String> {
    let left_out = (all.len() - n_shown) as u64;
    let first = (left_out > 0).then(|| format!("{} not shown", count_of(left_out, "chart")));
    let own = all[..n_shown].iter().flat_map(|chart| chart.notes.clone());
    first.into_iter().chain(own).collect()
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
    all.retain(|chart| chart.histogram.total() > 0);
    if all.is_empty() {
        let what = match options.of {
            Counted::States => "there are no states in what is seen",
            Counted::LinkSizes => "there are no links with a size in what is seen",
            Counted::Links | Counted::LinkDurations => "there are no links in what is seen",
        };
        return Err(ViewError::Nothing(what.to_owned()));
    }
    all.iter_mut().for_each(|chart| chart.ruler = options.count_scale);
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
    found.sort_by_key(|(value, histogram)| (std::cmp::Reverse(histogram.total()), *value));
    let values: Vec<ValueId> = found.iter().map(|(value, _)| *value).collect();
    let named = found.into_iter().zip(names::of_values(scope, &values));
    let chart = |((value, histogram), name): ((ValueId, RatioHistogram), String)| {
        let fill = color::over(appearance.of_value(value).color, theme.colors().background);
        let time = Quantity::Time(unit.clone());
        Chart::new(&name, histogram, time, "state", fill, Pick::Value(value.0))
    };
    Ok(named.map(chart).collect())
}
