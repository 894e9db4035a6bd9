//! What stands around the square of a matrix: the names of rows and columns, and their sums.

use onca_layout::text::Font;
use onca_scene::{Align, Bounds, Label, Pick, Point, Rect, Rise, Titles};

use super::{
    Grid,
    cells::{Cells, Links},
    most_cells,
};
use crate::{
    canvas::label,
    sheet::{LABEL_SIZE, TICK_SIZE},
    theme::ThemeColors,
};

/// The square must be this large for anything to be seen in it.
pub(super) const LEAST_SIDE: f64 = 48.0;
/// Names take at most this share of the width.
const NAMES_SHARE: f64 = 0.2;
/// The title of an axis takes this much.
pub(super) const AXIS_TITLE: f64 = 18.0;
/// Between the names and what they name.
pub(super) const GAP: f64 = 6.0;
/// What the sums of columns are.
const RECEIVED: &str = "received";

/// The room that a matrix may take, names and sums included.
#[derive(Clone, Copy)]
pub(super) struct Room {
    pub width: f64,
    /// As high as it needs if there is none.
    pub height: Option<f64>,
    /// The side of the square is not larger.
    pub most_side: f64,
    /// A cell is not larger.
    pub most_cell: f64,
}

/// How a room is shared between the square of cells, the names and the sums.
pub(super) struct Layout {
    names: Names,
    /// How long the bar of the largest sum is, with the gap before it.
    sums: f64,
    /// The side of the square.
    pub side: f64,
}

/// How long names may be.
#[derive(Clone, Copy)]
struct Names {
    left: f64,
    above: f64,
}

impl Layout {
    /// The cells that a room can hold, and their place; `Err` says how many pixels are missing.
    pub fn new(room: Room, links: &Links) -> Result<(Cells, Self), f64> {
        let Room { width, height, .. } = room;
        let sums = (width * 0.08).clamp(24.0, 60.0);
        let side = |names: Names| {
            let beside = width - AXIS_TITLE - names.left - GAP - sums;
            let below = |height: f64| height - AXIS_TITLE - names.above - GAP - sums;
            beside.min(height.map_or(room.most_side, below)).min(room.most_side)
        };
        let short_side = height.map_or(width, |height| height.min(width));
        let most = Names { left: width * NAMES_SHARE, above: short_side * NAMES_SHARE };
        if side(most) < LEAST_SIDE {
            return Err(LEAST_SIDE - side(most));
        }
        let cells = links.cells(most_cells(side(most)));
        let lengths = cells.names.iter().map(|name| Font::Regular.width(name, LABEL_SIZE));
        let longest = lengths.fold(0.0, f64::max);
        // The sums below the plot have a name at the left too.
        let left = longest.max(Font::Regular.width(RECEIVED, TICK_SIZE)).min(most.left);
        let names = Names { left, above: longest.min(most.above) };
        let side = side(names).min(cells.runs.len() as f64 * room.most_cell);
        Ok((cells, Self { names, sums, side }))
    }

    /// How high everything is.
    pub fn height(&self) -> f64 {
        AXIS_TITLE + self.names.above + GAP + self.side + self.sums
    }

    /// How wide everything is.
    pub fn width(&self) -> f64 {
        AXIS_TITLE + self.names.left + GAP + self.side + self.sums
    }

    /// Where the square is if everything begins at a point.
    pub fn plot(&self, x: f64, y: f64) -> Bounds {
        let (x, y) =
            (x + AXIS_TITLE + self.names.left + GAP, y + AXIS_TITLE + self.names.above + GAP);
        Bounds::new(x, y, x + self.side, y + self.side)
    }
}

/// The marks around a square.
pub(super) struct Margins<'a> {
    pub grid: &'a Grid<'a>,
    pub layout: &'a Layout,
    pub plot: Bounds,
    pub colors: &'static ThemeColors,
}

impl Margins<'_> {
    fn cell(&self) -> f64 {
        self.plot.width() / self.grid.cells.runs.len() as f64
    }

    /// The node of a row, or the first of those that share it.
    fn pick(&self, row: usize) -> Pick {
        Pick::Node(self.grid.links.nodes[self.grid.cells.runs[row].start].0)
    }

    /// The names of rows at the left and of columns above, as many as fit, and what the axes and
    /// the sums are.
    pub fn labels(&self) -> Vec<Label> {
        let (plot, names, cell) = (self.plot, self.layout.names, self.cell());
        let size = if cell < LABEL_SIZE + 2.0 { TICK_SIZE } else { LABEL_SIZE };
        let stride = ((size + 1.0) / cell).ceil().max(1.0) as usize;
        let mut labels = Vec::new();
        for (row, name) in self.grid.cells.names.iter().enumerate().step_by(stride) {
            let middle = (row as f64 + 0.5) * cell;
            let pick = self.pick(row);
            let text = |at: Point, room: f64| {
                let text = Font::Regular.fit(name, size, room)?;
                Some(Label { rise: Rise::Middle, pick, ..label(at, text, size, self.colors.text) })
            };
            let left = text(Point::new(plot.x0 - GAP, plot.y0 + middle), names.left);
            let above = text(Point::new(plot.x0 + middle, plot.y0 - GAP), names.above);
            labels.extend(left.map(|label| Label { align: Align::End, ..label }));
            labels.extend(above.map(|label| Label { turn: -90.0, ..label }));
        }
        let title = |at, text| label(at, text, TICK_SIZE, self.colors.text);
        let from = title(Point::new(plot.x0 - GAP - names.left - 6.0, plot.center().y), "from");
        labels.push(Label { align: Align::Middle, turn: -90.0, ..from });
        let to = title(Point::new(plot.center().x, plot.y0 - GAP - names.above - 6.0), "to");
        labels.push(Label { align: Align::Middle, ..to });
        labels.extend(self.names_of_sums());
        labels
    }

    /// Says what the bars are, in the corners where they begin.
    fn names_of_sums(&self) -> Vec<Label> {
        let (plot, color) = (self.plot, self.colors.muted);
        let sent = label(Point::new(plot.x1 + GAP, plot.y0 - GAP), "sent", TICK_SIZE, color);
        let room = self.layout.names.left + AXIS_TITLE;
        let received = Font::Regular.fit(RECEIVED, TICK_SIZE, room).map(|text| {
            let text = label(Point::new(plot.x0 - GAP, plot.y1 + GAP), text, TICK_SIZE, color);
            Label { align: Align::End, rise: Rise::Top, ..text }
        });
        std::iter::once(sent).chain(received).collect()
    }

    /// What each row sends, at the right, and what each column receives, below. The texts for the
    /// pointer go to `titles`, if they are wanted.
    pub fn bars(&self, mut titles: Option<&mut Titles>) -> Vec<Rect> {
        let (plot, cell, cells) = (self.plot, self.cell(), self.grid.cells);
        let largest = cells.largest_total().max(1) as f64;
        let longest = self.layout.sums - GAP;
        let gap = if cell >= 6.0 { 1.0 } else { 0.0 };
        let mut rects = Vec::new();
        for (number, (&sent, &received)) in cells.sent.iter().zip(&cells.received).enumerate() {
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
            for (bounds, verb, sum) in [(right, "sends", sent), (below, "receives", received)] {
                let mut rect =
                    Rect { pick: self.pick(number), ..Rect::plain(bounds, self.colors.axis) };
                if let Some(titles) = titles.as_deref_mut() {
                    let words = self.grid.links.metric.words(&self.grid.quantity, sum as f64);
                    rect.title = titles.add(format!("{}\n{verb}  {words}", cells.names[number]));
                }
                rects.push(rect);
            }
        }
        rects
    }
}
