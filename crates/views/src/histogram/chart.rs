//! One histogram: its name, its axes, its columns.

use onca_aggregate::statistics::RatioHistogram;
use onca_layout::text::Font;
use onca_model::{Color, format::count_of};
use onca_scene::{Bounds, CLEAR, Label, Layer, Pick, Point, Rect, Rise, Scene, Titles, Weight};

use super::axis::Columns;
use crate::{
    HistogramPlot, Ruler, Theme, color,
    quantity::{Quantity, Scale},
    sheet::{LABEL_SIZE, Sheet, TIME_AXIS_HEIGHT},
};

/// The name of a chart takes this much.
const NAME_HEIGHT: f64 = 20.0;
/// The axis at the left takes this much.
const AXIS_WIDTH: f64 = 64.0;
/// Half a text below the last column.
const RIGHT: f64 = 18.0;
/// What is smaller has no chart, in pixels.
const LEAST_PLOT: f64 = 20.0;
/// Wider columns stand apart.
const APART_FROM: f64 = 6.0;

/// One histogram.
pub(super) struct Chart {
    name: String,
    /// What it shows.
    pub histogram: RatioHistogram,
    quantity: Quantity,
    noun: &'static str,
    /// How counts are spread over the height; chosen by the counts if there is none.
    pub ruler: Option<Ruler>,
    color: Color,
    pick: Pick,
    /// What it does not show.
    pub notes: Vec<String>,
}

/// The columns of all charts of a picture.
pub(super) struct Charts {
    theme: Theme,
    with_titles: bool,
    rects: Vec<Rect>,
    titles: Titles,
    /// Where the charts are.
    pub plots: Vec<HistogramPlot>,
}

impl Charts {
    /// No chart yet.
    pub fn new(theme: Theme, with_titles: bool) -> Self {
        Self { theme, with_titles, rects: Vec::new(), titles: Titles::default(), plots: Vec::new() }
    }

    /// All columns.
    pub fn scene(self) -> Scene {
        Scene { layers: vec![Layer::Rects(self.rects)], titles: self.titles }
    }
}

impl Chart {
    /// A chart of some numbers.
    pub fn new(
        name: &str,
        histogram: RatioHistogram,
        quantity: Quantity,
        noun: &'static str,
        color: Color,
        pick: Pick,
    ) -> Self {
        let notes = match histogram.negative {
            0 => Vec::new(),
            n => vec![format!("{} that end before they start", count_of(n, noun))],
        };
        Self { name: name.to_owned(), histogram, quantity, noun, ruler: None, color, pick, notes }
    }

    /// Does it tell of the states of a value?
    pub fn is_of_states(&self) -> bool {
        self.pick != Pick::NOTHING
    }

    /// The part of a cell that columns fill.
    pub fn plot_in(cell: &Bounds) -> Bounds {
        Bounds::new(
            cell.x0 + AXIS_WIDTH,
            cell.y0 + NAME_HEIGHT,
            (cell.x1 - RIGHT).max(cell.x0 + AXIS_WIDTH),
            (cell.y1 - TIME_AXIS_HEIGHT - 6.0).max(cell.y0 + NAME_HEIGHT),
        )
    }

    /// Draws the chart with its name and axes; nothing where there is too little room.
    pub fn draw(&self, sheet: &mut Sheet<'_>, all: &mut Charts, columns: &Columns, cell: &Bounds) {
        let plot = Self::plot_in(cell);
        if plot.width() < LEAST_PLOT || plot.height() < LEAST_PLOT {
            return;
        }
        let Some(name) = Font::Bold.fit(&self.name, LABEL_SIZE, plot.width()) else { return };
        let length = Font::Bold.width(&name, LABEL_SIZE);
        let label = sheet.label(Point::new(plot.x0, cell.y0 + 5.0), name, LABEL_SIZE);
        let label = Label { weight: Weight::Bold, length, ..label };
        sheet.add_label(Label { rise: Rise::Top, pick: self.pick, ..label });
        let counts: Vec<u64> = columns.bins().map(|bins| self.histogram.count(bins)).collect();
        let scale = self.scale(&counts, columns.zeros);
        self.axes(sheet, &plot, columns, &scale);
        self.columns(all, &plot, columns, &counts, &scale);
        let bounds = Bounds { x0: plot.x0 + columns.start(), ..plot };
        all.plots.push(HistogramPlot { bounds, pick: self.pick, edges: columns.edges() });
    }

