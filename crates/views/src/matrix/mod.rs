//! Who communicates with whom: a matrix with sums at its sides.

mod cells;
mod margins;
mod page;

use onca_layout::text::Font;
use onca_query::{Appearance, Scope};
use onca_scene::{Bounds, Layer, Lines, Pick, Point, Rect, Scene, Titles};
use serde::{Deserialize, Serialize};

use crate::options::{LevelOptions, ViewOptions};
use crate::registry::{Needs, Tab, View, drawn_from_scope};
use crate::{
    Canvas, Drawn, Result, Ruler,
    amount_scale::AmountScale,
    bundles,
    canvas::centred_label,
    color,
    quantity::{Quantity, Scale},
    sheet::TICK_SIZE,
};
use cells::{Cells, Links};
use margins::{Layout, Margins, Room};

pub use page::figure;

/// Who sends how much to whom
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[cfg_attr(
    feature = "clap",
    command(after_long_help = "\
Examples:
  onca render matrix run.paje -o matrix.svg
  onca render matrix run.paje --level machine --metric bytes -o traffic.pdf")
)]
pub struct MatrixOptions {
    /// Which nodes have a row and a column.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub level: LevelOptions,

    /// What is summed up; bytes where links have sizes, else their number
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "METRIC"))]
    pub metric: Option<Metric>,

    /// How amounts are spread over colours; chosen by the amounts by default
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "SCALE"))]
    pub color_scale: Option<Ruler>,
}

/// What is summed up for each pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Metric {
    /// The number of links
    Count,
    /// Their sizes
    Bytes,
    /// The time that they take in the window
    Time,
}

impl ViewOptions for MatrixOptions {}

/// Who sends how much to whom.
pub struct MatrixView;

impl View for MatrixView {
    type Options = MatrixOptions;
    const NAME: &str = "matrix";
    const TITLE: &str = "Matrix";
    const TAB: Tab = Tab::Matrix;
    const NEEDS: Needs = Needs::Links;

    drawn_from_scope!();
}

/// A cell is at least this wide, in pixels: more nodes share cells.
const LEAST_CELL: f64 = 3.0;
/// Between the matrix and the border of a screen.
const MARGIN: f64 = 6.0;
/// Cells this wide are set apart from each other.
const CELL_WITH_EDGE: f64 = 9.0;
/// At most this many cells have texts for the pointer: more would take longer to send than to draw.
const MOST_TITLES: usize = 1 << 16;

/// The matrix for a screen: in pixels, with names and sums around the square where there is room
/// for them.
pub fn scene(
    scope: &Scope<'_>,
    _appearance: &Appearance,
    canvas: &Canvas,
    options: &MatrixOptions,
) -> Result<Drawn> {
    let links = Links::new(scope, options)?;
    let (width, height) = (canvas.width, canvas.height);
    let side = (width.min(height) - 2.0 * MARGIN).max(1.0);
    let room = Room {
        width: width - 2.0 * MARGIN,
        height: Some(height - 2.0 * MARGIN),
        most_side: side,
        most_cell: side,
    };
    let (cells, layout) = match Layout::new(room, &links) {
        Ok((cells, layout)) => (cells, Some(layout)),
        Err(_) => (links.cells(most_cells(side)), None),
    };
    let notes = bundles::note(links.nodes.len(), cells.runs.len(), "containers");
    let grid = Grid::new(scope, &links, &cells, options.color_scale);
    let plot = match &layout {
        // In the middle.
        Some(layout) => {
            layout.plot((width - layout.width()) / 2.0, (height - layout.height()) / 2.0)
        }
        None => Bounds::new(
            (width - side) / 2.0,
            (height - side) / 2.0,
            (width + side) / 2.0,
            (height + side) / 2.0,
        ),
    };
    let of_plot = Canvas { width: plot.width(), height: plot.height(), ..*canvas };
    let mut scene = in_bounds(grid.draw(scope, &of_plot), &plot);
    if let Some(layout) = &layout {
        let colors = canvas.theme.colors();
        let margins = Margins { grid: &grid, layout, plot, colors };
        let bars = margins.bars(canvas.titles.then_some(&mut scene.titles));
        scene.layers.extend([Layer::Rects(bars), Layer::Labels(margins.labels())]);
    }
    let scale = Some(grid.amounts().shown(|share| color::quantity(share, canvas.theme)));
    let notes = notes.into_iter().collect();
    Ok(Drawn { notes, scale, ..Drawn::plain(scene, canvas.bounds()) })
}

