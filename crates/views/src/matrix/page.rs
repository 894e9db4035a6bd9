//! The page around a matrix: names, sums and the scale of colours.

use onca_layout::text::Font;
use onca_query::{Appearance, Scope};
use onca_scene::{Align, Bounds, Figure, Label, Pick, Point, Rect, Rise};

use super::{
    Grid, MatrixOptions,
    cells::{Cells, Links},
    most_cells,
};
use crate::{
    Canvas, Paper, Result, ViewError,
    amount_scale::AmountScale,
    bundles, color,
    sheet::{LABEL_SIZE, Sheet, TICK_SIZE},
};

/// A cell is at most this wide, if the figure may choose.
const MOST_CELL: f64 = 72.0;
/// The square must be this large for anything to be seen in it.
const LEAST_SIDE: f64 = 48.0;
/// A figure does not grow larger than this by itself.
const MOST_SIDE: f64 = 800.0;
/// Names take at most this share of the width.
const NAMES_SHARE: f64 = 0.2;
/// The colour scale takes this much.
const SCALE_HEIGHT: f64 = 52.0;
const SCALE_WIDTH: f64 = 220.0;
/// The title of an axis takes this much.
const AXIS_TITLE: f64 = 18.0;
/// Between the names and what they name.
const GAP: f64 = 6.0;

/// The matrix on a page.
pub fn figure(
    scope: &Scope<'_>,
    _appearance: &Appearance,
    paper: &Paper,
    options: &MatrixOptions,
) -> Result<Figure> {
    let links = Links::new(scope, options)?;
    let title = format!("Communication matrix: {}", links.metric.noun());
    let around = Sheet::height_around(paper, &title, &[]) + SCALE_HEIGHT;
    let (cells, layout) = Layout::new(paper, around, &links)?;
    let mut sheet = Sheet::new(paper, &title, layout.height);
    let note = bundles::note(links.nodes.len(), cells.runs.len(), "containers");
    note.into_iter().for_each(|note| sheet.note(note));
    let plot = layout.plot(&sheet.room);
    let grid = Grid::new(scope, &links, &cells, options.colors);
    let mut page = Page { sheet, plot, layout, grid: &grid };
    page.name_rows_and_columns();
    page.sums();
    page.scale(paper);
    let drawn = grid.draw(scope, &Canvas::in_frame(&plot, paper));
    let description = format!("{title}: {} rows and columns", cells.runs.len());
    Ok(page.sheet.finish(description, vec![drawn.panel("matrix", plot)]))
}

/// How a page is shared between the square of cells, the names and the sums.
struct Layout {
    names: Names,
    /// How long the bar of the largest sum is, with the gap before it.
    sums: f64,
    /// The side of the square.
    side: f64,
    /// The height of the page.
    height: f64,
}

/// How long names may be.
#[derive(Clone, Copy)]
struct Names {
    left: f64,
    above: f64,
}

/// What the sums of columns are.
const RECEIVED: &str = "received";

impl Layout {
    /// The cells that a paper can hold, and their place. `around` is what the title, the caption
    /// and the scale take of the height.
    fn new(paper: &Paper, around: f64, links: &Links) -> Result<(Cells, Self)> {
        let sums = (paper.width * 0.08).clamp(24.0, 60.0);
        let beside = |names: Names| paper.inner_width() - AXIS_TITLE - names.left - GAP - sums;
        let above = |names: Names| around + AXIS_TITLE + names.above + GAP + sums;
        let side = |names: Names| {
            let by_height = paper.height.map_or(MOST_SIDE, |height| height - above(names));
            beside(names).min(by_height).min(MOST_SIDE)
        };
        let short_side = paper.height.map_or(paper.width, |height| height.min(paper.width));
        let most = Names { left: paper.width * NAMES_SHARE, above: short_side * NAMES_SHARE };
        if side(most) < LEAST_SIDE {
            let missing = LEAST_SIDE - side(most);
            return Err(ViewError::Nothing(format!(
                "a matrix needs more room: make the picture {missing:.0} pixels wider and higher"
            )));
        }
        let cells = links.cells(most_cells(side(most)));
        let lengths = cells.names.iter().map(|name| Font::Regular.width(name, LABEL_SIZE));
        let longest = lengths.fold(0.0, f64::max);
        // The sums below the plot have a name at the left too.
        let left = longest.max(Font::Regular.width(RECEIVED, TICK_SIZE)).min(most.left);
        let names = Names { left, above: longest.min(most.above) };
        let side = side(names).min(cells.runs.len() as f64 * MOST_CELL);
        Ok((cells, Self { names, sums, side, height: above(names) + side }))
    }

    /// Where the square is in what the page leaves.
    fn plot(&self, room: &Bounds) -> Bounds {
        let x = room.x0 + AXIS_TITLE + self.names.left + GAP;
        let y = room.y0 + AXIS_TITLE + self.names.above + GAP;
        Bounds::new(x, y, x + self.side, y + self.side)
    }
}

/// The page in the making.
struct Page<'a> {
    sheet: Sheet<'a>,
    plot: Bounds,
    layout: Layout,
    grid: &'a Grid<'a>,
}