    /// The counts from the foot of the plot to its top. One thing must be seen, so a logarithmic
    /// axis begins below 1.
    fn scale(&self, counts: &[u64], has_zeros: bool) -> Scale {
        let zeros = has_zeros.then_some(self.histogram.zeros);
        let counts = counts.iter().copied().chain(zeros).filter(|count| *count > 0);
        let most = counts.clone().max().unwrap_or(1) as f64;
        let least = counts.min().unwrap_or(1) as f64;
        let ruler = self.ruler.unwrap_or(Ruler::fitting(least, most));
        let from = if ruler == Ruler::Log { 0.5 } else { 0.0 };
        Scale { ruler, from, to: most * 1.1 }
    }

    fn axes(&self, sheet: &mut Sheet<'_>, plot: &Bounds, columns: &Columns, scale: &Scale) {
        let most = (plot.height() / 28.0).clamp(3.0, 8.0) as usize;
        let counts = Quantity::Count.ticks(scale.ruler, scale.from, scale.to, most).into_iter();
        let y_of = |count: f64| plot.y1 - scale.share(count) * plot.height();
        let marks: Vec<(f64, String)> =
            counts.map(|count| (y_of(count), Quantity::Count.text(count))).collect();
        sheet.left_axis(plot, &marks, &format!("{}s", self.noun));
        let places = columns.marks(&self.quantity).into_iter();
        let marks: Vec<(f64, String)> = places.map(|(x, text)| (plot.x0 + x, text)).collect();
        let title = match self.quantity {
            Quantity::Bytes => "size",
            Quantity::Time(_) | Quantity::Count | Quantity::Number => "duration",
        };
        sheet.bottom_axis(plot, &marks, title);
    }

    fn columns(
        &self,
        all: &mut Charts,
        plot: &Bounds,
        columns: &Columns,
        counts: &[u64],
        scale: &Scale,
    ) {
        let (pitch, start) = (columns.pitch(), plot.x0 + columns.start());
        let gap = if pitch >= APART_FROM { 1.0 } else { 0.0 };
        let edge = color::edge_on(self.color, all.theme.colors(), CLEAR);
        let edges = columns.edges();
        let zeros = columns.zeros.then_some((plot.x0, 0, 0, self.histogram.zeros));
        let others = counts.iter().zip(edges.windows(2)).enumerate();
        let others = others.map(|(number, (&count, edges))| {
            (start + number as f64 * pitch, edges[0], edges[1], count)
        });
        for (x, from, to, count) in zeros.into_iter().chain(others) {
            if count == 0 {
                continue;
            }
            let top = plot.y1 - plot.height() * scale.share(count as f64);
            let bounds = Bounds::new(x + gap / 2.0, top, x + pitch - gap / 2.0, plot.y1);
            let mut rect = Rect { edge, pick: self.pick, ..Rect::plain(bounds, self.color) };
            if all.with_titles {
                rect.title = all.titles.add(self.title_of(from, to, count));
            }
            all.rects.push(rect);
        }
    }

    fn title_of(&self, from: i64, to: i64, count: u64) -> String {
        let count = count_of(count, self.noun);
        let start = self.quantity.text(from as f64);
        let first = if self.is_of_states() { format!("{}\n", self.name) } else { String::new() };
        if from == 0 {
            return format!("{first}{start}\n{count}");
        }
        format!("{first}{start} to less than {}\n{count}", self.quantity.text(to as f64))
    }
}