/// The scene of a square with all its places in some bounds.
fn in_bounds(drawn: Drawn, bounds: &Bounds) -> Scene {
    let Drawn { mut scene, view, .. } = drawn;
    let (scale_x, scale_y) = (bounds.width() / view.width(), bounds.height() / view.height());
    let place = |at: Point| Point::new(bounds.x0 + at.x * scale_x, bounds.y0 + at.y * scale_y);
    for layer in &mut scene.layers {
        match layer {
            Layer::Rects(rects) => rects.iter_mut().for_each(|rect| {
                let Bounds { x0, y0, x1, y1 } = rect.bounds;
                let (from, to) = (place(Point::new(x0, y0)), place(Point::new(x1, y1)));
                rect.bounds = Bounds::new(from.x, from.y, to.x, to.y);
            }),
            Layer::Lines(lines) => lines.points.iter_mut().for_each(|at| *at = place(*at)),
            Layer::Labels(labels) => labels.iter_mut().for_each(|label| label.at = place(label.at)),
            Layer::Strips(_) | Layer::Arrows(_) | Layer::Polygons(_) | Layer::Glyphs(_) => {}
        }
    }
    scene
}

fn most_cells(side: f64) -> usize {
    (side / LEAST_CELL).max(1.0) as usize
}

/// Cells and their colours.
struct Grid<'a> {
    links: &'a Links,
    cells: &'a Cells,
    quantity: Quantity,
    scale: Scale,
}

impl<'a> Grid<'a> {
    fn new(scope: &Scope<'_>, links: &'a Links, cells: &'a Cells, ruler: Option<Ruler>) -> Self {
        let (smallest, largest) = cells.extent();
        let ruler = ruler.unwrap_or(Ruler::fitting(smallest, largest));
        let from = if ruler == Ruler::Log { smallest } else { 0.0 };
        let scale = Scale { ruler, from, to: largest };
        Self { links, cells, quantity: links.metric.quantity(scope), scale }
    }

    /// What its colours mean.
    fn amounts(&self) -> AmountScale<'_> {
        let name = self.links.metric.noun();
        AmountScale { quantity: &self.quantity, scale: &self.scale, name }
    }

    fn draw(&self, scope: &Scope<'_>, canvas: &Canvas) -> Drawn {
        let n = self.cells.runs.len() as f64;
        let cell = canvas.width.min(canvas.height) / n;
        let colors = canvas.theme.colors();
        let whole = Bounds::new(0.0, 0.0, n, n);
        let mut titles = Titles::default();
        let (mut rects, mut labels) = (vec![Rect::plain(whole, colors.field)], Vec::new());
        let has_titles = canvas.titles && self.cells.amounts.len() <= MOST_TITLES;
        let edge = if cell >= CELL_WITH_EDGE { colors.background } else { onca_scene::CLEAR };
        for (&(row, column), &amount) in &self.cells.amounts {
            let fill = color::quantity(self.scale.share(amount as f64), canvas.theme);
            let (x, y) = (column as f64, row as f64);
            let bounds = Bounds::new(x, y, x + 1.0, y + 1.0);
            let mut rect = Rect { edge, pick: self.pick(row, column), ..Rect::plain(bounds, fill) };
            if has_titles {
                rect.title = titles.add(self.title_of(row, column, amount));
            }
            rects.push(rect);
            let text = self.quantity.text(amount as f64);
            if Font::Regular.width(&text, TICK_SIZE) + 6.0 <= cell {
                let ink = color::text_on(fill);
                labels.push(centred_label(bounds.center(), text, TICK_SIZE, ink));
            }
        }
        let borders = self.borders(scope, canvas, n);
        let layers = vec![Layer::Rects(rects), Layer::Lines(borders), Layer::Labels(labels)];
        Drawn::plain(Scene { layers, titles }, whole)
    }

    /// Lines between groups, unless there are about as many groups as rows.
    fn borders(&self, scope: &Scope<'_>, canvas: &Canvas, n: f64) -> Lines {
        let mut lines = Lines::default();
        let borders = self.links.borders(scope, self.cells);
        if borders.len() as f64 > n / 2.0 {
            return lines;
        }
        let colors = canvas.theme.colors();
        let color = color::mix(colors.grid, colors.axis, 0.3);
        for at in borders.into_iter().map(|row| row as f64) {
            lines.add([Point::new(0.0, at), Point::new(n, at)], color, 1.0);
            lines.add([Point::new(at, 0.0), Point::new(at, n)], color, 1.0);
        }
        lines
    }

    fn pick(&self, row: usize, column: usize) -> Pick {
        match (&self.cells.runs[row], &self.cells.runs[column]) {
            (from, to) if from.len() == 1 && to.len() == 1 => {
                let node = |run: &std::ops::Range<usize>| self.links.nodes[run.start].0;
                Pick::Pair { from: node(from), to: node(to) }
            }
            _ => Pick::NOTHING,
        }
    }

    fn title_of(&self, row: usize, column: usize, amount: u128) -> String {
        let amount = self.links.metric.words(&self.quantity, amount as f64);
        format!("{} to {}\n{amount}", self.cells.names[row], self.cells.names[column])
    }
}

impl Metric {
    /// An amount, with what it is.
    pub(crate) fn words(self, quantity: &Quantity, amount: f64) -> String {
        let text = quantity.text(amount);
        match self {
            Self::Count if amount == 1.0 => format!("{text} message"),
            Self::Count => format!("{text} messages"),
            Self::Bytes | Self::Time => text,
        }
    }

    /// What the cells show.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Count => "messages",
            Self::Bytes => "bytes",
            Self::Time => "time of messages",
        }
    }
}