impl Page<'_> {
    fn cell(&self) -> f64 {
        self.plot.width() / self.grid.cells.runs.len() as f64
    }

    /// The names of rows at the left and of columns above, as many as fit.
    fn name_rows_and_columns(&mut self) {
        let (plot, cell) = (self.plot, self.cell());
        let size = if cell < LABEL_SIZE + 2.0 { TICK_SIZE } else { LABEL_SIZE };
        let stride = ((size + 1.0) / cell).ceil().max(1.0) as usize;
        let grid = self.grid;
        for (row, name) in grid.cells.names.iter().enumerate().step_by(stride) {
            let middle = (row as f64 + 0.5) * cell;
            let pick = Pick::Node(grid.links.nodes[grid.cells.runs[row].start].0);
            let label = |at: Point, room: f64| {
                let text = Font::Regular.fit(name, size, room)?;
                Some(Label { rise: Rise::Middle, pick, ..self.sheet.label(at, text, size) })
            };
            let left = label(Point::new(plot.x0 - GAP, plot.y0 + middle), self.layout.names.left);
            let above = label(Point::new(plot.x0 + middle, plot.y0 - GAP), self.layout.names.above);
            let left = left.map(|label| Label { align: Align::End, ..label });
            let above = above.map(|label| Label { turn: -90.0, ..label });
            left.into_iter().chain(above).for_each(|label| self.sheet.add_label(label));
        }
        self.sheet.upright_title(&plot, plot.x0 - GAP - self.layout.names.left - 6.0, "from");
        let at = Point::new(plot.center().x, plot.y0 - GAP - self.layout.names.above - 6.0);
        let label = self.sheet.label(at, "to", TICK_SIZE);
        self.sheet.add_label(Label { align: Align::Middle, ..label });
    }

    /// What each row sends, at the right, and what each column receives, below.
    fn sums(&mut self) {
        let (plot, cell, grid) = (self.plot, self.cell(), self.grid);
        let largest = grid.cells.largest_total().max(1) as f64;
        let longest = self.layout.sums - GAP;
        let gap = if cell >= 6.0 { 1.0 } else { 0.0 };
        let fill = self.sheet.colors.axis;
        for (number, (&sent, &received)) in
            grid.cells.sent.iter().zip(&grid.cells.received).enumerate()
        {
            let (from, to) =
                (number as f64 * cell + gap / 2.0, (number as f64 + 1.0) * cell - gap / 2.0);
            let length = |sum: u128| GAP + sum as f64 / largest * longest;
            let right =
                Bounds::new(plot.x1 + GAP, plot.y0 + from, plot.x1 + length(sent), plot.y0 + to);
            let below = Bounds::new(
                plot.x0 + from,
                plot.y1 + GAP,
                plot.x0 + to,
                plot.y1 + length(received),
            );
            let pick = Pick::Node(grid.links.nodes[grid.cells.runs[number].start].0);
            for bounds in [right, below] {
                self.sheet.add_rect(Rect { pick, ..Rect::plain(bounds, fill) });
            }
        }
        self.name_sums();
    }

    /// Says what the bars are, in the corners where they begin.
    fn name_sums(&mut self) {
        let (plot, color) = (self.plot, self.sheet.colors.muted);
        let sent = self.sheet.label(Point::new(plot.x1 + GAP, plot.y0 - GAP), "sent", TICK_SIZE);
        self.sheet.add_label(Label { color, ..sent });
        let Some(text) =
            Font::Regular.fit(RECEIVED, TICK_SIZE, self.layout.names.left + AXIS_TITLE)
        else {
            return;
        };
        let at = Point::new(plot.x0 - GAP, plot.y1 + GAP);
        let received = self.sheet.label(at, text, TICK_SIZE);
        self.sheet.add_label(Label { align: Align::End, rise: Rise::Top, color, ..received });
    }

    /// The scale of colours, and how long the longest bar is.
    fn scale(&mut self, paper: &Paper) {
        let grid = self.grid;
        let taken = self.sheet.take_bottom(SCALE_HEIGHT);
        let width = SCALE_WIDTH.min(taken.width() * 0.6);
        let bar = Bounds::new(taken.x0, taken.y0 + 24.0, taken.x0 + width, taken.y0 + 34.0);
        let (quantity, scale) = (&grid.quantity, &grid.scale);
        let amounts = AmountScale { quantity, scale, name: grid.links.metric.noun() };
        amounts.draw(&mut self.sheet, &bar, |share| color::quantity(share, paper.theme));
        let largest = grid.cells.largest_total() as f64;
        let text = format!("longest bar: {}", grid.links.metric.words(&grid.quantity, largest));
        let length = Font::Regular.width(&text, TICK_SIZE);
        // Beside the scale, or above it where that is too narrow.
        let at = match bar.x1 + 28.0 + length <= taken.x1 {
            true => Point::new(bar.x1 + 28.0, bar.y1),
            false => Point::new(taken.x1 - length, bar.y0 - 5.0),
        };
        let color = self.sheet.colors.muted;
        let longest = self.sheet.label(at, text, TICK_SIZE);
        self.sheet.add_label(Label { color, ..longest });
    }
}
